"""The schema and the glossary as TypeScript, and the colours as CSS: `python js/write_types.py` writes them, and with
`--check` compares.

In: the dataclasses and literals of `jitviz.views.schema`, `GLOSSARY`, and the fills of `jitviz.display.palette`.
Out: `js/src/schema.ts`, `js/src/glossary.ts` and `js/src/palette.css`.
Must never: hold a type that is not in the schema.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import json
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from jitviz import model
from jitviz.display import palette
from jitviz.views import schema
from jitviz.views.glossary import GLOSSARY

_HERE = Path(__file__).parent / "src"
_HEAD = "// Written by `python js/write_types.py` from {}. Do not edit.\n"
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
# A column of numbers is a plain array in JSON and a typed array where it came as bytes.
_COLUMNS = {int: ("Ints", "int32"), float: ("Floats", "float64")}
# What a host sends: the panel, and the answers to its questions.
_ROOTS = (
    schema.Panel,
    schema.Score,
    schema.Detail,
    schema.Links,
    schema.Difference,
    schema.ProgramFacts,
    schema.GraphView,
)
_COLUMN_TYPES = """\
/** A column: a plain array in JSON, a typed array where it came as bytes. */
export type Ints = ArrayLike<number>;
export type Floats = ArrayLike<number>;
"""
_INSIDE = """\
/** Which fields of an interface hold others, alone or in lists. */
export const INSIDE: Record<string, Record<string, string>> = {
"""
_DEFAULTS = """\
/** What a field is where a message leaves it out. */
export const DEFAULTS: Record<string, Record<string, unknown>> = {
"""


def write_schema() -> str:
    """The types that a panel and the answers of its host are made of, each after those it holds."""
    aliases = _aliases()
    kinds: dict[type[Any], None] = {}
    for root in _ROOTS:
        _collect(root, kinds)
    parts = [_HEAD.format("jitviz/views/schema.py"), _COLUMN_TYPES]
    interfaces = [_interface(kind, aliases) for kind in kinds]
    used = set(re.findall(r"\w+", "".join(interfaces)))
    parts += ["".join(f"export type {name} = {_union(each)};\n" for each, name in aliases.items() if name in used)]
    names = ("OUTCOMES", "PHASES", "WHATS", "ROW_KINDS", "ROLES", "FLAGS", "DIRECTIONS")
    lists = {name: ", ".join(map(_quote, getattr(schema, name))) for name in names}
    parts.append("".join(f"export const {name} = [{words}] as const;\n" for name, words in lists.items()))
    parts.append(f"/** What a flag is called. */\nexport const FLAG_WORDS = {_quote(schema.FLAG_WORDS)} as const;\n")
    parts += interfaces
    parts.append(_INSIDE + "".join(f"  {name}: {_quote(values)},\n" for name, values in _fields_inside(kinds)) + "};\n")
    parts.append(_DEFAULTS + "".join(f"  {name}: {_quote(values)},\n" for name, values in _defaults(kinds)) + "};\n")
    columns = "".join(f"  {field}: {_quote(encoding)},\n" for field, encoding in _columns(schema.Timeline))
    doc = "/** How the columns of a timeline are laid out in bytes. */"
    parts.append(f"{doc}\nexport const TIMELINE_COLUMNS = {{\n{columns}}} as const;\n")
    return "\n".join(parts)


def write_glossary() -> str:
    """What the panel explains a word with. Other words for the same are for those who ask by writing."""
    terms = {name: {"text": term.text, "example": term.example} for name, term in GLOSSARY.items()}
    lines = "".join(f"  {_quote(name)}: {_quote(term)},\n" for name, term in terms.items())
    return _HEAD.format("jitviz/views/glossary.txt") + f"\nexport const GLOSSARY = {{\n{lines}}} as const;\n"


def write_palette() -> str:
    """The fill of each kind of work, with its pattern. Where colours are forced, other variables change all of it."""
    on_dark = {"python": f"light-dark({palette.FILLS['python']}, {palette.PYTHON_ON_DARK})"}
    variables = {"tone": palette.TONE} | palette.FILLS | on_dark
    text = "/* Written by `python js/write_types.py` from jitviz/display/palette.py. Do not edit. */\n.jitviz {\n"
    text += "".join(f"  --jitviz-{name}: {value};\n" for name, value in variables.items()) + "}\n"
    for what in palette.FILLS:
        pattern = palette.PATTERNS.get(what, "")
        for colour, name in ((palette.TONE, "tone"), (palette.OWN, "faint")):
            pattern = pattern.replace(colour, f"var(--jitviz-{name})")
        pattern += f" 0 0 / {palette.size(what)}" if pattern else ""
        background = ", ".join(filter(None, (pattern, f"var(--jitviz-{what})")))
        fill = f"var(--jitviz-{what})" if what != "jitviz" else "var(--jitviz-ground, light-dark(#fff, #17191c))"
        dark = "var(--jitviz-text)" if what in ("python", "jitviz") else "#000"
        ink = "#fff" if what in palette.ON_LIGHT_INK else dark
        rules = {"--jitviz-fill": fill, "background": background, "color": ink}
        text += f"\n.jitviz .jitviz-what-{what} {{\n"
        text += "".join(f"  {name}: {value};\n" for name, value in rules.items()) + "}\n"
    return text


def main(arguments: list[str]) -> int:
    """Write all files, or with `--check` return 1 where one of them differs, and say in what."""
    is_same = True
    written = {"schema.ts": write_schema(), "glossary.ts": write_glossary(), "palette.css": write_palette()}
    for name, text in written.items():
        path = _HERE / name
        if arguments == ["--check"]:
            old = path.read_text(encoding="utf-8") if path.exists() else ""
            is_same &= old == text
            names = (f"{path.name} as it is", f"{path.name} as the schema has it")
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), *names))
        else:
            path.write_text(text, encoding="utf-8")
    return 0 if is_same else 1


def _aliases() -> dict[Any, str]:
    """The named literals of both modules."""
    both = vars(model) | vars(schema)
    return {value: name for name, value in both.items() if typing.get_origin(value) is Literal}


def _collect(kind: type[Any], kinds: dict[type[Any], None]) -> None:
    for hint in typing.get_type_hints(kind).values():
        for inner in _inside(hint):
            if inner not in kinds:
                _collect(inner, kinds)
    kinds[kind] = None


def _inside(hint: Any) -> Iterator[type[Any]]:
    if dataclasses.is_dataclass(hint):
        yield typing.cast("type[Any]", hint)
    for part in typing.get_args(hint):
        yield from _inside(part)


def _interface(kind: type[Any], aliases: dict[Any, str]) -> str:
    doc = "\n * ".join(line.strip() for line in (kind.__doc__ or "").strip().splitlines()).replace(" * \n", " *\n")
    comments = _comments(kind)
    fields = "".join(
        f"  {name}: {_type(hint, aliases)}; // {comments[name]}\n" for name, hint in typing.get_type_hints(kind).items()
    )
    return f"/** {doc} */\nexport interface {kind.__name__} {{\n{fields}}}\n"


def _comments(kind: type[Any]) -> dict[str, str]:
    """What each field holds, as the comment behind it or above it says.

    Raises:
        TypeError: a field has no comment.
    """
    comments: dict[str, str] = {}
    above: list[str] = []
    classes = [base for base in reversed(kind.__mro__) if dataclasses.is_dataclass(base)]
    for line in chain.from_iterable(inspect.getsource(base).splitlines() for base in classes):
        code, _, comment = line.partition("# ")
        above += [comment] if comment else []
        if code.strip():
            comments[code.strip().partition(":")[0]] = " ".join(above)
            above = []
    for field in dataclasses.fields(kind):
        if not comments[field.name]:
            raise TypeError(f"say in a comment what {kind.__name__}.{field.name} holds")
    return comments


def _fields_inside(kinds: Iterable[type[Any]]) -> Iterator[tuple[str, dict[str, str]]]:
    for kind in kinds:
        hints = typing.get_type_hints(kind).items()
        inside = {name: inner.__name__ for name, hint in hints for inner in _inside(hint)}
        if inside:
            yield kind.__name__, inside


def _defaults(kinds: Iterable[type[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in kinds:
        fields = dataclasses.fields(kind)
        defaults = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
        if defaults:
            yield kind.__name__, defaults


def _columns(kind: type[Any]) -> Iterator[tuple[str, str]]:
    for name, hint in typing.get_type_hints(kind).items():
        if (of := typing.get_args(hint)[:1]) and of[0] in _COLUMNS:
            yield name, _COLUMNS[of[0]][1]


def _type(hint: Any, aliases: dict[Any, str]) -> str:
    """The TypeScript of one type hint.

    Raises:
        TypeError: the schema has a type that JSON has not.
    """
    if hint in aliases:
        return aliases[hint]
    if hint in _PLAIN:
        return _PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        return typing.cast("type[Any]", hint).__name__
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return _union(hint)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(_type(part, aliases) for part in inner)
    if origin is tuple and inner[1:] == (...,):
        return _COLUMNS[inner[0]][0] if inner[0] in _COLUMNS else f"ReadonlyArray<{_type(inner[0], aliases)}>"
    raise TypeError(f"no TypeScript for {hint} is known: use plain values, tuples, literals and dataclasses of them")


def _union(literal: Any) -> str:
    return " | ".join(map(_quote, typing.get_args(literal)))


def _quote(value: str | dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
