"""Programs that stand in many copies, and the same rewritten by hand: what jitviz promises of that, and what it saves.

    python -m tests.benchmarks.rewrites

In: nothing.  Out: for each pair the equations, the processor seconds to trace, lower and compile, the seconds that the
first was promised to lose, and the time of a run.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import jitviz
from jitviz.findings.program_findings import program_of

Function = Callable[..., Any]


class Pair(NamedTuple):
    """A function as people write it, and rewritten; `n` copies in the first."""

    before: Function
    after: Function
    n: int

    def args(self) -> tuple[Any, Any, Any]:
        """The parameters of each copy, an array to start with, and one row for each copy."""
        return jnp.ones((self.n, 16, 16)), jnp.ones(16), jnp.ones((self.n, 16))


def layer(w: Any, x: Any) -> Any:
    x = jnp.tanh(x @ w) + jnp.sin(x) * jnp.cos(x)
    x = x / (1.0 + jnp.exp(-x)) - jnp.log1p(x * x)
    return x * lax.rsqrt(jnp.mean(x * x) + 1e-6)


def layers(ws: Any, x: Any, _: Any) -> Any:
    for i in range(len(ws)):
        x = layer(ws[i], x)
    return x.sum()


def scanned(ws: Any, x: Any, _: Any) -> Any:
    return lax.scan(lambda x, w: (layer(w, x), None), x, ws)[0].sum()


def rows(ws: Any, _: Any, xs: Any) -> Any:
    return jnp.stack([layer(ws[0], xs[i]) for i in range(len(xs))]).sum()


def mapped(ws: Any, _: Any, xs: Any) -> Any:
    return jax.vmap(partial(layer, ws[0]))(xs).sum()


def euler(ws: Any, x: Any, _: Any) -> Any:
    for i in range(len(ws)):
        x = x + 0.01 * (jnp.sin(x) - x * 0.1 * i)
    return x.sum()


def euler_loop(ws: Any, x: Any, _: Any) -> Any:
    return lax.fori_loop(0, len(ws), lambda i, x: x + 0.01 * (jnp.sin(x) - x * 0.1 * i), x).sum()


def orbits(ws: Any, _: Any, xs: Any) -> Any:
    found = []
    for i in range(len(xs)):
        x = xs[i]
        for _ in range(12):
            x = x + 0.01 * (jnp.sin(x) - x * ws[0, 0])
        found.append(x)
    return jnp.stack(found).sum()


def orbits_mapped(ws: Any, _: Any, xs: Any) -> Any:
    def orbit(x: Any) -> Any:
        return lax.fori_loop(0, 12, lambda _, x: x + 0.01 * (jnp.sin(x) - x * ws[0, 0]), x)

    return jax.vmap(orbit)(xs).sum()


def falls(x: Any, n: int) -> Any:
    return falls(x + 0.01 * (jnp.sin(x) - x * 0.1), n - 1) if n else x


def recursion(ws: Any, x: Any, _: Any) -> Any:
    return falls(x, len(ws)).sum()


def recursion_loop(ws: Any, x: Any, _: Any) -> Any:
    return lax.fori_loop(0, len(ws), lambda _, x: x + 0.01 * (jnp.sin(x) - x * 0.1), x).sum()


def distances(_: Any, x: Any, xs: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            total += jnp.sqrt(jnp.sum((xs[i] - xs[j] + x) ** 2) + 1e-6)
    return total


def distances_mapped(_: Any, x: Any, xs: Any) -> Any:
    i, j = np.triu_indices(len(xs), 1)
    return jax.vmap(lambda i, j: jnp.sqrt(jnp.sum((xs[i] - xs[j] + x) ** 2) + 1e-6))(i, j).sum()


def branches(ws: Any, x: Any, _: Any) -> Any:
    return lax.switch(x[0].astype(int), [lambda x, i=i: layer(ws[i], x) for i in range(len(ws))], x).sum()


def indexed(ws: Any, x: Any, _: Any) -> Any:
    return layer(ws[x[0].astype(int)], x).sum()


def _pairs() -> dict[str, Pair]:
    pairs = {
        f"{before.__name__} {n}": Pair(before, after, n)
        for before, after, sizes in (
            (layers, scanned, (4, 8, 20, 60)),
            (rows, mapped, (8, 16, 64)),
            (euler, euler_loop, (30, 100)),
            (branches, indexed, (10, 60)),
            (orbits, orbits_mapped, (5, 20)),
            (recursion, recursion_loop, (30,)),
            (distances, distances_mapped, (9,)),
        )
        for n in sizes
    }
    grads = {
        f"gradient of {name}": Pair(jax.grad(before, argnums=1), jax.grad(after, argnums=1), n)
        for name, (before, after, n) in pairs.items()
        if n <= 30 and before not in (rows, orbits)
    }
    return pairs | grads


PAIRS = _pairs()


class Seen(NamedTuple):
    """One of a pair: its equations, its processor seconds, and of some amount of either what is promised."""

    n_equations: int
    compile_s: float
    promised: Callable[[float, int], float]
    run_s: float = 0.0


def seen(function: Function, args: tuple[Any, ...], n_runs: int = 0) -> Seen:
    """Compile a function, and run it."""
    jax.clear_caches()
    jitted = jax.jit(lambda *args: function(*args))
    with jitviz.record() as rec:
        start_s = time.process_time()
        jax.block_until_ready(jitted(*args))
        compile_s = time.process_time() - start_s
    program = program_of(rec, rec.compiles[-1])
    copies = [one for _, one in program.copies]
    start_s = time.perf_counter()
    for _ in range(n_runs):
        jax.block_until_ready(jitted(*args))
    run_s = (time.perf_counter() - start_s) / max(1, n_runs)
    return Seen(program.n_equations, compile_s, lambda s, n: sum(one.saved_s(s, 0.0, n) for one in copies), run_s)


def main() -> None:
    print("| program | equations | seconds | saved | promised | microseconds of a run |\n|---|---|---|---|---|---|")
    for name, pair in PAIRS.items():
        before, after = (seen(function, pair.args(), n_runs=200) for function in pair[:2])
        saved_s, promised_s = before.compile_s - after.compile_s, before.promised(before.compile_s, 1)
        print(
            f"| {name} | {before.n_equations:,} → {after.n_equations} | {before.compile_s:.2f} → {after.compile_s:.2f} "
            f"| {saved_s:.2f} | {promised_s:.2f} | {before.run_s * 1e6:.0f} → {after.run_s * 1e6:.0f} |"
        )


if __name__ == "__main__":
    main()
