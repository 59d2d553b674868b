"""The program texts of a compile, as they are shown.

In: a `Recording`, the number of a compile, the name of a text.  Out: texts.
"""

from ...jaxcompat.texts import hlo
from ...model import Compile, ListingName
from ...recording import Recording

_MISSING = {
    "jaxpr": "There is no jaxpr: the trace failed, or happened before the recording.",
    "stablehlo": "There is no StableHLO: this version was not lowered while jitviz watched.",
    "hlo": "There is no HLO: this version was not compiled while jitviz watched, or JAX does not show it.",
}


def compile_of(recording: Recording, compile: int) -> Compile:
    """Compile number `compile`.

    Raises:
        LookupError: there is no such compile.
    """
    if not 0 <= compile < len(recording.compiles):
        raise LookupError(f"The recording has no compile {compile}; it has {len(recording.compiles)}.")
    return recording.compiles[compile]


def check_compile(given: object, function: str) -> Compile:
    """The argument of a public function, if it is a compile.

    Raises:
        TypeError: it is something else, such as a recording; the message names `function`.
    """
    if isinstance(given, Compile):
        return given
    raise TypeError(f"{function} takes a compile, such as `rec.compiles[0]`, not {type(given).__name__}")


def shape_listing(recording: Recording, compile: int, name: ListingName) -> str:
    """The text that is shown: jaxpr and StableHLO as JAX prints them, HLO without the metadata for the links.

    Raises:
        LookupError: there is no such compile, or no such text of it; the message is a sentence for people.
    """
    compile_of(recording, compile)
    text = recording.text(compile, name)
    if text is None:
        raise LookupError(_MISSING.get(name, "There is no such program text."))
    return hlo.show(text) if name == "hlo" else text
