"""The kept answers about programs, if there is not room for all."""

from __future__ import annotations

import gzip
import json
import re
import zlib

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display import kept_answers
from jitviz.display.answers import Params, UnansweredError, answer, list_program_questions, name_question
from jitviz.display.kept_answers import KeptAnswers, keep, pack
from jitviz.model import quantities
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.recording.unread_programs import Unread, reading
from jitviz.views import PANEL, shape_panel
from tests.display import samples


def kept_of(recording: Recording, most_ir_bytes: int | None) -> KeptAnswers:
    return keep(recording, shape_panel(recording, PANEL), most_ir_bytes)


def sizes(kept: KeptAnswers) -> dict[str, int]:
    return {name: len(packed) for name, packed in kept.answers.items()}


def test_all_answers_about_programs_are_kept_in_full() -> None:
    recording = samples.recompile_by_treedef()
    kept = kept_of(recording, None)
    assert json.loads(gzip.decompress(kept.answers["listing compile 1 name hlo"])) == {"text": samples.HLO}
    kinds = {name.split()[0] for name in kept.answers}
    assert (kinds, kept.note) == ({"listing", "facts", "links", "difference"}, "")


def test_a_budget_that_holds_everything_leaves_out_nothing() -> None:
    recording = samples.recompile_by_treedef()
    whole = kept_of(recording, None)
    kept = kept_of(recording, sum(sizes(whole).values()))
    assert (kept.answers, kept.note) == (whole.answers, "")


def test_answers_about_a_program_that_is_only_half_read_are_not_kept() -> None:
    recording = Recording(samples.recompile_by_treedef().events)
    _, second = (event.compile for event in recording.events if isinstance(event, ev.CompileStarted))
    whole = kept_of(recording, None).answers
    recording.read_later(Unread(1, tuple, second))
    with reading("nothing"):
        kept = kept_of(recording, None).answers
    assert kept == {name: packed for name, packed in whole.items() if not name.endswith(" 1") and " 1 " not in name}
    assert 0 < len(kept) < len(whole)
    assert kept_of(recording, None).answers == whole


def test_small_answers_are_sent_together() -> None:
    kept = kept_of(samples.recompile_by_treedef(), None)
    joined = kept_answers.join(KeptAnswers(kept.answers | {"links compile 9": bytes(3_000)}))
    assert set(joined) == {"", "links compile 9"}
    together = json.loads(gzip.decompress(joined[""]))
    assert together == {name: json.loads(gzip.decompress(packed)) for name, packed in kept.answers.items()}
    assert kept_answers.join(KeptAnswers()) == {}


def test_one_byte_too_much_costs_the_biggest() -> None:
    recording = samples.recompile_by_treedef()
    whole = sizes(kept_of(recording, None))
    biggest = max(whole, key=lambda name: whole[name])
    kept = kept_of(recording, sum(whole.values()) - 1)
    assert set(whole) - set(kept.answers) == {biggest}
    assert kept.note == (
        f"Each panel keeps {quantities.size(sum(whole.values()) - 1)} of program texts. Without its kernel, these are "
        f"lost: HLO of step, version 1 ({whole[biggest]} B). `rec = %jitviz last`, then "
        '`jitviz.show(rec)` or `rec.to_html("panel.html")` keeps all texts.'
    )


def test_of_many_left_out_answers_the_biggest_are_named_and_the_rest_is_counted() -> None:
    recording = samples.recompile_by_treedef()
    whole = kept_of(recording, None)
    kept = kept_of(recording, 300)
    left_out = [nbytes for name, nbytes in sizes(whole).items() if name not in kept.answers]
    named = sorted(left_out, reverse=True)[:6]
    assert re.findall(r"\((\d+) B\)", kept.note) == [str(nbytes) for nbytes in named]
    assert f"; {len(left_out) - 6} more. `rec = %jitviz last`, then" in kept.note


def test_a_text_that_is_far_too_big_is_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    story = samples.recompile_by_treedef()
    big = zlib.compress(str([hash(str(number)) for number in range(20_000)]).encode())
    events = [
        ev.TextSeen(one.at_s, one.compile, one.name, big)
        if isinstance(one, ev.TextSeen) and (one.compile, one.name) == (0, "hlo")
        else one
        for one in story.events
    ]
    asked: list[object] = []

    def watch(recording: Recording, kind: object, params: object) -> object:
        asked.append((kind, params))
        return answer(recording, kind, params)

    monkeypatch.setattr(kept_answers, "answer", watch)
    kept = kept_of(Recording(events), 20_000)
    assert ("listing", {"compile": 0, "name": "hlo"}) not in asked
    assert ("links", {"compile": 0}) not in asked
    assert ("links", {"compile": 1}) in asked
    assert f"HLO of step, version 1 ({quantities.size(len(big))})" in kept.note
    assert "listing compile 1 name hlo" in kept.answers


def test_of_many_programs_the_first_get_links(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = samples.recompile_by_treedef()
    texts = recording.facts.texts
    first = sum(len(packed) for (compile, _), packed in texts.items() if compile == 0)
    monkeypatch.setattr(kept_answers, "CELL_WORK_NBYTES", first)
    kept = kept_of(recording, 100_000)
    assert {name for name in kept.answers if name.startswith("links")} == {"links compile 0"}
    assert not any(name.startswith("difference") for name in kept.answers)
    assert "listing compile 1 name hlo" in kept.answers
    assert "links of step, version 2" in kept.note


def test_without_a_budget_all_texts_are_kept_and_slow_answers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "PAGE_WORK_NBYTES", 0)
    kept = kept_of(samples.recompile_by_treedef(), None)
    assert {name.split()[0] for name in kept.answers} == {"listing", "facts"}
    assert kept.note == (
        "Too large to compute in advance: links of step, version 1; graph of step, version 1; "
        "links of step, version 2; graph of step, version 2; comparison of the jaxpr of step, version 2; comparison of "
        "the StableHLO of step, version 2; 1 more. In a notebook, `jitviz.show` computes them when they "
        "are opened."
    )


def test_a_refused_question_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise UnansweredError("no")

    monkeypatch.setattr(kept_answers, "answer", refuse)
    assert kept_of(samples.recompile_by_treedef(), None) == KeptAnswers()


def test_what_versions_of_an_equal_program_say_of_it_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    step = jax.jit(lambda x, is_last: x + 1, static_argnames="is_last")
    with jitviz.record() as recording:
        for is_last in (False, True):
            step(jnp.ones(3), is_last=is_last)
    panel = shape_panel(recording, PANEL)
    apart = {
        name_question(kind, params): pack(answer(recording, kind, params))
        for kind, params in list_program_questions(panel)
    }
    asked: list[str] = []

    def watch(recording: Recording, kind: str, params: Params) -> object:
        asked.append(kind)
        return answer(recording, kind, params)

    monkeypatch.setattr(kept_answers, "answer", watch)
    assert keep(recording, panel, None).answers == apart
    assert sorted(asked) == sorted([*["listing", "difference"] * 3, *["facts", "graph"] * 2, "links"])


def test_a_page_holds_pictures_of_small_graphs_and_a_notebook_draws_them_itself() -> None:
    with jitviz.record() as recording:
        jax.jit(lambda x: jnp.sin(x) + 1)(jnp.ones(3))
    panel = shape_panel(recording, PANEL)

    def svg(*, has_engine: bool) -> str:
        packed = keep(recording, panel, None, has_engine=has_engine).answers["graph compile 0 open null"]
        return str(json.loads(gzip.decompress(packed))["svg"])

    assert svg(has_engine=True) == ""
    assert svg(has_engine=False) == answer(recording, "graph", {"compile": 0, "open": None, "has_svg": True}).svg
