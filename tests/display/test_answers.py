from __future__ import annotations

import pytest

from jitviz.display.answers import RefusedError, answer, foresee, name_question
from jitviz.views import PANEL, shape_panel
from jitviz.views.schema import Detail
from tests.display import samples


def test_a_tree_comes_whole_whatever_the_panel_shows_of_it() -> None:
    detail = answer(samples.huge(), "partition", {"compile": 1})
    assert isinstance(detail, Detail)
    assert detail.inputs is not None
    assert (len(detail.inputs.rows.kind), detail.inputs.about.traced) == (20_101, 20_000)
    assert [detail.inputs.rows.texts[detail.inputs.rows.path[row]] for row in detail.inputs.rows.marked] == [
        "params['block57']['w113']"
    ]


def test_the_tree_of_a_hit_is_that_of_the_version_it_ran() -> None:
    recording = samples.recompile_by_treedef()
    assert answer(recording, "partition", {"call": 7}) == answer(recording, "partition", {"compile": 1})


def test_a_text_comes_whole() -> None:
    text = answer(samples.recompile_by_treedef(), "listing", {"compile": 0, "name": "hlo"})
    assert text == {"text": samples.HLO}


@pytest.mark.parametrize(
    ("kind", "params", "refusal"),
    [
        ("partition", None, "A question needs parameters by name."),
        ("partition", {}, "A question needs the number of a call."),
        ("partition", {"compile": True}, "A question needs the number of a compile."),
        ("partition", {"compile": 9}, "The recording has no number 9; it has 2."),
        ("partition", {"call": -1}, "The recording has no number -1; it has 12."),
        ("listing", {"compile": 9, "name": "hlo"}, "The recording has no compile 9; it has 2."),
        ("listing", {"compile": 0, "name": "__class__"}, "There is no such program text."),
        ("listing", {"compile": 0, "name": ["hlo"]}, "There is no such program text."),
        ("report", {}, "There is no such kind of question."),
        (None, {}, "There is no such kind of question."),
    ],
)
def test_a_question_without_an_answer_is_refused_in_a_sentence(kind: object, params: object, refusal: str) -> None:
    with pytest.raises(RefusedError) as refused:
        answer(samples.recompile_by_treedef(), kind, params)
    assert str(refused.value) == refusal


def test_a_text_that_jax_did_not_show_is_refused() -> None:
    with pytest.raises(RefusedError, match="JAX did not show this text"):
        answer(samples.huge(), "listing", {"compile": 0, "name": "hlo"})


def test_of_calls_of_earlier_versions_the_first_of_each_is_foreseen() -> None:
    recording = samples.hits_of_earlier_versions()
    questions = [name_question(*one) for one in foresee(recording, shape_panel(recording, PANEL))]
    assert questions == ["partition call 0", "partition call 1"]
