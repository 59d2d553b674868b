"""The comparison of two signatures.

In: two signatures of one function.  Out: every property in which they differ, as changes, the one to look at first.
Must never: make sentences, or look at anything but the two signatures.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Leaf, Miss, Signature
from .avals import aval_text, compare_avals
from .change import Change, Facts
from .functions import compare_functions, compare_options
from .order import in_order
from .settings import compare_context, compare_form
from .statics import compare_statics, suspects
from .trees import match


def compare(before: Signature, after: Signature) -> tuple[Change, ...]:
    """Every change from `before` to `after`, sorted by what to look at first, then in argument order."""
    return in_order((*compare_options(before, after), *_arguments(before, after)))


def compare_misses(before: Miss, after: Miss) -> tuple[Change, ...]:
    """The same for two misses: the functions are compared as well."""
    return in_order((*compare_functions(before, after), *_arguments(before.signature, after.signature)))


def compare_doubtful(before: Signature, after: Signature) -> tuple[Change, ...]:
    """What a user's own `__eq__` may have seen, for two signatures that `compare` finds equal."""
    pairs = match(before, after)[1]
    return in_order(change for old, new in pairs if old.role == new.role == "static" for change in suspects(old, new))


def _arguments(before: Signature, after: Signature) -> Iterator[Change]:
    yield from compare_context(before, after)
    yield from compare_form(before, after)
    changes, pairs = match(before, after)
    yield from changes
    for old, new in pairs:
        yield from _compare_leaves(old, new)


def _compare_leaves(before: Leaf, after: Leaf) -> Iterator[Change]:
    if before.role == after.role == "traced":
        if before != after:
            yield from compare_avals(before, after)
    elif before.role == after.role:
        yield from compare_statics(before, after)
    else:
        static, traced = (before, after) if before.role == "static" else (after, before)
        dtype = "" if traced.weak_type else traced.dtype or ""
        facts = Facts(is_traced=after.role == "traced", type=static.type, dtype=dtype)
        yield Change("leaf_kind", after.path, _leaf_text(before), _leaf_text(after), facts)


def _leaf_text(leaf: Leaf) -> str:
    return f"traced {aval_text(leaf)}" if leaf.role == "traced" else f"static {leaf.repr or leaf.type}"
