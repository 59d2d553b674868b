"""The arguments of a call that a user's frame was making, as syntax and as values.

In: a `Spot`.  Out: `PassedArgument`s.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ..capture import sources
from ..jaxcompat import raw
from ..jaxcompat.jits import inner_function
from .facts import Facts
from .syntax import MISSING, Spot, calls_in, definition, tree_of, value_of

_FRAME = re.compile(r'File "(.+?)", line (\d+), in (\S+)')
# Functions that return their first argument in another form.
_WRAPPERS = (
    "jit", "vmap", "grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "checkpoint", "remat", "pmap",
    "filter_jit", "filter_grad", "filter_value_and_grad", "filter_vmap", "linearize", "named_call",
)  # fmt: skip


@dataclass(frozen=True)
class PassedArgument:
    """`name` is that of the parameter, "" if it is not known; `value` is `MISSING` where only code could tell."""

    name: str
    node: ast.expr
    value: Any
    position: int  # -1 for a keyword

    @property
    def text(self) -> str:
        return ast.unparse(self.node)

    @property
    def path(self) -> str:
        """The parameter, or what is passed if that is a name, or its place: "args[0]"."""
        is_name = isinstance(self.node, ast.Name | ast.Attribute | ast.Subscript)
        return self.name or (self.text if is_name else f"args[{self.position}]")


def call_at(spot: Spot | None) -> ast.Call | None:
    """The call that the frame was making."""
    node = spot.inside(ast.Call) if spot is not None else None
    return node if isinstance(node, ast.Call) else None


def making(spot: Spot | None) -> ast.Call | None:
    """The call that made the function which the frame was calling: `jax.vmap(f, in_axes=0)`; None if it is not seen."""
    call = call_at(spot)
    made = definition(call.func, spot) if call is not None and spot is not None else None
    return made if isinstance(made, ast.Call) else None


def arguments(spot: Spot | None, call: ast.Call | None = None) -> Iterator[PassedArgument]:
    """The arguments of the call; those behind a `*` have no names."""
    call = call or call_at(spot)
    if spot is None or call is None:
        return
    names = _names(call.func, spot)
    for position, node in enumerate(call.args):
        if isinstance(node, ast.Starred):
            return
        name = names[position] if position < len(names) else ""
        yield PassedArgument(name, node, constant_or_value(node, spot), position)
    for keyword in call.keywords:
        if keyword.arg:
            yield PassedArgument(keyword.arg, keyword.value, constant_or_value(keyword.value, spot), -1)


def _names(called: ast.expr, spot: Spot) -> tuple[str, ...]:
    """The names of the positional parameters of what an expression calls: `f`, `jax.vmap(f)`, a lambda."""
    for _ in range(8):
        if isinstance(called, ast.Lambda):
            return tuple(each.arg for each in called.args.args)
        value = value_of(called, spot.frame)
        if value is not MISSING:
            return parameters(value)
        if not isinstance(called, ast.Call) or not called.args:
            return ()
        if ast.unparse(called.func).rpartition(".")[2] not in _WRAPPERS:
            return ()
        called = called.args[0]
    return ()


def argument(spot: Spot | None, name: str, position: int, call: ast.Call | None = None) -> PassedArgument | None:
    """The argument that was passed by this name or at this position."""
    found = [each for each in arguments(spot, call) if name == each.name or each.position == position]
    return found[0] if found else None


def option(call: ast.AST | None, name: str) -> ast.expr | None:
    """What a call passes by a name."""
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return next((keyword.value for keyword in keywords if keyword.arg == name), None)


def constant_or_value(node: ast.expr, spot: Spot) -> Any:
    """The value of an expression: a constant, a tree of such, a name; `MISSING` where only code could tell."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List):
        values = [constant_or_value(part, spot) for part in node.elts]
        return tuple(values) if isinstance(node, ast.Tuple) else values
    if isinstance(node, ast.Dict):
        pairs = {
            key.value: constant_or_value(value, spot)
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant)
        }
        return pairs if len(pairs) == len(node.keys) else MISSING
    return value_of(node, spot.frame)


def user_frame_in(message: str) -> tuple[str, str, str]:
    """(line's label, its text, function) of the user's innermost frame in a traceback that a message prints."""
    frames = [each for each in _FRAME.findall(message) if sources.frame_owner(each[0]) == "user"]
    file, line, function = frames[-1] if frames else ("", "0", "")
    return (sources.location(file, int(line)), sources.text_at(file, int(line)), function) if file else ("", "", "")


def parameters(called: Any) -> tuple[str, ...]:
    """The names of the positional parameters of a function, jitted or wrapped; without `self` of a bound method."""
    function = inner_function(called)
    if type(function) is not FunctionType:
        return ()
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    is_bound = raw.class_attribute(type(called), "__self__") is not None and raw.type_name(type(called)) == "method"
    return names[1:] if is_bound else names


def calls_of(facts: Facts, *names: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls of functions, or of those with these names, in the files of the user's frames, each with its line's
    label."""
    for file in dict.fromkeys(step.frame.f_code.co_filename for step in facts.users):
        tree = tree_of("".join(sources.lines_of(file)))
        for node in calls_in(tree) if tree is not None else ():
            if node.args and (not names or ast.unparse(node.func).rpartition(".")[2] in names):
                yield node, sources.location(file, node.lineno)
