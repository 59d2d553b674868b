"""What a cell shows under its own output.

In: a finished recording.  Out: whether it gets a panel; that panel, displayed, and remarks under it.
Must never: raise, or hide the user's result above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..recording import Recording


def is_worth_a_panel(recording: Recording, *, is_asked_for: bool) -> bool:
    """Whether a cell gets a panel: one that asked for it does, any other if it called a jitted function."""
    return is_asked_for or bool(recording.calls or recording.compiles)


def show_panel(recording: Recording, notes: Sequence[str] = (), *, has_quiz: bool = False) -> None:
    """Display the panel, behind a quiz if there is to be one, and `notes` (plain sentences) under it."""
    try:
        from ..display import keeping
        from ..display.shown import show  # see `live`

        show(recording, has_quiz=has_quiz, most_ir_bytes=keeping.KEPT_IR_NBYTES)
    except Exception as error:  # noqa: BLE001  # whatever is wrong with the panel, the cell is done and shown
        show_failure(error)
    show_notes(notes)


def show_notes(notes: Sequence[str]) -> None:
    """Print remarks under the panel."""
    for note in notes:
        print(f"jitviz: {note}")


def show_failure(error: Exception) -> None:
    """Say in one line that jitviz failed, where the panel would have been."""
    print(f"jitviz: capture incomplete: {type(error).__name__}: {error}")
