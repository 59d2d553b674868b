"""The panel of a cell, below the output of the cell.

In: a finished recording and notes.  Out: the panel, displayed, and the notes, printed below it.
Must never: raise, or hide the user's result above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..recording import Recording


def show_panel(recording: Recording, notes: Sequence[str] = (), *, has_quiz: bool = False) -> None:
    """Display the panel, with `has_quiz` after a quiz, and print `notes` (plain sentences) below it."""
    try:
        from ..display import keeping
        from ..display.shown import show  # see `live`

        show(recording, has_quiz=has_quiz, most_ir_bytes=keeping.KEPT_IR_NBYTES)
    except Exception as error:  # noqa: BLE001  # the cell has run, and its result is shown
        show_failure(error)
    show_notes(notes)


def show_notes(notes: Sequence[str]) -> None:
    """Print notes below the panel."""
    for note in notes:
        print(f"jitviz: {note}")


def show_failure(error: Exception) -> None:
    """Print in one line that jitviz failed, in place of the panel."""
    print(f"jitviz: capture incomplete: {type(error).__name__}: {error}")
