"""Predicting whether a call would hit or compile.

In: a jitted function and arguments.  Out: `Prediction`.
Must never: call, trace, compile, read or move an array; or guess: what cannot be known is "unknown".
"""

from collections.abc import Callable
from typing import Any

from ..capture.hypothetical_miss import hypothetical_miss
from ..findings.predictions import Prediction, judge, unknown


def predict(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Prediction:
    """Predict whether `fun(*args, **kwargs)` would hit, or compile and why.

    >>> print(jitviz.predict(step, model, batch))

    The prediction rests on the versions that jitviz has seen and on the contents of JAX's cache keys. Nothing is
    traced, compiled, read or moved.

    Raises:
        TypeError: `fun` is not jitted, or does not take these arguments.
    """
    miss, past, doubt = hypothetical_miss(fun, args, kwargs)
    return unknown(doubt) if doubt else judge(past.misses, list(map(past.newest, past.misses)), miss)
