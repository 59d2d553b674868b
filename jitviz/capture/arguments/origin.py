"""One call as the user made it.

In: what the adapters in `capture.origins` read.  Out: `Origin`.
Must never: outlive the event; it holds the user's objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...model import Form, Token
from ...model.wrappers import Wrapper
from .flattened import Flat, Given
from .walk import Rule


class Argument(NamedTuple):
    """One root of the argument tree, under the name of its parameter; `flat` where the call has flattened it."""

    name: str
    value: Any
    rule: Rule
    is_donated: bool = False
    flat: Given = None


@dataclass
class Origin:
    """Whose call a miss was, and with which arguments.

    `form` tells how each argument was given, where that is part of the key. `root` is a callable that is itself an
    argument tree (a module under filter_jit). `version_key` is given where one program of JAX's stands for one static
    key, so that a hit's version is known. `primitive` names an eager loop, and `bodies` are all the callables that it
    runs (a condition, branches), `programs` what JAX made of them; of an entry of JAX's `place` tells its programs
    apart. `input_order` are the names of the arguments as JAX takes them, where that is not the order given.
    """

    function: Any
    jitted_by: Wrapper
    arguments: list[Argument]
    form: tuple[tuple[str, Form], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    root: Any = None
    flat_root: Flat | None = None
    version_key: Token | None = None
    primitive: str = ""
    bodies: tuple[Any, ...] = ()
    programs: tuple[Any, ...] = ()
    place: str = ""
    input_order: tuple[str, ...] = ()

    def give_flat(self, flats: Sequence[Flat], form: Iterable[tuple[str, str]]) -> None:
        """Give each argument that is not wholly static its own of `flats`: positional ones, then keywords by name."""
        places = [place for place, argument in enumerate(self.arguments) if argument.rule != "static"]
        given = ["" if how == "positional" else name for name, how in form]
        places.sort(key=lambda place: given[place])
        if len(flats) == len(places):
            for place, flat in zip(places, flats, strict=True):
                self.arguments[place] = self.arguments[place]._replace(flat=flat)
