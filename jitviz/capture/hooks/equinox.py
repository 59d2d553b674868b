"""Calls of `equinox.filter_jit` functions, hits included.

In: Equinox's own wrapper class, if the user has imported Equinox.  Out: calls opened and closed.
Must never: import equinox, change what a call returns or raises, or leave the class changed.

The wrapper's `__call__` is Python code, so wrapping it on the class covers functions decorated at any time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from ...jaxcompat import equinox_internals, flax_internals, jax_frames, jits
from ...model import Function, Signature, wrappers
from ..adapters import functions
from ..adapters.equinox_jit import of_equinox_call
from ..arguments.signature import signature_of
from ..failures import guarded
from ..in_progress import CallSite, OpenCall
from ..log.calls import begin_call, close_call, end_call, new_site
from ..log.watcher import watcher

# JAX writes stack frames into a program. They must be those of the unwatched run.
jax_frames.leave_out(f"{Path(__file__).parent}{os.sep}")

_patched: tuple[type, Any] | None = None


def install() -> None:
    """Wrap Equinox's `__call__` if Equinox is imported. Called again whenever it may have been imported since."""
    global _patched
    wrapper = equinox_internals.equinox_jit_wrapper()
    if _patched is not None or wrapper is None:
        return
    original = vars(wrapper)["__call__"]
    call_original: Callable[..., Any] = getattr(original, "method", original)

    def watched(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = begin_call(self, sys._getframe(1), _site)
        if call is None:
            return call_original(self, *args, **kwargs)
        try:
            out = call_original(self, *args, **kwargs)
        except BaseException as error:
            _ended(call, self, args, kwargs, error)
            call = None  # the user may keep the error, which keeps this frame
            raise
        if not end_call(call):
            _ended(call, self, args, kwargs, None)
        return out

    _patched = (wrapper, original)
    type.__setattr__(wrapper, "__call__", watched)


def uninstall() -> None:
    """Restore the original `__call__`."""
    global _patched
    if _patched is not None:
        wrapper, original = _patched
        type.__setattr__(wrapper, "__call__", original)
        _patched = None


@guarded(None)
def _site(wrapper: Any, caller: FrameType) -> CallSite:
    def identify() -> Function:
        return functions.identify(wrapper.__wrapped__, wrappers.EQUINOX)

    fun = jits.jitted_function(flax_internals.jitted_attribute(wrapper))
    return new_site(wrapper, caller, fun, lambda: watcher.number_of_wrapper(wrapper, identify))


@guarded(None)
def _ended(call: OpenCall, wrapper: Any, args: Any, kwargs: Any, error: BaseException | None) -> None:
    def first_signature() -> Signature:
        return signature_of(of_equinox_call(equinox_internals.equinox_call(wrapper, args, kwargs)), is_hit=True)

    close_call(call, error, first_signature=first_signature)
