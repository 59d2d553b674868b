"""The inputs of a program in its HLO, renamed to user-level paths.

In: optimised HLO, and the paths of the inputs that it kept.  Out: the same text with `model['w']` in place of the name
that a wrapper gave the input (`traced[0]`, `dynamic_nodonate['first'][0]`).
Must never: change anything but names, or give two instructions one name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ENTRY = "\nENTRY "
# "  %traced_0_.1 = f32[3]{0} parameter(0), metadata={op_name="traced[0]"}"
_PARAMETER = re.compile(r'  (?:ROOT )?%([\w.-]+) = .* parameter\((\d+)\).*?\bop_name="((?:[^"\\]|\\.)*)"')
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_REFERENCE = re.compile(r"%([\w.-]+)")  # in the lines of a program; its header names the inputs without the sign
_NUMBER = re.compile(r"(\.\d+)?$")  # XLA appends it to tell equal names apart


def name_inputs(text: str, paths: Sequence[str], n_constants: int) -> str:
    """Rename the parameters after the first `n_constants`, which are constants of the program, to `paths`."""
    start = text.find(_ENTRY)
    lines = text[start:].split("\n") if start >= 0 else []
    names: dict[str, str] = {}
    for at, line in enumerate(lines):
        found = _PARAMETER.match(line) if " parameter(" in line else None
        place = int(found[2]) - n_constants if found is not None else -1
        if found is None or not 0 <= place < len(paths) or found[3] == (quoted := _quote(paths[place])):
            continue
        lines[at] = line[: found.start(3)] + quoted + line[found.end(3) :]
        # XLA makes a name from JAX's name of an input in the same way.
        plain = re.sub(r"[^\w.-]", "_", paths[place], flags=re.ASCII)
        names[found[1]] = plain + _NUMBER.findall(found[1])[0]
    if not names:
        return text
    taken = {found[1] for found in _REFERENCE.finditer(text, start)}
    if len(set(names.values())) < len(names) or not taken.isdisjoint(names.values()):
        return text[:start] + "\n".join(lines)
    lines[1] = _NAME.sub(lambda found: names.get(found[0], found[0]), lines[1])
    return text[:start] + _REFERENCE.sub(lambda found: f"%{names.get(found[1], found[1])}", "\n".join(lines))


def _quote(path: str) -> str:
    """A path with the escapes of a string in HLO."""
    return path.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
