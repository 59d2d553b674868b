"""Numbers, times, sizes and texts of the user in a form that people read.

In: plain values, `Cost` and `Memory`.  Out: short strings, "" for unknown values.
Must never: let through a control character or an unbounded text of the user, or show two numbers for one thing without
saying how they differ.
"""

from collections.abc import Iterable, Sequence

from ..model import Cost, Memory, array_type, quantity, seconds, shortened, size
from ..model.printable import one_line
from .schema import Span


def times(number: int) -> str:
    """How often: "once", "2 times"."""
    return "once" if number == 1 else f"{number:,} times"


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last of each run of consecutive numbers."""
    known = set(numbers)
    firsts = sorted(number for number in known if number - 1 not in known)
    lasts = sorted(number for number in known if number + 1 not in known)
    return list(zip(firsts, lasts, strict=True))


def name_versions(numbers: Iterable[int]) -> str:
    """What a call ran that ran one of these: "one of versions 1–3, 5", "version 2"; "" for none."""
    known = set(numbers)
    text = ", ".join(f"{first}–{last}" if first < last else str(first) for first, last in runs(known))
    return text and f"{'version' if len(known) == 1 else 'one of versions'} {text}"


def share(part_s: float, whole_s: float) -> str:
    """ "1.9 of the 2.3 s", "93 ms of the 1.6 s": both numbers as they are written elsewhere, a common unit once."""
    part, whole = seconds(part_s), seconds(whole_s)
    number, _, unit = part.partition(" ")
    return f"{number if unit == whole.partition(' ')[2] else part} of the {whole}"


def plain(text: str, limit: int) -> str:
    r"""One line of at most `limit` characters; control and formatting characters become `\x1b` and the like."""
    shown = one_line(text[: limit + 1])
    return shortened(shown, limit)


def plain_all(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    """Like `plain`, for several texts."""
    return tuple(plain(text, limit) for text in texts)


def plain_path(path: str, limit: int) -> str:
    """Like `plain`, but cut in the middle, since the end of a path names the leaf."""
    if len(path) <= limit:
        return plain(path, limit)
    half = (limit - 1) // 2
    return one_line(path[:half])[:half] + "…" + one_line(path[-half:])[-half:]


def aval(dtype: str | None, shape: tuple[int, ...] | None) -> str:
    """JAX's short form of an array type: "f32[3,4]", "key<fry>[]"; "" without a shape."""
    return "" if shape is None else array_type(dtype or "?", shape)


def as_text(spans: Sequence[Span]) -> str:
    """A sentence as plain text, code in backticks."""
    return "".join(f"`{span.text}`" if span.is_code else span.text for span in spans)


def read_spans(text: str) -> tuple[Span, ...]:
    """A sentence in which backticks mark code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return (Span(text),)
    return tuple(Span(piece, is_code=bool(place % 2)) for place, piece in enumerate(pieces) if piece or place % 2)


def tell_flops(cost: Cost) -> str:
    """ "1.2 million (each loop body counted once)"."""
    return "" if cost.flops is None else quantity(cost.flops) + _of_loops(cost)


def tell_moved(cost: Cost) -> str:
    return "" if cost.bytes_accessed is None else size(cost.bytes_accessed) + _of_loops(cost)


def tell_cost(cost: Cost) -> str:
    """ "1.2 million floating-point operations, 49 kB moved (each loop body counted once)"."""
    nouns = "operation" if cost.flops == 1 else "operations"
    flops = "" if cost.flops is None else f"{quantity(cost.flops)} floating-point {nouns}"
    moved = "" if cost.bytes_accessed is None else f"{size(cost.bytes_accessed)} moved"
    known = ", ".join(filter(None, (flops, moved)))
    return known and known + _of_loops(cost)


def _of_loops(cost: Cost) -> str:
    return " (each loop body counted once)" if cost.has_loop else ""


def tell_memory(memory: Memory) -> str:
    kinds = (
        ("arguments", memory.argument),
        ("outputs", memory.output),
        ("temporaries", memory.temporary),
        ("shared by arguments and outputs", memory.alias),
        ("code", memory.generated_code),
    )
    return ", ".join(f"{name} {size(nbytes)}" for name, nbytes in kinds if nbytes)
