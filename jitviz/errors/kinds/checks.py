"""Assertions of jaxtyping, beartype and Chex on the shapes and values of traced arrays.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Sources: https://docs.kidger.site/jaxtyping/, https://chex.readthedocs.io/en/latest/api.html
"""

import re

from ...jaxcompat.origins import aval_of
from ...model.raised import Raised
from ..calls import arguments
from ..facts import Facts

EXAMPLE = ""
INSTEAD = ""

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
    given = next((each for each in arguments(facts.spot) if aval_of(each.value)), None)
    path = given.text if given is not None else ""
    type_ = aval_of(given.value) if given is not None else ""
    return Raised(
        function=facts.users[-1].frame.f_code.co_name if facts.users else "",
        path=path,
        summary=f"`chex.{assertion}` failed: `{path}` is {type_}." if path else f"`chex.{assertion}` failed.",
        detail=said.strip().partition("\n")[0],
        advice="Pass an array of that shape and dtype, or change what is asserted.",
    )
