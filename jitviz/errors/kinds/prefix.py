"""Trees that do not fit together: those of `jax.tree.map`, and shardings and other prefixes of an argument or output.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/pytrees.html
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ...jaxcompat.texts.error_messages import different_keys, prefix_path
from ...model import count
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import PassedArgument, arguments, call_at
from ..facts import ErrorFrame, Facts
from ..syntax import MISSING, Spot

EXAMPLE = """
device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
step = jax.jit(lambda state: state, in_shardings=({'w': device},))
step({'w': jnp.ones(3), 'b': jnp.ones(3)})
"""
INSTEAD = EXAMPLE.replace("({'w': device},)", "({'w': device, 'b': device},)")

_KINDS = re.compile(r"has a subtree of type\s+(?:<class ')?([\w.<>]+?)(?:'>|\s|$)")
_FULL = re.compile(r"full pytree has a subtree of (?:different type|type)\s+(?:<class ')?([\w.<>]+?)(?:'>|\s|$)")
_OPTION = re.compile(r"\b(?:in|out)_shardings\b")
_LENGTHS = re.compile(r"of length (\d+)[\s\S]*?of length (\d+)")


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("ValueError"):
        return None
    mapped = next((trees for step in _may_map(facts) if (trees := _mapped(facts.spot_of(step)))), [])
    differing = _difference(mapped)
    if differing is not None:
        return _of_map(facts, *differing)
    if not facts.says("pytree structure error", "must be a tree prefix") or not facts.says("shardings", "prefix"):
        return None
    at = prefix_path(facts.message)
    written = _OPTION.search(facts.message)
    name = at.partition("[")[0] or (written[0] if written is not None else "")
    if not name:
        return None
    path = _path(at, list(arguments(facts.spot)))
    keys = different_keys(facts.message)
    prefix, full, lengths = _KINDS.search(facts.message), _FULL.search(facts.message), _LENGTHS.search(facts.message)
    subject = f"`{path}`" if path else "the arguments" if name == "in_shardings" else "the outputs"
    if keys:
        which = ", ".join(f"`{key}`" for key in keys)
        summary = f"`{name}` does not fit the tree of {subject}: they differ in {which}."
    elif prefix is not None and full is not None and prefix[1] != full[1]:
        summary = f"`{name}` was built for a `{_short(prefix[1])}` at {subject}, which is a `{_short(full[1])}` now."
    elif lengths is not None:
        summary = f"`{name}` has {count(int(lengths[1]), 'entry')} for the {lengths[2]} of {subject}."
    else:
        summary = f"`{name}` does not fit the tree of {subject}."
    return Raised(
        path=f"{path}[{keys[0]!r}]" if keys and path else path or at or name,
        summary=summary,
        detail=f"The prefix is `{at}`." if at else "",
        advice=f"Build `{name}` from the tree, `jax.tree.map(lambda _: sharding, tree)`, or give one for all of it.",
    )


def _may_map(facts: Facts) -> Iterator[ErrorFrame]:
    """The frames that may have called `jax.tree.map`, innermost first: the user's, and those above its own."""
    for step, called in reversed(list(pairwise((*facts.steps, *facts.steps[-1:])))):
        if step.owner == "user" or called.frame.f_code.co_name in ("map", "tree_map"):
            yield step


def _mapped(spot: Spot) -> list[PassedArgument]:
    """The trees that a call of `jax.tree.map` got, in a frame of the user's or of a library."""
    call = call_at(spot)
    is_map = rewrite.called_name(call).endswith(("tree.map", "tree_map"))
    trees = (
        [each for each in arguments(spot, call) if each.position > 0 and each.value is not MISSING] if is_map else []
    )
    return trees if len(trees) > 1 else []


def _difference(trees: list[PassedArgument]) -> tuple[str, PassedArgument, PassedArgument, str] | None:
    """(path, the tree that has it, the one that has not, a path that only this one has)."""
    first = {path: part for path, part in parts_of(trees[0].value) if part is not None} if trees else {}
    for tree in trees[1:]:
        other = dict(parts_of(tree.value))
        missing = [path for path in first if not _has(other, path)]
        extra = [path for path in other if not any(path.startswith(each) for each in first) and not _has(first, path)]
        if missing:
            return missing[0], trees[0], tree, extra[0] if extra else ""
        if extra:
            return extra[0], tree, trees[0], ""
    return None


def _has(tree: dict[str, Any], path: str) -> bool:
    """Whether a tree has a leaf at a path, or a subtree."""
    return any(each == path or each.startswith((f"{path}[", f"{path}.")) for each in tree)


def _of_map(facts: Facts, path: str, having: PassedArgument, lacking: PassedArgument, extra: str) -> Raised:
    called = rewrite.called_name(call_at(facts.spot)) or "jax.tree.map"
    is_users = called.endswith(("tree.map", "tree_map"))
    passed = [each.text for each in arguments(facts.spot) if _has(dict(parts_of(each.value)), path)]
    owner = having.text if is_users else next(iter(passed), "")
    which = (f"`{having.text}`", f"`{lacking.text}`") if is_users else ("one", "the other")
    return Raised(
        function=called,
        path=f"{owner}{path}",
        summary=f"`{called}` needs trees of one structure, but `{path}` is in {which[0]} and not in {which[1]}.",
        detail=f"{which[1].capitalize() if not is_users else which[1]} has `{extra}` instead." if extra else "",
        advice="Give all trees the same keys, lengths and containers; None is a container without entries."
        if is_users
        else f"Pass `{called}` trees of one structure; an optimizer's state is made by `init` of the same parameters.",
    )


def _short(kind: str) -> str:
    return kind.rpartition(".")[2]


def _path(at: str, given: list[PassedArgument]) -> str:
    """The user's leaf for a path of `in_shardings`; "" for the outputs."""
    if not at.startswith("in_"):
        return f"out{at.partition('[')[1]}{at.partition('[')[2]}" if "[" in at else ""
    number, _, rest = at.partition("[")[2].partition("]")
    if number.isdigit() and int(number) < len(given):
        each = given[int(number)]
        return f"{each.path}{rest}"
    return at
