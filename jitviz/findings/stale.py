"""Hits that ran an old program: what it was traced with has changed since, and JAX does not look at that.

In: a `Recording`.  Out: findings, one for each value of a function that changed, whatever the number of versions.
"""

from collections import defaultdict
from collections.abc import Iterator

from ..model import Compile, Description, Finding, Read, ReadKind, last_name, shortened
from ..model.equality import is_array
from ..model.wrappers import Wrapper
from ..reasons.values import is_flag
from ..recording import Recording
from ..recording.events import StaleRan

_NAMES: dict[ReadKind, str] = {
    "static": "`{0.name}` of the static `{0.of}`",
    "attribute": "`{0.name}` of `{0.of}`",
    "closure": "`{0.name}`, which `{0.of}` closes over,",
    "default": "the default of `{0.name}` in `{0.of}`",
    "global": "the global `{0.name}`",
}


def find_stale(recording: Recording) -> Iterator[Finding]:
    """One finding for each value of a function that changed, with the versions that ran."""
    alike: dict[tuple[str, str, str, str], list[tuple[Compile, StaleRan]]] = defaultdict(list)
    for row, event in recording.facts.stale.values():
        alike[row.lineage, event.read.kind, event.read.of, event.read.name].append((row, event))
    for found in alike.values():
        sure = [(row, event) for row, event in found if not event.is_maybe]
        row, event = (sure or found)[-1]
        summary = _summary(event.read, event.now)
        yield Finding(
            "stale",
            row.function,
            path=event.read.path,
            source=event.source,
            count=len(found),
            summary=summary if sure else f"{summary}; maybe the program does not depend on the difference",
            advice=_advice(event.read, event.now, row) if sure else _if_it_does(row),
            compiles=tuple(row.index for row, _ in found if not row.is_before),
            is_maybe=not sure,
            home=row.function_info.module,
            name=row.function_info.qualname,
        )


def _summary(read: Read, now: Description) -> str:
    was, when, what = read.value, "when traced", _NAMES[read.kind].format(read)
    if was.code and now.code and was.text.partition(" at ")[0] == now.text.partition(" at ")[0]:
        return f"{what} {'had other code' if was.code != now.code else 'held other values'} {when} than when it ran"
    if was.text == now.text:
        kind = "array" if is_array(was.type) else f"`{last_name(was.type)}`"
        return f"{what} was another {kind} {when}"
    return f"{what} was {shortened(was.text)} {when} and {shortened(now.text)} when it ran"


def _advice(read: Read, now: Description, row: Compile) -> str:
    info, function, path = row.function_info, f"`{row.function}`", f"`{read.path}`"
    is_method = info.body is not None and info.body.type == "method"  # what is jitted is the method of an object
    is_found = info.is_held and not is_method and row.function.replace(".", "").isidentifier()
    clear = (info.wrapper if is_found else Wrapper("")).clear.format(row.function)
    again = f"call `{clear}` after each change, and it compiles again"
    if any(part.code for part in (now, *(part for _, part in now.fields))):
        return f"Jit {function} again after you change {path}, or {again}."
    argument = "a static argument" if is_flag(now) else "an argument"
    if now.type == "int":
        argument += " (static, if it decides a shape or a loop)"
    if read.kind == "static":
        new = f"create a new `{read.of}` instead of changing it"
        return f"Pass {path} to {function} as {argument}, or {new}: each object has a program of its own."
    return f"Pass {path} to {function} as {argument}; otherwise {again}."


def _if_it_does(row: Compile) -> str:
    return f"If `{row.function}` depends on what changed, pass that to it as an argument."
