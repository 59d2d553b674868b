from __future__ import annotations

import pytest

from jitviz.views.program.normal import Renaming, keys_from_above, keys_from_below, read_lines
from jitviz.views.schema import ListingName


def test_variables_stand_for_each_other_one_by_one() -> None:
    renaming = Renaming()
    assert renaming.allows((1, 2), (5, 6))
    assert renaming.allows((2, 1, 3), (6, 5, 7))
    assert not renaming.allows((1,), (6,))
    assert not renaming.allows((4,), (5,))
    assert not renaming.allows((1, 2), (5,))


def test_a_line_that_is_refused_binds_nothing() -> None:
    renaming = Renaming()
    assert renaming.allows((2,), (6,))
    assert not renaming.allows((1, 2), (5, 9))
    assert renaming.allows((1,), (7,))


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


def test_keys_tell_of_all_that_goes_in_and_of_all_that_comes_out() -> None:
    text = ["%a = sin %x", "%b = cos %a", "%c = cos %b", "%d = exp %c"]
    changed = ["%a = tan %x", *text[1:]]
    before, after = read_lines(text, "stablehlo"), read_lines(changed, "stablehlo")
    above = [one == other for one, other in zip(keys_from_above(before), keys_from_above(after), strict=True)]
    below = [one == other for one, other in zip(keys_from_below(before), keys_from_below(after), strict=True)]
    assert above == [False, False, False, False]
    assert below == [False, True, True, True]
    assert len(set(keys_from_above(before))) == 4
