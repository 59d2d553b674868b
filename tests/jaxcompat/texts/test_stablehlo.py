from __future__ import annotations

from jitviz.findings.program.places import Places
from jitviz.jaxcompat.texts.locations import Locations
from jitviz.jaxcompat.texts.stablehlo import read_operations

MODULE = """\
#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> loc("x")) -> (tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32> loc(#loc9)
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<4xf32>, tensor<i32>
    cond {
      %4 = stablehlo.compare LT, %iterArg_0, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1> loc(#loc8)
      stablehlo.return %4 : tensor<i1> loc(#loc7)
    } do {
      %4 = func.call @cell(%iterArg) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc6)
      stablehlo.return %4, %iterArg_0 : tensor<4xf32>, tensor<i32> loc(#loc7)
    } loc(#loc7)
    %1 = "stablehlo.sort"(%0#0) <{dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32> loc("sort"), %arg2: tensor<f32> loc("sort")):
      %4 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1> loc(#loc5)
      stablehlo.return %4 : tensor<i1> loc(#loc5)
    }) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc5)
    %2 = call @cell(%1) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc4)
    %3 = stablehlo.custom_call @g(%2) {note = "} loc(#loc5)"} : (tensor<4xf32>) -> tensor<4xf32> loc(#loc)
    return %3 : tensor<4xf32> loc(#loc9)
  } loc(#loc)
  func.func private @cell(%arg0: tensor<4xf32> loc(unknown)) -> tensor<4xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<4xf32> loc(#loc3)
    return %0 : tensor<4xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("f"("t.py":1:0 to :4))
#loc2 = loc("cell"("t.py":2:0 to :4))
#loc3 = loc("tanh"(#loc2))
#loc4 = loc("jit(f)/cell"(#loc1))
#loc5 = loc("jit(f)/sort"(#loc1))
#loc6 = loc("jit(f)/while/body/cell"(#loc1))
#loc7 = loc("jit(f)/while"(#loc1))
#loc8 = loc("jit(f)/while/cond/lt"(#loc1))
#loc9 = loc("jit(f)")
"""


def read(text: str) -> list[tuple[int, list[tuple[list[int], str]], bool]]:
    """Per operation: its line, the lines of Python that it comes from with names, whether it is counted."""
    places = Places()
    return [
        (line, [([places.line(number)[1] for number in chain], name) for chain, name in origins], is_counted)
        for line, origins, is_counted in read_operations(text, Locations(text, places))
    ]


def test_each_operation_is_at_the_line_on_which_it_begins() -> None:
    body = "jit(f)/while/body/cell"
    assert read(MODULE) == [
        (2, [([], "jit(f)")], False),
        (3, [([1], "jit(f)/while")], True),
        (5, [([1], "jit(f)/while/cond/lt")], True),
        (6, [([1], "jit(f)/while")], False),
        (8, [([1], body)], True),
        (9, [([1], "jit(f)/while")], False),
        (11, [([1], "jit(f)/sort")], True),
        (13, [([1], "jit(f)/sort")], True),
        (14, [([1], "jit(f)/sort")], False),
        (16, [([1], "jit(f)/cell")], True),
        (17, [([], "")], True),
        (18, [([], "jit(f)")], False),
        # a function that is called twice comes from both of its calls
        (21, [([1, 2], f"{body}/tanh"), ([1, 2], "jit(f)/cell/tanh")], True),
        (22, [([1], body), ([1], "jit(f)/cell")], False),
    ]


def test_a_program_that_runs_on_a_mesh_is_read() -> None:
    text = """\
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}} loc(#loc)
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>} loc("x")) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg2: tensor<4xf32>) {
      %1 = stablehlo.sine %arg2 : tensor<4xf32> loc(#loc1)
      sdy.return %1 : tensor<4xf32> loc(#loc)
    } : (tensor<4xf32>) -> tensor<4xf32> loc(#loc1)
    return %0 : tensor<4xf32> loc(#loc)
  } loc(#loc)
#loc = loc(unknown)
#loc1 = loc("f"("t.py":1:0 to :4))"""
    assert [(line, is_counted) for line, _, is_counted in read(text)] == [
        (0, False),
        (2, True),
        (3, True),
        (4, False),
        (6, False),
    ]


def test_functions_that_call_each_other_in_a_circle_are_read() -> None:
    text = """\
  func.func private @a() {
    call @b() : () -> () loc(#loc1)
  } loc(#loc1)
  func.func private @b() {
    call @a() : () -> () loc(#loc1)
  } loc(#loc1)
#loc1 = loc("f"("t.py":1:0 to :4))"""
    assert [line for line, _, _ in read(text)] == [1, 4]


def test_a_text_without_locations_has_no_operations() -> None:
    assert read("module @m {\n  %0 = stablehlo.tanh %arg0 : tensor<4xf32>\n}") == []
