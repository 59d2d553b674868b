"""All compiled versions of one function under one set of options, found by static key.

In: a function as a tree, and per call the leaves of its arguments.  Out: one jitted program per static key.
Must never: keep the user's function alive, or an array of a call that is over.

The static key of a call, and who compares what:

| part | compared by |
|---|---|
| the function: its tree without arrays, options of the jit | `kernel_of`, once per wrapper |
| layout, treedef, which leaves are static, and their types (`1` is not `True`, as in `jax.jit`) | `Kernel.plans` |
| static leaves, by hash and == | `Kernel.programs` |
| shape, dtype, weak type, sharding of traced leaves; config and mesh contexts | JAX, inside the program |
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.tree_util import PyTreeDef, tree_flatten

from ..jaxcompat import equinox
from .arrays import is_traced_type
from .binding import Binder, Layout, signature_of
from .donation import QUIET, Donate, donated_inputs
from .errors import named_leaves, named_leaves_of_function, unhashable
from .memo import Memo
from .methods import as_tree
from .outputs import seal
from .split import Split

# Stands for the function that a kernel is filed under, so that the kernel does not keep it alive.
_ANCHOR = object()
_KERNELS_PER_ANCHOR = 256


class Plan:
    """What all calls of one structure share. `roles` has per leaf None if it is traced, its type if it is static."""

    __slots__ = ("layout", "roles", "split", "treedef")

    def __init__(self, layout: Layout, treedef: PyTreeDef, roles: tuple[type | None, ...]) -> None:
        self.layout = layout
        self.treedef = treedef
        self.roles = roles
        self.split = Split(role is None for role in roles)


class Program:
    """One version by static key. `jitted` takes what the function holds, then the traced leaves."""

    __slots__ = ("__weakref__", "jitted", "plan")

    def __init__(self, jitted: jax.stages.Wrapped, plan: Plan) -> None:
        self.jitted = jitted
        self.plan = plan


class HeldFunction:
    """The user's function with its arrays taken out, and held weakly: whoever calls it holds it."""

    def __init__(self, treedef: PyTreeDef, split: Split, statics: tuple[Any, ...], anchor: weakref.ref[Any]) -> None:
        self._treedef, self._split, self._statics, self._anchor = treedef, split, statics, anchor

    def rebuild(self, traced: tuple[Any, ...]) -> Callable[..., Any]:
        """The function, with these in place of its arrays."""
        statics = [self._anchor() if leaf is _ANCHOR else leaf for leaf in self._statics]
        fun: Callable[..., Any] = self._treedef.unflatten(self._split.merge((*traced, *statics)))
        return fun


class Kernel:
    """The programs of one function. Wrappers made twice round the same function share it."""

    def __init__(
        self, name: str, binder: Binder, fun: HeldFunction, held: int, donate: Donate, options: dict[str, Any]
    ) -> None:
        self.name = name
        self.binder = binder
        self.donate: Donate = donate
        self.is_quiet = donate in QUIET
        self._fun = fun
        self._held = held
        self._options = options
        self.plans: Memo[tuple[Layout, PyTreeDef, tuple[type | None, ...]], Plan] = Memo(self._make_plan)
        self.programs: Memo[tuple[Plan, tuple[Any, ...]], Program] = Memo(self._make_program)

    def find(
        self, layout: Layout, treedef: PyTreeDef, types: tuple[type, ...], values: Sequence[Any], leaves: Sequence[Any]
    ) -> Program:
        """The program for a call whose `values` have these `leaves`.

        Raises:
            TypeError: a static leaf cannot be hashed; the message names its path.
        """
        plan = self.plans[layout, treedef, types]
        try:
            return self.programs[plan, plan.split.static(leaves)]
        except TypeError as error:
            raise unhashable(self.name, named_leaves(layout.arguments(values)), error) from None

    def _make_plan(self, key: tuple[Layout, PyTreeDef, tuple[type | None, ...]]) -> Plan:
        layout, treedef, types = key
        roles = tuple(None if kind is None or is_traced_type(kind) else kind for kind in types)
        # JAX arrays, NumPy arrays and tracers in the same places are one plan.
        return Plan(layout, treedef, roles) if roles == types else self.plans[layout, treedef, roles]

    def _make_program(self, key: tuple[Plan, tuple[Any, ...]]) -> Program:
        plan, statics = key
        held, fun = self._held, self._fun

        def run(*traced: Any) -> Any:
            __equinox_jit_id__ = equinox.JIT_MARK  # noqa: F841 - read from the frame
            values = plan.treedef.unflatten(plan.split.merge((*traced[held:], *statics)))
            return seal(plan.layout.call(fun.rebuild(traced[:held]), values))

        # The name under which the program is logged, and which its HLO carries.
        run.__name__ = run.__qualname__ = self.name
        first = plan.treedef.children()[0].num_leaves if plan.layout.count else 0
        donated = donated_inputs(self.donate, plan.split.traced_at, first, held)
        return Program(jax.jit(run, donate_argnums=donated, **self._options), plan)


_kernels: weakref.WeakKeyDictionary[Any, dict[Any, Kernel]] = weakref.WeakKeyDictionary()
_lock = threading.RLock()


def kernel_of(
    fun: Callable[..., Any], donate: Donate, options: dict[str, Any]
) -> tuple[Kernel, tuple[Any, ...], tuple[PyTreeDef, list[Any]]]:
    """The kernel of a function; the arrays that it holds, which are the first inputs of its programs; treedef, leaves.

    A kernel lives as long as the innermost function that it is filed under, not as long as a wrapper, so that a wrapper
    made anew in a loop finds what the last one compiled.

    Raises:
        TypeError: a static leaf of `fun` cannot be hashed.
    """
    tree = as_tree(fun)
    leaves, treedef = tree_flatten(tree)
    roles = tuple(None if is_traced_type(type(leaf)) else type(leaf) for leaf in leaves)
    split = Split(role is None for role in roles)
    traced, statics = split.traced(leaves), split.static(leaves)
    anchor = next(filter(_can_anchor, statics), type(tree))
    statics = tuple(_ANCHOR if leaf is anchor else leaf for leaf in statics)
    settings, settings_treedef = tree_flatten(options)
    key = (treedef, roles, statics, donate, tuple(settings), tuple(map(type, settings)), settings_treedef)
    try:
        hash(key)
    except TypeError as error:
        raise unhashable(name_of(tree), named_leaves_of_function(name_of(tree), tree), error) from None
    with _lock:
        known = _kernels.setdefault(anchor, {})
        if key not in known:
            while len(known) >= _KERNELS_PER_ANCHOR:
                del known[next(iter(known))]
            name = name_of(tree)
            held = HeldFunction(treedef, split, statics, weakref.ref(anchor))
            known[key] = Kernel(name, Binder(name, signature_of(fun)), held, len(traced), donate, options)
        return known[key], traced, (treedef, leaves)


def functions_with_programs() -> list[Any]:
    """The functions of which something was compiled, for those who begin to watch later."""
    with _lock:
        return [
            anchor
            for anchor, known in _kernels.items()
            if not isinstance(anchor, type) and any(kernel.programs for kernel in known.values())
        ]


def name_of(fun: Any) -> str:
    """The name that people know a function by; that of its class for an object that has none."""
    name = getattr(fun, "__name__", None)
    if isinstance(name, str):
        return name
    inner = getattr(fun, "func", None) if callable(getattr(fun, "func", None)) else getattr(fun, "__wrapped__", None)
    return type(fun).__name__ if inner is None else name_of(inner)


def _can_anchor(leaf: Any) -> bool:
    kind: Any = type(leaf)
    if kind.__eq__ is not object.__eq__ or kind.__hash__ is not object.__hash__:
        return False  # an equal one could live on when this one dies
    try:
        weakref.ref(leaf)
    except TypeError:
        return False
    return True
