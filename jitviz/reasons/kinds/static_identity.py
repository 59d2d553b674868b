"""`static_identity`: a static callable or object was created again, and JAX compares it by identity."""

import re
from typing import Literal

from ...model import Description, equality
from ...model.equality import has_hidden
from ..call_text import template
from ..change import Change, Same
from ..insides import first_inside, is_redefined
from ..pasting import Paste, leaves_at
from ..subject import INJECTED, OF_ONE_INPUT, Subject, inside_text
from ..values import closed_over, described
from .base import ReasonKind, Recompiles, Term

_LIKENESS: dict[Same | None, str] = {
    "code": "with the same code",
    "content": "with the same content",
    "looks": "that looks the same",
}
_BUILDERS = ("__init__", "__post_init__", "setup")  # there is good reason to create a module again, but not its parts


class StaticIdentity(ReasonKind):
    name = "static_identity"
    is_static = True
    is_anew = True
    undoes = "leaf"
    is_left_by_content = True
    term = Term(
        "A static callable or object that was made again, and equals only itself. Make it once, outside the loop.",
        """\
f = jitviz.filter_jit(lambda x, g: g(x))
for _ in range(2):
    f(jnp.ones(3), lambda y: y + 1)  # compiles""",
    )

    def after(self, change: Change) -> str:
        """ "a new Config" for an object that prints like the older one."""
        return f"a new {change.class_name}" if change.before == change.after else change.after

    def say(self, change: Subject) -> str:
        owner = owner_of(change)
        if change.type == "type":
            return f"{owner} changed to a new class of the same name, and JAX compares classes by identity"
        if change.same == "name":
            return f"{owner} changed its class: it was redefined under the same name"
        because = "JAX compares such objects by identity"
        if change.is_owner:
            because = "methods are equal only if they belong to the same object"
        what = f"a new {change.class_name} {_LIKENESS[change.same]}{change.defined}"
        if _is_jaxpr(change):
            what = f"a new {change.class_name} with the same operations, whose numbers are not compared"
        return f"{owner} changed to {what}, and {because}{inside_text(change)}"

    def advise(self, change: Subject) -> str:
        if _is_jaxpr(change):
            return (
                f"Make `{change.root}` inside a jitted function of yours, with what it is made from as arguments: one "
                "that is made once keeps the numbers that it has."
            )
        return _of_library(change) or _of_yours(change)

    def paste(self, cause: Recompiles) -> Paste | None:
        return compared_by_content(cause)


def made_anew(
    kind: Literal["static_eq", "static_identity"], path: str, before: Description, after: Description
) -> Change:
    """The change of a static object at a path that was created again."""
    return Change(
        kind,
        path,
        before.text,
        after.text,
        type=after.type,
        equality=after.equality,
        where=after.origin or "",
        is_of_library=after.is_of_library,
        maker=after.maker,
        closes_over=tuple(name for name, _ in closed_over(after)),
        same=_what_is_same(before, after),
        inside=first_inside(before, after),
    )


def _what_is_same(before: Description, after: Description) -> Same:
    if is_redefined(before, after) or after.type == "type":
        return "name"
    if after.code is not None:
        return "code"
    return "looks" if equality.has_hidden(before) or equality.has_hidden(after) else "content"


def owner_of(change: Subject) -> str:
    """The object that was created again."""
    return f"the object that the method `{change.holder}` belongs to" if change.is_owner else f"`{change.path}`"


def _is_jaxpr(change: Subject) -> bool:
    """Whether it is a program that JAX has traced, with the values that its function closed over."""
    return change.class_name in ("Jaxpr", "ClosedJaxpr") and change.type.startswith("jax.")


def _of_library(change: Subject) -> str:
    """What to do about a static object that a library makes anew, or takes; "" if it is the user's."""
    if change.type == "type" or change.same == "name" or change.where.startswith("optax/"):
        return ""
    if change.is_inside_library:
        return (
            f"Create `{change.made}` once, outside the loop, and pass the same object to every call. What differs "
            "inside it is a library's: to trace that, create the object in the jitted function."
        )
    if not change.is_of_users_call:
        return ""
    return (
        f"Create once, outside the loop, what the call at {change.miss.source} passes as `{change.root}`; if the "
        "library creates it, jit a function of yours around this call."
    )


def _of_yours(change: Subject) -> str:
    inside = f"`{change.inside_name}`"
    # several parts of one object: the whole object was created again
    once = f"`{change.holder if change.beside else change.made}` once, outside the loop,"
    if change.is_owner or change.name == "self":
        once = "the object once, outside the loop,"
    if change.inside_name and change.where.startswith("optax/"):
        return f"Create {once} {INJECTED}"
    if change.is_of_jax:
        return OF_ONE_INPUT
    if change.type == "type":
        return "Define the class once, and pass the same class to every call."
    if change.same == "name":
        return "Define the class once, and create the object again after you change the class."
    owner, _, method = change.maker.rpartition(".")
    if owner and method in _BUILDERS and change.closes_over:
        fields = " and ".join(f"`self.{name}`" for name in change.closes_over if name != "self")
        return f"Make it a method of `{owner}`{fields and f' that uses {fields}'}."
    if owner and method in _BUILDERS:
        return f"Define it outside `{change.maker}`, so that every `{owner}` uses the same one."
    if change.inside and change.inside.before == change.inside.after:
        return (
            f"If {inside} always holds the same values, create {once} and pass the same object to every call; "
            f"otherwise pass {inside} as a separate argument."
        )
    if change.inside_name:  # one object for every call would change the results
        return f"Create {once} and pass {inside} as a separate argument."
    is_users = change.type.rpartition(".")[0] == change.miss.function_info.module and not change.is_owner
    is_plain = is_users and change.same == "content" and change.equality == "identity"
    by_fields = "based on its fields, as `@dataclass(frozen=True)` does"
    or_equal = f", or give `{change.class_name}` an `__eq__` and a `__hash__` {by_fields}" if is_plain else ""
    return f"Create {once} and pass the same object to every call{or_equal}."


def compared_by_content(cause: Recompiles) -> Paste | None:
    """An `__eq__` and a `__hash__` for a user's class whose objects hold only plain values."""
    rows = (*cause.rows, *cause.versions[:1])
    objects = [described(leaf) for leaf in leaves_at(rows, cause.reason.path) if leaf.role == "static"]
    names = {tuple(label for label, _ in description.fields) for description in objects}
    if (
        len({description.type for description in objects}) != 1
        or len(names) != 1
        or not all(map(_has_plain_fields, objects))
    ):
        return None
    home, _, name = objects[0].type.rpartition(".")
    if not objects[0].fields or {row.function_info.module for row in cause.rows} != {home}:
        return None
    values = "".join(f"self{label}, " for label, _ in objects[0].fields).rstrip()
    return Paste(where=f"in the class `{name}`", name=name, code=template("by_content").format(values=values))


def _has_plain_fields(description: Description) -> bool:
    if description.equality not in ("identity", "hash_only") or description.code or has_hidden(description):
        return False
    return all(
        re.fullmatch(r"\.[a-zA-Z_]\w*", label) and part.equality == "value" and part.token is None and not part.fields
        for label, part in description.fields
    )


KIND = StaticIdentity()
