from __future__ import annotations

import re
from typing import Any

import equinox
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.jaxcompat.texts.labels import name_inputs

TEXT = """\
HloModule jit_step

%fused (param_0: f32[3]) -> f32[3] {
  %param_0 = f32[3]{0} parameter(0), metadata={op_name="traced[0]"}
}

ENTRY %main.1 (traced_0_.1: f32[3], traced_2_.1: f32[3]) -> f32[3] {
  %constant.1 = f32[3]{0} parameter(0)
  %traced_0_.1 = f32[3]{0} parameter(1), metadata={op_name="traced[0]"}
  %traced_2_.1 = f32[3]{0} parameter(2), sharding={replicated}, metadata={op_name="traced[2]"}
  ROOT %add.1 = f32[3]{0} add(%traced_0_.1, %traced_2_.1), metadata={op_name="jit(step)/add"}
}
"""
NAMED = """\
ENTRY %main.1 (model__w__.1: f32[3], x.1: f32[3]) -> f32[3] {
  %constant.1 = f32[3]{0} parameter(0)
  %model__w__.1 = f32[3]{0} parameter(1), metadata={op_name="model[\\'w\\']"}
  %x.1 = f32[3]{0} parameter(2), sharding={replicated}, metadata={op_name="x"}
  ROOT %add.1 = f32[3]{0} add(%model__w__.1, %x.1), metadata={op_name="jit(step)/add"}
}
"""


def entry(text: str) -> str:
    return text[text.index("ENTRY") :]


def test_inputs_are_renamed_in_the_entry_computation_alone() -> None:
    named = name_inputs(TEXT, ["model['w']", "x"], 1)
    assert entry(named) == NAMED
    assert named.removesuffix(NAMED) == TEXT.removesuffix(entry(TEXT))


def test_a_name_that_is_already_taken_is_not_given() -> None:
    named = name_inputs(TEXT, ["add", "x"], 1)
    assert '%traced_0_.1 = f32[3]{0} parameter(1), metadata={op_name="add"}' in named
    assert "add(%traced_0_.1, %traced_2_.1)" in named


def test_two_inputs_never_get_one_name() -> None:
    assert "add(%traced_0_.1, %traced_2_.1)" in name_inputs(TEXT, ["x[0]", "x(0)"], 1)


@pytest.mark.parametrize("paths", [[], ["traced[0]"]])
def test_a_text_without_paths_or_with_the_right_names_is_unchanged(paths: list[str]) -> None:
    assert name_inputs(TEXT, paths, 1) == TEXT
    assert name_inputs("no program", paths, 0) == "no program"


def step(model: Any, unused: Any, x: Any) -> Any:
    return model["w"] * x


@pytest.mark.parametrize("jit", [jax.jit, jitviz.filter_jit, equinox.filter_jit])
def test_every_jit_names_its_inputs_alike(jit: Any) -> None:
    with jitviz.record() as rec:
        jit(step)({"w": jnp.ones(3), "n": jnp.ones(2)}, jnp.ones(4), jnp.ones(3))
    hlo = entry(rec.compiles[-1].hlo or "")
    assert re.findall(r'(%\S+) = \S+ parameter\(\d\), metadata={op_name="([^"]*)"', hlo) == [
        ("%model__w__.1", "model[\\'w\\']"),
        ("%x.1", "x"),
    ]
