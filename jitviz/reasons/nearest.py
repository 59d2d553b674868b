"""The versions of one lineage so far: was this signature seen before, and which earlier one is nearest?

In: misses, oldest first.  Out: the earlier miss with the same signature, or the nearest earlier miss.
Must never: grow without bound, or do more work per miss because there were more misses before.

A miss is reduced to marks, one hash per property that may change, so that set differences find changed properties
quickly. What one edit changes counts once: the calling form, however many arguments it moves, and one property, at
however many leaves of an argument. Signatures that are too old to keep are recognised by a digest of their cache key.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
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
    other marks, so it is nearer than a different value. Each is given with what it is a part of.
    """

    number: int
    miss: Miss
    digest: int
    trace_digest: int

    @cached_property
    def marks(self) -> dict[int, int]:
        signature = self.miss.signature
        wholes = [*map(hash, chain(_around(self.miss), signature.context, *map(_static_marks, signature.static)))]
        parts = ((hash(part), hash(of)) for part, of in cachekey.in_detail(signature))
        return {**dict(zip(wholes, wholes, strict=True)), **dict(parts)}

    @cached_property
    def digest_of_marks(self) -> int:
        return hash(frozenset(self.marks))


def mark(miss: Miss, number: int) -> MarkedMiss:
    """Miss `number` with its hashes."""
    static = miss.signature.static
    keys = ((leaf.path, leaf.is_metadata, key_of(described(leaf))) for leaf in static)
    types: Iterator[object] = iter(())
    if miss.function_info.wrapper.compares_types:
        types = ((leaf.path, types_of(described(leaf))) for leaf in static if not leaf.is_metadata)
    shared = chain(_around(miss), cachekey.of_trace(miss.signature))
    traced = hash(frozenset(chain(shared, keys, types)))  # of a set, since keyword arguments come in any order
    executable = frozenset(cachekey.of_executable(miss.signature))
    return MarkedMiss(number, miss, hash((traced, executable)), traced)


def _static_marks(leaf: Leaf) -> Iterator[object]:
    return ((leaf.path, leaf.is_metadata, mark) for mark in marks_of(described(leaf)))


def _around(miss: Miss) -> Iterator[object]:
    """The parts of the key around the arguments."""
    yield "function", miss.function_info.token
    yield "transform", miss.transform


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
        """The nearest earlier miss: fewest changes, then fewest leaves, then newest. Programs of the same transform
        come first; among these, versions of the same function object; and if JAX reused a trace, misses with it."""
        miss, pool = marked.miss, list(reversed(self._window.values()))
        transform, token = miss.transform, miss.function_info.token
        pool = [old for old in pool if old.miss.transform == transform] or pool
        pool = [old for old in pool if old.miss.function_info.token == token] or pool
        if not miss.is_traced:
            pool = [old for old in pool if old.trace_digest == marked.trace_digest] or pool
        if len(pool) == 1:
            return pool[0]
        pool = [old for old in pool if old.digest_of_marks == marked.digest_of_marks] or pool
        nearest, least = pool[0], _distance(pool[0], marked)
        for old in pool[1:] if least > (1, 1) else ():  # else none is nearer
            if (distance := _distance(old, marked)) < least:
                nearest, least = old, distance
        return nearest


def _takes_residuals(transform: str) -> bool:
    """Whether the inputs of this program were saved by another one, its forward program."""
    return "transpose" in transform or "linearized" in transform


def _distance(before: MarkedMiss, after: MarkedMiss) -> tuple[int, int]:
    """How many changes there are, and how many marks differ; what another one replaced counts once."""
    gone, came = before.marks.keys() - after.marks.keys(), after.marks.keys() - before.marks.keys()
    changes = len({before.marks[one] for one in gone}), len({after.marks[one] for one in came})
    return max(changes), max(len(gone), len(came))
