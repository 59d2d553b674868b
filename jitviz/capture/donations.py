"""Which calls donated arrays, by what the history knows.

In: the signatures of compiles since jitviz began to watch.  Out: `Donation`s.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..jaxcompat.texts.error_messages import short_type
from .log.watcher import watcher


class Donation(NamedTuple):
    """A leaf that the calls of one version of a function donate."""

    function: str
    path: str  # "state['w']"
    type: str  # "f32[3]"
    source: str  # the line that called: "train.py:17"


def donations() -> Iterator[Donation]:
    """The donated leaves of everything that compiled since jitviz began to watch, oldest first."""
    for started in watcher.history.starts():
        function = watcher.functions.get(started.function)
        for leaf in started.signature.leaves if function is not None else ():
            if leaf.donated and leaf.shape is not None and function is not None:
                sizes = ",".join(map(str, leaf.shape))
                yield Donation(function.name, leaf.path, short_type(f"{leaf.dtype}[{sizes}]"), started.source)
