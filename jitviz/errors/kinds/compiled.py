"""A function that was compiled ahead of time or exported, called with other shapes, dtypes or trees.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/aot.html
"""

import re

from ...jaxcompat.texts.error_messages import compiled_with, different_keys, trees_differ
from ...model.raised import Raised
from .. import rewrite
from ..calls import PassedArgument, arguments, call_at
from ..facts import Facts

EXAMPLE = """
step = jax.jit(lambda x: x * 2).lower(jnp.ones(3)).compile()
step(jnp.ones(4))
"""
INSTEAD = EXAMPLE.replace("lower(jnp.ones(3))", "lower(jnp.ones(4))")

_EXPORTED = re.compile(
    r"mismatch for args\[(\d+)\](\S*?)\.(shape|dtype)\S* .*?expected (\(.*?\)|\w+) and called with (\(.*?\)|\w+)"
)
_EXPORTED_SHORT = re.compile(r"mismatch for args\[(\d+)\]")


def explain(facts: Facts) -> Raised | None:
    called = rewrite.called_name(call_at(facts.spot))
    given = list(arguments(facts.spot))
    types = compiled_with(facts.message)
    if types:
        path, before, now = types[0]
        return Raised(
            function=called,
            path=path,
            also=tuple(name for name, *_ in types[1:]),
            summary=f"`{called}` was compiled for `{path}` as {before}, and is called with {now}.",
            advice=_advice(path, before, now),
        )
    tree = trees_differ(facts.message) if facts.says("compiled with input pytree does not match") else None
    if tree is not None:
        path, keys = _user_path(tree[0], given), different_keys(facts.message)
        which = f": they differ in {', '.join(f'`{key}`' for key in keys)}" if keys else ""
        return Raised(
            function=called,
            path=f"{path}[{keys[0]!r}]" if keys else path,
            summary=f"`{called}` was compiled for another tree of `{path}`{which}.",
            advice="Pass the tree that it was compiled with, or lower and compile it again with this one.",
        )
    found = _EXPORTED.search(facts.message) or _EXPORTED_SHORT.search(facts.message)
    if found is not None and facts.is_a("ValueError") and facts.says("expected", "called with"):
        path = _user_path(f"args[{found[1]}]{found[2] if found.re is _EXPORTED else ''}", given)
        types_told = f": {found[3]} {found[4]} then, {found[5]} now" if found.re is _EXPORTED else ""
        return Raised(
            function=called,
            path=path,
            summary=f"The exported function was made for another `{path}`{types_told}.",
            advice="Export it with symbolic shapes, `jax.export.symbolic_shape`, or once for each shape.",
        )
    return None


def _user_path(path: str, given: list[PassedArgument]) -> str:
    found = re.match(r"args\[(\d+)\](.*)", path)
    if found is None or int(found[1]) >= len(given):
        return path
    each = given[int(found[1])]
    return f"{each.path}{found[2]}"


def _advice(path: str, before: str, now: str) -> str:
    if before.partition("[")[2] == now.partition("[")[2]:
        return f"Convert `{path}` to {before.partition('[')[0]} first, or lower and compile again for {now}."
    return f"Lower and compile again for {now}, or call the jitted function itself, which compiles for each shape."
