"""The operations of a StableHLO module and their origins.

In: the module's text with locations.  Out: `Operation` rows, with the lines of the text without locations.
Must never: read a location that is not at the end of a line, since names may contain anything.

Each operation of a function in the module has the call stacks of all calls of that function, since the locations inside
it begin where JAX began to trace it.
"""

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import NamedTuple

from .locations import Chain, Location, Locations, strip_aliases

# The calls in a long unrolled loop are equal; more stacks than these add nothing.
_MOST_CALLERS = 64
_OPENED = re.compile(r"(?:%\S+(?:, %\S+)* = )?\"?((?:[a-z_]\w*\.)?[a-z_]\w*)\"?")
_CALL = re.compile(r"\bcall @(\"[^\"]*\"|[\w.$\-]+)\(")
_FUNCTION = re.compile(r"\s*func\.func .*?@(\"[^\"]*\"|[\w.$\-]+)\(")
_REGIONS = ("^bb", "cond {", "reducer(")
_HEADERS = ("module", "func.func", "sdy.mesh")
_RETURNS = ("return", "func.return", "stablehlo.return", "sdy.return")
_UNCOUNTED = frozenset({"stablehlo.constant", *_HEADERS, *_RETURNS})


class OperationOrigin(NamedTuple):
    """A call stack of an operation, and its name stack with the primitive."""

    chain: Chain
    name: str


class Operation(NamedTuple):
    """An operation at `line` of the plain text. `is_counted` is False for constants, returns and headers."""

    line: int
    origins: tuple[OperationOrigin, ...]
    is_counted: bool


@dataclass
class _CountedFunction:
    """A function of the module: operations as (line, mnemonic, location), calls as (function, location), callers."""

    operations: list[tuple[int, str, str]] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    callers: dict[OperationOrigin, None] = field(default_factory=dict)


def read_operations(text: str, locations: Locations) -> list[Operation]:
    """All operations of a module with locations, by line."""
    functions = _read_functions(strip_aliases(text))
    _add_callers(functions, locations)
    operations = []
    for function in functions.values():
        origins: dict[str, tuple[OperationOrigin, ...]] = {}
        for line, mnemonic, written in function.operations:
            if written not in origins:
                origins[written] = _origins(function, locations.read(written))
            operations.append(Operation(line, origins[written], mnemonic not in _UNCOUNTED))
    return sorted(operations)


def _read_functions(lines: list[str]) -> dict[str, _CountedFunction]:
    current = _CountedFunction()
    functions = {"": current}
    opened: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        written = _location_of(line)
        bare = line.lstrip()
        if bare.startswith("}"):
            if written:
                start, mnemonic = opened.pop() if opened else (number, "")
                if mnemonic not in ("func.func", "module"):
                    current.operations.append((start, mnemonic, written))
            continue
        operation = None if bare.startswith(_REGIONS) else _OPENED.match(bare)
        if operation is None:
            continue
        mnemonic = operation[1]
        if mnemonic == "func.func" and (named := _FUNCTION.match(line)):
            current = functions.setdefault(named[1].strip('"'), _CountedFunction())
        if not written:
            opened.append((number, mnemonic))
            continue
        current.operations.append((number, mnemonic, written))
        if "call @" in line and (called := _CALL.search(line)):
            current.calls.append((called[1].strip('"'), written))
    return functions


def _location_of(line: str) -> str:
    """The location in the `loc(...)` at the end of a line, or ""."""
    if not line.endswith(")"):
        return ""
    start = line.rfind(" loc(")
    return line[start + 5 : -1] if start >= 0 else ""


def _add_callers(functions: dict[str, _CountedFunction], locations: Locations) -> None:
    """Give each function the call stacks of its calls, from the outermost functions inwards."""
    waiting = Counter(name for function in functions.values() for name, _ in function.calls)
    queue = deque(name for name in functions if name not in waiting)
    while queue:
        function = functions[queue.popleft()]
        for name, written in function.calls:
            callee = functions.get(name)
            if callee is None:
                continue
            for origin in _origins(function, locations.read(written)):
                if len(callee.callers) < _MOST_CALLERS:
                    callee.callers[origin] = None
            waiting[name] -= 1
            if not waiting[name]:
                queue.append(name)


def _origins(function: _CountedFunction, location: Location) -> tuple[OperationOrigin, ...]:
    """The origins of an operation, one or more for each call of its function."""
    origins: dict[OperationOrigin, None] = {}
    for caller in function.callers or (OperationOrigin((), ""),):
        for chain in location.chains or ((),):
            name = f"{caller.name}/{location.name}" if caller.name and location.name else caller.name or location.name
            origins[OperationOrigin(caller.chain + chain, name)] = None
    return tuple(origins)
