from __future__ import annotations

import pytest

from jitviz.findings.program.places import Places
from jitviz.jaxcompat.texts import hlo
from jitviz.views.program.work import moved_bytes

from . import programs


def moved(text: str) -> dict[str, float]:
    """Bytes by name of the instruction."""
    module = hlo.read_module(text, Places())
    names = {one.line: one.name for part in module.computations.values() for one in part}
    return {names[line]: nbytes for line, nbytes in moved_bytes(module).items()}


def test_an_instruction_reads_its_operands_and_writes_its_result() -> None:
    text = """\
ENTRY %main (x: f32[4], y: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %y = f32[4]{0} parameter(1)
  %c = f32[] constant(0)
  %add = f32[4]{0} add(%x, %y)
  %red = f32[] reduce(%add, %c), dimensions={0}, to_apply=%sum
  ROOT %t = (f32[4]{0}, f32[]) tuple(%add, %red)
}
"""
    assert moved(text) == {"add": 48.0, "red": 24.0}


def test_a_fusion_moves_its_inputs_and_outputs() -> None:
    text = """\
%f (a: f32[4], b: f32[100], i: s32[]) -> f32[4] {
  %a = f32[4]{0} parameter(0)
  %b = f32[100]{0} parameter(1)
  %i = s32[] parameter(2)
  %slice = f32[4]{0} dynamic-slice(%b, %i), dynamic_slice_sizes={4}
  %sin = f32[4]{0} sine(%slice)
  ROOT %mul = f32[4]{0} multiply(%sin, %a)
}

ENTRY %main (x: f32[4], y: f32[100], i: s32[]) -> f32[4] {
  ROOT %fusion = f32[4]{0} fusion(%x, %y, %i), kind=kLoop, calls=%f
}
"""
    assert moved(text) == {"fusion": 16.0 + 16.0 + 4.0 + 16.0}  # a, the slice of b, i, the result


def test_an_update_in_place_moves_the_update() -> None:
    text = """\
%f (a: f32[100], b: f32[4], i: s32[]) -> f32[100] {
  %a = f32[100]{0} parameter(0)
  %b = f32[4]{0} parameter(1)
  %i = s32[] parameter(2)
  ROOT %update = f32[100]{0} dynamic-update-slice(%a, %b, %i)
}

ENTRY %main (x: f32[100], y: f32[4], i: s32[]) -> f32[100] {
  %x = f32[100]{0} parameter(0)
  %y = f32[4]{0} parameter(1)
  %i = s32[] parameter(2)
  %alone = f32[100]{0} dynamic-update-slice(%x, %y, %i)
  ROOT %fusion = f32[100]{0} fusion(%x, %y, %i), kind=kLoop, calls=%f
}
"""
    assert moved(text) == {"alone": 32.0, "fusion": 16.0 + 4.0 + 16.0}
    assert moved(text.replace("(%x, %y, %i)\n", "(%x)\n"))["alone"] == 0.0  # nothing is known of a torn line
    assert moved(text.replace("(%a, %b, %i)\n", "(%a)\n"))["fusion"] == 400.0 + 16.0 + 4.0 + 400.0
    update = "%update = f32[100]{0} dynamic-update-slice(%a, %b, %i)\n"
    also_read = f"{update}  ROOT %add = f32[100]{{0}} add(%update, %a)\n"
    assert moved(text.replace(f"ROOT {update}", also_read))["fusion"] == 400.0 + 16.0 + 4.0 + 16.0


def test_a_loop_counts_once_per_iteration_and_each_of_two_branches_by_half() -> None:
    text = """\
%body (p: (s32[], f32[4])) -> (s32[], f32[4]) {
  %p = (s32[], f32[4]{0}) parameter(0)
  %g = f32[4]{0} get-tuple-element(%p), index=1
  %sin = f32[4]{0} sine(%g)
}

%cond (p: (s32[], f32[4])) -> pred[] {
  %p.1 = (s32[], f32[4]{0}) parameter(0)
}

%one (q: f32[4]) -> f32[4] {
  %q = f32[4]{0} parameter(0)
  ROOT %cos = f32[4]{0} cosine(%q)
}

%two (r: f32[4]) -> f32[4] {
  ROOT %r = f32[4]{0} parameter(0)
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %w = (s32[], f32[4]{0}) while(%t), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"5"}}
  ROOT %b = f32[4]{0} conditional(%i, %x, %x), branch_computations={%one, %two}
}
"""
    assert moved(text) == {"sin": 5 * 32.0, "cos": 16.0}


@pytest.mark.parametrize("make", [programs.transformer, programs.nested, programs.batched])
def test_programs_without_loops_move_as_many_bytes_as_xla_says(make: programs.Make) -> None:
    """XLA counts how often a fusion reads an element; in these programs it reads each once."""
    recording, compile = make()
    cost = recording.compiles[compile].cost
    assert cost is not None
    assert cost.bytes_accessed is not None
    module = hlo.read_module(recording.located(compile, "hlo") or "", Places())
    assert sum(moved_bytes(module).values()) == pytest.approx(cost.bytes_accessed, rel=0.02)
