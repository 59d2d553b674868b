"""`%filterjit expr`: one expression as one filter-jitted function, or the prediction of a call.

In: the text of an expression.  Out: its value, or a prediction.
"""

import ast
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from .cell_function import WholeCellTransformer

USAGE = "%filterjit EXPRESSION, as in %filterjit loss(model, x)"


def text_of(line: str) -> str:
    """The expression in a line, as it is compiled."""
    return line.strip().rstrip(";")


def parse(line: str, shell: InteractiveShell) -> tuple[ast.Module, str]:
    """The expression as a cell of one line, and the file name under which tracebacks find its text.

    Raises:
        UsageError: the text is not an expression.
    """
    text = text_of(line)
    if not text:
        raise UsageError(f"%filterjit takes an expression. Write {USAGE}.")
    try:
        ast.parse(text, mode="eval")
    except SyntaxError as error:
        hint = "To keep the value, write y = %filterjit f(x)."
        raise UsageError(f"%filterjit: {error.msg}: {text!r} is not an expression. Write {USAGE}. {hint}") from None
    filename = shell.compile.cache(text, shell.displayhook.prompt_count)
    return ast.parse(text, filename), filename


def run(tree: ast.Module, filename: str, whole: WholeCellTransformer, namespace: dict[str, Any]) -> Any:
    """Compile the expression, and return its value.

    Raises:
        CellError: the expression cannot be compiled. Its own errors are raised unchanged.
    """
    __tracebackhide__ = True
    try:
        function, call = whole.rewrite(tree).body
        assert isinstance(call, ast.Expr)
        exec(compile(ast.Module([function], []), filename, "exec"), namespace)
        return eval(compile(ast.Expression(call.value), filename, "eval"), namespace)
    finally:
        whole.restore()


def predict_call(text: str, shell: InteractiveShell) -> object:
    """The prediction of a call. Its arguments are evaluated, but the call is not made.

    Raises:
        UsageError: the text is not a call, a name in it is not defined, or what it calls is not jitted.
    """
    from .. import predict  # see `cell_panel`

    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        call = None
    if not isinstance(call, ast.Call):
        raise UsageError(f"%filterjit --predict takes a call, as in %filterjit --predict step(x), not {text!r}.")
    prediction = ast.Call(ast.Name("predict", ast.Load()), [call.func, *call.args], call.keywords)
    code = compile(ast.fix_missing_locations(ast.Expression(prediction)), "<%filterjit --predict>", "eval")
    try:
        return eval(code, shell.user_ns, {"predict": predict})
    except (NameError, TypeError) as error:
        raise UsageError(f"%filterjit --predict: {error}.".replace("..", ".")) from None
