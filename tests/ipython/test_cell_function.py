import gc
import itertools
import pickle
import re
import weakref
from typing import Any

import IPython
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jitviz.model import Compile

from .conftest import Ran, Run

SETUP = """
import jax, jax.numpy as jnp, numpy as np
from functools import partial
x = jnp.arange(3.0)
w = jnp.ones(3)
rate = 0.5
losses = []
def double(x):
    return x * 2
"""
HEAD = "%%filterjit --cell\n"


@pytest.fixture(autouse=True)
def _set_up(run: Run) -> None:
    run(SETUP)


def rows(compile: Compile) -> dict[str, str]:
    return {leaf.path: leaf.role for leaf in (*compile.signature.leaves, *compile.outputs)}


def outcomes(ran: Ran) -> list[tuple[str, str]]:
    return [(call.function, call.outcome) for call in ran.recording.calls]


def test_the_cell_is_one_function_from_the_names_it_reads_to_the_names_it_assigns(
    run: Run, shell: InteractiveShell
) -> None:
    ran = run(HEAD + "y = double(x) * rate\nw = w - y\nw.sum()")
    assert outcomes(ran) == [("cell", "compile")]
    (compile,) = ran.recording.compiles
    assert rows(compile) == {
        "double": "static",
        "x": "traced",
        "rate": "static",
        "w": "traced",
        "out.y": "traced",
        "out.w": "traced",
        "out._": "traced",
    }
    assert ran.value.tolist() == 0.0
    assert [shell.user_ns[name].tolist() for name in ("y", "w")] == [[0, 1, 2], [1, 0, -1]]
    assert shell.user_ns["_2"] is ran.value


def test_the_same_cell_again_is_a_hit(run: Run, shell: InteractiveShell) -> None:
    cell = "y = double(x)\nw = w - y\ndef scale(t):\n    return t * rate\nfor i in range(2):\n    w = w + i\nw"
    first, second = run(HEAD + cell), run(HEAD + cell.replace("\n", "  # a comment\n\n", 1))
    assert outcomes(first) + outcomes(second) == [("cell", "compile"), ("cell", "hit")]
    assert [first.value.tolist(), second.value.tolist()] == [[2, 0, -2], [3, -1, -5]]


@pytest.mark.parametrize(
    ("change", "kind", "path"),
    [
        ("x = jnp.arange(3)", "dtype", "x"),
        ("x = jnp.arange(4.0); w = jnp.ones(4)", "shape", "x"),
        ("rate = 0.25", "static_value", "rate"),
        ("def double(x):\n    return x + x", "static_value", "double"),
    ],
)
def test_a_changed_input_compiles_a_new_version_and_the_reason_names_it(
    run: Run, change: str, kind: str, path: str
) -> None:
    cell = HEAD + "double(x) * rate + w"
    run(cell)
    run(change)
    (compile,) = run(cell).recording.compiles
    assert (compile.reasons[0].kind, compile.reasons[0].path) == (kind, path)


def test_cells_with_different_code_are_different_functions(run: Run) -> None:
    run(HEAD + "x + 1")
    (compile,) = run(HEAD + "x + 2").recording.compiles
    assert [reason.kind for reason in compile.reasons] == ["first"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("import math, os.path as p\nfrom math import pi as k\nz = math.pi == k, p.sep", {"z": (True, "/")}),
        ("def f(t): return f(t - 1) + x if t else 0 * x\nz = f(2)", {"z": [0, 2, 4]}),
        ("class C:\n    k = rate\n    def m(self): return x * self.k\nz = C().m()", {"z": [0, 0.5, 1]}),
        ("if rate > 1:\n    z = x\nelse:\n    z = w", {"z": [1, 1, 1]}),
        ("z = 0 * x\nfor i in range(3):\n    z += i", {"z": [3, 3, 3], "i": 2}),
        ("a, (b, *c) = x, [w, rate, 1]", {"a": [0, 1, 2], "b": [1, 1, 1], "c": [0.5, 1]}),
        ("with jax.named_scope('s') as s, jax.default_matmul_precision('high'):\n    z = x @ w", {"z": 3}),
        ("x = 9\nz = [x for x in range(2)], {x: 1 for x in range(1)}", {"x": 9, "z": ([0, 1], {0: 1})}),
        ("z = [(last := t) for t in x]", {"last": 2}),
        ("print_it = print if (n := len(losses)) else None", {"print_it": None, "n": 0}),
        ("for _ in range(2):\n    w = w + _", {"w": [2, 2, 2], "_": 1}),
        ("match rate:\n    case 0.5 as z: pass", {"z": 0.5}),
        ("try:\n    z = 1 / 0\nexcept ZeroDivisionError as error:\n    z = x", {"z": [0, 1, 2]}),
        ("x.at[0].set(1)\nz: int = 3", {"z": 3}),
        ("losses += [x.sum()]", {"losses": [3]}),
        ("z = np.asarray([1, 2]) + jnp.asarray(losses or 0)", {"z": [1, 2]}),
        ("'''Say what it is.'''\nz = f'{rate:.2f}'", {"z": "0.50"}),
        ("async def later():\n    return await later()", {}),
    ],
)
def test_statements_do_what_they_do_in_a_plain_cell(
    run: Run, shell: InteractiveShell, cell: str, expected: dict[str, Any]
) -> None:
    ran = run(HEAD + cell)
    assert outcomes(ran) == [("cell", "compile")]
    assert {name: plain(shell.user_ns[name]) for name in expected} == expected
    assert "error" not in shell.user_ns


def plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


def test_a_deleted_name_is_removed_from_the_namespace(run: Run, shell: InteractiveShell) -> None:
    assert run(HEAD + "y = x\ndel y, w").error is None
    assert not {"y", "w"} & set(shell.user_ns)


def test_the_value_before_this_cell_can_be_read(run: Run) -> None:
    run("x + 1")
    assert run(HEAD + "_ * 2").value.tolist() == [2, 4, 6]


def test_a_semicolon_or_a_statement_at_the_end_shows_nothing(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(HEAD + "x + 1;")
    assert run(HEAD + "y = x + 1").value is None
    assert capsys.readouterr().out == ""


def test_an_output_is_an_input_as_well_if_the_cell_reads_it_before_assigning_it(
    run: Run, shell: InteractiveShell
) -> None:
    cell = HEAD + "if rate > 1:\n    w = 2 * x\nw + 1"
    assert run(cell).value.tolist() == [2, 2, 2]
    assert outcomes(run(cell)) == [("cell", "hit")]


def test_a_new_output_is_not_an_input_of_the_second_run(run: Run) -> None:
    cell = HEAD + "for i in range(2):\n    z = x + i\nz"
    assert [outcomes(run(cell)) for _ in range(2)] == [[("cell", "compile")], [("cell", "hit")]]


def test_functions_and_classes_have_the_names_they_have_in_a_plain_cell(run: Run, shell: InteractiveShell) -> None:
    run(HEAD + "def f(t):\n    return jnp.sin(t)\nclass C:\n    def m(self): ...")
    f, kind = shell.user_ns["f"], shell.user_ns["C"]
    assert (f.__qualname__, kind.__qualname__, kind.m.__qualname__) == ("f", "C", "C.m")
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_a_function_of_the_cell_uses_the_arrays_of_the_last_run(run: Run, shell: InteractiveShell) -> None:
    cell = HEAD + "s = 2 * x\ndef f(t):\n    return t * s + x\ng = jax.grad(lambda t: f(t).sum())\nf(w)"
    assert run(cell).value.tolist() == [0, 3, 6]
    assert run("f(w), g(w)").value[0].tolist() == [0, 3, 6]
    run("x = x + 1")
    ran = run(cell)
    assert (outcomes(ran), ran.value.tolist()) == ([("cell", "hit")], [3, 6, 9])
    assert [value.tolist() for value in run("f(w), g(w)").value] == [[3, 6, 9], [2, 4, 6]]


def test_no_array_of_a_finished_run_is_kept(run: Run, shell: InteractiveShell) -> None:
    run("big = jnp.ones(1000)")
    gone = weakref.ref(shell.user_ns["big"])
    run(HEAD + "small = jax.grad(lambda t: (t * big).sum())(1.0)\ndef triple(t):\n    return 3 * t")
    run("del big")
    gc.collect()
    assert gone() is None


def test_no_name_of_jitviz_stays_in_the_namespace(run: Run, shell: InteractiveShell) -> None:
    for cell in ("y = x", "1 / 0", "return x", "nothing", "x = = 1"):
        run(HEAD + cell)
    assert [name for name in shell.user_ns if "jitviz" in name or name in ("cell", "y_")] == []
    assert [type(one).__name__ for one in shell.ast_transformers] == []


TRACED = "`x` is traced in `cell`."
BRANCH = f"`if` needs a value, but {TRACED} Write `jnp.where`, which computes both, or `jax.lax.cond`."
LEAKS = (
    "refers to a traced value{}, which would leak. Assign the value to a name or pass it as an argument, or do this in "
    "a cell without --cell."
)
CHANGED = (
    "the cell changes `losses` in place, but a compiled cell works on a copy. Assign a new object instead (`losses = "
    "[*losses, item]`, `losses = {**losses, key: item}`), or change it in a cell of its own."
)
LEAKED = (
    "A variable outside holds a traced value of the traced function, which means nothing after the trace. Return the "
    "value from the traced function, and store what the call returns."
)
FORMAT = "has no numbers. Format it in a later cell, or print it with `jax.debug.print`."


@pytest.mark.parametrize(
    ("before", "cell", "line", "advice"),
    [
        ("", "if x.sum() > 0:\n    z = 1", 4, BRANCH),
        (
            *("", "for i in range(2):\n    while w[i]:\n        pass", 5),
            "`while` needs a value, but `w` is traced in `cell`. Write `jax.lax.while_loop`.",
        ),
        (
            *("", "jnp.zeros(x.sum().astype(int))", 4),
            f"The size in `jnp.zeros` needs a value, but {TRACED} Pass it as a static argument, computed outside; or "
            "use its largest value, and mask the rest.",
        ),
        (
            *("", "if rate: np.sin(x)\nelse: pass", 4),
            f"`np.sin` needs a value, but {TRACED} Write `jnp.sin` in place of `np.sin`.",
        ),
        (
            *("", "x[x > 0]", 4),
            "`x[x > 0]` has as many elements as the mask has true values: no fixed size. Keep the shape: "
            "`jnp.where(x > 0, x, fill)`, with a `fill` that what follows ignores; or select outside the jitted "
            "function.",
        ),
        ("leak = []\njax.jit(leak.append)(x)", "z = leak[0] + 1", 4, LEAKED),
        ("", "s = 2 * x\ndef h(t, s=s):\n    return t * s", 5, "`h` " + LEAKS.format(" (by `s`)")),
        ("", "def g(s):\n    return lambda: s\nh = g(2 * x)", 6, "`h` " + LEAKS.format(" (by `s`)")),
        ("", "s = 2 * x\npartial(double, s)", 5, "the value of the cell " + LEAKS.format("")),
        ("class Box: pass\nbox = Box()", "box.last = x", 4, "`box` " + LEAKS.format(" (by `last`)")),
        ("", "losses.append(x)", 4, CHANGED),
        ("def add(to):\n    to.append(1)", "add(losses)", 4, CHANGED),
        ("", "s = str(x)", 4, f"`s` is the text of a traced value, which {FORMAT}"),
        ("", "s = ', '.join([f'{v}' for v in x])", 4, f"`s` is the text of a traced value, which {FORMAT}"),
        ("", "print(f'loss {x.sum():.2f}')", 4, f"the text of a traced value {FORMAT}"),
        ("", "print('loss %d' % x[0])", 4, f"the text of a traced value {FORMAT}"),
    ],
)
def test_an_error_of_tracing_has_the_line_and_the_next_step_and_nothing_is_assigned(
    run: Run, shell: InteractiveShell, before: str, cell: str, line: int, advice: str
) -> None:
    if before:
        run(before)
    ran = run(HEAD + "has_run = True\n\n" + cell)
    expected = f"In [{shell.execution_count - 1}], line {line}: {advice}"
    assert str(ran.error) == expected
    assert ran.stdout == f"CellError: {expected}\n"
    assert not {"has_run", "z", "h", "s"} & set(shell.user_ns)


@pytest.mark.parametrize(
    ("before", "cell", "said"),
    [
        ("kinds = [{1}]", "z = len(kinds)", "the static leaf `kinds[0]` of type set cannot be hashed"),
        ("words = np.array(['a'])", "z = words", "`words` is a NumPy array of dtype <U1."),
    ],
)
def test_an_input_that_cannot_be_jitted_is_named(run: Run, before: str, cell: str, said: str) -> None:
    run(before)
    assert str(run(HEAD + cell).error).startswith(f"In [3]: {said}")


def test_an_error_in_a_called_function_has_the_line_of_the_cell_and_its_origin(run: Run) -> None:
    run("def choose(t):\n    if t[0]:\n        return t")
    ran = run(HEAD + "choose(x)")
    assert str(ran.error) == f"In [3], line 2: {BRANCH} It was raised at In [2]:2."
    assert [(raised.kind, raised.path, raised.source) for raised in ran.recording.raised] == [
        ("branch", "x", "In [2]:2")
    ]


def test_errors_that_a_plain_cell_would_raise_are_raised_unchanged(run: Run, shell: InteractiveShell) -> None:
    ran = run(HEAD + "y = x\n\n1 / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert not ran.result.success
    traceback = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)
    places = ["Cell In[2], line 1", "Cell In[2], line 4, in cell(x, y)"] if IPython.version_info >= (8,) else []
    lines = ["----> 1 # %%filterjit --cell", "----> 4 1 / 0"]
    found = re.findall(r"^(?:Cell )?In.*|^-+> .*|^File .*", traceback, re.MULTILINE)
    assert found == [row for pair in itertools.zip_longest(places, lines) for row in pair if row]
    assert "y" not in shell.user_ns


def test_a_cell_that_failed_can_be_run_again(run: Run) -> None:
    cell = HEAD + "z = x + later"
    assert "name 'later' is not defined" in str(run(cell).error)
    run("later = 1.0")
    assert outcomes(run(cell)) == [("cell", "compile")]


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%timeit -n2 -r1"])
def test_other_cell_magics_work_above_and_below(run: Run, shell: InteractiveShell, magic: str) -> None:
    for cell in (f"{magic}\n%%filterjit --cell\ny = double(x)", f"%%filterjit --cell\n{magic}\ny = double(x)"):
        shell.user_ns.pop("y", None)
        ran = run(cell)
        assert {name for name, _ in outcomes(ran)} == {"cell"}
        assert shell.user_ns["y"].tolist() == [0, 2, 4]


def test_an_expression_is_compiled_and_its_value_shown(run: Run) -> None:
    ran = run("%filterjit double(x) + w")
    assert ran.value.tolist() == [1, 3, 5]
    assert outcomes(ran) == [("cell", "compile")]
    (compile,) = ran.recording.compiles
    assert rows(compile) == {"double": "static", "x": "traced", "w": "traced", "out._": "traced"}
    assert outcomes(run("%filterjit double(x)  +  w")) == [("cell", "hit")]


def test_the_value_of_an_expression_can_be_kept(run: Run, shell: InteractiveShell) -> None:
    ran = run("y = %filterjit double(x)")
    assert (ran.value, shell.user_ns["y"].tolist()) == (None, [0, 2, 4])


def test_braces_and_dollars_in_an_expression_are_not_expanded(run: Run) -> None:
    assert run("%filterjit '{rate} $rate'").value == "{rate} $rate"


def test_the_text_of_what_is_static_is_that_of_a_plain_cell_and_traced_values_can_be_printed(
    run: Run, shell: InteractiveShell
) -> None:
    ran = run(
        f"{HEAD}a = f'{{rate:>{{len(losses) + 5}}}} {{x.shape}} {{x.dtype!s}}'\nb = '%d %s' % (rate, 'x') + str(rate)\n"
        "print(f'{x}')\ndef show(v):\n    return f'{v}'\njax.debug.print('{v}', v=x)"
    )
    assert ran.error is None
    assert [shell.user_ns[name] for name in "ab"] == ["  0.5 (3,) float32", "0 x0.5"]
    assert "Tracer" in ran.stdout
    assert run("show(1)").value == "1"


def test_an_expression_in_a_recorded_cell_is_part_of_it(run: Run) -> None:
    ran = run("%%filterjit\ny = %filterjit double(x)\nz = %filterjit y + 1")
    assert outcomes(ran) == [("cell", "compile")] * 2


def test_a_call_is_predicted_without_being_made(run: Run) -> None:
    run("import jax\nstep = jax.jit(lambda x: print('traced') or x * 2)")
    assert str(run("%filterjit --predict step(x)").value).startswith("compile: it would be version 1")
    assert run("step(x);").stdout == "traced\n"
    assert str(run("%filterjit --predict step(x)").value) == "hit: version 1 runs"
    assert isinstance(run("%filterjit --predict x + 1").error, UsageError)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--predict stpe(x)", "%filterjit --predict: name 'stpe' is not defined."),
        (
            "--predict len(x)",
            "%filterjit --predict: predict takes a jitted function and its arguments; this is a plain "
            "builtin_function_or_method. Jit it first, with jax.jit.",
        ),
        ("--predcit step(x)", "%filterjit: there is no option --predcit. Did you mean --predict?"),
        ("--cell", "--cell belongs to %%filterjit, with two %, in the first line of a cell."),
    ],
)
def test_a_call_that_cannot_be_predicted_is_refused_in_one_line(run: Run, line: str, told: str) -> None:
    ran = run(f"%filterjit {line}")
    assert isinstance(ran.error, UsageError)
    assert ran.stdout + ran.stderr == f"UsageError: {told}\n"


def test_an_expression_that_cannot_be_compiled_raises_the_error_of_a_cell(run: Run, shell: InteractiveShell) -> None:
    ran = run("%filterjit double(x) if x[0] else w")
    said = f"`… if … else …` needs a value, but {TRACED} Write `jnp.where(condition, a, b)`."
    assert str(ran.error) == f"In [2], line 1: {said}"
    assert outcomes(ran) == [("cell", "error")]
    assert [name for name in shell.user_ns if name.startswith("__jitviz")] == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("y = x", ": invalid syntax: 'y = x' is not an expression.*To keep the value, write y = %filterjit f(x)."),
        ("", " takes an expression.*"),
    ],
)
def test_a_text_that_is_not_an_expression_raises_the_usage(run: Run, line: str, told: str) -> None:
    before, _, after = told.partition("*")
    ran = run(f"%filterjit {line}")
    usage = " Write %filterjit EXPRESSION, as in %filterjit loss(model, x)."
    assert str(ran.error) == f"%filterjit{before}{usage}{after and ' '}{after}"
    assert ran.panels == []


def test_the_traceback_of_an_expression_shows_no_line_of_jitviz(shell: InteractiveShell) -> None:
    with capture_output() as output:
        shell.run_cell("%filterjit nosuch(3)")
    assert "name 'nosuch' is not defined" in output.stdout
    assert "recorded_cells.py" not in output.stdout
    assert "extension.py" not in output.stdout
