"""Lines of code that compile versions ahead of time.

In: a compile of a recording.  Out: a line that calls functions of the file that `warmup` writes.
Must never: write a value that is not known exactly, or need jax.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from ..findings.mends.leaves import KEYS
from ..model import Compile, Description, Leaf, Node, Token
from ..model.cachekey import SINGLE_DEVICE

_MESH = re.compile(r"P\((?P<spec>.*)\) on mesh\((?P<axes>.*)\) of (?P<devices>[^ ]+( \(\d+\)|(, [^ ,]+)*))")
_AXIS = re.compile(r"(\w+)=(\d+) (auto|explicit|manual)")
_RANGE = re.compile(r"(\w+):(\d+)…\w+:(\d+) \(\d+\)")
_ROOT = re.compile(r"[.\[]")
_PLAIN = ("int", "float", "complex", "bool", "str", "bytes", "NoneType", "ellipsis", "range")
_NUMPY_SCALAR = re.compile(r"np\.((u?int|float|complex)\d+\([-+.\dej()]+|bool\((True|False))\)")
_FORMS = {
    "tuple": "({}{comma})",
    "list": "[{}]",
    "dict": "{{{}}}",
    "set": "set([{}])",
    "frozenset": "frozenset([{}])",
    "slice": "slice({})",
}


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

    def line(self) -> str:
        """Write the line.

        Raises:
            UnwritableError: no code can be written for this version.
        """
        info, signature = self._row.function_info, self._row.signature
        if self._row.transform:
            raise UnwritableError(
                f"JAX made this {self._row.transform} program from outside the function; call that once instead"
            )
        if "<" in info.qualname or not info.module or (info.body and info.body.type != "function"):
            raise UnwritableError("another file could not find the function by its name")
        if not info.is_held:
            what_to_do = "" if info.wrapper.is_loop else ": give the jitted function a name there"
            raise UnwritableError(f"no jitted function in {info.module} wraps it{what_to_do}")
        if signature.is_partial:
            raise UnwritableError(signature.note)
        is_transformed = not info.lineage.endswith("|")
        return f"({info.module!r}, {info.qualname!r}, {is_transformed}, lambda jitted: {self._lowered()}),"

    def _lowered(self) -> str:
        """Write the call of `lower`: as it was called where that is in the key, else each argument by name."""
        forms = self._row.signature.form
        if forms:
            given = (f"{path}={self._value(path)}" if form == "keyword" else self._value(path) for path, form in forms)
            return f"jitted.lower({', '.join(given)})"
        known = {**self._leaves, **self._nodes}
        named = (f"{path!r}: {self._value(path)}" for path in known if not _ROOT.search(path))
        items = (re.fullmatch(r"(\w+)\[(\d+)\]", path) for path in known)
        starred = {int(item[2]): self._value(item[0]) for item in items if item is not None and item[1] not in known}
        several = ", ".join(starred[place] for place in sorted(starred))
        return f"_lower(jitted, {{{', '.join(named)}}}, [{several}])"

    def _value(self, path: str) -> str:
        if path in self._leaves:
            leaf = self._leaves[path]
            return self._array(leaf) if leaf.role == "traced" else self._static(leaf.static, path)
        if path in self._nodes:
            return self._container(self._nodes[path])
        raise UnwritableError(f"`{path}` is an unknown kind of argument")

    def _container(self, node: Node) -> str:
        if node.type == "NoneType":
            return "None"
        parts = [(key, self._value(node.path + key)) for key in node.keys]
        if node.type in _FORMS:
            return _of_python(node.type, parts)
        if node.path in self._metadata:  # the whole object is part of the treedef
            return self._static(self._metadata[node.path], node.path)
        held = self._held.get(node.path, {})
        parts += [(step, self._static(held[step], node.path + step)) for step in held if step not in node.keys]
        return _made(node.path, node.type, parts)

    def _array(self, leaf: Leaf) -> str:
        is_abstract = self._row.function_info.wrapper.takes_shapes  # the others need an array
        dtype = leaf.dtype or ""
        if ("<" in dtype and dtype not in KEYS) or leaf.variable:
            raise UnwritableError(f"`{leaf.path}` is a {leaf.variable or dtype}")
        details = ", True" if leaf.weak_type else ""
        if leaf.committed:
            details += f", placed={_sharding(leaf)}"
        if not is_abstract and leaf.weak_type and leaf.shape:
            raise UnwritableError(f"`{leaf.path}` is a weakly typed array with axes")
        return f"{'_shape' if is_abstract else '_zeros'}({leaf.shape}, {dtype!r}{details})"

    def _static(self, value: Description | None, path: str) -> str:
        """Write a static value by its parts where that makes an equal one, else by its name."""
        if value is None or value.equality == "never":
            raise UnwritableError(f"`{path}` equals no other value")
        if value.type.endswith(".Device") and SINGLE_DEVICE.fullmatch(value.text):
            return f"_device({value.text!r})"
        if value.equality == "value" and not value.is_cut and value.same_as is None:
            with suppress(UnwritableError):
                return self._from_parts(value, path)
        if value.name in self._shared_names:
            raise UnwritableError(f"`{path}` (static) is {value.name}, a name that another value had as well")
        if value.name:
            module, _, name = value.name.partition(":")
            return f"_named({module!r}, {name!r})"
        what = "too large to be recorded whole" if value.is_cut else "which another file could not find by name"
        raise UnwritableError(f"`{path}` (static) is {value.text}, {what}")

    def _from_parts(self, value: Description, path: str) -> str:
        parts = [(label, self._static(part, f"{path}{label}")) for label, part in value.fields]
        if value.type in _FORMS:
            return _of_python(value.type, parts)
        return _made(path, value.type, parts) if parts else _plain(value, path)


def _sharding(leaf: Leaf) -> str:
    """Write the sharding of a leaf, from its text."""
    text = leaf.sharding or ""
    if SINGLE_DEVICE.fullmatch(text):
        return f"jax.sharding.SingleDeviceSharding(_device({text!r}))"
    found = _MESH.fullmatch(text)
    axes = found and [_AXIS.fullmatch(axis) for axis in found["axes"].split(", ")]
    if found is None or axes is None or None in axes:
        raise UnwritableError(f"`{leaf.path}` is sharded: {text}")
    several = _RANGE.fullmatch(found["devices"])
    devices = found["devices"].split(", ")
    if several is not None:
        devices = [f"{several[1]}:{place}" for place in range(int(several[2]), int(several[3]) + 1)]
    sizes = [(axis[1], int(axis[2]), axis[3].title()) for axis in axes if axis is not None]
    return f"_sharding({devices}, {sizes}, {found['spec']})"


def _plain(value: Description, path: str) -> str:
    """Write a value without parts, from its text."""
    if value.type in ("float", "complex"):
        return f"{value.type}({value.text!r})"
    if value.type in _PLAIN or _NUMPY_SCALAR.fullmatch(value.text):
        return value.text
    if value.is_dtype:
        return f"np.dtype({value.text!r})"
    raise UnwritableError(f"`{path}` (static) is a {value.type}, and only its text is known: {value.text}")


def _of_python(kind: str, parts: Sequence[tuple[str, str]]) -> str:
    """Write a built-in container."""
    texts = [f"{_key(label)}: {part}" if kind == "dict" else part for label, part in parts]
    return _FORMS[kind].format(", ".join(texts), comma="," if len(texts) == 1 else "")


def _key(label: str) -> str:
    """Write the key of a dict, from a step of a path."""
    try:
        if "…" not in label:
            return repr(ast.literal_eval(label[1:-1]))
    except (SyntaxError, ValueError):
        pass
    raise UnwritableError(f"the key {label} of a dict is not known as a value")


def _made(path: str, kind: str, parts: Sequence[tuple[str, str]]) -> str:
    """Write an instance of a class, from its attributes."""
    if "." not in kind or "<" in kind or not all(label[0] == "." and label[1:].isidentifier() for label, _ in parts):
        raise UnwritableError(f"`{path}` is a {kind}, which cannot be made from its parts")
    return f"_make({kind!r}{''.join(f', {label[1:]}={part}' for label, part in parts)})"
