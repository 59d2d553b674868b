"""Code that fixes a cause, to be pasted in place of the calls that it shows.

In: a cause, and all versions of its function.  Out: code, "" if none is known to be safe.
Must never: change a result. The versions that become one must have the same outputs, every name appears in the call
that is replaced or is imported, and a container of a leaf (a frozen dataclass, a NamedTuple, a library module) is
rebuilt by JAX, never assigned to.
"""

from collections.abc import Callable, Mapping

from ...model.quantities import count
from ..causes import Cause, Lineage
from .casts import array, one_dtype, one_rank, strong, typed_key
from .classes import compared_by_content
from .pasting import MOST_CALLS, unknown_lines
from .whole_arguments import by_keyword, committed, one_container, one_type, placed

_FIXES: Mapping[str, Callable[[Cause, Lineage], str]] = {
    "dtype": one_dtype,
    "weak_type": strong,
    "leaf_kind": array,
    "shape": one_rank,
    "prng_key_type": typed_key,
    "committed": committed,
    "sharding": placed,
    "treedef": one_container,
    "kwargs_vs_args": by_keyword,
    "static_value": one_type,
    "static_identity": compared_by_content,
    "static_eq": compared_by_content,
}


def fix(cause: Cause, lineage: Lineage) -> str:
    """The code that fixes the cause, or ""."""
    is_more = "shape" in cause.kinds and len(cause.kinds) > 1  # no cast fixes a shape as well
    write = _FIXES.get(cause.reason.kind) if not is_more else None
    code = write(cause, lineage) if write is not None else ""
    others = unknown_lines(lineage)
    if not others or "# in place of " not in code:
        return code
    more = f" and {count(len(others) - MOST_CALLS, 'more line')}" if len(others) > MOST_CALLS else ""
    return f"{code}\n# also check {', '.join(others[:MOST_CALLS])}{more}\n"
