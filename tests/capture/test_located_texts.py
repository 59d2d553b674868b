"""Texts with places in them: the plain ones stay JAX's and XLA's own, and no path of the user's home is in any."""

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.capture import sources
from jitviz.jaxcompat import frame_locals
from jitviz.recording import Recording
from jitviz.recording.events import TextSeen

from ..jaxcompat.watching import at_end
from .cells import run_cell
from .zoo import PROGRAMS

X = np.ones(3, np.float32)
OUTPUTS = re.compile(r"(\w+:[^ ]+ ?)+ =$|(\w+:[^ ]+ ?)+$")  # of an equation that has more than a line holds


def recorded(run: Any) -> tuple[Recording, list[str], list[str], list[str]]:
    """A recording of `run`, and JAX's own jaxprs, modules and HLO texts as they were while it ran."""
    jaxprs: list[str] = []
    modules: list[str] = []

    def of_trace() -> None:
        jaxprs.extend(at_end("trace", of_lowering, lambda frame: str(frame_locals.traced_jaxpr(frame))))

    def of_lowering() -> None:
        modules.extend(at_end("lower", run, lambda frame: str(frame_locals.lowered(frame)[0])))

    with jitviz.record() as rec:
        texts = at_end("compile", of_trace, lambda frame: frame_locals.executable(frame).hlo_modules()[0].to_string())
    assert rec.facts.failures == []
    return rec, jaxprs, modules, texts


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_texts_are_those_of_jax(name: str) -> None:
    rec, jaxprs, modules, texts = recorded(PROGRAMS[name])
    whole = [compile_ for compile_ in rec.compiles if compile_.hlo]  # up to jax 0.9 a trace inside another counts too
    assert len(whole) >= 1
    assert all(compile_.jaxpr in jaxprs for compile_ in rec.compiles)
    assert all(compile_.stablehlo in modules for compile_ in whole)
    assert all(middle(compile_.hlo or "") in map(middle, texts) for compile_ in whole)
    assert any(middle(compile_.hlo or "") for compile_ in whole)


def middle(hlo: str) -> str:
    """What stands between the files and the entry, whose inputs are named as the user does. Up to jax 0.7 there is no
    table of files, and each instruction names its own."""
    before = re.sub(r'source_file="[^"]*"', "", hlo.partition("\nENTRY ")[0])
    return before.partition("FunctionNames")[2] if "FunctionNames" in before else before


def equations(program: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for equation in program["equations"]:
        yield equation
        for _, inner in equation.get("programs", ()):
            yield from equations(inner)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_equation_begins_on_its_line_of_the_jaxpr(name: str) -> None:
    rec, *_ = recorded(PROGRAMS[name])
    for compile_ in rec.compiles:
        lines = (compile_.jaxpr or "").split("\n")
        for equation in equations(json.loads(compile_.equations or "")):
            line = lines[equation["line"]]
            assert equation["primitive"].split(".")[0] in line or OUTPUTS.search(line), (equation["primitive"], line)
            assert all(out[1] in "".join(lines[equation["line"] :]) for out in equation["out"])


def test_a_program_that_is_shared_is_printed_once_and_told_of_wherever_it_runs() -> None:
    rec, *_ = recorded(PROGRAMS["shared"])
    program = json.loads(rec.compiles[0].equations or "")
    towers = [equation["programs"][0][1] for equation in equations(program) if equation.get("label") == "tower"]
    assert len(towers) == 3
    assert len({tuple(equation["line"] for equation in tower["equations"]) for tower in towers}) == 1
    assert len({equation["at"] for tower in towers for equation in tower["equations"]}) == 3


HOME = "/home/josé/secret"


def test_no_text_holds_a_path_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def outer(f, x):\n    return f(x) * 2.0\n"
    filename = f"{HOME}/model.py"
    names: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), names)
    monkeypatch.chdir(tmp_path)
    sources.forget_labels()
    outer = names["outer"]
    with jitviz.record() as rec:
        jax.jit(lambda x: outer(jnp.sin, x))(X)
    assert rec.facts.failures == []
    written = rec.save(tmp_path / "rec.jsonl")
    assert "secret" not in written.read_text()
    for event in rec.events:
        if isinstance(event, TextSeen):
            text = rec.located(0, event.name)
            assert text is not None
            assert "josé" not in text, event.name
            assert not re.search(r"jos\\(303|C3)", text), event.name
    for name in ("equations", "stablehlo", "hlo"):
        text = rec.located(0, name) or ""  # type: ignore[arg-type]
        assert '"model.py"' in text, name
        assert '"/' not in text, name  # of any file, a library's too


def test_cells_are_named_in_every_text(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = run_cell("import jax.numpy as jnp\ndef f(x):\n    return jnp.sin(x)\n", "In [3]", monkeypatch)
    with jitviz.record() as rec:
        jax.jit(cell["f"])(X)
    assert '"In [3]":3:11 to :21' in (rec.located(0, "stablehlo") or "")
    assert re.search(r'\n\d+ "In \[3\]"\n|source_file="In \[3\]"', rec.located(0, "hlo") or "")
    assert json.loads(rec.located(0, "equations") or "")["frames"] == [["In [3]", "f", 3, 11, 3, 21]]
    assert json.loads(rec.located(0, "sources") or "") == [
        {"file": "In [3]", "first": 1, "text": "import jax.numpy as jnp\ndef f(x):\n    return jnp.sin(x)\n"}
    ]


def test_the_lines_of_a_text_are_counted_once_as_long_as_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: jnp.sin(x) + 1)(jnp.ones(3))
    (row,) = rec.compiles
    names = ("jaxpr", "stablehlo", "hlo")
    expected = [len((getattr(row, name) or "").rstrip("\n").split("\n")) for name in names]
    assert [row.n_lines(name) for name in names] == expected
    with monkeypatch.context() as patch:
        patch.setattr(rec, "text", None)  # it is not asked for again
        assert [row.n_lines(name) for name in names] == expected
    seen = next(event for event in rec.events if isinstance(event, TextSeen) and event.name == "jaxpr")
    rec.append(replace(seen, packed=zlib.compress(b"one\ntwo\n")))
    assert row.n_lines("jaxpr") == 2
