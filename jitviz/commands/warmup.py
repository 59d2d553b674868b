"""`jitviz warmup`: write code that compiles ahead of time what a recorded run compiled.

In: a recording, and the template `warmup.py.txt`.  Out: a Python file with one line for each version, or a comment that
says why there is none.
Must never: write a value that is not known exactly, write text of the recording but as a literal, or need jax.
"""

import argparse
import ast
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NewType

from ..findings.fixes.one_form import KEYS
from ..model import Compile, Description, Leaf, Node, Token, has_compiled, is_ahead, split_source
from ..model.cachekey import SINGLE_DEVICE
from ..recording import Recording, load, whole_file
from .parsers import Commands, check_outputs


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "warmup",
        help="write code that compiles ahead of time what a run compiled",
        description="Write a Python file whose warm_up() compiles ahead of time what a recorded run compiled. A "
        "comment marks what cannot be written.",
        epilog="example: jitviz warmup run.jsonl -o warmup.py",
    )
    parser.set_defaults(main=_main)
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording")
    parser.add_argument("-o", dest="output", type=Path, required=True, metavar="P", help="where to write the code")


def _main(options: argparse.Namespace) -> int:
    check_outputs([options.output], [options.file])
    code, n_written, n_all = write_warm_up(load(options.file), options.file.name)
    with whole_file(options.output) as place:
        place.write_text(code, encoding="utf-8")
    print(f"{options.output} compiles {n_written} of {n_all} versions ahead of time")
    return 0


def write_warm_up(recording: Recording, name: str) -> tuple[str, int, int]:
    """Return the code, the number of versions it compiles, and the number of all versions."""
    rows = [row for row in recording.compiles if has_compiled(row) and not is_ahead(row)]
    lines, n_written, shared = [], 0, shared_names(rows)
    for row in rows:
        lines.append(comment(f"{row.function}, version {row.version}: {row.duration_s:.2g} s at {row.source}"))
        try:
            lines.append(LineWriter(row, shared).line())
            n_written += 1
        except UnwritableError as error:
            lines.append(comment(f"cannot be written: {error}"))
    infos = (row.function_info for row in rows)
    homes = (split_source(info.defined_at)[0] for info in infos if info.module == "__main__")
    template = files(__package__).joinpath("warmup.py.txt").read_text(encoding="utf-8")
    code = Template(template).substitute(
        recording=comment(f"The run is {name}."),
        script=literal(Path(next(homes, "")).stem),
        keys=literal(KEYS),
        versions="\n".join(f"    {line}" for line in lines or [comment("nothing was compiled")]),
    )
    return code, n_written, len(rows)


# Code that is written: only `literal`, `_call` and the forms below make it, so that recorded text is never run.
Code = NewType("Code", str)

_ROOT = re.compile(r"[.\[]")
_PLAIN = ("int", "bool", "str", "bytes", "NoneType", "ellipsis")
_CALL = re.compile(r"(range|np\.(?:bool|(?:u?int|float|complex)\d+))\((.*)\)")
_FORMS = {
    "tuple": "({}{comma})",
    "list": "[{}]",
    "dict": "",
    "set": "set([{}])",
    "frozenset": "frozenset([{}])",
    "slice": "slice({})",
}


def literal(value: object) -> Code:
    """Write a plain value: text, a number, a tuple of them."""
    return Code(repr(value))


def comment(text: str) -> str:
    """Write a text as a comment, which is one line whatever it says."""
    return "# " + "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def is_name(text: str) -> bool:
    """Whether a text is the name of something in a module: "Net.step"."""
    return all(part.isidentifier() for part in text.split("."))


class UnwritableError(Exception):
    """A version that no code can be written for; the message says why."""


def shared_names(rows: Iterable[Compile]) -> set[str]:
    """Find the names that several static values had, one after another."""
    tokens: dict[str, set[Token | None]] = {}
    queue = [leaf.static for row in rows for leaf in row.signature.static if leaf.static is not None]
    while queue:
        value = queue.pop()
        tokens.setdefault(value.name, set()).add(value.token)
        queue.extend(part for _, part in value.fields)
    return {name for name, known in tokens.items() if name and len(known) > 1}


class LineWriter:
    """Writes the code for one version; `shared_names` are ambiguous, since several static values had them."""

    def __init__(self, row: Compile, shared_names: Collection[str]) -> None:
        self._row, self._shared_names = row, shared_names
        self._leaves = {leaf.path: leaf for leaf in row.signature.leaves if not leaf.is_metadata}
        self._metadata = {leaf.path: leaf.static for leaf in row.signature.leaves if leaf.is_metadata}
        self._held: dict[str, dict[str, Description | None]] = {}
        for path, value in self._metadata.items():
            parent, _, name = path.rpartition(".")
            self._held.setdefault(parent, {})[f".{name}"] = value
        self._nodes = {node.path: node for node in row.signature.nodes}

    def line(self) -> Code:
        """Write the line, or raise an `UnwritableError`."""
        info, signature = self._row.function_info, self._row.signature
        if self._row.transform:
            raise UnwritableError(
                f"JAX made this {self._row.transform} program from outside the function; call that once instead"
            )
        if not is_name(f"{info.module}.{info.qualname}") or (info.body and info.body.type != "function"):
            raise UnwritableError("another file could not find the function by its name")
        if not info.is_held:
            what_to_do = "" if info.wrapper.is_loop else ": give the jitted function a name there"
            raise UnwritableError(f"no jitted function in {info.module} wraps it{what_to_do}")
        if signature.is_partial:
            raise UnwritableError(signature.note)
        which = map(literal, (info.module, info.qualname, not info.lineage.endswith("|")))
        try:
            line = Code(f"({', '.join(which)}, lambda jitted: {self._lowered()}),")
            compile(f"[{line}]", "", "eval")
        except (MemoryError, RecursionError, SyntaxError):
            raise UnwritableError("its arguments are nested too deeply") from None
        return line

    def _lowered(self) -> Code:
        """Write the call of `lower`: as it was called where that is in the key, else each argument by name."""
        forms = self._row.signature.form
        if forms:
            first = (self._value(path) for path, form in forms if form == "positional")
            named = [(literal(path), self._value(path)) for path, form in forms if form == "keyword"]
            return _call("jitted.lower", *first, *([Code(f"**{_dict(named)}")] if named else []))
        known = {**self._leaves, **self._nodes}
        named = [(literal(path), self._value(path)) for path in known if not _ROOT.search(path)]
        items = (re.fullmatch(r"(\w+)\[(\d+)\]", path) for path in known)
        starred = {int(item[2]): self._value(item[0]) for item in items if item is not None and item[1] not in known}
        several = ", ".join(starred[place] for place in sorted(starred))
        return _call("_lower", Code("jitted"), _dict(named), Code(f"[{several}]"))

    def _value(self, path: str) -> Code:
        if path in self._leaves:
            leaf = self._leaves[path]
            return self._array(leaf) if leaf.role == "traced" else self._static(leaf.static, path)
        if path in self._nodes:
            return self._container(self._nodes[path])
        raise UnwritableError(f"`{path}` is an unknown kind of argument")

    def _container(self, node: Node) -> Code:
        if node.type == "NoneType":
            return literal(None)
        if node.path in self._metadata:  # the whole object is part of the treedef
            return self._static(self._metadata[node.path], node.path)
        parts = [(key, self._value(node.path + key)) for key in node.keys]
        if node.type not in _FORMS:
            held = self._held.get(node.path, {})
            parts += [(step, self._static(held[step], node.path + step)) for step in held if step not in node.keys]
        return _whole(node.type, parts, node.path)

    def _array(self, leaf: Leaf) -> Code:
        is_abstract = self._row.function_info.wrapper.takes_shapes  # the others need an array
        dtype = leaf.dtype or ""
        if not (dtype.isidentifier() or dtype in KEYS) or leaf.variable:
            raise UnwritableError(f"`{leaf.path}` is a {leaf.variable or dtype}")
        if not is_abstract and leaf.weak_type and leaf.shape:
            raise UnwritableError(f"`{leaf.path}` is a weakly typed array with axes")
        placed, where = [], leaf.placement
        if leaf.committed and where is None:
            raise UnwritableError(f"`{leaf.path}` is sharded: {leaf.sharding}")
        if leaf.committed and where is not None:
            placed = [_call("_sharding", literal(where.devices), literal(where.axes), literal(where.spec))]
        weak_type = [literal(leaf.weak_type)] if leaf.weak_type or placed else []
        return _call("_shape" if is_abstract else "_zeros", literal(leaf.shape), literal(dtype), *weak_type, *placed)

    def _static(self, value: Description | None, path: str) -> Code:
        """Write a static value by its parts where that makes an equal one, else by its name."""
        if value is None or value.equality == "never":
            raise UnwritableError(f"`{path}` equals no other value")
        if value.type.endswith(".Device") and SINGLE_DEVICE.fullmatch(value.text):
            return _call("_device", literal(value.text))
        if value.equality == "value" and not value.is_cut and value.same_as is None:
            with suppress(UnwritableError):
                parts = [(label, self._static(part, f"{path}{label}")) for label, part in value.fields]
                is_whole = parts or value.type in _FORMS
                return _whole(value.type, parts, path) if is_whole else _plain(value, path)
        if value.name in self._shared_names:
            raise UnwritableError(f"`{path}` (static) is {value.name}, a name that another value had as well")
        module, _, name = value.name.partition(":")
        if is_name(module) and is_name(name):
            return _call("_named", literal(module), literal(name))
        what = "too large to be recorded whole" if value.is_cut else "which another file could not find by name"
        raise UnwritableError(f"`{path}` (static) is {value.text}, {what}")


def _call(function: str, *arguments: Code) -> Code:
    return Code(f"{function}({', '.join(arguments)})")


def _plain(value: Description, path: str) -> Code:
    """Write a value without parts: the value that its text is read as, and nothing else that the text may say."""
    with suppress(MemoryError, RecursionError, SyntaxError, ValueError):
        if value.type in ("float", "complex"):
            number = float(value.text) if value.type == "float" else complex(value.text)
            return _call(value.type, literal(str(number)))
        call = _CALL.fullmatch(value.text)
        if call is not None:
            inside = ast.literal_eval(f"({call[2]},)")
            if all(isinstance(part, int | float | complex) for part in inside):
                return _call(call[1], *map(literal, inside))
        elif value.type in _PLAIN:
            plain = ... if value.type == "ellipsis" else ast.literal_eval(value.text)
            if type(plain).__name__ == value.type:
                return literal(plain)
        elif value.is_dtype and value.text.isidentifier():
            return _call("np.dtype", literal(value.text))
    raise UnwritableError(f"`{path}` (static) is a {value.type}, and only its text is known: {value.text}")


def _whole(kind: str, parts: Sequence[tuple[str, Code]], path: str) -> Code:
    """Write a built-in container, or an instance of a class from its attributes."""
    if kind == "dict":
        return _dict((_key(label), part) for label, part in parts)
    inside = [part for _, part in parts]
    if kind in _FORMS:
        return Code(_FORMS[kind].format(", ".join(inside), comma="," if len(inside) == 1 else ""))
    names = [label[1:] for label, _ in parts if label[:1] == "." and label[1:].isidentifier()]
    if "." not in kind or not is_name(kind) or len(names) < len(parts):
        raise UnwritableError(f"`{path}` is a {kind}, which cannot be made from its parts")
    return _call("_make", literal(kind), _dict(zip(map(literal, names), inside, strict=True)))


def _dict(items: Iterable[tuple[Code, Code]]) -> Code:
    return Code(f"{{{', '.join(f'{key}: {part}' for key, part in items)}}}")


def _key(label: str) -> Code:
    """Write the key of a dict, from a step of a path."""
    with suppress(MemoryError, RecursionError, SyntaxError, ValueError):
        key = ast.literal_eval(label[1:-1])
        if "…" not in label and type(key) in (str, bytes, int, float, bool, tuple, type(None)):
            return literal(key)
    raise UnwritableError(f"the key {label} of a dict is not known as a value")
