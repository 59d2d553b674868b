"""`jitviz mcp`: a server of the Model Context Protocol, so that assistants read recordings instead of pasted logs.

In: questions of a client on stdin.  Out: answers on stdout, in the words of the panel, each of at most 6 kB.
Must never: listen on a network, write anything, or run a program unless `try` is asked for, which changes no file.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, get_args

from ..display.access import Access
from ..display.outline import outline_account, outline_findings, outline_overview, outline_verdict
from ..display.text import explain
from ..display.wrapped_lines import write
from ..findings.comparison import compare
from ..findings.last_activity import tell_state
from ..findings.predictions import predict_types
from ..model import Compile, ListingName, split_source
from ..model.printable import one_line, printed
from ..recording import Recording, load
from ..views import TERMINAL, shape_panel
from ..views.program import shape_links, shape_listing
from .now import files_of
from .parsers import Commands, RefusedError

MOST_BYTES = 6000
_WIDTH = 120
_ACCESS = Access("findings(number={number})", "", "")
_INSTRUCTIONS = (
    "Recordings of what JAX's JIT compilation did. Begin with `findings`. `recording` is a file, a folder (its newest "
    "file) or the number of a running process; without it, the newest recording of where the server was started."
)


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "mcp",
        help="serve recordings to an assistant, over the Model Context Protocol",
        description="Answer an assistant's questions about recordings. It needs mcp: pip install 'jitviz[mcp]'.",
        epilog='example, in the settings of a client: {"command": "jitviz", "args": ["mcp", "runs"]}',
    )
    parser.set_defaults(main=_main)
    text = "a recording, a folder, or the number of a process that writes one (default: this folder)"
    parser.add_argument("place", nargs="?", default=".", metavar="FILE | DIR | PID", help=text)


def _main(options: argparse.Namespace) -> int:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ModuleNotFoundError:
        raise RefusedError("the package mcp, 2.0 or newer, is missing: pip install 'jitviz[mcp]'") from None

    server = MCPServer("jitviz", instructions=_INSTRUCTIONS, log_level="ERROR")
    tools = Tools(options.place)
    for tool in (tools.findings, tools.account, tools.compile, tools.program, tools.compare, tools.predict, try_edit):
        name = "try" if tool is try_edit else tool.__name__
        reads_only = ToolAnnotations(read_only_hint=tool is not try_edit)
        server.tool(name, annotations=reads_only, structured_output=False)(_bounded(tool, ToolError))
    server.run("stdio")
    return 0


def _bounded(tool: Callable[..., str], refusal: type[Exception]) -> Callable[..., str]:
    """The tool with bounded answers and refusals; these become those of the SDK, which are shown to the client."""

    @wraps(tool)
    def answer(*args: Any, **kwargs: Any) -> str:
        try:
            return _short(tool(*args, **kwargs))
        except (RefusedError, LookupError, OSError) as error:
            raise refusal(_short(one_line(str(error)))) from None

    return answer


def _short(text: str) -> str:
    """At most so many bytes of a text, without control characters."""
    whole = printed(text).encode(errors="backslashreplace")
    if len(whole) <= MOST_BYTES:
        return whole.decode()
    kept = whole[: MOST_BYTES - 100].decode(errors="ignore")
    kept = kept.rpartition("\n")[0] or kept
    return f"{kept}\n… and {len(whole.splitlines()) - len(kept.splitlines()):,} more lines"


class Tools:
    """What is answered about the recordings at a place. The docstrings are what the client reads."""

    def __init__(self, place: str) -> None:
        self._place = place

    def findings(self, recording: str = "", number: int = 0) -> str:
        """What is worth fixing, most savings first, each with one thing to do; with a number, one with its code."""
        read = self._load(recording)
        panel = shape_panel(read, TERMINAL)
        if not number:
            lines = [*outline_verdict(panel.verdict), *outline_overview(panel, _WIDTH)]
            lines += outline_findings(panel.findings, panel.n_more_findings, _ACCESS)
            return "\n".join([tell_state(read), *write(lines, _WIDTH)]).strip()
        if not 1 <= number <= len(panel.findings):
            raise RefusedError(f"there is no finding {number}; the recording has {len(panel.findings)}")
        edit = read.findings[number - 1].edit
        told = list(write(outline_findings(panel.findings[number - 1 : number], 0), _WIDTH, has_listings=True))
        told += ["", f"edit of {edit.file}, line {edit.line}:", edit.old, "becomes", edit.new] if edit else []
        return "\n".join(told)

    def account(self, recording: str = "") -> str:
        """Where the wall time went: tracing, lowering, compiling, running, Python; by function and line."""
        return "\n".join(write(outline_account(shape_panel(self._load(recording), TERMINAL).account), _WIDTH))

    def compile(self, function: str, version: int = 0, recording: str = "") -> str:
        """One compile of a function: its phases, and why it compiled; the newest version unless one is given."""
        return explain([_find(self._load(recording), function, version)])

    def program(self, line: str, recording: str = "", function: str = "") -> str:
        """What a line of source ("train.py:12", "In [3]:4") became: its jaxpr, StableHLO and optimised HLO."""
        read, (file, number) = self._load(recording), split_source(line)
        for row in reversed(read.compiles):
            if function in ("", row.function) and (found := "\n".join(_around(read, row, file, number))):
                return f"{row.function}, version {row.version}\n{found}"
        raise RefusedError(f"no program that was kept has operations from {line}")

    def compare(self, before: str, after: str = "") -> str:
        """What changed between two recordings: which causes are gone, new, more expensive or cheaper."""
        return str(compare(self._load(before), self._load(after)))

    def predict(self, function: str, types: dict[str, str], version: int = 0, recording: str = "") -> str:
        """Whether a call with other array types of some leaves, {"x": "f32[104,2]"}, would hit or compile, and why."""
        read = self._load(recording)
        return str(predict_types(read, _find(read, function, version), types))

    def _load(self, place: str) -> Recording:
        """The recording at a place, the newest of several."""
        found = [path for path in files_of(place or self._place) if path.exists()]
        if not found:
            raise RefusedError(f"{place or self._place}: no recordings here. Record with jitviz run --save P.")
        return load(max(found, key=lambda path: path.stat().st_mtime))


def try_edit(before: str, after: str = "", finding: int = 0) -> str:
    """Run a script as it is, changed (as `after`, or by the edit of a finding), and again; say whether it holds."""
    chosen = ["--finding", str(finding)] * bool(finding)
    command = [sys.executable, "-m", "jitviz", "try", *chosen, "--", *filter(None, (before, after))]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise RefusedError(done.stderr.strip())
    return done.stdout.strip()


def _find(recording: Recording, function: str, version: int) -> Compile:
    found = [row for row in recording.compiles if row.function == function and version in (0, row.version)]
    if not found:
        known = dict.fromkeys(f"{row.function}, version {row.version}" for row in recording.compiles)
        raise RefusedError(f"no such version was compiled; there are: {'; '.join(known) or 'none'}")
    return found[-1]


def _around(recording: Recording, row: Compile, file: str, line: int) -> Iterator[str]:
    """The lines of each program text that come from a line of source, by its number."""
    try:
        links = shape_links(recording, row.index)
    except LookupError:
        return
    frames = zip(links.frames.file, links.frames.line, strict=True)
    here = {
        at
        for at, (of, number) in enumerate(frames)
        if number == line and file in (links.files[of], Path(links.files[of]).name)
    }
    inside: set[int] = set()  # the call stacks that pass through the line
    for stack, (frame, parent) in enumerate(zip(links.stacks.frame, links.stacks.parent, strict=True)):
        if frame in here or parent in inside:
            inside.add(stack)
    for name in get_args(ListingName):
        origins = getattr(links, name)
        wanted = sorted({at for at, stack in zip(origins.line, origins.stack, strict=True) if stack in inside})
        if wanted:
            lines = shape_listing(recording, row.index, name).splitlines()
            yield from (f"{name}:", *(f"{at + 1:>4} {lines[at]}" for at in wanted))
