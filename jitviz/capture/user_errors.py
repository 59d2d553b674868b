"""An exception of the user's program in one line: what it says, the user's line, and the argument that it depends on.

In: an exception, while it is raised.  Out: text.
Must never: call the exception's `__str__` or any other user code, or keep the exception or a frame.
"""

import ast
import re
from textwrap import shorten

from ..jaxcompat.raw import is_a, member
from ..model import Description, Signature, listed, root_of
from ..recording.redaction import redacted
from . import sources
from .failures import error_text

_LINE = 80  # characters of the line that are shown
_DEPENDS_ON = re.compile(r"depends on the values? of the arguments? (\w[\w.\[\]' ,]*?)\.?\s*$", re.MULTILINE)
_AND = re.compile(r",? and |, ")
_NOT_HASHABLE = "Non-hashable static arguments are not supported"
_UNHASHABLE = ("list", "dict", "set", "bytearray", "numpy.ndarray")  # and JAX's arrays
_ITS_REPR = re.compile(r"object of type <class '[^']*'>, (.{1,2000}?)\. The error was:", re.DOTALL)


def told(error: BaseException | None, signature: Signature) -> str | None:
    """ "TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]. At train.py:6, `if
    y.sum() > 0:`, because of the array `x`.", if `x` is an argument of the user's."""
    text = error_text(error)
    place = _place(error) if isinstance(error, Exception) and text is not None else ""  # Ctrl-C strikes anywhere
    if text is None or not place:
        return text
    roots = {root_of(leaf.path) for leaf in signature.leaves}
    arrays = {leaf.path for leaf in signature.traced if leaf.shape}
    found = _DEPENDS_ON.search(_message(error))
    names = [name for name in _AND.split(found[1]) if root_of(name) in roots] if found else []
    because = listed([f"{'the array ' * (name in arrays)}`{name}`" for name in names])
    return redacted(f"{text.rstrip('. ')}. At {place}{because and ', because of '}{because}.")


def told_unhashable(error: BaseException | None, first: Description | None) -> str | None:
    """The same for a static argument that cannot be hashed, None for any other error; `first` is the first argument of
    the call, if it is known."""
    message = _message(error)
    if error is None or not message.startswith(_NOT_HASHABLE):
        return None
    found = re.search(r"object of type <class '([^']*)'>", message)
    kind = found[1] if found else "an object"
    path, text = _unhashable_part(first) if first is not None and first.type == kind else ("", "")
    if not text or not (path or text in message):
        path, text = _unhashable_part_in(message)
    where = f"; {f'`{path}`' if path else 'it'} is `{text}`" if text else ""
    place = _place(error)
    at = f" At {place}." if place else ""
    return redacted(f"ValueError: {_NOT_HASHABLE}: `{kind.rpartition('.')[2]}` cannot be hashed{where}.{at}")


def _unhashable_part(value: Description) -> tuple[str, str]:
    """The part of a described object that cannot be hashed, as (path, text); ("", "") if none is known."""
    waiting = [("", value)]
    for path, part in waiting:
        if part.type in _UNHASHABLE or part.type.endswith("ArrayImpl"):
            return path, part.text
        waiting += [(path + label, one) for label, one in part.fields if label[0] in ".["]
    return "", ""


def _unhashable_part_in(message: str) -> tuple[str, str]:
    """The same from the object's `repr` as JAX's message has it, for any argument."""
    found = _ITS_REPR.search(message)
    try:
        waiting = [("", ast.parse(found[1].replace("<locals>.", ""), mode="eval").body)] if found else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # most reprs are no code
        return "", ""
    for path, part in waiting:
        if isinstance(part, ast.List | ast.Dict | ast.Set):
            return path, shorten(ast.unparse(part), 60, placeholder=" ...")
        if isinstance(part, ast.Call):
            waiting += [(f"{path}.{one.arg}", one.value) for one in part.keywords if one.arg]
    return "", ""


def _message(error: BaseException | None) -> str:
    args = () if error is None else member(error, BaseException, "args")
    return next((part for part in args if is_a(part, str)), "")


def _place(error: BaseException) -> str:
    """The user's innermost line that the exception came through, with its text; "" if there is none."""
    at, step = None, member(error, BaseException, "__traceback__")
    while step is not None:
        code = step.tb_frame.f_code
        if sources.frame_owner(code.co_filename) == "user" and not code.co_filename.startswith("<"):
            at = code.co_filename, step.tb_lineno
        step = step.tb_next
    if at is None:
        return ""
    line = sources.text_at(*at)
    text = f", `{line[:_LINE]}`" if line and "`" not in line else ""
    return f"{sources.location(*at)}{text}"
