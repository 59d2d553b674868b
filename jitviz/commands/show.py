"""`jitviz show`: recordings that were saved. With `--follow`, the page of one that grows, served to this machine only.

In: files.  Out: text, JSON or a page; pages for those who know an address, which has a token that cannot be guessed.
Must never: listen beyond loopback, answer another host or origin, or write anything that is not asked for.
"""

import argparse
import secrets
import stat
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path

from ..display.access import in_files
from ..display.text import render
from ..model import system
from ..model.printable import print_safely
from ..recording import Recording, RefusedError, load, merge
from .children import files_at, jobs_of
from .parsers import Commands, add_width, at_least, check_outputs, progress

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add(commands: Commands) -> None:
    show = commands.add_parser(
        "show",
        help="show saved recordings; jax is not needed",
        description="Show a recording as text, and as a page if you want one. Several recordings of one job, one from "
        "each of its processes, are shown together.",
        epilog="example: jitviz show run.jsonl --html run.html",
    )
    show.set_defaults(main=_show, parser=show)
    text = "what `jitviz run --save`, `Recording.save()` or `%%jitviz save` wrote, or a folder of such files"
    show.add_argument("files", type=Path, nargs="+", metavar="FILE", help=text)
    show.add_argument("--html", type=Path, metavar="P", help="write a page that opens offline")
    show.add_argument("--json", action="store_true", help="print the findings as JSON instead of text")
    text = "print what this finding gives to paste, and nothing else"
    show.add_argument("--code", type=at_least(1), metavar="N", help=text)
    text = "serve the page to this machine while the recording grows, until Ctrl-C"
    show.add_argument("--follow", action="store_true", help=text)
    add_width(show)


def _files(given: Path) -> list[Path]:
    found = files_at(given)
    if not found:
        raise RefusedError(f"{given} holds no recordings. JITVIZ={given} in the environment of a run puts them there.")
    return found


def _read(path: Path) -> Recording:
    with progress(f"reading {path.name}"):
        return load(path)


def _show(options: argparse.Namespace) -> int:
    if options.follow:
        if len(options.files) > 1 or options.html or options.json:
            options.parser.error("--follow takes one file and no other output")
        return follow(options.files[0])
    check_outputs([options.html], options.files)
    read = {path: _read(path) for given in options.files for path in _files(given)}
    jobs = jobs_of(list(read.values())) if len(options.files) == 1 and options.files[0].is_dir() else [[*read.values()]]
    if len(jobs) > 1:
        return _show_each(jobs, {id(recording): path for path, recording in read.items()}, options)
    with progress("finding out what is worth fixing"):
        recording = merge(*jobs[0]) if len(jobs[0]) > 1 else jobs[0][0]
        if options.code:
            print_safely(_code(recording, options.code))
            return 0
        access = in_files(list(map(str, options.files)), are_merged=len(read) > 1)
        text = recording.to_json() if options.json else render(recording, width=options.width, access=access)
    print_safely(text)
    if options.html:
        with progress(f"writing {options.html.name}"):
            recording.to_html(options.html)
        if not options.json:
            print_safely(f"page: {options.html}")
    return 0


def _show_each(jobs: list[list[Recording]], paths: dict[int, Path], options: argparse.Namespace) -> int:
    """The report of each job in a folder."""
    files = [[paths[id(recording)] for recording in job] for job in jobs]
    if options.html or options.json or options.code:
        first = " ".join(map(str, files[0]))
        raise RefusedError(f"{options.files[0]} holds {len(jobs)} separate runs. Name the files of one: {first}")
    for job, of in zip(jobs, files, strict=True):
        access = in_files(list(map(str, of)), are_merged=len(of) > 1)
        text = render(merge(*job) if len(job) > 1 else job[0], width=options.width, access=access)
        print_safely(f"== {' '.join(path.name for path in of)}\n{text}\n")
    return 0


def _code(recording: Recording, number: int) -> str:
    """What a finding gives to paste."""
    found = recording.findings
    if number > len(found):
        raise RefusedError(f"there is no finding {number}; the recording has {len(found)}")
    if not found[number - 1].code:
        raise RefusedError(f"finding {number} gives nothing to paste. Its advice: {found[number - 1].advice or 'none'}")
    return found[number - 1].code.rstrip("\n")


class Follower(ThreadingHTTPServer):
    """The server. `url` is the address of the page."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.path = path
        self.token = secrets.token_urlsafe(32)
        self.host = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.host}/{self.token}/"
        self._drawing = system.Lock()
        self._drawn = "", b""  # the stamp of the file, and the newest page

    def handle_error(self, *_: object) -> None:
        """Print nothing: a browser that leaves is no error."""

    def stamp(self) -> str:
        """Return a text that changes when the file does. A pipe would block, a device has no end: they are refused."""
        state = self.path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise RefusedError(f"{self.path} is not a regular file. --follow takes a file that grows.")
        return f"{state.st_size} {state.st_mtime_ns}"

    def page(self) -> bytes:
        """Return the page of the recording so far; it is drawn again only when the file has changed."""
        with self._drawing:
            stamp = self.stamp()
            if self._drawn[0] != stamp:
                with tempfile.TemporaryDirectory(prefix="jitviz-") as folder:
                    page = load(self.path).to_html(Path(folder) / "page.html")
                    self._drawn = stamp, page.read_bytes()
            return self._drawn[1]


class _Answer(BaseHTTPRequestHandler):
    server: Follower

    timeout = 30.0  # of a browser that says nothing, or does not listen

    def do_GET(self) -> None:  # a name given by the base class
        status, body, *kind = self._answer()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind[0] if kind else 'text/plain'}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[int, bytes] | tuple[int, bytes, str]:
        own = f"http://{self.server.host}"
        if self.headers.get("Host") != self.server.host or self.headers.get("Origin", own) != own:
            return 403, b"only this machine, and only this page"
        try:
            match self.path.split("/"):
                case ["", token, *_] if not secrets.compare_digest(token.encode(), self.server.token.encode()):
                    return 404, b"not found"
                case ["", _, ""]:
                    return 200, files(__package__).joinpath("follow.html").read_bytes(), "text/html"
                case ["", _, "page"]:
                    return 200, self.server.page(), "text/html"
                case ["", _, "stamp"]:
                    return 200, self.server.stamp().encode()
        except Exception as error:  # noqa: BLE001  # whatever the file holds, the next look may find it well
            return 503, str(error).encode(errors="replace")
        return 404, b"not found"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as inherited
        """Print nothing: the terminal is for the user."""


def follow(path: Path) -> int:
    with Follower(path) as server:
        server.stamp()
        load(path)
        try:
            print_safely(f"{server.url}\nPress Ctrl-C to stop.", flush=True)
            server.serve_forever()
        except KeyboardInterrupt:
            print_safely()
    return 0
