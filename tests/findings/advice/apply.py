"""Make the edit of a finding, or paste its code, as a person would, but by script."""

import ast
import re
from textwrap import indent

from jitviz.model.finding import Edit


def edited(program: str, edit: Edit) -> str:
    """The program with the new lines in place of the old ones, which stand where the edit says."""
    lines, first = program.split("\n"), edit.line - 1
    last = first + len(edit.old.split("\n"))
    assert "\n".join(lines[first:last]) == edit.old
    return "\n".join([*lines[:first], edit.new, *lines[last:]])


def pasted(program: str, code: str) -> str:
    """The program with the code of a finding: each part where the comment above it says, the rest above them all."""
    above, *parts = re.split(r"^# (?=in place of|in the class|below|also check)", code, flags=re.MULTILINE)
    tree, changes = ast.parse(program), []
    for part in parts:
        where, _, new = part.partition(":\n")
        if at := re.fullmatch(r"in place of `(.*)` at \S*:(\d+)", where, re.DOTALL):
            calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
            old = ast.unparse(ast.parse(at[1]))
            here = [node for node in calls if node.lineno <= int(at[2]) <= node.end_lineno and ast.unparse(node) == old]
            assert here, where
            changes += [(offset(program, node.lineno, node.col_offset), *end(program, node), new[:-1]) for node in here]
        elif named := re.search(r"`(\w+)`", where):
            kinds = ast.ClassDef | ast.FunctionDef | ast.Assign
            (node,) = (one for one in tree.body if isinstance(one, kinds) and named[1] in names(one))
            column = " " * 4 * isinstance(node, ast.ClassDef)
            changes.append((*end(program, node) * 2, "\n\n" + indent(new.rstrip("\n"), column)))
    first = min(start for start, *_ in changes)
    lines = (min(one.lineno for one in (node, *getattr(node, "decorator_list", ()))) for node in tree.body)
    top = max(at for line in lines if (at := offset(program, line, 0)) <= first)
    for start, stop, new in sorted([*changes, (top, top, f"{above}\n\n")], reverse=True):
        program = program[:start] + new + program[stop:]
    return program


def names(node: ast.ClassDef | ast.FunctionDef | ast.Assign) -> list[str]:
    return [ast.unparse(one) for one in node.targets] if isinstance(node, ast.Assign) else [node.name]


def offset(program: str, line: int, column: int) -> int:
    return sum(len(one) + 1 for one in program.split("\n")[: line - 1]) + column


def end(program: str, node: ast.expr | ast.stmt) -> tuple[int]:
    return (offset(program, node.end_lineno or 0, node.end_col_offset or 0),)
