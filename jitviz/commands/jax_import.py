"""Recording a program from the moment it imports jax.

In: a function.  Out: one call of it, right after that import.
Must never: import jax earlier, since a program may set `JAX_PLATFORMS` and the like before it does; or make an import
fail.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class JaxFinder:
    """Finds jax as the finders behind it do, and lets the loader call `then`.

    Finding is not importing: a program may look for jax, fail to import it, or try with several loaders. So the finder
    stays until a loader has run. What `then` raises is kept in `failures`.
    """

    def __init__(self, then: Callable[[], None]) -> None:
        self._then: Callable[[], None] | None = then
        self.failures: list[Exception] = []

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "jax" or self._then is None:
            return None
        finders = sys.meta_path
        behind = finders[finders.index(self) + 1 :] if self in finders else finders
        specs = (finder.find_spec(name, path, target) for finder in behind if hasattr(finder, "find_spec"))
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            _call_after(spec.loader, self._loaded)
        return spec

    def _loaded(self, module: ModuleType) -> None:
        """Call `then`, once, unless the program has loaded a jax of its own beside the one that is imported."""
        if self._then is not None and sys.modules.get("jax") is module:
            then, self._then = self._then, None
            with contextlib.suppress(ValueError):  # the program has removed it
                sys.meta_path.remove(self)
            self.call(then)

    def call(self, then: Callable[[], None]) -> None:
        try:
            then()
        except Exception as error:  # noqa: BLE001  # jitviz's own, which the program must not see
            self.failures.append(error)


def _call_after(loader: Any, then: Callable[[ModuleType], None]) -> None:
    """Let a loader call `then` after the next module that it loads; from then on it is as it was."""
    before = vars(loader).copy() if hasattr(loader, "__dict__") else {}  # with what another finder lets it call

    def exec_module(module: ModuleType) -> None:
        vars(loader).pop("exec_module", None)
        if "exec_module" in before:
            loader.exec_module = before["exec_module"]
        loader.exec_module(module)
        then(module)

    # Python leaves functions of this name and file out of the tracebacks of imports that fail.
    exec_module.__code__ = exec_module.__code__.replace(
        co_name="_call_with_frames_removed", co_filename="<frozen importlib._bootstrap>"
    )
    with contextlib.suppress(AttributeError):  # a class of the program's that takes no attributes
        loader.exec_module = exec_module


def call_when_jax_is_imported(then: Callable[[], None]) -> JaxFinder:
    """Call `then` as soon as jax has been imported, or at once if it already is."""
    finder = JaxFinder(then)
    if sys.modules.get("jax") is not None:
        finder.call(then)
    else:
        sys.meta_path.insert(0, finder)
    return finder


@contextlib.contextmanager
def when_jax_is_imported(then: Callable[[], None]) -> Iterator[list[Exception]]:
    """The same, but only if it is imported in the block; yield what `then` raised."""
    finder = call_when_jax_is_imported(then)
    try:
        yield finder.failures
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
