"""The user's source that a program came from, as it stood when it was compiled.

In: names of files, and lines of theirs.  Out: JSON, [{"file": label, "first": line from 1, "text": ...}, ...].
Must never: fail where there is no source, read a file of a library's, or read a file twice for the same lines.

A cell is told of as a whole; of a file, the top-level statements and the methods that hold a line. A later miss may
find the cell redefined, which is why the text is kept with each.
"""

from __future__ import annotations

import ast
import json
import linecache
import math
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from ...jaxcompat.texts.python import parse
from ...recording.redaction import redacted
from ..source_lines import lines_of, modified_s
from ..sources import file_label

MOST = 2_000  # lines of one program


def excerpts(files: dict[str, set[int]], at_s: float = math.inf) -> str:
    """The stretches of some files that hold some lines of them, at most `MOST` lines, as they were at `at_s`."""
    found: list[dict[str, object]] = []
    left = MOST
    for name, wanted in files.items():
        written_s = modified_s(name)
        is_file = written_s is not None
        lines = tuple(lines_of(name) if written_s is None else _lines_at(name, written_s, at_s))
        for first, last in _stretches(lines, wanted) if is_file else [(1, len(lines))]:
            kept = lines[first - 1 : min(last, first - 1 + left)]
            left -= len(kept)
            if kept:
                found.append({"file": file_label(name), "first": first, "text": redacted("".join(kept))})
    return json.dumps(found)


def _lines_at(name: str, written_s: float, at_s: float) -> list[str]:
    """The lines of a file, which may have been edited and reloaded before, and edited again after that moment."""
    if written_s <= at_s:
        linecache.checkcache(name)
    elif name not in linecache.cache:
        return []
    return lines_of(name)


def _stretches(lines: tuple[str, ...], wanted: set[int]) -> list[tuple[int, int]]:
    """(first, last) line of each stretch that holds one of `wanted`, in order; neighbours are one stretch."""
    parts = _parts(lines)
    starts = [first for first, _ in parts]
    found: list[tuple[int, int]] = []
    for line in sorted(line for line in wanted if 1 <= line <= len(lines)):
        place = bisect_right(starts, line) - 1
        first, last = parts[place] if place >= 0 and line <= parts[place][1] else (line, line)
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


@lru_cache(maxsize=64)  # of files that do not change, while one function after the other is compiled
def _parts(lines: tuple[str, ...]) -> list[tuple[int, int]]:
    """(first, last) line of each top-level statement, and of each in the body of a class, by first line."""
    tree = parse("".join(lines))
    return [] if tree is None else list(_statements(tree.body))  # None: it is another file since it was imported


def _statements(body: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    for statement in body:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(part.lineno for part in decorators)])
        last = statement.end_lineno or statement.lineno
        if isinstance(statement, ast.ClassDef) and statement.body:
            yield first, statement.body[0].lineno - 1
            yield from _statements(statement.body)
        else:
            yield first, last
