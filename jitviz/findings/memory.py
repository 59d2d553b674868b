"""Memory: what the largest program needs while it runs, what JAX's caches keep alive for each function, and donated
inputs whose buffers were not reused.

In: a `Recording`, or a `Compile`.  Out: sentences; `KeptPrograms`, by lineage; leaves, with a reason and what to do.
Must never: read the text of a program that is small or long, count a version that was cleared or whose function no
longer exists, or report a buffer before the backend has decided about it.

XLA counts inputs, outputs and temporary buffers of an executable; outputs that reuse an input count once:
https://docs.jax.dev/en/latest/_autosummary/jax.stages.Compiled.html.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..jaxcompat.texts import hlo
from ..jaxcompat.texts.array_types import size_of
from ..model import Compile, Leaf, count, has_compiled, hits_seen, listed, size
from ..recording import Recording, unpack
from .once_for_each_log import once_for_each_log
from .program.jaxpr import constants_of
from .program.places import Places

_MUCH = 32e6  # bytes: programs that need less are not worth a sentence,
_SOME, _TIMES = 8e6, 3  # unless their temporary buffers take so many times what goes in and out
_PART = 0.2  # of the whole: what is named
_MORE = 1.25  # times the memory of a program with the same outputs
_MOST_CHARS = 4_000_000  # of HLO: half a second
_MOST_BUFFERS = 2
_MOST_READ_NBYTES = 2_000_000  # of the equations that are read for their constants


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
        named.append(f"{size(memory.temporary)} of temporary buffers{_biggest(recording, largest, memory.temporary)}")
    at = f" at {largest.source}" if largest.source else ""
    return (f"`{largest.function}`{at} needs {size(most)} while it runs: {listed(named)}.{_spared(largest, rows)}",)


def _needs(row: Compile) -> int:
    memory = row.memory
    return 0 if memory is None else memory.argument + memory.output - memory.alias + memory.temporary


def _spared(row: Compile, rows: Sequence[Compile]) -> str:
    """What donating the inputs that outputs could reuse would spare, as another program shows, or as sizes say."""
    if any(leaf.donated for leaf in row.signature.traced):
        return ""
    left, reusable = _arrays(row.outputs), 0
    for leaf in row.signature.traced:
        if left[leaf.dtype, leaf.shape] > 0:
            left[leaf.dtype, leaf.shape] -= 1
            reusable += leaf.nbytes
    if reusable < _PART * _needs(row):
        return ""
    for other in sorted(rows, key=_needs):
        is_donating = any(leaf.donated for leaf in other.signature.traced)
        if is_donating and _arrays(other.outputs) == _arrays(row.outputs) and _needs(row) >= _MORE * _needs(other):
            more = f"{_needs(row) / _needs(other):.1f} times the memory of `{other.function}`"
            return f" That is {more}, which has the same outputs and donates its inputs; here nothing is donated."
    return f" Nothing is donated: `donate_argnums` would let outputs reuse {size(reusable)} of the inputs."


def _arrays(leaves: Sequence[Leaf]) -> Counter[tuple[str | None, tuple[int, ...] | None]]:
    return Counter((leaf.dtype, leaf.shape) for leaf in leaves if leaf.role == "traced")


def _biggest(recording: Recording, row: Compile, of_nbytes: int) -> str:
    """ ", the biggest 4.2 MB (t.py:8) and 2.1 MB (t.py:9)", of the operations that have a buffer of their own. What is
    bigger than all temporary buffers together, `of_nbytes`, is an output or written into another buffer."""
    module, places = read_hlo(recording, row.index)
    insides = hlo.Insides(module)
    found: dict[str, float] = {}
    for instruction in module.computations.get(module.entry, ()):
        chains = [module.chains[frame] for frame, _ in insides.origins(instruction) if module.chains.get(frame)]
        if instruction.opcode not in hlo.UNCOUNTED - hlo.SHELLS and chains:
            place = places.sources[chains[0][-1]]
            if (nbytes := size_of(instruction.type)) <= of_nbytes:
                found[place] = max(found.get(place, 0.0), nbytes)
    biggest = sorted(found.items(), key=lambda item: -item[1])[:_MOST_BUFFERS]
    return f", the biggest {listed([f'{size(nbytes)} at {place}' for place, nbytes in biggest])}" if biggest else ""


def read_hlo(recording: Recording, compile: int) -> tuple[hlo.Module, Places]:
    """The optimised program of a compile; an empty one if it is not known, or so long that somebody would wait."""
    text, places = recording.located(compile, "hlo") or "", Places()
    return hlo.read_module(text if len(text) <= _MOST_CHARS else "", places), places


@dataclass(frozen=True)
class KeptPrograms:
    """What the cache keeps of one function."""

    compiles: tuple[int, ...]  # its versions
    code_nbytes: int  # as far as known
    constants_nbytes: int
    objects: int  # held by static leaves
    unused: int | None  # versions that were not hit again; None if hits are not seen

    @property
    def nbytes(self) -> int:
        return self.code_nbytes + self.constants_nbytes

    def __str__(self) -> str:
        """ "3 versions, 7.2 MB of constants, 3 static objects; 2 were not hit again"."""
        kinds = (("code", self.code_nbytes), ("constants", self.constants_nbytes))
        parts = [count(len(self.compiles), "version")]
        parts += [f"{size(nbytes)} of {name}" for name, nbytes in kinds if nbytes]
        parts += [count(self.objects, "static object")] if self.objects else []
        were = "was" if self.unused == 1 else "were"
        unused = f"; {self.unused:,} {were} not hit again" if self.unused and len(self.compiles) > 1 else ""
        return ", ".join(parts) + unused


@once_for_each_log
def kept_alive(recording: Recording) -> dict[str, KeptPrograms]:
    """What is kept alive at the end of the recording, or now."""
    facts = recording.facts
    held: dict[str, list[Compile]] = defaultdict(list)
    for row in recording.compiles[facts.held_from :]:
        if has_compiled(row) and row.function_info.token not in facts.gone:
            held[row.lineage].append(row)
    hit: dict[str, set[int | None]] = defaultdict(set)  # the versions of each function; None where it is not known
    for call, _ in facts.calls.alike():
        if call.outcome == "hit":
            hit[call.lineage].add(call.version)
    left = _MOST_READ_NBYTES
    kept = {}
    for lineage, rows in held.items():
        constants_nbytes = 0
        for row in rows:
            packed = facts.texts.get((row.index, "equations"), b"")
            if len(packed) <= left:
                left -= len(packed)
                constants_nbytes += _constants_nbytes(packed)
        tokens = {leaf.static.token for row in rows for leaf in row.signature.static if leaf.static}
        are_seen = hits_seen(rows[0].function_info, recording.hits_seen) != "none"
        kept[lineage] = KeptPrograms(
            compiles=tuple(row.index for row in rows),
            code_nbytes=sum(row.memory.generated_code for row in rows if row.memory is not None),
            constants_nbytes=constants_nbytes,
            objects=len(tokens - {None}),
            unused=sum(row.version not in hit[lineage] for row in rows)
            if are_seen and None not in hit[lineage]
            else None,
        )
    return kept


@lru_cache(maxsize=1024)  # a live panel asks repeatedly
def _constants_nbytes(packed: bytes) -> int:
    return sum(constant.nbytes for constant in constants_of(json.loads(unpack(packed)))) if packed else 0


def not_reused(row: Compile) -> Iterator[tuple[Leaf, str, str]]:
    """The donated inputs whose buffers were not reused, each with the reason and the advice."""
    if not row.phases or not has_compiled(row) or row.reused is None:
        return
    outputs: dict[tuple[str | None, tuple[int, ...] | None], list[Leaf]] = {}
    for leaf in row.outputs:
        if leaf.role == "traced":
            outputs.setdefault((leaf.dtype, leaf.shape), []).append(leaf)
    reused, dropped = set(row.reused), set(row.dropped)
    donated = [leaf for leaf in row.signature.traced if leaf.donated]
    # Those of numbers and NumPy arrays too, which are not marked as donated: the user loses nothing of them.
    taken = Counter((leaf.dtype, leaf.shape) for leaf in row.signature.traced if leaf.path in reused)
    for leaf in donated:
        if leaf.path not in reused:
            fitting = outputs.get((leaf.dtype, leaf.shape), [])
            n_left = len(fitting) - taken[leaf.dtype, leaf.shape]
            yield leaf, *_why_not(leaf, fitting, n_left, is_dropped=leaf.path in dropped)


def _why_not(leaf: Leaf, fitting: Sequence[Leaf], n_left: int, *, is_dropped: bool) -> tuple[str, str]:
    if is_dropped:
        why = "the program does not use it, so JAX did not pass it"
        return why, "Do not donate an unused argument, or leave it out of the call."
    if not fitting:
        return (
            "no output has its shape and dtype",
            "Donate only arrays that are returned with the same shape and dtype.",
        )
    if n_left <= 0:
        why = "every output of its shape and dtype reuses the buffer of another donated input"
        return why, "Donate no more arrays of one shape and dtype than are returned."
    if leaf.sharding and all(one.sharding and one.sharding != leaf.sharding for one in fitting):
        why = f"outputs of its shape and dtype are placed elsewhere: {fitting[0].sharding}, not {leaf.sharding}"
        return why, "Give the output the sharding of the input, with `out_shardings`."
    why = "an output has its shape and dtype, but the backend did not reuse the buffer"
    return why, "Check that `jax_debug_nans` is off: while it is set, JAX donates nothing."
