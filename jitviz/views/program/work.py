"""The work of a program by call stack, and by line of Python.

In: equations, operations and instructions with their stacks.  Out: the columns of `Stacks` and of `LineWork`.
Must never: count an operation twice for one line, however often the line is in its stack.

These are counted: equations (an inner program counts once, even if several equations run it); StableHLO operations
except constants, returns and function headers (once, however often their function is called); HLO instructions except
those in `hlo.UNCOUNTED`; the floating-point operations of the equations, for all iterations of a scan; and the bytes
that HLO instructions move.
"""

from collections import defaultdict
from typing import Any

from ...findings.program.places import Places
from ...jaxcompat.texts.array_types import size_of
from ...jaxcompat.texts.hlo import Instruction, Module
from ..schema import LineWork

# The kinds of work, named as in the schema.
_KINDS: dict[str, type] = {"equations": int, "stablehlo_ops": int, "hlo_ops": int, "flops": float, "nbytes": float}


class Work:
    """Sums by kind of work, for each stack and for the whole program."""

    def __init__(self) -> None:
        self._by_stack: dict[str, dict[int, float]] = {name: {} for name in _KINDS}
        self._totals = dict.fromkeys(_KINDS, 0.0)

    def add(self, what: str, stack: int, amount: float) -> None:
        """Add work to a stack and to the whole program; if `stack` is -1, only to the whole."""
        self._totals[what] += amount
        if stack >= 0:
            self._by_stack[what][stack] = self._by_stack[what].get(stack, 0.0) + amount

    def totals(self) -> dict[str, Any]:
        """The sums of the whole program."""
        return {name: kind(self._totals[name]) for name, kind in _KINDS.items()}

    def by_stack(self, n_stacks: int) -> dict[str, tuple[Any, ...]]:
        """A column for each kind of work."""
        return {
            name: tuple(kind(self._by_stack[name].get(stack, 0)) for stack in range(n_stacks))
            for name, kind in _KINDS.items()
        }

    def by_line(self, places: Places, repeats: dict[tuple[int, int], int]) -> LineWork:
        """The work of each line, including the functions that it calls, sorted by file and number."""
        columns = self.by_stack(len(places))
        lines: dict[tuple[int, int], dict[str, Any]] = {}
        for stack in range(len(places)):
            amounts = {name: column[stack] for name, column in columns.items() if column[stack]}
            for line in {places.line(number) for number in places.chain(stack)} if amounts else ():
                sums = lines.setdefault(line, {name: kind(0) for name, kind in _KINDS.items()})
                for name, amount in amounts.items():
                    sums[name] += amount
        order = sorted(lines)
        return LineWork(
            file=tuple(file for file, _ in order),
            line=tuple(line for _, line in order),
            repeats=tuple(repeats.get(line, 1) for line in order),
            **{name: tuple(lines[line][name] for line in order) for name in _KINDS},
        )


# These move nothing themselves: they name or regroup values, or run other instructions, which count on their own.
UNMOVED = frozenset(
    {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while", "conditional", "call", "after-all"}
)
_SLICING = frozenset({"dynamic-slice", "slice", "gather"})


def moved_bytes(module: Module) -> dict[int, float]:
    """The bytes that a program reads and writes, by line, of the instructions that run by themselves.

    Each reads its operands and writes its result. A fusion that reads only a slice of an operand, or writes only a
    slice of its result in place, moves that slice. Of a loop with an unknown trip count, one iteration counts.
    """
    mover = _Mover(module)
    mover.run(module.entry, 1.0, 0)
    return mover.moved


class _Mover:
    def __init__(self, module: Module) -> None:
        self._module = module
        self.moved: defaultdict[int, float] = defaultdict(float)

    def run(self, name: str, times: float, depth: int) -> None:
        computation = self._module.computations.get(name, ())
        types = {instruction.name: instruction.type for instruction in computation}
        for instruction in computation:
            if instruction.opcode not in UNMOVED:
                self.moved[instruction.line] += times * self._bytes(instruction, types)
            elif instruction.opcode in ("while", "call", "conditional") and depth < 64:
                trips = instruction.trips if instruction.opcode == "while" else 1
                # Of a conditional, one of the branches runs.
                share = len(instruction.called) if instruction.opcode == "conditional" else 1
                for _, name in instruction.called:
                    self.run(name, times * trips / share, depth + 1)

    def _bytes(self, instruction: Instruction, types: dict[str, str]) -> float:
        operands = [types.get(name, "") for name in instruction.operands]
        if instruction.opcode in _SLICING:
            return 2 * size_of(instruction.type)
        if instruction.opcode in ("dynamic-update-slice", "scatter"):
            return 2 * size_of(operands[-1 if instruction.opcode == "scatter" else 1]) if len(operands) > 1 else 0.0
        if instruction.opcode == "fusion" and (inner := [name for how, name in instruction.called if how == "calls"]):
            return self._fused_bytes(instruction, self._module.computations.get(inner[0], []))
        return size_of(instruction.type) + sum(map(size_of, operands))

    def _fused_bytes(self, fusion: Instruction, inside: list[Instruction]) -> float:
        types = {instruction.name: instruction.type for instruction in inside}
        uses: dict[str, list[tuple[Instruction, int]]] = {one.name: [] for one in inside if one.opcode == "parameter"}
        total, written = 0.0, size_of(fusion.type)
        updated: set[str] = set()
        for instruction in inside:
            names = instruction.operands if instruction.opcode not in ("parameter", "constant") else ()
            for place, name in enumerate(names):
                if name in uses:
                    uses[name].append((instruction, place))
            if instruction.opcode == "dynamic-update-slice" and len(names) > 1 and names[0] in uses:
                updated.add(names[0])
                written -= size_of(instruction.type) - size_of(types.get(names[1], ""))
        for name, users in uses.items():
            if users and all(place == 0 and user.opcode in _SLICING for user, place in users):
                total += sum(size_of(user.type) for user, _ in users)
            elif name not in updated or len(users) > 1:
                total += size_of(types[name])
        return total + max(0.0, written)
