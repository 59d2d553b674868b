"""Calls of `jax.jit` functions, hits included, on Python 3.12 and newer.

In: `sys.monitoring` events of calls that go to C.  Out: calls opened and closed.
Must never: stay on while nothing is recorded, return DISABLE from a return event (that is a ValueError in the user's
code), or take a tool number that somebody else has.

JAX's fast path calls no Python, so that only the interpreter can tell. Every call site that does not call
a jitted function is switched off at its first event, which is why we look again whenever something new may be there.
"""

from __future__ import annotations

import sys
from types import CodeType, MethodType
from typing import Any

from . import _jaxcompat as compat
from . import functions
from .calls import close_call, open_call
from .guarded import guarded
from .identity import token
from .jit_origins import is_of_jax
from .sources import call_site
from .watcher import watcher

NAME = "jitviz"
monitoring: Any = getattr(sys, "monitoring", None)  # from Python 3.12 on

_tool: int | None = None
_numbers: dict[int, tuple[int, int]] = {}  # token of the jit object -> (function number, key)

# Calls from these files are seen by better means, or are a library's own.
_WRAPPERS = (compat.EQUINOX_FILE, "jitviz/filters/jit.py", "jitviz/filters/stages.py")


def limits() -> tuple[str, ...]:
    """What cannot be seen here, as sentences for the panel."""
    if monitoring is None:
        return ("Hits of jax.jit functions are not seen on Python 3.11 (their compiles are); Python 3.12 shows them.",)
    if _tool is None:
        return ("Hits of jax.jit functions are not seen: other tools hold every sys.monitoring slot.",)
    return ("Hits of jax.jit functions are counted as 'at least': calls made from C, as in map(f, xs), are not seen.",)


def install() -> None:
    """Take a free tool number and ask for call events."""
    global _tool
    if monitoring is None or _tool is not None:
        return
    for number in (3, 4, 1, 0, 2, 5):
        if monitoring.get_tool(number) is None:
            monitoring.use_tool_id(number, NAME)
            break
    else:
        return
    _tool = number
    events = monitoring.events
    monitoring.register_callback(_tool, events.CALL, _on_call)
    monitoring.register_callback(_tool, events.C_RETURN, _on_return)
    monitoring.register_callback(_tool, events.C_RAISE, _on_raise)
    monitoring.set_events(_tool, events.CALL)


def uninstall() -> None:
    """Give the tool number back."""
    global _tool
    if monitoring is None or _tool is None:
        return
    monitoring.set_events(_tool, 0)
    for event in (monitoring.events.CALL, monitoring.events.C_RETURN, monitoring.events.C_RAISE):
        monitoring.register_callback(_tool, event, None)
    monitoring.free_tool_id(_tool)
    _tool = None
    _numbers.clear()


def look_again() -> None:
    """Switch call sites on again: what a site called before may not be what it calls now."""
    if monitoring is not None and _tool is not None:
        monitoring.restart_events()


def _jitted(target: Any) -> Any:
    """The jit object behind what is called, or None."""
    kind = type(target)
    if kind is compat.PjitFunction:
        return target
    if kind is MethodType and type(target.__func__) is compat.PjitFunction:
        return target.__func__
    return None


def _on_call(code: CodeType, offset: int, target: Any, first: Any) -> Any:
    jitted = _jitted(target)
    if jitted is None:
        return monitoring.DISABLE
    return None if _began(code, jitted) else monitoring.DISABLE


@guarded(False)
def _began(code: CodeType, jitted: Any) -> bool:
    """Open a call; False for call sites that are not the user's business."""
    filename = code.co_filename
    if compat.is_jax_file(filename) or filename.endswith(_WRAPPERS):
        return False
    known = _numbers.get(token(jitted))
    if known is None:
        fun = compat.jitted_function(jitted)
        if is_of_jax(functions.innermost(fun)) and compat.is_own_jit(fun):
            return False
        api = "nnx.jit" if filename.endswith(compat.NNX_FILE) else "jax.jit"
        wrapper = compat.jit_info(jitted)
        row = functions.identify(fun, api, wrapper)
        known = _numbers[token(jitted)] = (watcher.number_of(row), id(fun))
    call = open_call(watcher, known[0], known[1], call_site(sys._getframe(3)))
    call.target = id(jitted)
    return True


def _on_return(code: CodeType, offset: int, target: Any, first: Any) -> Any:
    jitted = _jitted(target)
    if jitted is not None:
        _finished(jitted, None)


def _on_raise(code: CodeType, offset: int, target: Any, first: Any) -> Any:
    jitted = _jitted(target)
    if jitted is not None:
        _finished(jitted, "the call raised")


@guarded(None)
def _finished(jitted: Any, error: str | None) -> None:
    """Close the innermost call of `jitted`; calls that their own misses opened inside it end with it."""
    for call in reversed(watcher.calls):
        if call.target == id(jitted):
            call.error = call.error or error
            close_call(watcher, call)
            if call.compiles:
                look_again()
            return
        if not call.is_implicit:
            return
