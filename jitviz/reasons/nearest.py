"""The versions of one lineage so far: was this signature seen before, and which earlier one is nearest?

In: misses, oldest first.  Out: the earlier miss with the same signature, or the nearest earlier miss.
Must never: grow without bound, or do more work per miss because there were more misses before.

A miss is reduced to marks, one hash per property that may change, so that set differences count changed properties
quickly. Signatures that are too old to keep are recognised by a digest of their cache key.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

from ..model import Leaf, Miss, cachekey
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
        shared = map(hash, chain(_shared(self.miss, is_fine=True), cachekey.of_executable(signature)))
        settings = cachekey.settings(signature.context)
        return frozenset(shared).union(_settings_marks(settings), *map(_static_marks, signature.static))


def mark(miss: Miss, number: int) -> MarkedMiss:
    """Miss `number` with its hashes."""
    static = miss.signature.static
    keys = ((leaf.path, leaf.is_metadata, key_of(described(leaf))) for leaf in static)
    types: Iterator[object] = iter(())
    if miss.function_info.wrapper.compares_types:
        types = ((leaf.path, types_of(described(leaf))) for leaf in static if not leaf.is_metadata)
    traced = hash(frozenset(chain(_shared(miss), keys, types)))  # of a set, since keyword arguments come in any order
    executable = frozenset(cachekey.of_executable(miss.signature))
    return MarkedMiss(number, miss, hash((traced, executable)), traced)


@lru_cache(maxsize=16)  # nearly all calls have the same settings
def _settings_marks(settings: frozenset[tuple[str, str]]) -> frozenset[int]:
    return frozenset(map(hash, settings))


def _static_marks(leaf: Leaf) -> frozenset[int]:
    return frozenset(hash((leaf.path, leaf.is_metadata, mark)) for mark in marks_of(described(leaf)))


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
        transform = marked.miss.transform
        if not _takes_residuals(transform):
            return None
        newest = list(reversed(self._window.values()))
        before = next((old for old in newest if old.miss.transform == transform), None)
        forward = next((old for old in newest if not _takes_residuals(old.miss.transform)), None)
        if not before or not forward or not forward.miss.transform or before.number > forward.number:
            return None
        return forward, before

    def nearest(self, marked: MarkedMiss) -> MarkedMiss:
        """The nearest earlier miss: fewest changed properties, then newest. Programs of the same transform come first;
        among these, versions of the same function object; and if JAX reused a trace, misses with that trace."""
        miss, pool = marked.miss, list(reversed(self._window.values()))
        transform, token = miss.transform, miss.function_info.token
        pool = [old for old in pool if old.miss.transform == transform] or pool
        pool = [old for old in pool if old.miss.function_info.token == token] or pool
        if not miss.is_traced:
            pool = [old for old in pool if old.trace_digest == marked.trace_digest] or pool
        if len(pool) == 1:
            return pool[0]
        marks = hash(marked.marks)
        pool = [old for old in pool if hash(old.marks) == marks] or pool
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
