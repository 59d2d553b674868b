"""The `%%filterjit` line at the head of a cell: what it asks for, and the cell without it.

In: the text of a cell.  Out: a `Request`, or the lines that IPython is to run.
Must never: hold state or look at the shell. IPython transforms texts that are not run as well (completeness checks,
`%%time`), and some of them twice.

IPython runs the cell itself, so that errors, line numbers, the last value and `await` are those of a plain cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import classic_prompt, ipython_prompt, leading_empty_lines, leading_indent
from IPython.core.magic_arguments import MagicArgumentParser

USAGE = "%%filterjit [--cell | -f NAME ...] [--quiz] [--profile]"
_OURS = re.compile(r"%%filterjit(?:\s+(?P<options>.*?))?\s*$")
_CLEANED: tuple[Callable[[list[str]], list[str]], ...] = (
    leading_empty_lines,
    leading_indent,
    classic_prompt,
    ipython_prompt,
)


@dataclass(frozen=True)
class Request:
    """What a cell asks for. `names` are functions to filter-jit while it runs; with `is_whole` the cell itself is one.
    With `has_quiz` its reader guesses before the panel is shown; with `has_profile` XLA's passes are noted.

    `served` is the text from the `%%filterjit` line on: where another cell magic stands above that line, it may run
    this text as a cell of its own.
    """

    names: tuple[str, ...] = ()
    served: str = ""
    is_whole: bool = False
    has_quiz: bool = False
    has_profile: bool = False


def parse_options(line: str) -> Request:
    """What the line asks for; of the names given by -f, each once.

    Raises:
        UsageError: the options are not those of `%%filterjit`.
    """
    parser = MagicArgumentParser("%%filterjit")
    parser.allow_abbrev = False
    parser.add_argument("-f", dest="names", nargs="+", action="extend", default=[], metavar="NAME")
    parser.add_argument("--cell", dest="is_whole", action="store_true")
    parser.add_argument("--quiz", dest="has_quiz", action="store_true")
    parser.add_argument("--profile", dest="has_profile", action="store_true")
    try:
        found = parser.parse_argstring(line)
    except (UsageError, ValueError) as error:  # ValueError: a quotation mark is not closed
        raise UsageError(f"%%filterjit: {error}. Write {USAGE}; see %%filterjit?.") from None
    if found.is_whole and found.names:
        raise UsageError("%%filterjit: --cell also compiles the functions of -f. Use one or the other.")
    for name in found.names:
        if not name.isidentifier():
            raise UsageError(f"%%filterjit: -f takes names of functions, and {name!r} is not one. Write {USAGE}.")
    return Request(tuple(dict.fromkeys(found.names)), "", found.is_whole, found.has_quiz, found.has_profile)


def find_request(raw_cell: str) -> Request | None:
    """What the cell asks for; None where it does not begin with `%%filterjit`, alone or among other cell magics.

    Wrong options make no request: the registered magic tells them.
    """
    lines = raw_cell.splitlines(keepends=True)
    for clean in _CLEANED:
        lines = clean(lines)
    found = [(number, ours) for number, line in _magic_lines(lines) if (ours := _OURS.match(line))]
    if not found:
        return None
    try:
        request = parse_options(" ".join(ours["options"] or "" for _, ours in found))
    except UsageError:
        return None
    return replace(request, served="".join(lines[found[0][0] :]))


class HeaderRemover:
    """The input transformer: comments out the `%%filterjit` line, so that line numbers stay as they are.

    Where another cell magic follows, which must be first to be one, the line is dropped instead. A line with wrong
    options is left to the registered magic.
    """

    # IPython skips such transformers when it asks whether a cell is complete. It then sees a cell magic, and a
    # terminal waits for the body as it does for every cell magic.
    has_side_effects = True

    def __call__(self, lines: list[str]) -> list[str]:
        ours = _OURS.match(lines[0]) if lines else None
        if ours is None:
            return lines
        try:
            parse_options(ours["options"] or "")
        except UsageError:
            return lines
        following = next((number for number, _ in _magic_lines(lines[1:])), None)
        return [f"# {lines[0]}", *lines[1:]] if following is None else self(lines[1 + following :])


def _magic_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The cell magics that head a cell, by line number; blank lines between them do not count."""
    for number, line in enumerate(lines):
        if line.startswith("%%"):
            yield number, line
        elif line.strip():
            return
