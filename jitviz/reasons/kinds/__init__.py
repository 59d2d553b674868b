"""The kinds of reason, a file for each: how a change is seen, what is said and advised, what undoing it means.

In: nothing.  Out: `KIND_OF`, by name, and what is asked of several kinds together.
"""

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module

from ...model import KINDS, Kind, Leaf, Miss, Signature
from ..change import Change
from .base import FORMS, Form, ReasonKind, Recompiles, Term

__all__ = ["KIND_OF", "ReasonKind", "Recompiles", "Term", "changes_of_leaves", "changes_of_misses", "keep", "one_cause"]

KIND_OF: Mapping[str, ReasonKind] = {name: import_module(f".{name}", __name__).KIND for name in KINDS}


def keep(kinds: Collection[Kind], form: Form) -> bool:
    """Whether changes of these kinds leave as it is what `form` says."""
    return all(FORMS.index(KIND_OF[kind].form) <= FORMS.index(form) for kind in kinds)


def one_cause(kind: Kind) -> frozenset[Kind]:
    """The kinds that are one cause when they change on one leaf."""
    group = KIND_OF[kind].group
    return frozenset(other for other in KINDS if group and KIND_OF[other].group == group) or frozenset({kind})


def changes_of_misses(before: Miss, after: Miss) -> Iterator[Change]:
    """What changed around the arguments."""
    for kind in KIND_OF.values():
        yield from kind.of_misses(before, after)
    yield from changes_of_signatures(before.signature, after.signature)


def changes_of_signatures(before: Signature, after: Signature) -> Iterator[Change]:
    for kind in KIND_OF.values():
        yield from kind.of_signatures(before, after)


def changes_of_leaves(before: Leaf, after: Leaf) -> Iterator[Change]:
    for kind in KIND_OF.values():
        yield from kind.of_leaves(before, after)
