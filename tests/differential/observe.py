"""All observable behaviour of a program as plain data, to compare a run with jitviz and one without.

In: a program, which is a function without arguments.  Out: its outputs to the last bit, its errors, warnings, logs and
prints, the traces and compiles of JAX, and the cycles and objects that it leaves behind.
Must never: import jitviz, unless it is to record.

`python observe.py PROGRAMS.py PLAIN.json RECORDED.json` observes each program of a file, in a process without jitviz
and in one with it.
"""

import contextlib
import gc
import importlib.util
import io
import json
import logging
import multiprocessing
import os
import random
import re
import signal
import sys
import traceback
import types
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax._src.monitoring as monitoring
import numpy as np

Program = Callable[[], Any]
# Libraries that cannot be imported, because an import would change the behaviour of another one.
_WITHOUT = {
    "with_jax": ("equinox", "flax", "optax", "chex", "diffrax", "lineax", "optimistix", "orbax"),
    "with_equinox": ("flax", "orbax"),
    "with_flax": ("equinox", "diffrax", "chex"),
    "with_mocks": ("equinox", "flax", "optax", "chex", "diffrax", "lineax", "optimistix", "orbax"),
}
# Text that differs from process to process or from run to run: addresses, hashes of them, seconds, and the referrers of
# a leaked value.
_VARIES = re.compile(
    r"(?:<.*> is referred to by .*\n)+|0x[0-9a-f]+|[0-9a-f]{64}|\d{12,}| *\d+\.\d+(?:e-\d+)?(?= ?(?:m?s|sec)\b)"
)
_IGNORED = ("builtins", "jitviz", "_io", "collections", "functools", "weakref", "typing", "_thread", "threading", "re")
# JAX shares an MLIR context between ten lowerings, and one object between equal equation contexts and key types; before
# 0.10 it caches the last 64 locations that it printed.
_SHARED = ("JaxIrContext", "JaxprEqnContext", "KeyTy", "Frame")


def plain(value: Any) -> Any:
    """A value as text, to the last bit."""
    leaves, treedef = jax.tree.flatten(value)
    return [masked(str(treedef)), *map(_leaf, leaves)]


def _leaf(leaf: Any) -> str:
    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return f"key {leaf.dtype} {np.asarray(jax.random.key_data(leaf)).tolist()}"
    if isinstance(leaf, jax.Array):
        kind = (
            f"{leaf.aval} {masked(str(leaf.sharding))} {leaf.committed}"
            if leaf.is_fully_addressable
            else str(leaf.aval)
        )
        return f"{kind} " + ("deleted" if leaf.is_deleted() else np.asarray(leaf).tobytes().hex())
    if isinstance(leaf, np.ndarray | np.generic):
        return f"numpy {leaf.dtype}{leaf.shape} {leaf.tobytes().hex()}"
    return masked(f"{type(leaf).__qualname__} {leaf!r}")


def masked(text: str) -> str:
    return _VARIES.sub("#", text)


def raised(error: BaseException | None) -> Any:
    """An exception and its causes: type, text, notes, and each frame outside jitviz."""
    if error is None:
        return None
    frames = [
        (Path(frame.filename).name, frame.lineno, frame.name)
        for frame in traceback.extract_tb(error.__traceback__)
        if "/jitviz/" not in frame.filename
    ]
    return {
        "type": type(error).__qualname__,
        "text": masked(_text(error)),
        "notes": list(getattr(error, "__notes__", ())),
        "frames": frames,
        "cause": raised(error.__cause__),
        "context": raised(error.__context__) if not error.__suppress_context__ else None,
    }


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as other:  # noqa: BLE001 - a user's __str__ may raise anything
        return f"raises {type(other).__name__}"


class _Logged(logging.Handler):
    """Collects the log records of all libraries, at all levels."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((record.name, record.levelname, masked(record.getMessage())))


@contextlib.contextmanager
def captured() -> Iterator[dict[str, Any]]:
    """The events of `jax.monitoring`, log lines, warnings and prints of a block, once the block has ended."""
    events: list[Any] = []
    slow, slow_s = "jax_persistent_cache_min_compile_time_secs", jax.config.jax_persistent_cache_min_compile_time_secs
    jax.config.update(slow, 1e9)  # otherwise JAX logs which compiles were slow

    def note(event: str, *_: Any, **kwargs: Any) -> None:
        events.append((event, kwargs.get("fun_name")))

    root, handler, out, err = logging.getLogger(), _Logged(), io.StringIO(), io.StringIO()
    level, handlers = root.level, root.handlers
    jax.monitoring.register_event_listener(note)
    jax.monitoring.register_event_duration_secs_listener(note)
    jax.monitoring.register_scalar_listener(note)
    jax.monitoring.register_event_time_span_listener(note)
    root.handlers = [handler]
    root.setLevel(logging.DEBUG)
    found: dict[str, Any] = {}
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")  # once per location, unless the filters change
            yield found
    finally:
        jax.config.update(slow, slow_s)
        root.handlers = handlers
        root.setLevel(level)
        for kind in ("event", "event_duration", "scalar", "event_time_span"):
            name = f"unregister_{kind}_listener"  # private up to jax 0.7
            (getattr(jax.monitoring, name, None) or getattr(monitoring, f"_{name}_by_callback"))(note)
    found["events"] = events
    found["logged"] = handler.lines
    found["warned"] = [(one.category.__name__, masked(str(one.message)), one.filename, one.lineno) for one in caught]
    found["printed"] = [masked(out.getvalue()), masked(err.getvalue())]


def observed(program: Program, file: str, *, is_recorded: bool) -> dict[str, Any]:
    """The behaviour of a program. With `is_recorded`, the objects that it leaves behind are counted while jitviz still
    watches and has read no program yet, and again after it has stopped."""
    gc.collect()
    gc.freeze()  # excludes all older objects, which makes this fast
    gc.disable()
    before, recording, out = _alive(file), None, None
    try:
        with captured() as found:
            if is_recorded:
                from jitviz import capture

                recording = capture.begin()
            try:
                out = program()
                jax.block_until_ready(out)
            except BaseException as error:  # noqa: BLE001 - every error is compared
                found["raised"] = raised(error)
            found["out"] = plain(out)
            del out
            cycles = _cycles()
            if recording is not None:
                capture.end(recording)
            found["kept"] = {name: n for name, n in (_alive(file) - before).items() if " " in name}
            if recording is not None:
                capture.unwatch()
        found["world"] = _world()
        found["cycles"] = dict(cycles + _cycles())
        found["alive"] = dict(_alive(file) - before)
    finally:
        gc.enable()
    if recording is not None:
        # time-machine replaces the clock in C, for jitviz too
        assert [failure for failure in recording.facts.failures if not failure.startswith("clock: jumped ")] == []
        assert recording.facts.stale == {}
    return found


def _cycles() -> Counter[str]:
    """Free the objects that only the garbage collector can free, and count them by type.

    Before Python 3.13, reading the locals of a frame leaves a dict in it, which does not count.
    """
    for one in gc.get_objects():
        if type(one) is jax._src.core.JaxprPpContext:  # type: ignore[attr-defined]
            one.var_names.default_factory = None  # printing a jaxpr leaves this cycle, which is JAX's own
    del one  # the last one may be in a cycle
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    found = Counter(map(_name, gc.garbage))
    if sys.version_info < (3, 13):
        del found["builtins.dict"]
    gc.garbage.clear()
    gc.collect()
    return found


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _alive(file: str) -> Counter[str]:
    """The number of live objects by name.

    A name of two words is that of a user's object: an array, a tracer, or a function, frame or instance of the file. A
    name of one word is that of a library's class.
    """
    found = Counter(f"array {one.aval}" for one in jax.live_arrays())
    module = Path(file).stem
    for one in gc.get_objects():
        code = getattr(one, "__code__", None) if type(one) is types.FunctionType else None
        if type(one) is types.FrameType:
            code = one.f_code
        if code is not None and code.co_filename == file:
            found[f"{type(one).__name__} {code.co_qualname}"] += 1
        elif isinstance(one, jax.core.Tracer) or type(one).__module__ == module:
            found[f"user's {_name(one)}"] += 1
        elif not str(type(one).__module__).startswith(_IGNORED) and type(one).__name__ not in _SHARED:
            found[_name(one)] += 1
    return found


def _world() -> list[Any]:
    """The state of the process outside all libraries."""
    return [
        zlib.crc32(repr(random.getstate()).encode()),
        np.random.get_state()[1].tobytes().hex()[:64],  # type: ignore[index, union-attr]
        sorted(os.environ),
        str(Path.cwd()),
        masked(repr(signal.getsignal(signal.SIGINT))),
        sys.getswitchinterval(),
        sys.getrecursionlimit(),
        sys.gettrace() is None,
        sys.getprofile() is None,
        [masked(repr(handler)) for handler in logging.getLogger().handlers],
        repr(jax.config.values),
    ]


def programs_of(file: str) -> dict[str, Program]:
    """The programs of a file: its public functions."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, types.FunctionType) and value.__module__ == spec.name and not name.startswith("_")
    }


def observe(programs: dict[str, Program], file: str, seen: Path, *, is_recorded: bool) -> None:
    random.seed(0)  # a fork seeds it again
    np.random.seed(0)
    for function in (lambda x: x, bool):  # fills all caches, also those for what raises
        observed(lambda function=function: jax.jit(function)(1.0), file, is_recorded=is_recorded)  # type: ignore[misc]
    rows = {name: observed(program, file, is_recorded=is_recorded) for name, program in programs.items()}
    assert ("jitviz" in sys.modules) == is_recorded
    seen.write_text(json.dumps(rows))


def main() -> None:
    file, *seen = sys.argv[1:]
    sys.modules.update(dict.fromkeys(_WITHOUT[Path(file).stem]))  # type: ignore[arg-type]
    programs = programs_of(file)  # before jitviz is imported, as in a notebook
    fork = multiprocessing.get_context("fork")
    children = [
        fork.Process(target=observe, args=(programs, file, Path(path)), kwargs={"is_recorded": bool(place)})
        for place, path in enumerate(seen)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    sys.exit(any(child.exitcode for child in children))


if __name__ == "__main__":
    main()
