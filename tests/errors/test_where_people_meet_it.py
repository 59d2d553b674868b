"""An exception is explained in a block, a script, a test, a cell and in hand; and what the user sees of it stays."""

import contextlib
import subprocess
import sys
import traceback
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.__main__ import main
from jitviz.display.score_text import outline_scores
from jitviz.display.wrapped_lines import write
from jitviz.model import Raised, raised_at
from jitviz.views import TERMINAL, shape_panel

PROGRAM = """\
import jax, jax.numpy as jnp

@jax.jit
def clip(x, limit):
    if x.sum() > limit:
        return x / x.sum()
    return x
"""
TOLD = """\
`if` needs a value, but `x` and `limit` are traced in `clip`.
At {file}:5: if x.sum() > limit:
→ Write `jnp.where`, which computes both, or `jax.lax.cond`.
    return jnp.where(x.sum() > limit, x / x.sum(), x)"""


@jax.jit
def clip(x: jax.Array, limit: float) -> jax.Array:
    if x.sum() > limit:
        return x / x.sum()
    return x


def raising(*, is_recorded: bool) -> BaseException:
    block = jitviz.record() if is_recorded else contextlib.nullcontext()
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught, block:
        clip(jnp.ones(3), 2.0)
    return caught.value


def test_the_exception_of_a_recorded_block_is_that_of_a_plain_one() -> None:
    recorded, plain = raising(is_recorded=True), raising(is_recorded=False)
    assert str(recorded) == str(plain)
    assert recorded.__notes__ == plain.__notes__
    assert (recorded.__cause__, recorded.__context__) == (plain.__cause__, plain.__context__)

    def functions(error: BaseException) -> list[str]:
        return [frame.name for frame in traceback.extract_tb(error.__traceback__)]

    assert functions(recorded) == functions(plain)


def test_explain_takes_an_exception_in_hand_that_nobody_recorded() -> None:
    told = jitviz.explain(raising(is_recorded=False))
    assert told.splitlines()[0] == "`if` needs a value, but `x` and `limit` are traced in `clip`."


def test_an_exception_is_in_the_file_of_its_recording(tmp_path: Path) -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError), jitviz.record() as rec:
        clip(jnp.ones(3), 2.0)
    again = jitviz.load(rec.save(tmp_path / "run.jsonl"))
    assert list(again.raised) == list(rec.raised)
    assert list(jitviz.merge(again).raised) == list(rec.raised)


def test_leaving_on_purpose_is_no_error() -> None:
    for purpose in (SystemExit, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(purpose), jitviz.record() as rec:
            raise purpose
        assert list(rec.raised) == []


def test_the_report_of_a_script_begins_with_what_it_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("concurrent.futures.thread._shutdown", False)
    monkeypatch.setattr("concurrent.futures.process._global_shutdown", False)
    Path("train.py").write_text(f"{PROGRAM}\nclip(jnp.ones(3), 2.0)\n")
    assert main(["run", "--save", "run.jsonl", "train.py"]) == 1
    err = capsys.readouterr().err
    assert "TracerBoolConversionError" in err  # Python's own traceback
    assert "`if` needs a value, but `x` and `limit` are traced in `clip`" in err
    (raised,) = jitviz.load("run.jsonl").raised
    assert str(raised) == TOLD.format(file="train.py")


def test_a_test_that_fails_has_a_section_that_explains_it(tmp_path: Path) -> None:
    test = tmp_path / "test_clip.py"
    test.write_text(
        f"{PROGRAM}\ndef test_clip():\n    clip(jnp.ones(3), 2.0)\n\ndef test_plain():\n    assert 1 == 2\n"
    )
    command = [sys.executable, "-m", "pytest", "--jitviz", "-p", "no:cacheprovider", test.name]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120).stdout
    _, section, rest = out.partition("-- jitviz --")
    assert section
    assert TOLD.format(file="test_clip.py").splitlines()[0] in rest
    assert out.count("-- jitviz --") == 1  # none for the assertion


def test_an_exception_of_another_kind_says_only_what_it_says_itself() -> None:
    with pytest.raises(ValueError, match="no such thing"), jitviz.record() as rec:
        raise ValueError("no such thing")
    (raised,) = rec.raised
    assert raised == Raised(
        error="ValueError", message="no such thing", source=raised.source, line='raise ValueError("no such thing")'
    )


CAUGHT = """\
halve  0 compiles
  version  ✕
  x        ●  f32[3]
  limit    ✕  f32[]
  {call}: TracerBoolConversionError: `if` needs a value, but `limit` is traced in `halve`. Write `jnp.where`, which \
computes both, or `jax.lax.cond`; or make `limit` static, if few values occur: `static_argnames=('limit',)`. \
At {source}, `if limit > 1:`.
  ● traced   ✕ made this call raise"""


def test_an_exception_that_the_block_catches_is_explained_in_its_column_at_the_leaves_to_blame() -> None:
    @jax.jit
    def halve(x: jax.Array, limit: float) -> jax.Array:
        if limit > 1:
            x = x / 2
        return x

    x = jnp.ones(3)
    with jitviz.record() as rec, contextlib.suppress(jax.errors.TracerBoolConversionError):
        halve(x, 2.0)
    assert list(rec.raised) == []
    assert not rec.facts.failures
    (score,) = shape_panel(rec, TERMINAL).scores
    bare = replace(score, told="0 compiles", columns=tuple(replace(column, told="") for column in score.columns))
    text = "\n".join(line.rstrip() for line in write(outline_scores([bare], 0, 400), 400))
    source, _ = raised_at(rec.compiles[0].error or "")
    call = "call 1" if score.calls > 0 else "1 call"  # where hits of plain `jax.jit` are seen, calls have numbers
    assert text == CAUGHT.format(source=source, call=call)
