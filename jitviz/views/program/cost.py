"""The Cost tab: the cost of one compiled version, its constants, and what lowering did to its inputs and outputs.

In: a `Recording` and the number of a compile.  Out: `ProgramFacts`.
Must never: give a cause that the recording does not show; if several are possible, it says what is known.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ...findings.memory import kept_alive, not_reused
from ...findings.on_disk import tell_missed
from ...findings.program.jaxpr import LARGE_NBYTES, Constant, constants_of
from ...model import Compile, Cost, Leaf, size, steps_to
from ...recording import Recording
from ..schema import Alike, LostInput, ProgramFacts
from ..screen_limits import NAME_CHARS, PANEL, SENTENCE_CHARS
from ..words import aval, plain, plain_path, runs, tell_flops, tell_moved
from .inputs_outputs import leaves_of_inputs, leaves_of_outputs
from .texts import compile_of

_MOST_NAMED = 3


def shape_facts(recording: Recording, compile: int) -> ProgramFacts:
    """Gather what is known of a compiled version as a whole.

    Raises:
        LookupError: there is no such compile; the message is a sentence for people.
    """
    row = compile_of(recording, compile)
    program: dict[str, Any] = json.loads(recording.located(compile, "equations") or "{}")
    constants = [
        replace(constant, name=plain(constant.name, NAME_CHARS), aval=plain(constant.aval, NAME_CHARS))
        for constant in constants_of(program)
    ]
    nbytes = sum(constant.nbytes for constant in constants)
    inputs = row.signature.traced
    forwarded = dict(_forwarded(program, leaves_of_inputs(row, program), leaves_of_outputs(row, program)))
    lost, n_more_lost = _merge((leaf, why) for leaf, why, _ in not_reused(row))
    dropped, n_more_dropped = _merge(_dropped(row, set(forwarded.values())))
    cost = row.cost or Cost()
    return ProgramFacts(
        flops=tell_flops(cost),
        moved=tell_moved(cost),
        memory=row.memory,
        constants=tuple(constants[: PANEL.constants]),
        n_more_constants=max(0, len(constants) - PANEL.constants),
        constant_nbytes=nbytes,
        donated=merge_alike((_path(leaf) for leaf in inputs if leaf.donated), map(_path, inputs)),
        reused=merge_alike(map(_shown, row.reused or ()), map(_path, inputs)),
        not_reused=lost,
        n_more_not_reused=n_more_lost,
        dropped=dropped,
        n_more_dropped=n_more_dropped,
        forwarded=merge_alike(f"{_shown(output)} is {_shown(given)}" for output, given in forwarded.items()),
        static_outputs=merge_alike(
            (_path(leaf) for leaf in row.outputs if leaf.role == "static"), map(_path, row.outputs)
        ),
        kept=str(kept_alive(recording).get(row.lineage, "")),
        warnings=(*_warn(constants, nbytes), *(f"{text[0].upper()}{text[1:]}." for text in [tell_missed(row)] if text)),
    )


def _warn(constants: list[Constant], nbytes: int) -> Iterator[str]:
    if nbytes <= LARGE_NBYTES:
        return
    named = [constant for constant in constants if constant.name][:_MOST_NAMED]
    arrays = ", ".join(f"`{constant.name}` ({constant.aval}, {size(constant.nbytes)})" for constant in named)
    largest = constants[0]
    which_arrays = f": {arrays}" if named else f", the largest of them {largest.aval} ({size(largest.nbytes)})"
    which = "it" if len(constants) == 1 else "them"
    yield (
        f"Closed-over arrays of {size(nbytes)} are part of the program{which_arrays}. Every version holds a copy, and "
        f"compiling takes longer; pass {which} as {'an argument' if which == 'it' else 'arguments'} instead."
    )


def _forwarded(
    program: dict[str, Any], inputs: list[Leaf | None], outputs: list[Leaf | None]
) -> Iterator[tuple[str, str]]:
    """Paths of outputs that are unchanged inputs, with the paths of these inputs."""
    given = {name: leaf for (name, _), leaf in zip(program.get("inputs", ()), inputs, strict=True)}
    for name, leaf in zip(program.get("outputs", ()), outputs, strict=True):
        source = given.get(name)
        if leaf is not None and source is not None:
            yield leaf.path, source.path


def _merge(inputs: Iterable[tuple[Leaf, str]]) -> tuple[tuple[LostInput, ...], int]:
    """Similar inputs merged, each with the reason why it is lost, and the number of inputs that are not listed."""
    lost = ((leaf.path, (aval(leaf.dtype, leaf.shape), why)) for leaf, why in inputs)
    groups, n_more = group_alike(lost, PANEL.lost_inputs)
    return tuple(LostInput(_shown(path), *more, count) for more, path, count in groups), n_more


def _dropped(row: Compile, forwarded: set[str]) -> Iterator[tuple[Leaf, str]]:
    dropped = set(row.dropped)
    for leaf in row.signature.traced:
        if leaf.path in dropped:
            is_forwarded = leaf.path in forwarded
            yield leaf, "returned as an output without being read" if is_forwarded else "no output depends on its value"


def _path(leaf: Leaf) -> str:
    return _shown(leaf.path)


def _shown(path: str) -> str:
    return plain_path(path, SENTENCE_CHARS)


_INDEX = re.compile(r"(?<=\[)\d+(?=\])")
_MOST_RUNS = 3
_Row = TypeVar("_Row", bound=Hashable)


def merge_alike(texts: Iterable[str], of: Iterable[str] = ()) -> tuple[Alike, ...]:
    """Merge texts: twelve become "blocks[0..11].weight". Groups come in the order of their first text. If `of` are all
    the paths of a tree, and all leaves of "model" are among the texts, they become "model"."""
    texts = list(texts)
    if not texts:
        return ()
    chosen, whole = _counted(texts), _counted(of)
    homes = (next((step for step in steps_to(text) if 1 < whole[step] == chosen[step]), text) for text in texts)
    return tuple(Alike(text, n) for _, text, n in group_alike((home, None) for home in homes)[0])


def _counted(paths: Iterable[str]) -> Counter[str]:
    return Counter(step for path in paths for step in steps_to(path))


def group_alike(rows: Iterable[tuple[str, _Row]], most: float = math.inf) -> tuple[list[tuple[_Row, str, int]], int]:
    """The first `most` groups of texts that have an equal second part, and the number of texts in no group."""
    groups: dict[tuple[str, _Row], list[str]] = {}
    n_more = 0
    for text, more in rows:
        key = _INDEX.sub("#", text), more
        if key in groups:
            groups[key].append(text)
        elif len(groups) < most:
            groups[key] = [text]
        else:
            n_more += 1
    return [(more, _joined(texts), len(texts)) for (_, more), texts in groups.items()], n_more


def _joined(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    columns = zip(*(map(int, _INDEX.findall(text)) for text in texts), strict=True)
    ranges = iter([_tell(sorted(set(column))) for column in columns])
    return _INDEX.sub(lambda _: next(ranges), texts[0])


def _tell(numbers: Sequence[int]) -> str:
    """ "0..11", or "0..2, 5"; of scattered numbers, only the first two and the last."""
    if len(known := runs(numbers)) > _MOST_RUNS:
        return f"{numbers[0]}, {numbers[1]}, …, {numbers[-1]}"
    return ", ".join(f"{first}..{last}" if first < last else str(first) for first, last in known)
