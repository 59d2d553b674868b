"""`jitviz show --follow`: the page of a recording that is still being written, served to this machine only.

In: a file that grows.  Out: pages for those who know the address, which contains a token that cannot be guessed.
Must never: listen beyond loopback, answer another host or origin, or write anything.
"""

import secrets
import stat
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path

from ..model import system
from ..model.printable import print_safely
from ..recording import RefusedError, load

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
}


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
