"""Assertions of jaxtyping, beartype and Chex on the shapes and values of traced arrays.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Sources: https://docs.kidger.site/jaxtyping/, https://chex.readthedocs.io/en/latest/api.html
"""

import re

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import traced_function
from ...model import listed
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import call_at, calls_of
from ..facts import Facts
from ..syntax import needed, operands

_PARAMETER = re.compile(r"typechecking parameter '(\w+)'")
_ACTUAL = re.compile(r"Actual value: (.+)")
_EXPECTED = re.compile(r"Expected type: (?:<class ')?(.+?)(?:'>)?\.?$", re.MULTILINE)
_OF = re.compile(r"(?:parameters|return value) of (\S+?)\.?$", re.MULTILINE)
_CHEX = re.compile(r"\[Chex\] Assertion (\w+) failed: ([\s\S]+)")
_BEARTYPE = re.compile(r"(?:Function|Method) (\S+?)\(\) parameter (\w+)=")


def explain(facts: Facts) -> Raised | None:
    if facts.module == "jaxtyping" or facts.is_a("TypeCheckError"):
        return _jaxtyping(facts)
    if facts.says("Value assertions can only be called from functions wrapped"):
        return Raised(
            summary="A Chex assertion on values runs in a traced function, where values are not known.",
            advice="Wrap the jitted function in `chex.chexify`, or assert outside of it.",
        )
    if facts.says("which was not functionalized"):
        return _checkify(facts)
    chex = _CHEX.search(facts.message)
    if chex is not None:
        return _chex(facts, chex[1], chex[2])
    beartype = _BEARTYPE.search(facts.message) if facts.module == "beartype" else None
    if beartype is not None:
        return Raised(
            function=beartype[1].rpartition(".")[2],
            path=beartype[2],
            summary=f"`{beartype[2]}` has another type than its annotation says.",
            advice="Pass what the annotation says, or change the annotation.",
        )
    return None


def _jaxtyping(facts: Facts) -> Raised | None:
    parameter, actual = _PARAMETER.search(facts.message), _ACTUAL.search(facts.message)
    expected, of = _EXPECTED.search(facts.message), _OF.search(facts.message)
    function = of[1].rpartition(".")[2] if of else ""
    path = parameter[1] if parameter else "out"
    if actual is None:
        return None
    wanted = expected[1].replace("jaxlib._jax.", "") if expected else ""
    return Raised(
        function=function,
        path=path,
        summary=f"`{path}` of `{function}` is {actual[1].strip()}, but its annotation wants `{wanted}`.",
        detail="Sizes of the same name must be equal in all arguments.",
        advice=f"Pass another `{path}`, or give its axis a name of its own in the annotation.",
    )


def _chex(facts: Facts, assertion: str, said: str) -> Raised:
    call, spot = call_at(facts.spot), facts.spot
    given = [
        (f"{text}{path}", type_)
        for text, value in (operands(needed(call), spot.frame) if spot is not None else ())
        for path, part in parts_of(value)
        if (type_ := aval_of(part))
    ]
    odd = next((each for each in given if _shape(each[1]) != _shape(given[0][1])), given[0] if given else ("", ""))
    told = listed([f"`{text}` is {type_}" for text, type_ in dict.fromkeys((*given[:1], odd)) if text])
    return Raised(
        function=facts.users[-1].frame.f_code.co_name if facts.users else "",
        path=odd[0],
        summary=f"`chex.{assertion}` failed{f': {told}' if told else ''}.",
        detail=said.strip().partition("\n")[0],
        advice=f"Pass {f'a `{odd[0]}`' if odd[0] else 'arrays'} for which it holds, or change what is asserted.",
    )


def _shape(type_: str) -> str:
    return type_.partition("[")[2]


def _checkify(facts: Facts) -> Raised:
    """A check of `checkify` in a function that nobody wrapped."""
    checks, function = list(calls_of(facts, "check")), traced_function(facts.message)
    at = checks[0][1] if len(checks) == 1 else ""
    name = function.rpartition("<locals>.")[2] or rewrite.called_name(call_at(facts.spot)) or "step"
    return Raised(
        function=name,
        origin=at,
        summary=f"`checkify.check`{f' at {at}' if at else ''} needs `checkify.checkify` around the jitted function.",
        advice=f"Call `error, out = checkify.checkify({name})(...)`, and then `error.throw()`, which raises.",
    )
