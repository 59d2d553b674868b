"""Arguments of one call on devices or meshes that do not fit together.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/faq.html#controlling-data-and-computation-placement-on-devices
"""

from ...jaxcompat.texts.error_messages import devices_of
from ...model.raised import Raised
from ..facts import Facts
from .shapes import named_arrays


def explain(facts: Facts) -> Raised | None:
    if not facts.says("incompatible devices for jitted computation"):
        return None
    given = devices_of(facts.message)
    if len(given) < 2:
        return None
    (one, function, _, ids), (other, _, _, its) = given[0], given[-1]
    short = function.rpartition("<locals>.")[2]
    if facts.spot is not None and "<" not in short and one in ("x", "y"):  # an operation of jax.numpy
        names = [text for text, _ in named_arrays(facts.spot)]
        one, other = (names[0], names[-1]) if len(names) > 1 else (one, other)
    return Raised(
        function=short,
        path=other,
        also=(one,),
        summary=f"`{one}` is on device {_ids(ids)}, but `{other}` is on {_ids(its)}: `{short}` cannot use both.",
        detail="Arrays that `jax.device_put` placed stay where they are.",
        advice=f"Move one: `jax.device_put({other}, {one}.sharding)`." if other.isidentifier() and one.isidentifier()
        else f"Move `{other}` to the devices of `{one}`, with `jax.device_put`.",
    )  # fmt: skip


def _ids(ids: str) -> str:
    inner = ids.strip("[]")
    return inner if "," not in inner else ids
