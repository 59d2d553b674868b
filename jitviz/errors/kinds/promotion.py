"""Dtypes that strict promotion does not mix.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/type_promotion.html#strict-dtype-promotion
"""

import re

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import short_type
from ...model import listed
from ...model.raised import Raised
from ..facts import Facts
from ..syntax import operands

EXAMPLE = """
with jax.numpy_dtype_promotion('strict'):
    jnp.ones(3) + jnp.arange(3)
"""
INSTEAD = """
with jax.numpy_dtype_promotion('strict'):
    jnp.ones(3) + jnp.arange(3).astype('float32')
"""

_DTYPES = re.compile(r"Input dtypes \((.*?)\)")


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("TypePromotionError") and not facts.says("no available implicit dtype promotion path"):
        return None
    found = _DTYPES.search(facts.message)
    dtypes = sorted(part.strip().strip("'") for part in found[1].split(",")) if found else []  # JAX's are in any order
    spot = facts.spot
    given = (
        [(text, type_) for text, value in operands(spot.node, spot.frame) if (type_ := aval_of(value))] if spot else []
    )
    told = [f"`{text}` is {type_}" for text, type_ in given[:3]]
    widest = next(
        (each for each in dtypes if each.startswith(("float", "bfloat", "complex"))), dtypes[0] if dtypes else ""
    )
    other = next((text for text, type_ in given if not type_.startswith(short_type(widest))), "")
    return Raised(
        path=other,
        also=tuple(text for text, _ in given if text != other),
        summary=f"Strict promotion mixes no dtypes: {listed(told) or listed(dtypes)}.",
        advice=f"Convert one: `{other}.astype('{widest}')`." if other else f"Convert one with `.astype('{widest}')`.",
    )
