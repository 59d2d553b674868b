"""A size of its own for evaluation is no mistake; a short last batch is one."""

from jitviz.model import Miss
from jitviz.reasons import Explainer

from .samples import array, explained, miss


def avoidable(*calls: tuple[str, int]) -> list[str]:
    """The lines whose recompiles could be avoided, in the end."""
    explainer = Explainer(is_repeated=lambda line: line == "train.py:3")
    misses = [calling(*call) for call in calls]
    for one in misses:
        explainer.explain(one)
    told = [explainer.reasons(number)[0] for number in range(len(misses))]
    return [
        f"{line} {n}" for (line, n), why in zip(calls, told, strict=True) if why.kind == "shape" and not why.inherent
    ]


def calling(line: str, n: int) -> Miss:
    return miss(array("x", (n,)), source=line)


def test_two_lines_with_a_size_each_are_two_programs() -> None:
    assert avoidable(("train.py:3", 32), ("train.py:9", 128)) == []


def test_a_short_last_batch_comes_from_the_same_line() -> None:
    calls = [("train.py:3", 32), ("train.py:9", 128), ("train.py:3", 17)]
    assert avoidable(*calls) == ["train.py:3 17"]


def test_a_line_that_has_another_size_later_was_a_mistake_from_the_first_on() -> None:
    calls = [("train.py:3", 32), ("train.py:9", 128), ("train.py:9", 100)]
    assert avoidable(*calls) == ["train.py:9 128", "train.py:9 100"]


def test_three_lines_with_a_size_each_are_three_programs() -> None:
    assert avoidable(("train.py:3", 32), ("train.py:9", 128), ("train.py:12", 512)) == []


def test_many_lines_with_a_size_each_are_a_mistake() -> None:
    calls = [(f"train.py:{n}", n) for n in range(3, 8)]
    assert avoidable(*calls) == [f"train.py:{n} {n}" for n in range(4, 8)]


def test_of_many_lines_only_a_few_are_kept() -> None:
    explainer = explained(*(calling(f"train.py:{n}", n) for n in range(100)))
    place = explainer._expectations._arguments["train.step", "x"]
    assert len(place.shapes) == 4


def test_of_two_lines_that_called_once_nothing_is_known() -> None:
    assert avoidable(("train.py:5", 32), ("train.py:9", 128)) == ["train.py:9 128"]


def test_an_unknown_line_excuses_nothing() -> None:
    assert avoidable(("train.py:3", 32), ("", 128)) == [" 128"]


def test_a_size_that_was_not_compiled_ahead_of_time_is_not_excused_by_its_line() -> None:
    explainer = Explainer(is_repeated=lambda line: line == "train.py:3")
    explainer.add(miss(array("x", (32,)), source="train.py:3", stage="compile"))
    (reason,) = explainer.explain(calling("train.py:9", 128))
    assert (reason.kind, reason.inherent) == ("shape", False)
    assert explainer.explain(calling("train.py:3", 64))[0].inherent  # compared with a call, at a line that repeats
    assert explainer.reasons(1) == (reason,)


def test_where_a_line_had_several_sizes_another_is_excused_in_a_file_but_not_in_a_cell_that_may_run_again() -> None:
    def is_excused(loop: str, line: str) -> bool:
        explainer = Explainer(is_repeated=lambda _: True)
        for one in (calling(loop, 32), calling(loop, 17)):
            explainer.add(one)
        return explainer.explain(calling(line, 128))[0].inherent

    assert is_excused("train.py:3", "train.py:9")
    assert not is_excused("In [3]:2", "In [3]:9")


def test_only_a_call_of_a_later_cell_takes_back_what_a_panel_said() -> None:
    def words(*lines: str) -> str:
        explainer = Explainer(is_repeated=lambda _: True)
        for n, line in enumerate(lines):
            explainer.add(calling(line, n))
        return explainer.judgement(1).words

    assert words("In [1]:2", "In [2]:2", "In [3]:2") == "each line has a size of its own"
    taken_back = "expected until `x` came in one more size at In [4]:2"
    assert words("In [1]:2", "In [2]:2", "In [3]:2", "In [4]:2") == taken_back
    assert words("In [1]:2", "In [1]:3", "In [1]:4", "In [1]:5") == ""
    assert words("train.py:2", "train.py:3", "train.py:4", "train.py:5") == ""
