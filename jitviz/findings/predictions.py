"""What a call would be after what was recorded, and why: a hit, or a compile.

In: the misses so far, and that of the call, or the array types of its leaves.  Out: `Prediction`.
Must never: guess: what cannot be known is "unknown".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..model import SHORT_DTYPES, Compile, Leaf, Reason, array_type, has_compiled, seconds
from ..model.printable import Readable
from ..model.rows import Miss
from ..reasons import Explainer
from ..recording import Recording, RefusedError

_WHOLE = {short: whole for whole, short in SHORT_DTYPES.items()}


@dataclass(frozen=True, repr=False)
class Prediction(Readable):
    """`outcome` is what the call would be. `version` is the one that it would run, counted from 1 as in a recording.

    `reasons` say why it would compile, the cause first, or why nothing is known; a hit has none. `seconds` estimates
    tracing, lowering and compiling by the version that the call is compared with: 0 for a hit, None without one.
    """

    outcome: Literal["hit", "trace", "compile", "unknown"]
    version: int | None = None
    reasons: tuple[Reason, ...] = ()
    seconds: float | None = None

    def __str__(self) -> str:
        if self.outcome == "hit":
            return f"hit: version {self.version} runs"
        head = f"compile: it would be version {self.version}" if self.outcome == "compile" else self.outcome
        spent = f", in about {seconds(self.seconds)}" if self.seconds is not None else ""
        lines = [f"{head}{spent}", *(f"  {reason.summary}" for reason in self.reasons)]
        return "\n".join(lines)


def judge(misses: Sequence[Miss], rows: Sequence[Compile], call: Miss) -> Prediction:
    """What a call that would cause a miss is, after these misses, whose rows as they are now are given."""
    explainer = Explainer(dropped=lambda number: rows[number].dropped)
    for miss in misses:
        explainer.add(miss)
    outcome, number = explainer.expect(call)
    if number is not None and not has_compiled(rows[number]):
        return unknown("it was traced, and the result of that is not known")
    if number is not None:
        return Prediction("hit", rows[number].version, seconds=0.0)
    if outcome == "unknown":
        is_warm = call.is_warm and not rows
        return unknown(
            "it was compiled before jitviz started to watch"
            if is_warm
            else "only the `__eq__` of a static value can tell, and jitviz does not call it"
        )
    reasons = explainer.explain(call)
    nearest = explainer.compared_with(len(rows))
    version = 1 + max((row.version for row in rows), default=0)
    if reasons[0].kind == "first":
        reasons = (replace(reasons[0], summary="It has no compiled version yet."),)
    return Prediction("compile", version, reasons, rows[nearest].duration_s if nearest is not None else None)


def unknown(why: str) -> Prediction:
    return Prediction("unknown", reasons=(Reason("unexplained", "", "", "", f"This cannot be known: {why}."),))


def predict_types(recording: Recording, row: Compile, types: Mapping[str, str]) -> Prediction:
    """What a call like that of this version would be, with other types of these leaves: {"x": "f32[104,2]"}."""
    leaves = {leaf.path: leaf for leaf in row.signature.leaves}
    for path, text in types.items():
        if path not in leaves or leaves[path].role != "traced":
            known = ", ".join(leaf.path for leaf in leaves.values() if leaf.role == "traced")
            raise RefusedError(f"{row.function} has no traced leaf {path}; it has {known or 'none'}")
        leaves[path] = _with_type(leaves[path], text)
    call = Miss(row.function_info, replace(row.signature, leaves=tuple(leaves.values())), transform=row.transform)
    misses = [miss for miss in recording.facts.misses if miss.lineage == row.lineage]
    return judge(misses, list(map(recording.facts.newest, misses)), call)


def _with_type(leaf: Leaf, text: str) -> Leaf:
    is_weak, (short, bracket, rest) = text.startswith("weak "), text.removeprefix("weak ").partition("[")
    axes = [axis.strip() for axis in rest.removesuffix("]").split(",") if axis.strip()]
    if not (bracket and rest.endswith("]") and short.isidentifier() and all(axis.isdecimal() for axis in axes)):
        raise RefusedError(f"{text!r} is no array type. Write f32[104,2], or weak i32[].")
    shape, kind = tuple(map(int, axes)), short.rstrip("0123456789")
    dtype = _WHOLE.get(kind, kind) + short.removeprefix(kind)
    return replace(leaf, shape=shape, dtype=dtype, weak_type=is_weak, repr=array_type(dtype, shape))
