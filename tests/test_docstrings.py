"""Every public function has an example in its docstring, and the example runs."""

import doctest
import inspect
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.recording import redaction

FUNCTIONS = [name for name in jitviz.__all__ if inspect.isfunction(getattr(jitviz, name)) and "_ipython_" not in name]
CLASSES = ["Recording", "RecompileError"]
METHODS = ["account", "findings", "raised", "save", "to_html", "to_json", "to_perfetto"]


def loss(model: Any, batch: Any) -> Any:
    return (model * batch).sum()


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the examples take as given: a recording of two versions, a file of it, an exception."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(redaction, "_patterns", redaction._patterns)
    step = jax.jit(lambda model, batch: loss(model, batch))
    model, batch = np.ones(3, np.float32), np.ones(3, np.float32)
    with jitviz.record() as rec:
        step(model, batch)
        step(np.ones(4, np.float32), np.ones(4, np.float32))
    rec.save("run.jsonl")
    values = {"rec": rec, "before": rec, "after": rec, "step": step, "model": model, "batch": batch, "params": model}
    return values | {"jitviz": jitviz, "np": np, "loss": loss, "train": lambda: None, "error": ValueError("wrong")}


@pytest.mark.parametrize("name", FUNCTIONS + CLASSES + [f"Recording.{name}" for name in METHODS])
def test_an_example_in_a_docstring_runs(name: str, names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    documented = getattr(jitviz.Recording, name.removeprefix("Recording.")) if "." in name else getattr(jitviz, name)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(documented) or "")
    assert examples
    capsys.readouterr()
    for example in examples:
        exec(compile(example.source, f"<example of {name}>", "single"), names)
        if example.want:
            assert capsys.readouterr().out == example.want
