"""The panel as a widget of a notebook.

In: a `Recording`, live or finished.  Out: an anywidget drawn by `js/src/hosts/widget.ts`, and answers to its questions.
Must never: send the bundle twice (one assets widget serves all panels), wait for the browser, or raise into a cell.

The protocol is at the head of `js/src/wire/messages.ts`.
"""

import secrets
import threading
from dataclasses import replace
from typing import Any

import anywidget
import traitlets

from ..recording import Recording
from ..views import PANEL, shape_panel
from ..views.schema import Panel
from .answers import RefusedError, answer
from .assets import read_text, write_bundle
from .kept_answers import Kept, join
from .wire import pack_answer, pack_panel


class Assets(anywidget.AnyWidget):
    """Carries the bundle; the panels ask it for `render`."""

    _esm = write_bundle()


class PanelWidget(anywidget.AnyWidget):
    """One panel, empty until the first `refresh`, so that it opens at once.

    `view` is a `Panel` of the schema, or None; `static_id` names the static HTML that the live panel hides. `kept` are
    packed answers that need no kernel, from `kept_answers.join`.
    """

    _esm = read_text("loader.js")
    # As `anywidget.WidgetTrait` writes it, which is new in anywidget 0.11.
    assets = traitlets.Instance(Assets).tag(sync=True, to_json=lambda widget, _: f"anywidget:{widget.model_id}")
    view = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)
    static_id = traitlets.Unicode().tag(sync=True)

    def __init__(self, recording: Recording, *, has_quiz: bool = False) -> None:
        self._recording = recording
        self._has_quiz = has_quiz
        self._sent: tuple[int, object] = -1, None
        assets = _shared_assets()
        # A layout is a widget too; all panels share one.
        super().__init__(assets=assets, layout=assets.layout, static_id=f"jitviz-static-{secrets.token_hex(6)}")
        self.on_msg(PanelWidget.reply)

    def refresh(self) -> None:
        """Send the panel again if the recording has grown. May be called from any thread."""
        moment = len(self._recording.events), self._recording.newest_beat
        if moment != self._sent:
            self._sent = moment
            self.view = pack_panel(shape_panel(self._recording, PANEL, has_quiz=self._has_quiz))

    def settle(self, panel: Panel, kept: Kept) -> None:
        """Send the panel of a finished recording, and the kept answers about its programs."""
        self._sent = len(self._recording.events), self._recording.newest_beat
        with self.hold_sync():
            self.kept = join(kept)
            self.view = pack_panel(replace(panel, not_kept=kept.note))

    def reply(self, message: dict[str, Any], _buffers: object = None) -> None:
        """Answer a question of a view. An abort needs no reply: the answer was sent already, or nobody waits for it."""
        if message["type"] != "ask":
            return
        try:
            body, buffers = pack_answer(answer(self._recording, message["kind"], message["params"]))
        except RefusedError as refusal:
            self.send({"type": "error", "id": message["id"], "error": str(refusal)})
        else:
            self.send({"type": "answer", "id": message["id"], "body": body}, buffers)


_assets: Assets | None = None
_lock = threading.Lock()


def _shared_assets() -> Assets:
    """The one assets widget of this kernel, made again if it was closed."""
    global _assets
    with _lock:
        if _assets is None or _assets.comm is None:
            _assets = Assets()
        return _assets
