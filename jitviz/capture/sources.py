"""The user's program: locations in it, and its lines.

In: frames, functions, file names.  Out: "train.py:12" relative to the working directory, "In [3]:4" for a cell; source
lines, [] if there are none; the text of a call, "step(params, batch['x'])".
Must never: show an absolute path of the user's home, or a line of a library where a line of the user's is known; raise;
or open a special file: a pipe waits for a writer, a device has no end.
"""

import io
import linecache
import os
import re
import stat
import sys
import sysconfig
import tokenize
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from ..jaxcompat import jax_frames, raw
from ..model import cell_of, system
from ..recording.redaction import redacted, redacted_program
from .failures import guarded

_OWN = system.normcase(Path(__file__).resolve().parents[1]) + os.sep
# "scripts" are the files that start an installed command.
_INSTALLED = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
_FOLDERS = [sysconfig.get_paths().get(key) for key in _INSTALLED]
_LIBRARIES = tuple({system.normcase(Path(folder).resolve()) + os.sep for folder in _FOLDERS if folder})
_CELL_FILE = re.compile(r"[\\/]ipykernel_\d+[\\/]")  # but not the launcher of the kernel
_JITS = re.compile(r"[\\/](equinox|flax)[\\/]")  # packages whose jits are called like the user's own functions
_PYTHON = system.normcase(Path(sysconfig.get_paths()["stdlib"]).resolve()) + os.sep

_STACK = 8  # lines of a stack that are kept, wherever they are
_MOST_LINES = 64  # with those of cells
_FRAMES = 3_000  # frames that are searched for them
MOST_BYTES = 10_000_000  # of a file
MOST_TEXT = 200_000  # characters of a file whose whole text is kept
_CALL_LINES = 20  # of a call
_MOST_CHARS = 600

_cell_of: Callable[[str], str | None] | None = None


def name_cells(by: Callable[[str], str | None] | None) -> Callable[[str], str | None] | None:
    """From now on `by` maps the name of a file to the label of its cell ("In [3]"), or to None; what did so before."""
    global _cell_of
    before, _cell_of = _cell_of, by
    return before


def caller(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's at or above `frame`; otherwise the innermost outside JAX and jitviz."""
    others = (above for above in jax_frames.stack(frame) if frame_owner(above.f_code.co_filename) != "machinery")
    return next(_users(frame), None) or next(others, None)


def _users(frame: FrameType | None) -> Iterator[FrameType]:
    return (above for above in jax_frames.stack(frame) if frame_owner(above.f_code.co_filename) == "user")


def call_site(frame: FrameType | None) -> str:
    """The location of the `caller` of a frame."""
    found = caller(frame)
    return "" if found is None else location(found.f_code.co_filename, found.f_lineno)


def library_line(frame: FrameType | None) -> str:
    """The line of a library that calls, at a frame or above, "" if the user's own does; what jits does not count."""
    for above in jax_frames.stack(frame):
        filename = above.f_code.co_filename
        owner = frame_owner(filename)
        if owner == "library" and not _JITS.search(filename):
            return location(filename, above.f_lineno)
        if owner == "user":
            break
    return ""


def lines_above(frame: FrameType | None) -> tuple[str, ...]:
    """The user's lines at and above a frame, innermost first, each once; beyond the first few, those of cells."""
    found: dict[str, None] = {}
    for above in islice(jax_frames.stack(frame), _FRAMES):
        filename = above.f_code.co_filename
        if frame_owner(filename) == "user" and (len(found) < _STACK or (_cell_of and _cell_of(filename))):
            found[location(filename, above.f_lineno)] = None
        if len(found) == _MOST_LINES:
            break
    return tuple(found)


@lru_cache(maxsize=4096)
def frame_owner(filename: str) -> Literal["user", "library", "python", "machinery"]:
    """The owner of a file's code: the user, an installed package, Python's own library, or JAX and jitviz."""
    place = system.normcase(filename)  # on Windows one file has many names: "c:/Users", "C:\\users"
    if jax_frames.is_jax_file(filename) or place.startswith(_OWN):
        return "machinery"
    if not is_library(filename):
        return "user"
    is_python = place.startswith(("<frozen", _PYTHON)) and f"{os.sep}site-packages{os.sep}" not in place
    return "python" if is_python else "library"


@lru_cache(maxsize=4096)
def is_library(filename: str) -> bool:
    """Whether a file belongs to Python or to an installed package rather than the user."""
    if filename.startswith("<") or not system.isabs(filename):
        return filename.startswith("<frozen")
    if _CELL_FILE.search(filename):
        return False
    place = system.normcase(filename)
    return place.startswith((_OWN, *_LIBRARIES)) or f"{os.sep}site-packages{os.sep}" in place


def is_stdlib(frame: FrameType) -> bool:
    """Whether a frame runs a module of Python's standard library."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in sys.stdlib_module_names


def location(filename: str, line: int) -> str:
    """ "In [3]:4", "train.py:12", or "optax/_src/base.py:30" for a library."""
    return f"{file_label(filename)}:{line}"


def file_label(filename: str) -> str:
    """The display name of a file."""
    cell = _cell_of(filename) if _cell_of is not None else None
    return _path_label(filename) if cell is None else cell


@lru_cache(maxsize=4096)  # one entry per file of the program; used at every call
def _path_label(filename: str) -> str:
    shown = filename
    if is_library(filename):
        roots = [system.normcase(root).rstrip(os.sep) + os.sep for root in (*sys.path, *_LIBRARIES) if root]
        shown = filename[len(max(filter(system.normcase(filename).startswith, roots), key=len, default="")) :]
    elif system.isabs(filename):
        folder, path = system.getcwd().rstrip(os.sep) + os.sep, system.normpath(filename)
        is_below = system.normcase(path).startswith(system.normcase(folder))
        shown = path[len(folder) :] if is_below else system.basename(path)
    return redacted(shown.replace(os.sep, "/"))


def forget_labels() -> None:
    """Forget the labels of files: the working directory may have changed."""
    _path_label.cache_clear()


def short_location(definition: Any) -> str | None:
    """The location of a function's or class's definition; None if unknown."""
    *_, definition = raw.unwrapped(definition, _wrapped_function)
    if type(definition) is types.FunctionType:
        return location(definition.__code__.co_filename, definition.__code__.co_firstlineno)
    if raw.is_a(definition, type):
        line = raw.class_attribute(definition, "__firstlineno__")  # Python 3.13
        module = sys.modules.get(raw.type_name(definition).removesuffix(f".{raw.qualname(definition)}"))
        filename = raw.attributes(module).get("__file__")
        return location(filename, line) if type(filename) is str and type(line) is int else None
    return None


def is_of_library(definition: Any) -> bool:
    """Whether an installed package other than JAX defines a function."""
    *_, definition = raw.unwrapped(definition, _wrapped_function)
    is_function = type(definition) is types.FunctionType
    return is_function and frame_owner(definition.__code__.co_filename) == "library"


def _wrapped_function(definition: Any) -> Any:
    inner = raw.attributes(definition).get("__wrapped__") if type(definition) is types.FunctionType else None
    return inner if type(inner) is types.FunctionType else None


def lines_of(filename: str, names: dict[str, Any] | None = None) -> list[str]:
    """The source lines of a file or a cell; `names` are the globals of its module."""
    found = None if filename in linecache.cache else _status(filename)
    if found is not None and not (stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES):
        return []  # of what is not on disk, a loader may know the lines
    try:
        if found is not None:
            _read(filename, found)
        return linecache.getlines(filename, names)
    except Exception:  # from a loader of the user's, or for an invalid name
        return []


def _read(filename: str, status: os.stat_result) -> None:
    """Fill the cache of `linecache`, which would ask the `os` of the program."""
    with system.open_file(filename, "rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
        file.seek(0)
        with io.TextIOWrapper(file, encoding, line_buffering=True) as text:
            lines = text.readlines()
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[filename] = status.st_size, status.st_mtime, lines, filename


def text_at(filename: str, line: int, names: dict[str, Any] | None = None) -> str:
    """The text of one line of a file or a cell."""
    return "".join(lines_of(filename, names)[line - 1 : line]).strip()


@guarded("", "text_of")  # a name may be no text, say
def text_of(label: str) -> str:
    """The text of the user's file or cell with this label, as it was last read; "" if it was not, or is too long."""
    names = [name for name in list(linecache.cache) if frame_owner(name) == "user" and file_label(name) == label]
    is_one = len(names) == 1 or (names and cell_of(label))  # IPython 7 may have several cells of a number
    text = "".join(lines_of(names[-1])) if is_one else ""
    return redacted_program(redacted(text, is_code=True)) if len(text) <= MOST_TEXT else ""


def modified_s(filename: str) -> float | None:
    """When a regular file was last written; None for anything else."""
    found = _status(filename)
    return found.st_mtime if found is not None and stat.S_ISREG(found.st_mode) else None


def _status(filename: str) -> os.stat_result | None:
    try:
        return system.stat(filename)
    except (OSError, ValueError):
        return None


@guarded("", "written_call")  # a loader may fail
def written_call(frame: FrameType | None) -> str:
    """The expression that the user's innermost frame at or above `frame` is running; "" if it cannot be read whole."""
    user = next(_users(frame), None)
    if user is None:
        return ""
    code = user.f_code
    first, last, start, end = next(islice(code.co_positions(), user.f_lasti // 2, None), (None,) * 4)
    if first is None or last is None or start is None or end is None or last - first >= _CALL_LINES:
        return ""
    lines = [line.encode() for line in lines_of(code.co_filename, user.f_globals)[first - 1 : last]]
    if len(lines) != last - first + 1:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode()
    return redacted_program(redacted(text, is_code=True)) if len(text) <= _MOST_CHARS else ""
