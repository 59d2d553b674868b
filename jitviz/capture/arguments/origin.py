"""One call as the user made it.

In: the frames and wrappers that the adapters in `capture.adapters` read.  Out: `Origin`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...model import Form, Token
from ...model.wrappers import Wrapper
from ..first_argument import First
from .flattened import Flat
from .walk import Rule


class Argument(NamedTuple):
    """A root of the argument tree, named after its parameter; `flat` if the call has flattened it."""

    name: str
    value: Any
    rule: Rule
    is_donated: bool = False
    flat: Flat | None = None


@dataclass
class Origin:
    """The function and the arguments of a call.

    `form` says whether each argument was positional or a keyword, if that is part of the key. `root` is a callable that
    is itself an argument tree (a module under filter_jit). `version_key` is set if JAX has one program per static key;
    with `leaf_types`, those of its first traced leaves or positional arguments, the version of most hits is known.
    `primitive` names an eager loop, `bodies` are the callables that it runs (a condition, branches), and `programs` the
    jaxprs that JAX derives from them. `input_order` has the names of the arguments in JAX's order, if that is not the
    order of the call. `statics` are the static values with their paths, once there is a signature.
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
    leaf_types: tuple[First | None, ...] = ()
    primitive: str = ""
    bodies: tuple[Any, ...] = ()
    programs: tuple[Any, ...] = ()
    input_order: tuple[str, ...] = ()
    statics: Sequence[tuple[str, Any]] = ()

    def give_flat(self, flats: Sequence[Flat], form: Iterable[tuple[str, str]]) -> None:
        """Assign `flats` to the arguments that are not static as a whole: positional ones, then keywords by name."""
        places = [index for index, argument in enumerate(self.arguments) if argument.rule != "static"]
        given = ["" if how == "positional" else name for name, how in form]
        places.sort(key=lambda index: given[index])
        if len(flats) == len(places):
            for index, flat in zip(places, flats, strict=True):
                self.arguments[index] = self.arguments[index]._replace(flat=flat)
