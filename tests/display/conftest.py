"""The messages of widgets, without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm
from ipywidgets import Widget


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

    def of(self, widget: Widget) -> list[Sent]:
        return [message for message in self.sent if message.widget == widget.model_id]

    def say(self, widget: Widget, content: object) -> list[Sent]:
        """Send a message of a view, and return the kernel's replies."""
        before = len(self.sent)
        widget.comm.handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
        return self.sent[before:]


@pytest.fixture
def comms(monkeypatch: pytest.MonkeyPatch) -> Iterator[Comms]:
    """Records the messages of the test's widgets."""
    comms = Comms()

    class Kept(BaseComm):
        def publish_msg(
            self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any
        ) -> None:
            comms.sent.append(Sent(self.comm_id, msg_type, data, [bytes(one) for one in buffers or ()]))

    monkeypatch.setattr(comm, "create_comm", Kept)
    monkeypatch.setattr("jitviz.display.widget._assets", None)
    yield comms
    Widget.close_all()
