from __future__ import annotations

from jitviz.jaxcompat.texts.program_lines import read_lines
from jitviz.views.program.difference import Renaming, keys_from_above, keys_from_below


def test_variables_correspond_one_by_one() -> None:
    renaming = Renaming()
    assert renaming.allows((1, 2), (5, 6))
    assert renaming.allows((2, 1, 3), (6, 5, 7))
    assert not renaming.allows((1,), (6,))
    assert not renaming.allows((4,), (5,))
    assert not renaming.allows((1, 2), (5,))


def test_a_refused_line_binds_nothing() -> None:
    renaming = Renaming()
    assert renaming.allows((2,), (6,))
    assert not renaming.allows((1, 2), (5, 9))
    assert renaming.allows((1,), (7,))


def test_keys_depend_on_all_inputs_or_all_uses() -> None:
    text = ["%a = sin %x", "%b = cos %a", "%c = cos %b", "%d = exp %c"]
    changed = ["%a = tan %x", *text[1:]]
    before, after = read_lines(text, "stablehlo"), read_lines(changed, "stablehlo")
    above = [one == other for one, other in zip(keys_from_above(before), keys_from_above(after), strict=True)]
    below = [one == other for one, other in zip(keys_from_below(before), keys_from_below(after), strict=True)]
    assert above == [False, False, False, False]
    assert below == [False, True, True, True]
    assert len(set(keys_from_above(before))) == 4
