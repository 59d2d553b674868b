"""A recording: what happened between two moments, as rows, reasons, findings and files.

In: a log of events, live or from a file.  Out: `Call` and `Compile` rows, worked out when they are read.
"""

import contextlib
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..jaxcompat.texts.locations import plain_stablehlo, strip_aliases
from ..model import Account, Call, Compile, Finding, HitsSeen, Judgement, OpByOp, Raised, Reason, TextName, system
from ..reasons import Explainer
from . import jsonlines
from .codec import unpack
from .events import CaptureFailed, Event
from .explained_log import ExplainedLog
from .facts import is_running
from .folding import Fold
from .log import Log
from .merging import merge_events
from .whole_file import whole_file

T = TypeVar("T")


class Recording(Log):
    """What was recorded: every call and every compile, oldest first. It grows while the recording runs.

    >>> with jitviz.record() as rec:
    ...     step(model, batch)
    >>> rec.findings

    `with jitviz.record()`, `jitviz.load` and `rec = %jitviz last` give you one. A machine without jax can load it. All
    times are in seconds. Reasons are worked out when you read them.
    """

    is_running: bool | None = None  # whether the process of a recording without an end ran when this was loaded
    _explained: ExplainedLog | None = None
    _last_run: "weakref.ref[Recording] | None" = None

    # -- reading -------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def held_still(self) -> Iterator[None]:
        """In the block, this thread reads the recording as of one moment, whatever other threads record meanwhile. They
        wait only if they read too."""
        self._read()
        with self._reading:
            before = self._still_for
            self._up_to_date()
            self._still_for = system.get_ident()
            try:
                yield
            finally:
                self._still_for = before

    def _up_to_date(self) -> ExplainedLog:
        with self._reading:
            explained = self._explained
            if explained is not None and self._still_for is not None:
                return explained
            unread = self._numbers_unread()  # before the events, so that what is not in here is among them
            events = self._events  # without `_lock`: this takes long, and other threads append meanwhile
            try:
                if explained is None or explained.events is not events:
                    explained = self._explained = ExplainedLog(events, self, "load" if self._is_loaded else "fold")
                explained.add_rest(self.newest_beat)
            except KeyboardInterrupt:
                self._explained = None  # some of it is half done
                raise
            if unread != explained.unread:
                explained.unread, explained.answers = unread, {}
            return explained

    @property
    def facts(self) -> Fold:
        """All that the log holds: rows, cells, stages, failures, limits, start and end."""
        self._read()
        return self._up_to_date().fold

    @property
    def events(self) -> Sequence[Event]:
        """The log itself, oldest first. What was read of a program later comes where it was read."""
        self._read()
        return self._events

    @property
    def calls(self) -> Sequence[Call]:
        """Every call of a jitted function, ordered by when it was first known."""
        return self.facts.calls

    @property
    def compiles(self) -> Sequence[Compile]:
        """Every compiled version (or attempt at one) of the recording, oldest first."""
        return self.facts.compiles

    @property
    def earlier(self) -> Sequence[Compile]:
        """Versions from before this recording that its compiles are compared with."""
        return self._up_to_date().fold.earlier

    @property
    def op_by_op(self) -> Sequence[OpByOp]:
        """Every program that was compiled outside any jit, oldest first."""
        return self._up_to_date().fold.op_by_op

    @property
    def raised(self) -> Sequence[Raised]:
        """Exceptions that left a recorded cell, block or program, explained; oldest first.

        >>> print(*rec.raised)
        """
        return self.facts.raised

    @property
    def last_run(self) -> "Recording | None":
        """The recording of the last run of this cell, as long as something else keeps it."""
        return self._last_run() if self._last_run is not None else None

    def remember(self, last_run: "Recording | None") -> None:
        """Keep in mind the last run of this cell, but do not keep it alive."""
        self._last_run = weakref.ref(last_run) if last_run is not None else None

    @property
    def hits_seen(self) -> HitsSeen:
        """Which hits were seen of functions whose hits JAX answers in C++."""
        return self.facts.hits_seen or "all"

    @property
    def account(self) -> Account:
        """Where the wall time went, by kind of work and by line of the user's code.

        >>> [(part.what, part.seconds) for part in rec.account.parts]
        """
        from ..findings.accounting import find_account  # a layer above, as in the methods below

        return find_account(self)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is worth changing, most seconds first, one finding per cause.

        >>> rec.findings  # a table; each has what to do, and code to paste
        >>> [finding.code for finding in rec.findings]
        """
        from ..findings.find import find

        return find(self)

    @property
    def answers(self) -> dict[object, Any]:
        """What other layers have worked out from the log as it is now; empty again once it has changed."""
        return self._up_to_date().answers

    @property
    def unread(self) -> frozenset[int]:
        """The indices of compiles whose programs are not read yet: what depends on their texts is not known."""
        explained = self._up_to_date()
        indices = map(explained.fold.index_of, explained.unread)
        return frozenset(index for index in indices if index is not None)

    @property
    def is_cut(self) -> bool:
        """Whether the log just stops: the process was killed, or still ran when its file was read."""
        return bool(self._events) and self._is_closed and not self.facts.is_finished

    @property
    def is_incomplete(self) -> bool:
        """Whether something may have happened that is not in the log: it was cut, or some of its file was lost."""
        return self.is_cut or not self.facts.is_whole

    # -- links of the rows (see model.RowLinks) ---------------------------------------------------------------------

    def reasons(self, index: int) -> tuple[Reason, ...]:
        """Why compile number `index` happened, as it is judged now."""
        return self._about(index, Explainer.reasons)

    def judgement(self, index: int) -> Judgement:
        """Whether compile number `index` was avoidable, as it is judged now."""
        return self._about(index, Explainer.judgement)

    def fingerprint(self, index: int) -> str:
        """The fingerprint of the program of compile number `index`, "" if that is not known."""
        self._read()
        programs = self._up_to_date().programs
        return self._about(index, lambda _, miss: programs.fingerprint(miss))

    def compared_with(self, index: int) -> Compile | None:
        """The earlier version that the reasons of compile number `index` compare it with, maybe one of `earlier`. None
        where there is none: a first version, or one with nothing to compare with."""
        before = self._about(index, Explainer.compared_with)
        fold = self._up_to_date().fold
        return None if before is None else fold.newest(fold.misses[before])

    def _about(self, index: int, ask: Callable[[Explainer, int], T]) -> T:
        """What is asked about the miss of a compile, with everything folded so far."""
        with self._reading:
            explained = self._up_to_date()
            try:
                return ask(explained.explainer, explained.fold.first_miss[index])
            except KeyboardInterrupt:
                self._explained = None  # some of it is half done
                raise

    def call_of(self, index: int) -> Call | None:
        """The call that caused compile number `index`."""
        return self._up_to_date().fold.call_of(index)

    def compile_of(self, lineage: str, version: int) -> Compile | None:
        """A version of a function, compiled in this recording or before."""
        return self.facts.compile_of(lineage, version)

    def text(self, index: int, name: TextName) -> str | None:
        """One text of compile number `index`, or None; StableHLO without its locations."""
        text = self.located(index, name)
        return plain_stablehlo(text) if text is not None and name == "stablehlo" else text

    def located(self, index: int, name: TextName) -> str | None:
        """The same text as it was recorded, with the source locations in it."""
        packed = self.facts.texts.get((index, name))
        if packed is None:
            return None
        try:
            return unpack(packed)
        except ValueError as error:
            with self._reading:
                fold = self._up_to_date().fold
                fold.add(CaptureFailed(fold.last_s, "load", f"the {name} of compile {index} was left out: {error}"))
            return None

    def n_lines(self, index: int, name: TextName) -> int:
        """How many lines `text` has, 0 without one. Cached, since a panel that grows asks at every step."""
        packed, known = self.facts.texts.get((index, name), b""), self._up_to_date().n_lines
        if packed and (name, packed) not in known:
            text = self.located(index, name)
            known[name, packed] = len(strip_aliases(text.rstrip("\n"))) if text else 0
        return known.get((name, packed), 0)

    # -- keeping -------------------------------------------------------------------------------------------------

    def to_html(self, path: str | Path, *, most_ir_bytes: int | None = None) -> Path:
        """Write one self-contained page that opens offline, and return its path.

        >>> rec.to_html("run.html")

        It holds all program texts, or those that fit into `most_ir_bytes` when packed: the largest are left out first.
        Links, graphs and comparisons of very large programs are left out. The page says what it leaves out.
        """
        from ..display.page import write_page

        return write_page(self, Path(path), most_ir_bytes)

    def to_json(self, path: str | Path | None = None) -> str:
        """The account, the findings, and compiles and calls by function as one JSON object; also written to `path`.
        `jitviz/findings/schema.json` describes it. It does not grow with the number of calls and compiles.

        >>> rec.to_json("run.json")
        """
        from ..findings.export import write_json

        text = write_json(self)
        if path is not None:
            with whole_file(Path(path)) as place:
                place.write_text(text + "\n", encoding="ascii")
        return text

    def to_perfetto(self, path: str | Path) -> Path:
        """Write the timeline as a trace that https://ui.perfetto.dev and chrome://tracing open, and return its path.

        >>> rec.to_perfetto("trace.json")
        """
        from ..display.perfetto import write_trace

        return write_trace(self, Path(path))

    def _repr_html_(self) -> str:
        from ..display.html import fragment

        return fragment(self)

    def __str__(self) -> str:
        from ..display.text import render

        return render(self)

    def __repr__(self) -> str:
        return f"<jitviz.Recording: {len(self.calls)} calls, {len(self.compiles)} compiles>"


def load(path: str | Path) -> Recording:
    """Read a recording from a file that `Recording.save` wrote. It needs neither jax nor your code.

    >>> rec = jitviz.load("run.jsonl")

    It leaves out lines that it cannot read, such as one that a killed process cut off, and says so in `facts.gaps`. If
    the recording has no end, `is_cut` is true.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no recording; the message names the path, the line, and what to do.
        TypeError: `path` is not a path.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f'load takes a path, such as "run.jsonl", not {type(path).__name__}')
    if Path(path).is_dir():
        raise jsonlines.RefusedError(
            f"{path} is a folder. Load one of its files, or write `jitviz show {path}` for all of them."
        )
    recording = Recording(jsonlines.read(Path(path)), is_closed=True)
    if recording.is_cut:
        facts = recording.facts
        recording.is_running = is_running(facts.processes.get(""), facts.last_s)
    return recording


def check_recordings(recordings: Sequence[object], function: str) -> None:
    """Check the arguments of a public function, which may be paths instead; the message names `function`."""
    for recording in recordings:
        if not isinstance(recording, Recording):
            wanted = 'a recording, such as `jitviz.load("run.jsonl")`'
            raise TypeError(f"{function} takes {wanted}, not {type(recording).__name__}")


def merge(*recordings: Recording) -> Recording:
    """Merge several recordings into one, in the order of time.

    >>> print(jitviz.merge(rec, rec))

    Recordings of one process are explained together, and what is in two of them is kept once. Each other process is
    explained by itself, since processes share no caches.

    Raises:
        ValueError: they are runs of different days; compare those instead.
    """
    check_recordings(recordings, "merge")
    events = merge_events([recording.events for recording in recordings])
    return Recording(events, is_closed=not any(recording.is_live for recording in recordings))
