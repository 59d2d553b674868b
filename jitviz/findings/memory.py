"""How much memory the largest program needs while it runs, of what, and what of it donating would spare.

In: a `Recording`.  Out: a sentence, or none where the largest program is small.
Must never: read the text of a program that is small or long.

XLA counts inputs, outputs and temporary buffers of an executable; outputs that reuse an input count once:
https://docs.jax.dev/en/latest/_autosummary/jax.stages.Compiled.html.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..jaxcompat.texts import hlo
from ..jaxcompat.texts.array_types import size_of
from ..model import Compile, Leaf
from ..model.counting import has_compiled
from ..model.quantities import listed, size
from ..recording import Recording
from .cache import once_for_each_log
from .program.places import Places

_MUCH = 32e6  # bytes: programs that need less are not worth a sentence,
_SOME, _TIMES = 8e6, 3  # unless their temporary buffers take so many times what goes in and out
_PART = 0.2  # of the whole: what is named
_MORE = 1.25  # times the memory of a program with the same outputs
MOST_CHARS = 4_000_000  # of a text that is read
_MOST_BUFFERS = 2


@once_for_each_log
def tell_memory(recording: Recording) -> tuple[str, ...]:
    """ "`step` at t.py:9 needs 50 MB while it runs: 25 MB of inputs, 25 MB of outputs. Nothing is donated, …"."""
    rows = [row for row in recording.compiles if has_compiled(row) and row.memory is not None]
    largest = max(rows, key=_needs, default=None)
    if largest is None or largest.memory is None:
        return ()
    most, memory = _needs(largest), largest.memory
    if most < _MUCH and memory.temporary < max(_SOME, _TIMES * (most - memory.temporary)):
        return ()
    parts = (memory.argument, "of inputs"), (memory.output - memory.alias, "of outputs")
    named = [f"{size(nbytes)} {what}" for nbytes, what in parts if nbytes >= _PART * most]
    if memory.temporary >= _PART * most:
        named.append(f"{size(memory.temporary)} of temporary buffers{_biggest(recording, largest)}")
    at = f" at {largest.source}" if largest.source else ""
    return (f"`{largest.function}`{at} needs {size(most)} while it runs: {listed(named)}.{_spared(largest, rows)}",)


def _needs(row: Compile) -> int:
    memory = row.memory
    return 0 if memory is None else memory.argument + memory.output - memory.alias + memory.temporary


def _spared(row: Compile, rows: Sequence[Compile]) -> str:
    """What donating the inputs that outputs could reuse would spare, as another program shows, or as sizes say."""
    if any(leaf.donated for leaf in row.signature.traced):
        return ""
    reusable = sum(leaf.nbytes for leaf in _reusable(row))
    if reusable < _PART * _needs(row):
        return ""
    for other in sorted(rows, key=_needs):
        is_donating = any(leaf.donated for leaf in other.signature.traced)
        if is_donating and _arrays(other.outputs) == _arrays(row.outputs) and _needs(row) >= _MORE * _needs(other):
            more = f"{_needs(row) / _needs(other):.1f} times the memory of `{other.function}`"
            return f" That is {more}, which has the same outputs and donates its inputs; here nothing is donated."
    return f" Nothing is donated: `donate_argnums` would let outputs reuse {size(reusable)} of the inputs."


def _reusable(row: Compile) -> Iterator[Leaf]:
    """The inputs for which there is an output of the same shape and dtype."""
    left = _arrays(row.outputs)
    for leaf in row.signature.traced:
        if left[leaf.dtype, leaf.shape] > 0:
            left[leaf.dtype, leaf.shape] -= 1
            yield leaf


def _arrays(leaves: Sequence[Leaf]) -> Counter[tuple[str | None, tuple[int, ...] | None]]:
    return Counter((leaf.dtype, leaf.shape) for leaf in leaves if leaf.role == "traced")


def _biggest(recording: Recording, row: Compile) -> str:
    """ ", the biggest 4.2 MB (t.py:8) and 2.1 MB (t.py:9)", of the operations that have a buffer of their own."""
    text = recording.located(row.index, "hlo") or ""
    if not text or len(text) > MOST_CHARS:
        return ""
    places = Places()
    module = hlo.read_module(text, places)
    insides, files = hlo.Insides(module), list(places.files)
    found: dict[str, float] = {}
    for one in module.computations.get(module.entry, ()):
        chains = [module.chains[frame] for frame, _ in insides.origins(one) if module.chains.get(frame)]
        if one.opcode not in hlo.UNCOUNTED - hlo.SHELLS and chains:
            file, line = places.line(chains[0][-1])
            place = f"{files[file]}:{line}"
            found[place] = max(found.get(place, 0.0), size_of(one.type))
    biggest = sorted(found.items(), key=lambda item: -item[1])[:_MOST_BUFFERS]
    return f", the biggest {listed([f'{size(nbytes)} at {place}' for place, nbytes in biggest])}" if biggest else ""
