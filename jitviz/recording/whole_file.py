"""Files that are there as a whole or not at all, whatever stops the writing: Ctrl-C, a full disk, an error.

In: the path of a file.  Out: a path beside it to write to, which takes its place in the end.
Must never: leave a part of a file, lose what was there before, or put a file in the place of a pipe or a device.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write, until the end of the block, what is to stand at `path`."""
    path = Path(os.path.realpath(path))  # a link stays one
    if path.exists() and not path.is_file():
        yield path
        return
    place = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        yield place
        place.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        raise
