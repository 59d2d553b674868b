"""Whole outputs as expected files next to the tests.

After an intended change, `UPDATE_GOLDEN=1 pytest tests/display` rewrites them; `git diff` shows the changes.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def matches(name: str, text: str) -> bool:
    """Whether the file `name` holds `text`."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text + "\n", encoding="utf-8")
    if not path.exists():
        return False
    return path.read_text(encoding="utf-8") == text + "\n"
