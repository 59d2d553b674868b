"""The panel as a widget of a notebook.

In: a `Recording`, live or finished.  Out: a widget drawn by `js/src/hosts/widget.ts`, and answers to its questions.
Must never: send the bundle twice (one assets widget serves all panels), send a column that may have a hundred thousand
entries as JSON, wait for the browser, or raise into a cell.

The protocol is at the head of `js/src/wire/messages.ts`.
"""

import secrets
import sys
import weakref
from array import array
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_type_hints

import anywidget
import traitlets

from ..model import system
from ..recording import Recording
from ..views import PANEL, Panel, Timeline, shape_panel
from .answers import UnansweredError, answer
from .assets import read_text, write_bundle
from .kept_answers import KeptAnswers, join, pack

_DROPPED = Recording()  # in place of a recording that was dropped
_panels: "weakref.WeakSet[PanelWidget]" = weakref.WeakSet()
_looks = 0  # how often a browser has drawn a widget of this kernel


class Model(anywidget.AnyWidget):
    """A widget in the browser. `hear` is called with what a view of it says."""

    assets = traitlets.Unicode().tag(sync=True)
    view = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)
    static_id = traitlets.Unicode().tag(sync=True)

    def __init__(self, esm: str, hear: Callable[[dict[str, Any]], None], **state: Any) -> None:
        super().__init__(_esm=esm, **state)
        self.on_msg(lambda _, content, __: hear(content))


class PanelWidget:
    """One panel, empty until the first `refresh`, so that it opens at once.

    Its `model` has the state `view`, a `Panel` of the schema or None; `static_id` names the static HTML that the live
    panel hides; `kept` are packed answers that need no kernel, from `kept_answers.join`. `look` is called where a
    browser draws it, and `brief` leaves out of a panel what others say.
    """

    def __init__(self, recording: Recording, *, has_quiz: bool = False) -> None:
        self._recording = recording
        self._has_quiz = has_quiz
        self._sent: tuple[int, object] = -1, None
        self.look: Callable[[], None] = lambda: None
        self.brief: Callable[[Panel], Panel] = lambda panel: panel
        self.static_id = f"jitviz-static-{secrets.token_hex(6)}"
        assets = _shared_assets()
        self.model = Model(
            read_text("loader.js"),
            self.reply,
            static_id=self.static_id,
            assets=f"anywidget:{assets.model_id}",
            layout=assets.layout,  # one of its own would be sent with each panel
        )
        _panels.add(self)

    def refresh(self) -> None:
        """Send the panel again if the recording has grown. May be called from any thread."""
        moment = len(self._recording.events), self._recording.newest_beat
        if moment != self._sent:
            self._sent = moment
            self.model.view = pack_panel(self.brief(shape_panel(self._recording, PANEL, has_quiz=self._has_quiz)))

    def settle(self, panel: Panel, kept: KeptAnswers) -> None:
        """Send the panel of a finished recording, and the kept answers about its programs."""
        self._sent = len(self._recording.events), self._recording.newest_beat
        with self.model.hold_sync():
            self.model.kept = join(kept)
            self.model.view = pack_panel(replace(panel, not_kept=kept.note))

    def let_go(self, recordings: Sequence[Recording]) -> None:
        """Answer no more questions about a recording, if it is one of these, and hold it no longer."""
        if any(self._recording is dropped for dropped in recordings):
            self._recording, self.look = _DROPPED, lambda: None

    def reply(self, message: dict[str, Any]) -> None:
        """Answer a question of a view. An abort needs no reply: the answer was sent already, or nobody waits for it."""
        if message["type"] == "look":
            global _looks
            _looks += 1
            self.look()
        if message["type"] != "ask":
            return
        try:
            if self._recording is _DROPPED:
                raise UnansweredError("This recording was dropped by %jitviz clear.")
            packed = pack(answer(self._recording, message["kind"], message["params"]))
        except UnansweredError as refusal:
            self.model.send({"type": "error", "id": message["id"], "error": str(refusal)})
        else:
            self.model.send({"type": "answer", "id": message["id"]}, [packed])


def let_go(recordings: Sequence[Recording]) -> None:
    """Let the panels of these recordings go on without them: a comm keeps its panel, and that kept its recording."""
    for panel in list(_panels):
        panel.let_go(recordings)


def is_shown() -> bool:
    """Whether a browser has drawn a widget of this kernel."""
    return _looks > 0


_assets: Model | None = None
_lock = system.Lock()


def _shared_assets() -> Model:
    """The one widget of this kernel that carries the bundle, for the panels to ask for `render`; made again if it was
    closed."""
    global _assets
    with _lock:
        if _assets is None or _assets.comm is None:
            _assets = Model(write_bundle(), lambda _: None)
        return _assets


_CODES_OF = {tuple[int, ...]: "i", tuple[float, ...]: "d"}  # 32 and 64 bits
_CODES = {name: _CODES_OF[hint] for name, hint in get_type_hints(Timeline).items() if hint in _CODES_OF}  # by column
_DIGITS = 6
_FEW = 8  # numbers; fewer take less room as JSON than as a named buffer


def pack_panel(panel: Panel) -> dict[str, Any]:
    """The trait `view`: a panel as JSON, with the columns of its timeline as little-endian bytes. In the parts of the
    panel, fields with their default value are left out."""
    packed = {name: _brief(value) for name, value in vars(panel).items() if name != "timeline"}
    packed["timeline"] = {
        name: _bytes(column, _CODES[name]) if name in _CODES and len(column) >= _FEW else _brief(column)
        for name, column in vars(panel.timeline).items()
    }
    return packed


def _bytes(column: Sequence[float], code: str) -> bytes:
    packed = array(code, column)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _brief(value: Any) -> Any:
    """JSON without the fields that have their default value, as most fields of a row do, and with rounded seconds."""
    if is_dataclass(value):
        items = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _brief(item) for field, item in items if item != field.default}
    if isinstance(value, tuple | list):
        return [_brief(item) for item in value]
    return round(value, _DIGITS) if isinstance(value, float) else value
