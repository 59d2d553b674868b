"""Whether a recompile was avoidable: programs decide, and what the user means."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest

from jitviz.model import Miss, Node
from jitviz.model.reason import Judgement, ProgramDifference

from .samples import array, explained, function, jitted, miss, none, plain, scalar, static

SAME = ProgramDifference("same")
ADDED = ProgramDifference("numbers", (("0.1", "0.2"),), is_arithmetic=True)
LOOP = ProgramDifference("numbers", (("20", "50"),))
SIZES = ProgramDifference("sizes", sizes=((4, 5),))
FORM = ProgramDifference("form")
UNSEEN = ProgramDifference("unseen", words="it calls Python")
BUT = "the same program but for the number: "
OTHER = ProgramDifference("other", words="60 operations instead of 40")


@dataclass
class Known:
    """What is known of the programs of two misses."""

    found: ProgramDifference | None = None
    version: int = 0
    on_same_devices: bool = True
    comes_back: bool = False
    pays: bool = True
    is_kept: bool = False

    def twin(self, number: int) -> int:
        return self.version

    def alike(self, number: int) -> int | None:
        return 0 if self.version == 1 else None

    def difference(self, before: int, number: int) -> ProgramDifference | None:
        return self.found

    def share_devices(self, before: int, number: int) -> bool:
        return self.on_same_devices

    def is_returned(self, before: int, number: int, paths: Iterable[str]) -> bool:
        return self.comes_back

    def is_state(self, before: int, number: int, paths: Iterable[str]) -> bool:
        return self.is_kept

    def does_padding_pay(self, number: int, paths: Iterable[str]) -> bool:
        return self.pays


def judged(known: Known | None, before: Miss, after: Miss) -> Judgement:
    return explained(before, after, programs=known).judgement(1)


SHAPE = miss(array("x", (4,))), miss(array("x", (5,)))
RANK = miss(array("x", (4,))), miss(array("x", (4, 1)))
DTYPE = miss(array("x")), miss(array("x", dtype="int32"))
NUMBER = miss(static("n", 1)), miss(static("n", 2))
FLAG = miss(static("mode", "train")), miss(static("mode", "eval"))
SHAPE_AND_NUMBER = miss(array("x", (4,)), static("n", 1)), miss(array("x", (5,)), static("n", 2))
SHAPE_AND_SIZE = miss(array("x", (4,)), static("n", 4)), miss(array("x", (5,)), static("n", 5))
SHAPE_AND_OBJECT = tuple(miss(array("x", (n,)), static("act", function(n))) for n in (4, 5))
ORDER = tuple(miss(nodes=[Node("d", "OrderedDict", keys)]) for keys in (("['a']", "['b']"), ("['b']", "['a']")))
ABSENT = miss(nodes=[none("mask")]), miss(array("mask"))
LEAF_KIND = miss(static("x", 1)), miss(scalar("x"))
FLAG_AND_ARRAY = miss(static("x", True)), miss(array("x", ()))
DEVICE = miss(array("x", committed=True)), miss(array("x", committed=True, sharding="cpu:1"))
EDITED = miss(array("x")), miss(array("x"), function=jitted(2, function(9, "other")))
MESH = miss(array("x"), context=(("mesh", "a"),)), miss(array("x"), context=(("mesh", "b"),))
PRECISION = miss(array("x"), context=(("jax_p", "a"),)), miss(array("x"), context=(("jax_p", "b"),))
VMAP = miss(array("x")), miss(array("x"), transform="vmap")
AHEAD = miss(array("x", (4,))), miss(array("x", (5,)), stage="lower")


@pytest.mark.parametrize(
    ("pair", "known", "verdict"),
    [
        pytest.param(FLAG, Known(SAME, version=1), "avoidable", id="a flag that the program does not depend on"),
        pytest.param(NUMBER, Known(OTHER, version=1), "avoidable", id="an older version has the same program"),
        pytest.param(MESH, Known(SAME, version=1), "maybe", id="the same text, where a mesh may say it runs elsewhere"),
        pytest.param(PRECISION, Known(SAME, version=1), "avoidable", id="a setting that changes nothing"),
        pytest.param(PRECISION, Known(OTHER), "expected", id="a setting that changes the program"),
        pytest.param(NUMBER, Known(ADDED), "avoidable", id="a number that is computed with"),
        pytest.param(FLAG, Known(ADDED), "avoidable", id="a flag that chooses a number"),
        pytest.param(NUMBER, Known(LOOP), "expected", id="a number of iterations"),
        pytest.param(NUMBER, Known(SIZES), "expected", id="a number that is a size"),
        pytest.param(SHAPE, Known(SIZES), "avoidable", id="another size"),
        pytest.param(SHAPE, Known(SIZES, pays=False), "expected", id="another size, and padding costs more"),
        pytest.param(SHAPE, Known(SIZES, is_kept=True), "expected", id="a state of another size"),
        pytest.param(SHAPE_AND_NUMBER, Known(SIZES), "maybe", id="another size and another number"),
        pytest.param(SHAPE_AND_SIZE, Known(SIZES), "maybe", id="another size, which a static number repeats"),
        pytest.param(SHAPE_AND_OBJECT, Known(SIZES), "avoidable", id="another size and another object of one content"),
        pytest.param(PRECISION, Known(FORM), "expected", id="a setting that asks for a dtype"),
        pytest.param(RANK, Known(FORM), "avoidable", id="another rank"),
        pytest.param(DTYPE, Known(FORM), "avoidable", id="another dtype"),
        pytest.param(LEAF_KIND, Known(FORM), "avoidable", id="a number that became an array"),
        pytest.param(LEAF_KIND, Known(OTHER), "maybe", id="a number that became an array, and another program"),
        pytest.param(FLAG_AND_ARRAY, Known(OTHER), "expected", id="a flag that became an array, and another program"),
        pytest.param(FLAG, Known(FORM), "maybe", id="a flag that chooses a dtype"),
        pytest.param(NUMBER, Known(OTHER), "expected", id="a number, and another program"),
        pytest.param(DTYPE, Known(OTHER), "maybe", id="another dtype, and another program"),
        pytest.param(ORDER, Known(OTHER), "maybe", id="entries in another order, which the function may depend on"),
        pytest.param(ABSENT, Known(OTHER), "maybe", id="an array in place of None"),
        pytest.param(ABSENT, Known(OTHER, comes_back=True), "avoidable", id="a state that comes back as returned"),
        pytest.param(DEVICE, Known(SAME, on_same_devices=False), "expected", id="another device"),
        pytest.param(DEVICE, Known(on_same_devices=False), "expected", id="another device, by one text for both"),
        pytest.param(NUMBER, Known(UNSEEN), "maybe", id="a program that calls Python"),
        pytest.param(DEVICE, Known(OTHER), "avoidable", id="another placement on the same devices"),
        pytest.param(EDITED, Known(SAME, version=1), "expected", id="code that was edited"),
        pytest.param(VMAP, None, "expected", id="another transform"),
        pytest.param(AHEAD, None, "expected", id="compiled ahead of time"),
        pytest.param(NUMBER, Known(), "maybe", id="a program that was not kept"),
        pytest.param(NUMBER, None, "maybe", id="no program at all"),
    ],
)
def test_a_recompile_is(pair: tuple[Miss, Miss], known: Known | None, verdict: str) -> None:
    assert judged(known, *pair).verdict == verdict


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (Known(SAME, version=3), "the same program as version 3"),
        (Known(SAME), "the same program"),
        (Known(ADDED), f"{BUT}0.1 → 0.2"),
        (Known(LOOP), f"{BUT}20 → 50, on which a loop or a shape depends"),
        (Known(replace(LOOP, words="given by `nondiff_argnums`")), f"{BUT}20 → 50, given by `nondiff_argnums`"),
        (Known(SIZES), "the same program for another size"),
        (Known(FORM), "the same program in another form"),
        (Known(OTHER), "60 operations instead of 40"),
        (Known(), ""),
    ],
)
def test_how_the_programs_differ_is_said(known: Known, words: str) -> None:
    assert judged(known, *NUMBER).words == words


def test_an_expected_recompile_has_only_expected_reasons_and_says_why() -> None:
    [reason] = explained(*NUMBER, programs=Known(OTHER)).reasons(1)
    told = reason.inherent, reason.advice
    assert told == (True, "Nothing to fix if you need both (60 operations instead of 40).")


def test_a_verdict_is_given_again_once_the_programs_are_read() -> None:
    known = Known()
    explainer = explained(*NUMBER, programs=known)
    assert explainer.judgement(1).verdict == "maybe"
    known.found = ADDED
    assert (explainer.judgement(1).verdict, explainer.reasons(1)[0].inherent) == ("avoidable", False)


@pytest.mark.parametrize(
    ("pair", "known", "advice"),
    [
        (
            NUMBER,
            Known(SAME, version=1),
            "The program is the same for these values: if it is for all, do not pass it to the jitted function; "
            "otherwise pass one of these.",
        ),
        (
            NUMBER,
            Known(ADDED),
            "Since the program only computes with it, remove `n` from `static_argnums` and `static_argnames`. If "
            "something in the program needs its value (a branch, a static parameter), keep it static.",
        ),
        (
            FLAG,
            Known(ADDED),
            "The programs differ only in numbers (0.1 → 0.2): pass those as arguments instead, and do "
            "not pass it to the jitted function.",
        ),
        (
            PRECISION,
            Known(SAME, version=1),
            "The program is the same for both: make every call in the same context.",
        ),
        (  # an older version has the same program, and the one that it is compared with has another number
            NUMBER,
            Known(ADDED, version=1),
            "Since the program only computes with it, remove `n` from `static_argnums` and `static_argnames`. If "
            "something in the program needs its value (a branch, a static parameter), keep it static.",
        ),
        (
            (miss(static("tag", plain("a"))), miss(static("tag", "run-2026-11-23T01:22:01"))),
            Known(),
            "If only the caller needs it (a path, a name, a time), do not pass it to the jitted function: it keeps "
            "getting new values, and each has its own program.",
        ),
    ],
)
def test_the_advice_follows_the_verdict(pair: tuple[Miss, Miss], known: Known, advice: str) -> None:
    assert explained(*pair, programs=known).reasons(1)[0].advice == advice
