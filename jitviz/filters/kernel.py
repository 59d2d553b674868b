"""All programs of one function under one set of options, by static key.

In: a function as a tree, and the leaves of the arguments of each call.  Out: one jitted program per static key.
Must never: keep the user's function alive, or an array of a finished call.

The static key of a call, and where its parts are compared:

| part | compared by |
|---|---|
| the function: its tree without arrays, the options of the jit | `kernel_of`, once per wrapper |
| parameters, treedef, which leaves are static, their types (`1` is not `True`, as in `jax.jit`) | `Kernel.programs` |
| static leaves, by hash and == | the same |
| shape, dtype, weak type and sharding of traced leaves; the configuration and the mesh | JAX, inside the program |
"""

import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import BoundArguments, Parameter
from threading import RLock
from typing import Any, TypeAlias

import jax
from jax.tree_util import PyTreeDef, tree_flatten, tree_flatten_with_path, tree_unflatten

from ..jaxcompat import equinox_internals
from .donation import Donate, donated_inputs
from .key_paths import function_path
from .leaves import Split, role_of
from .memo import Memo
from .methods import as_tree
from .refusals import named_leaves, unhashable
from .static_outputs import seal

# Replaces the function under which a kernel is stored, so that the kernel does not keep it alive.
_ANCHOR = object()
_KERNELS_PER_ANCHOR = 256
_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)


# The names of the parameters, the treedef and the roles of the leaves, and the static leaves.
StaticKey: TypeAlias = tuple[tuple[str, ...], PyTreeDef, tuple[type | None, ...], tuple[Any, ...]]


@dataclass(eq=False, repr=False, slots=True, weakref_slot=True)
class KeyedJit:
    """The jitted function of one static key. It takes the arrays that the function holds, then the traced leaves."""

    jitted: jax.stages.Wrapped
    key: StaticKey
    split: Split


@dataclass(eq=False)
class Kernel:
    """The programs of one function. All wrappers of that function with the same options share it. `rebuild` returns the
    function with the given arrays in place of the `n_held` arrays that it holds."""

    name: str
    signature: inspect.Signature
    rebuild: Callable[[tuple[Any, ...]], Callable[..., Any]]
    n_held: int
    donate: Donate
    options: dict[str, Any]

    def __post_init__(self) -> None:
        self.programs: Memo[StaticKey, KeyedJit] = Memo(self._make_program)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by parameter name, in the order of the parameters; omitted parameters are missing.
        `*args` is a tuple and `**kwargs` a dict sorted by name, each under its name, and missing if it is empty.

        Raises:
            TypeError: the function does not take these arguments.
        """
        try:
            arguments = self.signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        if kwargs:
            *_, last = self.signature.parameters.values()
            if last.kind is Parameter.VAR_KEYWORD and last.name in arguments:
                arguments[last.name] = dict(sorted(arguments[last.name].items()))
        return arguments

    def find(
        self, arguments: Mapping[str, Any], treedef: PyTreeDef, leaves: Sequence[Any], roles: tuple[type | None, ...]
    ) -> KeyedJit:
        """The program for a call with these arguments, and the leaves of their values.

        Raises:
            TypeError: a static leaf cannot be hashed; the message names its path.
        """
        statics = tuple([leaf for leaf, role in zip(leaves, roles, strict=True) if role is not None])
        try:
            return self.programs[tuple(arguments), treedef, roles, statics]
        except TypeError as error:
            raise unhashable(self.name, named_leaves(arguments), error) from None

    def _make_program(self, key: StaticKey) -> KeyedJit:
        names, treedef, roles, statics = key
        split = Split(role is None for role in roles)
        signature, rebuild, n_held = self.signature, self.rebuild, self.n_held

        def run(*traced: Any) -> Any:
            __equinox_jit_id__ = equinox_internals.JIT_MARK  # noqa: F841 - read from the frame
            values = treedef.unflatten(split.merge((*traced[n_held:], *statics)))
            bound = BoundArguments(signature, dict(zip(names, values, strict=True)))
            result = rebuild(traced[:n_held])(*bound.args, **bound.kwargs)
            return seal(result, (traced[index] for index in donated))

        # The name of the program in JAX's logs and in its HLO.
        run.__name__ = run.__qualname__ = self.name
        donated = donated_inputs(self.donate, split.traced_at, _n_leaves_of_first(signature, names, treedef), n_held)
        return KeyedJit(jax.jit(run, donate_argnums=donated, **self.options), key, split)


_kernels: weakref.WeakKeyDictionary[Any, dict[Any, Kernel]] = weakref.WeakKeyDictionary()
_lock = RLock()


def kernel_of(
    fun: Callable[..., Any], donate: Donate, options: dict[str, Any]
) -> tuple[Kernel, tuple[Any, ...], tuple[PyTreeDef, list[Any]]]:
    """The kernel of a function; the arrays that it holds, which are the first inputs of its programs; treedef, leaves.

    A kernel lives as long as the innermost function, under which it is stored, and not as long as a wrapper. So a
    wrapper that is created again in a loop finds the programs of the previous one.

    Raises:
        TypeError: a static leaf of `fun` cannot be hashed.
    """
    tree = as_tree(fun)
    leaves, treedef = tree_flatten(tree)
    roles = tuple(map(role_of, map(type, leaves)))
    split = Split(role is None for role in roles)
    traced, statics = split.traced(leaves), split.static(leaves)
    anchor = next(filter(_can_anchor, statics), type(tree))
    statics = tuple(_ANCHOR if leaf is anchor else leaf for leaf in statics)
    settings, settings_treedef = tree_flatten(options)
    key = (treedef, roles, statics, donate, tuple(settings), tuple(map(type, settings)), settings_treedef)
    name, reference = name_of(tree), weakref.ref(anchor)
    try:
        hash(key)
    except TypeError as error:
        named = ((function_path(name, keys), leaf) for keys, leaf in tree_flatten_with_path(tree)[0])
        raise unhashable(name, named, error) from None

    def rebuild(held: tuple[Any, ...]) -> Any:
        found = [reference() if leaf is _ANCHOR else leaf for leaf in statics]
        return tree_unflatten(treedef, split.merge((*held, *found)))

    with _lock:
        kernels = _kernels.setdefault(anchor, {})
        if key not in kernels:
            while len(kernels) >= _KERNELS_PER_ANCHOR:
                del kernels[next(iter(kernels))]
            kernels[key] = Kernel(name, _signature_of(fun), rebuild, len(traced), donate, options)
        return kernels[key], traced, (treedef, leaves)


def functions_with_programs() -> list[Any]:
    """The functions that have programs already, for an observer that starts later."""
    with _lock:
        return [
            anchor
            for anchor, kernels in _kernels.items()
            if not isinstance(anchor, type) and any(kernel.programs for kernel in kernels.values())
        ]


def name_of(fun: Any) -> str:
    """The name of a function, or of the function it wraps; for any other object the name of its class."""
    name = getattr(fun, "__name__", None)
    if isinstance(name, str):
        return name
    inner = getattr(fun, "func", None) if callable(getattr(fun, "func", None)) else getattr(fun, "__wrapped__", None)
    return type(fun).__name__ if inner is None else name_of(inner)


def _signature_of(fun: Callable[..., Any]) -> inspect.Signature:
    """The signature of `fun`; `(*args, **kwargs)` for built-in functions that have none."""
    try:
        return inspect.signature(fun)
    except ValueError:
        return inspect.Signature(
            [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
        )


def _n_leaves_of_first(signature: inspect.Signature, names: tuple[str, ...], treedef: PyTreeDef) -> int:
    """The number of leaves of the first positional argument, in a call with these parameters; 0 without one."""
    first = next(iter(signature.parameters.values()), None)
    if first is None or names[:1] != (first.name,) or first.kind not in _POSITIONAL:
        return 0
    tree = treedef.children()[0]
    n_leaves: int = (tree.children()[0] if first.kind is Parameter.VAR_POSITIONAL else tree).num_leaves
    return n_leaves


def _can_anchor(leaf: Any) -> bool:
    kind: Any = type(leaf)
    if kind.__eq__ is not object.__eq__ or kind.__hash__ is not object.__hash__:
        return False  # an equal object could outlive this one
    try:
        weakref.ref(leaf)
    except TypeError:
        return False
    return True
