"""The command line: `jitviz run`, `show`, `now`, `diff`, `lock`, `try`, `mcp` and `demo`.

In: arguments.  Out: the exit status of a command.
Must never: import jax before the user's program does, or need it to show a recording.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from . import __version__
from .commands import demo, diff, lock, mcp, now, run, show, try_edit
from .commands.parsers import Parser, RefusedError, complain


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, or 2 for input that it cannot use."""
    parser = Parser(
        prog="jitviz",
        description="See what JAX's JIT compilation did: what was traced, what compiled, how long it took, and why.",
        epilog="`jitviz COMMAND --help` describes a command.",
    )
    parser.add_argument("--version", action="version", version=f"jitviz {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in (run, show, now, diff, lock, try_edit, mcp, demo):
        command.add(commands)
    for each in commands.choices.values():
        each.allow_abbrev = False
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        commands.choices.get(options.command, parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.command is None:
        parser.error(f"name a command: {', '.join(commands.choices)}")
    has_stdout = options.command not in ("run", "lock")  # where stdout belongs to the program
    if has_stdout and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr does: an encoding may lack what is shown
    try:
        status = int(options.main(options))
        if has_stdout:
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that Python's last flush does not complain
        return 0
    except RefusedError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    complain(f"jitviz {options.command}: {problem}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
