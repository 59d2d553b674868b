from __future__ import annotations

import ast
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import KINDS, Compile
from jitviz.views.glossary import GLOSSARY, find_term, suggest_terms

FRONT_END = Path(__file__).parents[2] / "js" / "src"
_DOES = re.compile(r"# (compiles|hit)\b")


REASONS = {kind.replace("_", " ") for kind in KINDS}


def test_every_kind_of_reason_is_explained() -> None:
    assert REASONS - GLOSSARY.keys() == set()


def test_every_word_that_the_panel_explains_is_in_the_glossary() -> None:
    used = {
        name
        for file in FRONT_END.rglob("*.tsx")
        for name in re.findall(r'<Term[^>]*\bname="([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert {"hit", "traced"} <= used
    assert sorted(used - GLOSSARY.keys()) == []


def test_no_word_is_explained_twice() -> None:
    names = [other.lower() for name, term in GLOSSARY.items() for other in (name, *term.also)]
    assert [name for name in names if names.count(name) > 1] == []


@pytest.mark.parametrize("name", GLOSSARY)
def test_a_word_is_explained_in_two_short_sentences(name: str) -> None:
    text = GLOSSARY[name].text
    sentences = re.split(r"(?<=\.) (?=[A-Z`])", text)
    assert len(sentences) == 2
    assert [sentence for sentence in sentences if len(sentence) > 150 or not sentence.endswith(".")] == []


def test_terms_are_in_order() -> None:
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower)


def run_example(name: str) -> list[Compile]:
    """Run an example, check the comment on each statement, and return the compiles."""
    example = GLOSSARY[name].example
    lines = example.split("\n")
    assert len(lines) <= 3
    assert max(map(len, lines)) <= 90
    names = {"jax": jax, "jnp": jnp, "jitviz": jitviz, "__name__": f"example of {name}"}
    with jitviz.record() as rec:
        for statement in ast.parse(example).body:
            before = len(rec.compiles)
            exec(compile(ast.Module([statement], []), "<example>", "exec"), names)
            if does := _DOES.search("\n".join(lines[statement.lineno - 1 : statement.end_lineno])):
                assert (len(rec.compiles) > before) == (does[1] == "compiles"), lines[statement.lineno - 1]
    return list(rec.compiles)


@pytest.mark.parametrize("name", GLOSSARY)
def test_an_example_runs_and_does_what_it_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    compiles = run_example(name)
    if name in REASONS and name != "unexplained":
        assert compiles[-1].reasons[0].kind.replace("_", " ") == name


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("weak type", "weak type"),
        ("Weak_Type", "weak type"),
        (" weak  TYPE ", "weak type"),
        ("flops", "FLOPs"),
        ("stablehlo", "StableHLO"),
        ("dropped", "not used"),
        ("in the treedef", "metadata"),
        ("expected", "inherent"),
        ("weaktype", None),
        ("", None),
    ],
)
def test_a_term_is_found_in_any_spelling(asked: str, found: str | None) -> None:
    assert find_term(asked) == found


@pytest.mark.parametrize(
    ("asked", "close"),
    [("weaktype", ("weak type",)), ("complie", ("compile",)), ("donation?", ("donated",)), ("zebra", ())],
)
def test_close_words_are_suggested(asked: str, close: tuple[str, ...]) -> None:
    assert suggest_terms(asked)[: len(close) or 3] == close
