"""The versions of one lineage so far: was this signature seen, and which earlier one is nearest?

In: misses, oldest first.  Out: what was seen with the same signature, or the nearest earlier miss.
Must never: grow without bound, or do more work per miss because more misses came before.

A miss is reduced to marks, one hash per property that JAX's cache looks at: set differences then count changed
properties at C speed, and digests of the marks stand for the signatures that are too old to be kept.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..model import Change, Leaf, Miss
from .avals import place_of
from .compare import compare_misses
from .statics import described, key_of

WINDOW = 64  # signatures that later ones are compared with
DIGESTS = 16_384  # signatures that are recognised
FINALISTS = 4  # equally near signatures that are compared in full


@dataclass(frozen=True)
class Entry:
    """A miss and its marks. `trace_marks` leave out what JAX looks at only after tracing; misses are numbered."""

    number: int
    miss: Miss
    marks: frozenset[int]
    trace_marks: frozenset[int]
    digest: bytes


def enter(miss: Miss, number: int) -> Entry:
    """The entry for miss `number`."""
    traced = frozenset(map(hash, _trace_keys(miss)))
    marks = traced.union(map(hash, _compile_keys(miss)))
    return Entry(number, miss, marks, traced, _digest(marks))


@dataclass
class History:
    """What one lineage has compiled."""

    _window: OrderedDict[bytes, Entry] = field(default_factory=OrderedDict)
    _seen: OrderedDict[bytes, int] = field(default_factory=OrderedDict)  # digest -> clearings before it
    _clearings: int = 0

    @property
    def is_empty(self) -> bool:
        return not self._window

    def clear(self) -> None:
        """JAX's caches were emptied: what was seen is known, and no longer kept by JAX."""
        self._clearings += 1

    def add(self, entry: Entry) -> None:
        """Remember a miss as the newest."""
        self._seen[entry.digest] = self._clearings
        self._seen.move_to_end(entry.digest)
        self._window[entry.digest] = entry
        self._window.move_to_end(entry.digest)
        if len(self._seen) > DIGESTS:
            self._seen.popitem(last=False)
        if len(self._window) > WINDOW:
            self._window.popitem(last=False)

    def forget_newest(self) -> None:
        """The newest miss raised an error: nothing of it was kept."""
        if self._window:
            digest, _ = self._window.popitem()
            self._seen.pop(digest, None)

    def has_seen(self, entry: Entry) -> bool:
        return entry.digest in self._seen

    def has_lost(self, entry: Entry) -> bool:
        """Whether the caches were cleared since this signature was last compiled."""
        return self._seen.get(entry.digest, self._clearings) < self._clearings

    def same(self, entry: Entry) -> Entry | None:
        """The earlier miss of the same signature, if it is still kept."""
        return self._window.get(entry.digest)

    def backward_before(self, entry: Entry) -> Entry | None:
        """The backward program before this one, where this one follows a forward program that was compiled just now.

        Its inputs are residuals, of which the user knows nothing: what made JAX compile the forward program again is
        the reason for this one. The first backward program is another matter: nobody had asked for one before.
        """
        if entry.miss.transform != "transpose" or not self._window:
            return None
        newest = list(reversed(self._window.values()))
        if newest[0].miss.transform != "jvp":
            return None
        return next((old for old in newest if old.miss.transform == "transpose"), None)

    def nearest(self, entry: Entry) -> tuple[Entry, tuple[Change, ...]]:
        """The nearest earlier miss and the changes since: fewest changed properties, fewest changes, then newest.

        A function that has versions of its own is compared with those, not with another object of its lineage. Where
        JAX reused a trace, the misses with that same trace come before all others.
        """
        pool = list(reversed(self._window.values()))
        pool = [old for old in pool if old.miss.function.token == entry.miss.function.token] or pool
        if not entry.miss.is_traced:
            pool = [old for old in pool if old.trace_marks == entry.trace_marks] or pool
        pool.sort(key=lambda old: old.miss.transform != entry.miss.transform)
        best = pool[0], compare_misses(pool[0].miss, entry.miss)
        if len(best[1]) == _distance(pool[0], entry) == 1:  # as most often in a loop; nothing is nearer
            return best
        distances = [_distance(old, entry) for old in pool]
        near = [old for old, distance in zip(pool, distances, strict=True) if distance == min(distances)]
        if near[0] is not pool[0]:
            best = near[0], compare_misses(near[0].miss, entry.miss)
        for old in near[1:FINALISTS]:
            if len(best[1]) <= min(distances):
                break
            changes = compare_misses(old.miss, entry.miss)
            if len(changes) < len(best[1]):
                best = old, changes
        return best


def _distance(before: Entry, after: Entry) -> int:
    """How many marks differ; a mark that was replaced by another counts once."""
    gone = len(before.marks - after.marks)
    return max(gone, gone + len(after.marks) - len(before.marks))


def _digest(marks: frozenset[int]) -> bytes:
    return hashlib.blake2b(array("q", sorted(marks)).tobytes(), digest_size=16).digest()


def _trace_keys(miss: Miss) -> Iterator[object]:
    """What decides whether JAX has to trace."""
    signature = miss.signature
    yield "function", miss.function.token
    yield "transform", miss.transform
    yield from (("context", *setting) for setting in signature.context)
    yield from (("form", *given) for given in signature.form)
    yield from ((node.path, node.type, node.keys, node.type_token) for node in signature.nodes)
    yield from map(_trace_key, signature.leaves)


def _trace_key(leaf: Leaf) -> object:
    if leaf.role == "static":
        return leaf.path, leaf.is_metadata, key_of(described(leaf))
    return leaf.path, leaf.shape, leaf.dtype, leaf.weak_type, leaf.variable


def _compile_keys(miss: Miss) -> Iterator[object]:
    """What decides in addition whether JAX has to compile: only what differs from the usual leaves a mark."""
    yield from (("option", *option) for option in miss.signature.options)
    for leaf in miss.signature.leaves:
        place = place_of(leaf)
        if place is not None or leaf.committed:
            yield leaf.path, "at", place, bool(leaf.committed)
