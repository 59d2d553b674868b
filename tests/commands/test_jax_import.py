"""The moment at which a program has imported jax, whichever way it does. The jax here is a small stand-in."""

import importlib
import sys
import threading
import traceback
from collections.abc import Callable
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import LazyLoader, find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jitviz.commands.jax_import import when_jax_is_imported


@pytest.fixture(autouse=True)
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package called jax, which is not imported yet."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "jax"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "numpy.py").touch()
    package = tmp_path / "jax" / "__init__.py"
    package.write_text("is_whole = True\n")
    return package


def import_it() -> None:
    importlib.import_module("jax")


def look_first() -> None:
    spec = find_spec("jax")
    assert spec is not None
    assert find_spec("jax") is not None
    assert isinstance(spec.loader, SourceFileLoader)
    assert spec.loader.get_filename("jax") == spec.origin
    import_it()


def look_for_a_module_of_it() -> None:
    assert find_spec("jax.numpy") is not None


def import_a_module_of_it() -> None:
    importlib.import_module("jax.numpy")


def import_it_on_a_thread() -> None:
    thread = threading.Thread(target=import_it)
    thread.start()
    thread.join()


def load_it_lazily() -> None:
    spec = find_spec("jax")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules["jax"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.is_whole


def reload_it() -> None:
    import_it()
    importlib.reload(sys.modules["jax"])


class Loader:
    """A loader of the program's own, which has another do the work."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def create_module(self, spec: Any) -> None:
        pass

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)


def wrap_the_loader_that_others_find() -> None:
    class Finder:
        def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
            rest = (finder for finder in sys.meta_path if finder is not self)
            spec = next(filter(None, (finder.find_spec(name, path, target) for finder in rest)))
            spec.loader = Loader(spec.loader)  # type: ignore[assignment,arg-type]
            return spec

    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
    import_it()


def find_it_with_a_loader_of_its_own() -> None:
    class Finder:
        def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
            spec = PathFinder.find_spec(name, path, target)
            assert spec is not None
            spec.loader = Loader(spec.loader)  # type: ignore[assignment]
            return spec

    sys.meta_path.insert(1, Finder())  # type: ignore[arg-type]
    import_it()


@pytest.mark.parametrize(
    "way",
    [
        import_it,
        look_first,
        look_for_a_module_of_it,
        import_a_module_of_it,
        import_it_on_a_thread,
        load_it_lazily,
        reload_it,
        wrap_the_loader_that_others_find,
        find_it_with_a_loader_of_its_own,
    ],
)
def test_however_a_program_imports_jax_it_is_called_once_and_then(way: Callable[[], None]) -> None:
    called: list[bool] = []
    finders = sys.meta_path.copy()
    with when_jax_is_imported(lambda: called.append(sys.modules["jax"].is_whole)) as failures:
        assert called == []
        way()
        assert called == [True]
        assert [finder for finder in sys.meta_path if type(finder).__module__.startswith("jitviz")] == []
    assert failures == []
    assert finders[0] in sys.meta_path
    module = sys.modules["jax"]
    assert isinstance(module.__loader__, SourceFileLoader | Loader)
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__


def test_each_of_several_is_called() -> None:
    called: list[int] = []
    with when_jax_is_imported(lambda: called.append(1)), when_jax_is_imported(lambda: called.append(2)):
        import_it()
    assert called == [1, 2]
    assert "exec_module" not in vars(sys.modules["jax"].__loader__)


def test_an_import_that_fails_looks_as_without_jitviz_and_a_later_one_counts(stand_in: Path) -> None:
    def fail() -> str:
        with pytest.raises(ZeroDivisionError) as error:
            import jax  # noqa: F401
        return "".join(traceback.format_exception(error.value))

    called: list[bool] = []
    whole = stand_in.read_text()
    stand_in.write_text("1 / 0\n")
    plain = fail()
    with when_jax_is_imported(lambda: called.append(True)):
        assert fail() == plain
        assert called == []
        stand_in.write_text(whole)
        importlib.invalidate_caches()
        import_it()
        assert called == [True]


def test_looking_for_jax_is_not_importing_it() -> None:
    called: list[bool] = []
    with when_jax_is_imported(lambda: called.append(True)):
        assert find_spec("jax") is not None
    assert called == []
    assert "jax" not in sys.modules


@pytest.mark.parametrize("is_early", [False, True])
def test_what_is_called_does_not_make_the_import_fail(is_early: bool) -> None:
    if is_early:
        import_it()
    with when_jax_is_imported(lambda: 1 // 0) as failures:
        import_it()
    assert [repr(error) for error in failures] == ["ZeroDivisionError('integer division or modulo by zero')"]
