"""Calls of `equinox.filter_jit` functions: arrays are traced, the rest is static, names are normalised.

In: a `MissFrame`, the parts of a call, or Equinox's wrapper class, if the user has imported Equinox.  Out: an `Origin`;
outputs; calls opened and closed.
Must never: import equinox, bind or flatten differently from Equinox itself, change what a call returns or raises, or
leave the class changed.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from ...jaxcompat import equinox_internals, jax_frames, jits, output_trees
from ...jaxcompat.frame_locals import Inferred
from ...model import Function, Signature, wrappers
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from ..arguments.signature import signature_of
from ..arguments.walk import Rows, walk
from ..failures import guarded
from ..first_argument import LEAVES, first_of
from ..in_progress import CallingLine, OpenCall
from ..log.call_log import begin_call, close_call, end_call, new_site
from ..log.watcher import watcher
from . import functions
from .adapter import Adapter, UserOutputs, leaves_at
from .jax_sites import MissFrame

# JAX writes stack frames into a program. They must be those of the unwatched run.
jax_frames.leave_out(f"{Path(__file__).parent}{os.sep}")


def _origin_of(call: equinox_internals.EquinoxCall) -> Origin:
    """The call of an `equinox.filter_jit` function, from its parts."""
    wrapper, args, kwargs, _ = call
    signature, function = equinox_internals.signature_in(wrapper), wrapper.__wrapped__
    with contextlib.suppress(TypeError):  # the call will fail by itself; show the arguments as given
        bound = signature.bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    rows = functions.parameters(signature, args, kwargs)
    first, rest = wrapper.donate_first, wrapper.donate_rest
    donated = "all" if first and rest else "all-except-first" if rest else ""
    origin = Origin(
        function,
        wrappers.EQUINOX,
        [Argument(name, value, "arrays", rest if index else first) for index, (name, value, _) in enumerate(rows)],
        options=(("donate", donated),) if donated else (),
        defaults=functions.defaults_of(signature, (name for name, _, _ in rows)),
        root=functions.root_of(function),
        input_order=_order_of_equinox(rows, wrapper),
    )
    flat = {name: Flat.of(*part) for name, part in call.flat.items()}
    flat_first, flat_rest = flat.get("first"), flat.get("rest")
    if flat_first is not None and flat_rest is not None:
        others, keywords = flat_rest.children()
        # Equinox appends a None to the positional arguments
        flats = [*[flat_first, *others.children()][:-1], *keywords.children()]
        origin.give_flat(flats, ((name, given) for name, _, given in rows))
    if origin.root is not None:
        origin.flat_root = flat.get("fun")
    return origin


def _order_of_equinox(rows: list[tuple[str, Any, str]], wrapper: Any) -> tuple[str, ...]:
    """The names in the order of JAX's inputs: donated ones first, each time the first argument, `self`, the others."""
    places = [name.partition("[")[0] for name, _, given in rows if given == "positional"]
    others = ["self", *places[1:], *sorted(name for name, _, given in rows if given == "keyword")]
    is_first_last = wrapper.donate_rest and not wrapper.donate_first
    return (*others, *places[:1]) if is_first_last else (*places[:1], *others)


class EquinoxJit(Adapter):
    """`equinox.filter_jit`. Its `__call__` is Python code: wrapping it on the class covers functions decorated at any
    time, hits included."""

    wrapper = wrappers.EQUINOX
    files = (equinox_internals.EQUINOX_FILE,)
    _patched: tuple[type, Any] | None = None

    def find(self, site: MissFrame) -> Origin | None:
        call = equinox_internals.read_equinox_call(site.caller)
        if call is None:
            return None
        origin = _origin_of(call)
        origin.leaf_types = tuple(map(first_of, call.args[:LEAVES]))
        return origin

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        is_its = equinox_internals.is_equinox_jit(fun)
        return _origin_of(equinox_internals.EquinoxCall(fun, args, kwargs)) if is_its else None

    def inside(self, fun: Any) -> Any:
        return equinox_internals.wrapped_by(fun) if equinox_internals.is_equinox_jit(fun) else None

    def jits(self, fun: Any) -> Sequence[Any]:
        return (equinox_internals.jit_inside(fun),)

    def outputs(self, inferred: Inferred, signature: Signature) -> UserOutputs:
        """Equinox returns (marker, arrays, static values in the treedef). Static leaves come last."""
        avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
        pairs = zip(paths, avals, strict=True)
        traced = leaves_at((f"out{path[3:]}", aval) for path, aval in pairs if path.startswith("[1]"))
        rows = Rows()
        for value in equinox_internals.static_outputs(inferred.out_tree):
            walk(value, "out", "arrays", rows)
        statics = (leaf for leaf in rows.leaves if leaf.role == "static" and not leaf.is_metadata)
        return UserOutputs((*traced, *statics), inferred.out_tree.children()[1])

    def install(self) -> None:
        """Wrap Equinox's `__call__`, if Equinox is imported."""
        kind = equinox_internals.equinox_jit_wrapper()
        if self._patched is not None or kind is None:
            return
        original = vars(kind)["__call__"]
        call_original: Callable[..., Any] = getattr(original, "method", original)

        def watched(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            call = begin_call(self, sys._getframe().f_back, _call_site)
            if call is None:
                return call_original(self, *args, **kwargs)
            try:  # Ctrl-C closes the call from here on
                if call.site.by_first is not None and call.site.leaf < len(args):
                    call.site = call.site.with_first(args[call.site.leaf])
                out = call_original(self, *args, **kwargs)
            except BaseException as error:
                _ended(call, self, args, kwargs, error)
                call = None  # the user may keep the error, which keeps this frame
                if error.__traceback__ is not None:  # its first entry is this frame, and `raise` adds none
                    error.__traceback__ = error.__traceback__.tb_next
                raise
            if not end_call(call):
                _ended(call, self, args, kwargs, None)
            return out

        self._patched = (kind, original)
        type.__setattr__(kind, "__call__", watched)

    def uninstall(self) -> None:
        """Restore the original `__call__`."""
        if self._patched is not None:
            kind, original = self._patched
            type.__setattr__(kind, "__call__", original)
            self._patched = None


@guarded(None)
def _call_site(fun: Any, caller: FrameType) -> CallingLine:
    def identify() -> Function:
        return functions.identify(fun.__wrapped__, wrappers.EQUINOX)

    inner = jits.jitted_function(equinox_internals.jit_inside(fun))
    site = new_site(fun, caller, inner, lambda: watcher.number_of_wrapper(fun, identify))
    watcher.functions.look_at_leaf(site)
    return site


@guarded(None)
def _ended(call: OpenCall, fun: Any, args: Any, kwargs: Any, error: BaseException | None) -> None:
    def first_signature() -> Signature:
        return signature_of(_origin_of(equinox_internals.EquinoxCall(fun, args, kwargs)), is_hit=True)

    close_call(call, error, first_signature=first_signature)
