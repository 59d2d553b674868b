"""A recording or a compile shown to whoever asks: as text, or as rich output where a notebook runs.

In: a `Recording` or a `Compile`.  Out: text, or output under the cell.
Must never: import IPython where it does not run already.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..model import Compile
from .html import fragment
from .text import render, render_compile

if TYPE_CHECKING:
    from ..recording import Recording


def explain(subject: Recording | Compile, width: int = 100) -> str:
    """Everything there is to say about a recording, or about one compile of it, as text of `width` columns.

    Raises:
        TypeError: `subject` is neither.
    """
    if isinstance(subject, Compile):
        return render_compile(subject, width)
    if hasattr(subject, "compiles") and hasattr(subject, "facts"):
        return render(subject, width)
    raise TypeError(f"explain takes a recording or one of its compiles, not {type(subject).__name__}")


def show(recording: Recording) -> None:
    """Show a recording: as output of the cell in a notebook, as text elsewhere."""
    if _is_in_ipython():
        from IPython.display import display

        bundle = {"text/html": fragment(recording), "text/plain": render(recording)}
        display(bundle, raw=True)  # type: ignore[no-untyped-call]  # IPython has no types
    else:
        print(render(recording))


def _is_in_ipython() -> bool:
    running = sys.modules.get("IPython")
    return running is not None and running.get_ipython() is not None
