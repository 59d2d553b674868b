"""`jitviz warmup`: write code that compiles ahead of time what a recorded run compiled.

In: a recording.  Out: a Python file with one line for each version, or a comment that says why there is none.
"""

import argparse
from pathlib import Path

from ..findings.fixes.arguments import KEYS
from ..model.counting import has_compiled, is_ahead
from ..model.paths import split_source
from ..recording import Recording, load
from ..recording.whole_file import whole_file
from .parsers import Commands, check_outputs
from .warm_lines import LineWriter, UnwritableError, comment, literal, shared_names

_HEAD = '''\
"""Compiles ahead of time what a recorded run compiled. Written by `jitviz warmup`.

Call `warm_up()` after your functions are defined and before they are called, or `warm_up(step)` for one of them.
A version that needs an object of your program has only a comment: with a model of Flax NNX, or with functions made by a
call, such as the optimizer in a TrainState. To warm it up, call your function once.
"""
{recording}

import functools
import importlib
import inspect
import pkgutil
import sys

import jax
import numpy as np

_SCRIPT = {script}
_KEYS = {keys}


def warm_up(*functions):
    """Compile everything, or only these jitted functions; the real calls are then hits."""
    wanted = [(inside.__module__, inside.__qualname__) for inside in map(inspect.unwrap, functions)]
    for module, name, is_transformed, lower in _VERSIONS:
        if not functions or (module, name) in wanted:
            lower(_jitted(module, name, is_transformed)).compile()


def _home(module, name):
    """Return the module that defines this name."""
    home = sys.modules.get(module)
    if module == "__main__" and not hasattr(home, name.partition(".")[0]):
        if getattr(home, "__file__", "").endswith(f"{{_SCRIPT}}.py"):
            raise NameError(f"{{name}} is not defined yet. Call warm_up() below its definition.")
        return importlib.import_module(_SCRIPT)  # the script, which is now a module
    return home or importlib.import_module(module)


def _named(module, name):
    return functools.reduce(getattr, name.split("."), _home(module, name))


def _jitted(module, name, is_transformed=False):
    """Return the jitted function that has this name, or that wraps the function of this name."""
    found = _named(module, name)
    inside = inspect.unwrap(found)
    held = [found, *vars(_home(module, name)).values()]
    jitted = [one for one in held if hasattr(one, "lower") and inspect.unwrap(one) is inside]
    if not jitted:
        text = f"no jitted function in {{module}} wraps {{name}}"
        raise LookupError(f"{{text}}. Keep the result of jax.jit({{name}}) there, or delete the line here.")
    return max(jitted, key=lambda one: (getattr(one, "__wrapped__", None) is not inside) == is_transformed)


def _lower(jitted, given, starred):
    """Lower a function for arguments by name, and for those of its `*args`."""
    first = []
    for name, parameter in inspect.signature(inspect.unwrap(jitted)).parameters.items():
        if name not in given or parameter.kind is parameter.KEYWORD_ONLY:
            break
        first.append(given.pop(name))
    return jitted.lower(*first, *starred, **given)


def _shape(shape, dtype, weak_type=False, placed=None):
    if dtype in _KEYS:
        dtype = jax.eval_shape(lambda: jax.random.key(0, impl=_KEYS[dtype])).dtype
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak_type, sharding=placed)


def _zeros(shape, dtype, weak_type=False, placed=None):
    if weak_type:
        return jax.numpy.asarray(np.zeros(shape, dtype).item())
    if dtype in _KEYS:
        zeros = jax.random.split(jax.random.key(0, impl=_KEYS[dtype]), shape)
    else:
        zeros = np.zeros(shape, jax.numpy.dtype(dtype))
    return zeros if placed is None else jax.device_put(zeros, placed)


def _sharding(devices, axes, spec):
    devices = [_device(device) for device in devices]
    if not axes:
        return jax.sharding.SingleDeviceSharding(devices[0])
    names, sizes, kinds = zip(*axes)
    kinds = tuple(getattr(jax.sharding.AxisType, kind) for kind in kinds)
    mesh = jax.sharding.Mesh(np.reshape(devices, sizes), names, axis_types=kinds)
    spec = [part[0] if len(part) == 1 else part or None for part in spec]
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))


def _device(name):
    platform, number = name.split(":")
    return next(device for device in jax.devices(platform) if device.id == int(number))


def _make(kind, parts):
    """Return an instance with these attributes, without calling its `__init__`."""
    module, _, name = kind.partition(".")
    kind = _named(module, name) if module == "__main__" else pkgutil.resolve_name(kind)
    if issubclass(kind, tuple):
        return kind(**parts)
    made = object.__new__(kind)
    for key, part in parts.items():
        object.__setattr__(made, key, part)
    return made


_VERSIONS = [
{versions}
]

if __name__ == "__main__":
    warm_up()
'''


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "warmup",
        help="write code that compiles ahead of time what a run compiled",
        description="Write a Python file whose warm_up() compiles ahead of time what a recorded run compiled. A "
        "comment marks what cannot be written.",
        epilog="example: jitviz warmup run.jsonl -o warmup.py",
        allow_abbrev=False,
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
    code = _HEAD.format(
        recording=comment(f"The run is {name}."),
        script=literal(Path(next(homes, "")).stem),
        keys=literal(KEYS),
        versions="\n".join(f"    {line}" for line in lines or [comment("nothing was compiled")]),
    )
    return code, n_written, len(rows)
