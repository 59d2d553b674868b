"""What `donate=` means: whose buffers the program may reuse, and whether it may say that it could not.

In: one of five words.  Out: argument positions, and a filter for one warning.
Must never: leave the warning filters of the process changed, or forget which warnings were shown already.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

Donate: TypeAlias = Literal["all", "all-except-first", "warn", "warn-except-first", "none"]
DONATE: tuple[Donate, ...] = get_args(Donate)

# Only the words with "all" silence the warning; "warn" donates as much and lets JAX warn. As in Equinox:
# https://docs.kidger.site/equinox/api/transformations/.
QUIET: frozenset[Donate] = frozenset({"all", "all-except-first"})


def donated_inputs(donate: Donate, traced_at: Sequence[int], first: int, held: int) -> tuple[int, ...]:
    """Which inputs of the program are donated.

    Its inputs are `held` arrays that the function itself holds, then the traced leaves of the arguments; these sit at
    `traced_at` among all leaves, of which the first argument has the first `first`. What the function holds is donated
    unless nothing is.
    """
    if donate == "none":
        return ()
    spared = first if donate.endswith("except-first") else 0
    return (*range(held), *(held + index for index, position in enumerate(traced_at) if position >= spared))


class _UnusableDonationsIgnored:
    """A context in which JAX does not warn of donated buffers that no output could use, as it does while it lowers
    (https://github.com/jax-ml/jax/blob/main/jax/_src/interpreters/mlir.py).

    `warnings.catch_warnings` at every call would not be safe with threads, and would make the process forget which
    warnings it has shown. Here one filter is put in front while at least one such call is under way.
    """

    _FILTER: tuple[Any, ...] = ("ignore", re.compile("Some donated buffers were not usable"), Warning, None, 0)

    def __init__(self) -> None:
        self._lock = threading.Lock()
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
