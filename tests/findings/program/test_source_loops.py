from __future__ import annotations

import textwrap

import pytest

from jitviz.findings.program.source_loops import Loop, find_loops

SOURCE = """\
def f(params, x):
    for p in params["blocks"]:
        x = block(p, x)
    y = [g(v, 1) for v in split(x)]
    while cond(x):
        x = half(x)
    for i in range(3): x = x + i
    for name, value in updates.items():
        out[name] = value * 2
    for p in params:
        def inner(v):
            return v + 1
        h = inner(p)
        x += h
    return x
"""


def tell(loop: Loop) -> tuple[str, int, str, tuple[str, ...]]:
    return loop.kind, loop.line, loop.over, loop.carried


LOOPS = [
    ("for", 2, 'params["blocks"]', ("x",)),
    ("while", 5, "", ("x",)),
    ("for", 7, "range(3)", ("x",)),
    ("for", 8, "updates.items()", ()),
    ("for", 10, "params", ("x",)),
    ("comprehension", 4, "split(x)", ()),
]


def test_loops_are_found_with_what_they_iterate_over_and_what_they_carry() -> None:
    assert [tell(loop) for loop in find_loops(SOURCE, 1)] == LOOPS


def test_lines_are_counted_from_the_first_of_the_block() -> None:
    shifted = [(kind, line + 40, over, carried) for kind, line, over, carried in LOOPS]
    assert [tell(loop) for loop in find_loops(SOURCE, 41)] == shifted


def test_empty_lines_above_are_no_indent() -> None:
    assert [tell(loop) for loop in find_loops("\n" + SOURCE.lstrip("\n"), 0)] == LOOPS


def test_an_indented_method_is_read() -> None:
    assert [tell(loop) for loop in find_loops(textwrap.indent(SOURCE, "    "), 1)] == LOOPS


def test_a_cell_with_magics_is_read() -> None:
    assert [tell(loop) for loop in find_loops("%%filterjit\n!ls\n" + SOURCE, -1)] == LOOPS


@pytest.mark.parametrize("text", ["def f(:\n", "\0", "", "    \n", "(" * 10_000])
def test_text_that_is_not_python_has_no_loops(text: str) -> None:
    assert find_loops(text, 1) == []


def test_a_loop_ends_with_its_last_line() -> None:
    assert [(loop.line, loop.end) for loop in find_loops(SOURCE, 1)] == [
        (2, 3),
        (5, 6),
        (7, 7),
        (8, 9),
        (10, 14),
        (4, 4),
    ]


def test_names_that_an_iteration_sets_before_it_reads_them_are_not_carried() -> None:
    text = """\
for kx, x in zip(ks, data):
    for ky, y in zip(ks, data):
        at = index(x, y)
        if ky > 1:
            total = total + count(at, kx * ky)
"""
    assert [(loop.line, loop.carried) for loop in find_loops(text, 1)] == [(1, ("total",)), (2, ("total",))]


@pytest.mark.parametrize(
    ("body", "summed"),
    [
        ("total += f(x)", ("total",)),
        ("total = total + f(x)", ("total",)),
        ("for y in x: total += f(y)", ("total",)),
        ("total += f(x, total)", ()),
        ("total = total * f(x)", ()),
        ("total = other + f(x)", ()),
        ("total += f(x); x = g(total)", ()),
    ],
)
def test_names_to_which_an_iteration_only_adds_are_summed(body: str, summed: tuple[str, ...]) -> None:
    assert find_loops(f"for x in xs:\n    {body}\n", 1)[0].summed == summed


@pytest.mark.parametrize(
    ("use", "index"),
    [
        ("if i < 3: x = block(x)", "i"),
        ("x = block(x) if i % 2 else x", "i"),
        ("x = block(x, scales[i])", "i"),
        ('x = block(x, f"layer {i}")', "i"),
        ("x = block(x * i)", ""),
        ("x = x.at[i].set(block(x))", ""),
        ("x = block(x)", ""),
    ],
)
def test_an_index_that_is_used_in_python_is_named(use: str, index: str) -> None:
    (loop,) = find_loops(f"for i, block in enumerate(blocks):\n    {use}\n", 1)
    assert (loop.over, loop.index) == ("blocks", index)
