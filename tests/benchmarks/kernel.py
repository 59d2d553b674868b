"""A kernel of its own, and in one a notebook with one training step: the time that the user waits besides the step."""

import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

SETUP = """
import jax, jax.numpy, numpy, optax
from tests.capture.transformer import arguments, step
given = arguments()
"""
IMPORT = "import time; began = time.perf_counter(); import jitviz; print(time.perf_counter() - began)"
CELL = "%%filterjit\nout = jax.block_until_ready(jax.jit(step)(*given))\nimport time; print(time.time(), flush=True)"


class Kernel:
    """A kernel that keeps the bytecode of all packages in `folder`."""

    def __init__(self, folder: Path) -> None:
        env = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}
        quiet = ["--IPKernelApp.log_level=40"]  # it warns of the transport
        self._manager, self._client = start_new_kernel(kernel_name="python3", env=env, extra_arguments=quiet)
        self._outputs: dict[str, int] = {}  # by display, or part of a widget; an update replaces what was there
        self._printed: list[str] = []

    @property
    def nbytes(self) -> int:
        """The bytes of the outputs that a notebook would save."""
        return sum(self._outputs.values())

    def run(self, text: str) -> str:
        """Run a cell, and return what it printed."""
        self._printed.clear()
        reply = self._client.execute_interactive(text, timeout=300, output_hook=self._hear)
        assert reply["content"]["status"] == "ok", "\n".join(reply["content"].get("traceback", ()))
        return "".join(self._printed)

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def _hear(self, message: dict[str, Any]) -> None:
        content = message["content"]
        self._printed.append(content.get("text", ""))
        if message["msg_type"] in ("display_data", "update_display_data"):
            key = content.get("transient", {}).get("display_id") or str(len(self._outputs))
            self._outputs[key] = sum(len(str(value)) for value in content["data"].values())
        if message["msg_type"] in ("comm_open", "comm_msg"):  # the state of a widget is saved as well, as base64
            for name, value in (content["data"].get("state") or {}).items():
                self._outputs[f"{content['comm_id']} {name}"] = len(str(value))
            if buffers := message.get("buffers"):
                self._outputs[content["comm_id"]] = sum(len(part) * 4 // 3 for part in buffers)


def timed_cells(folder: Path) -> tuple[float, float, float]:
    """The seconds of `import jitviz` after jax, of `%load_ext jitviz`, and from the last line of a cell to the prompt.

    They are those of the second of two kernels; the first has written the bytecode of all packages to `folder`.
    """
    _timed(folder)
    return _timed(folder)


def _timed(folder: Path) -> tuple[float, float, float]:
    with closing(Kernel(folder)) as kernel:
        kernel.run(SETUP)
        import_s = float(kernel.run(IMPORT))
        began_s = time.time()
        kernel.run("%load_ext jitviz")
        load_s = time.time() - began_s
        printed = kernel.run(CELL)
        return import_s, load_s, time.time() - float(printed.split()[0])
