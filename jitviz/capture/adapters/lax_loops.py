"""Functions of JAX that take one of the user's and compile: eager loops (`lax.scan`, `lax.map`), `odeint`, `pmap`.

In: a `Site` whose program JAX made for itself.  Out: an `Origin` under the name that the user called, or None.
Must never: list a program that does not depend on the user's function (an addition inside `minimize`), a loop inside
JAX (in `jax.random`), or a program of a transformation (`grad`, `vmap`): those are listed where the function is jitted.

A function of JAX that the user called and that is no loop is an "entry" here.
"""

import functools
import types
from collections.abc import Iterator
from itertools import takewhile
from types import FrameType
from typing import Any

import jax

from ...jaxcompat import frame_locals, jax_frames, jits
from ...jaxcompat.raw import class_attribute, is_a, items_of
from ...model import wrappers
from ..arguments.flattened import is_of_user
from ..arguments.origin import Argument, Origin
from ..arguments.walk import is_array
from ..sources import is_library
from . import functions
from .adapter import Adapter
from .jax_jit import is_internal, is_of_jax, origin_of
from .jax_sites import Site


def of_entry(site: Site) -> Origin | None:
    """The call of an entry at this site.

    As with an eager loop, the functions that the entry runs are its identity; a callable object is an argument. They
    include functions that JAX made for this call alone (the body of its own loop, a function that it jits), which may
    be new while the user's function is the same.
    """
    if site.held.fun is None or site.kind != "call" or not is_internal(site):
        return None
    entry = entry_above(site.jax_caller)
    if entry is None:
        return None
    held = site.held
    programs = frame_locals.applied_programs(site.jax_caller)
    made = _made_by_jax(site, programs)
    if not made and not programs and not any(map(_has_code, (*held.args, *held.kwargs.values()))):
        return None  # most: an operation on arrays
    parameters = functions.parameters(jits.signature_in(held.info), held.args, held.kwargs)
    origin = origin_of(held.fun, wrappers.LOOP, parameters, held.info)
    holders = {part.name: part.value for part in origin.arguments if part.rule == "static" and _has_code(part.value)}
    if not holders and not made and not programs:
        return None
    given = _parameters(entry)
    inside = [held for body in made for held in jits.closed_over(body)]
    users = _users_in([*given.items(), *holders.items(), *inside])
    if not users:
        return None
    bodies = [body for _, body in users if functions.is_code(body)]
    bodies.sort(key=lambda body: max(functions.places_of(functions.innermost(body)), default=(0, 0)))
    origin.function = bodies[0] if bodies else users[0][1]
    origin.bodies = (*(bodies or [origin.function]), *made)
    origin.primitive = _name_of(entry)
    if origin.primitive == "pmap":  # which makes a function for each static value and each treedef
        origin.jitted_by, origin.bodies, origin.programs = wrappers.PMAP, (origin.function,), made
    origin.place = _place_of(site, entry)
    rows = origin.arguments
    if programs:  # a primitive has only flat operands
        rows = [Argument(name, value, _rule_of(value)) for name, value in given.items() if not _has_code(value)]
    rows = _as_given(given, origin.function, held.args) or rows
    names = {name for name, _ in users} | set(holders)
    origin.arguments = [argument for argument in rows if argument.name not in names]
    origin.arguments += [Argument(name, body, "static") for name, body in users if not functions.is_code(body)]
    return origin


def entry_above(frame: FrameType | None) -> FrameType | None:
    """The frame of the function of JAX that the user called; None for a transformation."""
    entry = None
    for above in jax_frames.frames_of_jax(frame):
        if above.f_code.co_name != jax_frames.BOUNDARY:
            entry = above
    return None if entry is None or jax_frames.is_transformation(entry) else entry


def _name_of(entry: FrameType) -> str:
    """The public name of an entry: "shard_map" for `_shard_map.<locals>.wrapped`."""
    return entry.f_code.co_qualname.partition(".<locals>")[0].lstrip("_")


def _place_of(site: Site, entry: FrameType) -> str:
    """A text that tells the programs of an entry apart: the lines of JAX's on the stack."""
    inside = takewhile(lambda frame: frame is not entry.f_back, jax_frames.stack(site.jax_caller))
    return "/".join(reversed([str(frame.f_lineno) for frame in inside]))


def _parameters(entry: FrameType) -> dict[str, Any]:
    """The arguments of an entry by parameter name, including those of the function that returned it."""
    code, held = entry.f_code, entry.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
    names = (*code.co_varnames[:count], *code.co_freevars)
    return {name: held[name] for name in dict.fromkeys(names) if held.get(name) is not None}


def _as_given(given: dict[str, Any], function: Any, leaves: tuple[Any, ...]) -> list[Argument]:
    """The arguments of `pmap` under the parameter names of the user's function, which receives every leaf of them.
    Empty for another entry, and where flattening a node again would run code of the user's."""
    args, kwargs = given.get("args", ()), given.get("kwargs", {})
    if type(args) is not tuple or type(kwargs) is not dict:
        return []
    handed_on, found, used = set(map(id, leaves)), list[Argument](), set[int]()
    named = functions.parameters(functions.signature_of(function), args, dict(sorted(kwargs.items())))
    for name, value, _ in named:
        parts = jax.tree_util.tree_leaves(value, is_leaf=lambda part: is_of_user(type(part)))
        if any(is_of_user(type(part)) for part in parts):
            return []
        inside = set(map(id, parts))
        found.append(Argument(name, value, "traced" if inside <= handed_on else "static"))
        used |= inside
    return found if leaves and handed_on <= used else []


def _made_by_jax(site: Site, programs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Functions that JAX makes inside the entry, whose identity is in the key: those of a loop, or the jitted one."""
    if programs:
        loop = frame_locals.loop_entry(site.jax_caller)
        return tuple(value for _, value in loop[1] if _is_code(value)) if loop is not None else programs
    fun = site.held.fun
    is_defined_inside = not is_a(fun, types.FunctionType) or "<locals>" in fun.__qualname__
    is_of_primitive = site.jax_caller is not None and jax_frames.is_frame(site.jax_caller, jax_frames.APPLY_PRIMITIVE)
    return (fun,) if is_defined_inside and not is_of_primitive else ()


def _users_in(values: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """(name, callable) for each of the user's callables in some values, once each."""
    found: dict[int, tuple[str, Any]] = {}
    for name, value in values:
        for part in _parts(value):
            if _is_users(part):
                found.setdefault(id(part), (name, part))
    return list(found.values())


def _parts(value: Any) -> Iterator[Any]:
    """A value, and the parts of a container down to two levels: `piecewise` pairs its branches with numbers."""
    yield value
    for part in items_of(value):
        yield part
        yield from items_of(part)


def _has_code(value: Any) -> bool:
    return any(_is_code(part) or _is_users(part) for part in _parts(value))


def _is_code(value: Any) -> bool:
    return is_a(value, types.FunctionType, types.MethodType, functools.partial, jits.PjitFunction)


def _is_users(value: Any) -> bool:
    """Whether this is a function of the user's, or an object of theirs with a `__call__`."""
    inner = functions.innermost(value) if _is_code(value) else class_attribute(type(value), "__call__")
    if is_a(inner, functools.partial, types.MethodType):
        inner = functions.plain(inner)
    return is_a(inner, types.FunctionType) and not is_library(inner.__code__.co_filename)


def _rule_of(value: Any) -> Any:
    is_number = is_a(value, int, float, complex) and not is_a(value, bool)
    is_plain = is_a(value, bool, str) or not (is_array(value) or is_number or tuple(items_of(value)))
    return "static" if is_plain else "arrays"


_BODY_NAMES = ("body_fun", "f", "fun")  # which callable of several is the loop's body
_OPERANDS = ("init", "init_val", "operand", "pred", "x", "xs")  # parameters that are traced even if they are numbers


def _of_primitive(site: Site) -> Origin | None:
    if site.jax_caller is None or not jax_frames.is_frame(site.jax_caller, jax_frames.APPLY_PRIMITIVE):
        return None
    entry = frame_locals.loop_entry(site.jax_caller)
    if entry is None or not frame_locals.applied_programs(site.jax_caller):
        return None
    bodies: list[tuple[str, Any]] = []
    arguments: list[Argument] = []
    for name, value in entry[1]:
        if frame_locals.is_flat_tree(value):
            leaves = frame_locals.flat_tree_items(value)
            arguments.extend(Argument(f"{name}{path}", leaf, "traced") for path, leaf in leaves)
        elif callable(value):
            bodies.append((name, value))
        elif is_a(value, tuple, list) and value and all(callable(part) for part in value):
            bodies.extend((f"{name}[{place}]", part) for place, part in enumerate(value))
        elif value is not None:
            is_setting = is_a(value, int, str) and name not in _OPERANDS
            arguments.append(Argument(name, value, "static" if is_setting else "traced"))
    users = [(name, body) for name, body in bodies if not is_of_jax(functions.innermost(body))]
    if not users:
        return None
    # A callable object is compared by hash and ==, as a static argument is; a function only by identity.
    arguments += [Argument(name, body, "static") for name, body in users if not functions.is_code(body)]
    return Origin(
        next((body for name, body in users if name in _BODY_NAMES), users[0][1]),
        wrappers.LOOP,
        arguments,
        primitive=getattr(site.held.fun, "__name__", entry[0]),
        bodies=tuple(body for _, body in bodies),
    )


class LaxLoops(Adapter):
    """Eager loops."""

    wrapper = wrappers.LOOP

    def find(self, site: Site) -> Origin | None:
        """An eager loop, or another function of JAX's that takes one of the user's, `pmap` included."""
        entry = entry_above(site.jax_caller)
        is_loop = entry is None or jax_frames.is_control_flow(entry)
        origin = (is_loop and _of_primitive(site)) or of_entry(site) or _of_primitive(site)
        if origin is not None:
            origin.programs = origin.programs or frame_locals.applied_programs(site.jax_caller)
        return origin


class Pmap(Adapter):
    """`jax.pmap`, whose calls `LaxLoops` finds."""

    wrapper = wrappers.PMAP
