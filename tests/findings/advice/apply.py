"""Paste the code of a finding where it says, as a person would, but by script."""

from __future__ import annotations

import ast
import re

_CALL = re.compile(r"# in place of `(.*)` at (.*):(\d+):\n((?:.*\n)*?)(?=\n*# (?:in place of|also check) |\Z)")
_DEFINITION = re.compile(r"# below the definition of `(\w+)`.*:\n((?:.*\n)*)")
_CLASS = re.compile(r"# in the class `(\w+)`:\n((?:.*\n)*)")


def apply(program: str, code: str) -> str:
    """The program with the code in it: what it defines above everything that is called, calls in place of calls."""
    calls = [(found[1], int(found[3]), found[4].rstrip("\n")) for found in _CALL.finditer(code)]
    for written, line, new in sorted(calls, key=lambda call: -call[1]):
        program = _in_place(program, written, line, new)
    for found in _CLASS.finditer(code):
        program = _in_class(program, found[1], found[2])
    for found in _DEFINITION.finditer(code):
        program = _below(program, found[1], found[2])
    places = [found.start() for pattern in (_CALL, _CLASS, _DEFINITION) for found in pattern.finditer(code)]
    above = code[: min(places, default=0)]
    return _above(program, above.rstrip("\n") + "\n") if above.strip() else program


def _in_place(program: str, written: str, line: int, new: str) -> str:
    lines = program.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1]))
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or 0):
            text = ast.get_source_segment(program, node) or ""
            if " ".join(text.split()) == written:
                start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
                return program[:start] + new + program[start + len(text) :]
    raise AssertionError(f"{written} does not stand at line {line}")


def _in_class(program: str, name: str, body: str) -> str:
    lines = program.splitlines(keepends=True)
    node = next(node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.ClassDef) and node.name == name)
    last = node.end_lineno or 0
    indent = " " * (node.col_offset + 4)
    added = ["\n", *(indent + line if line.strip() else line for line in body.splitlines(keepends=True))]
    return "".join([*lines[:last], *added, *lines[last:]])


def _below(program: str, name: str, code: str) -> str:
    """Below the last statement of the module that gives a name its value."""
    lines = program.splitlines(keepends=True)
    found = [node for node in ast.parse(program).body if name in _named(node)]
    last = found[-1].end_lineno or 0
    return "".join([*lines[:last], "\n", *code.splitlines(keepends=True), *lines[last:]])


def _named(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [node.name] if isinstance(node, ast.FunctionDef) else [ast.unparse(one) for one in targets]


def _above(program: str, code: str) -> str:
    """After the imports and the docstring of the program."""
    lines = program.splitlines(keepends=True)
    body = ast.parse(program).body
    imports = [node.end_lineno or 0 for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    last = max(imports, default=0)
    return "".join([*lines[:last], code, *lines[last:]])
