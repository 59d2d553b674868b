"""All there is of each kind of exception, a file for each: how it is recognised, what is looked up, what is said, and
an example that runs.

In: `Facts`.  Out: `KINDS`, by name, in the order in which they are tried.
"""

from collections.abc import Callable
from importlib import import_module

from ...model.raised import Raised
from ..facts import Facts

NAMES = (
    "deleted", "leaked", "custom_rule", "library", "checks", "branch", "truth", "mask", "size", "index", "unhashable",
    "static_names", "prng_key", "no_array", "number", "immutable", "carry", "branches", "vmap_axes", "gradient",
    "promotion", "partition", "prefix", "devices", "compiled", "nan", "memory", "callback", "shapes",
)  # fmt: skip

Explains = Callable[[Facts], Raised | None]


def _explain_of(name: str) -> Explains:
    explain: Explains = import_module(f".{name}", __name__).explain
    return explain


KINDS: dict[str, Explains] = {name: _explain_of(name) for name in NAMES}
