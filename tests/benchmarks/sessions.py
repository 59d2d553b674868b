"""A long session, generated from one recorded compile: cells, calls and compiles, each compile with a new shape."""

from array import array
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp

import jitviz
from jitviz.recording import Recording
from jitviz.recording import events as ev

FIRST, SITE = 1_000, 1  # far from the recorded numbers


@cache
def _recorded() -> tuple[ev.FunctionSeen, list[ev.Event]]:
    """The events of one call that compiles, of a module with nine leaves."""
    model = eqx.nn.MLP(4, 4, 8, 3, key=jax.random.key(0))
    with jitviz.record(sample=False) as rec:
        eqx.filter_jit(lambda model, x: model(x))(model, jnp.ones(4))
    function = next(event for event in rec.events if isinstance(event, ev.FunctionSeen))
    return function, [one for one in rec.events if getattr(one, "compile", getattr(one, "call", None)) is not None]


def _again(number: int, at_s: float, size: int) -> Iterator[ev.Event]:
    """The events of that call again, with another number, time and size."""
    _, events = _recorded()
    shift_s = at_s - events[0].at_s
    for event in events:
        fields = {"at_s": event.at_s + shift_s}
        fields |= {name: number for name in ("call", "compile") if getattr(event, name, None) is not None}
        fields |= {"function": 1} if hasattr(event, "function") else {}
        fields |= {"started_s": event.started_s + shift_s} if hasattr(event, "started_s") else {}
        if isinstance(event, ev.CompileStarted):
            *rest, last = event.signature.leaves
            fields["signature"] = replace(
                event.signature, leaves=(*rest, replace(last, shape=(size,), repr=f"f32[{size}]"))
            )
        yield replace(event, **fields)


def session(n_cells: int, n_calls: int, n_compiles: int) -> Recording:
    """A recording of `n_cells` cells. Each compiles its share first, and then runs hits."""
    function, _ = _recorded()
    rec = Recording([ev.RecordingStarted(1.0), replace(function, at_s=1.0, function=1)])
    rec.append(ev.SiteSeen(1.0, SITE, 1, "In [1], line 2"))
    at_s, n_made = 2.0, 0
    for cell in range(n_cells):
        rec.append(ev.CellStarted(at_s, f"In [{cell + 1}]", "step(model, x)"))
        for _ in range(n_compiles * (cell + 1) // n_cells - n_made):
            n_made += 1
            for event in _again(FIRST + n_made, at_s, n_made):
                rec.append(event)
            at_s += 0.1
        hits = (n_calls - n_compiles) // n_cells
        numbers = array("q", (one for hit in range(hits) for one in (SITE, int(at_s * 1e9) + hit * 20_000, 9_000)))
        rec.append(ev.HitsNoted(at_s + hits * 2e-5, numbers.tobytes()))
        at_s += 1.0
        rec.append(ev.CellFinished(at_s, f"In [{cell + 1}]"))
    rec.append(ev.RecordingFinished(at_s))
    return rec
