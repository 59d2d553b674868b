"""A string, an object or a function among the traced arguments or the outputs; `self` of a jitted method.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods
"""

from ...jaxcompat.texts.error_messages import no_array, no_output
from ...model import root_of
from ...model.raised import Raised
from .. import rewrite
from ..calls import call_at
from ..facts import Facts

EXAMPLE = """
@jax.jit
def step(batch):
    return batch['x'] * 2

step({'x': jnp.ones(3), 'split': 'train'})
"""
INSTEAD = """
@jax.jit
def step(batch):
    return batch['x'] * 2

step({'x': jnp.ones(3)})
"""


def explain(facts: Facts) -> Raised | None:
    given = no_array(facts.message)
    if given is not None:
        return _argument(facts, *given)
    returned = no_output(facts.message)
    if returned is not None:
        return _output(*returned)
    return None


def _argument(facts: Facts, path: str, kind: str) -> Raised:
    name, root = kind.rpartition(".")[2], root_of(path)
    called = rewrite.called_name(call_at(facts.spot)) or "the function"
    if path == "self":
        static = "`@functools.partial(jax.jit, static_argnums=0)`"
        return Raised(
            function=called,
            path=path,
            summary=f"`jax.jit` traces `self`, but `{name}` is no array and no pytree.",
            detail="Static, its arrays become constants of the program, and later changes of them are not seen.",
            advice=f"Write {static}, or make `{name}` a pytree, such as an `equinox.Module`.",
        )
    a = "an" if name[:1].lower() in "aeiou" else "a"
    if path != root:
        advice = f"Take it out of `{root}`, and pass it as an argument of its own with `static_argnames`."
    else:
        advice = f"Make it static: `static_argnames=({path!r},)`; it must have a hash."
    return Raised(
        function=called,
        path=path,
        summary=f"`{path}` is {a} `{name}`, and `{called}` traces it: only arrays and numbers can be traced.",
        detail="",
        advice=advice,
    )


def _output(function: str, component: str, kind: str) -> Raised:
    name = kind.rpartition(".")[2]
    short = function.rpartition("<locals>.")[2]
    path = component if component.startswith("[") else ""
    a = "an" if name[:1].lower() in "aeiou" else "a"
    at = f" at `{path}`" if path else ""
    return Raised(
        function=short,
        path=f"out{path}",
        summary=f"`{short}` returns {a} `{name}`{at}; a jitted function can return arrays only.",
        advice="Return the arrays alone, and add the rest outside the jitted function.",
    )
