"""Lines that make a trace slow and could run outside it: Python and NumPy.

In: a `Recording` and what its sampler saw.  Out: `SlowLine`s, by function, most seconds first.

Equations do not show such lines, since slow Python leaves none. Time in programs that compile on their own inside a
trace (`op_by_op`) is not tracing.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..model import Compile, count, seconds
from ..recording import Recording
from .accounting import traces_seen

T = TypeVar("T")
_LEAST_S = 0.5
_LEAST_SHARE = 0.02  # of the wall time
_STANDS_OUT = 0.25  # of all tracing of the function
_MOST = 3  # lines of one function


@dataclass
class SlowLine:
    """A line of user code where a function was seen while it was traced; all beneath it if it traced `again`, which is
    the name of what it traced with equal inputs, and how often."""

    source: str
    again: tuple[str, int] | None = None
    seconds: float = 0.0
    inside: Counter[str] = field(default_factory=Counter)  # functions that it was seen in, with seconds
    callers: Counter[tuple[str, ...]] = field(default_factory=Counter)  # stacks above it, with seconds
    rows: dict[int, Compile] = field(default_factory=dict)  # by index
    beneath: Counter[str] = field(default_factory=Counter)  # the innermost lines, with seconds

    def tell(self, function: str, of_s: float) -> str:
        """ "tracing `step` took 6.0 s, 5.1 s of that at `model.py:12` in `numpy.sort`, called from `train.py:7`"."""
        called_at = {row.source for row in self.rows.values()}
        name, callers = _most(self.inside), _most(self.callers)
        often = f" {count(len(self.rows), 'time')}" if len(self.rows) > 1 else ""
        if self.again is not None:
            (what, n), most = self.again, _most(self.beneath)
            each = seconds(self.seconds / n / max(1, len(self.rows)))
            within = f", most of it at `{most}`" if most != self.source else ""
            where = (
                f"beneath `{self.source}`, where {what} was traced {n:,} times with equal inputs, {each} each{within}"
            )
        else:
            by = f", called from `{callers[0]}`" if callers and callers[0] not in called_at else ""
            where = f"at `{self.source}`{f' in `{name}`' if name else ''}{by}"
        return f"tracing `{function}`{often} took {seconds(of_s)}, {seconds(self.seconds)} of that {where}"

    @property
    def advice(self) -> str:
        """What to do."""
        if self.again is not None:
            return "JAX keeps a trace for each function object: define and jit the function once, outside what repeats."
        name, loops = _most(self.inside) or "", "with `jax.lax.scan` or `jax.vmap`"
        again = f"{f'`{name}` runs' if name else 'Python and NumPy run'} again at every trace"
        once = "compute what no traced argument decides once, outside the jitted function, and pass it"
        return f"{again}: {once}; write loops over arrays {loops}."

    @property
    def saves_s(self) -> float:
        """All of it, or all but one of the traces."""
        return self.seconds if self.again is None else self.seconds * (1 - 1 / self.again[1])

    @property
    def can_be_moved(self) -> bool:
        """Whether the line could run outside: Python and NumPy take no traced values, which libraries of JAX's do. What
        such a library traces again is its own to define once. Beneath the line that called the jitted function and in
        nothing of the user's, JAX works: on a backward pass, say."""
        if self.again is None:
            inside = _most(self.inside)
            is_jax = not inside and self.source in {row.source for row in self.rows.values()}
            return not is_jax and (inside or "numpy").partition(".")[0] == "numpy"
        libraries = Counter({name: spent for name, spent in self.inside.items() if name not in ("", "gc")})
        return (_most(libraries) or "jax").partition(".")[0] in ("jax", "jnp", "numpy")


def find_slow_lines(
    recording: Recording, covered: set[int], again: Mapping[str, Mapping[str, tuple[str, int]]]
) -> dict[str, tuple[float, list[SlowLine]]]:
    """By lineage, the seconds of all tracing and the lines that stand out, without the compiles in `covered`. `again`
    are the lines that traced a function several times with equal inputs, by lineage: they take what is beneath them."""
    total: dict[str, float] = defaultdict(float)
    lines: dict[str, dict[str, SlowLine]] = defaultdict(dict)
    for row, spent_s, seen in traces_seen(recording):
        if row.index in covered:
            continue
        total[row.lineage] += spent_s
        for sample, seen_s in seen:
            repeats = again.get(row.lineage, {})
            stack = (sample.source, *sample.seen.callers)
            source = next((place for place in stack if place in repeats), sample.source)
            line = lines[row.lineage].setdefault(source, SlowLine(source, repeats.get(source)))
            line.beneath[sample.source] += seen_s  # type: ignore[assignment]  # Counter of floats
            line.seconds += seen_s
            line.inside[sample.seen.inside] += seen_s  # type: ignore[assignment]
            line.callers[sample.seen.callers] += seen_s  # type: ignore[assignment]
            line.rows[row.index] = row
    least_s = max(_LEAST_S, _LEAST_SHARE * recording.facts.wall_s)
    slow = {}
    for lineage, by_source in lines.items():
        enough_s = max(least_s, _STANDS_OUT * total[lineage])
        longest = sorted(by_source.values(), key=lambda line: -line.seconds)[:_MOST]
        slow[lineage] = total[lineage], [line for line in longest if line.seconds >= enough_s and line.can_be_moved]
    return slow


def _most(counts: Counter[T]) -> T | None:
    ((most, _),) = counts.most_common(1) or ((None, 0),)
    return most
