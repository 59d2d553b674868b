from __future__ import annotations

import pytest

from jitviz.findings.program.places import Places
from jitviz.jaxcompat.texts.locations import Locations, plain_stablehlo, strip_aliases

MODULE = """\
#loc1 = loc("x")
module @jit_f {
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("In [3]":5:20 to :25)
#loc3 = loc("train.py":9:2 to 10:7)
#loc4 = loc("loss"(#loc2))
#loc5 = loc("main"(#loc3))
#loc6 = loc(callsite(#loc4 at #loc5))
#loc7 = loc("jit(loss)/jvp()/mul"(#loc6))
#loc8 = loc("jit(f)/sin"("train.py":3:1))
#loc9 = loc("reduce"(#loc4))
#loc10 = loc("h\\C3\\A9 \\"(:1\\""(#loc2))
"""


def read(written: str) -> tuple[list[list[str]], str]:
    """The stacks of a location as "function file:line:column-column", outermost first, and its name."""
    places = Places()
    location = Locations(MODULE, places).read(written)
    files, functions = list(places.files), list(places.functions)

    def tell(number: int) -> str:
        frame = places.frames[number]
        place = f"{files[frame.file]}:{frame.line}:{frame.column}"
        return f"{functions[frame.function]} {place}-{frame.end_line}:{frame.end_column}"

    return [[tell(number) for number in chain] for chain in location.chains], location.name


LOSS, MAIN = "loss In [3]:5:20-5:25", "main train.py:9:2-10:7"


@pytest.mark.parametrize(
    ("written", "stacks", "name"),
    [
        ("#loc", [], ""),
        ("unknown", [], ""),
        ("#loc1", [], "x"),
        ("#loc4", [[LOSS]], ""),
        ("#loc6", [[MAIN, LOSS]], ""),
        ("#loc7", [[MAIN, LOSS]], "jit(loss)/jvp()/mul"),
        ("#loc9", [[LOSS]], "reduce"),
        ("#loc8", [[" train.py:3:1-3:-1"]], "jit(f)/sin"),  # JAX was told to leave call stacks out
        ('fused["a", "b"]', [], "a"),
        ("fused[#loc4, #loc7]", [[LOSS], [MAIN, LOSS]], "jit(loss)/jvp()/mul"),
        ('fused<"why>">[#loc4]', [[LOSS]], ""),
        ("callsite(#loc4 at callsite(#loc5 at #loc4))", [[LOSS, MAIN, LOSS]], ""),
        ("#loc99", [], ""),
        ("a_new_kind(#loc4)", [], ""),
        ("", [], ""),
    ],
)
def test_a_location_is_read(written: str, stacks: list[list[str]], name: str) -> None:
    assert read(written) == (stacks, name)


def test_bytes_and_quotes_in_a_name_are_read() -> None:
    assert read("#loc10") == ([[" In [3]:5:20-5:25"]], 'hé "(:1"')


def test_the_lines_of_a_module_without_locations_are_those_of_its_plain_text() -> None:
    assert strip_aliases(MODULE) == ["module @jit_f {", "} loc(#loc)", ""]


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


def test_locations_are_removed_everywhere() -> None:
    assert plain_stablehlo(LOCATED) == PLAIN


@pytest.mark.parametrize("text", [PLAIN, "", "module {\n}\n"])
def test_a_text_without_locations_is_unchanged(text: str) -> None:
    assert plain_stablehlo(text) == text
