"""Something else where JAX needs a PRNG key, or a key where it needs numbers.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/jax.random.html
"""

import ast

from ...jaxcompat import raw
from ...jaxcompat.origins import aval_of
from ...model.raised import Raised
from .. import rewrite
from ..blame import Blame, blame
from ..calls import PassedArgument, arguments, call_at
from ..facts import Facts
from ..syntax import MISSING, Spot, operands
from .no_array import a_or_an

EXAMPLE = """
def draw(seed):
    return jax.random.normal(seed, (3,))

draw(0)
"""
INSTEAD = EXAMPLE.replace("normal(seed,", "normal(jax.random.key(seed),")

_NO_KEY = ("invalid PRNG key data", "unexpected PRNG key type")
_SEVERAL = "accepts a single key, but was given a key array"
_KEYS = ("key", "rng", "rngs", "seed")
_NUMBERS = ("int", "int32", "int64", "uint32")


def explain(facts: Facts) -> Raised | None:
    if facts.spot is None or not facts.is_a("TypeError", "ValueError"):
        return None
    if facts.says("does not accept dtypes key<"):
        return _computed_with(facts, facts.spot)
    call = call_at(facts.spot)
    given = _key_of(facts.spot, call) if call is not None else None
    if call is None or given is None:
        return None
    if facts.says(*_NO_KEY):
        return _no_key(facts, facts.spot, call, given)
    return _several(facts, facts.spot, call, given) if facts.says(_SEVERAL) else None


def _key_of(spot: Spot, call: ast.Call) -> PassedArgument | None:
    """The argument that should be a key: by its name, or the first of a function of `jax.random`."""
    given = list(arguments(spot, call))
    first = given[:1] if rewrite.function_of_module(spot, call)[0].startswith("jax") else []
    return next(iter([*(each for each in given if each.name in _KEYS), *first]), None)


def _raised(found: Blame, given: PassedArgument, summary: str, advice: str, code: str) -> Raised:
    return Raised(
        function=found.function,
        path=found.path or given.text,
        also=found.paths[1:],
        summary=summary,
        advice=advice,
        code=code,
    )


def _no_key(facts: Facts, spot: Spot, call: ast.Call, given: PassedArgument) -> Raised:
    called, jax = rewrite.called_name(call), rewrite.alias(spot, "jax", "jax")
    type_ = aval_of(given.value)
    kind = raw.type_name(type(given.value)).rpartition(".")[2]
    what = "" if given.value is MISSING else f", but `{given.text}` is {type_ or a_or_an(kind)}"
    advice, code = f"Pass a key, such as `{jax}.random.key(0)`.", ""
    key = next((each for each in arguments(spot, call) if "key<" in aval_of(each.value)), None)
    if key is not None:
        advice = f"Pass `{key.text}` first."
    elif kind in _NUMBERS or type_ in ("i32[]", "i64[]", "u32[]"):
        made = f"{jax}.random.key({given.text})"
        advice, code = f"Make a key from it: `{made}`.", rewrite.with_expression(spot, given.node, made)
    return _raised(blame(facts, given.node), given, f"`{called}` needs a PRNG key{what}.", advice, code)


def _several(facts: Facts, spot: Spot, call: ast.Call, given: PassedArgument) -> Raised:
    called, jax = rewrite.called_name(call), rewrite.alias(spot, "jax", "jax")
    type_ = aval_of(given.value)
    is_ = f" is {type_}" if type_ else " holds several"
    first = f"{given.text}[0]"
    advice = f"Pass one of them, such as `{first}`, or map over all with `{jax}.vmap`."
    summary = f"`{called}` needs one PRNG key, but `{given.text}`{is_}."
    return _raised(blame(facts, given.node), given, summary, advice, rewrite.with_expression(spot, given.node, first))


def _computed_with(facts: Facts, spot: Spot) -> Raised | None:
    found = [text for text, value in operands(spot.node, spot.frame) if "key<" in aval_of(value)]
    if not found:
        return None
    key, jax, code = found[0], rewrite.alias(spot, "jax", "jax"), ""
    advice = f"Make another key with `{jax}.random.split({key})`, or numbers with `{jax}.random.bits({key})`."
    node = spot.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and rewrite.unparse(node.left) == key:
        other = f"{jax}.random.fold_in({key}, {rewrite.unparse(node.right)})"
        advice, code = f"Make another key: `{other}`.", rewrite.with_expression(spot, node, other)
    blamed = blame(facts, node)
    return Raised(
        function=blamed.function,
        path=blamed.path or key,
        also=blamed.paths[1:],
        summary=f"`{key}` is a PRNG key, and JAX computes with numbers only.",
        advice=advice,
        code=code,
    )
