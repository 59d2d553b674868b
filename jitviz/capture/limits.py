"""Counting traces of one function, and being told of every miss before it is done: what the guards stand on.

In: a function, or a check.  Out: counts, and calls of the check at the start of a miss.
Must never: swallow what a check raises (that is the point of a guard), or count anything that is not a trace.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import model
from . import _jaxcompat as compat
from . import functions
from .identity import token
from .raw import is_a
from .session import watch
from .watcher import OpenCompile, watcher


@dataclass
class Miss:
    """A miss that has just begun: whose it is, and everything that was compiled of that function, this one last."""

    name: str
    history: list[model.Miss]


Check = Callable[[Miss], None]
Count = Callable[[int, Miss | None], None]


class Counter:
    """Counts the traces of one function, whichever side of a jit it stands on."""

    def __init__(self, fun: Any) -> None:
        watch()
        self.count = 0
        self.name = functions.names_of(functions.innermost(fun))[0]
        self._jitted = jitted_inside(fun)
        self._target = token(functions.owner(fun)) if self._jitted is not None else None

    @contextlib.contextmanager
    def counting(self, check: Count) -> Iterator[None]:
        """Count what is traced in the block, and have `check` told of every trace as it begins."""
        if self._jitted is None:
            # A plain function: JAX runs its body to trace it; outside of a trace it is only called.
            if compat.is_staging():
                self._add(check, watcher.newest_miss())
            yield
        elif compat.is_staging():
            # Inside an outer trace an inner jit has no events of its own: its cache tells whether it was traced.
            before = compat.trace_count(self._jitted)
            yield
            for _ in range(compat.trace_count(self._jitted) - before):
                self._add(check, watcher.newest_miss())
        else:

            def count(miss: OpenCompile) -> None:
                if "trace" in miss.phases and watcher.functions[miss.function].token == self._target:
                    self._add(check, miss)

            with watching_misses(count):
                yield

    def _add(self, check: Count, miss: OpenCompile | None) -> None:
        self.count += 1
        check(self.count, None if miss is None else _told(miss))


@contextlib.contextmanager
def watching(check: Check) -> Iterator[None]:
    """Have `check` called at the start of every miss of a user's function on this thread; it may raise."""
    watch()
    with watching_misses(lambda miss: check(_told(miss))):
        yield


@contextlib.contextmanager
def watching_misses(check: Callable[[OpenCompile], None]) -> Iterator[None]:
    """The same for the rows of the watcher."""
    checks = watcher.checks
    checks.append(check)
    try:
        yield
    finally:
        checks.remove(check)


def _told(miss: OpenCompile) -> Miss:
    function = watcher.functions[miss.function]
    return Miss(function.name, watcher.history(function.lineage))


def jitted_inside(fun: Any) -> Any:
    """The `jax.jit` object at or inside `fun`, through wrappers that tell what they wrap; None for a plain function."""
    for _ in range(16):
        if is_a(fun, compat.PjitFunction):
            return fun
        inner = compat.jitted_attribute(fun)
        if inner is not None:
            return inner
        fun = compat.wrapped_by(fun)
        if fun is None:
            return None
    return None


def traces_of(fun: Any) -> int:
    """How often a jitted function was traced since jitviz watched.

    Raises:
        TypeError: `fun` is not jitted.
    """
    if jitted_inside(fun) is None:
        raise TypeError(
            "num_traces takes a jitted function, or what assert_max_traces returned; this is a plain "
            f"{type(fun).__name__}. Write num_traces(jax.jit(f)) and call that, or decorate f with assert_max_traces."
        )
    watch()
    return watcher.traces.get(token(functions.owner(fun)), 0)
