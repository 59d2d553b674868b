"""A string, an object or a function among the traced arguments or the outputs; `self` of a jitted method.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods
"""

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...jaxcompat import raw
from ...jaxcompat.equinox_internals import is_equinox_module
from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import no_array, no_input, no_output
from ...model import listed, root_of, step_up
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import PassedArgument, arguments, call_at
from ..facts import Facts
from ..syntax import MISSING, Spot, calls_in, expression_of, needed, operands, value_of

EXAMPLE = """
@jax.jit
def step(batch):
    return batch['x'] * 2

step({'x': jnp.ones(3), 'split': 'train'})
"""
INSTEAD = EXAMPLE.replace(", 'split': 'train'", "")


_MAKE_ARRAYS = ("jax.numpy", "jax.random", "numpy")


def explain(facts: Facts) -> Raised | None:
    given = no_array(facts.message)
    if given is not None:
        return _argument(facts, *given)
    kind = no_input(facts.message)
    if kind:
        return _differentiated(facts, kind)
    returned = no_output(facts.message)
    if returned is not None:
        return _output(*returned)
    return _unsorted(facts) if facts.says("sorting pytree dictionary keys") else None


def _unsorted(facts: Facts) -> Raised | None:
    """A dict whose keys have no order, so that its leaves have none."""
    for each in arguments(facts.spot):
        for path, keys in _keys_in(each.value):
            kinds = tuple(dict.fromkeys(raw.qualname(type(key)) for key in keys))
            if len(kinds) > 1:
                return Raised(
                    function=rewrite.called_name(call_at(facts.spot)),
                    path=f"{each.path}{path}",
                    summary=f"The keys of `{each.path}{path}` are {listed([f'`{kind}`' for kind in kinds])}: "
                    "JAX cannot sort them.",
                    advice="Give all keys of a dict one type, such as `str`.",
                )
    return None


def _keys_in(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """The keys of a dict and of the dicts in it, with their paths."""
    if type(value) is dict:
        yield "", list(value)
        for key, each in value.items():
            if type(key) in (str, int):
                yield from ((f"[{key!r}]{path}", keys) for path, keys in _keys_in(each))


def _argument(facts: Facts, path: str, kind: str) -> Raised:
    name, root = kind.rpartition(".")[2], root_of(path)
    called = rewrite.called_name(call_at(facts.spot)) or "the function"
    if path == "self":
        static = "`@functools.partial(jax.jit, static_argnums=0)`"
        return Raised(
            function=called,
            path=path,
            summary=f"`jax.jit` traces `self`, but `{name}` is no array and no pytree.",
            detail="Static, its arrays become constants of the program, and later changes of them are not seen.",
            advice=f"Write {static}, or make `{name}` a pytree, such as an `equinox.Module`.",
        )
    given = list(arguments(facts.spot))
    if any(each.path == root and is_equinox_module(each.value) for each in given):
        advice = "Write `equinox.filter_jit` in place of `jax.jit`: it traces the arrays, and the rest is static."
    elif path != root and any(each.path == root and _may_be_static(each.value) for each in given):
        advice = f"Make `{root}`, which holds no array, static: `static_argnames=({root!r},)`."
    elif as_pytree := next((_as_pytree(each, path, name, facts.spot) for each in given if each.path == root), ""):
        advice = as_pytree
    elif name == "ndarray":
        advice = f"Encode it as numbers: `np.unique({path}, return_inverse=True)[1]`; or take it out."
    elif path.endswith("]") and path.rpartition("[")[2][:-1].isdigit() and step_up(path) != root:
        advice = f"Take `{step_up(path)}` out of `{root}`; what is needed of it can be a static argument, as a tuple."
    elif path != root:
        advice = f"Take it out of `{root}`, and pass it as an argument of its own with `static_argnames`."
    else:
        advice = f"Make it static: `static_argnames=({path!r},)`; it must have a hash."
    return Raised(
        function=called,
        path=path,
        summary=f"`{path}` is {a_or_an(name)}, and `{called}` traces it: only arrays and numbers can be traced.",
        detail="",
        advice=advice,
    )


def _may_be_static(value: Any) -> bool:
    """Whether a tuple holds functions alone, such as an optimiser of optax: it has a hash."""
    return raw.is_a(value, tuple) and all(type(part) is FunctionType for _, part in parts_of(value))


def _as_pytree(given: PassedArgument, path: str, name: str, spot: Spot | None) -> str:
    """How to make a pytree of an object that holds arrays, which is none; "" for others."""
    kind = value_of(ast.Name(name), spot.frame) if spot is not None else MISSING
    fields = raw.class_attribute(kind, "__dataclass_fields__") if isinstance(kind, type) else None
    rest = path.removeprefix(given.path)
    value = value_of(expression_of(given.text + rest), spot.frame) if spot is not None else MISSING
    values: dict[str, Any] = {} if value is MISSING else raw.attributes(value)
    has_arrays = any(_is_array(part) for of in values.values() for _, part in parts_of(of))
    if not has_arrays and (rest or value is not MISSING or spot is None or not _gets_arrays(given.node, fields, spot)):
        return ""
    if type(fields) is not dict:
        return f"Pass the arrays that it holds; or make `{name}` a pytree, `jax.tree_util.register_pytree_node_class`."
    others = [field for field in fields if not all(map(_may_be_traced, parts_of(values.get(field, 0))))]
    others = others or [field for field, of in fields.items() if of.type in (str, "str")]
    static = "dataclasses.field(metadata={'static': True})"
    but = f", and make {listed([f'`{field}`' for field in others])} static, `{static}`" if others else ""
    return f"Write `@jax.tree_util.register_dataclass` above `@dataclass` of `{name}`{but}: then its arrays are traced."


def _may_be_traced(leaf: tuple[str, Any]) -> bool:
    return _is_array(leaf[1]) or type(leaf[1]) in (int, float, bool, complex)


def _is_array(value: Any) -> bool:
    return bool(aval_of(value)) or raw.qualname(type(value)) == "ndarray"


def _gets_arrays(made: ast.expr, fields: Any, spot: Spot) -> bool:
    """Whether an object that is made in the call holds arrays: by the annotations of its class, or what it gets."""
    types = [field.type for field in fields.values()] if type(fields) is dict else []
    names = [raw.qualname(kind) if isinstance(kind, type) else kind for kind in types]
    arrays = (part for _, value in operands(needed(made), spot.frame) for _, part in parts_of(value))
    return (
        any(type(name) is str and "array" in name.lower() for name in names)
        or any(map(_is_array, arrays))
        or any(rewrite.function_of_module(spot, call)[0] in _MAKE_ARRAYS for call in calls_in(made))
    )


def _differentiated(facts: Facts, kind: str) -> Raised:
    """An argument of a gradient or another transformation outside `jit`."""
    name = kind.rpartition(".")[2]
    found = [
        f"{each.path}{path}"
        for each in arguments(facts.spot)
        for path, part in parts_of(each.value)
        if raw.qualname(type(part)).rpartition(".")[2] == name
    ]
    called = rewrite.called_name(call_at(facts.spot)) or "the function"
    path = found[0] if found else ""
    has_module = any(is_equinox_module(each.value) for each in arguments(facts.spot))
    what = "value_and_grad" if "value_and_grad" in called else "grad"
    return Raised(
        function=called,
        path=path,
        also=tuple(found[1:]),
        summary=f"`{path}` is {a_or_an(name)}, and JAX transforms arrays and numbers only."
        if path
        else f"An argument is {a_or_an(name)}, and JAX transforms arrays and numbers only.",
        advice=f"Write `equinox.filter_{what}` in place of `jax.{what}`: it differentiates by the float arrays alone."
        if has_module and "grad" in called
        else "Take it out of what is transformed, or let the function close over it.",
    )


def a_or_an(name: str) -> str:
    """ "an `int`", "a `str`"."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} `{name}`"


def _output(function: str, component: str, kind: str) -> Raised:
    name = kind.rpartition(".")[2]
    short = function.rpartition("<locals>.")[2]
    path = component if component.startswith("[") else ""
    at = f" at `{path}`" if path else ""
    return Raised(
        function=short,
        path=f"out{path}",
        summary=f"`{short}` returns {a_or_an(name)}{at}; a jitted function can return arrays only.",
        advice="Return the arrays alone, and add the rest outside the jitted function.",
    )
