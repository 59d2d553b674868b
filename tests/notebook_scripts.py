"""The notebooks as scripts, without magics and without the cells that need the result of a magic."""

import ast
import builtins
import json
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_RAISES = "it raises, which is what it shows"
LEFT_OUT = {
    "where-the-time-goes-36": "it starts processes of its own",
    "where-the-time-goes-19": "its function takes seconds to trace, which is what it shows",
    "trace-12": _RAISES,
} | {f"raised-{number:02}": _RAISES for number in (4, 11, 17, 21, 25)}


def script_of(notebook: Path) -> tuple[str, dict[str, str]]:
    """The script of a notebook, and the cells that it lacks, each with the reason."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    bound, kept, left_out = {*dir(builtins), "__name__"}, [], {}
    for cell in cells:
        source = "".join(cell["source"])
        lines = "\n".join("" if line.startswith("%") else line for line in source.splitlines())
        tree = ast.parse(lines.replace(" = %", " = __magic__ #"))
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        mine = {node.id for node in names if isinstance(node.ctx, ast.Store)} | _defined(tree)
        unknown = [f"it needs {node.id}" for node in names if node.id not in bound | mine]
        if unknown or cell["id"] in LEFT_OUT:
            left_out[cell["id"]] = LEFT_OUT.get(cell["id"]) or unknown[0]
            bound -= mine
        else:
            kept.append(ast.unparse(tree))
            bound |= mine
    return "\n\n\n".join(kept) + "\n", left_out


def _defined(tree: ast.AST) -> set[str]:
    """The names that functions, classes, imports, parameters and exception handlers bind."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case ast.alias():
                found.add((node.asname or node.name).partition(".")[0])
    return found
