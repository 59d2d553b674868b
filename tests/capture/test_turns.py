"""How often loops turned, counted from the order of equations, against programs that count for themselves."""

from __future__ import annotations

import functools
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from types import CodeType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.capture.control_flow import instruction_at
from jitviz.capture.programs.turns import LoopRun, TracedEquation, count_turns
from jitviz.jaxcompat import jaxprs

X = np.ones(3, np.float32)


def made(jaxpr: Any) -> Iterator[TracedEquation]:
    for one in jaxpr.eqns:
        traceback = one.source_info.traceback
        yield TracedEquation(jaxprs.raw_frames(traceback), one.primitive.name, id(traceback))


def runs_of(function: Callable[..., Any], *args: Any) -> list[LoopRun]:
    jaxpr = jax.make_jaxpr(function)(*args)
    return [run for run in count_turns(made(jaxpr)).loops if run.code.co_filename == function.__code__.co_filename]


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
    assert [(code.co_name, loop.line - first) for code, loop in run.around] == [("nest", 1)]


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
    turns = Counter(run.turns for run in count_turns(made(jaxpr)).loops if run.code.co_filename == __file__)
    assert turns == {(5,): 1, (7,) * 5: 1}


class Writer:
    """Writes a program of loops, comprehensions, recursion and tree maps, each of which counts its own turns, and of
    functions that say when they are called."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.loops = 0

    def write(self) -> str:
        for number in range(self.random.randint(1, 3)):
            name = f"f{number}"
            self.lines += [f"def {name}(x, tree):", "    called()"]
            self.block(1, self.random.randint(2, 4), 0)
            self.lines.append("    return x")
            self.functions.append(name)
        self.lines += [
            "def down(x, tree, n):",
            "    called()",
            "    x = x * 1.25",
            "    return down(x, tree, n - 1) + 1.0 if n else x",
            "def fork(x, tree, n):",
            "    called()",
            "    x = x * 0.75",
            "    return fork(x, tree, n - 1) + fork(x - 1.0, tree, n - 1) if n else x",
            "def each(x, y):",
            "    called()",
            "    return x * y",
            "def main(x, tree):",
        ]
        self.functions += ["down", "fork"]
        self.block(1, self.random.randint(2, 5), 0)
        self.lines.append("    return x")
        return "\n".join(self.lines)

    def block(self, indent: int, n: int, depth: int) -> None:
        # Each block begins with an operation of its own: without one, loops that nest cannot be told apart.
        self.add(indent, "x = jnp.sin(x)")
        for _ in range(n):
            kinds = [self.operation, self.comprehension, self.generator, self.tree_map, self.in_c]
            kinds += [self.two_comprehensions, self.nested_comprehensions]
            kinds += [self.loop] * (depth < 3) + [self.calls] * bool(self.functions)
            self.random.choice(kinds)(indent, depth)

    def add(self, indent: int, *lines: str) -> None:
        self.lines += ["    " * indent + line for line in lines]

    def operation(self, indent: int, depth: int) -> None:
        self.add(indent, self.random.choice(["x = x * 2.0", "x = jnp.mean(x) + x", "x = x[::-1]"]))

    def turn(self, indent: int) -> str:
        return self.turns(indent, 1)[0]

    def turns(self, indent: int, n: int) -> list[str]:
        """Count that loops are entered, which the next line has; and the code that counts a turn of each."""
        loops = [*range(self.loops + 1, self.loops + 1 + n)]
        self.loops += n
        self.add(indent, *(f"enter({loop})" for loop in loops))
        return [f"turn({loop}, {len(self.lines) + 1})" for loop in loops]

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

    def two_comprehensions(self, indent: int, depth: int) -> None:
        first, second = self.turns(indent, 2)
        self.add(indent, f"x = [{first} or x * i for i in range(4)][-1] + [{second} or x - i for i in range(3)][0]")

    def nested_comprehensions(self, indent: int, depth: int) -> None:
        turn = self.turn(indent)
        self.loops += 1
        inner = turn.replace(f"turn({self.loops - 1}", f"turn({self.loops}")
        inside = f"(enter({self.loops}) or [{inner} or x * j for j in range(3)])[-1]"
        self.add(indent, f"x = [({turn} or x + i) * {inside} for i in range(2)][-1]")

    def in_c(self, indent: int, depth: int) -> None:
        calls = "functools.reduce(each, [x, x, x, x])", "list(map(each, [x] * 3, [x] * 3))[-1]"
        self.add(indent, f"x = {self.random.choice(calls)}")

    def generator(self, indent: int, depth: int) -> None:
        self.add(indent, f"x = sum(({self.turn(indent)} or x * i) for i in range(1, 4)) * 0.5")

    def tree_map(self, indent: int, depth: int) -> None:
        self.add(indent, "tree = jax.tree.map(lambda leaf: leaf * 0.5 + 1.0, tree)")

    def calls(self, indent: int, depth: int) -> None:
        names = [self.random.choice(self.functions) for _ in range(self.random.randint(1, 2))]
        self.add(indent, f"x = {' + '.join(self.call(f'x * {place}.0', name) for place, name in enumerate(names, 1))}")

    def call(self, x: str, name: str) -> str:
        return f"{name}({x}, tree, {self.random.randint(1, 3)})" if name in ("down", "fork") else f"{name}({x}, tree)"


class Counted(NamedTuple):
    """The turns of the loops of each line, and how often a chain of callers called a function, both if more than once;
    a caller is a code object and the instruction at which it is."""

    turns: dict[int, Counter[int]]
    calls: dict[tuple[Any, ...], int]


def counted_by_itself(text: str) -> tuple[Counted, Any]:
    """What a program counts, and its jaxpr."""
    entered: defaultdict[int, list[int]] = defaultdict(list)
    lines: dict[int, int] = {}
    calls = Counter[tuple[Any, ...]]()

    def turn(loop: int, line: int) -> None:
        entered[loop][-1] += 1
        lines[loop] = line

    def called() -> None:
        frames = [(frame.f_code, frame.f_lasti) for frame, _ in traceback.walk_stack(sys._getframe(1))]
        calls[frames[0][0], *generated(frames[:0:-1])] += 1

    names: dict[str, Any] = {
        "jnp": jnp,
        "jax": jax,
        "functools": functools,
        "turn": turn,
        "called": called,
        "enter": lambda loop: entered[loop].append(0),
        "left": lambda loop, turns: entered[loop][-1] < turns,
    }
    exec(compile(text, "generated.py", "exec"), names)
    jaxpr = jax.make_jaxpr(names["main"])(X, [X] * 3)
    return Counted(by_line((lines[loop], turns) for loop, turns in entered.items()), often(calls)), jaxpr


def generated(frames: Iterable[tuple[CodeType, int]]) -> Iterator[tuple[CodeType, int]]:
    return ((code, instruction_at(code, at)) for code, at in frames if code.co_filename == "generated.py")


def by_line(loops: Iterable[tuple[int, Iterable[int]]]) -> dict[int, Counter[int]]:
    turns: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for line, each in loops:
        turns[line].update(n for n in each if n > 1)
    return {line: counts for line, counts in turns.items() if counts}


def often(calls: Mapping[tuple[Any, ...], int]) -> dict[tuple[Any, ...], int]:
    return {call: n for call, n in calls.items() if n > 1}


def counted(jaxpr: Any) -> Counted:
    runs = count_turns(made(jaxpr))
    turns = by_line((run.loop.line, run.turns) for run in runs.loops if run.code.co_filename == "generated.py")
    said = (run for run in runs.calls if "called" in run.code.co_names)
    return Counted(turns, {(run.code, *generated(run.callers)): run.calls for run in said})


def programs() -> Iterator[str]:
    for seed in range(400):
        text = Writer(seed).write()
        if text.count("\n") < 60:
            yield text


@pytest.mark.parametrize("part", range(4))
def test_no_count_of_a_generated_program_is_wrong(part: int) -> None:
    wrong = []
    for text in list(programs())[part::4]:
        known, jaxpr = counted_by_itself(text)
        if (found := counted(jaxpr)) != known:
            wrong.append((known, found, text))
    assert wrong == []
