"""XLA's texts have no stable grammar: unknown parts are skipped, and the rest is read."""

from __future__ import annotations

from random import Random

import pytest

from jitviz.findings.program.places import Places
from jitviz.jaxcompat.texts import hlo
from jitviz.jaxcompat.texts.locations import Locations
from jitviz.jaxcompat.texts.stablehlo import read_operations
from jitviz.model import ListingName
from jitviz.views.program.difference import compare

from . import programs


def break_text(text: str, seed: int) -> str:
    """Drop, repeat and shuffle pieces of a text."""
    random = Random(seed)
    pieces = [text[at : at + 97] for at in range(0, len(text), 97)]
    for _ in range(max(4, len(pieces) // 8)):
        place = random.randrange(len(pieces))
        other = random.randrange(len(pieces))
        pieces[place] = random.choice(["", pieces[place] * 2, pieces[place][:-9], pieces[other], '"', "(((", ")", "{"])
    return "".join(pieces)


@pytest.mark.parametrize("make", [programs.rnn, programs.equation])
@pytest.mark.parametrize("seed", range(20))
def test_broken_hlo_is_read_as_far_as_it_goes(make: programs.Make, seed: int) -> None:
    recording, compile = make()
    text = break_text(recording.located(compile, "hlo") or "", seed)
    module = hlo.read_module(text, Places())
    insides = hlo.Insides(module)
    lines = hlo.show(text).split("\n")
    for one in module.instructions():
        assert one.name in lines[one.line]
        assert insides.origins(one)


@pytest.mark.parametrize("make", [programs.rnn, programs.equation])
@pytest.mark.parametrize("seed", range(20))
def test_broken_stablehlo_is_read_as_far_as_it_goes(make: programs.Make, seed: int) -> None:
    recording, compile = make()
    text = break_text(recording.located(compile, "stablehlo") or "", seed)
    operations = read_operations(text, Locations(text, Places()))
    assert operations
    assert max(one.line for one in operations) < text.count("\n") + 1


@pytest.mark.parametrize("kind", ["jaxpr", "stablehlo", "hlo"])
@pytest.mark.parametrize("seed", range(20))
def test_broken_texts_are_compared(kind: ListingName, seed: int) -> None:
    recording, compile = programs.rnn()
    text = recording.text(compile, kind) or ""
    broken = break_text(text, seed)
    hunks = compare(text, broken, kind).hunks
    assert hunks.before
    assert hunks.before_end[-1] <= text.count("\n") + 1
    assert hunks.after_end[-1] <= broken.count("\n") + 1
