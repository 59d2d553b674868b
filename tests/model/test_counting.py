"""Every sum that is shown depends on what a compile counts as."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from jitviz.model import UNKNOWN, Compile, Phase, PhaseName, Reason, Signature
from jitviz.model.counting import (
    has_cause,
    has_compiled,
    hits_seen,
    is_ahead,
    is_avoidable,
    is_loaded,
    is_recompile,
    may_be_avoidable,
)
from jitviz.model.reason import Judgement, Verdict

ALL: tuple[PhaseName, ...] = ("trace", "lower", "compile")
FIRST = Reason("first", "", "", "", "")
SHAPE = Reason("shape", "x", "", "", "")


def row(*reasons: Reason, phases: tuple[PhaseName, ...] = ALL, verdict: Verdict = "avoidable", **facts: Any) -> Compile:
    links: Any = SimpleNamespace(reasons=lambda index: reasons, judgement=lambda index: Judgement(verdict))
    known = Compile(function_info=UNKNOWN, signature=Signature(), function="f", index=0, version=1, start_s=0.0)
    return replace(known, phases=tuple(Phase(name, 0.0, 1.0) for name in phases), _links=links, **facts)


@pytest.mark.parametrize(
    ("compile", "counts_as"),
    [
        (row(FIRST), {has_compiled}),
        (row(SHAPE), {has_compiled, has_cause, is_recompile, is_avoidable}),
        (row(SHAPE, verdict="expected"), {has_compiled, has_cause, is_recompile}),
        (row(SHAPE, verdict="maybe"), {has_compiled, has_cause, is_recompile, may_be_avoidable}),
        (row(), {has_compiled}),
        (row(SHAPE, phases=("trace", "lower")), {has_cause}),  # `f.lower(...)` alone, or a trace that failed
        (row(SHAPE, phases=()), {has_compiled, has_cause, is_recompile, is_avoidable}),  # its phases were not recorded
        (row(SHAPE, status="failed"), {has_cause}),
        (row(SHAPE, status="running"), {has_cause}),
        (row(SHAPE, stage="lower"), {has_compiled, is_ahead}),
        (row(SHAPE, origin="loaded"), {has_compiled, has_cause, is_recompile, is_avoidable, is_loaded}),
    ],
)
def test_a_compile_counts_as(compile: Compile, counts_as: set[Any]) -> None:
    questions = (has_compiled, has_cause, is_recompile, is_avoidable, may_be_avoidable, is_ahead, is_loaded)
    assert {question for question in questions if question(compile)} == counts_as


def test_all_hits_are_seen_of_wrappers_that_run_python() -> None:
    apis = ("jitviz.filter_jit", "jax.jit", "a.wrapper.of.tomorrow")
    assert [hits_seen(replace(UNKNOWN, api=api), "some") for api in apis] == ["all", "some", "some"]
    assert [hits_seen(replace(UNKNOWN, api=api), "none") for api in apis] == ["all", "none", "none"]
