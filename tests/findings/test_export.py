"""What machines read of a recording."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import jax
import jsonschema
import numpy as np
import pytest

import jitviz
from jitviz.model.finding import FindingKind
from jitviz.recording import Recording
from tests.display import samples
from tests.findings.runs import Run
from tests.findings.test_find import forty_sizes, overlapping_causes, two_functions
from tests.reasons.samples import array, static

SCHEMA = json.loads(files("jitviz.findings").joinpath("schema.json").read_text())


def three_causes(n: int) -> Recording:
    """`n` recompiles of three causes, two of which have a plan."""
    run = Run()
    for number in range(n // 3 + 1):
        run.call("train_step", array("batch['tokens']", (8, 128 + number), "int32"), source="train.py:88")
        run.call(
            "train_step.<locals>.loss", array("x", (number + 1,)), array("y", (number + 1, 2)), source="train.py:9"
        )
        run.call("Sampler.sample", array("x"), static("temperature", number / 7), source="sample.py:12")
    return run.end()


@pytest.mark.parametrize(
    "record", [*samples.ALL, forty_sizes, overlapping_causes, two_functions, Recording, lambda: three_causes(30)]
)
def test_what_is_written_is_what_the_schema_says(record: Callable[[], Recording]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(record().to_json()), SCHEMA)


def fields_of(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict):
        for name, field in part.get("properties", {}).items():
            yield f"{path}.{name}", field
        for name, inner in part.items():
            yield from fields_of(inner, f"{path}.{name}")


def test_the_schema_says_what_each_field_is() -> None:
    assert [path for path, field in fields_of(SCHEMA) if not {"description", "$ref"} & set(field)] == []


def test_the_schema_names_every_kind() -> None:
    assert SCHEMA["$defs"]["finding"]["properties"]["kind"]["enum"] == list(get_args(FindingKind))


def test_a_thousand_recompiles_of_three_causes_stay_small() -> None:
    recording = three_causes(1_000)
    text = recording.to_json()
    assert sum(found.count for found in recording.findings) == 999
    assert len(recording.findings) == 3
    assert len(text.encode()) <= 6_000


def test_findings_compiles_and_calls_are_complete() -> None:
    whole = json.loads(two_functions().to_json())
    assert whole["version"] == 2
    assert whole["label"] == "train.py"
    assert sum(part["seconds"] for part in whole["account"]["parts"]) == pytest.approx(whole["wall_s"], abs=0.01)
    first, _ = whole["findings"]
    assert {
        name: first[name] for name in ("kind", "function", "home", "path", "reason", "source", "count", "seconds")
    } == {
        "kind": "recompile",
        "function": "step",
        "home": "train",
        "path": "x",
        "reason": "shape",
        "source": "train.py:7",
        "count": 2,
        "seconds": 2.0,
    }
    assert first["compiles"] == [2, 4]
    assert {row.pop("function"): row for row in whole["compiles"]} == {
        name: {
            "home": "train",
            "compiles": compiles,
            "recompiles": compiles - 1,
            "avoidable": compiles - 1,
            "maybe_avoidable": 0,
            "failed": 0,
            "trace_s": 1.0,
            "lower_s": 1.0,
            "compile_s": 1.0,
        }
        for name, compiles in (("evaluate", 2), ("step", 3))
    }
    assert whole["calls"] == [
        {"function": "step", "home": "train", "calls": 3, "outcomes": {"compile": 3}},
        {"function": "evaluate", "home": "train", "calls": 2, "outcomes": {"compile": 2}},
    ]


def test_what_calls_raised_is_listed_with_what_to_write_instead() -> None:
    def body(x: jax.Array) -> jax.Array:
        return x if x.sum() > 0 else -x

    step = jax.jit(body)
    with contextlib.suppress(jax.errors.TracerBoolConversionError), jitviz.record() as rec:
        for caught in ((jax.errors.TracerBoolConversionError,), ()):
            with contextlib.suppress(*caught):
                step(np.ones(3))
    (row,) = json.loads(rec.to_json())["errors"]
    line = body.__code__.co_firstlineno + 1
    assert row["error"].endswith(f" At tests/findings/test_export.py:{line}, `return x if x.sum() > 0 else -x`.")
    assert (row["function"], row["advice"], row["calls"]) == (
        "body",
        "Write `jnp.where(condition, a, b)`.",
        2,
    )


def test_a_plan_says_what_each_choice_costs() -> None:
    (found,) = json.loads(forty_sizes().to_json())["findings"]
    assert found["plan"] == {
        "n_sizes": 40,
        "smallest": 40,
        "largest": 79,
        "compiles": 40,
        "best": 0,
        "choices": [
            {"name": "one size", "sizes": [79], "compiles": 1, "padding": 0.3277, "saved_s": 39.0},
            {"name": "powers of two", "sizes": [64, 128], "compiles": 2, "padding": 0.479, "saved_s": 38.0},
            {"name": "best 2 sizes", "sizes": [59, 79], "compiles": 2, "padding": 0.1597, "saved_s": 38.0},
        ],
    }
    assert "SIZES = (79,)" in found["code"]


def test_it_is_written_to_a_file_as_well(tmp_path: Path) -> None:
    path = tmp_path / "bill.json"
    text = forty_sizes().to_json(path)
    assert json.loads(path.read_text()) == json.loads(text)
