"""A gradient of a result that is no scalar, by an argument that is no float, or of several outputs without `has_aux`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.grad.html
"""

import ast
from collections.abc import Iterator

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import dtype_given, output_shape
from ...model import root_of
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import argument, arguments, calls_of, making
from ..facts import Facts
from ..syntax import MISSING

EXAMPLE = """
def loss(w, x):
    return w * x

jax.grad(loss)(jnp.ones(3), jnp.ones(3))
"""
INSTEAD = EXAMPLE.replace("w * x", "(w * x).sum()")


def explain(facts: Facts) -> Raised | None:
    if facts.is_a("ValueError") and facts.says("Reverse-mode differentiation does not work"):
        return _backwards(facts)
    if not facts.is_a("TypeError"):
        return None
    if facts.says("Gradient only defined for scalar-output functions"):
        return _no_scalar(facts)
    if facts.says("real- or complex-valued inputs", "real-valued inputs") and facts.says("grad"):
        return _no_float(facts)
    if facts.says("expected function with aux output"):
        return Raised(
            function="grad",
            summary="With `has_aux=True` the function must return a pair, (loss, anything else); it returns one value.",
            advice="Return `loss, aux`, or leave out `has_aux=True`.",
        )
    return None


def _no_scalar(facts: Facts) -> Raised:
    shape = output_shape(facts.message)
    if shape:
        return Raised(
            function="grad",
            path="out",
            summary=f"`grad` needs a scalar, but the function returns an array of shape {shape}.",
            advice="Return `.sum()` or `.mean()` of it; or take `jax.jacobian` for the derivative of each element.",
        )
    transform = _transform(facts)
    called = rewrite.called_name(transform) or "jax.grad"
    name = "value_and_grad" if "value_and_grad" in called else "grad"
    result = "`(loss, aux), gradient`" if name != "grad" else "`gradient, aux`"
    return Raised(
        function="grad",
        path="out",
        summary=f"`{name}` needs a scalar, but the function returns several values.",
        advice="Return one scalar: an entry of what it returns now."
        if facts.says("Output was {")
        else f"Write `{called}(..., has_aux=True)`, which differentiates the first and returns {result}.",
    )


def _transform(facts: Facts) -> ast.Call | None:
    """The call that made the function which raised: `jax.grad(loss, argnums=1)`; None where it is a decorator."""
    made: ast.expr | None = making(facts.spot)
    made = made.args[0] if isinstance(made, ast.Call) and rewrite.called_name(made).endswith("jit") else made
    return made if isinstance(made, ast.Call) and "grad" in rewrite.called_name(made) else None


def _backwards(facts: Facts) -> Raised:
    loops = list(calls_of(facts, "fori_loop", "while_loop"))
    call, at = loops[0] if len(loops) == 1 else (None, "")
    is_counted = rewrite.called_name(call).endswith("fori_loop")
    bounds = [node for node in call.args[:2] if not isinstance(node, ast.Constant)] if call and is_counted else []
    path, where = ast.unparse(bounds[-1]) if bounds else "", f" at {at}" if at else ""
    return Raised(
        function="grad",
        path=path,
        origin=at,
        summary=f"`grad` cannot go backwards through the loop{where}: its number of steps is not static.",
        detail=f"A bound of it, `{path}`, is traced." if path else "",
        advice=f"{f'Make `{path}` a static number; or write' if path else 'Write'} `jax.lax.scan` with a fixed length, "
        "or take `jax.jacfwd`, which goes forwards.",
    )


def _no_float(facts: Facts) -> Raised:
    dtype = dtype_given(facts.message)
    whole = list(_integers(facts))
    path = whole[0] if whole else ""
    name = f"`{path}`" if path else "an input"
    is_part = any(mark in path for mark in ".[")
    transform = _transform(facts)
    is_chosen = transform is not None and argument(facts.spot, "argnums", 1, transform) is not None
    advice = (
        f"Leave `{root_of(path)}` out of `argnums`: choose the arguments that hold floats alone."
        if is_chosen
        else f"Take {name} out of what is differentiated; or use `equinox.filter_grad`, which takes the floats alone."
        if is_part
        else "Pass floats: `1.0` in place of `1`, or `.astype(float)`; or choose another argument with `argnums`."
    )
    return Raised(
        function="grad",
        path=path,
        also=tuple(whole[1:]),
        summary=f"`grad` differentiates by {name}, which is {dtype}: only floats have a gradient.",
        advice=advice,
    )


def _integers(facts: Facts) -> Iterator[str]:
    """The leaves that are whole numbers, of the first that has any of the arguments that `argnums` names."""
    transform = _transform(facts)
    argnums = argument(facts.spot, "argnums", 1, transform) if transform is not None else None
    chosen = argnums.value if argnums is not None else 0
    chosen = chosen if type(chosen) is tuple else (chosen,)
    passed = list(arguments(facts.spot))
    given = [each for each in passed if each.position in chosen] or passed
    for each in given:
        found = [
            f"{each.path}{path}"
            for path, part in (parts_of(each.value) if each.value is not MISSING else ())
            if type(part) in (int, bool) or aval_of(part).startswith(("i", "u", "bool"))
        ]
        if found:
            yield from found
            return
    if given:
        yield given[0].path
