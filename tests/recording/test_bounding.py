"""A recording that outgrows its budget keeps every compile, sums of the oldest hits, and all but the largest texts."""

import threading
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pytest

from jitviz.model import MOST_THREADS, Signature
from jitviz.recording import Recording, load, log, merge
from jitviz.recording import events as ev
from jitviz.recording.bounding import _without_big_texts, nbytes
from jitviz.recording.folding import Fold
from jitviz.recording.unread_programs import Unread
from jitviz.views import shape_panel
from jitviz.views.groups import add_up, group_rows

from .test_calls import LOG, noted


def on_another_thread(work: Callable[[], object]) -> None:
    """Run `work` on a thread that must not have to wait for this one."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def filled(most: int | None, n_blocks: int = 20) -> Recording:
    """Blocks of ten hits, a block each half minute, of two lines that take turns."""
    recording = Recording(LOG[:1], max_bytes=most)
    for event in LOG[1:]:
        recording.append(event)
    for number in range(n_blocks):
        start_s = 120 + 30 * number
        recording.append(noted(*((5 + 2 * (hit % 2), start_s + hit, 1) for hit in range(10))))
    return recording


def test_the_oldest_hits_become_sums_by_line_and_minute_and_none_is_lost() -> None:
    rec = filled(2400)
    (sums,) = (event for event in rec.events if isinstance(event, ev.HitsSummed))
    rows = list(rec.facts.calls.summed())
    old = [(call.source, call.start_s, n) for call, n in rows if call.index < 0]
    assert old[:4] == [("a.py:3", 20.0, 10), ("a.py:5", 21.0, 10), ("a.py:3", 80.0, 10), ("a.py:5", 81.0, 10)]
    assert sum(n for _, n in rows) == 201
    assert sum(call.duration_s or 0 for call, _ in rows) == 201.0
    assert len(rec.calls) == 201 - sum(n for *_, n in old) == list(rec.calls)[-1].index + 1
    assert len(sums.numbers) == 32 * len(old)
    n = 201 - len(rec.calls)
    assert rec.facts.limits == (f"Of the oldest {n:,} calls, only sums by line are kept (max_bytes).",)


@pytest.mark.parametrize("most", [2400, 4800])
def test_it_stays_within_its_budget_at_every_moment(most: int) -> None:
    assert max(sum(map(nbytes, filled(most, n).events)) for n in range(40)) <= most


def test_a_budget_changes_neither_compiles_nor_the_counts_of_calls() -> None:
    small, whole = filled(2400), filled(None)
    assert [(row.version, row.reasons) for row in small.compiles] == [
        (row.version, row.reasons) for row in whole.compiles
    ]
    assert small.calls[0] == whole.calls[0]
    for recording in (small, whole):
        totals = add_up(recording, group_rows(recording))
        assert (totals["call"], totals["hit"]) == (201, 200)
        (site,) = shape_panel(recording).functions[0].call_sites
        assert (site.source, site.told) == ("a.py:3", "100 calls, 100 hits")


def test_calls_held_by_the_user_still_know_their_version_after_hits_were_summed() -> None:
    rec = filled(2400, 3)
    kept = list(rec.calls)
    ran = [call.compile for call in kept]
    assert ran == [rec.compiles[0], *(rec.compiles[0], None) * 15]
    rec.append(noted(*((7, 400 + hit, 1) for hit in range(80))))
    assert len(rec.calls) < len(kept)
    assert [call.compile for call in kept] == ran


def test_the_largest_texts_are_dropped_first() -> None:
    rec = Recording(LOG, max_bytes=2000)
    for name, size in (("jaxpr", 300), ("stablehlo", 900), ("hlo", 1200)):
        rec.append(ev.TextSeen(103.0, 80, name, bytes(size)))  # type: ignore[arg-type]
    assert sorted(name for _, name in rec.facts.texts) == ["jaxpr", "stablehlo"]
    assert rec.facts.limits == ("The largest program text was dropped: 1.2 kB compressed (max_bytes).",)


def test_no_more_texts_are_dropped_than_necessary() -> None:
    texts: list[ev.Event] = [ev.TextSeen(103.0, 80, "hlo", bytes(size)) for size in (300, 900, 1200)]
    most = nbytes(texts[0]) + nbytes(texts[1])
    assert _without_big_texts(texts, most)[:2] == texts[:2]


def test_the_open_file_of_a_recording_shrinks_with_it(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    rec = Recording(LOG[:1], max_bytes=2400)
    rec.save(path)
    for event in filled(None).events[1:]:
        rec.append(event)
    before, is_over = path.stat().st_size, iter([False, True])
    rec._keep_writing(SimpleNamespace(wait=lambda _: next(is_over)))  # type: ignore[arg-type]  # the thread, for one turn
    assert path.stat().st_size < before / 2
    assert load(path).events == rec.events
    rec.append(noted((7, 900, 1)))
    rec.update_file()
    assert load(path).events == rec.events
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_shrinks_in_its_folder_after_the_program_has_moved_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    rec = Recording(LOG[:1])
    assert rec.save("run.jsonl") == Path("run.jsonl")
    monkeypatch.chdir(tmp_path / "elsewhere")
    rec.shrink(0)
    rec.update_file()
    rec.append(LOG[1])
    assert load(tmp_path / "run.jsonl").events == rec.events
    rec.close()


def test_a_file_that_another_thread_has_left_meanwhile_is_not_taken_up_again(tmp_path: Path) -> None:
    class SavedFirst:
        """The lock, which another thread gets first to save the recording elsewhere."""

        def __enter__(self) -> None:
            rec._lock = lock
            rec.save(tmp_path / "new.jsonl")
            lock.acquire()

        def __exit__(self, *_: object) -> None:
            lock.release()

    rec = Recording(LOG[:1])
    rec.save(tmp_path / "run.jsonl")
    rec.shrink(0)
    lock, rec._lock = rec._lock, SavedFirst()  # type: ignore[assignment]
    rec.update_file()
    rec.append(LOG[1])
    assert load(tmp_path / "new.jsonl").events == rec.events
    rec.close()


def before_the_first_call(
    monkeypatch: pytest.MonkeyPatch, owner: type, method: str, other: Callable[[], object]
) -> None:
    """Run `other` on another thread before a method is called for the first time."""

    def go_on(self: object, event: ev.Event) -> None:
        monkeypatch.undo()
        on_another_thread(other)
        getattr(self, method)(event)

    monkeypatch.setattr(owner, method, go_on)


@pytest.mark.parametrize("name", ["run.jsonl", "new.jsonl"])
def test_other_threads_go_on_while_the_file_is_written_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other() -> None:
        if name == "new.jsonl":
            rec.save(tmp_path / name)
        rec.append(LOG[1])

    rec = Recording(LOG[:1])
    rec.save(tmp_path / "run.jsonl")
    rec.shrink(0)
    before_the_first_call(monkeypatch, log.jsonlines.Appender, "write", other)
    rec.update_file()
    rec.append(LOG[2])
    assert load(tmp_path / name).events == rec.events
    assert list(rec.events) == list(LOG[:3])
    assert {path.name for path in tmp_path.iterdir()} == {"run.jsonl", name}
    rec.close()


@pytest.mark.parametrize("shrinks", [False, True])
def test_other_threads_go_on_while_the_recording_is_saved(
    shrinks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other() -> None:
        rec.append(LOG[1])
        if shrinks:
            rec.shrink(0)
        rec.append(LOG[2])

    rec = Recording(LOG[:1])
    before_the_first_call(monkeypatch, log.jsonlines.Appender, "write", other)
    rec.save(tmp_path / "run.jsonl")
    rec.append(LOG[3])
    assert load(tmp_path / "run.jsonl").events == rec.events
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    rec.close()


def test_what_a_destructor_appends_while_a_recording_is_saved_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, write = [LOG[2], LOG[1]], log.jsonlines.Appender.write

    def go_on(sink: log.jsonlines.Appender, event: ev.Event) -> None:
        if left:
            rec.append(left.pop())
        write(sink, event)

    rec = Recording(LOG[:1])
    monkeypatch.setattr(log.jsonlines.Appender, "write", go_on)
    rec.save(tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl").events == rec.events == list(LOG[:3])
    rec.close()


def test_a_program_that_is_put_off_while_a_recording_is_saved_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ev.TextSeen(103.0, 80, "hlo", b"packed")
    rec, unread = Recording(LOG), Unread(1, lambda: [text])
    before_the_first_call(monkeypatch, log.jsonlines.Appender, "write", lambda: rec.read_later(unread))
    rec.save(tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl").events == [*LOG, text]
    rec.close()


def test_a_signal_handler_may_read_a_recording_that_is_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def go_on(fold: Fold, event: ev.Event) -> None:
        monkeypatch.undo()
        fold.add(event)
        read.append(len(rec.calls))

    rec, read = Recording(LOG), list[int]()
    monkeypatch.setattr(Fold, "add", go_on)
    assert [len(rec.calls), *read] == [1, 1]


def test_other_threads_go_on_while_the_recording_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rec = Recording(LOG[:1])
    before_the_first_call(monkeypatch, Fold, "add", lambda: rec.append(LOG[1]))
    assert rec.facts.functions == {}
    assert list(rec.facts.functions) == [1]


def test_a_file_that_cannot_be_shrunk_goes_on_and_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rec = Recording(LOG[:1])
    path, tried = rec.save(tmp_path / "run.jsonl"), []

    def refuse(path: Path) -> None:
        tried.append(path)
        raise OSError("no room for a second file")

    monkeypatch.setattr(log, "whole_file", refuse)
    rec.shrink(0)
    rec.update_file()
    rec.update_file()
    rec.append(LOG[1])
    assert (tried, load(path).events) == ([path], list(LOG[:2]))
    rec.close()


def test_sums_are_saved_and_merged(tmp_path: Path) -> None:
    rec = filled(2400)
    loaded = load(rec.save(tmp_path / "rec.jsonl"))
    assert list(loaded.facts.calls.summed()) == list(rec.facts.calls.summed())
    other = Recording([ev.RecordingStarted(100.0, process="q"), *rec.events[1:]])
    assert sum(n for _, n in merge(rec, other).facts.calls.summed()) == 402


def with_calls(most: int, *calls: Sequence[ev.Event]) -> Recording:
    recording = Recording(LOG[:1], max_bytes=most)
    for event in (*LOG[1:], *chain.from_iterable(calls)):
        recording.append(event)
    return recording


def inside(number: int, thread: str = "MainThread", parent: int | None = None) -> list[ev.Event]:
    """A hit inside a transformation, which is no plain one."""
    at_s = 110.0 + number
    return [ev.CallFinished(at_s + 0.5, 1000 + number, 1, at_s, "hit", parent, thread, "a.py:7", compile=80)]  # type: ignore[arg-type]


def raising(number: int, error: str = "ValueError: no") -> list[ev.Event]:
    """A call that raises while it runs."""
    at_s = 110.0 + number
    return [ev.CallFinished(at_s + 0.5, 1000 + number, 2, at_s, "error", source="a.py:8", error=error)]  # type: ignore[arg-type]


KINDS: dict[str, Callable[[int], Sequence[ev.Event]]] = {
    "hits inside a transformation": inside,
    "hits of as many threads as are told apart": lambda number: inside(number, f"request {number % MOST_THREADS}"),
    "calls that raise": raising,
    "calls that raise something else each time": lambda number: raising(number, f"ValueError: {number}"),
    "calls that raise, and hits": lambda number: [*raising(number), noted((5, 110 + number, 1))],
    "failures inside jitviz": lambda number: [ev.CaptureFailed(110.0, "hit", "KeyError: 1")],
    "hits, one a minute for weeks": lambda number: [noted((5, 110 + 60 * number, 1))] * 5,
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_grows_with_the_calls_stays_within_the_budget_and_is_counted(kind: str) -> None:
    half, whole = (with_calls(60_000, *map(KINDS[kind], range(n))) for n in (1000, 2000))
    assert max(half.nbytes, whole.nbytes) <= 60_000
    assert len(whole.events) < 2000
    for n, recording in ((1000, half), (2000, whole)):
        totals = add_up(recording, group_rows(recording))
        raised = n * ("raise" in kind)
        hits = n * (5 if "weeks" in kind else not ("raise" in kind or "failures" in kind) or "and hits" in kind)
        assert (totals["call"], totals["hit"], totals["error"]) == (1 + hits + raised, hits, raised)
        assert recording.facts.n_summed == totals["call"] - len(recording.calls)


def test_calls_that_contain_others_are_summed_up_with_them_and_a_log_can_be_summed_twice() -> None:
    outer = [ev.CallStarted(110.0, 500, 2, source="a.py:1"), *inside(1, parent=500)]  # type: ignore[arg-type]
    outer.append(ev.CallFinished(113.0, 500, 2, 110.0, "hit", source="a.py:1"))  # type: ignore[arg-type]
    rec = with_calls(10**9, outer, inside(2))
    for _ in range(2):
        rec.shrink(0)
        assert [(call.function, call.source, call.version, n) for call, n in rec.facts.calls.alike()] == [
            ("step", "", 1, 1), ("step", "a.py:7", 1, 2), ("other", "a.py:1", None, 1),
        ]  # fmt: skip  # a table
    assert rec.facts.gaps == []


def test_sums_stay_between_the_compiles_that_were_between_their_calls() -> None:
    again = [
        ev.CallStarted(300.0, 71, 1, source="a.py:8"),  # type: ignore[arg-type]
        ev.CompileStarted(300.0, 81, 71, 1, Signature(), "a.py:8"),  # type: ignore[arg-type]
        ev.CallFinished(301.0, 71, 1, 300.0, "compile", source="a.py:8", compile=81),  # type: ignore[arg-type]
    ]
    rec = with_calls(10**9, [noted((5, 103, 1))] * 3, again, [noted((5, 302, 1))] * 4)
    rec.shrink(0)
    assert [(call.outcome, n) for call, n in rec.facts.calls.alike()] == [
        ("compile", 1), ("hit", 3), ("compile", 1), ("hit", 4),
    ]  # fmt: skip  # a table
