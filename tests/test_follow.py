"""A growing recording in the browser, from a server that refuses all other requests."""

import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitviz.commands.follow import Follower
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
