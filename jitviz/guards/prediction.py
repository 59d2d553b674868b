"""Predicting whether a call would hit or compile.

In: a jitted function and arguments.  Out: `Prediction`.
Must never: call, trace, compile, read or move an array; or guess: what cannot be known is "unknown".
"""

from collections.abc import Callable
from typing import Any

from ..capture.hypothetical_miss import hypothetical_miss
from ..findings.predictions import Prediction, judge, unknown


def predict(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Prediction:
    """Predict whether `fun(*args, **kwargs)` would be a hit or compile, and why.

    >>> print(jitviz.predict(step, model, batch))

    jitviz compares the arguments with those of the versions that it has seen, as JAX's cache would. It traces,
    compiles, reads and moves nothing.

    Returns:
        A `Prediction`, with `outcome` ("hit", "trace", "compile" or "unknown"), `version`, `reasons`, and `seconds`:
        how long the compile would take, by the version that is most like it.

    Raises:
        TypeError: `fun` is not jitted, or does not take these arguments.
    """
    miss, past, doubt = hypothetical_miss(fun, args, kwargs)
    return unknown(doubt) if doubt else judge(past.misses, list(map(past.newest, past.misses)), miss)
