"""`config_context`: a setting of JAX that is part of the cache key changed. The path is its name, "mesh" for meshes."""

import re
from collections.abc import Iterator

from ...model import Signature
from ..change import Change
from ..subject import Subject
from .base import ReasonKind, Term

# JAX keeps two entries for one `with jax.set_mesh(...)`, which users know as the mesh:
# https://github.com/jax-ml/jax/blob/main/jax/_src/mesh.py
_MESH = "mesh_context_manager"
_LITERAL = re.compile(r"True|False|None|[\d.]+|'[^']*'")
_IF_BOTH = "Nothing to fix if you need both"


class ConfigContext(ReasonKind):
    name = "config_context"
    can_be_mended = False
    is_always_advised = True
    may_decide = True
    undoes = "setting"
    sentence = "the setting `{path}` changed from `{before}` to `{after}`"
    term = Term(
        "A JAX setting that is part of the cache key changed, such as x64, a mesh or a precision. Set it once, before "
        "the first call.",
        """\
f = jax.jit(lambda x: x @ x)
f(jnp.ones(3))
with jax.default_matmul_precision("float32"): f(jnp.ones(3))""",
    )

    def of_signatures(self, before: Signature, after: Signature) -> Iterator[Change]:
        """One change per setting; all mesh contexts count as one. A side without settings is not compared."""
        if not before.context or not after.context or before.context == after.context:
            return
        old, new = dict(before.context), dict(after.context)
        changes: dict[str, Change] = {}
        for setting in dict.fromkeys((*old, *new)):
            was, now = old.get(setting, "not set"), new.get(setting, "not set")
            if was != now:
                shown = "mesh" if setting.endswith(_MESH) else setting
                changes.setdefault(shown, Change("config_context", shown, was, now))
        yield from changes.values()

    def advise(self, change: Subject) -> str:
        what = "make every call in the same context"
        if change.path == "mesh":
            what = "make every call inside the same mesh context"
        elif change.path.startswith("jax_") and _LITERAL.fullmatch(change.after):
            around = "do not change it around this call, or " if change.is_avoidable else ""
            what = f"{around}set it once at the start: `jax.config.update({change.path!r}, {change.after})`"
        return f"The program is the same for both: {what}." if change.is_avoidable else f"{_IF_BOTH}; otherwise {what}."


KIND = ConfigContext()
