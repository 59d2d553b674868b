"""What a command is doing while it takes its time.

In: a few words for each step.  Out: a line on stderr with the seconds so far, from the first second on, which is gone
when the step ends.
Must never: write anywhere but to a terminal, or while a program of the user's does.

Libraries that draw progress bars (rich, tqdm) are no dependencies of what is installed with jitviz, and what takes long
here, reading and writing one recording, has no parts to count.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_STEP_S = 1.0
_WIDEST = 78  # a line that wraps could not be erased
_ERASE = "\r\x1b[K"


@contextmanager
def progress(doing: str, stream: TextIO | None = None) -> Iterator[None]:
    """Tell that this is being done, if it takes more than a second; on stderr, or on what was stderr."""
    stream = stream or sys.stderr
    if stream is None or stream.closed or not stream.isatty():
        yield
        return
    is_over, began = threading.Event(), time.monotonic()

    def tell() -> None:
        while not is_over.wait(_STEP_S):
            stream.write(f"{_ERASE}{doing[:_WIDEST]} … {time.monotonic() - began:.0f} s")
            stream.flush()

    teller = threading.Thread(target=tell, name="jitviz progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()
        if time.monotonic() - began > _STEP_S:
            stream.write(_ERASE)
            stream.flush()
