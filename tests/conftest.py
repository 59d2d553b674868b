"""What every test rests on: nothing that a test switches on is still on after it."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

# Tests start dozens of interpreters. Without bytecode each would compile jitviz for seconds, and with bytecode in a
# folder of its own the first of them would compile JAX too, which has bytecode where it is installed.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A program that a shell starts in the background ignores Ctrl-C, and so would all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test looks at machine code, and to make it well takes most of the time of a compile. XLA reads these once, and ends
# the process at a flag that it does not know: newer ones know one way of fusing alone. (The old way has an end as well:
# at thousands of elementwise operations, one after the other.)
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0".strip()
os.environ["XLA_FLAGS"] += " --xla_cpu_parallel_codegen_split_count=1"
if tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 11):
    os.environ["XLA_FLAGS"] += " --xla_cpu_use_fusion_emitters=false"

# Of all addresses that a schema may ask for, jsonschema would learn a grammar as it is imported, for seconds.
if "rfc3987_syntax" not in sys.modules:
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# Nothing that is imported is garbage, and to look at all of it again and again takes a quarter of the time.
if gc.isenabled():
    gc.disable()

import equinox._jit
import hypothesis
import jax
import jax._src.monitoring as monitoring
import pytest

import jitviz.filters
from jitviz import capture
from jitviz.capture import sources

# How long examples take to make and to run is a matter of the machine.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

# Compiler options of what a test wants fused as users have it.
AS_USUAL = {"xla_cpu_use_fusion_emitters": True} if "use_fusion_emitters=false" in os.environ["XLA_FLAGS"] else None
LONGEST = ("tests/browser/", "tests/differential/", "tests/test_notebook")
PATCHABLE = {
    "jax": jax,
    "jitviz.filters": jitviz.filters,
    "equinox.filter_jit": equinox._jit,
    "calls of equinox.filter_jit": equinox._jit._JitWrapper,
}


@pytest.hookimpl(tryfirst=True)  # before xdist reads its options
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the whole suite in several processes, file by file, and what the command line names in this one."""
    is_whole = [str(Path(arg)) for arg in config.args] == config.getini("testpaths")
    is_free = getattr(config.option, "numprocesses", 0) is None and not config.option.usepdb
    if is_whole and is_free and not hasattr(config, "workerinput"):  # which marks one of these processes
        config.option.numprocesses = min(os.cpu_count() or 1, 4)
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False  # longest first, see below


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a browser in one process, so that one browser and one server are started."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid.partition("/test_")[0] if "/browser/" in nodeid else super()._split_scope(nodeid)

    return Scheduling(config, log) if config.option.dist == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no process is left with it at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Take what the imports made out of all collections of garbage to come: each takes microseconds then, not 0.2 s."""
    gc.collect()
    gc.freeze()
    gc.enable()


def switched_on() -> dict[str, Any]:
    """Everything of this process that a hook could be hung on."""
    found: dict[str, Any] = {
        "settings of jax": dict(jax.config.values),
        "tracing": (sys.gettrace(), sys.getprofile()),
        "displaying": (sys.displayhook, sys.excepthook),
        "importing": [finder for finder in sys.meta_path if type(finder).__module__.startswith("jitviz")],
        "collecting": [callback for callback in gc.callbacks if callback.__module__.startswith("jitviz")],
        "main module": sys.modules["__main__"],
        "names of cells": sources.name_cell,
        "threads": [thread.name for thread in threading.enumerate() if thread.name.startswith("jitviz")],
    }
    found |= {
        name: list(value)
        for name, value in vars(monitoring).items()
        if name.endswith("_listeners") and isinstance(value, list)
    }
    if sys.version_info >= (3, 12):
        found["monitoring tools"] = [sys.monitoring.get_tool(number) for number in range(6)]
    for name, owner in PATCHABLE.items():
        found |= {f"{name}: {key}": value for key, value in vars(owner).items() if callable(value)}
    return found


def survivors(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of what changed. What was imported meanwhile is no change."""
    return [name for name in before if name in after and before[name] != after[name]]


@pytest.fixture(scope="module")
def little_to_collect() -> None:
    """For modules that collect garbage again and again: all that is older is left out."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_survives_a_test() -> Iterator[None]:
    """Fails a test after which a listener, a patch or a tool of jitviz is left."""
    before = switched_on()
    yield
    capture.unwatch()  # the history lasts as long as the process, by intent
    assert survivors(before, switched_on()) == []
