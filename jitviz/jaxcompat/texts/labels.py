"""Names inside program texts, replaced: those of files by labels, those of inputs by user-level paths.

In: StableHLO with locations, or optimised HLO; a function from paths of files to labels, or the paths of the inputs
that a program kept.  Out: the same text with a label ("train.py", "In [3]") in place of each file, and `model['w']` in
place of the name that a wrapper gave an input (`traced[0]`, `dynamic_nodonate['first'][0]`).
Must never: leave the path of a file in, change anything but names, or give two instructions one name.

MLIR escapes a special byte of a name as two hexadecimal digits, XLA as three octal ones. Labels escape only quotes and
backslashes.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

QUOTED = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_LOCATION = re.compile(QUOTED + r"(?=:\d+:\d)")  # "train.py":12:4 to :10
_INLINE = re.compile(r"(?<=\bsource_file=)" + QUOTED)  # source_file="train.py" source_line=12
_ROW = re.compile(r"(?m)^(\d+ )(" + QUOTED + ")$")  # 1 "train.py"
_HEXADECIMAL, _OCTAL = re.compile(rb"\\(?:([0-9A-Fa-f]{2})|(.))"), re.compile(rb"\\(?:([0-7]{3})|(.))")
_TABLE, _TABLE_END = "\nFileNames\n", "\n\n"

_ENTRY = "\nENTRY "
# "  %traced_0_.1 = f32[3]{0} parameter(0), metadata={op_name="traced[0]"}"
_PARAMETER = re.compile(r"  (?:ROOT )?%([\w.-]+) = .* parameter\((\d+)\).*?\bop_name=(" + QUOTED + ")")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_REFERENCE = re.compile(r"%([\w.-]+)")  # in the lines of a program; its header names the inputs without the sign
_NUMBER = re.compile(r"(\.\d+)?$")  # XLA appends it to tell equal names apart


def label_stablehlo(text: str, label: Callable[[str], str]) -> str:
    """StableHLO from `get_asm(enable_debug_info=True)`, with labels for files."""
    return _LOCATION.sub(lambda file: _quote(label(unescaped_mlir(file[0]))), text)


def label_hlo(text: str, label: Callable[[str], str]) -> str:
    """Optimised HLO with labels for files: in the table at its head, or up to jax 0.7 in every instruction."""

    def labelled(quoted: str) -> str:
        return _quote(label(_unescaped(quoted, _OCTAL, 8)))

    if "source_file=" in text:
        text = _INLINE.sub(lambda file: labelled(file[0]), text)
    first = text.find(_TABLE) + len(_TABLE)
    last = text.find(_TABLE_END, first)
    if first < len(_TABLE) or last < 0:
        return text
    rows = _ROW.sub(lambda row: row[1] + labelled(row[2]), text[first:last])
    return "".join((text[:first], rows, text[last:]))


def unescaped_mlir(quoted: str) -> str:
    """A string of MLIR, without its quotation marks and escapes."""
    return _unescaped(quoted, _HEXADECIMAL, 16)


@lru_cache(maxsize=4096)
def _unescaped(quoted: str, escape: re.Pattern[bytes], base: int) -> str:
    plain = escape.sub(lambda char: bytes([int(char[1], base)]) if char[1] else char[2], quoted[1:-1].encode())
    return plain.decode(errors="replace")


def _quote(label: str) -> str:
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


def name_inputs(text: str, paths: Sequence[str], n_constants: int) -> str:
    """Rename the parameters after the first `n_constants`, which are constants of the program, to `paths`."""
    start = text.find(_ENTRY)
    lines = text[start:].split("\n") if start >= 0 else []
    names: dict[str, str] = {}
    for at, line in enumerate(lines):
        parameter = _PARAMETER.match(line) if " parameter(" in line else None
        place = int(parameter[2]) - n_constants if parameter is not None else -1
        if parameter is None or not 0 <= place < len(paths):
            continue
        quoted = _quote(paths[place]).replace("'", r"\'")
        if parameter[3] != quoted:
            lines[at] = line[: parameter.start(3)] + quoted + line[parameter.end(3) :]
            # XLA makes a name from JAX's name of an input in the same way.
            plain = re.sub(r"[^\w.-]", "_", paths[place], flags=re.ASCII)
            names[parameter[1]] = plain + _NUMBER.findall(parameter[1])[0]
    if not names:
        return text
    taken = {match[1] for match in _REFERENCE.finditer(text, start)}
    if len(set(names.values())) < len(names) or not taken.isdisjoint(names.values()):
        return text[:start] + "\n".join(lines)
    lines[1] = _NAME.sub(lambda match: names.get(match[0], match[0]), lines[1])
    return text[:start] + _REFERENCE.sub(lambda match: f"%{names.get(match[1], match[1])}", "\n".join(lines))
