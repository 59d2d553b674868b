"""What several commands share: an option, checks of paths, and a line on what takes its time.

In: the parser of a command, or paths.  Out: the parser with the option, or a refusal; a line on stderr with the time so
far, from the first second on, which is gone when a step ends.
Must never: tell progress anywhere but on a terminal, while a program of the user's does, or import rich before it is
needed.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from threading import Timer
from typing import NoReturn, TextIO, TypeAlias

from ..model.printable import one_line, print_safely
from ..recording import RefusedError as RefusedError  # `__main__` and the commands catch and raise it

_NOT_KNOWN = re.compile(r"(?:invalid choice: '|unrecognized arguments: )([^' ]+)")
_WIDEST = 120  # longer lines are hard to read
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  # it has no other name
_AFTER_S = 1.0


def complain(problem: str) -> None:
    """Say on stderr, in one line, what went wrong."""
    print_safely(one_line(problem), file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints name arguments without their control characters, and what may have been meant."""

    def error(self, message: str) -> NoReturn:
        given = _NOT_KNOWN.search(message)
        choices = [choice for action in self._actions for choice in action.choices or ()]
        names = {name.lstrip("-"): name for name in (*self._option_string_actions, *map(str, choices))}
        meant = get_close_matches(given[1].lstrip("-"), names, 1) if given else []
        hints = [names[name] for name in meant]
        if given and not hints and given[1].endswith(".py"):
            hints = [f"{self.prog} run {given[1]}"]
        super().error(one_line(message) + "".join(f". Did you mean {hint}?" for hint in hints))


def add_width(parser: argparse.ArgumentParser) -> None:
    """Add an option for the width of text."""
    default = min(shutil.get_terminal_size().columns, _WIDEST)
    text = "characters per line (default: the terminal's)"
    parser.add_argument("--width", type=at_least(40), default=default, metavar="N", help=text)


def at_least(least: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"give a whole number, at least {least}")
        return int(text)

    return read


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
    """Check that each of these files can be written and is given once, before any work is done for it."""
    taken = [path.resolve() for path in inputs]
    for path in outputs:
        if path is None:
            continue
        if path.resolve() in taken:
            raise RefusedError(f"{path} is given twice. Write each output to a file of its own.")
        taken.append(path.resolve())
        if not path.parent.is_dir():
            raise RefusedError(f"{path}: there is no folder {path.parent}. Make it first.")
        is_new = not path.exists()
        path.open("ab").close()
        if is_new:
            path.unlink()


@contextmanager
def progress(doing: str, stream: TextIO | None = None) -> Iterator[None]:
    """Tell that this is being done, if it takes more than a second; on stderr, or on what was stderr."""
    stream = stream or sys.stderr
    if stream is None or stream.closed or not stream.isatty():
        yield
        return
    shown = ExitStack()
    timer = Timer(_AFTER_S, _show, (doing, stream, shown))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        shown.close()


def _show(doing: str, stream: TextIO, shown: ExitStack) -> None:
    with suppress(ImportError):  # `pip install --no-deps` brings no other package
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        bar = Progress(
            *columns, console=Console(file=stream), transient=True, redirect_stdout=False, redirect_stderr=False
        )
        bar.add_task(doing)
        bar.tasks[0].start_time = bar.get_time() - _AFTER_S
        if bar.console.is_interactive:  # a simple terminal cannot take a line back
            shown.enter_context(bar)
