"""The `%%filterjit` line at the head of a cell: its options, and the cell without that line.

In: the text of a cell.  Out: a `Request`, or the lines for IPython to run; what a mistyped word may have meant.
Must never: hold state or look at the shell. IPython also transforms texts that it does not run (completeness checks,
`%%time`), and some of them twice.

IPython runs the cell itself, so that errors, line numbers, the last value and `await` are those of a plain cell.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import classic_prompt, ipython_prompt, leading_empty_lines, leading_indent
from IPython.core.magic_arguments import MagicArgumentParser

USAGE = "%%filterjit [--cell | -f NAME ...] [--quiz]"
_HEADER = re.compile(r"%%filterjit(?:\s+(?P<options>.*?))?\s*$")


@dataclass(frozen=True)
class Request:
    """The options of a cell. `names` are functions to filter-jit while it runs, `is_whole` filter-jits the cell itself.
    With `has_quiz` the reader guesses before the panel opens.

    `text` starts at the `%%filterjit` line; it is empty if the cell has none. Another cell magic above that line may
    run this text as a cell of its own.
    """

    names: tuple[str, ...] = ()
    text: str = ""
    is_whole: bool = False
    has_quiz: bool = False


def parse_options(line: str) -> Request:
    """The request of a `%%filterjit` line, without the text of the cell. Each name after -f is in it once.

    Raises:
        UsageError: the options are not those of `%%filterjit`.
    """
    parser = MagicArgumentParser("%%filterjit")
    parser.allow_abbrev = False
    parser.add_argument("-f", dest="names", nargs="+", action="extend", default=[], metavar="NAME")
    parser.add_argument("--cell", dest="is_whole", action="store_true")
    parser.add_argument("--quiz", dest="has_quiz", action="store_true")
    try:
        options = parser.parse_argstring(line)
    except (UsageError, ValueError) as error:  # ValueError: an unclosed quotation mark
        word = str(error).rpartition(": ")[2]
        meant = did_you_mean(word, ("--cell", "--quiz")) or f" Did you mean -f {word}?" * word.isidentifier()
        raise UsageError(f"%%filterjit: {error}.{meant} Write {USAGE}; see %%filterjit?.") from None
    if options.is_whole and options.names:
        raise UsageError("%%filterjit: --cell already compiles the functions that the cell calls. Leave out -f.")
    for name in options.names:
        if not name.isidentifier():
            raise UsageError(f"%%filterjit: -f takes names of functions, but {name!r} is not a name. Write {USAGE}.")
    return Request(tuple(dict.fromkeys(options.names)), "", options.is_whole, options.has_quiz)


def did_you_mean(word: str, names: Sequence[str]) -> str:
    """ " Did you mean --quiz?" where one of the names is like a word, else ""."""
    return "".join(f" Did you mean {name}?" for name in get_close_matches(word, names, 1))


def find_request(raw_cell: str) -> Request | None:
    """The request of a cell; None if `%%filterjit` is not among the cell magics at its head. Wrong options also give
    None: the registered magic reports them."""
    lines = raw_cell.splitlines(keepends=True)
    clean: Any  # IPython does not annotate these functions
    for clean in (leading_empty_lines, leading_indent, classic_prompt, ipython_prompt):
        lines = clean(lines)
    headers = [(number, header) for number, line in _magic_lines(lines) if (header := _HEADER.match(line))]
    if not headers:
        return None
    try:
        request = parse_options(" ".join(header["options"] or "" for _, header in headers))
    except UsageError:
        return None
    return replace(request, text="".join(lines[headers[0][0] :]))


class HeaderRemover:
    """The input transformer. It comments out the `%%filterjit` line, so that line numbers do not change.

    If another cell magic follows, it removes the line instead, because a cell magic must be the first line. A line with
    wrong options is left to the registered magic.
    """

    # IPython skips such transformers when it checks whether a cell is complete. It then sees a cell magic, and a
    # terminal waits for the body as for every cell magic.
    has_side_effects = True

    def __call__(self, lines: list[str]) -> list[str]:
        first, line = next(_magic_lines(lines), (0, ""))
        header = _HEADER.match(line)
        if header is None:
            return lines
        try:
            parse_options(header["options"] or "")
        except UsageError:
            return lines[first:]
        rest = lines[first + 1 :]
        following = next((number for number, _ in _magic_lines(rest)), None)
        return [*lines[:first], f"# {line}", *rest] if following is None else self(rest[following:])


def _magic_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The cell magics at the head of a cell, with their line numbers. Blank lines and comments are ignored."""
    for number, line in enumerate(lines):
        if line.startswith("%%"):
            yield number, line
        elif line.strip() and not line.startswith("#"):
            return
