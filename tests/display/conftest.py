"""The messages of widgets, without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import ipywidgets
import pytest
import traitlets
from ipywidgets import Widget

if int(ipywidgets.__version__[0]) < 8:
    from ipykernel.comm import Comm as BaseComm

    CREATE = "ipywidgets.widgets.widget.Comm"
else:
    from comm.base_comm import BaseComm

    CREATE = "comm.create_comm"


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

        if int(ipywidgets.__version__[0]) < 8:
            _publish_msg = publish_msg
            kernel = traitlets.Any(SimpleNamespace(shell=None, comm_manager=SimpleNamespace(unregister_comm=id)))

            def open(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
                self._closed = False
                self.publish_msg("comm_open", data, metadata, buffers)

    monkeypatch.setattr(CREATE, Kept)
    monkeypatch.setattr("jitviz.display.widget._assets", None)
    yield comms
    Widget.close_all()
