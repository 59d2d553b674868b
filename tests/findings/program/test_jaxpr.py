from __future__ import annotations

from typing import Any

from jitviz.findings.program.jaxpr import read_equations
from jitviz.findings.program.places import Places
from jitviz.jaxcompat.texts.names import BACKWARD, FORWARD, PLAIN

CELL: dict[str, Any] = {
    "trace": 1,
    "inputs": [["v9", "f32[4]"]],
    "constants": [],
    "equations": [{"primitive": "tanh", "in": ["v9"], "out": [["v3", "f32[4]"]], "at": 2, "line": 1}],
    "outputs": ["v3"],
}
PROGRAM: dict[str, Any] = {
    "inputs": [["v0", "f32[4]"]],
    "constants": [],
    "equations": [
        {
            "primitive": "scan",
            "in": ["v0"],
            "out": [["v1", "f32[4]"]],
            "at": 0,
            "line": 3,
            "stack": "jvp(loss)",
            "label": "body",
            "times": 5,
            "programs": [["jaxpr", CELL]],
        },
        {
            "primitive": "jit",
            "in": ["v1"],
            "out": [["v2", "f32[4]"]],
            "at": 1,
            "line": 4,
            "programs": [["jaxpr", CELL]],
        },
        {
            "primitive": "mul",
            "in": ["v2", "2.0"],
            "out": [["v4", "f32[4]"]],
            "stack": "transpose(jvp(loss))",
        },
    ],
    "outputs": ["v4"],
    "frames": [["t.py", "loss", 7, 0, 7, 9], ["t.py", "loss", 8, 0, 8, 9], ["t.py", "cell", 3, 0, 3, 9]],
    "stacks": [[0, -1], [1, -1], [2, -1]],
}


def test_equations_are_read_with_those_inside_them() -> None:
    places = Places()
    rows = [
        (
            one.line,
            [places.line(number)[1] for number in places.chain(one.stack)],
            one.direction,
            one.name,
            one.is_repeat,
        )
        for one in read_equations(PROGRAM, places)
    ]
    assert rows == [
        (3, [7], FORWARD, "jvp(loss)/scan", False),
        (1, [7, 3], FORWARD, "jvp(loss)/scan(body)/tanh", False),
        (4, [8], PLAIN, "jit", False),
        (1, [8, 3], PLAIN, "jit/tanh", True),  # traced once, run twice
        (-1, [], BACKWARD, "transpose(jvp(loss))/mul", False),
    ]


def test_an_equation_without_a_place_is_where_the_equation_around_it_is() -> None:
    inner = {"inputs": [], "constants": [], "outputs": [], "equations": [{"primitive": "add", "in": [], "out": []}]}
    where = {"primitive": "jit", "in": [], "out": [], "at": 0, "programs": [["jaxpr", inner]]}
    places = Places()
    outer, add = read_equations(PROGRAM | {"equations": [where]}, places)
    assert add.stack == outer.stack


def test_an_empty_program_has_no_equations() -> None:
    assert read_equations({"equations": []}, Places()) == []
