"""Operations of JAX that run one by one: how a glance knows them, and what is noted of the lines above them."""

from __future__ import annotations

import dis
import os
import sys
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.capture import eager_lines
from jitviz.capture.eager_lines import EagerLines, is_dispatching
from jitviz.capture.thread_activity import glance, stack_of
from jitviz.jaxcompat import jax_frames

HERE = "tests/capture/test_eager_lines.py"
OWN = Path(jitviz.__file__).parent
X = np.ones(3, np.float32)


def frames_in(run: Callable[[], Any]) -> list[Any]:
    """The glances of all calls of Python functions, and of calls into C, while something runs."""
    seen: list[Any] = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: seen.append(glance(frame)) if event in ("call", "c_call") else None)
    try:
        run()
    finally:
        sys.setprofile(before)
    return [one for one in seen if one is not None]


jitted = jax.jit(lambda x: x + 1)


@pytest.mark.parametrize(
    ("run", "is_eager"),
    [
        (lambda x: x + x, True),
        (lambda x: x[0], True),
        (lambda x: jnp.mean(x), True),
        (lambda x: jax.grad(lambda y: y.sum())(x), True),
        (lambda x: jitted(x), False),
        (lambda x: jax.device_put(X), False),
        (lambda x: jnp.asarray(X), False),
        (lambda x: jax.tree.map(len, ["a", "b"]), False),
        (lambda x: np.sort(X), False),
    ],
    ids=["add", "index", "mean", "grad", "a jitted function", "device_put", "asarray", "a tree", "NumPy"],
)
def test_a_glance_tells_operations_from_all_else(run: Callable[[Any], Any], is_eager: bool) -> None:
    x = jnp.ones(3)
    jax.block_until_ready(run(x))  # what follows compiles nothing
    assert any(one.is_eager for one in frames_in(lambda: run(x))) == is_eager


@pytest.mark.parametrize(
    ("call", "is_eager"),
    [
        ("jnp.sin(x)", True),
        ("jnp.cumsum(x, axis=0)", True),
        ("np.sin(x)", False),
        ("jitted(x)", False),
        ("x.sum()", False),
        ("f(x)(x)", False),
    ],
)
def test_a_call_that_jax_answers_in_c_is_known_by_the_name_that_is_called(call: str, is_eager: bool) -> None:
    code = compile(call, HERE, "eval")
    offset = max(one.offset for one in dis.get_instructions(code) if one.opname in ("CALL", "CALL_KW"))
    names = {"jnp": jnp, "np": np, "jitted": jitted}
    frame: Any = SimpleNamespace(f_code=code, f_lasti=offset, f_globals=names, f_builtins={})
    assert is_dispatching(frame, None) == is_eager


def step(x: Any) -> Any:
    return _seen.note(jax_frames.stack(sys._getframe())) or x


_seen = EagerLines()


def test_lines_are_noted_with_their_function_and_loop() -> None:
    global _seen
    _seen = EagerLines()

    def train() -> None:
        for _ in range(2):
            step(
                X,
            )

    train()
    first = train.__code__.co_firstlineno
    lines = {line.source: line for line in _seen.found()}
    line = lines[f"{HERE}:{step.__code__.co_firstlineno + 1}"]
    assert (line.function, line.loop, line.through) == ("step", "", "")
    line = lines[f"{HERE}:{first + 2}"]
    assert (line.function, line.loop) == ("train", f"{HERE}:{first + 1}")


@pytest.mark.parametrize(
    ("code", "loop"),
    [
        ("for x in y:\n  f(x)", 1),
        ("while y:\n  f(x)", 1),
        ("for x in y:\n  for z in x:\n    f(x)", 2),
        ("for x in y: pass\nf(x)", None),
        ("a = [f(x) for x in y]", 1),
    ],
)
def test_the_innermost_loop_is_found(code: str, loop: int | None) -> None:
    whole = compile(code, HERE, "exec")
    places = [(whole, one) for one in dis.get_instructions(whole)]
    places += [
        (inner, one) for inner in whole.co_consts if hasattr(inner, "co_code") for one in dis.get_instructions(inner)
    ]
    calls = [(held, one) for held, one in places if one.opname == "CALL" and eager_lines.callee(held, one.offset)]
    held, call = calls[-1]
    assert eager_lines._loop_around(held, call.offset) == (f"{HERE}:{loop}" if loop else "")


decorated = jax.jit(lambda x: step(x))


def test_a_jitted_function_that_runs_op_by_op_is_known() -> None:
    global _seen
    _seen = EagerLines()
    with jax.disable_jit():
        decorated(X)
    above = sys._getframe().f_lineno - 1
    assert {line.source: line.through for line in _seen.found()}[f"{HERE}:{above}"] == "jit"


def prints(x: Any) -> None:
    print(x)


def keeps(self: Any, x: Any) -> None:
    self.x = x


def counts() -> Callable[[Any], Any]:
    total = 0

    def count(x: Any) -> Any:
        nonlocal total
        total += 1
        return x

    return count


def test_what_a_jit_cannot_contain_is_noted() -> None:
    functions = (prints, keeps, counts(), counts, step)
    assert [eager_lines._host(one.__code__) for one in functions] == ["print", "x", "total", "", ""]


unused = jax.jit(step)


def test_a_global_that_is_a_jitted_form_and_was_never_called_is_noted() -> None:
    global _seen
    _seen = EagerLines()
    step(X)
    source = f"{HERE}:{step.__code__.co_firstlineno + 1}"
    assert [line.jitted for line in _seen.found() if line.source == source] == ["unused"]
    unused(X)
    assert [line.jitted for line in _seen.found() if line.source == source] == [""]


@pytest.mark.parametrize(("folder", "loop"), [("", "jitviz_of_a_stranger.py:2"), (f"{OWN}{os.sep}", "")])
def test_a_loop_of_a_library_that_jitviz_calls_is_not_the_users(folder: str, loop: str) -> None:
    packages = sysconfig.get_paths()["purelib"]
    library = made(f"{packages}{os.sep}jitviz_of_a_stranger.py", "for _ in range(1):\n        do()")
    between = made(f"{folder or packages + os.sep}between.py", "do()")
    seen = EagerLines()
    between(partial(library, lambda: seen.note(stack_of(sys._getframe(1)))))
    at = sys._getframe().f_lineno - 1
    assert {line.source: line.loop for line in seen.found()}[f"{HERE}:{at}"] == loop


def made(filename: str, body: str) -> Callable[[Callable[[], object]], None]:
    names: dict[str, Any] = {}
    exec(compile(f"def call(do):\n    {body}\n", filename, "exec"), names)
    return names["call"]  # type: ignore[no-any-return]
