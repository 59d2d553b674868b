"""Shardings and other prefix trees that do not fit the tree of an argument or output, or do not divide it.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/pytrees.html
"""

import re

from ...jaxcompat.texts.error_messages import different_keys, indivisible, prefix_path
from ...model import count
from ...model.raised import Raised
from ..calls import Argument, arguments
from ..facts import Facts

EXAMPLE = """
device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
step = jax.jit(lambda state: state, in_shardings=({'w': device},))
step({'w': jnp.ones(3), 'b': jnp.ones(3)})
"""
INSTEAD = """
device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
step = jax.jit(lambda state: state, in_shardings=({'w': device, 'b': device},))
step({'w': jnp.ones(3), 'b': jnp.ones(3)})
"""

_KINDS = re.compile(r"has a subtree of type\s+(?:<class ')?([\w.<>]+?)(?:'>|\s|$)")
_FULL = re.compile(r"full pytree has a subtree of (?:different type|type)\s+(?:<class ')?([\w.<>]+?)(?:'>|\s|$)")
_LENGTHS = re.compile(r"of length (\d+)[\s\S]*?of length (\d+)")


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("ValueError", "IndivisibleError"):
        return None
    if facts.is_a("IndivisibleError") or facts.says("should be divisible by", "should evenly divide"):
        return _indivisible(facts)
    if not facts.says("pytree structure error", "must be a tree prefix") or not facts.says("shardings", "prefix"):
        return None
    at = prefix_path(facts.message)
    name = at.partition("[")[0] or "The prefix"
    path = _path(at, list(arguments(facts.spot)))
    keys = different_keys(facts.message)
    prefix, full, lengths = _KINDS.search(facts.message), _FULL.search(facts.message), _LENGTHS.search(facts.message)
    subject = f"`{path}`" if path else "the outputs"
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
        path=f"{path}[{keys[0]!r}]" if keys and path else path or at,
        summary=summary,
        detail=f"The prefix is `{at}`." if at else "",
        advice=f"Build `{name}` from the tree, `jax.tree.map(lambda _: sharding, tree)`, or give one for all of it.",
    )


def _short(kind: str) -> str:
    return kind.rpartition(".")[2]


def _path(at: str, given: list[Argument]) -> str:
    """The user's leaf for a path of `in_shardings`; "" for the outputs."""
    if not at.startswith("in_"):
        return f"out{at.partition('[')[1]}{at.partition('[')[2]}" if "[" in at else ""
    number, _, rest = at.partition("[")[2].partition("]")
    if number.isdigit() and int(number) < len(given):
        each = given[int(number)]
        return f"{each.path}{rest}"
    return at


def _indivisible(facts: Facts) -> Raised | None:
    found = indivisible(facts.message)
    sizes = re.search(r"partitioned (\d+) times.*?size is (\d+)", facts.message) or re.search(
        r"divisible by (\d+).*?equal to (\d+)", facts.message
    )
    axis = re.search(r"axis (\d+) is partitioned|dimension (\d+) should", facts.message)
    if sizes is None:
        return None
    given = list(arguments(facts.spot))
    path = found[1] if found is not None else given[0].path if len(given) == 1 else ""
    which = (axis[1] or axis[2]) if axis else "0"
    name = f"`{path}`" if path else "an array"
    return Raised(
        path=path,
        summary=f"Axis {which} of {name} has {sizes[2]} entries, which {sizes[1]} devices cannot share equally.",
        advice=f"Pad the axis to a multiple of {sizes[1]}, or do not split it: None in its `PartitionSpec`.",
    )
