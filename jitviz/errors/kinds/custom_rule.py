"""Rules of `custom_vjp` and `custom_jvp` that return another structure, and arrays in `nondiff_argnums`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/notebooks/Custom_derivative_rules_for_Python_code.html
"""

import re

from ...jaxcompat.texts.error_messages import custom_trees
from ...model import count
from ...model.raised import Raised
from ..facts import Facts

EXAMPLE = """
@jax.custom_vjp
def scale(x, y):
    return x * y

def forward(x, y):
    return x * y, (x, y)

def backward(saved, g):
    return (g * saved[1],)

scale.defvjp(forward, backward)
jax.grad(scale)(1.0, 2.0)
"""
INSTEAD = EXAMPLE.replace("(g * saved[1],)", "g * saved[1], g * saved[0]")

_MISSING = re.compile(r"No (VJP|JVP) defined for custom_\w+ function (\S+) using")
_RULE = re.compile(r"Custom (JVP|VJP) (?:rule|bwd rule|fwd rule)(?: (\w+) for function (\w+))?")


def explain(facts: Facts) -> Raised | None:
    if facts.says("nondiff_argnums") and facts.is_a("UnexpectedTracerError"):
        return Raised(
            function="custom_vjp",
            summary="An argument in `nondiff_argnums` is a traced array; only static values can be there.",
            advice="Take it out of `nondiff_argnums`, and return None or zeros for it from the backward rule.",
        )
    missing = _MISSING.search(facts.message)
    if missing is not None:
        option, rules = f"def{missing[1].lower()}", "forward, backward" if missing[1] == "VJP" else "rule"
        return Raised(
            function=missing[2],
            summary=f"`{missing[2]}` is a `custom_{missing[1].lower()}`, but has no rule.",
            advice=f"Give it one after its definition: `{missing[2]}.{option}({rules})`.",
        )
    found = _RULE.search(facts.message)
    if found is None or not facts.is_a("TypeError", "ValueError"):
        return None
    kind, rule, function = found[1], found[2] or "", found[3] or ""
    trees = custom_trees(facts.message)
    if kind == "VJP" and trees is not None:
        return _of_backward(*trees)
    what = f"`{rule}`" if rule else "The rule"
    if kind == "VJP" and facts.says("must produce a pair"):
        return Raised(
            function=function,
            summary=f"{what}, the forward rule of `{function}`, must return a pair: the output, and what `bwd` needs.",
            advice="Return `output, residuals`; the backward rule gets the residuals first.",
        )
    return Raised(
        function=function,
        summary=f"{what}, a rule of `custom_{kind.lower()}`, returns another tree or type than its function.",
        detail=facts.message.partition("\n")[0],
        advice="Return a value like the function's, and a tangent of the same tree, shapes and dtypes."
        if kind == "JVP"
        else "Return (output, residuals) from the forward rule, a cotangent for each argument from the backward one.",
    )


def _of_backward(given: str, wanted: str) -> Raised:
    n_given, n_wanted = _count(given), _count(wanted)
    if not given.startswith(("(", "[", "{")):
        what = "The backward rule returns an array, but must return a tuple: a cotangent for each argument."
        advice = "Return a tuple: `return (gradient,)` for one argument."
        if n_wanted > 1:
            advice = f"Return a tuple of {n_wanted}: one for each argument, None where there is no gradient."
    elif n_given != n_wanted:
        what = f"The backward rule returns {count(n_given, 'cotangent')} for {count(n_wanted, 'argument')}."
        advice = f"Return a tuple of {n_wanted}: one for each argument, None where there is no gradient."
    else:
        what = "The backward rule returns cotangents of another tree than the arguments."
        advice = "Give each cotangent the keys and containers of its argument."
    return Raised(function="custom_vjp", summary=what, detail=f"Returned: {given}; arguments: {wanted}.", advice=advice)


def _count(tree: str) -> int:
    """The number of entries of a tuple as JAX prints a tree: "({'a': *}, *)"."""
    depth = entries = 0
    for char in tree[1:-1] if tree.startswith("(") else tree:
        depth += (char in "([{") - (char in ")]}")
        entries += char == "," and depth == 0
    return entries + 1 - tree.rstrip(")").endswith(",") if tree.strip("()") else 0
