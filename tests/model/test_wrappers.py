"""The table of the ways to jit a function: the only place that tells them apart."""

import ast
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest
from flax import nnx

import jitviz
from jitviz.capture.adapters import registry
from jitviz.capture.adapters.adapter import Adapter
from jitviz.capture.adapters.jax_sites import MissFrame
from jitviz.capture.arguments.origin import Argument, Origin
from jitviz.model import wrappers

ROOT = Path(jitviz.__file__).parent
NAMES = {row.name for row in vars(wrappers).values() if isinstance(row, wrappers.Wrapper)}


def test_no_other_module_contains_the_name_of_a_wrapper() -> None:
    written = {
        (str(path.relative_to(ROOT)), node.value)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES
    }
    module = ("jaxcompat/public_names.py", "jax.lax")  # JAX's module, which happens to have a wrapper's name
    assert written - {module} == {("model/wrappers.py", name) for name in NAMES}


def test_only_capture_names_single_wrappers() -> None:
    named = {
        str(path.relative_to(ROOT).parent)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "wrappers" and node.attr.isupper()
    }
    assert named == {"capture/adapters", "capture/hooks"}  # whoever captures its calls


def test_a_wrapper_is_found_by_its_name_and_one_of_a_newer_jitviz_has_no_properties() -> None:
    assert [wrappers.named(name).name for name in sorted(NAMES)] == sorted(NAMES)
    assert wrappers.named("equinox.filter_jit").outputs_before == 1
    assert wrappers.named("jax.new_jit") == wrappers.Wrapper("jax.new_jit")


@pytest.mark.parametrize("jit", [jax.jit, nnx.jit, jitviz.filter_jit, eqx.filter_jit])
def test_only_a_wrapper_that_is_static_by_leaf_makes_a_number_beside_an_array_static(jit: Any) -> None:
    with jitviz.record() as rec:
        jit(lambda batch: batch["x"] * 2)({"x": np.ones(3), "n": 2})
    (row,) = rec.compiles
    assert ("static" in {leaf.role for leaf in row.signature.leaves}) is row.function_info.wrapper.is_static_by_leaf


class PackedJit:
    """A wrapper as a library may have it: it hands all arguments to JAX as one dict."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.jitted = jax.jit(lambda packed: function(**packed))

    def __call__(self, **arguments: Any) -> Any:
        return self.jitted(arguments)


def test_a_new_wrapper_takes_a_row_and_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    row = wrappers.Wrapper("packed.jit", has_all_hits=True)

    class PackedAdapter(Adapter):
        wrapper = row

        def find(self, site: MissFrame) -> Origin | None:
            if site.caller is None or site.caller.f_code is not PackedJit.__call__.__code__:
                return None
            held = site.caller.f_locals
            arguments = [Argument(name, value, "traced") for name, value in held["arguments"].items()]
            return Origin(held["self"].function, row, arguments)

    monkeypatch.setitem(wrappers._BY_NAME, row.name, row)
    monkeypatch.setattr(registry, "ADAPTERS", (PackedAdapter(), *registry.ADAPTERS))

    def step(x: Any, scale: Any) -> Any:
        return {"loss": x * scale}

    call = PackedJit(step)
    with jitviz.record() as rec:
        call(x=np.ones(3), scale=2.0)
        call(x=np.ones(4), scale=2.0)
    assert [(one.function, one.function_info.api) for one in rec.compiles] == [("step", "packed.jit")] * 2
    assert [leaf.path for leaf in rec.compiles[0].signature.leaves] == ["x", "scale"]
    assert [leaf.path for leaf in rec.compiles[0].outputs] == ["out['loss']"]
    assert [(reason.kind, reason.path) for reason in rec.compiles[1].reasons] == [("shape", "x")]
