"""Writing a file completely or not at all, whatever stops the writing: Ctrl-C, a full disk, an error.

In: the path of a file.  Out: a path beside it to write to, which replaces the file at the end.
Must never: leave part of a file, lose the former file, or replace a pipe or a device.

A killed process leaves the file beside it. A later write to the same path removes that.
"""

import contextlib
import errno
import glob
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from ..model import system

_ABANDONED_S = 3600.0  # nobody writes to a file that has not grown for so long


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path to write to; at the end of the block, that file moves to `path`."""
    path = Path(os.path.realpath(path))  # so that a link stays a link
    if path.exists() and not path.is_file():
        yield path
        return
    _remove_abandoned(path)
    # Other threads and processes may write to the same path, even from another machine.
    place = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        yield place
        place.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(place):
            error.filename = str(path)  # the only name that the caller knows
        raise


def refuse_if_taken(path: Path) -> None:
    """Raise an OSError if another recording is being saved to the path."""
    if not path.is_file():
        return
    file = os.open(path, os.O_RDONLY)
    try:
        if not lock(file):
            told = "another recording is being saved to it; save to another file"
            raise BlockingIOError(errno.EWOULDBLOCK, told, str(path))
    finally:
        os.close(file)  # before anything moves there: Windows replaces no open file


def lock(file: int) -> bool:
    """Lock an open file until it is closed; whether nobody else has. Windows moves nothing over an open file anyway."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # not on this system, or this file system
        return True
    return True


def _remove_abandoned(path: Path) -> None:
    """Remove what killed processes have left beside a file."""
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(path.name)}.{'[0-9a-f]' * 8}.new"):
            if system.time() - left.stat().st_mtime > _ABANDONED_S:
                left.unlink()
