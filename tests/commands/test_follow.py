"""A growing recording in the browser, from a server that refuses all other requests."""

import http.client
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitviz.__main__ import main
from jitviz.commands.show import Follower
from tests.recording.test_merging import of_process


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    of_process(0, 8).save(tmp_path / "run.jsonl")
    with Follower(tmp_path / "run.jsonl") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: Follower, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1])
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_the_page_grows_with_the_file(follower: Follower) -> None:
    base = f"/{follower.token}/"
    assert ask(follower, base)[1].startswith("<!DOCTYPE html>")
    status, page = ask(follower, base + "page")
    assert (status, "step" in page) == (200, True)
    stamp = ask(follower, base + "stamp")
    of_process(0, 8, 7, n_hits=3).save(follower.path)
    os.utime(follower.path, ns=(1, 1))
    assert ask(follower, base + "stamp") != stamp
    assert ask(follower, base + "page")[1] != page
    follower.path.write_text("torn")
    assert ask(follower, base + "page")[0] == 503


def test_all_other_requests_are_refused(follower: Follower) -> None:
    base = f"/{follower.token}/"
    assert follower.server_address[0] == "127.0.0.1"
    assert [
        ask(follower, "/")[0],
        ask(follower, "/page")[0],
        ask(follower, f"/{follower.token[:-1]}/page")[0],
        ask(follower, base + "../run.jsonl")[0],
        ask(follower, base + "page", Host="evil.example")[0],
        ask(follower, base + "page", Origin="http://evil.example")[0],
        ask(follower, base + "page", Origin=f"http://{follower.host}")[0],
        ask(follower, base + "page", method="POST")[0],
        ask(follower, base + "page", method="DELETE")[0],
    ] == [404, 404, 404, 404, 403, 403, 200, 501, 501]


def send(server: Follower, request: bytes, *, leaves: bool = False) -> bytes:
    """Send bytes as they are, and return the answer; or leave at once."""
    with socket.create_connection(server.server_address[:2]) as connection:
        connection.sendall(request)
        if leaves:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return b""
        connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").read()


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET x HTTP/1.1", b"404"),
        (b"GET * HTTP/1.1", b"404"),
        (b"GET http://HOST/TOKEN/page HTTP/1.1", b"404"),
        (b"GET /\xc3\xa9/page HTTP/1.1", b"404"),
        (b"GET /TOKEN HTTP/1.1", b"404"),
        (b"GET /TOKEN/page", b""),
        (b"HEAD /TOKEN/ HTTP/1.1", b"501"),
        (b"GET /TOKEN/ HTTP/x", b"400"),
        (b"\x16\x03\x01", b""),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1", b"414"),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200, b"431"),
        (b"", b""),
    ],
)
def test_odd_requests_and_browsers_that_leave_print_nothing_and_stop_nothing(
    follower: Follower, capfd: pytest.CaptureFixture[str], line: bytes, status: bytes
) -> None:
    line = line.replace(b"TOKEN", follower.token.encode()).replace(b"HOST", follower.host.encode())
    request = line + f"\r\nHost: {follower.host}\r\n\r\n".encode() * bool(line)
    send(follower, request, leaves=True)
    send(follower, f"GET /{follower.token}/page HTTP/1.1\r\nHost: {follower.host}\r\n\r\n".encode(), leaves=True)
    assert status in send(follower, request)
    assert ask(follower, f"/{follower.token}/page")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_what_stands_in_place_of_the_file_never_blocks(follower: Follower) -> None:
    base = f"/{follower.token}/"
    whole = follower.path.read_bytes()
    for replace in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda _: None):
        follower.path.unlink()
        replace(follower.path)
        assert [ask(follower, base + what)[0] for what in ("stamp", "page", "")] == [503, 503, 200]
        follower.path.rmdir() if follower.path.is_dir() else follower.path.unlink(missing_ok=True)
        follower.path.write_bytes(whole)
        assert ask(follower, base + "page")[0] == 200


def test_only_a_regular_file_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for name in ("pipe", ".", "/dev/null"):
        assert main(["show", "--follow", name]) == 2
        told = f"jitviz show: {name} is not a regular file. --follow takes a file that grows.\n"
        assert capsys.readouterr() == ("", told)


def test_show_follows_until_ctrl_c(tmp_path: Path) -> None:
    of_process(0, 8).save(tmp_path / "run.jsonl")
    command = [sys.executable, "-m", "jitviz", "show", "--follow", "run.jsonl"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.communicate() == ("\n", "")
        assert process.returncode == 0
