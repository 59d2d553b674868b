"""Settings for all tests, and a check that no test leaves anything switched on."""

import gc
import os
import shutil
import signal
import sys
import threading
import venv
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

# Tests start dozens of interpreters. Without bytecode each would spend seconds compiling jitviz; with a separate folder
# for bytecode the first of them would compile JAX too, which has bytecode where it is installed.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Tests run interpreters of their own, and IPython warns where another environment is active.
os.environ.pop("VIRTUAL_ENV", None)

# A program that a shell starts in the background ignores Ctrl-C, and so do its child processes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test looks at machine code, and optimising it takes most of the time of a compile. XLA reads these flags once, and
# exits at an unknown one: newer versions have only one way of fusing. (The old way fails for thousands of elementwise
# operations in sequence.)
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0".strip()
os.environ["XLA_FLAGS"] += " --xla_cpu_parallel_codegen_split_count=1"
if tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 11):
    os.environ["XLA_FLAGS"] += " --xla_cpu_use_fusion_emitters=false"

# jsonschema would spend seconds of its import on a grammar for all formats of addresses.
if "rfc3987_syntax" not in sys.modules:
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# Imports create no garbage, and collecting it again and again takes a quarter of the time.
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
from jitviz.findings import eager_loops, program_findings, slow_traces

# The time to generate and to run an example depends on the machine.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

# Compiler options for tests that need the fusion that users have.
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
    """Run the whole suite in several processes, file by file, and selected tests in this process."""
    is_whole = [str(Path(arg)) for arg in config.args] == config.getini("testpaths")
    is_free = getattr(config.option, "numprocesses", 0) is None and not config.option.usepdb
    if is_whole and is_free and not hasattr(config, "workerinput"):  # only worker processes have it
        config.option.numprocesses = min((os.cpu_count() or 1) + 1, 4)  # some wait for a browser or a kernel
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False  # longest first, see below


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the browser tests in one process, so that only one browser and one server are started."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid.partition("/test_")[0] if "/browser/" in nodeid else super()._split_scope(nodeid)

    return Scheduling(config, log) if config.option.dist == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that no process has one left at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Exclude the imported objects from later garbage collections, which then take microseconds rather than 0.2 s."""
    gc.collect()
    gc.freeze()
    gc.enable()


def switched_on() -> dict[str, Any]:
    """Everything in this process that a hook could change."""
    found: dict[str, Any] = {
        "settings of jax": dict(jax.config.values),
        "tracing": (sys.gettrace(), sys.getprofile()),
        "displaying": (sys.displayhook, sys.excepthook),
        "importing": [finder for finder in sys.meta_path if type(finder).__module__.startswith("jitviz")],
        "collecting": [callback for callback in gc.callbacks if callback.__module__.startswith("jitviz")],
        "main module": sys.modules["__main__"],
        "names of cells": sources._cell_of,
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
    """The names of the values that changed. New imports do not count."""
    return [name for name in before if name in after and before[name] != after[name]]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with jitviz as an installed wheel has it, `jitviz.pth` included, and the packages of this one."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, symlinks=True)
    (packages,) = place.glob("[Ll]ib/**/site-packages")
    above = [folder for folder in sys.path[1:] if folder.endswith("-packages")]
    (packages / "above.pth").write_text("\n".join([str(Path(jitviz.__file__).parents[1]), *above]))
    package = Path(jitviz.__file__).parent
    line = package / "commands" / "children.pth"
    shutil.copy(line if line.exists() else package.parent / "jitviz.pth", packages / "jitviz.pth")
    return str(next(place.glob("[bS]*/python*")))


@pytest.fixture(scope="module")
def little_to_collect() -> None:
    """Exclude all older objects, for modules that collect garbage again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No finding says that something was slow: on a machine that stalls, anything is."""
    for module, name in ((program_findings, "_SLOW_S"), (slow_traces, "_LEAST_S"), (eager_loops, "_LEAST_S")):
        monkeypatch.setattr(module, name, float("inf"))


@pytest.fixture(autouse=True)
def nothing_survives_a_test() -> Iterator[None]:
    """Fail a test that leaves a listener, a patch or a tool of jitviz behind."""
    before = switched_on()
    yield
    capture.unwatch()  # the history outlives recordings on purpose
    assert survivors(before, switched_on()) == []
