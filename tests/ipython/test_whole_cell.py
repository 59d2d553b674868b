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


ASYNC = "`await` does not work inside a compiled program. Await in an earlier cell, and use the result here."
YIELD = "`yield` creates a generator, which cannot be compiled. Collect the values in a list."


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("return x", "`return` works only in a function. Write the value as the last line of the cell, or assign it."),
        ("y = (yield x)", YIELD),
        ("yield from x", YIELD),
        ("await x", ASYNC),
        ("async for x in y: pass", ASYNC),
        ("async with x: pass", ASYNC),
        ("[x async for x in y]", ASYNC),
        ("global x",
         "`global` is not needed: all names that the cell assigns are assigned in the notebook. Leave it out."),
        ("def g(): global x",
         "`global` cannot reach the notebook from a compiled cell. Return the value, and assign it there."),
        ("def g(): nonlocal x",
         "`nonlocal` needs an enclosing function. Pass the value to the function, and return the new one."),
        ("from math import *", "`import *` hides which names it assigns. Import them by name, or in an earlier cell."),
        ("from __future__ import annotations",
         "`from __future__` changes how Python reads the cell. Put it into an earlier cell."),
        ("y = get_ipython().getoutput('ls')",
         "A magic, `?` or a shell command would run only while the cell is traced. Put it into a cell of its own."),
        ("exec('z = 5')",
         "`exec` of a text hides which names it reads and assigns. Write the code in the cell itself."),
        ("z = eval('x + 1')",
         "`eval` of a text hides which names it reads and assigns. Write the code in the cell itself."),
        ("globals()['z'] = x",
         "`globals()` reads and writes the notebook past the compiled cell. Write the names in the cell itself."),
        ("def g(): return globals()",
         "`globals()` reads and writes the notebook past the compiled cell. Write the names in the cell itself."),
        ("locals()['z'] = x",
         "`locals()` reads and writes the notebook past the compiled cell. Write the names in the cell itself."),
        ("get_ipython().user_ns['z'] = x",
         "`get_ipython()` reads and writes the notebook past the compiled cell. Write the names in the cell itself."),
        ("z = input()", "`input` would ask only while the cell is traced. Ask in an earlier cell."),
    ],
)  # fmt: skip  # one construct a row reads as a table
def test_a_construct_that_cannot_be_compiled_is_refused_with_its_line_and_the_next_step(line: str, advice: str) -> None:
    with pytest.raises(CellError) as refusal:
        CellErrors("In [3]").refuse(ast.parse(f"x = 1\n\n{line}\nreturn 2"))
    assert str(refusal.value) == f"In [3], line 3: {advice}"


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
