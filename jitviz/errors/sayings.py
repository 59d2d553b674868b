"""Sentences that several kinds of exceptions share.

In: a `Blame`.  Out: text; `Raised` of a value that is traced.
"""

from ..model import listed
from ..model.raised import Raised
from .blame import Blame, listed_paths

_MOST_LINES = 3  # that a sentence names


def told(found: Blame, summary: str, advice: str, code: str = "", detail: str | None = None) -> Raised:
    """The exception for which a traced value is to blame; its detail is `why`, if no other is given."""
    return Raised(
        function=found.function,
        path=found.path,
        also=found.paths[1:],
        origin=found.lines[0] if found.lines else "",
        summary=summary,
        detail=why(found) if detail is None else detail,
        advice=advice,
        code=code,
    )


def needs(what: str, found: Blame) -> str:
    """ "`if` needs a value, but `x` is traced in `f`." """
    of = f" in `{found.function}`" if found.function else ""
    if found.paths:
        are = "is" if len(found.paths) == 1 else "are"
        return f"{what} needs a value, but {found.named} {are} traced{of}."
    if found.lines:
        return f"{what} needs a value, but an operation at {found.lines[0]} made it traced{of}."
    return f"{what} needs a value, but it is traced{of}."


def why(found: Blame) -> str:
    """What `needs` leaves open: whether an argument is to blame, and which other lines made the value traced."""
    if found.paths or not found.lines:
        return ""
    others = listed(list(found.lines[1:_MOST_LINES]))
    return "No argument is to blame" + f"; operations at {others} made it traced too" * bool(others) + "."


def or_static(advice: str, found: Blame) -> str:
    """Advice, with the other way out where there is one: Python numbers may be static; plain values computed with
    `jax.numpy` inside the function may be computed with NumPy."""
    if found.are_numbers:
        names = tuple(filter(str.isidentifier, found.paths))
        if names:
            static = f"make {listed_paths(found.paths)} static, if few values occur"
            return f"{advice}; or {static}: `static_argnames={names}`."
    if found.lines and not found.paths:
        return f"{advice}; or compute it with NumPy at {found.lines[0]}, where no array is involved."
    return f"{advice}."
