"""A static argument that cannot be hashed: a list, a dict, an array, an object that holds one or has only `==`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.jit.html, `static_argnums`
"""

import ast
from typing import Any

from ...jaxcompat import raw
from ...jaxcompat.equinox_internals import is_class_of_equinox
from ...jaxcompat.texts.error_messages import object_text, unhashable_type
from ...model.raised import Raised
from .. import rewrite
from ..calls import PassedArgument, arguments, call_at, constant_or_value
from ..facts import Facts
from ..syntax import MISSING, Spot, expression_of, value_of

EXAMPLE = """
@functools.partial(jax.jit, static_argnames=('sizes',))
def net(x, sizes):
    return x * len(sizes)

net(jnp.ones(3), sizes=[2, 4])
"""
INSTEAD = EXAMPLE.replace("[2, 4]", "(2, 4)")

_ARRAYS = ("ndarray", "ArrayImpl")
_ARRAY_OF = {"numpy": "ndarray", "jax.numpy": "ArrayImpl"}
_DEPTH = 4


def explain(facts: Facts) -> Raised | None:
    if not (facts.says("Non-hashable static arguments") or facts.says("unhashable type")) or facts.spot is None:
        return None
    kind = unhashable_type(facts.message).rpartition(".")[2] or facts.message.rpartition("'")[0].rpartition("'")[2]
    if not facts.says("Non-hashable") and not (kind and facts.below):
        return None
    spot, given = _argument(facts, kind)
    field, part = _part(given.value) if given is not None and given.value is not MISSING else _printed(facts, kind)
    path = f"{given.path}{field}" if given is not None else ""
    a = "an" if part[:1].lower() in "aeiou" else "a"
    what = f"`{path}` is static, and" if path else "A static argument is"
    return Raised(
        source=spot.source,
        line=spot.text,
        function=rewrite.called_name(spot.inside(ast.Call)),
        path=path,
        summary=f"{what} {a} `{part}`{'' if path else ', which'} cannot be hashed.",
        detail="A static argument is part of the cache key, by hash and `==`.",
        advice=_advice(part, given, field, spot),
        code=_code(spot, given, part) if not field else "",
    )


def _argument(facts: Facts, kind: str) -> tuple[Spot, PassedArgument | None]:
    """The user's call that passed it, and the argument."""
    for spot in facts.spots:
        for given in arguments(spot):
            value = given.value
            if value is not MISSING and raw.qualname(type(value)).rpartition(".")[2] == kind:
                return spot, given
            if value is MISSING and _is_made(given.node, kind, spot):
                return spot, given
        receiver = _receiver(spot)
        if receiver is not None and _is_made(receiver.node, kind, spot):
            return spot, receiver
    assert facts.spot is not None
    return facts.spot, None


def _receiver(spot: Spot) -> PassedArgument | None:
    """The object whose method the call names, or that is called: its first argument."""
    call = call_at(spot)
    called = call.func if call is not None else None
    of = called.value if isinstance(called, ast.Attribute) else called
    return PassedArgument("self", of, constant_or_value(of, spot), 0) if of is not None else None


def _is_made(node: ast.expr, kind: str, spot: Spot) -> bool:
    """Whether an expression is, or makes, an object of a class."""
    value = value_of(node, spot.frame)
    if value is not MISSING:
        return raw.qualname(type(value)).rpartition(".")[2] == kind
    module = rewrite.function_of_module(spot, node)[0]
    return _literal(node) == kind or _ARRAY_OF.get(module, "") == kind


def _literal(node: ast.expr) -> str:
    kinds = {ast.List: "list", ast.Dict: "dict", ast.Set: "set", ast.ListComp: "list", ast.DictComp: "dict"}
    called = rewrite.called_name(node).rpartition(".")[2]
    return kinds.get(type(node), called or "")


def _part(value: Any, depth: int = _DEPTH) -> tuple[str, str]:
    """The part of a value that cannot be hashed, as (path, class)."""
    kind = type(value)
    name = raw.qualname(kind).rpartition(".")[2]
    if raw.class_attribute(kind, "__hash__") is None or name in _ARRAYS or not depth:
        return "", name
    fields = raw.attributes(value) if kind not in (tuple, frozenset) else {}
    items = {f".{key}": part for key, part in fields.items()} | {
        f"[{at}]": part for at, part in enumerate(raw.items_of(value) if kind is tuple else ())
    }
    for label, part in items.items():
        if type(part) is not kind and (raw.class_attribute(type(part), "__hash__") is None or _is_array(part)):
            return label, raw.qualname(type(part)).rpartition(".")[2]
    for label, part in items.items():
        if type(part) is tuple or raw.class_attribute(type(part), "__dataclass_fields__") is not None:
            inner, its = _part(part, depth - 1)
            if inner:
                return label + inner, its
    return "", name


def _printed(facts: Facts, kind: str) -> tuple[str, str]:
    """The same from the object as JAX prints it: "C(sizes=[1])"."""
    text = object_text(facts.message)
    tree = expression_of(text) if text else None
    for keyword in tree.keywords if isinstance(tree, ast.Call) else ():
        if keyword.arg and (part := _literal(keyword.value)) in ("list", "dict", "set", "array", "Array"):
            return f".{keyword.arg}", {"array": "ndarray", "Array": "ArrayImpl"}.get(part, part)
    return "", kind


def _is_array(value: Any) -> bool:
    return raw.qualname(type(value)) in _ARRAYS


def _advice(part: str, given: PassedArgument | None, field: str, spot: Spot) -> str:
    if part in _ARRAYS:
        name = given.name if given else ""
        return f"Leave `{name}` out of the static arguments: arrays are traced." if name and not field else (
            "Make it traced, as arrays should be, or pass a tuple of its values.")  # fmt: skip
    if part == "dict":
        return "Pass `tuple(sorted(d.items()))`, and begin the function with `d = dict(d)`; or pass a frozen dataclass."
    if part in ("list", "set", "bytearray"):
        return f"Make `{given.path}{field}` a tuple." if field and given is not None else "Pass a tuple."
    if given is not None and is_class_of_equinox(_class(given, spot)):
        return "Write `equinox.filter_jit` in place of `jax.jit`, and leave it traced."
    if given is not None and raw.class_attribute(_class(given, spot), "__dataclass_fields__") is not None:
        return f"Write `@dataclass(frozen=True)` above `{part}`: then its fields make the hash."
    fields = "of the same fields as its `__eq__` (an array's `.tobytes()`)"
    return f"Give `{part}` a `__hash__` {fields}, and do not change them."


def _class(given: PassedArgument, spot: Spot) -> type:
    """The class of an argument, or the class that it calls; `object` where it is not known."""
    value = given.value
    kind = type(value) if value is not MISSING else None
    if kind is None and isinstance(given.node, ast.Call):
        kind = value_of(given.node.func, spot.frame)
    return kind if isinstance(kind, type) else object


def _code(spot: Spot, given: PassedArgument | None, part: str) -> str:
    if given is None or part not in ("list", "set"):
        return ""
    old = given.text
    new = f"tuple({old})" if part == "list" else f"tuple(sorted({old}))"
    if isinstance(given.node, ast.List):
        new = ast.unparse(ast.Tuple(given.node.elts, ast.Load()))
    return rewrite.with_expression(spot, given.node, new)
