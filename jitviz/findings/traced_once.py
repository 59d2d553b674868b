"""Values that were drawn while tracing, and so are constants of the program: random numbers, times, files, settings.

In: a `Recording`.  Out: findings, one for each line of a function that drew one, whatever the number of versions.
"""

from collections import defaultdict
from collections.abc import Iterator

from ..model import Compile, Finding
from ..recording import Recording
from ..recording.events import DrawKind, TracedOnce

_NOUNS: dict[DrawKind, str] = {"random": "number", "clock": "time", "outside": "value"}
_IN_JAX = {  # the functions of `jax.random` for those of `np.random` and `random`, and of their generators
    **dict.fromkeys(("standard_normal", "randn", "gauss", "normalvariate"), "normal"),
    **dict.fromkeys(("random", "rand", "random_sample", "sample"), "uniform"),
    **dict.fromkeys(("integers", "randrange", "random_integers"), "randint"),
    **dict.fromkeys(("shuffle", "permuted"), "permutation"),
    **dict.fromkeys(("standard_exponential", "expovariate"), "exponential"),
    **{name: name for name in ("normal", "uniform", "randint", "permutation", "exponential", "choice", "gamma")},
}  # fmt: skip


def find_traced_once(recording: Recording) -> Iterator[Finding]:
    """One finding for each line of a function that drew a value."""
    alike: dict[tuple[str, str, str], list[tuple[Compile, TracedOnce]]] = defaultdict(list)
    for row, event in recording.facts.drawn.values():
        alike[row.lineage, event.name, event.source].append((row, event))
    for found in alike.values():
        rows, (row, event) = [row for row, _ in found], found[-1]
        is_maybe = all(event.is_maybe for _, event in found)
        summary = (
            f"`{event.name}` ran once, while tracing; every hit of `{row.function}` uses the same {_NOUNS[event.kind]}"
        )
        yield Finding.about(
            rows,
            "traced_once",
            summary + "; maybe the program does not depend on it" * is_maybe,
            _advice(event, row.function),
            source=event.source or row.function_info.defined_at,
            count=len(rows),
            is_maybe=is_maybe,
        )


def _advice(event: TracedOnce, function: str) -> str:
    if event.kind == "clock":
        return f"Take the time outside of `{function}`, and pass it as an argument."
    if event.kind == "outside":
        where = f"outside of `{function}`, and pass it as an argument"
        return f"Read it {where} (static, if it decides a shape, a loop or a branch)."
    drawn = event.name.rpartition(".")[2]
    in_jax = f"jax.random.{_IN_JAX[drawn]}" if drawn in _IN_JAX else "jax.random"
    return (
        f"Draw it with `{in_jax}` from a key that is an argument of `{function}`, and pass another key with each call."
    )
