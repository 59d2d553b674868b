"""Excerpts of the user's source: the code that a program was traced from, as it was when it was compiled.

In: names of files, and lines of them.  Out: JSON, [{"file": label, "first": line from 1, "text": ...}, ...].
Must never: fail if there is no source, read a file of a library, or read a file twice for the same lines.

The excerpt of a cell is the whole cell; those of a file are the top-level statements and methods that contain one of
the lines. Each miss keeps its own text, since the cell may be redefined before the next one.
"""

import ast
import json
import linecache
import math
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from ...model.python_text import parse
from ...recording.redaction import redacted
from ..sources import file_label, lines_of, modified_s

MOST = 2_000  # lines for one program


def excerpts(files: dict[str, set[int]], at_s: float = math.inf) -> str:
    """The excerpts of files around some of their lines, at most `MOST` lines in total, as they were at `at_s`."""
    found: list[dict[str, object]] = []
    left = MOST
    for name, wanted in files.items():
        written_s = modified_s(name)  # None for a cell
        is_old = written_s is None or written_s <= at_s
        if written_s is not None and is_old:
            linecache.checkcache(name)  # it may have been edited and reloaded before, and edited again afterwards
        lines = tuple(lines_of(name)) if is_old or name in linecache.cache else ()
        for first, last in [(1, len(lines))] if written_s is None else _stretches(lines, wanted):
            kept = lines[first - 1 : min(last, first - 1 + left)]
            left -= len(kept)
            if kept:
                found.append({"file": file_label(name), "first": first, "text": redacted("".join(kept), is_code=True)})
    return json.dumps(found)


def _stretches(lines: tuple[str, ...], wanted: set[int]) -> list[tuple[int, int]]:
    """The (first, last) lines of the statements that contain one of `wanted`, in order; adjacent ones are joined."""
    parts = _parts(lines)
    starts = [first for first, _ in parts]
    stretches: list[tuple[int, int]] = []
    for line in sorted(line for line in wanted if 1 <= line <= len(lines)):
        place = bisect_right(starts, line) - 1
        first, last = parts[place] if place >= 0 and line <= parts[place][1] else (line, line)
        if stretches and first <= stretches[-1][1] + 1:
            stretches[-1] = stretches[-1][0], max(stretches[-1][1], last)
        else:
            stretches.append((first, last))
    return stretches


@lru_cache(maxsize=64)  # many functions of one file are compiled one after the other
def _parts(lines: tuple[str, ...]) -> list[tuple[int, int]]:
    """The (first, last) lines of each top-level statement and each statement in the body of a class, in order."""
    tree = parse("".join(lines))
    return [] if tree is None else list(_statements(tree.body))  # the file may have changed since it was imported


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
