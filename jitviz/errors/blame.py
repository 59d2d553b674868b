"""Whose value it is: the leaves that a traced value depends on, or the line where it became traced.

In: `Facts`, and the expression that needed the value.  Out: `Blame`.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import FrameType
from typing import Any

from ..capture import sources
from ..jaxcompat import raw
from ..jaxcompat.equinox_internals import is_class_of_equinox
from ..jaxcompat.origins import TracedFrom, aval_of, is_weak, traced_from
from ..jaxcompat.texts.error_messages import (
    array_of_nnx,
    depends_on,
    is_name_of_wrapper,
    number_of_input,
    traced_function,
    traced_lines,
    tracer_types,
)
from ..jaxcompat.tracing import is_tracer
from ..model import listed, root_of
from .facts import Facts
from .syntax import calls_in, expression_of, made_of, operands, value_of

_PARTS = 4_096  # of a tree that are searched for tracers
_NAMES = 3  # leaves that a sentence names
_INTEGERS = ("i32[]", "i64[]", "u32[]", "u64[]")
NUMBERS = ("int", "float", "bool", "complex")
_PLAIN = (*NUMBERS, "abs", "divmod", "len", "max", "min", "pow", "range", "round", "sum")  # they keep numbers numbers


@dataclass(frozen=True)
class Blame:
    """`paths` are the leaves of the arguments of `function` that a value depends on, and `numbers` those of them that
    were passed as Python numbers, if Python alone computed with them; without any, `lines` are those whose operations
    made the value traced."""

    function: str = ""
    paths: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    holder: type = object  # whose field the first leaf is

    @property
    def path(self) -> str:
        return self.paths[0] if self.paths else ""

    @property
    def named(self) -> str:
        """The leaves as words: "`x` and `n`"; "" if there are none."""
        return listed_paths(self.paths)

    @property
    def are_numbers(self) -> bool:
        """Whether all leaves were Python numbers, and the value is one too if they are static."""
        return bool(self.paths) and set(self.numbers) == set(self.paths)


def listed_paths(paths: Iterable[str]) -> str:
    """Leaves as words, "`x` and `n`": the first few, and how many more."""
    named = [f"`{path}`" for path in paths]
    more = [f"{len(named) - _NAMES} more"] if len(named) > _NAMES + 1 else []
    return listed(named[:_NAMES] + more if more else named)


def blame(facts: Facts, node: ast.AST | None = None, *, are_sizes: bool = False) -> Blame:
    """What the traced value depends on that `node`, or else the expression that raised, needed. Of `a and not b`, that
    is both, although Python stops at the first; so it is of a slice, and of any expression if `are_sizes`."""
    function, spot = traced_function(facts.message), facts.spot
    node = node or (spot.node if spot else None)
    paths = depends_on(facts.message)
    lines = tuple(sources.location(*at) for at in traced_lines(facts.message))
    is_whole = are_sizes or isinstance(node, ast.BoolOp | ast.Slice)
    found = list(_origins(facts, node, is_whole))
    if found:
        function = function or found[0][1].function
        if not paths and not lines:
            lines = tuple(dict.fromkeys(sources.location(*at) for at in found[0][1].lines))
            paths = found[0][1].names
    if is_whole and paths:
        paths = tuple(dict.fromkeys((*paths, *(name for _, origin in found for name in origin.names))))
    paths = _user_paths(facts, paths, found)
    if not paths and not lines:  # of a transformation that has no names for its inputs
        paths = tuple(dict.fromkeys(text for text, _ in _traced(facts, node, is_whole)))
        function = function or (facts.users[-1].frame.f_code.co_name if paths else "")
    frame = _frame(facts, function)
    numbers = _numbers(facts, paths, frame) if found and _is_of_python(facts, node) else ()
    return Blame(_short(function), paths, numbers, () if paths else lines, _holder(paths, frame))


def _short(function: str) -> str:
    return function.rpartition("<locals>.")[2]


def _origins(facts: Facts, node: ast.AST | None, is_whole: bool) -> Iterator[tuple[str, TracedFrom]]:
    for text, tracer in _traced(facts, node, is_whole):
        origin = traced_from(tracer)
        if origin is not None and (origin.inputs or origin.lines):
            yield text, origin


def _traced(facts: Facts, node: ast.AST | None, is_whole: bool) -> list[tuple[str, Any]]:
    """The tracers in an expression: all in a condition, all integers among sizes, else those of a type that the message
    prints, if there are such."""
    types, found = tracer_types(facts.message), list(tracers(facts, node))
    if isinstance(node, ast.BoolOp):
        return found
    if is_whole:
        return [(text, tracer) for text, tracer in found if aval_of(tracer) in _INTEGERS] or found
    return [(text, tracer) for text, tracer in found if aval_of(tracer) in types] or found


def _is_of_python(facts: Facts, node: ast.AST | None) -> bool:
    """Whether Python alone computes an expression from arguments of the jitted function: no function of JAX, under
    which even a static number is traced."""
    if facts.spot is None or node is None:
        return False
    made = made_of(node, facts.spot)
    if any(ast.unparse(call.func) not in _PLAIN for part in (node, *made.values()) for call in calls_in(part)):
        return False
    origins = {text: traced_from(tracer) for text, tracer in tracers(facts, node)}
    return all(text in made or (origin is not None and origin.is_argument) for text, origin in origins.items())


def tracers(facts: Facts, node: ast.AST | None) -> Iterator[tuple[str, Any]]:
    """The tracers in an expression of the user's innermost frame, each with the text that names it."""
    if facts.spot is not None:
        for text, value in operands(node, facts.spot.frame):
            yield from ((text + path, part) for path, part in parts_of(value) if is_tracer(part))


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """A value, or the leaves of a tree of lists, tuples, dicts and dataclasses, each with its path."""
    waiting = [("", value)]
    for path, part in islice(_growing(waiting), _PARTS):
        if type(part) is dict:
            waiting += [(f"{path}[{key!r}]", each) for key, each in part.items() if type(key) in (str, int)]
        elif raw.is_a(part, list, tuple):
            names = raw.class_attribute(type(part), "_fields")
            labels = [f".{name}" for name in names] if type(names) is tuple else None
            items = list(raw.items_of(part))
            waiting += [(path + (labels[at] if labels else f"[{at}]"), each) for at, each in enumerate(items)]
        elif raw.class_attribute(type(part), "__dataclass_fields__") is not None:
            waiting += [(f"{path}.{name}", each) for name, each in raw.attributes(part).items()]
        else:
            yield path, part


def _growing(waiting: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    while waiting:
        yield waiting.pop(0)


def _user_paths(facts: Facts, names: Sequence[str], found: Sequence[tuple[str, TracedFrom]]) -> tuple[str, ...]:
    """The user's leaves of inputs for which JAX has names: a wrapper may have given it others. Then the leaves of the
    call have them in the same order, if it was watched; else what the user's line calls them."""
    if not any(map(is_name_of_wrapper, names)):
        return tuple(names)
    inputs = facts.failed.inputs if facts.failed is not None else ()
    order = found[0][1].all_names if found else ()
    if len(order) == len(inputs) and set(names) <= set(order):
        return tuple(inputs[order.index(name)] for name in names)
    states = [_of_state(name, inputs) for name in names]
    if inputs and all(states):
        return tuple(filter(None, states))
    written = tuple(dict.fromkeys(text for text, origin in found if set(origin.names) & set(names)))
    return written or tuple(name for name in names if not is_name_of_wrapper(name))


def _of_state(name: str, inputs: Sequence[str]) -> str | None:
    """The leaf of an input by its number; of NNX's names, `model.states[0][1]` is the second array of `model`."""
    number = number_of_input(name)
    if number is not None:
        return inputs[number] if number < len(inputs) else None
    found = array_of_nnx(name)
    if found is None:
        return name if name in inputs else None
    root, at = found
    of_root = [path for path in inputs if root_of(path) == root]
    return of_root[at] if at < len(of_root) else None


def _frame(facts: Facts, function: str) -> FrameType | None:
    name = function.rpartition(".")[2]
    return next((step.frame for step in reversed(facts.users) if step.frame.f_code.co_name == name), None)


def _numbers(facts: Facts, paths: Iterable[str], frame: FrameType | None) -> tuple[str, ...]:
    """Those of the leaves that were passed as Python numbers."""
    types = {leaf.path: leaf.type for leaf in facts.failed.signature.leaves} if facts.failed else {}

    def is_number(path: str) -> bool:
        if path in types:
            return types[path] in NUMBERS
        return frame is not None and is_weak(value_of(expression_of(path), frame))

    return tuple(path for path in paths if is_number(path))


def _holder(paths: Sequence[str], frame: FrameType | None) -> type:
    """The class of `config` for the leaf `config.size`; that of a tuple, if it holds numbers alone."""
    node = expression_of(paths[0]) if paths else None
    if frame is None or not isinstance(node, ast.Attribute | ast.Subscript):
        return object
    value = value_of(node.value, frame)
    if isinstance(node, ast.Attribute):
        return type(value)
    return tuple if type(value) is tuple and all(map(is_weak, value)) else object


def static_argument(found: Blame) -> str:
    """How to make the leaves static, if all were passed as Python numbers; else ""."""
    if not found.are_numbers:
        return ""
    names = tuple(filter(str.isidentifier, found.paths))
    if names:
        return f"Make {listed_paths(found.paths)} static: `static_argnames={names}`"
    if found.holder is tuple:
        root = root_of(found.path)
        return f"Make `{root}` static: `static_argnames=('{root}',)`"
    if found.holder is not object:
        return f"Make it a static field: {_static_field(found.holder, found.path.rpartition('.')[2])}"
    return f"Pass {found.named} as an argument of its own, and make that static with `static_argnames`"


def _static_field(holder: type, name: str) -> str:
    """How a class that is a pytree leaves a field out of its leaves."""
    if is_class_of_equinox(holder):
        return f"`{name}: int = equinox.field(static=True)`"
    if raw.class_attribute(holder, "_flax_dataclass"):
        return f"`{name}: int = flax.struct.field(pytree_node=False)`"
    if raw.class_attribute(holder, "tree_flatten") is not None:
        return f"let `tree_flatten` return `self.{name}` in its second part, the auxiliary data"
    if raw.class_attribute(holder, "__dataclass_fields__") is not None:
        return (f"`{name}: int = dataclasses.field(metadata={{'static': True}})` (in `register_dataclass`, "
                "one of the `meta_fields`)")  # fmt: skip
    return f"put `{name}` in the auxiliary data of its class"
