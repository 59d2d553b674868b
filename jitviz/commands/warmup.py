"""`jitviz warmup`: code that compiles ahead of time what a recorded run compiled.

In: a recording.  Out: a Python file with one line for each version, or a comment that says why there is none.
Must never: write down a value that it does not know, or need jax.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ..model import Compile, Leaf, Node, wrappers
from ..model.counting import has_compiled, is_ahead
from ..recording import Recording
from .parsers import Commands, add_parser
from .refused import check_outputs, load_recording

_PLAIN = ("int", "float", "complex", "bool", "str", "bytes", "NoneType")
_ONE_DEVICE = re.compile(r"\w+:\d+")
_ROOT = re.compile(r"[.\[]")
_KEYS = ("key<fry>", "key<rbg>", "key<urbg>")
_HEAD = '''\
"""Compiles ahead of time what {recording} compiled. `jitviz warmup` wrote it.

Call `warm_up()` once your functions are defined, and before they are called.
"""

import functools
import importlib
import inspect
import sys

import jax
import numpy as np

_KEYS = {{"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}}


def warm_up():
    """Compile everything; the real calls are hits then."""
{body}

def _home(module, name, file):
    """The module that has something of this name."""
    home = sys.modules.get(module)
    if module == "__main__" and not hasattr(home, name.partition(".")[0]):
        if getattr(home, "__file__", "").endswith(f"{{file}}.py"):
            raise NameError(f"{{name}} is not defined yet. Call warm_up() below its definition.")
        return importlib.import_module(file)  # the script itself, where it is a module now
    return home or importlib.import_module(module)


def _jitted(module, name, file):
    """The jitted function of this name, or of which the function of this name is the inside."""
    home = _home(module, name, file)
    found = functools.reduce(getattr, name.split("."), home)
    if hasattr(found, "lower"):
        return found
    return next(one for one in vars(home).values() if hasattr(one, "lower") and inspect.unwrap(one) is found)


def _shape(shape, dtype, weak_type=False, device=None):
    sharding = None if device is None else jax.sharding.SingleDeviceSharding(_device(device))
    if dtype in _KEYS:
        dtype = jax.eval_shape(lambda: jax.random.key(0, impl=_KEYS[dtype])).dtype
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak_type, sharding=sharding)


def _zeros(shape, dtype, weak_type=False, device=None):
    if weak_type:
        return jax.numpy.asarray(np.zeros(shape, dtype).item())
    if dtype in _KEYS:
        zeros = jax.random.split(jax.random.key(0, impl=_KEYS[dtype]), shape)
    else:
        zeros = np.zeros(shape, jax.numpy.dtype(dtype))
    return zeros if device is None else jax.device_put(zeros, _device(device))


def _device(name):
    platform, number = name.split(":")
    return next(device for device in jax.devices(platform) if device.id == int(number))


def _make(module, name, file, **parts):
    """An instance with these attributes, without a call of its `__init__`."""
    kind = functools.reduce(getattr, name.split("."), _home(module, name, file))
    if issubclass(kind, tuple):
        return kind(**parts)
    made = object.__new__(kind)
    for key, part in parts.items():
        object.__setattr__(made, key, part)
    return made


if __name__ == "__main__":
    warm_up()
'''


class UnwritableError(Exception):
    """Something that no code can be written for; the message says what and why."""


def add(commands: Commands) -> None:
    """What the command line of `jitviz warmup` takes."""
    parser = add_parser(
        commands,
        _main,
        "warmup",
        "write code that compiles ahead of time what a run compiled",
        description="Write a Python file whose warm_up() compiles ahead of time what a recorded run compiled. A "
        "comment marks what cannot be written.",
        epilog="example: jitviz warmup run.jsonl -o warmup.py",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording")
    parser.add_argument("-o", dest="output", type=Path, required=True, metavar="P", help="where to write the code")


def _main(options: argparse.Namespace) -> int:
    check_outputs([options.output], [options.file])
    code, n_written, n_all = write_warm_up(load_recording(options.file), options.file.name)
    options.output.write_text(code, encoding="utf-8")
    print(f"{options.output} compiles {n_written} of {n_all} versions ahead of time")
    return 0


def write_warm_up(recording: Recording, name: str) -> tuple[str, int, int]:
    """The code, how many versions it compiles, and how many there are."""
    rows = [row for row in recording.compiles if has_compiled(row) and not is_ahead(row)]
    lines, n_written = [], 0
    for row in rows:
        lines.append(f"    # {row.function}, version {row.version}: {row.duration_s:.2g} s at {row.source}")
        try:
            lines.append(f"    {_Writer(row).line()}")
            n_written += 1
        except UnwritableError as error:
            lines.append(f"    # cannot be written: {error}")
    body = "\n".join(lines or ["    # nothing was compiled"])
    body += "" if n_written else "\n    return"
    return _HEAD.format(recording=name, body=body + "\n"), n_written, len(rows)


class _Writer:
    """The line for one version."""

    def __init__(self, row: Compile) -> None:
        self._row = row
        self._leaves = {leaf.path: leaf for leaf in row.signature.leaves if not leaf.is_metadata}
        self._metadata = {leaf.path: leaf for leaf in row.signature.leaves if leaf.is_metadata}
        self._nodes = {node.path: node for node in row.signature.nodes}

    def line(self) -> str:
        info, signature = self._row.function_info, self._row.signature
        if self._row.transform:
            raise UnwritableError(f"it is the {self._row.transform} of a function from outside; call that once instead")
        if info is None or "<" in info.qualname or not info.module:
            raise UnwritableError("the function has no name by which another file could find it")
        if signature.is_partial:
            raise UnwritableError(signature.note)
        forms = dict(signature.form)
        roots = dict.fromkeys(_ROOT.split(path, 1)[0] for path in (*self._leaves, *self._nodes, *forms))
        given = [f"{root}={self._value(root)}" if forms.get(root) == "keyword" else self._value(root) for root in roots]
        found = f"_jitted({info.module!r}, {info.qualname!r}, {self._file!r})"
        return f"{found}.lower({', '.join(given)}).compile()"

    @property
    def _file(self) -> str:
        info = self._row.function_info
        return Path(info.defined_at.rpartition(":")[0]).stem if info is not None else ""

    def _value(self, path: str) -> str:
        if path in self._leaves:
            leaf = self._leaves[path]
            return self._array(leaf) if leaf.role == "traced" else _static(leaf)
        if path in self._nodes:
            return self._container(self._nodes[path])
        raise UnwritableError(f"`{path}` is a kind of argument that is not known")

    def _container(self, node: Node) -> str:
        parts = [(key, self._value(node.path + key)) for key in node.keys]
        match node.type:
            case "NoneType":
                return "None"
            case "list":
                return f"[{', '.join(part for _, part in parts)}]"
            case "tuple":
                return f"({''.join(f'{part}, ' for _, part in parts)})"
            case "dict":
                return f"{{{', '.join(f'{key[1:-1]}: {part}' for key, part in parts)}}}"
        module, _, name = node.type.rpartition(".")
        if not module or any(not key[1:].isidentifier() for key in node.keys) or "<" in name:
            raise UnwritableError(f"`{node.path}` is a {node.type}, which cannot be made from its parts")
        below = [path for path in self._metadata if path.startswith(f"{node.path}.")]
        held = [(path[len(node.path) :], _static(self._metadata[path])) for path in below if _is_child(path, node)]
        fields = "".join(f", {key[1:]}={part}" for key, part in (*parts, *held))
        return f"_make({module!r}, {name!r}, {self._file!r}{fields})"

    def _array(self, leaf: Leaf) -> str:
        info = self._row.function_info
        is_abstract = info is not None and wrappers.named(info.api).takes_shapes  # the others need one that is there
        dtype = leaf.dtype or ""
        if ("<" in dtype and dtype not in _KEYS) or leaf.variable:
            raise UnwritableError(f"`{leaf.path}` is a {leaf.variable or dtype}")
        details = ", True" if leaf.weak_type else ""
        if leaf.committed:
            if not _ONE_DEVICE.fullmatch(leaf.sharding or ""):
                raise UnwritableError(f"`{leaf.path}` is sharded: {leaf.sharding}")
            details += f", device={leaf.sharding!r}"
        if not is_abstract and leaf.weak_type and leaf.shape:
            raise UnwritableError(f"`{leaf.path}` is a weakly typed array with axes")
        return f"{'_shape' if is_abstract else '_zeros'}({leaf.shape}, {dtype!r}{details})"


def _is_child(path: str, node: Node) -> bool:
    return path[len(node.path) + 1 :].isidentifier() and path[len(node.path) :] not in node.keys


def _static(leaf: Leaf) -> str:
    """The text of a plain value."""
    value = leaf.static
    if value is None or value.type not in _PLAIN or value.is_cut or value.fields:
        raise UnwritableError(f"`{leaf.path}` is a static {leaf.type}, and only its description is known")
    return value.text
