"""A widget of anywidget's over a comm of the kernel, without `ipywidgets` and its sixty classes.

In: its state.  Out: the messages that a browser expects of any widget, and what the browser says.
Must never: be used where `ipywidgets` is loaded, which answers for all widgets once a page is loaded again.

The protocol: https://github.com/jupyter-widgets/ipywidgets/blob/main/packages/schema/messages.md
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

Hear = Callable[[dict[str, Any]], None]


class CommModel:
    """A widget. `hear` is called with what a view of it says."""

    def __init__(self, esm: str, state: dict[str, Any], hear: Hear) -> None:
        self._state = _of_anywidget() | {"_esm": esm} | state
        self._hear = hear
        content, buffers = _split(self._state)
        self._comm = _opener()("jupyter.widget", data=content, buffers=buffers, metadata={"version": "2.0.0"})
        self._comm.on_msg(self._receive)
        self.model_id: str = self._comm.comm_id

    def set(self, **changed: Any) -> None:
        """Change some of the state."""
        self._state |= changed
        self._send_state(changed)

    def send(self, content: dict[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """Send a message to all views."""
        self._comm.send({"method": "custom", "content": content}, buffers=list(buffers))

    @property
    def is_open(self) -> bool:
        """Whether a browser can still be reached."""
        return not self._comm._closed  # noqa: SLF001  # `comm` and `ipykernel` have no public name for it

    def _send_state(self, state: dict[str, Any]) -> None:
        content, buffers = _split(state)
        self._comm.send({"method": "update", **content}, buffers=buffers)

    def _receive(self, message: dict[str, Any]) -> None:
        said = message["content"]["data"]
        if said["method"] == "request_state":  # a page was loaded again
            self._send_state(self._state)
        elif said["method"] == "custom":
            self._hear(said["content"])


def _split(state: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The state, and apart from it the bytes in it: columns of a timeline, and packed answers."""
    buffers: dict[tuple[str, ...], bytes] = {}

    def without(value: Any, *path: str) -> Any:
        for name, item in value.items():
            if isinstance(item, bytes):
                buffers[*path, name] = item
        return {name: item for name, item in value.items() if not isinstance(item, bytes)}

    state = dict(state)
    if state.get("kept"):
        state["kept"] = without(state["kept"], "kept")
    if state.get("view"):
        timeline = without(state["view"]["timeline"], "view", "timeline")
        state["view"] = state["view"] | {"timeline": timeline}
    return {"state": state, "buffer_paths": list(map(list, buffers))}, list(buffers.values())


@cache
def _of_anywidget() -> dict[str, Any]:
    """What is the same for all widgets of anywidget's. Colab must allow them first.

    Raises:
        PackageNotFoundError: anywidget is not installed.
    """
    if colab := sys.modules.get("google.colab.output"):
        colab.enable_custom_widget_manager()
    major, minor, _ = version("anywidget").split(".", 2)
    kind: dict[str, Any] = {}
    for part, name in (("model", "AnyModel"), ("view", "AnyView")):
        kind |= {
            f"_{part}_module": "anywidget",
            f"_{part}_module_version": f"~{major}.{minor}.*",
            f"_{part}_name": name,
        }
    return kind | {"_anywidget_id": "jitviz", "_dom_classes": [], "layout": None, "tabbable": None, "tooltip": None}


@cache
def _opener() -> Callable[..., Any]:
    """The function that opens a comm of the running kernel."""
    try:
        from comm import create_comm

        return create_comm
    except ModuleNotFoundError:  # ipykernel 6.17, which Colab has
        from ipykernel.comm import Comm

        return Comm
