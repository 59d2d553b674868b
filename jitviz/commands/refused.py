"""What a command cannot do, in one line.

In: paths that the user gave.  Out: nothing, or an error that says what is wrong with one.
Must never: change a file that is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..recording import Recording, load


class RefusedError(Exception):
    """Something the user can mend; the message says how."""


def load_recording(path: Path) -> Recording:
    """The recording in a file.

    Raises:
        OSError: it cannot be read.
        RefusedError: it is no recording.
    """
    try:
        return load(path)
    except ValueError as error:
        raise RefusedError(str(error)) from None


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
    """See that each of these files can be written, before any work is done for it.

    Raises:
        OSError: one cannot be written.
        RefusedError: one would be written over by another, or is read as well.
    """
    taken = [path.resolve() for path in inputs]
    for path in outputs:
        if path is None:
            continue
        if path.resolve() in taken:
            raise RefusedError(f"{path} is given twice. Write each output to a file of its own.")
        taken.append(path.resolve())
        is_new = not path.exists()
        path.open("ab").close()
        if is_new:
            path.unlink()
