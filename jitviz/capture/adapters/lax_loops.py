"""Eager loops: `lax.scan`, `lax.map`, `lax.cond` and the like, outside any jit, with a function of the user's.

In: a `MissFrame` whose program JAX made for itself.  Out: an `Origin` under the name of the loop, or None.
Must never: list a loop inside JAX (in `jax.random`), or a program of a transformation (`grad`, `vmap`): that is listed
where the function is jitted.
"""

from typing import Any

from ...jaxcompat import frame_locals, jax_frames
from ...jaxcompat.raw import is_a
from ...model import wrappers
from ..arguments.origin import Argument, Origin
from . import functions
from .adapter import Adapter
from .jax_jit import is_of_jax
from .jax_sites import MissFrame

_BODY_NAMES = ("body_fun", "f", "fun")  # which callable of several is the loop's body
_OPERANDS = ("init", "init_val", "operand", "pred", "x", "xs")  # parameters that are traced even if they are numbers


class LaxLoops(Adapter):
    """Eager loops."""

    wrapper = wrappers.LOOP

    def find(self, site: MissFrame) -> Origin | None:
        """The loop whose program JAX compiles here, called with a function of the user's."""
        if site.jax_caller is None or not jax_frames.is_frame(site.jax_caller, jax_frames.APPLY_PRIMITIVE):
            return None
        entry, programs = frame_locals.loop_entry(site.jax_caller), frame_locals.applied_programs(site.jax_caller)
        if entry is None or not programs:
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
                bodies.extend((f"{name}[{index}]", part) for index, part in enumerate(value))
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
            programs=programs,
        )
