"""A hit of an old program is told of what the code that ran has read, by path, and of nothing beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import jax
import pytest

import jitviz
from jitviz.model import Finding

HEAD = """
import functools, types
from dataclasses import dataclass
import jax, jax.numpy as jnp, numpy as np
import jitviz
x = jnp.ones(2)
"""
# What is jitted takes its first argument as a static one, which is an object.
JITS = {
    "jax.jit": "jit, jit_method = jax.jit, functools.partial(jax.jit, static_argnums=0)\n",
    "jitviz.filter_jit": "jit = jit_method = jitviz.filter_jit\n",
}
WRAPPERS = [wrapper for wrapper in JITS if wrapper != "jax.jit" or sys.version_info >= (3, 12)]  # hits are seen
OBJECT = """
class Trainer:
    rate = 0.1
    def __init__(self): self.hp = {'rate': 0.1, 'step': 0}; self.mode = 'train'; self.log = []
    @property
    def half(self): return self.hp['rate'] / 2
trainer = Trainer()
"""

# What is defined, with f; what changes between two calls of it; the path that is told.
STALE = {
    "an entry beside a counter": (
        "STATS = {'mean': 1.0, 'steps': 0}\n@jit\ndef f(x): return x / STATS['mean']",
        "STATS['steps'] += 1; STATS['mean'] = 2.0",
        "STATS['mean']",
    ),
    "an entry of an entry": (
        "OPT = {'a': {'lr': 0.1}, 'log': []}\n@jit\ndef f(x): return x * OPT['a']['lr']",
        "OPT['a']['lr'] = 0.2",
        "OPT['a']['lr']",
    ),
    "an entry of an attribute": (
        "CFG = types.SimpleNamespace(hp={'lr': 0.1})\n@jit\ndef f(x):\n    hp = CFG.hp\n    return x * hp['lr']",
        "CFG.hp['lr'] = 0.2",
        "CFG.hp['lr']",
    ),
    "an entry of a dict in a closure": (
        "def make():\n    hist = {'loss': [], 'w': 2.0}\n    return jit(lambda x: x * hist['w']), hist\n"
        "f, hist = make()",
        "hist['w'] = 3.0",
        "hist['w']",
    ),
    "an entry of a static object": (
        OBJECT + "@jit_method\ndef step(self, x): return x * self.hp['rate']\ndef f(x): return step(trainer, x)",
        "trainer.hp['rate'] = 0.2",
        "self.hp['rate']",
    ),
    "a property of a static object": (
        OBJECT + "@jit_method\ndef step(self, x): return x * self.half\ndef f(x): return step(trainer, x)",
        "trainer.hp['rate'] = 0.2",
        "self.hp['rate']",
    ),
    "an element of a list": (
        "SIZES = [1.0, 2.0]\n@jit\ndef f(x): return x * SIZES[1]",
        "SIZES[1] = 3.0",
        "SIZES[1]",
    ),
    "what a loop reads of each element": (
        "LAYERS = [{'w': 1.0}, {'w': 2.0}]\n@jit\ndef f(x):\n"
        "    for n, layer in enumerate(LAYERS): x = x * layer['w'] + n\n"
        "    return x",
        "LAYERS[1]['w'] = 3.0",
        "LAYERS[1]['w']",
    ),
    "one more element": (
        "LAYERS = [1.0, 2.0]\n@jit\ndef f(x): return sum([layer * x for layer in LAYERS])",
        "LAYERS.append(3.0)",
        "LAYERS",
    ),
    "what is passed to a helper": (
        "STATS = {'mean': 1.0}\ndef helper(x, *, stats, eps=0.0): return x / stats['mean'] + eps\n"
        "@jit\ndef f(x): return helper(x, stats=STATS)",
        "STATS['mean'] = 2.0",
        "STATS['mean']",
    ),
    "what a helper returns": (
        "STATS = {'mean': 1.0}\ndef stats(): return STATS\n@jit\ndef f(x): return x / stats()['mean']",
        "STATS['mean'] = 2.0",
        "STATS['mean']",
    ),
    "a flag that decides a branch": (
        "DEBUG, SCALE = False, 1.0\n@jit\ndef f(x): return x * SCALE if DEBUG else x",
        "DEBUG = True",
        "DEBUG",
    ),
    "the branch that runs": (
        OBJECT + "SCALE = 1.0\n@jit_method\ndef step(self, x):\n"
        "    if self.mode == 'train' and x.ndim == 1: x = x * SCALE\n"
        "    return x\ndef f(x): return step(trainer, x)",
        "SCALE = 2.0",
        "SCALE",
    ),
    "an entry with a default": (
        "CFG = {}\n@jit\ndef f(x): return x * CFG.get('lr', 2.0)",
        "CFG['lr'] = 3.0",
        "'lr' in CFG",
    ),
    "the length of an array": (
        "Q = jnp.ones(2)\n@jit\ndef f(x): return x / len(Q)",
        "Q = jnp.ones(3)",
        "len(Q)",
    ),
    "a typed key": (
        "KEYS = {'noise': jax.random.key(0)}\n@jit\ndef f(x): return x + jax.random.normal(KEYS['noise'])",
        "KEYS['noise'] = jax.random.key(1)",
        "KEYS['noise']",
    ),
    "what the body of a loop reads": (
        "RATE = 1.0\n@jit\ndef f(x):\n    def body(carry, _): return carry * RATE, None\n"
        "    return jax.lax.scan(body, x, None, length=2)[0]",
        "RATE = 2.0",
        "RATE",
    ),
    "what a batched helper reads": (
        "RATE = 1.0\ndef one(x, y): return x * RATE + y\n@jit\n"
        "def f(x): return jax.vmap(one, in_axes=(0, None))(x, 1.0)",
        "RATE = 2.0",
        "RATE",
    ),
    "all parameters, as a library takes them": (
        "PARAMS = {'w': x, 'b': x}\n@jit\ndef f(x): return jax.tree.map(lambda part: part * x, PARAMS)",
        "PARAMS = {'w': x + 1, 'b': x + 1}",
        "PARAMS",
    ),
    "what a base class reads": (
        "class Base:\n    def run(self, x): return x * self.rate\n"
        "class Net(Base):\n    def run(self, x): return super().run(x) + 1\n"
        "net = Net(); net.rate, net.n = 1.0, 0\n@jit\ndef f(x): return net.run(x)",
        "net.n += 1; net.rate = 2.0",
        "net.rate",
    ),
    "what a partial holds": (
        "STATS = {'mean': 1.0, 'n': 0}\ndef helper(stats, x): return x / stats['mean']\n"
        "scaled = functools.partial(helper, STATS)\n@jit\ndef f(x): return scaled(x)",
        "STATS['n'] += 1; STATS['mean'] = 2.0",
        "scaled.args[0]['mean']",
    ),
    "an entry that is passed by name": (
        "OPTIONS = {'a': 1.0, 'b': 2.0}\ndef helper(x, a, b): return x * a + b\n@jit\n"
        "def f(x): return helper(x, **OPTIONS)",
        "OPTIONS['b'] = 3.0",
        "OPTIONS['b']",
    ),
    "what a class method reads": (
        "class Net:\n    rate, n = 1.0, 0\n    @classmethod\n    def run(cls, x): return x * cls.rate\n"
        "@jit\ndef f(x): return Net.run(x)",
        "Net.n += 1; Net.rate = 2.0",
        "Net.rate",
    ),
    "what a module of Flax reads": (
        "import flax.linen as nn\nSCALES = {'out': 1.0, 'n': 0}\nclass Net(nn.Module):\n    @nn.compact\n"
        "    def __call__(self, x): return nn.Dense(2)(x) * SCALES['out']\n"
        "net = Net(); params = net.init(jax.random.key(0), x)\n@jit\ndef f(x): return net.apply(params, x)",
        "SCALES['n'] += 1; SCALES['out'] = 2.0",
        "SCALES['out']",
    ),
    "a part of a text": (
        "STATE = {'version': 1, 'n': 0}; RATES = {'v1': 1.0, 'v2': 2.0}\n"
        "@jit\ndef f(x): return x * RATES[f\"v{STATE['version']}\"]",
        "STATE['n'] += 1; STATE['version'] = 2",
        "STATE['version']",
    ),
    "what runs after a loop that may not end": (
        "RATE = 1.0\n@jit\ndef f(x):\n    n = x.shape[0]\n    while n > 0: n -= 1\n    return x * RATE",
        "RATE = 2.0",
        "RATE",
    ),
}  # fmt: skip

# Nothing is told of these.
FRESH = {
    "a counter in a dict": (
        "STATS = {'mean': 1.0, 'steps': 0}\n@jit\ndef f(x): return x / STATS['mean']",
        "STATS['steps'] += 1",
    ),
    "a log in a dict": (
        "OPT = {'a': {'lr': 0.1}, 'log': []}\n@jit\ndef f(x): return x * OPT['a']['lr']",
        "OPT['log'].append(1)",
    ),
    "a counter of a namespace": (
        "CFG = types.SimpleNamespace(lr=0.1, step=0)\n@jit\ndef f(x): return x * CFG.lr",
        "CFG.step += 1",
    ),
    "a history in a closure": (
        "def make():\n    hist = {'loss': [], 'w': 2.0}\n    return jit(lambda x: x * hist['w']), hist\n"
        "f, hist = make()",
        "hist['loss'].append(1)",
    ),
    "a counter of a static object": (
        OBJECT + "@jit_method\ndef step(self, x): return x * self.hp['rate']\ndef f(x): return step(trainer, x)",
        "trainer.hp['step'] += 1; trainer.log.append(1)",
    ),
    "another element of a list": (
        "SIZES = [1.0, 2.0]\n@jit\ndef f(x): return x * SIZES[1]",
        "SIZES[0] = 3.0; SIZES.append(4.0)",
    ),
    "a branch that is not taken": (
        "DEBUG, SCALE = False, 1.0\n@jit\ndef f(x):\n    if DEBUG: x = x * SCALE\n    return x",
        "SCALE = 2.0",
    ),
    "a branch for arrays of another rank": (
        "SCALE = 1.0\n@jit\ndef f(x): return x * SCALE if x.ndim == 2 else x",
        "SCALE = 2.0",
    ),
    "a branch for another mode": (
        OBJECT + "SCALE = 1.0\n@jit_method\ndef step(self, x):\n    if self.mode == 'eval': return x * SCALE\n"
        "    return x\n"
        "def f(x): return step(trainer, x)",
        "SCALE = 2.0",
    ),
    "a branch for another dtype": (
        "SCALE = 1.0\n@jit\ndef f(x):\n"
        "    if x.dtype == jnp.int32 or jnp.issubdtype(x.dtype, jnp.integer): return x * SCALE\n"
        "    return x",
        "SCALE = 2.0",
    ),
    "a branch for another member of an enum": (
        "import enum\nMode = enum.Enum('Mode', 'TRAIN EVAL')\nMODE, SCALE = Mode.TRAIN, 1.0\n"
        "@jit\ndef f(x): return x * SCALE if MODE == Mode.EVAL else x",
        "SCALE = 2.0",
    ),
    "a branch for flags that are all off": (
        "FLAGS, SCALE = [False, False], 1.0\n@jit\ndef f(x): return x * SCALE if any(FLAGS) else x",
        "SCALE = 2.0",
    ),
    "what is only printed": (
        "EPOCH = 0\n@jit\ndef f(x):\n    print(f'epoch {EPOCH}', end='\\r')\n    return x",
        "EPOCH += 1",
    ),
    "a function that is never called": (
        "SCALE = 1.0\ndef other(x): return x * SCALE\n@jit\ndef f(x):\n    def unused(): return SCALE\n"
        "    return x if x.shape else other(x)",
        "SCALE = 2.0",
    ),
    "an entry that is there": (
        "CFG = {'lr': 1.0, 'n': 0}\n@jit\ndef f(x): return x * CFG.get('lr', 2.0)",
        "CFG['n'] += 1",
    ),
    "an array of the same length": (
        "Q = jnp.ones(2)\n@jit\ndef f(x): return x / len(Q) + Q.shape[0] + Q.ndim",
        "Q = jnp.zeros(2)",
    ),
    "an object that is still there": (
        "STATE = types.SimpleNamespace()\n@jit\n"
        "def f(x): return x if STATE is None or isinstance(STATE, dict) else x + 1",
        "STATE = types.SimpleNamespace()",
    ),
    "a log that is not empty": (
        "LOG = [1]\n@jit\ndef f(x): return x if LOG else x + 1",
        "LOG.append(2)",
    ),
    "an entry that a loop passes over": (
        "HP = {'a': 1.0, 'step': 0}\n@jit\ndef f(x):\n    for name, value in HP.items():\n"
        "        if name != 'step': x = x * value\n    return x",
        "HP['step'] += 1",
    ),
    "what an except clause reads": (
        "SCALE = 1.0\n@jit\ndef f(x):\n    try: return x + 1\n    except TypeError: return x * SCALE",
        "SCALE = 2.0",
    ),
    "what a callback reads": (
        "EPOCH = 0\ndef note(x): seen = EPOCH\n@jit\ndef f(x):\n    jax.debug.callback(note, x)\n"
        "    jax.debug.callback(lambda x: print(end=str(EPOCH)[:0]), x)\n    return x",
        "EPOCH += 1",
    ),
    "what the trace itself counts": (
        "N, SEEN = 0, {}\n@jit\ndef f(x):\n    global N\n    N += 1\n"
        "    SEEN[x.shape] = SEEN.get(x.shape, 0) + 1\n    return x",
        "N = 7; SEEN.clear()",
    ),
}  # fmt: skip
MAYBE = {
    "an entry whose name is computed": (
        "HP = {'a': 1.0, 'step': 0}\n@jit\ndef f(x): return x * HP['abc'[x.shape[0] - 2]]",
        "HP['step'] += 1",
    ),
    "a part of what a library takes": (
        "HP = {'a': 1.0, 'step': 0}\n@jit\ndef f(x): return x * jax.tree.reduce(max, HP)",
        "HP['step'] -= 1",
    ),
    "a branch that nothing decides": (
        "SCALE = 1.0\n@jit\ndef f(x): return x * SCALE if np.prod(x.shape) > 3 else x",
        "SCALE = 2.0",
    ),
}

Ran = Callable[[str, str], list[Finding]]


@pytest.fixture(params=WRAPPERS)
def stale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ran]:
    """The findings of two calls of f with a change between them."""
    module = ModuleType("of_a_test")
    monkeypatch.setitem(sys.modules, "of_a_test", module)

    def stale(defined: str, change: str) -> list[Finding]:
        cell = f"def once(): global y; y = f(x)\nonce()\n{change}\nonce()"
        with jitviz.record(sample=False) as rec:
            for number, text in enumerate((HEAD + JITS[request.param] + dedent(defined), cell)):
                exec(compile(text, f"cell_{number}.py", "exec"), module.__dict__)
        assert rec.facts.failures == []
        assert [call.outcome for call in rec.calls][-1] == "hit"
        found = [finding for finding in rec.findings if finding.kind == "stale"]
        loaded = [finding for finding in jitviz.load(rec.save(tmp_path / "run")).findings if finding.kind == "stale"]
        assert loaded == found
        assert ("ran an old program" in str(rec)) == any(not finding.is_maybe for finding in found)
        return found

    yield stale
    jax.clear_caches()


@pytest.mark.parametrize("what", STALE)
def test_what_the_program_was_traced_with_is_told_by_its_path(what: str, stale: Ran) -> None:
    defined, change, path = STALE[what]
    assert [(finding.path, finding.is_maybe) for finding in stale(defined, change)] == [(path, False)]


@pytest.mark.parametrize("what", FRESH)
def test_what_the_trace_did_not_read_is_not_told(what: str, stale: Ran) -> None:
    assert stale(*FRESH[what]) == []


@pytest.mark.parametrize("what", MAYBE)
def test_where_it_is_not_known_what_was_read_the_word_is_maybe(what: str, stale: Ran) -> None:
    (finding,) = stale(*MAYBE[what])
    assert finding.is_maybe
    assert finding.summary.endswith("; maybe the program does not depend on the difference")
    assert finding.advice == "If `f` depends on what changed, pass that to it as an argument."
