"""The messages of widgets, without a browser."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
import traitlets

from jitviz.display.widget import PanelWidget

try:
    from comm.base_comm import BaseComm
except ModuleNotFoundError:
    from ipykernel.comm import Comm as BaseComm

IS_OLD = not hasattr(BaseComm, "publish_msg")


@dataclass
class Sent:
    """One message of a widget to the browser."""

    widget: str
    kind: str
    data: dict[str, Any]
    buffers: list[bytes]

    @property
    def nbytes(self) -> int:
        return len(json.dumps(self.data)) + sum(map(len, self.buffers))


@dataclass
class Comms:
    """All messages of all widgets, oldest first; `say` plays the browser."""

    sent: list[Sent] = field(default_factory=list)

    def of(self, widget: PanelWidget) -> list[Sent]:
        return [message for message in self.sent if message.widget == widget.model.model_id]

    def view_of(self, widget: PanelWidget) -> dict[str, Any] | None:
        """The newest view, without the columns that were sent as bytes."""
        states = [message.data.get("state", {}) for message in self.of(widget)]
        newest: dict[str, Any] | None = [state["view"] for state in states if "view" in state][-1]
        return newest

    def say(self, widget: PanelWidget, content: object, method: str = "custom") -> list[Sent]:
        """Send a message of a view, and return the kernel's replies."""
        before = len(self.sent)
        comm: Any = widget.model.comm
        comm.handle_msg({"content": {"data": {"method": method, "content": content}}, "buffers": []})
        return self.sent[before:]


@pytest.fixture
def comms(monkeypatch: pytest.MonkeyPatch) -> Comms:
    """Records the messages of the test's widgets."""
    comms = Comms()

    class Kept(BaseComm):
        def publish_msg(
            self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any
        ) -> None:
            comms.sent.append(Sent(self.comm_id, msg_type, data, [bytes(one) for one in buffers or ()]))

        if IS_OLD:
            _publish_msg = publish_msg
            kernel = traitlets.Any(SimpleNamespace(shell=None, comm_manager=SimpleNamespace(unregister_comm=id)))

            def open(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
                self._closed = False
                self.publish_msg("comm_open", data, metadata, buffers)

    if IS_OLD:
        monkeypatch.setattr("ipywidgets.widgets.widget.Comm", Kept)
    else:
        monkeypatch.setattr("comm.create_comm", Kept)
    monkeypatch.setattr("jitviz.display.widget._assets", None)
    return comms
