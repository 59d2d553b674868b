import contextlib
import inspect
import re
import sys
from collections.abc import Iterator

import IPython
import pytest
from IPython.core.interactiveshell import InteractiveShell

from jitviz.capture.log.watcher import watcher
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev
from jitviz.recording.unread_programs import Depth, at_prompt, reading
from jitviz.views import TERMINAL, as_text, shape_panel

from .conftest import Run

SETUP = """
import jax, jax.numpy as jnp
x = jnp.ones(3)
double = jax.jit(lambda x: x * 2)
"""


@pytest.fixture(autouse=True)
def _set_up(run: Run) -> None:
    run(SETUP)


def test_a_cell_is_recorded_from_its_start_to_its_end(run: Run) -> None:
    recording = run("%%filterjit\ny = double(x)").recording
    assert [(call.function, call.outcome) for call in recording.calls] == [("<lambda>", "compile")]
    assert [cell.label for cell in recording.facts.cells] == ["In [2]"]
    assert not recording.is_live


def test_the_end_of_a_cell_does_not_read_large_programs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jitviz.ipython.recorded_cells.MOST_READ", 100)
    ran = run("%%filterjit\ny = double(x)")
    assert ran.recording.unread_nbytes > 100
    assert ran.notes == ["some programs are large and were not read yet; %jitviz report reads them"]
    assert ran.recording.compiles[0].hlo is not None
    assert run("%%filterjit\ny = double(x)").notes == []


def judged(recording: Recording) -> list[str]:
    rows = [row for row in recording.compiles if row.function == "centre"]
    return [f"{row.judgement.verdict}: {row.judgement.words}" for row in rows]


def test_the_report_judges_sizes_as_the_panels_did_and_names_the_cell_that_showed_otherwise(run: Run) -> None:
    run("import jitviz, numpy as np\n@jitviz.filter_jit\ndef centre(x): return x - x.mean()")
    cells: list[Recording] = []
    panels, reports = [], []
    for size in (8, 10, 12, 14):
        cells.append(run(f"%%filterjit\nfor _ in range(3): centre(np.ones({size}))").recording)
        panels += judged(cells[-1])
        reports.append(judged(merge(*cells)))  # as `%jitviz report` does
    other = "the same program for another size"
    needed = f"expected: {other}; each line has a size of its own"
    padded = f"avoidable: {other}; expected until `x` came in one more size at In [6]:2"
    assert panels == ["expected: ", needed, needed, f"avoidable: {other}"]
    assert reports == [panels[:1], panels[:2], panels[:3], ["expected: ", padded, padded, f"avoidable: {other}"]]
    assert [finding.summary for finding in merge(*cells).findings] == [
        "`x` came in 4 sizes: f32[8] … f32[14]; "
        "the panel of In [4] expected it, until `x` came in one more size at In [6]:2"
    ]


def test_in_a_notebook_a_cell_that_nobody_asked_for_is_read_for_its_findings_alone(
    run: Run, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    depths: list[Depth] = []

    @contextlib.contextmanager
    def noted(depth: Depth) -> Iterator[None]:
        depths.append(depth)
        with reading(depth):
            yield

    monkeypatch.setattr("jitviz.ipython.recorded_cells.reading", noted)
    run("%jitviz on")
    run("y = 1")
    monkeypatch.setattr(shell, "kernel", object(), raising=False)
    run("y = 1")
    run("%%filterjit\ny = 1")
    assert [depth for depth in depths if depth != "nothing"] == ["whole", "findings", "whole"]


def test_recordings_within_the_limit_keep_their_hits_and_texts(run: Run) -> None:
    first = run("%%filterjit\ny = double(x)").recording
    second = run("%%filterjit\n1").recording
    run(f"%jitviz on --max {first.nbytes + 2 * second.nbytes}B")
    run("%%filterjit\n1")
    assert first.nbytes > 0
    run("%jitviz on --max 1B")
    run("%%filterjit\n1")
    assert first.nbytes == 0


def test_the_panel_is_imported_before_the_recording_begins(
    run: Run, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_recordings: list[int] = []
    monkeypatch.setattr(shell, "kernel", object(), raising=False)
    monkeypatch.setattr("jitviz.ipython.recorded_cells.load", lambda: open_recordings.append(len(watcher.sinks)))
    run("%%filterjit\n41 + 1")
    assert open_recordings == [0]


def test_the_cell_has_run_once_and_its_value_is_shown(run: Run, shell: InteractiveShell) -> None:
    run("count = 0")
    ran = run("%%filterjit\ncount += 1\ncount")
    assert (ran.value, ran.stdout) == (1, "Out[3]: 1\n")
    assert run("%%filterjit\n41 + 1;").stdout == ""
    assert shell.user_ns["count"] == 1
    assert shell.user_ns["_3"] == 1


def test_a_cell_without_a_header_is_not_recorded(run: Run) -> None:
    assert run("double(x)").panels == []


def test_a_later_recompile_is_compared_with_the_compiles_of_earlier_cells(run: Run) -> None:
    run("double(x)")
    recording = run("%%filterjit\ndouble(jnp.ones(4))").recording
    assert [compile.signature.leaves[0].shape for compile in recording.compiles] == [(4,)]
    assert [compile.signature.leaves[0].shape for compile in recording.earlier][-1] == (3,)


def test_the_panel_follows_an_error_which_stays_the_error_of_the_cell(run: Run) -> None:
    ran = run("%%filterjit\ndouble(x)\nraise KeyError('gone')")
    assert isinstance(ran.error, KeyError)
    assert not ran.result.success
    assert ran.recording.facts.cells[0].error == "KeyError: 'gone'"
    assert [call.outcome for call in ran.recording.calls] == ["compile"]


def test_the_traceback_has_the_line_numbers_of_the_cell(run: Run) -> None:
    ran = run("%%filterjit\n\n\n1 / 0")
    traceback = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)
    assert "In[2], line 4" in traceback or IPython.version_info < (8,)
    assert "----> 4 1 / 0" in traceback
    assert traceback.count("ZeroDivisionError: division by zero") == 1


@pytest.mark.filterwarnings("ignore:To exit")
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit"])
def test_interrupts_and_exits_are_those_of_a_plain_cell(run: Run, error: str) -> None:
    plain = run(f"raise {error}")
    ran = run(f"%%filterjit\nraise {error}")
    assert type(ran.error) is type(plain.error)
    assert ran.recording.facts.cells[0].error == error


def test_a_cell_that_does_not_parse_shows_its_error_and_no_panel(run: Run) -> None:
    ran = run("%%filterjit\nx = = 1")
    assert isinstance(ran.error, SyntaxError)
    assert ran.error.lineno == 2
    assert ran.panels == []


@pytest.mark.skipif(IPython.version_info < (8,) and sys.version_info >= (3, 12), reason="IPython 7 cannot assign !echo")
def test_line_magics_and_shell_commands_work_in_the_body(run: Run) -> None:
    ran = run("%%filterjit\n%env JITVIZ_SEEN=1\nfound = !echo $JITVIZ_SEEN\nfound[0]")
    assert ran.value == "1"


def test_a_wrong_option_raises_one_line_and_the_cell_does_not_run(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%filterjit --cells\nhas_run = True")
    usage = "Write %%filterjit [--cell | -f NAME ...] [--quiz]; see %%filterjit?."
    message = f"%%filterjit: unrecognized arguments: --cells. Did you mean --cell? {usage}"
    assert ran.stdout + ran.stderr == f"UsageError: {message}\n"
    assert str(ran.error) == message
    assert "has_run" not in shell.user_ns
    assert ran.panels == []


@pytest.mark.parametrize("is_above", [True, False])
@pytest.mark.parametrize(
    ("magic", "printed"), [("%%time", "Wall time"), ("%%timeit -n2 -r1", "per loop"), ("%%capture out", "")]
)
def test_other_cell_magics_work_above_and_below(
    run: Run, shell: InteractiveShell, magic: str, printed: str, is_above: bool
) -> None:
    ran = run("\n".join([magic, "%%filterjit", "double(x)"] if is_above else ["%%filterjit", magic, "double(x)"]))
    assert printed in ran.stdout
    assert len(ran.recording.compiles) == 1
    assert magic != "%%time" or list(ran.value) == [2, 2, 2]
    assert magic != "%%capture out" or shell.user_ns["out"].outputs[0].data["text/plain"].startswith("Array([2., 2.")


@pytest.mark.parametrize("between", ["# why?", "%%capture inner"])
def test_a_cell_that_another_magic_runs_is_recorded_once(run: Run, between: str) -> None:
    ran = run(f"%%capture out\n{between}\n%%filterjit\ndouble(x)")
    assert len(ran.recording.compiles) == 1


def test_a_cell_inside_a_cell_has_its_own_panel_first(run: Run) -> None:
    ran = run("%%filterjit\nget_ipython().run_cell('%%filterjit\\ndouble(x)')\ndouble(jnp.ones(4));")
    inner, outer = (recording for recording, _ in ran.panels)
    assert [len(recording.compiles) for recording in (inner, outer)] == [1, 2]
    assert [cell.label for cell in (*inner.facts.cells, *outer.facts.cells)] == ["In [2]", "In [2]"]


def test_a_compile_knows_each_line_of_a_cell_that_led_to_it_once_however_deep_it_is(run: Run) -> None:
    links = "\n".join(f"def f{n}(k):\n    return f{n + 1}(k)" for n in range(10))
    last = "def f10(k):\n    return f0(k - 1) if k else double(x[:2])"
    (row,) = run(f"%%filterjit\n{links}\n{last}\ny = [f0(2) for _ in range(1)]").recording.compiles
    assert row.source == "In [2]:23"
    assert row.stack == (*(f"In [2]:{line}" for line in range(23, 2, -2)), "In [2]:24")


def test_a_plain_cell_inside_a_recorded_one_is_part_of_it(run: Run) -> None:
    ran = run("%%filterjit\nget_ipython().run_cell('double(x)')")
    assert [call.outcome for call in ran.recording.calls] == ["compile"]


def test_the_label_of_a_cell_without_a_number_is_empty_brackets(
    run: Run, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels: list[str] = []
    monkeypatch.setattr(
        "jitviz.ipython.recorded_cells.show_panel", lambda recording, *_, **__: labels.append(recording.facts.label)
    )
    shell.run_cell("%%filterjit\n1", store_history=False)
    assert labels == ["In [ ]"]


def test_an_error_of_capture_prints_one_line_and_the_cell_runs(
    run: Run, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr("jitviz.capture.begin", fail)
    ran = run("%%filterjit\nhas_run = True")
    assert ran.stdout == "jitviz: capture incomplete: RuntimeError: no room\n"
    assert ran.error is None
    assert shell.user_ns["has_run"]


def test_the_magic_can_be_run_by_name(run: Run) -> None:
    ran = run("get_ipython().run_cell_magic('filterjit', '', 'double(x)')")
    assert [call.outcome for call in ran.recording.calls] == ["compile"]
    ran = run("get_ipython().run_cell_magic('filterjit', '', '1 / 0')")
    assert isinstance(ran.error, ZeroDivisionError)


def test_nobody_is_at_the_prompt_while_a_cell_runs(run: Run) -> None:
    assert run("from jitviz.recording.unread_programs import at_prompt\nat_prompt.is_set()").value is False
    assert at_prompt.is_set()
    run("at_prompt.is_set()\n%unload_ext jitviz")
    assert at_prompt.is_set()


def test_a_cell_that_unloads_jitviz_shows_no_panel(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%filterjit\n%unload_ext jitviz")
    assert ran.panels == []
    ran = run("%%filterjit\n1")
    assert str(ran.error) == "Cell magic `%%filterjit` not found."


def test_the_events_of_a_cell_are_between_its_start_and_its_end(run: Run) -> None:
    appended_at_the_end = (ev.TextSeen, ev.ProgramSeen, ev.LinesSampled, ev.FunctionsGone)
    recording = run("%%filterjit\ndouble(x)").recording
    events = [event for event in recording.events if not isinstance(event, appended_at_the_end)]
    assert [type(event) for event in (*events[:2], *events[-2:])] == [
        ev.RecordingStarted,
        ev.CellStarted,
        ev.CellFinished,
        ev.RecordingFinished,
    ]


def test_the_source_of_a_function_defined_in_the_cell_is_found(run: Run, shell: InteractiveShell) -> None:
    run("%%filterjit\n\ndef triple(x):\n    return x * 3")
    assert inspect.getsource(shell.user_ns["triple"]) == "def triple(x):\n    return x * 3\n"


def since(recording: Recording) -> str:
    return re.sub(r"[\d.]+( m?s)?( → [\d.]+)? m?s", "… s", as_text(shape_panel(recording, TERMINAL).verdict.since))


def test_a_cell_that_runs_again_is_compared_with_its_last_run(run: Run) -> None:
    cell = "%%filterjit\nfor n in sizes:\n    again(jnp.ones(n))"
    run("sizes = (21, 22, 23)\nagain = jax.jit(lambda x: x + 1)")
    assert since(run(cell).recording) == ""
    run("sizes = (24,)")
    again = run(cell).recording
    assert since(again) == "Since the last run: 3 → 1 compile, … s; gone: none; new: none"
    assert [score.compiles for score in shape_panel(again, TERMINAL).last_scores][:1] == [3]
    assert since(run(f"{cell}\n").recording) == "Since the last run: 1 → 0 compiles, … s; gone: `x`; new: none"
    assert since(run(f"{cell}  # another").recording) == ""
    assert since(run(cell).recording) == ""  # hits only, as before


def test_a_notebook_compares_a_cell_that_was_edited(run: Run, shell: InteractiveShell) -> None:
    for text in (
        "edited = jax.jit(lambda x: x * 5); edited(jnp.ones(31)); edited(jnp.ones(32))",
        "edited(jnp.ones(33))",
    ):
        shell.run_cell(f"%%filterjit\n{text}", store_history=True, cell_id="a1")
    recording = shell.run_line_magic("jitviz", "last")
    assert since(recording) == "Since the last run: 2 → 1 compile, … s; gone: none; new: none"
