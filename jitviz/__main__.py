"""`jitviz run`, `jitviz show` and `jitviz demo`, for scripts and saved recordings.

In: the command line.  Out: text on the terminal, files where asked for, an exit status.
Must never: need jax to show a recording, or change what a script that it runs would do by itself.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from . import __version__
from .recording import Recording, load

_WIDEST = 120  # longer lines are hard to read


class RefusedError(Exception):
    """Something the user can mend; the message says how."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 2 for what the user can mend, else that of the script."""
    options = _parser().parse_args(arguments)
    commands = {"run": _run, "show": _show, "demo": _demo}
    try:
        return commands[options.command](options)
    except RefusedError as error:
        told = str(error)
    except OSError as error:
        told = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    print(f"jitviz {options.command}: {told}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jitviz", description="See what JAX's JIT compilation did: what was traced, what compiled, and why."
    )
    parser.add_argument("--version", action="version", version=f"jitviz {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run",
        help="run a script, and show what its jitted functions did",
        epilog="jax is imported before the script runs, so set JAX_PLATFORMS and the like in the shell.",
    )
    run.add_argument("--save", type=Path, metavar="PATH", help="write the recording here, event by event")
    run.add_argument("--html", type=Path, metavar="PATH", help="write a page that opens offline")
    run.add_argument("--width", type=_width, default=None, metavar="N", help="characters a line")
    run.add_argument("script", type=Path, help="the Python file to run")
    run.add_argument("args", nargs=argparse.REMAINDER, help="arguments of the script")

    show = commands.add_parser("show", help="show a saved recording; jax is not needed")
    show.add_argument("recording", type=Path, help="a file that --save, Recording.save() or %%jitviz save wrote")
    show.add_argument("--html", type=Path, metavar="PATH", help="write a page that opens offline")
    show.add_argument("--width", type=_width, default=None, metavar="N", help="characters a line")

    demo = commands.add_parser("demo", help="run the start of the first notebook, and show what it found")
    demo.add_argument("--html", type=Path, default=Path("jitviz-demo.html"), metavar="PATH", help="where the page goes")
    demo.add_argument("--lab", action="store_true", help="open the notebook in JupyterLab instead")
    return parser


def _width(text: str) -> int:
    width = int(text)
    if width < 40:
        raise argparse.ArgumentTypeError("a panel needs 40 characters at least")
    return width


def _run(options: argparse.Namespace) -> int:
    from .capture import record

    source = options.script.read_bytes()
    with record(options.script.name) as recording:
        if options.save:
            recording.save(options.save)  # from now on the file holds all that is known, also if the script is killed
        status = _run_as_main(options.script, source, options.args)
    _print(recording, options)
    if options.save:
        print(f"recording: {options.save}")
    return status


def _show(options: argparse.Namespace) -> int:
    try:
        recording = load(options.recording)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    _print(recording, options)
    return 0


def _demo(options: argparse.Namespace) -> int:
    from . import demo

    missing = demo.find_missing()
    if missing:
        raise RefusedError(f'{", ".join(missing)} is missing: pip install "jitviz[lab]"')
    if options.lab:
        return demo.open_lab()
    demo.run_notebook(options.html, _terminal_width())
    return 0


def _print(recording: Recording, options: argparse.Namespace) -> None:
    from .display.text import render

    width = options.width or _terminal_width()
    print(render(recording, width=width))
    if options.html:
        print(f"page: {recording.to_html(options.html)}")


def _terminal_width() -> int:
    return min(shutil.get_terminal_size().columns, _WIDEST)


def _run_as_main(script: Path, source: bytes, args: list[str]) -> int:
    """Run the script as `python SCRIPT ARGS` would, and return its exit status; its errors are printed as always."""
    module = ModuleType("__main__")
    module.__file__ = str(script)
    before = sys.argv, sys.path[0], sys.modules["__main__"]
    sys.argv, sys.path[0], sys.modules["__main__"] = [str(script), *args], str(script.resolve().parent), module
    try:
        exec(compile(source, str(script), "exec"), module.__dict__)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001  # as Python itself does at the end of a script
        frames = error.__traceback__.tb_next if error.__traceback__ else None  # the first is this one
        traceback.print_exception(error.with_traceback(frames))
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        sys.argv, sys.path[0], sys.modules["__main__"] = before
    return 0


if __name__ == "__main__":
    sys.exit(main())
