import pytest
from IPython.core.interactiveshell import InteractiveShell

from .conftest import Run

SETUP = """
import jax, jax.numpy as jnp
x = jnp.ones(3)
def scale(x, by=2):
    return x * by
"""


@pytest.fixture(autouse=True)
def _set_up(run: Run) -> None:
    run(SETUP)


def test_a_named_function_is_filter_jitted_while_the_cell_runs(run: Run, shell: InteractiveShell) -> None:
    scale = shell.user_ns["scale"]
    ran = run("%%filterjit -f scale\nscale(x)")
    assert [(call.function, call.outcome) for call in ran.recording.calls] == [("scale", "compile")]
    assert ran.recording.calls[0].function_info.api == "jitviz.filter_jit"
    assert shell.user_ns["scale"] is scale
    assert ran.notes == []


def test_functions_that_call_it_by_name_call_the_jitted_one(run: Run) -> None:
    run("def twice(x):\n    return scale(scale(x))")
    assert len(run("%%filterjit -f scale\ntwice(x)").recording.calls) == 2


def test_the_function_is_restored_if_the_cell_raises(run: Run, shell: InteractiveShell) -> None:
    scale = shell.user_ns["scale"]
    run("%%filterjit -f scale\nscale(x)\n1 / 0")
    assert shell.user_ns["scale"] is scale


def test_a_cell_that_runs_again_finds_its_compiled_versions(run: Run) -> None:
    first, second = (run("%%filterjit -f scale\nscale(x)").recording for _ in range(2))
    assert [call.outcome for call in (*first.calls, *second.calls)] == ["compile", "hit"]


def test_a_function_that_the_cell_defines_is_jitted_for_this_cell_only(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%filterjit -f triple\ndef triple(x):\n    return x * 3\ntriple(x)")
    assert [(call.function, call.outcome) for call in ran.recording.calls] == [("triple", "compile")]
    assert shell.user_ns["triple"].__code__.co_name == "triple"
    assert run("%%filterjit\ntriple(x)").recording.calls == []


def test_a_function_that_the_cell_defines_is_jitted_as_it_is_decorated(run: Run) -> None:
    run("def doubled(fun):\n    return lambda x: 2 * fun(x)")
    ran = run("%%filterjit -f triple\n@doubled\ndef triple(x):\n    return x * 3\ntriple(x).tolist()")
    assert ran.value == [6.0, 6.0, 6.0]
    assert [call.outcome for call in ran.recording.calls] == ["compile"]


def test_a_function_that_the_cell_redefines_replaces_the_old_one(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%filterjit -f scale\nscale(x)\ndef scale(x):\n    return x * 5\nscale(x)")
    assert [call.outcome for call in ran.recording.calls] == ["compile", "compile"]
    assert shell.user_ns["scale"](1) == 5


def test_a_value_that_the_cell_binds_otherwise_stays_and_is_noted(run: Run, shell: InteractiveShell) -> None:
    ran = run("%%filterjit -f scale\nscale = abs")
    assert shell.user_ns["scale"] is abs
    assert ran.notes == [
        "-f did not jit the value that the cell bound to `scale`: it takes functions of earlier cells, and functions "
        "that the cell defines with `def`."
    ]


def test_a_name_that_the_cell_deletes_stays_deleted(run: Run, shell: InteractiveShell) -> None:
    assert run("%%filterjit -f scale\ndel scale").notes == []
    assert "scale" not in shell.user_ns


def test_a_function_that_is_already_jitted_is_left_unchanged(run: Run, shell: InteractiveShell) -> None:
    run("double = jax.jit(scale)")
    double = shell.user_ns["double"]
    ran = run("%%filterjit -f double\ndouble(x)\ndouble is jitted")
    assert ran.notes == ["`double` is already jitted; -f left it unchanged."]
    assert shell.user_ns["double"] is double
    assert [call.outcome for call in ran.recording.calls] == ["compile"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scael", "there is no function with this name. Did you mean scale?"),
        ("nothing_like_it", "there is no function with this name. Define it in an earlier cell, or in this one."),
        ("rates", "there is no function with this name. Define it in an earlier cell, or in this one."),
        ("rate", "a value of type float is not a function."),
    ],
)
def test_a_name_that_is_not_a_function_raises_one_line_and_the_cell_does_not_run(
    run: Run, shell: InteractiveShell, name: str, expected: str
) -> None:
    run("rate = 0.1")
    ran = run(f"%%filterjit -f {name}\nhas_run = True")
    assert ran.stdout == f"UsageError: %%filterjit -f {name}: {expected}\n"
    assert str(ran.error) == f"%%filterjit -f {name}: {expected}"
    assert "has_run" not in shell.user_ns
    assert ran.panels == []
    assert shell.ast_transformers == []


@pytest.mark.parametrize("cell", ["%%filterjit -f scale\n%%time\nscale(x)", "%%time\n%%filterjit -f scale\nscale(x)"])
def test_names_work_together_with_other_cell_magics(run: Run, cell: str) -> None:
    assert [call.function for call in run(cell).recording.calls] == ["scale"]


def test_a_cell_inside_a_cell_leaves_the_names_of_the_outer_one_bound(run: Run, shell: InteractiveShell) -> None:
    scale = shell.user_ns["scale"]
    run("%%filterjit -f scale\nget_ipython().run_cell('%%filterjit -f scale\\nscale(x)')\nscale(x)")
    assert shell.user_ns["scale"] is scale


def test_the_wrapper_of_a_deleted_function_is_dropped(run: Run, shell: InteractiveShell) -> None:
    import gc
    import weakref

    function = weakref.ref(shell.user_ns["scale"])
    run("%%filterjit -f scale\n1")
    run("%%filterjit -f twice\ndel scale\ndef twice(x): return x")
    gc.collect()
    assert function() is None
