"""The table of the ways to jit a function: nobody else tells them apart."""

import ast
from pathlib import Path

from jitviz import wrappers

ROOT = Path(wrappers.__file__).parent
NAMES = {row.name for row in vars(wrappers).values() if isinstance(row, wrappers.Wrapper)}


def test_no_other_module_writes_the_name_of_a_wrapper() -> None:
    written = {
        (str(path.relative_to(ROOT)), node.value)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES
    }
    module = ("jaxcompat/public_names.py", "jax.lax")  # JAX's module, which happens to have a wrapper's name
    assert written - {module} == {("wrappers.py", name) for name in NAMES}


def test_a_wrapper_of_a_newer_jitviz_promises_nothing() -> None:
    assert wrappers.named("jax.new_jit") == wrappers.Wrapper("jax.new_jit")


def test_a_wrapper_is_found_by_its_name() -> None:
    assert [wrappers.named(name).name for name in sorted(NAMES)] == sorted(NAMES)
    assert wrappers.named("equinox.filter_jit").outputs_before == 1
