"""A value that is drawn while tracing is told with its line if it becomes part of the program, and else not."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import jax
import pytest

import jitviz
from jitviz.findings.sentences import place
from jitviz.model import Finding

HEAD = """\
import datetime, functools, json, logging, os, pathlib, random, secrets, time, types, uuid
import jax, jax.numpy as jnp, jitviz, numpy as np
from numpy.random import default_rng, normal
x, rng = jnp.ones(2), np.random.default_rng(0)
table, ids, ORDER = np.ones(4), np.arange(2), [2, 1]
"""
# The lines of a function f(x), and what is told of the first of them.
DRAWN = {
    "a number of NumPy": ("y = x + np.random.normal()\nreturn y", "np.random.normal", "number"),
    "a number under another name": ("return x + normal(size=2)", "np.random.normal", "number"),
    "a number of Python": ("return x * random.random()", "random.random", "number"),
    "a number of a generator": ("w = rng.uniform(size=2)\nreturn x * w", "rng.uniform", "number"),
    "a generator without a seed": ("draw = default_rng().normal\nreturn x * draw()", "default_rng()", "number"),
    "an integer as an index": ("at = random.randrange(2)\nreturn x[at]", "random.randrange", "number"),
    "a number that decides a branch": ("if np.random.rand() < 2: x = x + 1\nreturn x", "np.random.rand", "number"),
    "a number in a list": ("noise = [random.gauss(0, 1) for _ in range(2)]\nreturn x + jnp.array(noise)",
                           "random.gauss", "number"),
    "the time": ("now = time.time()\nreturn x + now", "time.time", "time"),
    "the time as a seed": ("seed = time.time_ns() % 2**31\nreturn x + jax.random.normal(jax.random.key(seed))",
                           "time.time_ns", "time"),
    "a date": ("hour = datetime.datetime.now().hour\nreturn x * hour", "datetime.now", "time"),
    "a setting": ("rate = float(os.environ.get('RATE', 2.0))\nreturn x * rate", "os.environ", "value"),
    "a setting by its name": ("rate = float(os.environ['HOME'] != '')\nreturn x * rate", "os.environ", "value"),
    "a file": ("text = open(__file__).read()\nreturn x * len(text)", "open", "value"),
    "a file with a name of its own": ("text = pathlib.Path(__file__).read_text()\nreturn x * len(text)",
                                      "Path.read_text", "value"),
    "an order": ("order = [2, 1]; random.shuffle(order)\nreturn x * order[0]", "random.shuffle", "number"),
    "an order of NumPy": ("order = np.arange(2); np.random.shuffle(order)\nreturn x[order]", "np.random.shuffle",
                          "number"),
    "an order of a generator": ("order = np.arange(2); rng.shuffle(order)\nreturn x[order]", "rng.shuffle",
                                "number"),
    "a global order": ("random.shuffle(ORDER)\nreturn x * ORDER[0]", "random.shuffle", "number"),
    "an identifier": ("number = uuid.uuid4().int % 5\nreturn x + number", "uuid.uuid4", "number"),
    "a secret number": ("number = secrets.randbelow(5)\nreturn x + number", "secrets.randbelow", "number"),
}  # fmt: skip
ELSEWHERE = {
    "a helper": ("def noise(x):\n    return np.random.normal(size=x.shape)\ndef f(x): return x + noise(x)", 2),
    "a function that is batched": (
        "def f(x):\n    def one(x):\n        return x + normal()\n    return jax.vmap(one)(x)", 3),
    "the body of a loop": (
        "def f(x):\n    def body(n, x):\n        return x * random.random()\n"
        "    return jax.lax.fori_loop(0, 3, body, x)", 3),
    "a method": (
        "class Layer:\n    def __call__(self, x):\n        return x + np.random.normal()\n"
        "layer = Layer()\ndef f(x): return layer(x)", 3),
}  # fmt: skip
NOT_DRAWN = {
    "the time for a message": "began = time.time()\ny = x + 1\nprint(end=str(time.time() - began)[:0])\nreturn y",
    "the time for a log": "began = time.time()\nlogging.getLogger().debug('%s', time.time() - began)\nreturn x",
    "the time that an object keeps": "STATE.began = time.time()\nreturn x",
    "the time that decides on a message": "if time.time() < 0: print('late')\nreturn x",
    "a number that is dropped": "np.random.normal()\nrandom.random()\nreturn x",
    "a branch that is not taken": "if x.ndim == 2: x = x + np.random.normal()\nreturn x",
    "a callback": "jax.debug.callback(lambda x: STATE.__setattr__('x', x + np.random.normal()), x)\nreturn x",
    "a pure callback": "return jax.pure_callback(lambda x: x + np.random.normal(size=2).astype('f'), x, x)",
    "an order that is dropped": "order = [2, 1]\nother = [2, 1]\nrandom.shuffle(order)\nreturn x * other[0]",
    "a generator with a seed": "return x + np.random.default_rng(0).normal(size=2)",
    "a key of JAX": "return x + jax.random.normal(jax.random.key(0), x.shape)",
    "a file that is written": "with open(os.devnull, 'w') as file: file.write(str(x.shape))\nreturn x",
    "a message of JAX": "jax.debug.print('{x} {t}', x=x, t=time.time())\nreturn x",
    "a table that an array indexes": "return x + table[ids].sum()",
    "a name": "name = uuid.uuid4().hex\nwith jax.named_scope('a'): STATE.name = name\nreturn x",
}  # fmt: skip
MAYBE = {
    "a setting that decides a branch": "if os.environ.get('HOME'): x = x + 1\nreturn x",
    "a branch that nothing decides": "if np.prod(x.shape) > 3: x = x + time.time()\nreturn x",
}

Ran = Callable[[str], list[Finding]]


@pytest.fixture(params=["jax.jit", "jitviz.filter_jit"])
def drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ran]:
    """The findings of two calls of a jitted f."""
    module = ModuleType("of_a_test")
    module.__dict__.update(__file__=__file__, STATE=ModuleType("state"))
    monkeypatch.setitem(sys.modules, "of_a_test", module)

    def drawn(defined: str) -> list[Finding]:
        exec(compile(HEAD, "head.py", "exec"), module.__dict__)
        exec(compile(f"{defined}\ng = {request.param}(f)", "cell.py", "exec"), module.__dict__)
        with jitviz.record(sample=False) as rec:
            exec("g(x); g(x)", module.__dict__)
        jax.effects_barrier()
        assert rec.facts.failures == []
        assert jitviz.load(rec.save(tmp_path / "run")).findings == rec.findings
        return [finding for finding in rec.findings if finding.kind == "traced_once"]

    yield drawn
    jax.clear_caches()
    linecache.checkcache()


def body(lines: str) -> str:
    return "def f(x):\n" + "\n".join(f"    {line}" for line in lines.splitlines())


@pytest.mark.parametrize("what", DRAWN)
def test_what_is_drawn_while_tracing_is_told_with_its_line(what: str, drawn: Ran) -> None:
    lines, name, noun = DRAWN[what]
    (finding,) = drawn(body(lines))
    assert finding.summary == f"`{name}` ran once, while tracing; every hit of `f` uses the same {noun}"
    assert (finding.function, finding.source, finding.is_maybe) == ("f", "cell.py:2", False)
    assert place(finding) == "1 version of `f`, at cell.py:2"


@pytest.mark.parametrize("what", ELSEWHERE)
def test_so_it_is_in_code_that_the_function_calls(what: str, drawn: Ran) -> None:
    defined, line = ELSEWHERE[what]
    assert [(finding.source, finding.is_maybe) for finding in drawn(defined)] == [(f"cell.py:{line}", False)]


@pytest.mark.parametrize("what", NOT_DRAWN)
def test_what_does_not_reach_the_program_is_not_told(what: str, drawn: Ran) -> None:
    assert drawn(body(NOT_DRAWN[what])) == []


@pytest.mark.parametrize("what", MAYBE)
def test_what_may_not_reach_the_program_is_told_as_maybe(what: str, drawn: Ran) -> None:
    (finding,) = drawn(body(MAYBE[what]))
    assert finding.is_maybe
    assert finding.summary.endswith("; maybe the program does not depend on it")


def test_a_library_that_draws_from_a_global_generator_may_have_put_it_into_the_program(drawn: Ran) -> None:
    (finding,) = drawn(body("return x + functools.reduce(np.add, map(np.random.random, [1]))"))
    assert (finding.source, finding.is_maybe) == ("cell.py:2", False)  # it is passed on in a line of the user's
    (finding,) = drawn(
        "hidden = types.MethodType(np.random.normal, 0.0)\ndef f(x): return x + eval('np.random.normal()')"
    )
    assert (finding.source, finding.is_maybe) == ("cell.py:2", True)
    assert finding.summary.startswith("`np.random` ran once, while tracing")


ADVICE = {
    "a number of NumPy": "Draw it with `jax.random.normal` from a key that is an argument of `f`, and pass another key "
    "with each call.",
    "a secret number": "Draw it with `jax.random` from a key that is an argument of `f`, and pass another key "
    "with each call.",
    "the time": "Take the time outside of `f`, and pass it as an argument.",
    "a file": "Read it outside of `f`, and pass it as an argument (static, if it decides a shape, a loop or a branch).",
}


@pytest.mark.parametrize("what", ADVICE)
def test_the_advice_is_that_of_what_was_drawn(what: str, drawn: Ran) -> None:
    (finding,) = drawn(body(DRAWN[what][0]))
    assert finding.advice == ADVICE[what]
