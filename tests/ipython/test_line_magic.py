import platform
from pathlib import Path

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell

from jitviz import __version__, load
from jitviz.ipython import line_magic
from jitviz.views.glossary import GLOSSARY

from .conftest import Ran, Run

SETUP = """
import jax, jax.numpy as jnp
x = jnp.ones(3)
double = jax.jit(lambda x: x * 2)
"""
NOTHING = "Nothing is recorded yet. Begin a cell with %%filterjit, or write %jitviz on to record every cell.\n"


@pytest.fixture
def shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The panels that `%jitviz` shows, as (number of cells, number of compiles)."""
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "jitviz.ipython.line_magic.show_panel",
        lambda recording: found.append((len(recording.facts.cells), len(recording.compiles))),
    )
    return found


def two_cells(run: Run) -> None:
    run(SETUP)
    run("%%filterjit\ndouble(x)")
    run("%%filterjit\ndouble(jnp.ones(4))")


def test_on_records_every_cell_and_shows_those_with_a_jitted_call(run: Run) -> None:
    run(SETUP)
    assert run("%jitviz on").stdout == "jitviz records every cell, starting with the next. %jitviz off stops it.\n"
    assert run("1 + 1").panels == []
    assert [call.outcome for call in run("double(x)").recording.calls] == ["compile"]
    assert len(run("%%filterjit\n1").panels) == 1
    assert run("%jitviz off").stdout == "jitviz records cells that begin with %%filterjit.\n"
    assert run("double(jnp.ones(4))").panels == []


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("60000", 60_000), ("600B", 600), (" 8 kB ", 8_000), ("64MB", 64_000_000), ("1.5 g", 1_500_000_000)],
)
def test_a_size_is_a_number_of_bytes_with_or_without_a_unit(text: str, nbytes: int) -> None:
    assert line_magic._nbytes(text) == nbytes


def test_on_may_limit_the_size_of_the_recordings(run: Run, shell: InteractiveShell) -> None:
    assert "is not a size. Write 64MB, or a number of bytes." in message(run("%jitviz on --max many"))
    assert "64 means bytes. Write 64MB, or 64B if you mean that." in message(run("%jitviz on --max 64"))
    run(SETUP)
    run("%jitviz on --max 600B")
    kept = []
    for size in range(1, 7):
        kept.append(run(f"double(jnp.ones({size}))").recording)
        assert len(kept[-1].facts.texts) > 0  # read by now
        assert sum(recording.nbytes for recording in kept[:-1]) <= 600
    assert kept[0].facts.texts == {}
    assert [len(recording.compiles) for recording in kept] == [1] * 6


def test_status_prints_the_versions_and_how_much_is_recorded(run: Run) -> None:
    two_cells(run)
    assert run("%jitviz status").stdout.splitlines()[:3] == [
        f"jitviz {__version__}, jax {jax.__version__}, Python {platform.python_version()}",
        "recording: cells that begin with %%filterjit",
        "recorded:  2 cells, 2 calls, 2 compiles",
    ]


def test_one_cell_and_one_call_are_counted_in_the_singular(run: Run, tmp_path: Path) -> None:
    run(SETUP)
    run("%%filterjit\ndouble(x)")
    assert run("%jitviz status").stdout.splitlines()[2] == "recorded:  1 cell, 1 call, 1 compile"
    path = tmp_path / "run.jsonl"
    assert run(f"%jitviz save {path}").stdout == f"saved 1 call and 1 compile to {path}\n"


def test_report_shows_all_recorded_cells_as_one(run: Run, shown: list[tuple[int, int]]) -> None:
    assert run("%jitviz report").stdout == NOTHING
    two_cells(run)
    run("%jitviz report")
    assert shown == [(2, 2)]


def test_last_returns_the_recording_of_the_newest_cell(run: Run) -> None:
    assert message(run("%jitviz last")) == f"%jitviz last: {NOTHING.strip()}"
    two_cells(run)
    run("rec = %jitviz last")
    assert run("[reason.kind for reason in rec.compiles[0].reasons]").value == ["shape"]


def test_last_returns_the_recording_of_the_panel_that_was_shown_last(run: Run, tmp_path: Path) -> None:
    two_cells(run)
    run("%jitviz report\nrec = %jitviz last")
    assert run("len(rec.compiles)").value == 2
    run(f"%jitviz save {tmp_path / 'two.jsonl'}")
    two_cells(run)
    run(f"%jitviz load {tmp_path / 'two.jsonl'}\nrec = %jitviz last")
    assert run("len(rec.compiles)").value == 2
    run("%jitviz clear")
    assert message(run("%jitviz last")) == f"%jitviz last: {NOTHING.strip()}"


def test_clear_drops_all_recordings(run: Run) -> None:
    two_cells(run)
    assert run("%jitviz clear").stdout == "jitviz dropped 2 recorded cells.\n"
    assert run("%jitviz report").stdout == NOTHING


def test_a_saved_file_can_be_loaded(run: Run, shown: list[tuple[int, int]], tmp_path: Path) -> None:
    path = tmp_path / "two cells.jsonl"
    assert run(f"%jitviz save {path}").stdout == NOTHING
    two_cells(run)
    assert run(f"%jitviz save {path}").stdout == f"saved 2 calls and 2 compiles to {path}\n"
    assert [cell.label for cell in load(path).facts.cells] == ["In [3]", "In [4]"]
    run(f"%jitviz load '{path}'")
    assert shown == [(2, 2)]


def message(ran: Ran) -> str:
    assert ran.stdout + ran.stderr == f"UsageError: {ran.error}\n"
    return str(ran.error)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "%jitviz takes a command."),
        ("stop", "%jitviz: there is no command 'stop'."),
        ("on off", "%jitviz on does not take 'off'."),
        ("on --max", "%jitviz on does not take '--max'."),
        ("on --mx 3", "%jitviz on does not take '--mx 3'. Did you mean --max?"),
    ],
)
def test_a_wrong_line_raises_the_usage(run: Run, line: str, expected: str) -> None:
    usage = "Write %jitviz on [--max SIZE]|off|status|report|last|clear|save PATH|load PATH|why|help [TERM]."
    assert message(run(f"%jitviz {line}")) == f"{expected} {usage}"


def test_a_missing_path_is_asked_for_with_an_example(run: Run) -> None:
    assert message(run("%jitviz save")) == "%jitviz save takes a path, as in %jitviz save run.jsonl."


def test_files_that_cannot_be_used_raise_an_error_with_the_path(
    run: Run, tmp_path: Path, shell: InteractiveShell
) -> None:
    two_cells(run)
    missing, wrong = tmp_path / "none" / "run.jsonl", tmp_path / "notes.txt"
    wrong.write_text("notes")
    assert message(run(f"%jitviz load {missing}")) == f"%jitviz load {missing}: No such file or directory."
    assert message(run(f"%jitviz save {missing}")) == f"%jitviz save {missing}: No such file or directory."
    assert message(run(f"%jitviz load {wrong}")) == (
        f"%jitviz load: {wrong}: line 1 is not the header of a recording. "
        "Give a file that Recording.save(), jitviz run --save or %jitviz save wrote."
    )


def test_help_explains_a_term_of_the_panel(run: Run) -> None:
    explained = """\
weak type: The dtype came from a Python number, and gives way to that of any array it is combined
with. The same dtype needs a different version if it is weak in one call and not in the next.

    f = jax.jit(lambda x: x + 1)
    f(1.0)  # compiles for a weak f32
    f(jnp.float32(1))  # compiles
"""
    assert [run(f"%jitviz help {term}").stdout for term in ("weak type", "Weak_type", "weakly  typed")] == [
        explained
    ] * 3


def test_help_without_a_term_lists_all(run: Run) -> None:
    head, *lines = run("%jitviz help").stdout.splitlines()
    assert head.startswith("Terms of the panel. %jitviz help TERM explains one")
    assert " ".join(map(str.strip, lines)).split(" · ") == list(GLOSSARY)


@pytest.mark.parametrize(
    ("term", "hint"),
    [
        ("weaktype", "Did you mean 'weak type' or 'dtype'?"),
        ("static_vale", "Did you mean 'static value' or 'static eq' or 'aval'?"),
        ("zebra", "%jitviz help lists all."),
    ],
)
def test_help_for_an_unknown_term_suggests_others(run: Run, term: str, hint: str) -> None:
    assert message(run(f"%jitviz help {term}")) == f"%jitviz help: {term!r} is not a term of the panel. {hint}"


def test_why_explains_the_last_exception_of_a_session_that_only_loaded_the_extension(run: Run) -> None:
    run("import jax, jax.numpy as jnp")
    run("step = jax.jit(lambda x: x if x.sum() > 0 else -x)")
    run("step(jnp.ones(3))")
    told = run("%jitviz why").stdout
    assert told.splitlines()[0] == "`… if … else …` needs a value, but `x` is traced in `<lambda>`."
    assert told.splitlines()[-1] == "    step = jax.jit(lambda x: jnp.where(x.sum() > 0, x, -x))"


def test_why_says_so_where_nothing_was_raised(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("last_exc", "last_value"):
        monkeypatch.delattr("sys." + name, raising=False)
    assert str(run("%jitviz why").error) == "%jitviz why: no cell of this session has raised."


def test_a_slip_in_a_verb_is_met_with_what_was_meant(run: Run) -> None:
    assert str(run("%jitviz repotr").error).startswith(
        "%jitviz: there is no command 'repotr'. Did you mean report? Write "
    )
