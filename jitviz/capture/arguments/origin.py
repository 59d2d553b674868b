"""One call as the user made it.

In: what the adapters in `capture.origins` read.  Out: `Origin`.
Must never: outlive the event; it holds the user's objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ...model import Form, Token
from ...model.wrappers import Wrapper
from .walk import Rule


class Argument(NamedTuple):
    """One root of the argument tree, under the name of its parameter."""

    name: str
    value: Any
    rule: Rule
    is_donated: bool = False


@dataclass
class Origin:
    """Whose call a miss was, and with which arguments.

    `form` tells how each argument was given, where that is part of the key. `root` is a callable that is itself an
    argument tree (a module under filter_jit). `keyed` is the object whose identity stands for this function in JAX's
    caches; an open call is recognised by it. `version_key` is given where one program of JAX's stands for one static
    key, so that a hit's version is known. `primitive` names an eager loop, and `bodies` are all the callables that it
    runs (a condition, branches); of an entry of JAX's `place` tells its programs apart. `input_order` are the names of
    the arguments as JAX takes them, where that is not the order given.
    """

    function: Any
    jitted_by: Wrapper
    arguments: list[Argument]
    keyed: Any = None
    form: tuple[tuple[str, Form], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    root: Any = None
    version_key: Token | None = None
    primitive: str = ""
    bodies: tuple[Any, ...] = ()
    place: str = ""
    input_order: tuple[str, ...] = ()
