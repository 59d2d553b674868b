from __future__ import annotations

import pytest

from jitviz.display.answers import UnansweredError, answer, list_program_questions, list_tree_questions, name_question
from jitviz.views import PANEL, shape_panel
from jitviz.views.schema import Detail
from tests.display import samples


def test_an_answer_holds_the_whole_tree() -> None:
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


@pytest.mark.parametrize(
    ("kind", "params", "refusal"),
    [
        ("partition", {"compile": 9}, "The recording has no number 9; it has 2."),
        ("partition", {"call": -1}, "The recording has no number -1; it has 12."),
        ("listing", {"compile": 9, "name": "hlo"}, "The recording has no compile 9; it has 2."),
        ("listing", {"compile": 0, "name": "__class__"}, "There is no such program text."),
        ("difference", {"before": 0, "after": 2, "name": "hlo"}, "The recording has no compile 2; it has 2."),
        ("chunk", {"name": "../page"}, "There is no such part of the panel."),
    ],
)
def test_a_question_without_an_answer_is_refused_in_a_sentence(
    kind: str, params: dict[str, object], refusal: str
) -> None:
    with pytest.raises(UnansweredError) as refused:
        answer(samples.recompile_by_treedef(), kind, params)
    assert str(refused.value) == refusal


def test_a_text_that_jax_does_not_show_is_refused() -> None:
    with pytest.raises(UnansweredError, match="There is no HLO: this version was not compiled"):
        answer(samples.huge(), "listing", {"compile": 0, "name": "hlo"})


def test_of_calls_of_earlier_versions_only_the_first_of_each_is_asked_about() -> None:
    recording = samples.hits_of_earlier_versions()
    questions = [name_question(*one) for one in list_tree_questions(recording, shape_panel(recording, PANEL))]
    assert questions == ["partition call 0", "partition call 1"]


def test_a_panel_may_ask_for_all_texts_and_for_comparisons_of_successive_versions() -> None:
    questions = [
        name_question(*one) for one in list_program_questions(shape_panel(samples.recompile_by_treedef(), PANEL))
    ]
    of_one = ["listing compile {} name jaxpr", "listing compile {} name stablehlo", "listing compile {} name hlo",
              "facts compile {}", "links compile {}", "graph compile {} open null"]  # fmt: skip
    compared = [f"difference before 0 after 1 name {name}" for name in ("jaxpr", "stablehlo", "hlo")]
    assert questions == [one.format(index) for index in (0, 1) for one in of_one] + compared


def test_a_part_of_the_front_end_is_there_when_it_is_asked_for() -> None:
    assert "graphvizVersion" in answer(samples.nothing(), "chunk", {"name": "graphviz"})["code"]
