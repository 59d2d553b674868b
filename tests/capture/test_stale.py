"""A hit that runs an old program is told, in each way that a program gets old, and nothing else is."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import jax
import pytest

import jitviz
from jitviz.recording import Recording

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="hits of jax.jit are not seen")

HEAD = """
import functools, types
from dataclasses import dataclass
from functools import partial
import equinox as eqx, jax, jax.numpy as jnp, numpy as np, optax
x = jnp.ones(2)
"""
IN_ONE_FUNCTION = "\n@jax.jit\ndef f(x): return x * {}\n"
METHOD = """
class M:
    count = 0
    def __init__(self, scale): self.scale = scale
    @partial(jax.jit, static_argnums=0)
    def f(self, x): return x * self.scale
m = M(2.0)
"""
WHEN = "when traced"

# What is defined, what runs while recording, and what is told.
OLD = {
    "a global number": (
        "scale = 2.0" + IN_ONE_FUNCTION.format("scale"),
        "f(x); scale = 3.0; f(x)",
        f"the global `scale` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "a global function": (
        "def loss(x): return x * 2" + IN_ONE_FUNCTION.format("loss(x)"),
        "f(x)\ndef loss(x): return x * 5\nf(x)",
        f"the global `loss` had other code {WHEN} than when it ran",
    ),
    "a closure": (
        """
        def make():
            rate = 1.0
            @jax.jit
            def f(x): return x * rate
            def change():
                nonlocal rate
                rate = 3.0
            return f, change
        f, change = make()
        """,
        "f(x); change(); f(x)",
        f"`rate`, which `f` closes over, was 1.0 {WHEN} and 3.0 when it ran",
    ),
    "an attribute of a static object": (
        METHOD,
        "m.f(x); m.scale = 3.0; m.f(x)",
        f"`scale` of the static `self` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "a field of a static dataclass": (
        """
        @dataclass(eq=False)
        class Config: n: int = 2
        config = Config()
        @partial(jax.jit, static_argnames="cfg")
        def f(x, cfg): return x * cfg.n
        """,
        "f(x, cfg=config); config.n = 3; f(x, cfg=config)",
        f"`n` of the static `cfg` was 2 {WHEN} and 3 when it ran",
    ),
    "an attribute of a static field": (
        """
        class Config: scale = 2.0
        class Net(eqx.Module):
            w: jax.Array
            cfg: Config = eqx.field(static=True)
            def __call__(self, x): return x * self.w * self.cfg.scale
        net = Net(x, Config())
        @eqx.filter_jit
        def f(net, x): return net(x)
        """,
        "f(net, x); net.cfg.scale = 3.0; f(net, x)",
        f"`scale` of the static `net.cfg` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "an attribute of an object whose method is jitted": (
        """
        class Trainer:
            def __init__(self):
                self.rate = 0.1
                self.step = jax.jit(self._step)
            def _step(self, x): return self.less(x)
            def less(self, x): return x - self.rate
        trainer = Trainer()
        """,
        "trainer.step(x); trainer.rate = 0.01; trainer.step(x)",
        f"`rate` of `self` was 0.1 {WHEN} and 0.01 when it ran",
    ),
    "an attribute of a global object": (
        "cfg = types.SimpleNamespace(scale=2.0)" + IN_ONE_FUNCTION.format("cfg.scale"),
        "f(x); cfg.scale = 3.0; f(x)",
        f"`scale` of `cfg` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "an attribute of a module": (
        "import sys; cfg = sys.modules['settings_of_a_test']" + IN_ONE_FUNCTION.format("cfg.scale"),
        "f(x); cfg.scale = 3.0; f(x)",
        f"`scale` of `cfg` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "an attribute of a class": (
        "class Config: scale = 2.0" + IN_ONE_FUNCTION.format("Config.scale"),
        "f(x); Config.scale = 3.0; f(x)",
        f"`scale` of `Config` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "a global of a function that it calls": (
        "scale = 2.0\ndef inner(x): return x * scale\ndef outer(x): return inner(x)"
        + IN_ONE_FUNCTION.format("outer(x)"),
        "f(x); scale = 3.0; f(x)",
        f"the global `scale` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "a global of a jitted function that it calls": (
        "scale = 2.0\n@jax.jit\ndef inner(x): return x * scale" + IN_ONE_FUNCTION.format("inner(x)"),
        "f(x); scale = 3.0; f(x)",
        f"the global `scale` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "an entry of a default": (
        "options = {'scale': 2.0}\n@jax.jit\ndef f(x, given=options): return x * given['scale']",
        "f(x); options['scale'] = 3.0; f(x)",
        f"the default of `given['scale']` in `f` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "an entry of a list in a dict": (
        "cfg = {'sizes': [1.0, 2.0]}" + IN_ONE_FUNCTION.format("cfg['sizes'][1]"),
        "f(x); cfg['sizes'][1] = 3.0; f(x)",
        f"the global `cfg['sizes'][1]` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "an array": (
        "table = jnp.arange(2.0)" + IN_ONE_FUNCTION.format("table"),
        "f(x); table = table + 1; f(x)",
        f"the global `table` was another array {WHEN}",
    ),
    "a model": (
        "class Net(eqx.Module):\n    w: jax.Array\n    def __call__(self, x): return x * self.w\nnet = Net(x)"
        + IN_ONE_FUNCTION.format("net(x)"),
        "f(x); net = Net(x + 1); f(x)",
        f"the global `net` was another `Net` {WHEN}",
    ),
    "an optimizer": (
        "tx = optax.sgd(0.1)\n@jax.jit\ndef f(x): return tx.update(x, tx.init(x))",
        "f(x); tx = optax.sgd(0.2); f(x)",
        f"`update` of `tx` held other values {WHEN} than when it ran",
    ),
    "a global name": (
        "mode = 'sine'" + IN_ONE_FUNCTION.format("(2 if mode == 'sine' else 3)"),
        "f(x); mode = 'cosine'; f(x)",
        f"the global `mode` was 'sine' {WHEN} and 'cosine' when it ran",
    ),
    "a list of functions": (
        "layers = [jnp.sin]\n@jax.jit\ndef f(x):\n    for layer in layers: x = layer(x)\n    return x",
        "f(x); layers.append(jnp.cos); f(x)",
        f"the global `layers` was [jnp.sin] {WHEN} and [jnp.sin, jnp.cos] when it ran",
    ),
    "what only one of two versions was traced with": (
        "scale = 2.0" + IN_ONE_FUNCTION.format("scale") + "y = jnp.ones(3)",
        "f(x); scale = 3.0; f(y); f(x)",
        f"the global `scale` was 2.0 {WHEN} and 3.0 when it ran",
    ),
    "in the middle of a loop": (
        "scale = 2.0" + IN_ONE_FUNCTION.format("scale"),
        "for step in range(100):\n    if step == 50: scale = 3.0\n    f(x)",
        f"the global `scale` was 2.0 {WHEN} and 3.0 when it ran",
    ),
}

# Nothing is told of these.
NOT_OLD = {
    "a counter of traces": (
        "n, log = 0, []\n@jax.jit\ndef f(x):\n    global n\n    n += 1; log.append(x.shape)\n    return x",
        "f(x); f(x); f(jnp.ones(3)); f(x)",
    ),
    "a counter of an object": (
        METHOD.replace("): return", "):\n        self.count += 1\n        return"),
        "m.f(x); m.f(x); m.f(jnp.ones(3)); m.f(x)",
    ),
    "an attribute that only an argument is asked for": (
        "class M:\n    step = 0\n    @partial(jax.jit, static_argnums=0)\n    def f(self, state): return state.step\n"
        "m, state = M(), __import__('collections').namedtuple('State', 'step')(x)",
        "for m.step in range(4): m.f(state)",
    ),
    "an attribute that is not read": (METHOD, "for m.count in range(4): m.f(x)"),
    "a parameter with the name of a global": (
        "scale = 2.0\n@jax.jit\ndef f(x, scale): return x * scale",
        "f(x, 2.0); scale = 3.0; f(x, 3.0)",
    ),
    "a list that a callback fills": (
        "seen = []\n@jax.jit\ndef f(x):\n    def note(x): seen.append(x)\n"
        "    jax.debug.callback(note, x)\n    return x",
        "for _ in range(4): f(x); jax.effects_barrier()",
    ),
    "what is rebound to its equal": (
        "scale, sizes, cfg, tx = 2.0, [1], {'a': 1, 'b': 2}, optax.sgd(0.1)\n"
        "def loss(x): return x * scale + sizes[0] + cfg['a'] + tx.update(x, tx.init(x))[0]"
        + IN_ONE_FUNCTION.format("loss(x)"),
        "f(x); scale, sizes, cfg, tx = float('2'), [1], {'b': 2, 'a': 1}, optax.sgd(0.1)\n"
        "def loss(x): return x * scale + sizes[0] + cfg['a'] + tx.update(x, tx.init(x))[0]\n"
        "f(x)",
    ),
    "a class that is defined again": (
        "class Config: scale = 2.0" + IN_ONE_FUNCTION.format("Config().scale"),
        "f(x)\nclass Config: scale = 2.0\nf(x)",
    ),
    "another attribute of an object that is created again": (
        "cfg = types.SimpleNamespace(scale=2.0, epochs=1)" + IN_ONE_FUNCTION.format("cfg.scale"),
        "f(x); cfg = types.SimpleNamespace(scale=2.0, epochs=2); f(x)",
    ),
    "what changes after the last hit": (
        "scale = 2.0" + IN_ONE_FUNCTION.format("scale"),
        "for _ in range(100): f(x)\nscale = 3.0",
    ),
    "what changes back before the next hit": (
        "scale = 2.0" + IN_ONE_FUNCTION.format("scale"),
        "f(x); scale = 3.0; scale = 2.0; f(x)",
    ),
    "what is cleared after the change": (
        "scale = 2.0" + IN_ONE_FUNCTION.format("scale"),
        "f(x); scale = 3.0; f.clear_cache(); f(x); f(x)",
    ),
    "a cache that fills later": (
        "made = {}\ndef table(n):\n    if n not in made: made[n] = np.arange(n)\n    return made[n]\n"
        + IN_ONE_FUNCTION.format("table(x.shape[0])"),
        "f(x); table(5); f(x)",
    ),
    "an argument with the name of a global": (
        "class Net(eqx.Module):\n    w: jax.Array\n    def __call__(self, x): return x * self.w\n"
        "net = Net(x)\n@eqx.filter_jit\ndef f(net, x): return net(x)",
        "for i in range(4): f(net, x); net = Net(x * i)",
    ),
    "the other of two objects that may have run": (
        METHOD + "other = M(1.0)",
        "m.f(x); other.f(x); other.scale = 3.0; m.f(x)",
    ),
    "one of two objects that may have run": (
        METHOD + "other = M(1.0)",
        "m.f(x); other.f(x); m.scale = 3.0; other.f(x)",
    ),
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[Recording]]]:
    """Define something, then record each of several pieces of code, as cells do."""
    settings = ModuleType("settings_of_a_test")
    settings.__dict__.update(__file__=str(Path("settings.py").resolve()), scale=2.0)
    monkeypatch.setitem(sys.modules, "settings_of_a_test", settings)
    module = ModuleType("of_a_test")
    monkeypatch.setitem(sys.modules, "of_a_test", module)

    def run(defined: str, *cells: str) -> list[Recording]:
        recordings = []
        with jitviz.record(sample=False):
            exec(compile(HEAD + dedent(defined), "defined.py", "exec"), module.__dict__)
        for cell in cells:
            with jitviz.record(sample=False) as rec:
                exec(compile(cell, "cell.py", "exec"), module.__dict__)
            assert rec.facts.failures == []
            recordings.append(rec)
        return recordings

    yield run
    jax.clear_caches()


def told(rec: Recording) -> list[str]:
    return [one.summary for one in rec.findings if one.kind == "stale"]


@pytest.mark.parametrize("what", OLD)
def test_a_hit_of_an_old_program_is_told(what: str, run: Callable[..., list[Recording]], tmp_path: Path) -> None:
    defined, cell, summary = OLD[what]
    (rec,) = run(defined, cell)
    assert (told(rec), rec.findings[0].kind) == ([summary], "stale")
    assert jitviz.load(rec.save(tmp_path / "run.jsonl")).findings == rec.findings


def test_lines_that_take_turns_are_all_told(run: Callable[..., list[Recording]]) -> None:
    defined = "scale = 2.0" + "".join(f"\n{name} = jax.jit(lambda x: x * scale)" for name in "fgh")
    (rec,) = run(defined, "for step in range(100):\n    if step == 20: scale = 3.0\n    f(x); g(x)\n    h(x)")
    assert sorted(one.source for one in rec.findings if one.kind == "stale") == ["cell.py:3", "cell.py:3", "cell.py:4"]


@pytest.mark.parametrize("before", [2, 9, 20, 50, 300])
def test_a_change_is_told_if_as_many_calls_of_its_line_follow_as_came_before(
    before: int, run: Callable[..., list[Recording]]
) -> None:
    loop = f"for step in range({2 * before + 1}):\n    if step == {before}: scale = 3.0\n    f(x)\nscale = 2.0"
    (rec,) = run("scale = 2.0" + IN_ONE_FUNCTION.format("scale"), loop)
    assert told(rec) == [f"the global `scale` was 2.0 {WHEN} and 3.0 when it ran"]


@pytest.mark.parametrize("what", NOT_OLD)
def test_other_hits_are_silent(what: str, run: Callable[..., list[Recording]]) -> None:
    (rec,) = run(*NOT_OLD[what])
    assert told(rec) == []
    assert [call.outcome for call in rec.calls].count("hit") >= 1


def test_a_program_of_an_earlier_cell_is_told_in_the_cell_that_runs_it(run: Callable[..., list[Recording]]) -> None:
    defined, _, summary = OLD["an attribute of a static object"]
    traced, changed, ran, other = run(defined, "m.f(x)", "m.scale = 3.0", "m.f(x); m.f(x)", "M(4.0).f(x)")
    assert [told(rec) for rec in (traced, changed, ran, other)] == [[], [], [summary], []]
    (finding,) = ran.findings
    assert (finding.function, finding.path, finding.source, finding.compiles) == ("M.f", "self.scale", "cell.py:1", ())
    assert finding.advice == (
        "Pass `self.scale` to `M.f` as an argument, or create a new `self` instead of changing it: each object has a "
        "program of its own."
    )
    assert str(ran).startswith("`M.f` ran an old program\n")


AGAIN = "`f.clear_cache()` after each change, and it compiles again."
ADVICE = {
    "a global number": f"Pass `scale` to `f` as an argument; otherwise call {AGAIN}",
    "a global function": f"Jit `f` again after you change `loss`, or call {AGAIN}",
    "an entry of a list in a dict": f"Pass `cfg['sizes'][1]` to `f` as an argument; otherwise call {AGAIN}",
    "a field of a static dataclass": "Pass `cfg.n` to `f` as an argument (static, if it decides a shape or a loop), or "
    "create a new `cfg` instead of changing it: each object has a program of its own.",
    "an attribute of an object whose method is jitted": "Pass `self.rate` to `Trainer._step` as an argument; otherwise "
    "call `jax.clear_caches()` after each change, and it compiles again.",
    "a model": f"Pass `net` to `f` as an argument; otherwise call {AGAIN}",
    "a global name": f"Pass `mode` to `f` as a static argument; otherwise call {AGAIN}",
    "a list of functions": f"Jit `f` again after you change `layers`, or call {AGAIN}",
}


@pytest.mark.parametrize("what", ADVICE)
def test_the_advice_is_that_of_what_changed(what: str, run: Callable[..., list[Recording]]) -> None:
    (rec,) = run(*OLD[what][:2])
    assert [one.advice for one in rec.findings if one.kind == "stale"] == [ADVICE[what]]


def test_secrets_are_not_told(run: Callable[..., list[Recording]]) -> None:
    defined = "password = 'correct horse'" + IN_ONE_FUNCTION.format("(2 if password else 3)")
    (rec,) = run(defined, "f(x); password = 'battery staple'; f(x)")
    (summary,) = told(rec)
    assert summary == f"the global `password` was another `str` {WHEN}"


def test_nothing_that_was_read_is_kept_alive(run: Callable[..., list[Recording]]) -> None:
    defined = METHOD + "table = jnp.ones(2)" + IN_ONE_FUNCTION.format("m.scale * table")
    run(defined, "f(x); f(x)")
    names: dict[str, Any] = sys.modules["of_a_test"].__dict__
    read = [weakref.ref(names.pop(name)) for name in ("f", "m", "table")]
    jax.clear_caches()
    gc.collect()
    assert [reference() for reference in read] == [None, None, None]
