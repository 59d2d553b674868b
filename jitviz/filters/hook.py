"""The slot through which calls of `filter_jit` functions can be watched.

In: an `Observer`, put into `observer` by whoever watches, and taken out again.  Out: who is told of each call.
Must never: let an error of the observer reach the user, or cost an unwatched call more than one `is None`.

Contract for readers of stack frames: the frame that enters JAX for a `filter_jit` function, by a call or by `lower`, is
known to `call_in`, which gives its `FilterCall` whether or not the call is watched. Ask it for the first frame above
JAX's own; a frame further up may be busy with something else. Nothing more of these frames is to be relied on.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any, Protocol, TypeVar

from jax.tree_util import PyTreeDef

from .binding import Layout
from .donation import Donate
from .kernel import Program

F = TypeVar("F", bound=Callable[..., Any])


class Wrapper(Protocol):
    """What a `filter_jit` function tells of itself. `held` are the arrays of a function that is a tree, and `flat` is
    its treedef with all of its leaves."""

    @property
    def __wrapped__(self) -> Callable[..., Any]: ...
    @property
    def signature(self) -> inspect.Signature: ...
    @property
    def donate(self) -> Donate: ...
    @property
    def jit_options(self) -> dict[str, Any]: ...
    @property
    def held(self) -> tuple[Any, ...]: ...
    @property
    def flat(self) -> tuple[PyTreeDef | None, Sequence[Any]]: ...


class FilterCall:
    """One call, as it was already taken apart. It refers to the user's arguments: keep it no longer than the call.

    `leaves` are all leaves of `arguments`, in that order, and `treedef` is that of the list of their values. The inputs
    of `program.jitted` are `wrapper.held`, then the leaves at `program.plan.split.traced_at`.
    """

    __slots__ = ("_layout", "_values", "leaves", "program", "treedef", "wrapper")

    def __init__(
        self,
        wrapper: Wrapper,
        program: Program,
        layout: Layout,
        values: Sequence[Any],
        leaves: Sequence[Any],
        treedef: PyTreeDef,
    ) -> None:
        self.wrapper = wrapper
        self.program = program
        self.leaves = leaves
        self.treedef = treedef
        self._layout = layout
        self._values = values

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by parameter name, in the order of the parameters; what was left out is missing.

        `*args` is a tuple under its name and `**kwargs` a dict, where they got anything.
        """
        return self.among(self._values)

    def among(self, values: Sequence[Any]) -> dict[str, Any]:
        """The same of other values, one for each child of the treedef."""
        return self._layout.arguments(values)


class Observer(Protocol):
    """Who watches. Both methods run inside the user's call: they should be quick and must not block.

    The frame that tells is known to `call_in`.
    """

    def started(self, wrapper: Wrapper, program: Program) -> object:
        """The call is about to run. What this returns is given to `finished`."""
        ...

    def finished(self, token: object, error: BaseException | None) -> None:
        """The call has returned, or `error` is leaving it."""
        ...


observer: Observer | None = None
_calling_codes: set[CodeType] = set()


def calls_program(function: F) -> F:
    """Mark a function as one that calls the jitted function, and whose locals hold the parts of a `FilterCall`."""
    _calling_codes.add(function.__code__)
    return function


def call_in(frame: FrameType) -> FilterCall | None:
    """The call that this frame is making, None if it is no such frame."""
    if frame.f_code not in _calling_codes:
        return None
    found = frame.f_locals
    if found.get("program") is None:
        return None  # not that far yet
    return FilterCall(
        found["self"], found["program"], found["layout"], found["values"], found["leaves"], found["treedef"]
    )
