import pytest

from jitviz.jaxcompat.texts.program_lines import operation_of, read_lines, types_of
from jitviz.model import ListingName


@pytest.mark.parametrize(
    ("kind", "line", "shape", "sets", "reads"),
    [
        (
            "jaxpr",
            "    a:f32[4] b:key<fry>[] = add c 1.0:f32[] c",
            "    _:f32[4] _:key<fry>[] = add _ 1.0:f32[] _",
            2,
            2,
        ),
        ("jaxpr", "    a:f32[] = pow[y=c mode=Mode.c z='c' w=(c, 2)] c", None, 1, 2),
        ("jaxpr", "  in (c, a) }", "  in (_, a) }", 0, 1),
        (
            "stablehlo",
            "    %0:2 = stablehlo.while(%i = %c) : tensor<i32>",
            "    _:2 = stablehlo.while(_ = _) : tensor<i32>",
            2,
            1,
        ),
        ("stablehlo", "    %1 = func.call @f(%0#1) : () -> ()", "    _ = func.call _(_#1) : () -> ()", 1, 2),
        ("stablehlo", "  func.func private @f(%a: tensor<i1>) {", "  func.func private _(_: tensor<i1>) {", 1, 1),
        ("hlo", "  ROOT %a.1 = f32[4]{0} add(%b, %c.clone), x={}", "  ROOT _ = f32[4]{0} add(_, _), x={}", 1, 2),
        ("hlo", "ENTRY %m.1 (a.1: (f32[], s32[])) -> f32[] {", "ENTRY _ (_: (f32[], s32[])) -> f32[] {", 0, 2),
        ("hlo", "}", "}", 0, 0),
    ],
)
def test_names_are_taken_out_of_a_line(kind: ListingName, line: str, shape: str | None, sets: int, reads: int) -> None:
    lines = read_lines([line, "    c:f32[] = nothing"] if kind == "jaxpr" else [line], kind)
    if shape is not None:
        assert lines.shape[0].replace("\0", "_") == shape
    assert (len(lines.sets[0]), len(lines.reads[0])) == (sets, reads)


@pytest.mark.parametrize(
    ("kind", "line", "operation", "types"),
    [
        ("jaxpr", "    a:f32[4] = add b 1.0:f32[]", "add", [("f32", ("4",)), ("f32", ())]),
        ("jaxpr", "  in (a,) }", "", []),
        ("stablehlo", "    %0 = stablehlo.sine %arg0 : tensor<3x4xf32>", "sine", [("f32", ("3", "4"))]),
        ("stablehlo", "    return %0 : tensor<i1>", "", [("i1", ())]),
        ("hlo", "  ROOT %a = (f32[4]{0}, pred[]) fusion(%b)", "fusion", [("f32", ("4",)), ("pred", ())]),
        ("hlo", "  %b = f32[4]{0} parameter(0)", "", [("f32", ("4",))]),
    ],
)
def test_the_operation_and_the_types_of_a_line_are_read_with_and_without_its_names(
    kind: ListingName, line: str, operation: str, types: list[tuple[str, tuple[str, ...]]]
) -> None:
    for text in (line, *read_lines([line], kind).shape):
        assert operation_of(text, kind) == operation
        assert types_of(text, kind) == types
