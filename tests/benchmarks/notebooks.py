"""Ten cells in the style of a library's tutorial, in a kernel of their own: processor seconds with jitviz and without.

    python -m tests.benchmarks.notebooks [PAIRS] [NAME...]

prints, for each notebook, the seconds of both sides, their ratio and their difference: medians of pairs that take
turns.
"""

import os
import sys
from pathlib import Path
from statistics import median

from jupyter_client.manager import start_new_kernel

FOLDER = Path(__file__).parent / "cells"  # a file for each notebook; `# %%` begins a cell
CPU = "import time as _time; print(f'CPU {_time.process_time()}')"


def cells_of(name: str) -> list[str]:
    """The cells of a notebook."""
    return [cell.strip() for cell in (FOLDER / f"{name}.txt").read_text().split("# %%\n") if cell.strip()]


def cpu_seconds(name: str, *, has_jitviz: bool, folder: Path, idle_s: float = 1.0) -> tuple[float, int]:
    """The processor seconds of a kernel that runs the notebook, and the bytes of the outputs that it saves."""
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}
    quiet = ["--IPKernelApp.log_level=40"]  # it warns of the transport
    manager, client = start_new_kernel(kernel_name="python3", env=env, extra_arguments=quiet)
    outputs: dict[str, int] = {}  # by display, or part of a widget; an update replaces what was there
    printed: list[str] = []

    def hear(message: dict) -> None:
        content = message["content"]
        printed.append(content.get("text", ""))
        if message["msg_type"] in ("display_data", "update_display_data"):
            key = content.get("transient", {}).get("display_id") or str(len(outputs))
            outputs[key] = sum(len(str(value)) for value in content["data"].values())
        if message["msg_type"] in ("comm_open", "comm_msg"):  # the state of a widget is saved as well, as base64
            for name, value in (content["data"].get("state") or {}).items():
                outputs[f"{content['comm_id']} {name}"] = len(str(value))
            if buffers := message.get("buffers"):
                outputs[content["comm_id"]] = sum(len(part) * 4 // 3 for part in buffers)

    def run(text: str) -> None:
        reply = client.execute_interactive(text, timeout=300, output_hook=hear)
        assert reply["content"]["status"] == "ok", "\n".join(reply["content"].get("traceback", ()))

    try:
        for setup in ("%load_ext jitviz", "%jitviz on") if has_jitviz else ():
            run(setup)
        for cell in cells_of(name):
            run(cell)
        run(f"import time; time.sleep({idle_s})")  # what is done while nobody waits counts as well
        run(CPU)
        seconds = next(text for text in printed if text.startswith("CPU "))
        return float(seconds.split()[1]), sum(outputs.values())
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def compare(name: str, pairs: int, folder: Path) -> tuple[float, float, float, float]:
    """Medians of the seconds without and with jitviz, of their ratios, and of their differences."""
    rows = []
    for number in range(pairs + 1):  # the first pair writes the bytecode
        with_s, _ = cpu_seconds(name, has_jitviz=True, folder=folder)
        plain_s, _ = cpu_seconds(name, has_jitviz=False, folder=folder)
        if number:
            rows.append((plain_s, with_s, with_s / plain_s, with_s - plain_s))
    return tuple(median(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


if __name__ == "__main__":
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for name in sys.argv[2:] or sorted(path.stem for path in FOLDER.glob("*.txt")):
        plain_s, with_s, ratio, more_s = compare(name, pairs, Path("/tmp/jitviz-bytecode"))
        print(f"{name:12} {plain_s:6.2f} -> {with_s:6.2f} s   x {ratio:.3f}   +{more_s:.2f} s", flush=True)
