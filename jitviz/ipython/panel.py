"""What a cell shows under its own output.

In: a finished recording.  Out: one display of it, as HTML for notebooks and as text for terminals.
Must never: raise. The user's result stands above, and nothing of jitviz may hide it.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from IPython.display import display

from ..display.html import fragment
from ..display.text import render
from ..recording import Recording

WIDTH = 100  # characters; notebooks do not tell theirs


def show_panel(recording: Recording, notes: Sequence[str] = ()) -> None:
    """Display the panel, with `notes` (plain sentences) under it."""
    try:
        bundle = {
            "text/plain": "\n".join([render(recording, width=WIDTH), *notes]),
            "text/html": fragment(recording) + "".join(f"<p>{html.escape(note)}</p>" for note in notes),
        }
    except Exception as error:  # noqa: BLE001  # whatever is wrong with the panel, the cell is done and shown
        show_failure(error)
    else:
        display(bundle, raw=True)


def show_failure(error: Exception) -> None:
    """Say in one line that jitviz failed, where the panel would have been."""
    print(f"jitviz: capture incomplete: {type(error).__name__}: {error}")
