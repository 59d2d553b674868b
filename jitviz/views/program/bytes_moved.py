"""The bytes that an optimised HLO program reads and writes, by instruction.

In: a `Module`.  Out: bytes by line, for one run of the program.
Must never: count a value inside a fusion, or more than one iteration of a loop with an unknown trip count.

An instruction that runs by itself reads its operands and writes its result. A fusion that reads only a slice of an
operand, or writes only a slice of its result in place, moves that slice.
"""

from collections import defaultdict

from ...jaxcompat.texts.array_types import size_of
from ...jaxcompat.texts.hlo import Instruction, Module

# These move nothing themselves: they name or regroup values, or run other instructions, which count on their own.
UNMOVED = frozenset(
    {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while", "conditional", "call", "after-all"}
)
_SLICING = frozenset({"dynamic-slice", "slice", "gather"})


def moved_bytes(module: Module) -> dict[int, float]:
    """Bytes by line, of the instructions that run by themselves."""
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
        users: dict[str, list[tuple[Instruction, int]]] = {}
        types = {instruction.name: instruction.type for instruction in inside}
        parameters = {instruction.name for instruction in inside if instruction.opcode == "parameter"}
        for instruction in inside:
            for place, name in enumerate(instruction.operands):
                users.setdefault(name, []).append((instruction, place))
        total, written = 0.0, size_of(fusion.type)
        updated: set[str] = set()
        for instruction in inside:
            names = instruction.operands if instruction.opcode == "dynamic-update-slice" else []
            if len(names) > 1 and names[0] in parameters:
                updated.add(names[0])
                written -= size_of(instruction.type) - size_of(types.get(names[1], ""))
        for instruction in inside:
            if instruction.opcode != "parameter":
                continue
            uses = users.get(instruction.name, [])
            if uses and all(place == 0 and user.opcode in _SLICING for user, place in uses):
                total += sum(size_of(user.type) for user, _ in uses)
            elif instruction.name not in updated or len(uses) > 1:
                total += size_of(instruction.type)
        return total + max(0.0, written)
