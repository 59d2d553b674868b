"""The same widget as in `comm_model`, by anywidget itself, where that is loaded or expected.

In: its state.  Out: an anywidget.
"""

from typing import Any

import anywidget
import traitlets

from .comm_model import Hear


class AnyModel(anywidget.AnyWidget):
    """A widget. `hear` is called with what a view of it says."""

    assets = traitlets.Unicode().tag(sync=True)
    view = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)
    static_id = traitlets.Unicode().tag(sync=True)

    def __init__(self, esm: str, state: dict[str, Any], hear: Hear) -> None:
        super().__init__(_esm=esm, **state)
        self.on_msg(lambda _, content, __: hear(content))

    def set(self, **changed: Any) -> None:
        """Change some of the state."""
        with self.hold_sync():
            for name, value in changed.items():
                setattr(self, name, value)

    @property
    def is_open(self) -> bool:
        """Whether a browser can still be reached."""
        return self.comm is not None
