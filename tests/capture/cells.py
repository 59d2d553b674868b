"""Code that was never in a file: compiled under the file name that a kernel gives to a cell."""

import itertools
import linecache
from typing import Any

from jitviz.capture import sources

_numbers = itertools.count(1)


def run_cell(text: str, label: str, monkeypatch: Any, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run `text` as a notebook runs a cell called `label`, and return its namespace, which begins with `given`."""
    filename = f"/tmp/ipykernel_1/{next(_numbers)}.py"
    monkeypatch.setitem(linecache.cache, filename, (len(text), None, text.splitlines(keepends=True), filename))
    before = sources._cell_of
    name_cell = lambda asked: label if asked == filename else before(asked) if before is not None else None  # noqa: E731
    monkeypatch.setattr(sources, "_cell_of", name_cell)
    names: dict[str, Any] = {"__name__": "__main__", **(given or {})}
    exec(compile(text, filename, "exec"), names)
    return names
