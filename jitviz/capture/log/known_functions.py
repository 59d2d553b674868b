"""The function objects that jitviz has seen: their numbers, and facts about each while it can still be called.

In: functions as they are called or compiled.  Out: a number for each, and its versions.
Must never: grow with functions that no longer exist, forget one that the user still has, or go through the versions of
one without a copy, since other threads add to them.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

from ...filters.kernel import functions_with_programs
from ...jaxcompat import caches
from ...model import Function, Signature, Token
from ...model.cachekey import trace_key
from ...recording.events import CompileNumber, FunctionNumber
from ..first_argument import Taken, may_take, taken_as, taken_by
from ..in_progress import CallingLine, OpenMiss, forget_sites
from ..reads.reads import Reads
from ..tokens import living_tokens, token

KEYS = 1024  # trace keys and versions per function
FUNCTIONS = 2048  # at this many, those that no longer exist are dropped


class HeldVersion(NamedTuple):
    """What a version takes: the leaves or arguments that may tell it apart, see `CallingLine.leaf`, the transformation
    around it, or "", and its static key, see `Origin.version_key`. `reads` is what its trace read, if that is known."""

    leaves: tuple[Taken | None, ...]
    transform: str
    key: Token | None
    reads: Reads | None = None

    def may_run(self, site: CallingLine, *, is_plain: bool) -> bool:
        """Whether a hit of a site may have run this version."""
        if site.version_key is not None and site.version_key != self.key:
            return False
        taken = self.leaves[site.leaf] if site.leaf < len(self.leaves) else None
        return may_take(taken, site.first) and not (is_plain and self.transform)


@dataclass
class _KnownFunction:
    row: Function
    versions: dict[CompileNumber, HeldVersion] = field(default_factory=dict)  # the newest ones, oldest first
    traced: set[int] = field(default_factory=set)  # see `cachekey.trace_key`
    traces: int = 0


class KnownFunctions:
    """Functions by number. `numbers` are unique in the process and shared with calls and compiles."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._known: dict[FunctionNumber, _KnownFunction] = {}
        self._number_of: dict[tuple[Token, str], FunctionNumber] = {}  # (token, lineage) -> number
        self._wrappers: dict[Token, FunctionNumber] = {}  # token of a wrapper -> number of its function
        # The newest function with each note that JAX puts into its jaxprs; several may share a line.
        self.by_source: dict[str, FunctionNumber] = {}
        self._look_at = FUNCTIONS
        self._warm: set[Token] = set()  # functions whose caches were filled before jitviz watched
        self.held_from = CompileNumber(0)  # the first compile since all of JAX's caches were last cleared

    def __contains__(self, number: FunctionNumber) -> bool:
        return number in self._known

    def __getitem__(self, number: FunctionNumber) -> Function:
        return self._known[number].row

    def get(self, number: FunctionNumber | None) -> Function | None:
        """The row of a function; None if it was forgotten, or if there is none."""
        known = None if number is None else self._known.get(number)
        return None if known is None else known.row

    def number_of(self, row: Function) -> FunctionNumber:
        """The number of this function object; its row is kept for later events."""
        key = (row.token, row.lineage)
        number = self._number_of.get(key)
        if number is None:
            number = self._number_of[key] = FunctionNumber(next(self._numbers))
            self._known[number] = _KnownFunction(row)
        self._known[number].row = row
        return number

    def number_of_wrapper(self, wrapper: Any, identify: Callable[[], Function]) -> FunctionNumber:
        """The number of the function inside a wrapper object; `identify` makes its row at the wrapper's first call."""
        of = token(wrapper)
        if of not in self._wrappers:
            self._wrappers[of] = self.number_of(identify())
        return self._wrappers[of]

    def is_full(self) -> bool:
        """Whether it is time to drop functions that no longer exist."""
        return len(self._known) >= self._look_at or len(self._wrappers) >= 2 * self._look_at

    def drop_dead(self, kept: Collection[int]) -> None:
        """Forget functions whose objects no longer exist, except for the numbers in `kept`."""
        alive = living_tokens()
        stays = {number for number, known in self._known.items() if number in kept or known.row.token in alive}
        self._known = {number: known for number, known in self._known.items() if number in stays}
        self._number_of = {key: number for key, number in self._number_of.items() if number in stays}
        wrappers = self._wrappers.items()
        self._wrappers = {of: number for of, number in wrappers if number in stays and of in alive}
        noted = list(self.by_source.items())  # a copy: other threads may note more meanwhile
        self.by_source = {text: number for text, number in noted if number in stays}
        self._look_at = max(FUNCTIONS, 2 * len(self._known))

    # -- warm functions, and backward passes --------------------------------------------------------------------

    def note_warm(self) -> None:
        """Remember which functions have filled caches; called when watching starts."""
        filled = [*caches.functions_with_traces(), *functions_with_programs()]
        self._warm = {token(found) for found in filled if found is not None}

    def is_warm(self, number: FunctionNumber) -> bool:
        """Whether this function had compiled versions before jitviz watched, and none since."""
        known = self._known[number]
        return known.row.token in self._warm and not known.versions

    # -- traces and versions ----------------------------------------------------------------------------------

    def note_compile(self, number: FunctionNumber, signature: Signature, *, is_traced: bool) -> None:
        """A compile of a function began, with a trace or with one from JAX's cache."""
        self._known[number].traces += is_traced
        if not is_traced:
            self._note_trace(number, signature)

    def note_trace(self, opened: OpenMiss) -> None:
        """JAX holds a trace of this miss: it ended without an exception."""
        self._note_trace(opened.function, opened.signature)
        if opened.reads:
            opened.reads.forget_changed()

    def _note_trace(self, number: FunctionNumber, signature: Signature) -> None:
        traced = self._known[number].traced
        if len(traced) < KEYS:
            traced.add(trace_key(signature))

    def may_be_traced(self, number: FunctionNumber, signature: Signature) -> bool:
        """Whether JAX may hold such a trace of a function; always True for a function with very many traces."""
        traced = self._known[number].traced
        return len(traced) >= KEYS or (bool(traced) and trace_key(signature) in traced)

    def traces_of(self, function: Token) -> int:
        """How often the function with this token was traced, under all wrappers."""
        # A copy: other threads may add functions meanwhile.
        return sum(known.traces for known in list(self._known.values()) if known.row.token == function)

    def lineages_of(self, function: Token) -> set[str]:
        """The lineages of the function with this token, one per wrapper."""
        return {known.row.lineage for known in list(self._known.values()) if known.row.token == function}

    def note_version(self, opened: OpenMiss) -> None:
        """A function has one more version."""
        forget_sites()
        versions = self._known[opened.function].versions
        first = taken_by(opened.signature)
        leaves = tuple(map(taken_as, opened.leaf_types)) or ((first,) if first else ())
        versions[opened.number] = HeldVersion(leaves, opened.transform, opened.version_key, opened.reads)
        if len(versions) > KEYS:
            del versions[next(iter(versions))]

    def drop_version(self, opened: OpenMiss) -> None:
        """A miss raised, so it made no version."""
        forget_sites()
        self._known[opened.function].versions.pop(opened.number, None)

    def versions(self, number: FunctionNumber) -> Collection[CompileNumber]:
        """The compile numbers of the newest versions of a function."""
        known = self._known.get(number)
        return () if known is None else known.versions

    def versions_held(self, number: FunctionNumber) -> Collection[CompileNumber]:
        """The newest versions of a function that were not cleared with all of JAX's caches."""
        return [version for version in list(self.versions(number)) if version >= self.held_from]

    def look_at_leaf(self, site: CallingLine) -> None:
        """Have the calls of a site distinguished by the first leaf that tells its versions apart, if one does."""
        known = self._known.get(site.function)
        held = list(known.versions.values()) if known is not None and site.by_first is None else ()
        leaves = zip_longest(*(version.leaves for version in held if version.key == site.version_key))
        deciding = next((number for number, kinds in enumerate(leaves) if len(set(kinds)) > 1), None)
        if deciding is not None:
            site.leaf, site.by_first = deciding, {}

    def version_of_hit(self, site: CallingLine, *, is_plain: bool = False) -> CompileNumber | None:
        """The version that a hit ran, if only one is possible. With `is_plain`, no transformation was around it."""
        ran = self.versions_of_hit(site, is_plain=is_plain)
        return next(iter(ran)) if len(ran) == 1 else None

    def versions_of_hit(self, site: CallingLine, *, is_plain: bool = False) -> dict[CompileNumber, HeldVersion]:
        """The versions that a hit may have run; none if it may have run others."""
        known = self._known.get(site.function)
        if known is None or known.row.token in self._warm or len(known.versions) == KEYS:  # there may be older ones
            return {}
        held = ((number, version) for number, version in list(known.versions.items()) if number >= self.held_from)
        return {number: version for number, version in held if version.may_run(site, is_plain=is_plain)}
