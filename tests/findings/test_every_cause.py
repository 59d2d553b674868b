"""Nothing that saves compiles if it alone is undone is without a finding: sessions are made up, and counted again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from jitviz.model import root_of
from jitviz.recording import Recording
from tests.reasons.samples import array, function, static

from .runs import Run


@dataclass(frozen=True)
class Given:
    """What one call is given: each property changes what JAX has in its key, and none changes the program."""

    form: str = "positional"  # of three arguments
    dtype: str = "float32 float32 float32"  # of three parameters
    size: int = 3
    token: int = 1  # of an object
    tag: str = "a"

    def play(self, run: Run) -> None:
        names = ("x", "params", "opt", "tag")
        run.call(
            "step",
            array("x", (self.size,)),
            *(array(f"params[{number}]", dtype=dtype) for number, dtype in enumerate(self.dtype.split())),
            static("opt", function(self.token)),
            static("tag", self.tag),
            form=tuple((name, self.form if name != "tag" else "keyword") for name in names),
        )


PATHS = {"form": "x", "dtype": "params", "size": "x", "token": "opt", "tag": "tag"}
CHOICES = {
    "form": ("positional", "keyword"),
    "dtype": (
        "float32 float32 float32",
        "bfloat16 bfloat16 bfloat16",
        "float32 bfloat16 bfloat16",
        "bfloat16 float32 float32",
    ),
    "size": (3, 4),
    "token": (1, 2, 3),
    "tag": "ab",
}
KINDS = {"form": "kwargs_vs_args", "dtype": "dtype", "size": "shape", "token": "static_identity", "tag": "static_value"}


def session(seed: int) -> list[Given]:
    """Calls in which two to four properties change."""
    chance = random.Random(seed)
    changing = chance.sample(sorted(CHOICES), chance.choice((2, 3, 4)))
    return [Given(**{name: chance.choice(CHOICES[name]) for name in changing}) for _ in range(chance.choice((3, 5, 7)))]


def play(calls: list[Given]) -> Recording:
    run = Run()
    for given in calls:
        given.play(run)
    return run.end()


def counted(calls: list[Given]) -> Iterator[tuple[str, str, int]]:
    """What each property saves if it alone never changes."""
    for name in CHOICES:
        left = {replace(given, **{name: None}) for given in calls}
        if saved := len({*calls}) - len(left):
            yield KINDS[name], PATHS[name], saved


@pytest.mark.parametrize("seed", range(200))
def test_what_saves_if_it_alone_is_undone_has_a_finding(seed: int) -> None:
    calls = session(seed)
    findings = play(calls).findings
    assert {(one.reason, root_of(one.path), one.saves) for one in findings if one.saves} == {*counted(calls)}
    compiles = sorted(number for one in findings for number in one.compiles)
    assert compiles == [*range(1, len({*calls}))]
