"""Servers of the tests' own, on free ports: for JupyterLab 4 and Notebook 7, for Notebook 6, for one of marimo.

In: notebooks, and a folder for the files of the server.  Out: the address of a server.
Must never: reach the network, read the settings of whoever runs the tests, or outlive the tests.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

START_S = 120
SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension/themes": {"theme": "JupyterLab Light", "adaptive-theme": False},
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": False},
}
# What JupyterLab itself needs, and `blob:`, which every anywidget needs.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws://127.0.0.1:*"
)
OPTIONS = {
    "ServerApp.ip": "127.0.0.1",
    "ServerApp.port_retries": "0",
    "ServerApp.password": "",
    "ServerApp.disable_check_xsrf": "True",
    "IdentityProvider.token": "",
    "ServerApp.tornado_settings": repr({"headers": {"Content-Security-Policy": POLICY}}),
    # The application object of the page, which says when it is ready.
    "LabApp.expose_app_in_browser": "True",
    "JupyterNotebookApp.expose_app_in_browser": "True",
    # No use of the network.
    "LabApp.news_url": "",
    "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    "LabApp.extension_manager": "readonly",
}

FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
}


@contextlib.contextmanager
def serve_jupyter(notebooks: Path, home: Path) -> Iterator[str]:
    """Serve a folder of notebooks; gives the server's address."""
    for plugin, settings in SETTINGS.items():
        file = home / "settings" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    port = _free_port()
    options = OPTIONS | {"ServerApp.port": str(port), "ServerApp.root_dir": str(notebooks)}
    command = ["jupyterlab", "--no-browser", "--allow-root", *(f"--{name}={value}" for name, value in options.items())]
    with _serve(command, {name: str(home / folder) for name, folder in FOLDERS.items()}, home / "log") as server:
        yield _wait_for(server, f"http://127.0.0.1:{port}", "/api/status", home / "log")


@contextlib.contextmanager
def serve_classic(notebooks: Path, home: Path) -> Iterator[str]:
    """Serve a folder of notebooks with Notebook 6; gives the server's address."""
    port = _free_port()
    options = {"ip": "127.0.0.1", "port": port, "token": "", "password": "", "notebook_dir": notebooks}
    command = ["notebook", "--no-browser", "--allow-root", *(f"--NotebookApp.{key}={options[key]}" for key in options)]
    with _serve(command, {name: str(home / folder) for name, folder in FOLDERS.items()}, home / "log") as server:
        yield _wait_for(server, f"http://127.0.0.1:{port}", "/api/status", home / "log")


@contextlib.contextmanager
def serve_marimo(notebook: Path, home: Path) -> Iterator[str]:
    """Serve one notebook, to be edited; gives the server's address."""
    port = _free_port()
    command = ["marimo", "edit", str(notebook), "--headless", "--no-token", f"--port={port}", "--skip-update-check"]
    with _serve(command, {"HOME": str(home), "XDG_CONFIG_HOME": str(home)}, home / "log") as server:
        yield _wait_for(server, f"http://127.0.0.1:{port}", "/health", home / "log")


@contextlib.contextmanager
def _serve(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process group of its own, which ends with everything it started."""
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=os.environ | {"JAX_PLATFORMS": "cpu"} | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


def _wait_for(server: subprocess.Popen[bytes], address: str, path: str, log: Path) -> str:
    """The address, once it answers.

    Raises:
        RuntimeError: the server ended, or does not answer; the message is the end of its log.
    """
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address + path, timeout=5).read()
            return address
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text()[-3000:]}")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
