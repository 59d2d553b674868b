"""The subject of a sentence: a change, the miss that it explains, and how many similar changes the argument has.

In: the changes of a miss.  Out: `Subject`s, with the user's names as in code that can be copied.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from ..model import Judgement, Kind, Miss, holder_of, last_name, root_of, steps_to
from ..model.equality import is_array
from ..model.wrappers import Wrapper
from .change import Change, is_hidden
from .values import CLOSURE

_LIBRARIES = (
    *("blackjax", "brax", "chex", "diffrax", "distrax", "equinox", "flax", "haiku", "jax", "jaxopt", "keras", "lineax"),
    *("mujoco", "numpyro", "optax", "optimistix", "orbax", "rlax", "tensorflow_probability", "tinygp"),
)
_PRIVATE = re.compile(r"\._(?!_)|\.keywords(\[|$)")
_VARIABLE = re.compile(r"<(?:closure|default) (\w+)>")
_CONTAINER = re.compile(r"(dict|list|tuple) of \d+ ")
_GIVEN = re.compile(r"^\.keywords\['(\w+)'\]")

OF_ONE_INPUT = (
    "It holds values computed for one input, so each one is a different function: jit a function that calls `jax.vjp` "
    "or `jax.linearize` itself."
)
INJECTED = "with `optax.inject_hyperparams`, which keeps its numbers in the state, traced."


@dataclass(frozen=True)
class Subject(Change):
    """One change of a miss."""

    miss: Miss = field(kw_only=True)
    judged: Callable[[], Judgement] = field(kw_only=True)
    beside: int = field(kw_only=True)  # other changes of its kind in the same argument
    moved: frozenset[str] = field(kw_only=True)  # the leaves whose placement changed
    twin: str = field(kw_only=True)  # of what became None: another argument with an attribute of the same name, or ""

    @property
    def judgement(self) -> Judgement:
        return self.judged()

    @property
    def function(self) -> str:
        return self.miss.function_info.name

    @property
    def root(self) -> str:
        """The parameter that holds the leaf."""
        return root_of(self.path)

    @property
    def name(self) -> str:
        """The name that ends the path, or the whole path if it ends in an index: "time" of `data.time`."""
        return last_name(self.path)

    @property
    def inside_name(self) -> str:
        """The name of what differs inside the object, or in what its code reads besides: a closure cell, a default, an
        attribute, a global; or ""."""
        return name_inside(self.inside.path if self.inside is not None else next(iter(self.reads), ""))

    @property
    def is_avoidable(self) -> bool:
        return self.judgement.verdict == "avoidable"

    @property
    def outdated(self) -> tuple[str, ...]:
        """What changed out of sight of the arguments, so that the recompile was needed."""
        is_needed = self.hides and not self.is_avoidable and is_hidden([self], self.judgement.difference)
        return self.hides if is_needed else ()

    @property
    def is_other_array(self) -> bool:
        """Whether another static array of the same shape came; their elements are never read."""
        return self.kind == "static_value" and self.before == self.after and is_array(self.type)

    @property
    def could_be_traced(self) -> bool:
        """Whether a static number changed that could be an array if the program only computes with it."""
        is_plain = self.is_number and self.flag == "no" and self.same is None
        return self.kind == "static_value" and is_plain and not self.wrapper.is_loop

    @property
    def is_owner(self) -> bool:
        """Whether the path leads to the object that a bound method belongs to."""
        return self.name == "__self__"

    @property
    def is_of_jax(self) -> bool:
        """Whether JAX created the object, as a part of an object of its own, such as what `jax.vjp` returns."""
        holders, nodes = steps_to(self.path), self.miss.signature.nodes
        is_made = self.where.startswith("jax/") and self.is_metadata
        return is_made and any(node.type.startswith("jax.") for node in nodes if node.path in holders)

    @property
    def made(self) -> str:
        """The path of what the user creates: not of a function or a private attribute that a library put into it."""
        is_known = self.where.partition("/")[0] in _LIBRARIES
        is_of_library = (self.is_of_library or is_known) and self.type in ("function", "method")
        steps = [step for step in steps_to(self.path) if not _PRIVATE.search(step)] or [self.root]
        return self.holder if is_of_library and steps[-1] == self.path else steps[-1]

    @property
    def holder(self) -> str:
        return holder_of(self.path)

    @property
    def holder_type(self) -> str:
        """The class of the node that holds the value, "" if that is no node."""
        return next((node.type for node in self.miss.signature.nodes if node.path == self.holder), "")

    @property
    def owner(self) -> Literal["user", "library", "unknown"]:
        """Who wrote the class that holds the value, judged by its package."""
        package = self.holder_type.partition(".")[0]
        if package in _LIBRARIES:
            return "library"
        return "user" if package and package == self.miss.function_info.module.partition(".")[0] else "unknown"

    @property
    def is_inside_library(self) -> bool:
        """Whether what differs inside the object is not the user's to change."""
        return self.inside is not None and bool(self.inside.library)

    @property
    def held_in(self) -> str:
        """The user's variable that holds what differs inside a function: "optimiser"."""
        found = _VARIABLE.match(self.inside.path) if self.inside is not None else None
        return found[1] if found else ""

    @property
    def is_of_users_call(self) -> bool:
        """Whether a library jits the function, so that only the line that calls the library is the user's."""
        return self.miss.function_info.is_of_library

    @property
    def sides(self) -> str:
        return f"from {occupant(self.before)} to {occupant(self.after)}"

    @property
    def defined(self) -> str:
        """ " (defined at train.py:12)", or ""."""
        return f" (defined at {self.where})" if self.where else ""

    @property
    def wrapper(self) -> Wrapper:
        """How the function was jitted."""
        return self.miss.function_info.wrapper


def name_inside(label: str) -> str:
    label = _GIVEN.sub(r"\1", label[max(label.rfind("<"), 0) :])
    return (
        label.replace(CLOSURE, "")
        .replace("<default ", "")
        .replace("<", "")
        .replace(">", "")
        .replace("__self__", "self")
        .lstrip(".")
    )


class Subjects:
    """The subject of each change of a miss by its place, made when it is asked for."""

    def __init__(
        self, changes: Sequence[Change], miss: Miss, judged: Callable[[], Judgement], moved: frozenset[str]
    ) -> None:
        self._changes, self._miss, self._judged, self._moved = changes, miss, judged, moved
        self._made: dict[int, Subject] = {}

    def __getitem__(self, place: int) -> Subject:
        if place not in self._made:
            change = self._changes[place]
            beside = self._n_beside[change.kind, root_of(change.path)] - 1
            known: dict[str, Any] = {"miss": self._miss, "judged": self._judged, "moved": self._moved}
            self._made[place] = Subject(**vars(change), **known, twin=self._twin(change.path), beside=beside)
        return self._made[place]

    @cached_property
    def _n_beside(self) -> Counter[tuple[Kind, str]]:
        return Counter((change.kind, root_of(change.path)) for change in self._changes)

    def _twin(self, path: str) -> str:
        """Another argument with an unchanged leaf of the same name: the leaves of an optimiser state mirror the
        model's, so that the twin of one that became None is the model."""
        holder, _, name = path.rpartition(".")
        return next((other for other in self._roots[name] if holder and other != root_of(path)), "")

    @cached_property
    def _roots(self) -> defaultdict[str, dict[str, None]]:
        """Of the unchanged leaves, by the name that ends their path; none if nothing became None."""
        roots: defaultdict[str, dict[str, None]] = defaultdict(dict)
        changed = {change.path for change in self._changes}
        has_none = any(change.kind == "treedef" and change.after == "None" for change in self._changes)
        for leaf in self._miss.signature.leaves if has_none else ():
            holder, _, name = leaf.path.rpartition(".")
            if holder and leaf.path not in changed:
                roots[name][root_of(holder)] = None
        return roots


def occupant(text: str) -> str:
    """Code in backquotes; a container in words."""
    return f"a {text}" if _CONTAINER.match(text) else quote(text)


def inside_text(change: Subject) -> str:
    """ "; inside it, `rate` went from `0.1` to `0.2`", or ""."""
    inside, name = change.inside, quote(change.inside_name)
    if inside is None or not change.inside_name:
        return ""
    if inside.before == inside.after:
        return f"; inside it, {name} is another {quote(inside.after)}"
    return f"; inside it, {name} went from {quote(inside.before)} to {quote(inside.after)}"


def left_out(change: Subject) -> str:
    is_argument = change.path == change.root
    return "do not pass it to the jitted function" if is_argument else f"keep it out of {quote(change.root)}"


def only_for_the_caller(change: Subject) -> str:
    return (
        f"If only the caller needs it (a path, a name, a time), {left_out(change)}: it keeps getting new values, and "
        "each has its own program."
    )


def quote(text: str) -> str:
    """Code in a sentence."""
    return f"`{text}`"


def jnp_dtype(dtype: str) -> str:
    """ "float32" as `jnp.float32`."""
    return "jnp.bool_" if dtype == "bool" else f"jnp.{dtype}"
