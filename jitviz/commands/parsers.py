"""What the command lines of all commands share.

In: the parser that a command is added to.  Out: its own parser.
Must never: do what a command does.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from typing import TypeAlias

_WIDEST = 120  # longer lines are hard to read

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  # it has no other name


def add_parser(
    commands: Commands,
    main: Callable[[argparse.Namespace], int],
    name: str,
    short: str,
    *,
    description: str,
    usage: str | None = None,
    epilog: str = "",
) -> argparse.ArgumentParser:
    """A command that `main` runs. `short` is its line in `jitviz --help`."""
    parser = commands.add_parser(
        name, help=short, usage=usage, description=description, epilog=epilog, allow_abbrev=False
    )
    parser.set_defaults(main=main, parser=parser)
    return parser


def add_width(parser: argparse.ArgumentParser) -> None:
    """Let the user say how wide text may be."""
    parser.add_argument("--width", type=_width, metavar="N", help="characters per line (default: the terminal's)")


def text_width(options: argparse.Namespace) -> int:
    """How wide text may be."""
    return int(getattr(options, "width", None) or min(shutil.get_terminal_size().columns, _WIDEST))


def _width(text: str) -> int:
    width = int(text)
    if width < 40:
        raise argparse.ArgumentTypeError("a panel needs at least 40 characters")
    return width
