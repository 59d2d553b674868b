"""Calls of `jitviz.filter_jit` functions: arrays are traced, the rest is static, names are normalised.

In: a `MissFrame` or a wrapper's call, and the slot of `jitviz.filters.hook`.  Out: an `Origin`; outputs; calls opened
and closed.
Must never: bind or flatten differently from the wrapper itself, or take the slot from another observer.
"""

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import jax

from ...filters import hook
from ...filters.hook import CalledFilterJit
from ...filters.jit import FilterJit
from ...filters.kernel import KeyedJit
from ...filters.methods import as_tree
from ...filters.static_outputs import Output
from ...jaxcompat import jits, output_trees
from ...jaxcompat.frame_locals import Inferred
from ...jaxcompat.raw import is_a
from ...model import Function, Signature, wrappers
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from ..arguments.signature import signature_of
from ..arguments.walk import Rows, Rule, static_leaf
from ..failures import guarded
from ..first_argument import LEAVES, first_of
from ..in_progress import CallingLine, OpenCall
from ..log.call_log import begin_call, close_call, end_call, new_site
from ..log.watcher import watcher
from ..tokens import token
from . import functions
from .adapter import Adapter, UserOutputs, leaves_at
from .jax_sites import MissFrame


def _origin_of(call: hook.FilterCall) -> Origin:
    """The call of a `jitviz.filter_jit` function, from its parts as the wrapper has flattened them."""
    kinds = {type(call.leaves[index]) for index in call.program.split.traced_at}
    rule: Rule = "shapes" if any(issubclass(kind, jax.ShapeDtypeStruct) for kind in kinds) else "arrays"
    origin = _of_arguments(call.wrapper, call.arguments, rule)
    flats = Flat(call.treedef, call.leaves).children()
    pairs = zip(origin.arguments, flats, strict=True)
    origin.arguments = [argument._replace(flat=flat) for argument, flat in pairs]
    origin.flat_root = Flat.of(*call.wrapper.flat)
    return origin


def _of_arguments(wrapper: CalledFilterJit, arguments: dict[str, Any], rule: Rule = "arrays") -> Origin:
    """The call of a wrapper, from its arguments by parameter name."""
    function, donate = as_tree(wrapper.__wrapped__), wrapper.donate
    options = {"donate": str(donate)} if donate != "none" else {}
    options.update({name: repr(value) for name, value in wrapper.jit_options.items()})
    return Origin(
        function,
        wrappers.JITVIZ,
        [
            Argument(name, value, rule, donate in ("all", "warn") or (donate != "none" and index > 0))
            for index, (name, value) in enumerate(arguments.items())
        ],
        options=tuple(options.items()),
        defaults=functions.defaults_of(wrapper.signature, arguments),
        root=functions.root_of(function),
    )


class OurFilterJit(Adapter):
    """`jitviz.filter_jit`. It reports its calls by itself, hits included, and with their version."""

    wrapper = wrappers.JITVIZ
    files = ("jitviz/filters/jit.py", "jitviz/filters/stages.py")

    def find(self, site: MissFrame) -> Origin | None:
        call = None if site.caller is None else hook.call_in(site.caller)
        fun = site.held.fun
        if call is None:
            return None
        origin = _origin_of(call)
        if fun is not None:
            traced = call.program.split.traced_at[:LEAVES]
            origin.version_key, origin.leaf_types = token(fun), tuple(first_of(call.leaves[index]) for index in traced)
        return origin

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        if not is_a(fun, FilterJit):
            return None
        return _of_arguments(fun, fun.set_up().bind(args, kwargs))

    def inside(self, fun: Any) -> Any:
        return as_tree(fun.__wrapped__) if is_a(fun, FilterJit) else None

    def jits(self, fun: Any) -> Sequence[Any]:
        programs = list(fun.set_up().programs.values())  # a copy: another thread may add one meanwhile
        return [program.jitted for program in programs]

    def outputs(self, inferred: Inferred, signature: Signature) -> UserOutputs:
        """Static leaves come last. Only a sealed result has any; its arrays may end with a spare."""
        data = output_trees.node_data(inferred.out_tree)
        if data is None or data[0] is not Output:
            return super().outputs(inferred, signature)
        seal, avals, rows = data[1], output_trees.output_avals(inferred.jaxpr), Rows()
        count = seal.treedef.num_leaves
        try:
            pairs, _ = jax.tree_util.tree_flatten_with_path(seal.treedef.unflatten(range(count)))
            paths = [f"out{jax.tree_util.keystr(path)}" for path, _ in pairs]
        except Exception:  # a user's class that does not accept placeholders
            paths = [f"out[{index}]" for index in range(count)]
        own = avals[: len(avals) - seal.n_spare]
        traced = leaves_at((paths[index], aval) for index, aval in zip(seal.split.traced_at, own, strict=True))
        statics = zip(seal.split.static_at, seal.statics, strict=True)
        return UserOutputs(
            (*traced, *(static_leaf(paths[index], value, rows) for index, value in statics)), seal.treedef
        )

    def install(self) -> None:
        """Take the slot for an observer if it is free."""
        if hook.observer is None:
            hook.observer = _observer

    def uninstall(self) -> None:
        """Leave the slot if jitviz holds it."""
        if hook.observer is _observer:
            hook.observer = None


class _FilterJitObserver:
    """Called by the wrapper at the start and end of each call. It flattens nothing: the wrapper has done so already."""

    def started(self, wrapper: CalledFilterJit, program: KeyedJit, leaves: Sequence[Any], /) -> OpenCall | None:
        call = begin_call(program, sys._getframe(3), _call_site, wrapper)
        if call is not None and call.site.by_first is not None:
            call.site = call.site.with_first(leaves[program.split.traced_at[call.site.leaf]])
        return call

    def finished(self, call: object, error: BaseException | None, /) -> None:
        if type(call) is OpenCall and (error is not None or not end_call(call)):
            _close(call, sys._getframe(1), error)

    def refused(self, wrapper: CalledFilterJit, error: BaseException | None, /) -> None:
        self.finished(begin_call(wrapper, sys._getframe(3), _call_site, wrapper), error)


_observer = _FilterJitObserver()


@guarded(None)
def _call_site(called: KeyedJit | CalledFilterJit, caller: FrameType, wrapper: CalledFilterJit) -> CallingLine:
    """`called` is the program, or the wrapper itself if no program was found."""

    def identify() -> Function:
        return functions.identify(as_tree(wrapper.__wrapped__), wrappers.JITVIZ)

    fun = jits.jitted_function(called.jitted) if isinstance(called, KeyedJit) else called
    site = new_site(called, caller, fun, lambda: watcher.number_of_wrapper(wrapper, identify), has_version_key=True)
    if isinstance(called, KeyedJit):
        watcher.functions.look_at_leaf(site)
    return site


@guarded(None)
def _close(opened: OpenCall, frame: FrameType, error: BaseException | None) -> None:
    call = hook.call_in(frame)
    signature = None if call is None else lambda: signature_of(_origin_of(call))
    close_call(opened, error, first_signature=signature)
