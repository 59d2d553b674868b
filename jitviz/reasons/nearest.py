"""The versions of one lineage so far: was this signature seen before, and which earlier one is nearest?

In: misses, oldest first.  Out: the earlier miss with the same signature, or the nearest earlier miss.
Must never: grow without bound, or do more work per miss because there were more misses before.

A miss is reduced to marks, one hash per property that may change, so that set differences count changed properties
quickly. Signatures that are too old to keep are recognised by a digest of their cache key.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from ..model import Miss, cachekey
from ..model.equality import key_of, types_of
from .values import described, marks_of

WINDOW = 64  # signatures that later ones can be compared with
DIGESTS = 16_384  # signatures that are recognised


@dataclass(frozen=True)
class MarkedMiss:
    """Miss `number` and the hashes by which it is recognised and compared.

    `digest` stands for the whole cache key (`model.cachekey`), `trace_digest` for the part that decides about tracing.
    `marks` are finer than the key, where a static value is a single part: a value that changed in one field keeps its
    other marks, so it is nearer than a different value.
    """

    number: int
    miss: Miss
    digest: int
    trace_digest: int

    @cached_property
    def marks(self) -> frozenset[int]:
        signature = self.miss.signature
        static = ((leaf, marks_of(described(leaf))) for leaf in signature.static)
        inside = ((leaf.path, leaf.is_metadata, mark) for leaf, marks in static for mark in marks)
        return frozenset(map(hash, chain(_shared(self.miss, is_fine=True), cachekey.of_executable(signature), inside)))


def mark(miss: Miss, number: int) -> MarkedMiss:
    """Miss `number` with its hashes."""
    is_typed, static = miss.function_info.wrapper.compares_types, list[object]()
    for leaf in miss.signature.static:
        value = described(leaf)
        types = types_of(value) if is_typed and not leaf.is_metadata else None
        static.append((leaf.path, leaf.is_metadata, key_of(value), types))
    # a sum, since keyword arguments may come in any order
    traced = sum(map(cachekey.summable, chain(_shared(miss), static)))
    executable = sum(map(cachekey.summable, cachekey.of_executable(miss.signature)))
    return MarkedMiss(number, miss, traced + executable, traced)


def _shared(miss: Miss, *, is_fine: bool = False) -> Iterator[object]:
    """The parts of the key that are not static values, which marks describe in more detail."""
    yield "function", miss.function_info.token
    yield "transform", miss.transform
    yield from cachekey.of_trace(miss.signature, is_fine=is_fine)


@dataclass
class Versions:
    """The versions of one lineage."""

    _window: OrderedDict[int, MarkedMiss] = field(default_factory=OrderedDict)
    _seen: OrderedDict[int, int] = field(default_factory=OrderedDict)  # digest -> clearings before it
    _clearings: int = 0

    @property
    def is_empty(self) -> bool:
        return not self._window

    def clear(self) -> None:
        """JAX's caches were cleared: earlier signatures stay known here, but JAX no longer keeps them."""
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
        """Remove the newest miss, which raised an error, so that JAX kept nothing of it."""
        if self._window:
            digest, _ = self._window.popitem()
            self._seen.pop(digest, None)

    def has_seen(self, marked: MarkedMiss) -> bool:
        return marked.digest in self._seen

    def has_lost(self, marked: MarkedMiss) -> bool:
        """Whether the caches were cleared since this signature was last compiled."""
        return self._seen.get(marked.digest, self._clearings) < self._clearings

    def same(self, marked: MarkedMiss) -> MarkedMiss | None:
        """The earlier miss with the same signature, if it is still kept."""
        return self._window.get(marked.digest)

    def kept(self) -> list[MarkedMiss]:
        """The misses that later ones can be compared with, oldest first."""
        return list(self._window.values())

    def backward_before(self, marked: MarkedMiss) -> tuple[MarkedMiss, MarkedMiss] | None:
        """For a backward program that follows a new forward program: that forward program, and the backward one before.

        The inputs of a backward program are residuals, which users do not know: it was compiled again for the same
        reason as the forward program. The first backward program is different, since there was none before.
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
        """The nearest earlier miss: fewest changed properties, then newest. Programs of the same transform come first;
        among these, versions of the same function object; and if JAX reused a trace, misses with that trace."""
        miss, pool = marked.miss, list(reversed(self._window.values()))
        pool = [old for old in pool if old.miss.transform == miss.transform] or pool
        pool = [old for old in pool if old.miss.function_info.token == miss.function_info.token] or pool
        if not miss.is_traced:
            pool = [old for old in pool if old.trace_digest == marked.trace_digest] or pool
        if len(pool) == 1:
            return pool[0]
        pool = [old for old in pool if hash(old.marks) == hash(marked.marks)] or pool
        nearest, least = pool[0], _distance(pool[0], marked)
        for old in pool[1:] if least > 1 else ():  # else none is nearer
            if (distance := _distance(old, marked)) < least:
                nearest, least = old, distance
        return nearest


def _takes_residuals(transform: str) -> bool:
    """Whether the inputs of this program were saved by another one, its forward program."""
    return "transpose" in transform or "linearized" in transform


def _distance(before: MarkedMiss, after: MarkedMiss) -> int:
    """How many marks differ; a mark that another one replaced counts once."""
    gone = len(before.marks - after.marks)
    return max(gone, gone + len(after.marks) - len(before.marks))
