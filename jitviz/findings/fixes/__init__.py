"""Code that fixes a cause, to be pasted in place of the calls that it shows.

In: a cause, and all versions of its function.  Out: code, None if none is known to be safe.
Must never: change a result. The versions that become one must have the same outputs, every name appears in the call
that is replaced or is imported, and a container of a leaf (a frozen dataclass, a NamedTuple, a library module) is
rebuilt by JAX, never assigned to.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..causes import Cause, Lineage
from . import one_form
from .pasting import Paste, unknown_lines

_FIXES: Mapping[str, Callable[[Cause, Lineage], Paste | None]] = {
    "dtype": one_form.one_dtype,
    "weak_type": one_form.strong,
    "leaf_kind": one_form.array,
    "shape": one_form.one_rank,
    "prng_key_type": one_form.typed_key,
    "committed": one_form.committed,
    "sharding": one_form.placed,
    "treedef": one_form.one_container,
    "kwargs_vs_args": one_form.by_keyword,
    "static_value": one_form.one_type,
    "static_identity": one_form.compared_by_content,
    "static_eq": one_form.compared_by_content,
}


def fix(cause: Cause, lineage: Lineage) -> Paste | None:
    is_more = "shape" in cause.kinds and len(cause.kinds) > 1  # no cast fixes a shape as well
    write = _FIXES.get(cause.reason.kind) if not is_more else None
    found = write(cause, lineage) if write is not None else None
    return found and replace(found, check=tuple(unknown_lines(lineage)))
