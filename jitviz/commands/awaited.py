"""Recording a program from the moment it imports jax.

In: a function.  Out: one call of it, right after that import.
Must never: import jax earlier: a program may set `JAX_PLATFORMS` and the like before it does.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Finder:
    """Makes the loader of jax call `then` when jax is loaded; finds nothing itself."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            loader, execute = spec.loader, spec.loader.exec_module

            def execute_then_call(module: ModuleType) -> None:
                del loader.exec_module  # the method of its class again
                execute(module)
                self._then()

            loader.exec_module = execute_then_call  # type: ignore[method-assign]
        return spec


@contextlib.contextmanager
def when_jax_is_imported(then: Callable[[], None]) -> Iterator[None]:
    """Call `then` as soon as jax has been imported, or at once if it already is."""
    if "jax" in sys.modules:
        then()
        yield
        return
    finder = _Finder(then)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
