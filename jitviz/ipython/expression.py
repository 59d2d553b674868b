"""`%filterjit expr`: one expression as one filter-jitted function, or what a call would do.

In: the text of an expression.  Out: its value, or a prediction.
Must never: evaluate a part of the expression before the whole of it is known to be one.
"""

from __future__ import annotations

import ast
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from .cell_function import WholeCellTransformer

USAGE = "%filterjit EXPRESSION, as in %filterjit loss(model, x)"
_PREDICT = "--predict"


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


def is_question(line: str) -> bool:
    """Whether the line asks what a call would do."""
    return line.split(maxsplit=1)[:1] == [_PREDICT]


def ask(line: str, shell: InteractiveShell) -> object:
    """What the call that stands on the line would do. Its arguments are evaluated, and the call is not made.

    Raises:
        UsageError: it is no call.
    """
    from .. import predict  # see `live`

    text = line.strip().removeprefix(_PREDICT).strip()
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        call = None
    if not isinstance(call, ast.Call):
        raise UsageError(f"%filterjit --predict takes a call, as in %filterjit --predict step(x), not {text!r}.")
    question = ast.Call(ast.Name("predict", ast.Load()), [call.func, *call.args], call.keywords)
    code = compile(ast.fix_missing_locations(ast.Expression(question)), "<%filterjit --predict>", "eval")
    return eval(code, shell.user_ns, {"predict": predict})
