"""Traced values that leaked into an object that outlives the trace.

In: any object.  Out: the path to a traced value in it, as text.
Must never: run the user's code, or search a whole library.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

from jax.core import Tracer

from ..jaxcompat import raw

_LIMIT = 2000  # number of objects searched; a leaked value is usually close


def find_tracer(value: object) -> str | None:
    """The path from `value` to a traced value, as " (by `scale`)", or "" if it has no names; None if there is none."""
    for held, path in reach(value):
        if raw.is_a(held, Tracer):
            return f" (by `{path}`)" if path else ""
    return None


def reach(value: object) -> Iterator[tuple[object, str]]:
    """The objects that `value` refers to, breadth first from itself, each with the names on the path to it."""
    seen = {id(value)}
    queue = deque([(value, "")])
    for _ in range(_LIMIT):
        if not queue:
            return
        held, path = queue.popleft()
        yield held, path
        for name, part in _parts(held):
            if id(part) not in seen:
                seen.add(id(part))
                queue.append((part, f"{path}.{name}".strip(".") if name else path))


def _parts(held: object) -> Iterator[tuple[str, Any]]:
    if raw.is_a(held, types.ModuleType):
        return
    if type(held) is types.FunctionType:
        yield from _of_function(held)
    elif type(held) is types.MethodType:
        yield from (("", held.__self__), ("", held.__func__))
    elif type(held) is types.GeneratorType:
        yield from (held.gi_frame.f_locals if held.gi_frame else {}).items()
    elif raw.is_a(held, functools.partial):
        yield from (("", raw.member(held, functools.partial, part)) for part in ("func", "args", "keywords"))
    elif raw.is_a(held, dict):
        yield from (("", part) for _, part in raw.items_of(held))
    elif raw.is_a(held, type):
        yield from type.__dict__["__dict__"].__get__(held).items()
    else:
        yield from (("", part) for part in raw.items_of(held))
        yield from raw.attributes(held).items()


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    yield from raw.closure_of(function).items()
    yield from (("", part) for part in function.__defaults__ or ())
    yield from (function.__kwdefaults__ or {}).items()
    yield from function.__dict__.items()
