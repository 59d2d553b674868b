"""StableHLO with locations, and without.

In: the text of a module as MLIR prints it with its locations.  Out: the text that it prints without them.
Must never: parse more than it has to; texts are of many megabytes.
"""

from __future__ import annotations

import re

_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_NESTED = r"[^()\"\n]++"
for _ in range(4):  # places inside places: loc(callsite("f"("f.py":1:2) at fused["x", #loc1]))
    _NESTED = rf"(?:[^()\"\n]++|{_STRING}|\({_NESTED}\))*+"

# A string is matched so that what is written in one stays.
_LOCATION = re.compile(rf"({_STRING})| loc\({_NESTED}\)")
_ALIAS = re.compile(r"(?m)^#loc\d* = .*\n")


def plain_stablehlo(text: str) -> str:
    """The same module without its locations, as `str(module)` gives it; a text that has none comes back as it is."""
    if "loc(" not in text:
        return text
    return _LOCATION.sub(r"\1", _ALIAS.sub("", text))
