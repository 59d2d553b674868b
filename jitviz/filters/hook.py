"""The slot for an observer of the calls of `filter_jit` functions.

In: an `Observer` in `observer`, which the layer that observes sets and resets.  Out: a notification of each call.
Must never: let an error of the observer reach the user, or cost an unobserved call more than one `is None`.

Contract for readers of stack frames: `call_in` returns the `FilterCall` of the frame that enters JAX for a `filter_jit`
function, by a call or by `lower`, observed or not. Pass it the first frame above JAX's own; one further up may be doing
something else. Rely on nothing else in these frames.
"""

import contextlib
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Protocol, TypeVar

from jax.tree_util import PyTreeDef

from .donation import Donate
from .kernel import KeyedJit

F = TypeVar("F", bound=Callable[..., Any])


class CalledFilterJit(Protocol):
    """What an observer may read of the `FilterJit` that is called: the function, its arrays, and the options."""

    __wrapped__: Callable[..., Any]
    held: tuple[Any, ...]
    flat: tuple[PyTreeDef | None, Sequence[Any]]
    donate: Donate
    jit_options: dict[str, Any]

    @property
    def signature(self) -> inspect.Signature: ...


@dataclass(eq=False, repr=False, slots=True)
class FilterCall:
    """One call, already flattened. It refers to the user's arguments, so keep it no longer than the call.

    `arguments` are those by parameter name, as `Kernel.bind` returns them; `leaves` are all of their leaves, in order,
    and `treedef` is that of the tuple of their values. The inputs of `program.jitted` are `wrapper.held`, then the
    leaves at `program.split.traced_at`.
    """

    wrapper: CalledFilterJit
    program: KeyedJit
    arguments: dict[str, Any]
    leaves: Sequence[Any]
    treedef: PyTreeDef


class Observer(Protocol):
    """The interface of an observer. Its methods run inside the user's call: they should be quick and must not block.
    `call_in` knows the frame that calls them."""

    def started(self, wrapper: CalledFilterJit, program: KeyedJit, leaves: Sequence[Any]) -> object:
        """The call is about to run, with these leaves of its arguments. The result is passed on to `finished`."""

    def finished(self, token: object, error: BaseException | None) -> None:
        """The call has returned, or has raised `error`."""

    def refused(self, wrapper: CalledFilterJit, error: BaseException | None) -> None:
        """A call has raised `error` before it found its program, so it was not `started`."""


observer: Observer | None = None
_calling_codes: set[CodeType] = set()


def note_refused(wrapper: CalledFilterJit) -> None:
    """Notify the observer of a call that raises before it has found its program, from its `except` block."""
    if observer is not None:
        with contextlib.suppress(Exception):
            observer.refused(wrapper, sys.exception())


def calls_program(function: F) -> F:
    """Mark a function that calls the jitted function and has the parts of a `FilterCall` in its locals."""
    _calling_codes.add(function.__code__)
    return function


def call_in(frame: FrameType) -> FilterCall | None:
    """The call that this frame is making; None if it makes none."""
    if frame.f_code not in _calling_codes:
        return None
    found = frame.f_locals
    if found.get("program") is None:
        return None  # it has not found the program yet
    return FilterCall(*(found[name] for name in ("self", "program", "arguments", "leaves", "treedef")))
