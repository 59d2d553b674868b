"""Writing a file completely or not at all, whatever stops the writing: Ctrl-C, a full disk, an error.

In: the path of a file.  Out: a path beside it to write to, which replaces the file at the end.
Must never: leave part of a file, lose the former file, or replace a pipe or a device.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path to write to; at the end of the block, that file moves to `path`."""
    path = Path(os.path.realpath(path))  # so that a link stays a link
    if path.exists() and not path.is_file():
        yield path
        return
    place = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        yield place
        place.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(place):
            error.filename = str(path)  # the only name that the caller knows
        raise
