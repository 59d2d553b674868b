"""How much memory the largest program needs."""

import re

import jax
import jax.numpy as jnp
import numpy as np

import jitviz
from jitviz.findings.memory import tell_memory

N = 5_000_000
X = np.ones(N, np.float32)


def updating() -> object:
    def update(w: jax.Array, x: jax.Array) -> jax.Array:
        return w - x

    return jax.jit(update)


def attend(q: jax.Array) -> jax.Array:
    scores = q @ q.T
    return jax.nn.softmax(scores).sum()


def told(*calls: object) -> tuple[str, ...]:
    with jitviz.record(sample=False) as rec:
        for function, *arguments in calls:  # type: ignore[misc]
            jax.block_until_ready(function(*map(jnp.array, arguments)))
    return tuple(text.replace(f"tests/findings/test_memory.py:{called()}", "HERE") for text in tell_memory(rec))


def called() -> int:
    """The line of the call above."""
    return told.__code__.co_firstlineno + 3


def test_small_programs_are_not_worth_a_sentence() -> None:
    assert told((updating(), X[:9], X[:9])) == ()


def test_outputs_that_could_reuse_inputs_are_told() -> None:
    assert told((updating(), X, X)) == (
        "`update` at HERE needs 60 MB while it runs: 40 MB of inputs and 20 MB of outputs. "
        "Nothing is donated: `donate_argnums` would let outputs reuse 20 MB of the inputs.",
    )


def test_a_program_that_donates_is_compared_and_needs_no_advice() -> None:
    def donating() -> object:
        return jax.jit(lambda w, x: x + w, donate_argnums=0)

    assert told((donating(), X, X), (updating(), X, X)) == (
        "`update` at HERE needs 60 MB while it runs: 40 MB of inputs and 20 MB of outputs. "
        "That is 1.5 times the memory of `<lambda>`, which has the same outputs and donates its inputs; "
        "here nothing is donated.",
    )
    assert told((donating(), X, X)) == ("`<lambda>` at HERE needs 40 MB while it runs: 40 MB of inputs.",)


def test_a_program_that_donates_is_not_compared_if_it_needs_nearly_as_much() -> None:
    donating = jax.jit(lambda w, x, more: w + x + more[0], donate_argnums=0)
    (text,) = told((donating, X, X, X[: N * 7 // 10]), (updating(), X, X))
    assert text.endswith("Nothing is donated: `donate_argnums` would let outputs reuse 20 MB of the inputs.")


def test_temporary_buffers_of_a_small_program_are_told_where_they_are_most_of_it() -> None:
    (text,) = told((jax.jit(attend), np.ones((1600, 8), np.float32)))
    assert re.search(r"needs 1\d MB while it runs: 1\d MB of temporary buffers, the biggest 10 MB at ", text)
    assert told((jax.jit(attend), np.ones((1200, 8), np.float32))) == ()


def test_the_biggest_temporary_buffers_have_their_lines() -> None:
    (text,) = told((jax.jit(attend), np.ones((3000, 8), np.float32)))
    first = attend.__code__.co_firstlineno
    found = re.search(r" of temporary buffers, the biggest 36 MB at tests/findings/test_memory.py:(\d+)", text)
    assert found is not None
    assert int(found[1]) in (first + 1, first + 2)


def test_no_buffer_is_bigger_than_all_temporary_ones_together() -> None:
    def both(q: jax.Array) -> tuple[jax.Array, jax.Array]:
        return q @ q.T, attend(q[:2500])

    (text,) = told((jax.jit(both), np.ones((3000, 8), np.float32)))
    whole, *parts = re.search(r"(\d+) MB of temporary buffers, the biggest (.*?)\.", text).groups()  # type: ignore[union-attr]
    assert [int(part) for part in re.findall(r"(\d+) MB", parts[0])] == [25]
    assert int(whole) in (25, 26)
