"""Whole outputs as expectations, kept as files beside the tests.

After a change that is meant, `UPDATE_GOLDEN=1 pytest tests/display` writes them anew; `git diff` shows what it changed.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def matches(name: str, text: str) -> bool:
    """Whether `text` is what the file `name` holds."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text + "\n", encoding="utf-8")
    if not path.exists():
        return False
    return path.read_text(encoding="utf-8") == text + "\n"
