"""What each panel of a notebook would say again: the limits of the capture, and the versions of packages.

In: a `Panel`, and the cell beneath which it stands.  Out: the panel, without what stands beneath another cell.
"""

from collections.abc import Hashable
from dataclasses import replace

from ..views import Panel

_said: dict[str, Hashable] = {}  # of this kernel: each sentence, and the cell beneath which it stands


def say_once(panel: Panel, cell: Hashable) -> Panel:
    """A cell that is run again says again what it said."""

    def is_here(text: str) -> bool:
        return _said.setdefault(text, cell) == cell

    made_with = panel.made_with if is_here(panel.made_with) else ""
    return replace(panel, limits=tuple(filter(is_here, panel.limits)), made_with=made_with)
