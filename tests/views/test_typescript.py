from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

SCRIPT = Path(__file__).parents[2] / "js" / "write_types.py"
spec = importlib.util.spec_from_file_location("write_types", SCRIPT)
assert spec is not None
assert spec.loader is not None
write_types = importlib.util.module_from_spec(spec)
spec.loader.exec_module(write_types)


def test_the_types_of_the_front_end_are_those_of_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_types.main(["--check"]) == 0, capsys.readouterr().out


def test_a_difference_is_shown_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(write_types, "_HERE", tmp_path)
    assert write_types.main([]) == 0
    schema = tmp_path / "schema.ts"
    schema.write_text(schema.read_text().replace("  label: string;", "  label: number;", 1))
    assert write_types.main(["--check"]) == 1
    changed = [
        line for line in capsys.readouterr().out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert changed == ['-  label: number; // "In [3]"', '+  label: string; // "In [3]"']


@dataclass(frozen=True)
class Inner:
    """One."""

    side: Literal["left", "right"]  # which side


@dataclass(frozen=True)
class Outer:
    """Several.

    And more.
    """

    one: Inner | None  # the first
    # those behind it,
    # by row
    many: tuple[tuple[Inner, ...], ...]
    numbers: tuple[int, ...]  # of them


def test_a_dataclass_becomes_an_interface() -> None:
    expected = """\
/** Several.
 *
 * And more. */
export interface Outer {
  one: Inner | null; // the first
  many: ReadonlyArray<ReadonlyArray<Inner>>; // those behind it, by row
  numbers: Ints; // of them
}
"""
    assert write_types._interface(Outer, {}) == expected


@dataclass(frozen=True)
class Silent:
    """A class whose field has no comment."""

    field: int


def test_a_field_without_a_comment_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"say in a comment what Silent\.field holds"):
        write_types._interface(Silent, {})


def test_a_named_literal_keeps_its_name() -> None:
    hint = Literal["left", "right"]
    assert "side: Side;" in write_types._interface(Inner, {hint: "Side"})
    assert 'side: "left" | "right";' in write_types._interface(Inner, {})


def test_a_type_that_json_does_not_have_is_an_error() -> None:
    with pytest.raises(TypeError, match="no TypeScript for"):
        write_types._type(set[int], {})
