"""A jitted function as an outline: its calls, its versions, why each was compiled, and the trees of their leaves.

In: `FunctionView`s and `Version`s.  Out: lines; one for each leaf, its columns aligned with those of its siblings.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..model import TEXT_TITLES, Kind, count, seconds, size
from ..recording import Recording
from ..views import DEPTH, FLAG_WORDS, Row, Span
from ..views.schema import CallSite, FunctionView, Partition, PhaseTime, Version
from .access import Access
from .wrapped_lines import OutlineLine, after_gap, align, say, strong

_FEW = 40  # rows of the arguments of a version that is not folded
TRACED, STATIC = "●", "○"
_WIDEST = 28  # columns
_MOST_OPEN = 60  # rows that are shown unfolded


def outline_function(
    function: FunctionView, score: Iterable[OutlineLine], recording: Recording | None, access: Access, *, is_open: bool
) -> Iterator[OutlineLine]:
    """All there is to say about a function, with its `score`; of its programs, what is known from the `recording`."""
    yield from outline_head(function, is_open=is_open)
    yield from score
    if function.hits_of_unknown_version and function.unknown_version:
        yield say(2, f"{count(function.hits_of_unknown_version, 'hit')} of {function.unknown_version}")
    yield from outline_sites(function)
    if function.called_with is not None:
        number = function.called_with_call
        which = "" if number == 0 else f", in {'one call' if number < 0 else f'call {number:,}'}"
        yield from _outline_partition(2, f"called with{which}", function.called_with)
    for version in function.versions:
        yield from after_gap(outline_version(version))
        yield from _outline_trees(version, access)
        if recording is not None and version.listings:
            from .program_outline import outline_program  # static HTML needs none of it

            yield from outline_program(recording, version)
    if function.n_more_versions:
        yield say(2, count(function.n_more_versions, "more version"))


def outline_head(function: FunctionView, *, is_open: bool = False) -> Iterator[OutlineLine]:
    """The name of a function and the outcomes of its calls."""
    about = [function.api, function.defined_at and f"defined at {function.defined_at}"]
    yield say(0, strong(function.name), "".join(f" · {text}" for text in about if text), is_open=is_open)
    yield say(2, function.told)
    if function.phases and len(function.versions) > 1:
        yield say(2, f"{seconds(function.compile_s)} compiling: {tell_phases(function.phases)}")


def outline_sites(function: FunctionView) -> Iterator[OutlineLine]:
    """The lines that called a function, with their cost."""
    for site in function.call_sites:
        yield say(2, f"called from {tell_site(site)}")
    if function.n_more_call_sites:
        yield say(2, f"called from {count(function.n_more_call_sites, 'more line')}")


def outline_version(version: Version, indent: int = 2) -> Iterator[OutlineLine]:
    """One version: its origin, its cost, and the reasons why it was compiled."""
    hits = f"then {count(version.hits, 'hit')}" if version.hits else ""
    made = "".join(f", {text}" for text in (version.made, hits) if text)
    is_open = not version.is_before and (version.inputs is None or len(version.inputs.rows) <= _FEW)
    yield say(indent, strong(version.name), made, is_open=is_open)
    below = indent + 2
    if version.phases:
        spent = f"{seconds(version.duration_s)}: " if version.duration_s else ""
        yield say(below, f"{spent}{tell_phases(version.phases, version.status)}")
    if version.error:
        yield say(below, f"failed: {version.error}")
    for reason in version.reasons:
        yield say(below, strong(name_kind(reason.kind)), ": ", reason.summary, look="reason")
        if reason.advice:
            yield say(below + 2, f"→ {reason.advice}")
    if version.n_more_reasons:
        yield say(below, count(version.n_more_reasons, "more reason"))
    if version.judged:
        yield say(below, version.judged)


def _outline_trees(version: Version, access: Access) -> Iterator[OutlineLine]:
    """The arguments and results of a version, and its program texts."""
    if version.inputs is not None:
        yield from _outline_partition(4, "inputs", version.inputs)
    if version.outputs is not None:
        by = f", shaped by {version.outputs.transform}" if version.outputs.transform else ""
        yield from _outline_partition(4, f"outputs{by}", version.outputs)
    if version.cost:
        yield say(4, f"cost: {version.cost}")
    if version.memory:
        yield say(4, f"memory: {version.memory}")
    for listing in version.listings:
        yield say(4, f"{TEXT_TITLES[listing.name]}: {count(listing.n_lines, 'line')}")
    if texts := access.to_texts(version.index, [listing.name for listing in version.listings]):
        yield say(4, f"texts: {texts}")


def _outline_partition(indent: int, heading: str, partition: Partition) -> Iterator[OutlineLine]:
    """The sums of a tree with the signs of its leaves, and the tree."""
    nbytes = f", {size(partition.nbytes)}" if partition.nbytes else ""
    sharding = f" · on {partition.sharding}" if partition.sharding else ""
    sums = f"{TRACED} {partition.traced:,} traced{nbytes} · {STATIC} {partition.static:,} static{sharding}"
    yield say(indent, strong(heading), f": {sums}", look="tree")
    if partition.note:
        yield say(indent + 2, partition.note, hang=0)
    yield from outline_tree(partition.rows, indent + 2, is_diff=partition.is_diff)
    if partition.n_more_leaves:
        changes = f", including {count(partition.n_more_marks, 'change')}" if partition.n_more_marks else ""
        unchanged = " unchanged," if partition.is_diff and not changes else ""
        yield say(indent + 2, f"{count(partition.n_more_leaves, 'leaf')}{unchanged} hidden{changes}", hang=0)


def tell_phases(phases: tuple[PhaseTime, ...], status: str = "done") -> str:
    """ "trace 310 ms, lower 120 ms, compile 620 ms"."""
    unknown = "in progress" if status == "running" else "time unknown"
    times = ((phase.name, phase.duration_s) for phase in phases)
    return ", ".join(f"{name} {unknown if spent_s is None else seconds(spent_s)}" for name, spent_s in times)


def tell_site(site: CallSite) -> str:
    spent = f"{seconds(site.compile_s)} compiling" if site.compile_s else ""
    return f"{site.source}: {', '.join(filter(None, (site.told, spent)))}"


def outline_tree(rows: Sequence[Row], indent: int, *, is_diff: bool) -> Iterator[OutlineLine]:
    """A line per row. All nodes of a small tree or of a diff are open, else only the roots."""
    rows = list(_gather_metadata(rows))
    for (depth, is_leaf), group in groupby(rows, key=lambda row: (min(row.depth, DEPTH), row.kind == "leaf")):
        siblings = list(group)
        texts = align([_columns(row) for row in siblings], _WIDEST) if is_leaf else map(_tell_node, siblings)
        for row, text in zip(siblings, texts, strict=True):
            sign = (TRACED if row.role == "traced" else STATIC) + " " if is_leaf else ""
            name = () if is_leaf else (strong(row.name), Span(": "))
            yield say(
                indent + 2 * depth,
                (*name, Span(sign + text)),
                hang=4,
                marks=tuple(
                    name_kind(mark.kind) + (f": {mark.before} → {mark.after}" if mark.before or mark.after else "")
                    for mark in row.marks
                ),
                is_open=None if is_leaf else is_diff or depth == 0 or len(rows) <= _MOST_OPEN,
            )


def _gather_metadata(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with the static metadata of each node merged into one: there is a lot of it, and it rarely matters."""
    for (is_metadata, _), group in groupby(rows, key=lambda row: (row.is_metadata and not row.marks, row.depth)):
        alike = list(group)
        if not is_metadata or len(alike) == 1:
            yield from alike
            continue
        fields = ", ".join(f"{row.name.lstrip('.')}={row.value}" for row in alike)
        yield replace(alike[0], name="treedef", path="", value=fields, is_metadata=False, static=len(alike))


def _columns(row: Row) -> tuple[str, str, str, str]:
    """The name, the type or value, the bytes, and the tags of a leaf."""
    is_traced = row.role == "traced"
    what = row.aval if is_traced else row.value or row.type
    return row.name, what, size(row.nbytes) if is_traced else "", ", ".join(tags(row))


def tags(row: Row) -> tuple[str, ...]:
    """The other properties of a leaf, in a fixed order."""
    words = {flag: word for flag, word in FLAG_WORDS.items() if getattr(row, flag)}
    if row.sharding:
        words["is_committed"] = f"committed to {row.sharding}" if row.is_committed else row.sharding
    return tuple(words.values())


def _tell_node(row: Row) -> str:
    """ "MLP  132 traced, 1.2 MB · 14 static", "None", "removed"."""
    sums = parts(row.traced, row.static, row.nbytes) if row.traced or row.static else ""
    if row.kind == "gone":
        return "removed"
    name = "None" if row.type == "NoneType" else row.type.rpartition(".")[2]
    return "  ".join(filter(None, (name, sums)))


def parts(traced: int, static: int, nbytes: int) -> str:
    """The sums of a subtree: "132 traced, 1.2 MB · 14 static"."""
    pieces = []
    if traced or not static:
        pieces.append(f"{traced:,} traced" + (f", {size(nbytes)}" if nbytes else ""))
    if static:
        pieces.append(f"{static:,} static")
    return " · ".join(pieces)


def name_kind(kind: Kind) -> str:
    """A kind of reason in words."""
    return kind.replace("_", " ")
