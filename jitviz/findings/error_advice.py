"""What to write instead of the code that raised under a trace.

In: the text of an exception, as `capture` records it.  Out: advice, "" if none is known.
"""

import re

from ..model import listed

_BECAUSE_OF = re.compile(r", because of (.*)\.$")
_NAMED = re.compile(r"(the array )?(`[^`]+`)")
_RAISED_AT = re.compile(r" At (\S.*?:\d+), `")
_STATIC = ", or make {name} static, if it has few values"
_MUST = "What decides a shape, the length of a Python loop or an index into a list must be static"
_LENGTH = _MUST + ": make {name} static, or"
_ADVICE = (
    (
        "TracerBoolConversionError",
        "Write `jnp.where` or `jax.lax.cond` in place of a branch, `jax.lax.while_loop` in place of a loop" + _STATIC,
    ),
    ("TracerIntegerConversionError", f"{_LENGTH} use `jax.lax.fori_loop`, or index a `jnp` array."),
    ("TypeError: Shapes must be 1D sequences", f"{_LENGTH} use its largest value and mask the rest."),
    ("ConcretizationTypeError", "Keep it an array, with `.astype` in place of `float` or `int`" + _STATIC),
    ("TracerArrayConversionError", "Use `jnp` in place of `np` there, or compute it outside the jitted function."),
    (
        "NonConcreteBooleanIndexError",
        "Use `jnp.where(mask, x, 0)`, which keeps the shape, or `jnp.nonzero(mask, size=...)`.",
    ),
    ("UnexpectedTracerError", "Return the value from the jitted function instead of storing it."),
    ("TypeError: JAX arrays are immutable", "Write `x = x.at[i].set(y)` in place of `x[i] = y`."),
)
_NOT_HASHABLE = "ValueError: Non-hashable static arguments are not supported"
_FIELDS = "Make it a tuple or a number, or leave it out of `__hash__` and `__eq__`; arrays should be traced."
_CONTENT = "Pass a tuple (of a dict, `tuple(sorted(d.items()))`) or a frozen dataclass of such; or make it traced."
_ARRAY = "Make it traced, as arrays should be; or pass a tuple of its values, `tuple(x.tolist())`."
_OF_CLASS = (
    "Make all its fields hashable, such as a tuple in place of a list, or leave them out of `__hash__` and `__eq__`."
)
_CONTAINERS = ("list", "dict", "set", "bytearray")
_HASHABLE = dict.fromkeys(_CONTAINERS, _CONTENT) | dict.fromkeys(("ndarray", "ArrayImpl"), _ARRAY)
_CLASS = re.compile(r"`(\w+)` cannot be hashed(; `\.)?")


def raised_at(error: str) -> str:
    """The user's line that raised under a trace, "" where the text names none."""
    found = _RAISED_AT.search(error)
    return found[1] if found else ""


def advise(error: str) -> str:
    """What to write instead, for an exception that says how JAX traces."""
    if error.startswith(_NOT_HASHABLE):
        of = _CLASS.search(error)
        return _FIELDS if of and of[2] else _HASHABLE.get(of[1] if of else "", _OF_CLASS)
    known = next((advice for start, advice in _ADVICE if error.startswith(start)), "")
    found = _BECAUSE_OF.search(error)
    named = _NAMED.findall(found[1]) if found else [("", "what it depends on")]
    numbers = [name for of_array, name in named if not of_array]
    if not numbers:  # an array cannot be static
        known = known.replace(_STATIC, "").replace(_LENGTH, f"{_MUST}:")
    return known and known.format(name=listed(numbers)).rstrip(".") + "."
