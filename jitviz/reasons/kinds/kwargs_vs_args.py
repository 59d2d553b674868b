"""`kwargs_vs_args`: a parameter was given by position in one call, by keyword or as a default in another.

A default that became an argument is seen where the trees are compared, in `reasons.structure`.
"""

import ast
from collections.abc import Iterator
from itertools import chain

from ...model import Compile, Signature
from ...model.python_text import NOT_PYTHON, expression
from ..call_text import template, written_call
from ..change import Change
from ..pasting import Paste, paste
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term

_OTHER_LIST = "which is a different argument list to JAX"


class KwargsVsArgs(ReasonKind):
    name = "kwargs_vs_args"
    form = "given"
    undoes = "leaf"
    are_leaves_left = True
    is_at_the_call = True
    term = Term(
        "The same argument was passed by keyword instead of by position, or the reverse. For `jax.jit` these are two "
        "signatures; choose one.",
        """\
f = jax.jit(lambda x: x + 1)
f(1.0)  # compiles
f(x=1.0)  # compiles""",
    )

    def of_signatures(self, before: Signature, after: Signature) -> Iterator[Change]:
        old = dict(before.form)
        for parameter, form in after.form:
            if old.get(parameter, form) != form:
                yield Change("kwargs_vs_args", parameter, old[parameter], form)

    def say(self, change: Subject) -> str:
        if change.before == "default":
            return f"`{change.path}` was left at its default and is now passed, {_OTHER_LIST}"
        if change.after == "default":
            return f"`{change.path}` was passed and is now left at its default, {_OTHER_LIST}"
        return f"`{change.path}` changed from a {change.before} argument to a {change.after} one"

    def advise(self, change: Subject) -> str:
        has_default = "default" in (change.before, change.after)
        return "Pass it in every call, or in none." if has_default else "Pass it by keyword in every call."

    def paste(self, cause: Recompiles) -> Paste | None:
        """Passed by keyword everywhere: what some call passes by keyword or leaves at its default. If not every call is
        known word for word, the function is wrapped, so that it is called in one form."""
        forms = [dict(row.signature.form) for row in cause.versions]
        names = [
            name
            for name in dict.fromkeys(chain(*forms))
            if any(form.get(name, "keyword") == "keyword" for form in forms)
        ]
        calls: list[tuple[Compile, str | None]] = []
        for row, form in zip(cause.versions, forms, strict=True):
            if any(form.get(name) != "keyword" for name in names):
                call = written_call(row)
                defaults = {name: dict(row.signature.defaults).get(name, "") for name in names if name not in form}
                is_known = call is not None and all(map(_is_literal, defaults.values()))
                calls.append((row, call.by_keyword(names, defaults) if call is not None and is_known else None))
        found, info = paste(calls), cause.versions[-1].function_info
        are_known = cause.versions[-1].recording.hits_seen != "none" and not cause.unknown_lines
        is_called = all(row.written.partition("(")[0] in ("", info.qualname) for row in cause.versions)
        # not a method, a function inside another, or one that is jitted under another name
        if (found and are_known) or not info.qualname.isidentifier() or not is_called:
            return found
        where = f"below the definition of `{info.qualname}`{f' at {info.defined_at}' * bool(info.defined_at)}"
        code = f"{info.qualname} = in_one_form({info.qualname})\n"
        return Paste((), ("import functools", "import inspect"), template("in_one_form"), where, info.qualname, code)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(expression(text))
    except NOT_PYTHON:
        return False
    return True


KIND = KwargsVsArgs()
