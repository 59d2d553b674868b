"""An object is found under the name that jitviz gives it, and no code runs to find it."""

import enum
import functools
import sys
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest

from jitviz.capture.arguments.describe import describe
from jitviz.capture.arguments.import_names import forget_names, import_name
from jitviz.jaxcompat import raw


class Colour(enum.Enum):
    RED = 1

    @staticmethod
    def mix(x: Any) -> Any:
        return x


class Renamed:
    pass


Gone, Kept = Renamed, functools.partial(Colour.mix, 1)
del Renamed


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (jax.numpy.tanh, "jax.numpy:tanh"),
        (jax.numpy.add, "jax.numpy:add"),
        (jax.nn.relu, "jax.nn:relu"),
        (len, "builtins:len"),
        (np.float32, "numpy:float32"),
        (Colour.RED, f"{__name__}:Colour.RED"),
        (Colour.mix, f"{__name__}:Colour.mix"),
        (Gone, f"{__name__}:Gone"),
        (Kept, f"{__name__}:Kept"),
        (lambda x: x, ""),
        (functools.partial(len), ""),
        (functools.wraps(len)(lambda x: x), ""),
    ],
)
def test_an_object_has_the_name_under_which_it_is_found(value: Any, name: str) -> None:
    assert describe(value).name == name


def test_a_public_function_of_jax_is_described_by_its_name_alone() -> None:
    functions = jax.numpy.tanh, jax.numpy.add, jax.nn.relu, jax.nn.gelu, jax.nn.initializers.zeros
    found = [describe(function) for function in functions]
    names = ["jnp.tanh", "jnp.add", "jax.nn.relu", "jax.nn.gelu", "jax.nn.initializers.zeros"]
    assert [(one.text, one.fields, one.code is None) for one in found] == [(name, (), False) for name in names]


def test_no_module_runs_code_and_none_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lazy(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    def function() -> None: ...

    monkeypatch.setitem(sys.modules, "lazy", Lazy("lazy"))
    for module in ("lazy", "this", "no.such.module"):
        function.__module__, function.__qualname__ = module, "function"
        assert import_name(function) == ""
    assert "this" not in sys.modules


def test_a_module_is_read_once_for_all_objects_of_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    script, asked, namespace = sys.modules["__main__"], [], raw.namespace

    def counting(module: Any) -> Any:
        asked.append(module)
        return namespace(module)

    describe(functools.partial(len))  # which modules are the user's is looked up once
    monkeypatch.setattr(raw, "namespace", counting)
    forget_names()
    described = describe([functools.partial(len) for _ in range(50)])
    assert [field.name for _, field in described.fields] == [""] * 50
    assert asked.count(script) == 1
