"""The option `donate=`: which buffers the program may reuse, and whether JAX warns about those that it cannot.

In: one of five words.  Out: argument positions, and a filter for one warning.
Must never: leave the warning filters of the process changed, or reset which warnings were already shown.
"""

import re
import warnings
from collections.abc import Sequence
from threading import Lock
from typing import Any, Literal, TypeAlias, get_args

Donate: TypeAlias = Literal["all", "all-except-first", "warn", "warn-except-first", "none"]
DONATE: tuple[Donate, ...] = get_args(Donate)

# "all" silences the warning; "warn" donates just as much and lets JAX warn. As in Equinox:
# https://docs.kidger.site/equinox/api/transformations/.
QUIET: frozenset[Donate] = frozenset({"all", "all-except-first"})


def donated_inputs(donate: Donate, traced_at: Sequence[int], first: int, held: int) -> tuple[int, ...]:
    """The positions of the donated inputs of a program.

    Its inputs are the `held` arrays of the function itself, then the traced leaves of the arguments, at positions
    `traced_at` among all leaves. The first `first` leaves belong to the first argument. The arrays of the function are
    donated with every word but "none".
    """
    if donate == "none":
        return ()
    kept = first if donate.endswith("except-first") else 0
    return (*range(held), *(held + index for index, position in enumerate(traced_at) if position >= kept))


class _UnusableDonationsIgnored:
    """A context in which JAX does not warn about donated buffers that no output could use. It does so while lowering:
    https://github.com/jax-ml/jax/blob/main/jax/_src/interpreters/mlir.py.

    `warnings.catch_warnings` around every call would not be thread-safe, and would make the process show warnings again
    that it has shown before. Instead, one filter is in place as long as at least one such call is running.
    """

    _FILTER: tuple[Any, ...] = ("ignore", re.compile("Some donated buffers were not usable"), Warning, None, 0)

    def __init__(self) -> None:
        self._lock = Lock()
        self._depth = 0

    def __enter__(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                warnings.filters.insert(0, self._FILTER)  # type: ignore[attr-defined]

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and self._FILTER in warnings.filters:
                warnings.filters.remove(self._FILTER)  # type: ignore[attr-defined]


unusable_donations_ignored = _UnusableDonationsIgnored()
