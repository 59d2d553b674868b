"""Locations are relative, and never in a library where a line of the user's is known."""

import importlib.util
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import jitviz
from jitviz.capture import sources
from jitviz.recording.codec import unpack
from jitviz.recording.events import SourceSeen

from .samples import JITS, fresh

HERE = "tests/capture/test_sources.py"


class Here:
    pass


X = np.ones(3, np.float32)


def line() -> int:
    """The line of the caller."""
    frame = sys._getframe(1)
    return frame.f_lineno


@pytest.mark.parametrize("api", list(JITS))
def test_a_call_is_shown_at_the_users_line(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        step(X)
        at = line() - 1
    assert [call.source for call in rec.calls] == [f"{HERE}:{at}"]
    assert rec.compiles[0].source == f"{HERE}:{at}"


def test_a_call_that_a_library_makes_is_shown_at_the_users_line() -> None:
    with jitviz.record() as rec:
        diffrax.diffeqsolve(diffrax.ODETerm(lambda t, y, args: -y), diffrax.Euler(), 0.0, 0.5, 0.25, jnp.ones(2))
        at = line() - 1
    mine = [call for call in rec.calls if call.function.startswith("diffeqsolve")]
    assert len(mine) == 1
    assert mine[0].source == f"{HERE}:{at}"
    assert not any("site-packages" in call.source for call in rec.calls)


def test_an_eager_loop_is_shown_at_the_users_line() -> None:
    with jitviz.record() as rec:
        jax.lax.scan(lambda carry, x: (carry, x), 0.0, X)
        at = line() - 1
    assert rec.compiles[0].source == f"{HERE}:{at}"


def test_a_function_is_shown_with_its_definition() -> None:
    def here(x: Any) -> Any:
        return x

    with jitviz.record() as rec:
        jax.jit(here)(X)
        jax.jit(optax.tree.norm)(X)
    mine, library = rec.facts.functions.values()
    assert mine.defined_at == f"{HERE}:{here.__code__.co_firstlineno}"
    assert library.defined_at.startswith("optax/")


def test_labels_are_relative_to_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = tmp_path / "src" / "train.py", Path("/elsewhere/of/somebody/train.py")
    monkeypatch.chdir(tmp_path)
    sources.forget_labels()
    assert sources.location(str(inside), 12) == "src/train.py:12"
    assert sources.location(str(outside), 12) == "train.py:12"
    monkeypatch.chdir(tmp_path.parent)
    assert sources.location(str(inside), 12) == "src/train.py:12"
    sources.forget_labels()
    assert sources.location(str(inside), 12) == f"{tmp_path.name}/src/train.py:12"


def test_no_label_holds_the_home_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    sources.forget_labels()
    step = fresh()
    with jitviz.record() as rec:
        step(X)
    told = [call.source for call in rec.calls] + [function.defined_at for function in rec.facts.functions.values()]
    assert told[0].startswith("test_sources.py:")
    assert not any(part.startswith(os.sep) for part in told)


def test_libraries_and_the_users_files_are_distinguished() -> None:
    installed = [f"{sysconfig.get_paths()[key]}/{name}" for key, name in (("scripts", "jitviz"), ("purelib", "a.py"))]
    launcher = sysconfig.get_paths()["purelib"] + "/ipykernel_launcher.py"
    frozen = "<frozen importlib._bootstrap>"
    assert all(map(sources.is_library, [np.__file__, os.__file__, jitviz.__file__, frozen, launcher, *installed]))
    cells = ["<string>", "<ipython-input-3-abc>", "/tmp/ipykernel_123/456.py"]
    assert not any(map(sources.is_library, [__file__, *cells]))


def test_the_label_of_a_library_begins_with_its_package() -> None:
    assert sources.file_label(np.__file__) == "numpy/__init__.py"
    assert sources.file_label(jax.lax.__file__) == "jax/lax/__init__.py"


def test_cells_are_named_by_the_installed_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_cell_of", lambda filename: "In [3]" if "ipykernel" in filename else None)
    assert sources.location("/tmp/ipykernel_123/456.py", 4) == "In [3]:4"
    assert sources.file_label("relative.py") == "relative.py"


@pytest.mark.skipif(sys.version_info < (3, 13), reason="classes know their line from Python 3.13 on")
def test_a_class_is_shown_with_its_line() -> None:
    line = vars(Here)["__firstlineno__"]
    assert sources.short_location(Here) == sources.location(__file__, line)


def test_an_object_without_a_definition_has_no_location() -> None:
    assert sources.short_location(len) is None
    assert sources.short_location(3) is None


def test_the_text_of_a_file_is_logged_once_a_function_in_it_compiles(tmp_path: Path) -> None:
    text = "import jax\nstep = jax.jit(lambda x: x + 1)\ndef run(x):\n    return step(x)\n"
    file = tmp_path / "steps_of_mine.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with jitviz.record() as rec:
        spec.loader.exec_module(module)
        sources = [dict(rec.facts.sources)]
        for x in (1.0, 2):
            module.run(x)
            sources.append({label: unpack(packed) for label, packed in rec.facts.sources.items()})
    assert sources == [{}, {file.name: text}, {file.name: text}]
    assert sum(isinstance(event, SourceSeen) for event in rec.events) == 1
