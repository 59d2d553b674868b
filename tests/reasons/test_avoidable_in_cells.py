"""A recompile that a person causes by doing as advised is not avoidable; the same change that comes back is."""

from __future__ import annotations

import numpy as np
import pytest

import jitviz
from jitviz.model import Leaf
from jitviz.reasons.explainer import Explainer

from ..capture.cells import run_cell
from .samples import array, made, miss, static


def rates(*given: tuple[float | None, str]) -> list[tuple[str, bool, bool]]:
    """Kind, `inherent`, whether there is advice, for each call of `step(x, rate)`, with a number or an array (None)."""
    explainer = Explainer()
    told = []
    for value, source in given:
        rate = array("rate", ()) if value is None else static("rate", value)
        reason = explainer.explain(miss(array("x"), rate, source=source))[0]
        told.append((reason.kind, reason.inherent, bool(reason.advice)))
    return told


def test_a_number_that_was_mended_in_a_later_cell_is_not_the_cause() -> None:
    assert rates((0.5, "In [3]:1"), (None, "In [4]:1"))[1] == ("leaf_kind", True, False)


def test_a_number_that_becomes_an_array_within_one_cell_is_the_mistake() -> None:
    assert rates((0.5, "In [3]:1"), (None, "In [3]:2"))[1] == ("leaf_kind", False, True)
    assert rates((0.5, "train.py:1"), (None, "train.py:2"))[1] == ("leaf_kind", False, True)


def test_an_array_that_becomes_a_number_is_not_a_mend() -> None:
    assert rates((None, "In [3]:1"), (0.5, "In [4]:1"))[1] == ("leaf_kind", False, True)


def test_a_mend_is_expected_once() -> None:
    explainer = Explainer()
    told = []
    for dtype, rate, source in (("int8", 0.5, 3), ("int8", None, 4), ("int4", 0.5, 5), ("int4", None, 6)):
        leaf = array("rate", ()) if rate is None else static("rate", rate)
        told.append(explainer.explain(miss(array("x", (3,), dtype), leaf, source=f"In [{source}]:1"))[0].inherent)
    assert told == [False, True, False, False]


def test_only_the_first_array_in_a_later_cell_is_a_mend() -> None:
    explainer = Explainer()
    for cell, dtype, rate in ((3, "int8", 0.5), (4, "int8", None), (5, "int4", 0.5), (6, "int4", None)):
        others = [array(f"x{number}", (3,), dtype) for number in range(9)]  # so that cell 6 is compared with cell 5
        leaf = array("rate", ()) if rate is None else static("rate", rate)
        explainer.add(miss(*others, leaf, source=f"In [{cell}]:1"))
    reasons = [explainer.reasons(number)[0] for number in range(4)]
    assert [(reason.kind, reason.inherent) for reason in reasons[1:]] == [
        ("leaf_kind", True),
        ("dtype", False),
        ("leaf_kind", False),
    ]


def blamed(*given: tuple[int, Leaf]) -> str:
    """For each miss of `step(x, what)`, given with the number of its cell: "x" if it is avoidable, "." if not."""
    explainer = Explainer()
    for cell, leaf in given:
        explainer.explain(miss(array("x"), leaf, source=f"In [{cell}]:1" if cell else "train.py:1"))
    reasons = [explainer.reasons(number)[0] for number in range(len(given))]
    return "".join("." if reason.kind == "first" or reason.inherent else "x" for reason in reasons)


def size(rows: int) -> Leaf:
    return array("batch", (rows,))


def anew(token: int) -> Leaf:
    return static("act", made("__main__.Act", token))


def test_a_size_that_changed_in_a_cell_and_is_padded_in_a_later_one_is_mended() -> None:
    loop = [(3, size(3)), (3, size(4)), (3, size(5))]
    assert blamed(*loop, (4, size(16))) == ".xx."
    assert blamed(*loop, (4, size(16)), (5, size(17))) == ".xxx."


def test_an_object_that_was_created_again_and_is_made_once_in_a_later_cell_is_mended() -> None:
    loop = [(3, anew(1)), (3, anew(2)), (3, anew(3))]
    assert blamed(*loop, (4, anew(4))) == ".xx."


def test_a_mend_that_does_not_hold_names_the_later_cell_that_showed_it() -> None:
    def words(*given: tuple[int, Leaf]) -> list[str]:
        explainer = Explainer()
        for cell, leaf in given:
            explainer.add(miss(array("x"), leaf, source=f"In [{cell}]:1"))
        return [explainer.judgement(number).words for number in range(1, len(given))]

    sizes, acts = [(3, size(3)), (3, size(4)), (4, size(16))], [(3, anew(1)), (3, anew(2)), (4, anew(3))]
    assert words(*sizes, (5, size(17))) == ["", "expected until `batch` came in one more size at In [5]:1", ""]
    assert words(*acts, (6, anew(4))) == ["", "expected until `act` changed again at In [6]:1", ""]
    assert words(*acts, (4, anew(4))) == ["", "", ""]  # no panel has said so


def test_a_loop_that_is_run_again_is_not_a_mend() -> None:
    loop = [(3, anew(1)), (3, anew(2)), (4, anew(3)), (4, anew(4)), (5, anew(5)), (5, anew(6))]
    assert blamed(*loop) == ".xxxxx"


def test_one_other_value_in_each_cell_is_not_a_mend() -> None:
    assert blamed((3, size(3)), (4, size(4)), (5, size(5)), (6, size(6))) == ".xxx"


def test_nothing_in_a_file_is_a_mend() -> None:
    assert blamed((0, size(3)), (0, size(4)), (0, size(5)), (0, size(16))) == ".xxx"


CELLS = {
    "callable": (
        "step = jitviz.filter_jit(lambda x, act: act(x))\nfor i in range(3): step(X, lambda v: v * 2)",
        "act = lambda v: v * 2\nfor i in range(3): step(X, act)",
    ),
    "function": (
        "for i in range(3):\n    def double(x): return x * 2\n    jax.jit(double)(X)",
        "def double(x): return x * 2\ndouble = jax.jit(double)\nfor i in range(3): double(X)",
    ),
    "size": (
        "total = jax.jit(lambda x: x.sum())\nfor n in (3, 4, 5): total(X[:n])",
        "for n in (3, 4, 5): total(np.pad(X[:n], (0, 8 - n)))",
    ),
}


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_that_was_written_as_advised_has_nothing_avoidable(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    names = {"jax": jax, "jitviz": jitviz, "np": np, "X": np.ones(8, np.float32)}
    with jitviz.record() as rec:
        for number, text in enumerate(CELLS[kind], 3):
            names |= run_cell(text, f"In [{number}]", monkeypatch, names)
    rows = [compile_ for compile_ in rec.compiles if compile_.call is not None]
    assert [any(reason.inherent for reason in row.reasons) for row in rows] == [False, False, False, True]
