"""Without a private name of JAX, the program runs, its phases are recorded, and the panel says what it lacks."""

import importlib.util
import itertools
import re
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture, jaxcompat
from jitviz.jaxcompat import frame_locals, private

FOLDER = Path(jaxcompat.__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if "private.module(" in path.read_text())
MODULES = {file: re.findall(r'private\.module\("([\w.]+)"\)', (FOLDER / f"{file}.py").read_text()) for file in FILES}
# Modules without which the panel shows no less.
UNSHOWN = ("jax._src.array", "jax._src.literals", "jax._src.monitoring", "jax._src.traceback_util")
NUMBERS = itertools.count()
X = np.ones(3, np.float32)
KNOWN = (f"On jax {jax.__version__}, {private.KNOWN}.",) if private.KNOWN else ()


def names_used() -> list[tuple[str, str]]:
    """(file, name) of all that is private."""
    found = set()
    for file in FILES:
        text = (FOLDER / f"{file}.py").read_text()
        assigned = [line for line in text.splitlines() if "private.module(" in line]
        modules = {name for line in assigned for name in re.findall(r"_\w+", line.partition(" = ")[0])}
        for module in modules:
            found |= {(file, name) for name in re.findall(rf"\b{module}\.(\w+)", text)}
            found |= {(file, name) for name in re.findall(rf'getattr\({module}, "(\w+)"', text)}
    return sorted(found)


class Without:
    """A module without one of its names."""

    def __init__(self, module: Any, name: str) -> None:
        self._module, self._name = module, name

    def __getattr__(self, name: str) -> Any:
        if name == self._name:
            raise AttributeError(name)
        return getattr(self._module, name)


def imported_alone(file: str) -> ModuleType:
    """Another copy of a file of `jaxcompat`."""
    spec = importlib.util.spec_from_file_location("jitviz.jaxcompat._alone", FOLDER / f"{file}.py")
    assert spec is not None
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


def import_again(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the names that a file took from JAX when it was imported."""
    home = importlib.import_module(f"jitviz.jaxcompat.{file}")
    for key, value in vars(imported_alone(file)).items():
        if key[:1] == "_" and key[:2] != "__" and not isinstance(value, FunctionType | type):
            monkeypatch.setattr(home, key, value)


def recorded() -> jitviz.Recording:
    with jitviz.record() as rec:

        def body(x: Any) -> Any:
            return (x * 2).sum()

        body.__name__ = f"body_{next(NUMBERS)}"
        step = jax.jit(body)
        assert [step(X), step(X)] == [6, 6]
        jax.grad(step)(X)
        step.clear_cache()
        step(X)
    return rec


def check_phases(rec: jitviz.Recording) -> None:
    first = rec.compiles[0]
    assert [phase.name for phase in first.phases] == ["trace", "lower", "compile"]
    assert first.reasons[0].kind == "first"
    assert rec.calls[0].outcome == "compile"
    assert first.function in str(jitviz.explain(rec))


def test_the_names_are_found() -> None:
    found = names_used()
    assert ("caches", "cache") in found
    assert ("tracing", "DynamicJaxprTrace") in found
    assert len(found) > 20


@pytest.mark.parametrize(("file", "name"), names_used())
def test_without_a_name_the_program_runs_and_its_phases_are_recorded(
    file: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = private.module
    monkeypatch.setattr(private, "module", lambda asked: Without(known(asked), name))
    import_again(file, monkeypatch)
    check_phases(recorded())
    is_told = len(private.limits()) == len(KNOWN) + 1
    assert is_told or name in private.since(((0, 9), ()), ((0, 7), ("trace_to_jaxpr",)))


@pytest.mark.parametrize("name", ["each of them", *sorted({name for names in MODULES.values() for name in names})])
def test_without_a_module_the_program_runs_and_its_phases_are_recorded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = private.module
    is_gone = (lambda asked: True) if name == "each of them" else name.__eq__
    monkeypatch.setattr(private, "module", lambda asked: SimpleNamespace() if is_gone(asked) else known(asked))
    for file, names in MODULES.items():
        if any(map(is_gone, names)):
            import_again(file, monkeypatch)
    rec = recorded()
    check_phases(rec)
    is_told = "newer than jitviz supports. The panel lacks: " in " ".join(rec.facts.limits)
    assert is_told == (name not in UNSHOWN)


LOCALS = sorted(
    {
        (part, function, name)
        for part, _, function, names in private._LOCALS
        for wanted in names
        for name in wanted.split("|")
    }
)
NAMES = sorted({name for *_, name in LOCALS})


@pytest.mark.parametrize("name", NAMES)
def test_without_a_local_of_a_frame_the_program_runs_and_its_phases_are_recorded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed = ModuleType("renamed")
    vars(renamed).update(vars(frame_locals))
    source = (FOLDER / "frame_locals.py").read_text().replace(f'"{name}"', f'"{name}_that_is_gone"')
    exec(compile(source, "frame_locals.py", "exec"), vars(renamed))
    for key, value in vars(renamed).items():
        if isinstance(value, FunctionType) and key in vars(frame_locals):
            monkeypatch.setattr(frame_locals, key, value)
    rec = recorded()
    if name == "fun":  # nobody knows whose they are
        first = next(op for op in rec.op_by_op if op.program.startswith("body_"))
        assert min(first.trace_s, first.lower_s, first.compile_s) > 0
        return
    check_phases(rec)


@pytest.mark.parametrize(("part", "function", "name"), [one for one in LOCALS if one[2] != "jit_func"])
def test_the_panel_says_what_it_lacks_without_a_local(
    part: str, function: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names_in(place: str, asked: str) -> frozenset[str]:
        return known(place, asked) - ({name} if asked == function else set())

    known = private._names_in
    monkeypatch.setattr(private, "_names_in", names_in)
    said = f"jax {jax.__version__} is newer than jitviz supports. The panel lacks: {part}."
    assert private.limits() == (*KNOWN, said)


@pytest.mark.parametrize(
    ("name", "blind"),
    [
        ("register_scalar_listener", "phases"),
        ("register_event_time_span_listener", "phases"),
        ("register_event_duration_secs_listener", "loads from the disk cache"),
        ("unregister_scalar_listener", ""),
        ("unregister_event_time_span_listener", ""),
        ("unregister_event_duration_listener", ""),
    ],
)
def test_without_a_kind_of_listener_the_program_runs_and_the_panel_says_so(
    name: str, blind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture.unwatch()
    with monkeypatch.context() as without:
        home = jax.monitoring if hasattr(jax.monitoring, name) else jax._src.monitoring  # up to jax 0.8.0
        without.delattr(home, name if home is jax.monitoring else f"_{name}_by_callback")
        rec = recorded()
        capture.unwatch()
    assert f"newer than jitviz supports. The panel lacks: {blind}." in " ".join(rec.facts.limits) or not blind
    assert rec.facts.failures == []
    assert [phase.name for phase in recorded().compiles[0].phases] == ["trace", "lower", "compile"]


def test_the_panel_says_what_an_old_jax_does_not_give() -> None:
    hlo = "an HLO instruction has only its innermost source line"
    assert private.since(((0, 8), ""), ((0, 7), hlo)) == private.KNOWN
    with jitviz.record() as rec:
        pass
    assert rec.facts.limits[1:] == KNOWN


def test_a_missing_module_is_an_empty_namespace() -> None:
    assert vars(private.module("jax._src.no_such_thing")) == {}


def test_the_panel_says_what_it_lacks_with_another_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    assert private.limits() == KNOWN
    known = private.module
    monkeypatch.setattr(private, "module", lambda name: SimpleNamespace() if name == "jax._src.util" else known(name))
    said = f"jax {jax.__version__} is newer than jitviz supports. The panel lacks: cleared caches."
    assert private.limits() == (*KNOWN, said)
    monkeypatch.setattr(jax, "__version_info__", (0, 7, 1))
    assert private.limits()[-1] == said.replace("newer", "older")
    with jitviz.record() as rec:
        pass
    assert said.replace("newer", "older") in rec.facts.limits
