"""Code that fixes a cause, to be pasted in place of the calls that it shows.

In: a cause, and all versions of its function.  Out: code, None if none is known to be safe.
Must never: change a result. The versions that become one must have the same outputs, every name appears in the call
that is replaced or is imported, and a container of a leaf (a frozen dataclass, a NamedTuple, a library module) is
rebuilt by JAX, never assigned to.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..causes import Cause, Lineage
from . import arguments
from .pasting import Paste, unknown_lines

_FIXES: Mapping[str, Callable[[Cause, Lineage], Paste | None]] = {
    "dtype": arguments.one_dtype,
    "weak_type": arguments.strong,
    "leaf_kind": arguments.array,
    "shape": arguments.one_rank,
    "prng_key_type": arguments.typed_key,
    "committed": arguments.committed,
    "sharding": arguments.placed,
    "treedef": arguments.one_container,
    "kwargs_vs_args": arguments.by_keyword,
    "static_value": arguments.one_type,
    "static_identity": arguments.compared_by_content,
    "static_eq": arguments.compared_by_content,
}


def fix(cause: Cause, lineage: Lineage) -> Paste | None:
    is_more = "shape" in cause.kinds and len(cause.kinds) > 1  # no cast fixes a shape as well
    write = _FIXES.get(cause.reason.kind) if not is_more else None
    found = write(cause, lineage) if write is not None else None
    return found and replace(found, check=tuple(unknown_lines(lineage)))
