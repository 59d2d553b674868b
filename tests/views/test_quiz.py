from __future__ import annotations

from jitviz.model import Signature
from jitviz.views import PANEL
from jitviz.views.quiz import shape_quiz
from jitviz.views.schema import CallQuestion, LeafQuestion, Quiz
from tests.display import samples
from tests.display.samples import FIRST, Story, array, static

SIGNATURE = Signature(
    (array("x", (4,)), static("mode", "str", "'train'"), static("model.size", "int", "3", is_metadata=True))
)


def asked(quiz: Quiz | None) -> list[tuple[str, int, str]]:
    assert quiz is not None
    return [(question.function, question.number, question.truth) for question in quiz.calls]


def test_each_call_has_a_question_with_an_answer_and_a_reason() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, SIGNATURE, (FIRST,))
    story.hit(step, 1.0, 0.01, version=0, source="In [3]:4")
    story.hit(step, 1.1, 0.01, source="In [3]:5")
    assert shape_quiz(story.end(2.0), PANEL) == Quiz(
        calls=(
            CallQuestion("step", 1, "In [3]:3", "compile", "The function had not been compiled before."),
            CallQuestion("step", 2, "In [3]:4", "hit", "It ran version 1, which call 1 compiled."),
            CallQuestion("step", 3, "In [3]:5", "hit", "The version was already compiled."),
        ),
        n_more_calls=0,
        function="step",
        call=1,
        source="In [3]:3",
        leaves=(
            LeafQuestion("x", "jax.Array", "traced", "An input of the program: `f32[4]`."),
            LeafQuestion("mode", "str", "static", "Part of the cache key: `'train'`."),
        ),
        n_more_leaves=0,
    )


def test_a_hit_of_an_earlier_version_says_so() -> None:
    quiz = shape_quiz(samples.hits_of_earlier_versions(), PANEL)
    assert quiz is not None
    assert quiz.calls[0].because == "It ran version 1, which was compiled before."


def test_if_hits_may_be_unseen_the_quiz_says_that_it_leaves_them_out() -> None:
    story = Story(limits=(samples.UNSEEN,), hits_seen="none")
    story.hit(story.function("seen"), 0.0, 0.1)
    quiz = shape_quiz(story.end(1.0), PANEL)
    assert quiz is not None
    assert quiz.note == ""
    quiz = shape_quiz(samples.only_hits(), PANEL)
    assert quiz is not None
    assert quiz.note == "The quiz leaves out hits that could not be seen, and numbers the calls without them."


def test_calls_are_numbered_separately_for_each_function() -> None:
    story = Story()
    step, loss = story.function("step"), story.function("loss")
    for number, function in enumerate((step, loss, step)):
        story.hit(function, float(number), 0.1)
    assert asked(shape_quiz(story.end(3.0), PANEL)) == [("step", 1, "hit"), ("loss", 1, "hit"), ("step", 2, "hit")]


def test_of_many_calls_the_quiz_asks_about_the_first_of_each_kind_and_some_others() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, SIGNATURE, (FIRST,))
    for number in range(50):
        story.hit(step, 1.0 + number, 0.01, version=0)
    story.miss(step, 60.0, (0.1, 0.1, 0.1), 0.0, SIGNATURE, (FIRST,))
    story.hit(step, 61.0, 0.01, version=1)
    quiz = shape_quiz(story.end(70.0), PANEL)
    hits = [("step", number, "hit") for number in range(2, 7)]
    assert asked(quiz) == [("step", 1, "compile"), *hits, ("step", 52, "compile"), ("step", 53, "hit")]
    assert quiz is not None
    assert quiz.n_more_calls == 45


def test_of_many_leaves_the_quiz_asks_about_the_first_of_each_kind_and_some_others() -> None:
    story = Story()
    leaves = (*(array(f"x{number}", ()) for number in range(1000)), static("mode", "str", "'train'"))
    story.hit(story.function("step"), 0.0, 0.1, signature=Signature(leaves))
    quiz = shape_quiz(story.end(1.0), PANEL)
    assert quiz is not None
    assert [question.path for question in quiz.leaves] == [*(f"x{number}" for number in range(7)), "mode"]
    assert quiz.n_more_leaves == 993


def test_the_quiz_does_not_ask_about_calls_that_neither_hit_nor_compiled() -> None:
    quiz = shape_quiz(samples.error_in_trace(), PANEL)
    assert asked(quiz) == [("Model.loss", 1, "compile")]
    assert quiz is not None
    assert quiz.n_more_calls == 1


def test_without_a_call_there_is_nothing_to_ask() -> None:
    assert shape_quiz(samples.nothing(), PANEL) is None


def test_a_question_gives_away_no_shape_dtype_or_value() -> None:
    quiz = shape_quiz(samples.recompile_by_treedef(), PANEL)
    assert quiz is not None
    told = [(question.path, question.type) for question in quiz.leaves]
    assert ("model.activation", "function") in told
    assert ("opt_state[0].count", "jax.Array") in told
    assert "relu" not in str(told)
    assert "i32" not in str(told)


def test_texts_of_the_user_are_bounded_and_printable() -> None:
    quiz = shape_quiz(samples.nasty(), PANEL)
    assert quiz is not None
    texts = [value for question in (*quiz.calls, *quiz.leaves) for value in vars(question).values()]
    assert [text for text in texts if isinstance(text, str) and not (text.isprintable() and len(text) <= 600)] == []
    assert len(texts) > 20
