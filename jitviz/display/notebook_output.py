"""Show a recording: as a live panel in a notebook, as text elsewhere.

In: a `Recording`.  Out: text, or outputs under the cell.
Must never: import IPython or marimo unless it is running, or anywidget outside a notebook.

In a notebook there are two outputs: static HTML first, which needs neither kernel nor trust, then the widget. A working
widget hides the HTML above it (`js/src/hosts/widget.ts`); a widget that cannot work leaves no trace.
"""

import contextlib
import sys
import threading
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from ..model.printable import print_safely
from ..recording import Recording
from ..recording.recording import check_recordings
from ..recording.unread_programs import reading, reading_depth, wait_until_idle
from ..views import PANEL, SAVED, TERMINAL, Limits, Panel, shape_panel
from .access import IN_HAND, OF_A_CELL, Access
from .html import draw_fragment
from .kept_answers import KEPT_IR_NBYTES, ONLY_ASKED, KeptAnswers, keep
from .text import begin_panel, render, render_panel

if TYPE_CHECKING:
    from .widget import PanelWidget
from collections.abc import Hashable

_OPENING = "jitviz will draw its panel here when the cell is done."
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
# A reopened notebook has no model for the widget, and Jupyter shows an error in its place. That is noise next to the
# static HTML, so this rule hides any widget that contains only text. Untrusted notebooks drop the rule, but show no
# widget either.
_HIDE_LOST_WIDGET = (
    "<style>.jp-OutputArea-child:has([id^=jitviz-static-]) + .jp-OutputArea-child .jupyter-widgets:not(:has(*)), "
    ".output_area:has([id^=jitviz-static-]) + .output_area .jupyter-widgets-view:not(:has(*)) "  # Notebook 6
    "{ display: none } @media print { [id^=jitviz-static-] ::details-content "
    "{ content-visibility: visible !important; block-size: auto !important } }</style>"  # on paper, all is open
)
_said: dict[str, Hashable] = {}  # of this kernel: each sentence, and the cell beneath which it stands


def show(recording: Recording, *, has_quiz: bool = False, most_ir_bytes: int | None = None) -> None:
    """Show a recording: as a live panel in a notebook, as text elsewhere.

    >>> jitviz.show(rec)

    With `has_quiz`, a quiz asks which calls hit and which compiled, and the panel waits for the answers. A notebook
    keeps all program texts, packed, or as many as fit into `most_ir_bytes`, leaving out the biggest first. The links of
    very large programs are computed when they are opened. The panel says what is not kept.

    Raises:
        TypeError: `recording` is not a recording.
    """
    check_recordings((recording,), "show")
    display(recording, IN_HAND, has_quiz=has_quiz, most_ir_bytes=most_ir_bytes)


def display(
    recording: Recording,
    access: Access,
    *,
    has_quiz: bool = False,
    most_ir_bytes: int | None = None,
    is_asked: bool = True,
) -> None:
    """The same; `access` says how the reader gets the recording. Unless `is_asked`, nothing of the programs is kept,
    and they are read when they are opened."""
    if _kernel() is not None:
        Shown(recording, has_quiz=has_quiz, most_ir_bytes=most_ir_bytes, is_asked=is_asked, access=access).settle()
    elif (marimo := sys.modules.get("marimo")) is not None and marimo.running_in_notebook():
        widget, missing = _make_widget(recording, has_quiz)
        if widget is None:
            print_safely(render(recording, has_quiz=has_quiz, access=access), missing)
            return
        panel = shape_panel(recording, PANEL, has_quiz=has_quiz)
        widget.settle(panel, keep(recording, panel, most_ir_bytes))
        marimo.output.append(widget.model)
    elif access is OF_A_CELL:
        panel = say_once(shape_panel(recording, TERMINAL, has_quiz=has_quiz), object())
        print_safely(render_panel(panel, recording, access))
    else:
        print_safely(render(recording, has_quiz=has_quiz))


class Shown:
    """The two outputs of a panel in a notebook. They open empty, since the recording may still be running.

    `most_ir_bytes` bounds what the notebook keeps of program texts. Unless somebody asked for the panel, it keeps none,
    only what findings depend on is read, and the widget is drawn once a browser looks at it.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        has_quiz: bool = False,
        most_ir_bytes: int | None = KEPT_IR_NBYTES,
        is_asked: bool = True,
        access: Access = OF_A_CELL,
    ) -> None:
        from IPython import display

        self._recording = recording
        self._has_quiz, self._most_ir_bytes, self._is_asked = has_quiz, most_ir_bytes, is_asked
        self._access = access
        self._widget, self._missing = _make_widget(recording, has_quiz)
        self._is_followed = self._is_looked_at = False
        self._brief = partial(say_once, cell=_running_cell() or object())
        if self._widget is not None:
            self._widget.look, self._widget.brief = self._look, self._brief
        self._static = display.display(self._bundle(escape(_OPENING), _OPENING), raw=True, display_id=True)
        if self._widget is not None:
            view = {"version_major": 2, "version_minor": 0, "model_id": self._widget.model.model_id}
            # without a text: it would be shown wherever the widget cannot be
            display.display({_WIDGET_VIEW: view}, raw=True)

    def refresh(self) -> None:
        """Bring the live panel up to date."""
        if self._widget is not None:
            self._is_followed = True
            self._widget.refresh()

    def tell(self, progress: dict[str, Any]) -> None:
        """Say what runs now. Much less work than a `refresh`."""
        if self._widget is not None:
            self._widget.model.send(progress)

    def settle(self) -> None:
        """Draw the finished recording in both outputs, and again when the kernel is idle if this thread leaves events
        unread."""
        self._draw()
        if reading_depth() == "nothing" and self._recording.has_unread:
            with contextlib.suppress(RuntimeError):  # no new thread can start
                threading.Thread(target=self._draw_again, name="jitviz reader", daemon=True).start()

    def _draw_again(self) -> None:
        wait_until_idle()
        with contextlib.suppress(Exception):  # the kernel is shutting down; the outputs stay as they are
            self._draw()

    def _draw(self) -> None:
        is_brief = not self._is_asked and reading_depth() != "nothing"
        with reading("findings") if is_brief else contextlib.nullcontext():
            kept = ONLY_ASKED if self._recording.compiles else KeptAnswers()
            with contextlib.suppress(Exception):  # the static HTML is still drawn
                if self._is_asked:
                    panel = self._shape(PANEL)
                    kept = keep(self._recording, panel, self._most_ir_bytes)
                    self._send(panel, kept)
                elif self._is_followed:
                    self.refresh()
            saved = replace(self._shape(SAVED), not_kept=kept.note)
            html = draw_fragment(saved, self._recording, kept, self._access)
            self._static.update(self._bundle(html, begin_panel(saved, access=self._access)), raw=True)
        if self._is_looked_at:
            self._look()

    def _look(self) -> None:
        """A browser draws the widget: send it what it has not got yet."""
        self._is_looked_at = True
        if not self._is_asked and not self._recording.is_live:
            self._send(self._shape(PANEL), ONLY_ASKED)

    def _shape(self, limits: Limits) -> Panel:
        return self._brief(shape_panel(self._recording, limits, has_quiz=self._has_quiz))

    def _send(self, panel: Panel, kept: KeptAnswers) -> None:
        if self._widget is not None:
            self._widget.settle(panel, kept)

    def _bundle(self, html: str, text: str) -> dict[str, str]:
        if self._widget is not None:
            html = f'<div id="{escape(self._widget.static_id)}">{_HIDE_LOST_WIDGET}{html}</div>'
        elif self._missing:
            html += f"<small>{escape(self._missing)}</small>"
        return {"text/html": html, "text/plain": text}


def _make_widget(recording: Recording, has_quiz: bool) -> "tuple[PanelWidget | None, str]":
    """The widget, or None and a sentence on what to install; then the static HTML stands alone."""
    try:
        from .widget import PanelWidget

        return PanelWidget(recording, has_quiz=has_quiz), ""
    except ModuleNotFoundError as error:
        package = (error.name or "anywidget").partition(".")[0]
        return None, f"The interactive panel needs {package}, which is not installed: pip install {package}"
    except Exception:  # noqa: BLE001  # the static HTML works without a front end
        return None, ""


def _running_cell() -> str:
    """The id of the cell that runs, "" where its front end names none."""
    parent: dict[str, Any] = getattr(_kernel(), "get_parent", dict)()
    return str(parent.get("metadata", {}).get("cellId", ""))


def _kernel() -> Any:
    """The running Jupyter kernel, or None in a terminal or a script."""
    running = sys.modules.get("IPython")
    shell = running.get_ipython() if running is not None else None
    return getattr(shell, "kernel", None)


def say_once(panel: Panel, cell: Hashable) -> Panel:
    """A cell that is run again says again what it said."""

    def is_here(text: str) -> bool:
        return _said.setdefault(text, cell) == cell

    made_with = panel.made_with if is_here(panel.made_with) else ""
    return replace(panel, limits=tuple(filter(is_here, panel.limits)), made_with=made_with)
