"""An array that an earlier call donated, and that is used again.

In: `Facts`, and the donations that the history knows.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/buffer_donation.html
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...capture.log.watcher import watcher
from ...jaxcompat.origins import aval_of, is_deleted
from ...jaxcompat.texts.error_messages import short_type
from ...model import root_of
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import call_at, calls_of
from ..facts import Facts
from ..syntax import operands

EXAMPLE = """
@functools.partial(jax.jit, donate_argnums=0)
def step(state, x):
    return {'w': state['w'] - x}

state = {'w': jnp.ones(3)}
new = step(state, jnp.ones(3))
print(state['w'] + 1)
"""
INSTEAD = EXAMPLE.replace("new = ", "state = ")


class _Donation(NamedTuple):
    """A leaf that the calls of one version of a function donate."""

    function: str
    path: str  # "state['w']"
    type: str  # "f32[3]"
    source: str  # the line that called: "train.py:17"


def explain(facts: Facts) -> Raised | None:
    if not facts.says("Array has been deleted", "uffer has been deleted or donated"):
        return None
    gone = list(_deleted(facts))
    path, type_ = gone[0] if gone else ("", "")
    donor = _donor(path, type_)
    if donor is not None and donor.function == "<lambda>":
        donor = donor._replace(function=_called(facts, donor.source) or donor.function)
    by = f" by `{donor.function}`" if donor else ""
    name = f"`{path}`" if path else "An array"
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    return Raised(
        function=rewrite.called_name(call_at(facts.spot)),
        path=path,
        also=tuple(each for each, _ in gone[1:]),
        origin=donor.source if donor else "",
        summary=f"{name}{more} was donated{by}, so its buffer is gone."
        if not more
        else f"{name}{more} were donated{by}: their buffers are gone.",
        detail=_detail(donor, len(list(_donations()))),
        advice=_advice(donor),
    )


def _deleted(facts: Facts) -> Iterator[tuple[str, str]]:
    """The deleted arrays that the user's lines name, each with its type; those of the innermost line that has any."""
    for spot in facts.spots:
        found = [
            (text + path, aval_of(value))
            for text, whole in operands(spot.node, spot.frame)
            for path, value in parts_of(whole)
            if is_deleted(value)
        ]
        if found:
            yield from dict.fromkeys(found)
            return


def _called(facts: Facts, source: str) -> str:
    """What the user's file calls at a line, if it is one function of a plain name."""
    names = {call.func.id for call, at in calls_of(facts) if at == source and isinstance(call.func, ast.Name)}
    return names.pop() if len(names) == 1 else ""


def _donor(path: str, type_: str) -> _Donation | None:
    """The newest call that is known to have donated such an array: of the same type, best at the same place."""
    known = [each for each in _donations() if type_ in ("", each.type)]
    tail = path[len(root_of(path)) :]
    same = [each for each in known if each.path[len(root_of(each.path)) :] == tail]
    return next(iter((same or known)[::-1]), None)


def _detail(donor: _Donation | None, n_known: int) -> str:
    if donor is None:
        return "Which call donated it is not known: jitviz was not watching." if not n_known else ""
    name = root_of(donor.path)
    return f"`{donor.function}` donates `{name}`: the call at {donor.source} took the buffer for its result."


def _advice(donor: _Donation | None) -> str:
    if donor is None:
        return "Use what the donating call returned, or do not donate."
    name = root_of(donor.path)
    return f"Go on with what `{donor.function}` returned at {donor.source}; or, to keep `{name}`, do not donate it."


def _donations() -> Iterator[_Donation]:
    """The donated leaves of everything that compiled since jitviz began to watch, oldest first."""
    for started in watcher.history.starts():
        function = watcher.functions.get(started.function)
        for leaf in started.signature.leaves if function is not None else ():
            if leaf.donated and leaf.shape is not None and function is not None:
                sizes = ",".join(map(str, leaf.shape))
                yield _Donation(function.name, leaf.path, short_type(f"{leaf.dtype}[{sizes}]"), started.source)
