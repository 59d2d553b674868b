"""The one door to a terminal: what commands and magics print passes it.

In: texts.  Out: the same on stdout or stderr, where no name can move the cursor or hide a line.
"""

import sys
from typing import TextIO

from ..model.printable import printed


def print_safely(*texts: object, file: TextIO | None = None, flush: bool = False) -> None:
    """Print each text, on lines of its own, without control characters; `file` is stdout unless it is given."""
    for text in texts or ("",):
        print(printed(str(text)), file=sys.stdout if file is None else file, flush=flush)
