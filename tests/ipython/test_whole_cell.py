import ast
import sys

import pytest

from jitviz.ipython.refused_cells import CellError, CellErrors
from jitviz.ipython.whole_cell import analyse

NAMESPACE = {"x", "y", "f", "w", "_", "print_all"}


@pytest.mark.parametrize(
    ("cell", "reads", "assigned", "deleted"),
    [
        ("f(x)", ("f", "x"), (), ()),
        ("z = f(x); z", ("f", "x"), ("z",), ()),
        ("x = x + 1", ("x",), ("x",), ()),
        ("x = 1; x", (), ("x",), ()),
        ("x += 1", ("x",), ("x",), ()),
        ("x[0] += 1", ("x",), (), ()),
        ("x: int = x", ("x",), ("x",), ()),
        ("(x, *y), z.a = w", ("w",), ("x", "y"), ()),
        ("for x in x: y", ("x", "y"), ("x",), ()),
        ("if w: x = 1\nx", ("w",), ("x",), ()),
        ("with f(x) as x: x", ("f", "x"), ("x",), ()),
        ("try: f()\nexcept E as x: x", ("f",), ("x",), ()),
        ("[x for x in y]", ("y",), (), ()),
        ("{x: w for x in x if x for w in y}; x", ("x", "y"), (), ()),
        ("[z := x for x in w]", ("w",), ("z",), ()),
        ("x = (y := y) + y", ("y",), ("y", "x"), ()),
        ("lambda x, y=y: x + y + w", ("y", "w"), (), ()),
        ("w = f(lambda x: x + w)", ("w", "f"), ("w",), ()),
        ("def g(x=x): return x + y", ("x", "y"), ("g",), ()),
        ("def f(): return x\nx = 1", (), ("x", "f"), ()),
        ("class C(f):\n    x = 1\n    y = x\n    def m(self): return w", ("f", "w"), ("C",), ()),
        ("import x.y, os as w\nfrom f import y", (), ("x", "w", "y"), ()),
        ("match w:\n    case [x, *y] | {'a': x, **y}: x", ("w",), ("x", "y"), ()),
        ("del x", ("x",), ("x",), ("x",)),
        ("for _ in range(3): f(_)", ("f",), ("_",), ()),
        ("_ + 1", ("_",), (), ()),
        ("len(nothing)", (), (), ()),
        ("f'{x!r:>{w}}'", ("x", "w"), (), ()),
        pytest.param(
            "type x = list[x]",
            (),
            ("x",),
            (),
            marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no `type` statement"),
        ),
    ],
)
def test_names_are_inputs_if_they_are_read_first_and_outputs_if_they_are_assigned(
    cell: str, reads: tuple[str, ...], assigned: tuple[str, ...], deleted: tuple[str, ...]
) -> None:
    found = analyse(ast.parse(cell), NAMESPACE)
    assert (set(found.reads), set(found.assigned), found.deleted) == (set(reads), set(assigned), deleted)


def test_names_are_in_the_order_of_the_text() -> None:
    assert analyse(ast.parse("z = w + f(x)\ny = x"), NAMESPACE).parameters == ("w", "f", "x", "z", "y")


LEAVES = "`return`, `yield` or `await`"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("return x", LEAVES),
        ("y = (yield x)", LEAVES),
        ("yield from x", LEAVES),
        ("await x", LEAVES),
        ("async for x in y: pass", LEAVES),
        ("async with x: pass", LEAVES),
        ("[x async for x in y]", "an asynchronous comprehension"),
        ("global x", "`global`"),
        ("def g(): global x", "`global`"),
        ("def g(): nonlocal x", "`nonlocal`"),
        ("from math import *", "`from __future__` or `import *`"),
        ("from __future__ import annotations", "`from __future__` or `import *`"),
        ("y = get_ipython().getoutput('ls')", "a magic or a shell command"),
        ("exec('z = 5')", "`exec` of a text"),
        ("z = eval('x + 1')", "`eval` of a text"),
        ("globals()['z'] = x", "`globals()`"),
        ("def g(): return globals()", "`globals()`"),
        ("locals()['z'] = x", "`locals()`"),
        ("get_ipython().user_ns['z'] = x", "`get_ipython()`"),
        ("z = input()", "`input()`"),
    ],
)
def test_a_construct_that_cannot_be_compiled_is_refused_with_its_line_and_the_next_step(line: str, what: str) -> None:
    with pytest.raises(CellError) as refusal:
        CellErrors("In [3]").refuse(ast.parse(f"x = 1\n\n{line}\nreturn 2"))
    assert str(refusal.value) == (
        f"In [3], line 3: {what} cannot be compiled with --cell: put it into a cell of its own."
    )


@pytest.mark.parametrize(
    "cell",
    [
        "def g():\n    return (yield x)",
        "async def g():\n    await x",
        "g = lambda: (yield)",
        "def g():\n    y = 1\n    def h():\n        nonlocal y",
        "class C:\n    def m(self):\n        return self",
        "def g():\n    return locals()",
        "y = eval('a + 1', {'a': 1})\nz = vars(x)",
        "eval = len\ny = eval('text')",
    ],
)
def test_inside_a_function_these_constructs_are_allowed(cell: str) -> None:
    CellErrors("In [3]").refuse(ast.parse(cell))


def test_a_function_with_the_name_of_a_built_in_one_is_the_users() -> None:
    CellErrors("In [3]").refuse(ast.parse("y = eval(model)"), {"eval"})
