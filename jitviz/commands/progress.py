"""What a command is doing while it takes its time.

In: a few words for each step.  Out: a line on stderr with the time so far, from the first second on, which is gone when
the step ends.
Must never: write anywhere but to a terminal, while a program of the user's does, or import rich before it is needed.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Timer
from typing import TextIO

_AFTER_S = 1.0


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
