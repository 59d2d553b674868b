"""A notebook with one training step, in its own kernel: the time that the user waits besides the step itself."""

import os
import time
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


def timed_cells(folder: Path) -> tuple[float, float, float]:
    """The seconds of `import jitviz` after jax, of `%load_ext jitviz`, and from the last line of a cell to the prompt.

    They are those of the second of two kernels; the first has written the bytecode of all packages to `folder`.
    """
    _timed(folder)
    return _timed(folder)


def _timed(folder: Path) -> tuple[float, float, float]:
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}
    manager, client = start_new_kernel(kernel_name="python3", env=env)

    def ran(text: str) -> tuple[float, str]:
        """The time when the cell ended, and its output."""
        printed: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            printed.append(message["content"].get("text", ""))

        reply = client.execute_interactive(text, timeout=120, output_hook=hear)
        assert reply["content"]["status"] == "ok", reply["content"]
        return time.time(), "".join(printed)

    try:
        ran(SETUP)
        _, import_s = ran(IMPORT)
        began_s = time.time()
        load_s = ran("%load_ext jitviz")[0] - began_s
        done_s, printed = ran(CELL)
        return float(import_s), load_s, done_s - float(printed.split()[0])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
