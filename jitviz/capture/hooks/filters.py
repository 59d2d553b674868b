"""Calls of `jitviz.filter_jit` functions, hits included, and with their version.

In: the slot of `jitviz.filters.hook`.  Out: calls opened and closed.
Must never: flatten anything at a hit (the wrapper has done so already), or take the slot from another observer.
"""

from __future__ import annotations

import sys
from types import FrameType

from ...filters import hook
from ...filters.hook import Wrapper
from ...filters.kernel import Program
from ...filters.methods import as_tree
from ...jaxcompat import jits
from ...model import Function, wrappers
from ..adapters import functions
from ..adapters.filter_jit import of_filter_call
from ..arguments.signature import signature_of
from ..failures import guarded
from ..in_progress import CallSite, OpenCall
from ..log.calls import begin_call, close_call, end_call, new_site
from ..log.watcher import watcher


class _Observer:
    """Called by the wrapper at the start and end of each call."""

    def started(self, wrapper: Wrapper, program: Program, /) -> OpenCall | None:
        return begin_call(program, sys._getframe(3), _site, wrapper)

    def finished(self, call: object, error: BaseException | None, /) -> None:
        if type(call) is OpenCall and (error is not None or not end_call(call)):
            _close(call, sys._getframe(1), error)

    def refused(self, wrapper: Wrapper, error: BaseException | None, /) -> None:
        self.finished(begin_call(wrapper, sys._getframe(3), _site, wrapper), error)


@guarded(None)
def _site(called: Program | Wrapper, caller: FrameType, wrapper: Wrapper) -> CallSite:
    """`called` is the program, or the wrapper itself if no program was found."""

    def identify() -> Function:
        return functions.identify(as_tree(wrapper.__wrapped__), wrappers.JITVIZ)

    fun = jits.jitted_function(called.jitted) if isinstance(called, Program) else called
    return new_site(called, caller, fun, lambda: watcher.number_of_wrapper(wrapper, identify), has_version_key=True)


@guarded(None)
def _close(opened: OpenCall, frame: FrameType, error: BaseException | None) -> None:
    call = hook.call_in(frame)
    signature = None if call is None else lambda: signature_of(of_filter_call(call))
    close_call(opened, error, first_signature=signature)


_observer = _Observer()


def install() -> None:
    """Take the slot if it is free."""
    if hook.observer is None:
        hook.observer = _observer


def uninstall() -> None:
    """Leave the slot if jitviz holds it."""
    if hook.observer is _observer:
        hook.observer = None
