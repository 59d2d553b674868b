"""Programs outside any jit: one row for each public function at each line of user code, and one cause for all rows that
compile again for the same sizes.

In: `OpByOp` rows.  Out: `OpLine`s, most seconds first, each with a sentence, grouped by cause.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..jaxcompat.texts.array_types import read_aval
from ..model import OpByOp, cell_of, count
from .on_disk import tell_ops
from .op_text import argument_of, assigned, is_called, is_sliced, names_in

_STEPS = 2  # of one call, that compile programs of one name
_MANY_SHAPES = 12  # more than the weights of a model have
_SLICE = "slice"  # what varies if the bounds of a slice are computed
_VALUE = "value"  # what varies if the inputs do not: a shape, an axis, an option
_CALLBACK = "callback"  # what varies if it is a callback, and the inputs do not
_CALLBACKS = {"pure_callback", "io_callback"}  # programs that JAX keeps by the callback, an object, and its result
_NUMBER = "number"  # what varies if the inputs are the elements of a list
_MANY_NUMBERS = 6  # more than the steps of one call have, which joins a list piece by piece
_MANY_INPUTS, _LEAST_S = 100, 0.2  # of one program that is worth a row
_TAKES_APART = "jax.lax.unstack"  # as a loop over an array does: one program for each 100 elements, with an output each
JOINED = (
    "Join the arrays with NumPy, which compiles nothing; or compute them in one `jax.lax.scan`, which returns them "
    "joined."
)
ON_THE_HOST = "Take the array apart on the host: `x = np.asarray(x)` before the loop, once."
_CHANGED_BY_PADDING = re.compile(
    r"sort|fft|linalg|cum|resize|median|percentile|quantile|top_k|flip|roll|unique|diff|conv|interp|gradient|trapezoid|corr"
)
_APPENDING = {"jnp.append", "jnp.concatenate", "jnp.hstack", "jnp.vstack"}


@dataclass(frozen=True)
class Varied:
    """In what the programs of a line differ: `what` ("length", "slice") of which argument, and `count` of these; none
    if they do not differ, or in more than one property.

    `argument` is its text in the line; "" if the line does not show it, and `examples` are some of its types then.
    `sizes` are the sizes of the axis that varied, in order of arrival; empty unless it was a single axis. `into` is the
    name that the line assigns a slice to.
    """

    what: str = ""
    count: int = 0
    argument: str = ""
    examples: str = ""
    sizes: tuple[int, ...] = ()
    into: str = ""

    def __str__(self) -> str:
        """ "length of `rewards`"."""
        if self.what == _VALUE:
            return f"{self.what} of its static arguments"
        if self.what == _CALLBACK:
            return f"{self.what} or shape of its result"
        if self.what == _NUMBER:
            return f"{self.what} of inputs"
        return f"{self.what} of {f'`{self.argument}`' if self.argument else f'its input{self.examples}'}"

    @property
    def many(self) -> str:
        """ "12 lengths of `rewards`"."""
        noun, rest = str(self).split(" ", 1)
        return f"{self.count:,} {noun}s {rest}"


@dataclass(frozen=True)
class OpLine:
    """The `count` programs of one public function at one line; `disk` says which came from JAX's cache on disk.

    `summary` is a sentence without its full stop, `reads` are the names in the text of the line, and `sources` its
    places in all cells that have it.
    """

    name: str
    source: str
    count: int
    disk: str
    seconds: float
    compile_s: float
    inputs: tuple[str, ...]
    summary: str
    n_inputs: int
    varied: Varied
    reads: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()

    @property
    def is_repeated(self) -> bool:
        """Whether more programs will follow: three sizes suggest a fourth; three shapes of weights do not."""
        is_few = self.varied.sizes or self.varied.what in (_SLICE, _NUMBER)
        return self.varied.count >= (3 if is_few else _MANY_SHAPES)

    @property
    def is_wide(self) -> bool:
        """Whether one program was slow to compile since it has so many inputs or outputs: the elements of a list."""
        return (self.n_inputs >= _MANY_INPUTS or self.name == _TAKES_APART) and self.seconds >= _LEAST_S


def advise(line: OpLine, n_programs: int) -> str:
    """What to do about a line; `n_programs` compiled outside any jit in all."""
    varied = line.varied
    if line.is_wide or varied.what == _NUMBER:
        return ON_THE_HOST if line.name == _TAKES_APART else JOINED
    if not line.is_repeated:
        return ""
    if line.name in _APPENDING and len({new - old for old, new in itertools.pairwise(varied.sizes)}) == 1:
        return (
            "Collect the pieces in a list and join them once, at the end; or allocate the array at its final size and "
            "fill it in a jitted function, with `.at[i].set(…)`."
        )
    if varied.what == _CALLBACK:
        return (
            "Define the callback once, outside the loop, and pass the same object to every call: each new function or "
            "`partial` has its own program, and so has each shape of the result."
        )
    is_alone = n_programs <= line.count
    lines = "this line" if is_alone else "all of these lines"
    may_round = "" if is_alone and line.name == "x[...]" else " but may round differently"
    numpy = f"use NumPy on {lines}, which compiles nothing{may_round}"
    on_host = "with NumPy on the host, which compiles nothing"
    dynamic = "slices of one size, with `jax.lax.dynamic_slice_in_dim`"
    if varied.what == _SLICE:
        alone = f"Slice {on_host}; or take {dynamic}."
        return alone if is_alone else f"Take {dynamic}, and mask out the rest; or {numpy}."
    if line.name == "x[...]" and not varied.argument:
        where = "for a mask, use `jnp.where(mask, x, 0)`"
        return f"Keep the size of the result the same ({where}), or index {on_host}."
    is_random = line.name.startswith("jax.random.")
    or_numpy = "" if is_random else f", or {numpy}"  # whose random numbers would be others
    if varied.what == _VALUE:
        return (
            "Each shape, axis or other static argument has its own program: use the same in every call (of sizes, the "
            f"largest, with the rest masked out){or_numpy}."
        )
    if _CHANGED_BY_PADDING.search(line.name):
        return f"{numpy[0].upper()}{numpy[1:]}: padding changes the result of `{line.name}`."
    what = f"`{varied.argument}`" if varied.argument else "the input"
    if is_random:
        return f"Use one size for {what} in every call, and mask out the rest."
    return f"Pad {what} to one size with `np.pad`, and mask out the rest{or_numpy}."


def takes_apart(row: OpByOp) -> bool:
    """Whether the program takes an array apart into its elements, for a loop or an assignment."""
    return row.name == _TAKES_APART


def gather_by_process(rows: Iterable[OpByOp], labels: Iterable[str]) -> list[OpLine]:
    """The same in each process of a merged recording; of lines that are alike, the one where it took longest."""
    in_process: dict[str, list[OpByOp]] = defaultdict(list)
    for row in rows:
        is_its = (label for label in labels if f"{row.thread} ".startswith(f"{label} "))
        in_process[next(is_its, "")].append(row)
    alike: dict[tuple[str, str], list[OpLine]] = defaultdict(list)
    for line in sorted((line for its in in_process.values() for line in gather(its)), key=lambda line: -line.seconds):
        alike[line.name, line.source].append(line)
    return [replace(line, summary=line.summary + in_processes(len(others) + 1)) for line, *others in alike.values()]


def in_processes(n: int) -> str:
    """What a sentence says behind its end of what several processes did."""
    return f", in {n} processes (the slowest is counted)" if n > 1 else ""


def gather(rows: Sequence[OpByOp]) -> list[OpLine]:
    """One row per line and public function, most seconds first. A cell that ran again has the same lines."""
    groups: dict[tuple[str, str], list[OpByOp]] = {}
    for row in rows:
        place = row.source.removeprefix(cell_of(row.source)) + row.line if row.line else row.source
        groups.setdefault((place, row.name), []).append(row)
    return sorted(map(_line, groups.values()), key=lambda line: -line.seconds)


def by_cause(lines: Sequence[OpLine]) -> list[list[OpLine]]:
    """The repeated lines; lines whose sizes vary together are one group: `x[:k]`, and the operations on it.

    Sizes vary together if they differ by a constant: those of `x[1:]` and `x`. A slice comes before the operations on
    it, on the same line or on lines that read the name it was assigned to.
    """
    causes: dict[object, list[OpLine]] = {}
    repeated = [line for line in lines if line.is_repeated or line.is_wide]
    for line in sorted(repeated, key=lambda line: line.varied.what == _SLICE):
        after = (cause for cause in causes.values() if any(_is_of_slice(one, line) for one in cause))
        if line.varied.what == _SLICE and (operations := next(after, None)) is not None:
            operations.insert(0, line)
        else:
            steps = tuple(size - line.varied.sizes[0] for size in line.varied.sizes)
            causes.setdefault(steps or (line.source, line.name), []).append(line)
    return list(causes.values())


def _is_of_slice(line: OpLine, sliced: OpLine) -> bool:
    """Whether a line whose sizes vary operates on a slice."""
    return bool(line.varied.sizes) and (line.source == sliced.source or sliced.varied.into in line.reads)


def line_of(lines: Sequence[OpLine]) -> OpLine:
    """The line of a cause that names what varies, or else the first."""
    return next((line for line in lines if line.varied.argument), lines[0])


def tell_cause(lines: Sequence[OpLine]) -> str:
    """The sentence about the lines of one cause, which are a slice first, then most seconds first."""
    first, varied, n_more = lines[0], line_of(lines).varied, len(lines) - 1
    if not n_more:
        return first.summary
    others, n_places = count(n_more, "more operation"), len({line.source for line in lines})
    if n_places > 1:
        others += f", at {n_places:,} lines in all,"
    return f"`{first.name}` at {first.source} and {others} compiled again for each of {varied.many}"


def _line(rows: list[OpByOp]) -> OpLine:
    first = rows[0]
    of_program: dict[str, list[OpByOp]] = {}
    for row in rows:
        of_program.setdefault(row.program, []).append(row)
    # if one function compiles several programs, take the most informative one: the one that shows which size varied
    most_first = sorted(of_program.values(), key=len, reverse=True)
    programs = [(_varied(same), same) for same in most_first]
    varied, same = next((program for program in programs if program[0].sizes), programs[0])
    n_inputs = max(row.n_inputs for row in rows)
    return OpLine(
        name=first.name,
        source=first.source,
        count=len(rows),
        disk=tell_ops(rows),
        seconds=sum(row.span_s for row in rows),
        compile_s=sum(row.compile_s for row in rows),
        inputs=tuple(dict.fromkeys(", ".join(row.inputs) for row in same if row.inputs)),
        summary=_summary(rows, varied, n_inputs),
        n_inputs=n_inputs,
        varied=varied,
        reads=names_in(first.line),
        sources=frozenset(row.source for row in rows),
    )


def _summary(rows: list[OpByOp], varied: Varied, n_inputs: int) -> str:
    first, *others = dict.fromkeys(row.source for row in rows)
    more = f" and in {count(len(others), 'more cell')}" if others else ""
    place = f" at {first}{more}" if first else ""
    is_each = varied.count == len(rows)
    if is_each or len({row.program for row in rows}) == 1:
        how = "once" if len(rows) == 1 else f"{len(rows):,} times"
        per = f", once per {varied}" if is_each else f", for {varied.many}"
    else:
        # two programs that differ may be two steps of one call
        how, per = f"{len(rows):,} programs", f", new ones for each {varied}" if varied.count > _STEPS else ""
    wide = f", with {n_inputs:,} inputs" if n_inputs >= _MANY_INPUTS else ""
    wide = ", to take an array apart into its elements" if takes_apart(rows[0]) else wide
    return f"`{rows[0].name}`{place} compiled {how}{per if varied.count else ''}{wide}"


def _varied(rows: list[OpByOp]) -> Varied:
    """In what programs of the same kind differ, if that is known."""
    if (n_numbers := len({row.n_inputs for row in rows})) > 1:
        return Varied(_NUMBER, n_numbers, "") if n_numbers > _MANY_NUMBERS else Varied()
    if len(rows) < 2 or len({len(row.inputs) for row in rows}) != 1:
        return Varied()
    for place, avals in enumerate(zip(*(row.inputs for row in rows), strict=True)):
        known = list(dict.fromkeys(avals))
        if len(known) > 1:
            what, sizes = _differs_by(known)
            examples = f" ({', '.join(known[:2])}{', …' if len(known) > 2 else ''})"
            return Varied(what, len(known), argument_of(rows[0], place), examples, sizes)
    if is_sliced(rows[0]):
        return Varied(_SLICE, len(rows), argument_of(rows[0], 0), into=assigned(rows[0]))
    is_callback = rows[0].program in _CALLBACKS
    # What a library calls, such as an initialiser of weights, has the shapes that it needs.
    is_known = len(rows) >= _MANY_SHAPES and (is_callback or is_called(rows[0]))
    return Varied(_CALLBACK if is_callback else _VALUE, len(rows)) if is_known else Varied()


def _differs_by(avals: list[str]) -> tuple[str, tuple[int, ...]]:
    """ "length", and the lengths."""
    kinds, shapes = zip(*(read_aval(aval) or ("", ()) for aval in avals), strict=True)
    if len(set(kinds)) > 1:
        return "dtype" if len(set(shapes)) == 1 else "shape and dtype", ()
    axes = [len(set(sizes)) > 1 for sizes in zip(*shapes, strict=False)]
    if len({len(shape) for shape in shapes}) != 1 or sum(axes) != 1:
        return "shape", ()
    axis = axes.index(True)
    return "length" if len(axes) == 1 else f"size of axis {axis}", tuple(shape[axis] for shape in shapes)
