"""Lines that make a trace slow: Python and NumPy that run at trace time, and library functions.

In: a `Recording` and what its sampler saw.  Out: `SlowLine`s, by function, most seconds first.

Equations do not show such lines, since slow Python leaves none. Time in programs that compile on their own inside a
trace (`op_by_op`) is not tracing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TypeVar

from ..model import Compile
from ..model.quantities import count, seconds
from ..recording import Recording
from .accounting import traces_seen

T = TypeVar("T")
_LEAST_S = 0.5
_LEAST_SHARE = 0.02  # of the wall time
_STANDS_OUT = 0.25  # of all tracing of the function
_MOST = 3  # lines of one function


@dataclass
class SlowLine:
    """A line of user code: the functions that it was seen `inside` and the stacks of `callers`, each with seconds."""

    source: str
    seconds: float = 0.0
    inside: Counter[str] = field(default_factory=Counter)
    callers: Counter[tuple[str, ...]] = field(default_factory=Counter)
    rows: dict[int, Compile] = field(default_factory=dict)

    def tell(self, function: str, of_s: float) -> str:
        """ "tracing `step` took 6.0 s, 5.1 s of that at `model.py:12` in `numpy.sort`, called from `train.py:7`"."""
        called_at = {row.source for row in self.rows.values()}
        name, callers = _most(self.inside), _most(self.callers)
        often = f" {count(len(self.rows), 'time')}" if len(self.rows) > 1 else ""
        within = f" in `{name}`" if name else ""
        by = f", called from `{callers[0]}`" if callers and callers[0] not in called_at else ""
        return (
            f"tracing `{function}`{often} took {seconds(of_s)}, {seconds(self.seconds)} of that at "
            f"`{self.source}`{within}{by}"
        )

    @property
    def advice(self) -> str:
        """What to do, which depends on the function that the line is in."""
        name = _most(self.inside) or ""
        package = name.partition(".")[0]
        if not name or package == "numpy":
            what = f"`{name}` runs" if name else "Python and NumPy run"
            return (
                f"{what} again at every trace: compute the result once, outside the jitted function, and pass it; "
                "write loops over arrays with `jax.lax.scan` or `jax.vmap`."
            )
        if package in ("jax", "jnp", "x"):
            return (
                f"Every call of `{name}` is traced separately: call it once on one larger array, or write the loop "
                "around it with `jax.lax.scan` or `jax.vmap`."
            )
        return (
            f"`{name}` runs in Python at every trace: call it outside the jitted function if it needs no traced value, "
            "or once on fewer, larger arrays."
        )


def find_slow_lines(recording: Recording, told: set[int]) -> dict[str, tuple[float, list[SlowLine]]]:
    """By lineage, the seconds of all tracing and the lines that stand out, without the compiles in `told`."""
    total: dict[str, float] = defaultdict(float)
    lines: dict[str, dict[str, SlowLine]] = defaultdict(dict)
    for row, spent_s, seen in traces_seen(recording):
        if row.index in told:
            continue
        total[row.lineage] += spent_s
        for sample, seen_s in seen:
            line = lines[row.lineage].setdefault(sample.source, SlowLine(sample.source))
            line.seconds += seen_s
            line.inside[sample.seen.inside] += seen_s  # type: ignore[assignment]  # Counter of floats
            line.callers[sample.seen.callers] += seen_s  # type: ignore[assignment]
            line.rows[row.index] = row
    least_s = max(_LEAST_S, _LEAST_SHARE * recording.facts.wall_s)
    found = {}
    for lineage, mine in lines.items():
        enough_s = max(least_s, _STANDS_OUT * total[lineage])
        longest = sorted((line for line in mine.values() if line.seconds >= enough_s), key=lambda line: -line.seconds)
        if longest:
            found[lineage] = total[lineage], longest[:_MOST]
    return found


def _most(counts: Counter[T]) -> T | None:
    ((most, _),) = counts.most_common(1) or ((None, 0),)
    return most
