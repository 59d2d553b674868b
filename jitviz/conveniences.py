"""What a recording does for its user with the help of layers above it: findings, pages, texts.

In: a function for each name, handed in by `jitviz/__init__.py`, that imports its layer when it is called.
Out: these functions, for the methods of `Recording`.
"""

from collections.abc import Callable
from typing import Any

offered: dict[str, Callable[..., Any]] = {}
