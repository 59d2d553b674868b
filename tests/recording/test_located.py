"""Locations are taken out of StableHLO without a trace, and nothing else is."""

import pytest

from jitviz.recording.located import plain_stablehlo

LOCATED = r"""#loc = loc(unknown)
#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32> loc("x"), %arg1: tensor<3xf32> loc(unknown)) -> tensor<3xf32> {
    %0 = stablehlo.sine %arg0 : tensor<3xf32> loc(#loc5)
    %1 = stablehlo.custom_call @f(%0) {note = "say \"hi\" loc(#loc5)"} : (tensor<3xf32>) -> tensor<3xf32> loc(#loc)
    return %1 : tensor<3xf32> loc("a (b) \") c"("f.py":1:2 to :3))
  } loc(callsite("f"("f.py":1:2) at fused<"x">["y", callsite(#loc1 at "g"(#loc3))]))
} loc(#loc)
#loc3 = loc("train.py":21:3 to :13)
#loc5 = loc("sin"(#loc3))
"""

PLAIN = r"""module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sine %arg0 : tensor<3xf32>
    %1 = stablehlo.custom_call @f(%0) {note = "say \"hi\" loc(#loc5)"} : (tensor<3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
"""


def test_locations_are_taken_out_wherever_they_stand() -> None:
    assert plain_stablehlo(LOCATED) == PLAIN


@pytest.mark.parametrize("text", [PLAIN, "", "module {\n}\n"])
def test_a_text_without_locations_comes_back_as_it_is(text: str) -> None:
    assert plain_stablehlo(text) == text
