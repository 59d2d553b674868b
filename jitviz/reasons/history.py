"""The versions of one lineage so far: was this signature seen, and which earlier one is nearest?

In: misses, oldest first.  Out: what was seen with the same signature, or the nearest earlier miss.
Must never: grow without bound, or do more work per miss because more misses came before.

A miss is reduced to marks, one hash per property that may change: set differences then count changed properties at C
speed, and digests of the cache key stand for the signatures that are too old to be kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from ..model import Miss, cachekey
from .values import described, key_of, marks_of

WINDOW = 64  # signatures that later ones are compared with
DIGESTS = 16_384  # signatures that are recognised


@dataclass(frozen=True)
class MarkedMiss:
    """A miss and what it is recognised and compared by; misses are numbered.

    `digest` stands for all of the cache key (`model.cachekey`), `trace_digest` for the part that JAX looks at before
    tracing. `marks` are finer than the key, in which a static value is one thing: a change inside it leaves the other
    marks of it as they were, so that another whole in its place is farther.
    """

    number: int
    miss: Miss
    digest: int
    trace_digest: int

    @cached_property
    def marks(self) -> frozenset[int]:
        signature = self.miss.signature
        inside = (
            (leaf.path, leaf.is_metadata, mark) for leaf in signature.static for mark in marks_of(described(leaf))
        )
        return frozenset(map(hash, chain(_shared(self.miss, is_fine=True), cachekey.of_executable(signature), inside)))


def mark(miss: Miss, number: int) -> MarkedMiss:
    """What miss `number` is recognised and compared by."""
    static = ((leaf.path, leaf.is_metadata, key_of(described(leaf))) for leaf in miss.signature.static)
    # a sum, since keyword arguments come in any order
    traced = sum(map(hash, chain(_shared(miss), static)))
    return MarkedMiss(number, miss, traced + sum(map(hash, cachekey.of_executable(miss.signature))), traced)


def _shared(miss: Miss, *, is_fine: bool = False) -> Iterator[object]:
    """The part of the key without static values, of which marks tell more."""
    yield "function", miss.function.token
    yield "transform", miss.transform
    yield from cachekey.of_trace(miss.signature, is_fine=is_fine)


@dataclass
class History:
    """What one lineage has compiled."""

    _window: OrderedDict[int, MarkedMiss] = field(default_factory=OrderedDict)
    _seen: OrderedDict[int, int] = field(default_factory=OrderedDict)  # digest -> clearings before it
    _clearings: int = 0

    @property
    def is_empty(self) -> bool:
        return not self._window

    def clear(self) -> None:
        """JAX's caches were emptied: what was seen is known, and no longer kept by JAX."""
        self._clearings += 1

    def add(self, marked: MarkedMiss) -> None:
        """Remember a miss as the newest."""
        self._seen[marked.digest] = self._clearings
        self._seen.move_to_end(marked.digest)
        self._window[marked.digest] = marked
        self._window.move_to_end(marked.digest)
        if len(self._seen) > DIGESTS:
            self._seen.popitem(last=False)
        if len(self._window) > WINDOW:
            self._window.popitem(last=False)

    def forget_newest(self) -> None:
        """The newest miss raised an error: nothing of it was kept."""
        if self._window:
            digest, _ = self._window.popitem()
            self._seen.pop(digest, None)

    def has_seen(self, marked: MarkedMiss) -> bool:
        return marked.digest in self._seen

    def has_lost(self, marked: MarkedMiss) -> bool:
        """Whether the caches were cleared since this signature was last compiled."""
        return self._seen.get(marked.digest, self._clearings) < self._clearings

    def same(self, marked: MarkedMiss) -> MarkedMiss | None:
        """The earlier miss of the same signature, if it is still kept."""
        return self._window.get(marked.digest)

    def kept(self) -> Iterable[MarkedMiss]:
        """The misses that later ones are compared with, oldest first."""
        return self._window.values()

    def backward_before(self, marked: MarkedMiss) -> tuple[MarkedMiss, MarkedMiss] | None:
        """The forward program that was compiled just now and the backward program before this one, if this follows it.

        Its inputs are residuals, of which the user knows nothing: what made JAX compile the forward program again is
        the reason for this one. The first backward program is another matter: nobody had asked for one before.
        """
        transform, newest = marked.miss.transform, list(reversed(self._window.values()))
        before = next((old for old in newest if old.miss.transform == transform), None)
        if before is None or not _takes_residuals(transform):
            return None
        forward = next((old for old in newest if not _takes_residuals(old.miss.transform)), None)
        if forward is None or not forward.miss.transform or before.number > forward.number:
            return None
        return forward, before

    def nearest(self, marked: MarkedMiss) -> MarkedMiss:
        """The nearest earlier miss: fewest changed properties, then newest.

        The program of a transformation is compared with others of that transformation; a function that has versions
        of its own with those, not with another object of its lineage; and where JAX reused a trace, the misses with
        that same trace come before all others.
        """
        miss, pool = marked.miss, list(reversed(self._window.values()))
        pool = [old for old in pool if old.miss.transform == miss.transform] or pool
        pool = [old for old in pool if old.miss.function.token == miss.function.token] or pool
        if not miss.is_traced:
            pool = [old for old in pool if old.trace_digest == marked.trace_digest] or pool
        return min(pool, key=lambda old: _distance(old, marked)) if len(pool) > 1 else pool[0]


def _takes_residuals(transform: str) -> bool:
    """Whether the inputs of such a program were saved by another, its forward program."""
    return "transpose" in transform or "linearized" in transform


def _distance(before: MarkedMiss, after: MarkedMiss) -> int:
    """How many marks differ; a mark that was replaced by another counts once."""
    gone = len(before.marks - after.marks)
    return max(gone, gone + len(after.marks) - len(before.marks))
