"""How often loops turned, counted from the order of equations, against programs that count for themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.capture.programs.turns import LoopRun, TracedEquation, count_turns
from jitviz.jaxcompat import jaxprs

X = np.ones(3, np.float32)


def made(jaxpr: Any) -> Iterator[TracedEquation]:
    for one in jaxpr.eqns:
        traceback = one.source_info.traceback
        yield TracedEquation(jaxprs.raw_frames(traceback), one.primitive.name, id(traceback))


def runs_of(function: Callable[..., Any], *args: Any) -> list[LoopRun]:
    jaxpr = jax.make_jaxpr(function)(*args)
    return [run for run in count_turns(made(jaxpr)) if run.code.co_filename == function.__code__.co_filename]


def turns_of(function: Callable[..., Any], *args: Any) -> dict[int, tuple[int, ...]]:
    """The turns of each loop of the function itself, by its line from the `def` on."""
    first = function.__code__.co_firstlineno
    return {run.loop.line - first: run.turns for run in runs_of(function, *args)}


def scaled(x: Any, n: int) -> Any:
    for _ in range(n):
        x = jnp.sin(x) * 2.0
    return x + 1.0


def test_turns_are_told_from_calls() -> None:
    def five(x: Any) -> Any:
        found = [scaled(x - 0.1 * k, 20) for k in range(5)]
        return jnp.stack(found)

    assert Counter(run.turns for run in runs_of(five, X)) == {(5,): 1, (20,) * 5: 1}


def test_turns_may_differ_from_call_to_call() -> None:
    def growing(x: Any) -> Any:
        for n in (2, 3, 4):
            x = scaled(x, n)
        return x

    assert Counter(run.turns for run in runs_of(growing, X)) == {(3,): 1, (2, 3, 4): 1}


def test_the_leaves_of_a_tree_are_no_turns() -> None:
    def twice(tree: Any) -> Any:
        for _ in range(2):
            tree = jax.tree.map(lambda leaf: leaf * 2.0 + 1.0, tree)
            tree[0] = tree[0] + 1.0
        return tree

    assert turns_of(twice, [X] * 24) == {1: (2,)}


def test_what_sum_adds_is_no_turn() -> None:
    def added(xs: Any) -> Any:
        for _ in range(3):
            total = sum(xs)
            xs = [total * x for x in xs]
        return sum(x * 2.0 for x in xs)

    assert turns_of(added, [X] * 4) == {1: (3,), 3: (4, 4, 4), 4: (4,)}


def test_two_calls_on_one_line_are_two_calls() -> None:
    def both(x: Any) -> Any:
        for _ in range(3):
            x = scaled(scaled(x, 2), 2)
        return x

    assert Counter(run.turns for run in runs_of(both, X)) == {(3,): 1, (2, 2, 2): 2}


def test_rows_of_an_array_are_turns() -> None:
    def rows(array: Any) -> Any:
        return jnp.stack([jnp.tanh(row) for row in array])

    assert turns_of(rows, np.ones((6, 3))) == {1: (6,)}


def test_loops_that_only_nest_are_named_together() -> None:
    def nest(x: Any) -> Any:
        for _ in range(4):
            for _ in range(5):
                x = jnp.sin(x)
        return x

    (run,) = runs_of(nest, X)
    first = nest.__code__.co_firstlineno
    assert (run.loop.line - first, run.turns) == (2, (20,))
    assert [(code.co_name, line - first) for code, line in run.around] == [("nest", 1)]


def test_branches_make_turns_of_their_own() -> None:
    def branching(x: Any) -> Any:
        for place in range(6):
            if place % 2:
                x = jnp.sin(x)
            else:
                x = jnp.cos(x)
        return x

    assert turns_of(branching, X) == {1: (6,)}


def test_a_trace_that_is_put_in_several_times_turned_as_often_each_time() -> None:
    def checkpointed(x: Any) -> Any:
        part = jax.checkpoint(lambda x: scaled(x, 7))
        for _ in range(5):
            x = part(x) + 0.5
        return x

    jaxpr = jax.make_jaxpr(lambda x: jax.vjp(checkpointed, x)[0])(X)
    turns = Counter(run.turns for run in count_turns(made(jaxpr)) if run.code.co_filename == __file__)
    assert turns == {(5,): 1, (7,) * 5: 1}


class Writer:
    """Writes a program of loops, comprehensions, recursion and tree maps, each of which counts its own turns."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.loops = 0

    def write(self) -> str:
        for number in range(self.random.randint(1, 3)):
            name = f"f{number}"
            self.lines.append(f"def {name}(x, tree):")
            self.block(1, self.random.randint(2, 4), 0)
            self.lines.append("    return x")
            self.functions.append(name)
        self.lines += [
            "def down(x, tree, n):",
            "    x = x * 1.25",
            "    return down(x, tree, n - 1) + 1.0 if n else x",
            "def main(x, tree):",
        ]
        self.functions.append("down")
        self.block(1, self.random.randint(2, 5), 0)
        self.lines.append("    return x")
        return "\n".join(self.lines)

    def block(self, indent: int, n: int, depth: int) -> None:
        # Each block begins with an operation of its own: without one, loops that nest cannot be told apart.
        self.add(indent, "x = jnp.sin(x)")
        for _ in range(n):
            kinds = [self.operation, self.comprehension, self.generator, self.tree_map]
            kinds += [self.loop] * (depth < 3) + [self.calls] * bool(self.functions)
            self.random.choice(kinds)(indent, depth)

    def add(self, indent: int, *lines: str) -> None:
        self.lines += ["    " * indent + line for line in lines]

    def operation(self, indent: int, depth: int) -> None:
        self.add(indent, self.random.choice(["x = x * 2.0", "x = jnp.mean(x) + x", "x = x[::-1]"]))

    def turn(self, indent: int) -> str:
        """Count that a loop is entered, whose line is the next but one; and the code that counts a turn of it."""
        self.loops += 1
        self.add(indent, f"enter({self.loops})")
        return f"turn({self.loops}, {len(self.lines) + 1})"

    def loop(self, indent: int, depth: int) -> None:
        turn, turns = self.turn(indent), self.random.randint(1, 4)
        if self.random.random() < 0.5:
            self.add(indent, f"for _ in range({turns}):")
        else:
            self.add(indent, f"while left({self.loops}, {turns}):")
        self.add(indent + 1, turn)
        self.block(indent + 1, self.random.randint(0, 2), depth + 1)

    def comprehension(self, indent: int, depth: int) -> None:
        body = self.random.choice(["x * i", *(self.call("x + i", name) for name in self.functions)])
        self.add(indent, f"ys = [{self.turn(indent)} or {body} for i in range(1, 4)]", "x = ys[0] + ys[-1]")

    def generator(self, indent: int, depth: int) -> None:
        self.add(indent, f"x = sum(({self.turn(indent)} or x * i) for i in range(1, 4)) * 0.5")

    def tree_map(self, indent: int, depth: int) -> None:
        self.add(indent, "tree = jax.tree.map(lambda leaf: leaf * 0.5 + 1.0, tree)")

    def calls(self, indent: int, depth: int) -> None:
        names = [self.random.choice(self.functions) for _ in range(self.random.randint(1, 2))]
        self.add(indent, f"x = {' + '.join(self.call(f'x * {place}.0', name) for place, name in enumerate(names, 1))}")

    def call(self, x: str, name: str) -> str:
        return f"{name}({x}, tree, {self.random.randint(1, 3)})" if name == "down" else f"{name}({x}, tree)"


def counted(text: str) -> tuple[dict[int, list[int]], list[LoopRun]]:
    """The turns of each loop by its line, as the program counts them, and what was found."""
    entered: defaultdict[int, list[int]] = defaultdict(list)
    lines: dict[int, int] = {}

    def turn(loop: int, line: int) -> None:
        entered[loop][-1] += 1
        lines[loop] = line

    names: dict[str, Any] = {
        "jnp": jnp,
        "jax": jax,
        "turn": turn,
        "enter": lambda loop: entered[loop].append(0),
        "left": lambda loop, turns: entered[loop][-1] < turns,
    }
    exec(compile(text, "generated.py", "exec"), names)
    jaxpr = jax.make_jaxpr(names["main"])(X, [X] * 3)
    found = [run for run in count_turns(made(jaxpr)) if run.code.co_filename == "generated.py"]
    return {lines[loop]: turns for loop, turns in entered.items()}, found


def programs() -> Iterator[str]:
    for seed in range(400):
        text = Writer(seed).write()
        if text.count("\n") < 60:
            yield text


@pytest.mark.parametrize("part", range(4))
def test_no_count_of_a_generated_program_is_wrong(part: int) -> None:
    wrong = []
    for text in list(programs())[part::4]:
        known, found = counted(text)
        by_line: defaultdict[int, list[int]] = defaultdict(list)
        for run in found:
            by_line[run.loop.line] += run.turns
        for line, turns in known.items():
            told = Counter(n for n in by_line[line] if n > 1)
            if told != Counter(n for n in turns if n > 1):
                wrong.append((line, turns, by_line[line], text))
    assert wrong == []
