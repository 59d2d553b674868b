"""What surrounds the arguments: JAX's trace context, and how each parameter was given.

In: two signatures.  Out: changes of the kinds config_context and kwargs_vs_args.
Must never: compare the form where one side does not tell it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Signature
from .change import Change

# JAX keeps two entries for one `with jax.set_mesh(...)`, which people know as the mesh:
# https://github.com/jax-ml/jax/blob/main/jax/_src/mesh.py
_MESH = "mesh_context_manager"


def compare_context(before: Signature, after: Signature) -> Iterator[Change]:
    """One change per setting that differs; mesh contexts are one."""
    if before.context == after.context or not before.context or not after.context:
        return
    old, new = dict(before.context), dict(after.context)
    named: set[str] = set()
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name, "not set"), new.get(name, "not set")
        shown = "mesh" if name.endswith(_MESH) else name
        if was != now and shown not in named:
            named.add(shown)
            yield Change("config_context", shown, was, now)


def compare_form(before: Signature, after: Signature) -> Iterator[Change]:
    """Parameters given by position on one side and by name on the other."""
    old = dict(before.form)
    for name, form in after.form:
        if name in old and old[name] != form:
            yield Change("kwargs_vs_args", name, old[name], form)
