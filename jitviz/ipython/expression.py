"""`%filterjit expr`: one expression as one filter-jitted function.

In: the text of an expression.  Out: its value.
Must never: evaluate a part of the expression before the whole of it is known to be one.
"""

from __future__ import annotations

import ast
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from .cell_function import WholeCellTransformer

USAGE = "%filterjit EXPRESSION, as in %filterjit loss(model, x)"


def parse(line: str, shell: InteractiveShell) -> tuple[ast.Module, str]:
    """The expression as a cell of one line, and the file name under which tracebacks find its text.

    Raises:
        UsageError: it is no expression.
    """
    text = line.strip().rstrip(";")
    try:
        ast.parse(text, mode="eval")
    except SyntaxError as error:
        hint = "To keep the value, write y = %filterjit f(x)."
        raise UsageError(f"%filterjit: {error.msg}: {text!r} is not an expression. Write {USAGE}. {hint}") from None
    filename = shell.compile.cache(text, shell.displayhook.prompt_count)
    return ast.parse(text, filename), filename


def run(tree: ast.Module, filename: str, whole: WholeCellTransformer, namespace: dict[str, Any]) -> Any:
    """The value of the expression, compiled.

    Raises:
        CellError: it cannot be compiled. Errors of the expression itself come as they are.
    """
    __tracebackhide__ = True
    try:
        function, call = whole.rewrite(tree).body
        assert isinstance(call, ast.Expr)
        exec(compile(ast.Module([function], []), filename, "exec"), namespace)
        return eval(compile(ast.Expression(call.value), filename, "eval"), namespace)
    finally:
        whole.restore()
