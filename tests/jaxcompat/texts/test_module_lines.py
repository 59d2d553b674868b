"""Modules read line by line, without the names that the compiler made up."""

from jitviz.jaxcompat.texts.module_lines import read_program

MAIN = "  func.func public @main(%arg0: tensor<f32>) {\n    %0 = call @f(%arg0) : (tensor<f32>) -> tensor<f32>\n  }\n"
INNER = "  func.func private @f(%arg0: tensor<f32>) {\n    %0 = stablehlo.sine %arg0 : tensor<f32>\n  }\n"


def test_a_program_is_the_same_whatever_the_order_of_its_functions() -> None:
    one, other = (read_program(f"module @jit_f {{\n{text}}}\n") for text in (MAIN + INNER, INNER + MAIN))
    assert one.main == other.main == "main"
    assert one.digests["main"] == other.digests["main"] != one.digests["f"]


def test_a_line_keeps_its_operation_and_loses_its_names() -> None:
    program = read_program(f"module @jit_f {{\n{MAIN}{INNER}}}\n")
    renamed = read_program(f"module @jit_f {{\n{MAIN}{INNER.replace('%0', '%7')}}}\n")
    assert [line.operation for line in program.functions["f"].lines] == ["func.func", "stablehlo.sine", "}"]
    assert renamed.functions["f"].lines == program.functions["f"].lines
