"""Calls of `jax.jit` functions, hits included, on Python 3.12 and newer.

In: `sys.monitoring` events of calls into C.  Out: calls opened and closed.
Must never: stay on while nothing is recorded, return DISABLE from a return event (that raises a ValueError in the
user's code), take the tool number of another tool, or raise: the interpreter passes on what a callback raises.

A hit of `jax.jit` runs no Python code (https://github.com/jax-ml/jax/pull/24828), so only the interpreter sees it
(https://docs.python.org/3/library/sys.monitoring.html). It reports where each code object first starts or goes on, and
then every call into C from those that `call_sites` chooses, except from call sites that were switched off.
"""

import sys
import weakref
from collections.abc import Callable
from functools import partial
from types import CodeType, FrameType, MethodType
from typing import Any, NamedTuple

from ...jaxcompat import jaxprs, jits, tracing
from ...model import HitsSeen, Signature, wrappers
from ...recording.events import FunctionNumber
from ..adapters import functions
from ..adapters.jax_jit import is_of_jax
from ..adapters.registry import jitted_in
from ..arguments.signature import signature_in_trace
from ..failures import guarded, note
from ..first_argument import is_first_positional
from ..in_progress import OnThread, OpenCall, here, running_threads
from ..log.call_log import close_call, close_interrupted, close_plain, new_site, open_again, open_call
from ..log.watcher import watcher
from ..thread_activity import current_frames, stack_of
from . import call_sites

NAME = "jitviz"
LOST = "another tool freed the sys.monitoring slot of jitviz: hits of jax.jit functions are not seen from here on"
monitoring: Any = getattr(sys, "monitoring", None)  # from Python 3.12 on


class _JitObject(NamedTuple):
    """A jit object that was called before. `number` is that of its function, None for a function of JAX's own."""

    reference: weakref.ref[Any]
    number: FunctionNumber | None


_PJIT = jits.PjitFunction
_tool: int | None = None
_known: dict[int, _JitObject] = {}  # by address; the reference tells whether it is still the same object
_heard: dict[int, weakref.ref[CodeType]] = {}  # by address, the code objects whose calls are reported


def limits() -> tuple[str, ...]:
    """The hits that cannot be seen here, as sentences for the panel."""
    if tracing.is_jit_disabled():
        return ("While `jax_disable_jit` is set, no function is jitted.",)
    if monitoring is None:
        return ("Hits of jax.jit functions are not seen on Python 3.11 (their compiles are); Python 3.12 shows them.",)
    if _tool is None:
        return ("Hits of jax.jit functions are not seen: other tools hold every free sys.monitoring slot.",)
    return ("Hits of jax.jit functions are counted as 'at least': calls made from C, as in map(f, xs), are not seen.",)


def seen() -> HitsSeen:
    """Which hits are seen of the functions whose hits JAX answers in C++."""
    return "none" if _tool is None else "some"


def install() -> None:
    """Take a free tool number and subscribe to calls. The numbers of debuggers, coverage and profilers stay free: those
    tools raise when another tool holds their number."""
    global _tool
    if monitoring is None or _tool is not None:
        return
    number = next((number for number in (3, 4, 5) if monitoring.get_tool(number) is None), None)
    if number is None:
        return
    monitoring.use_tool_id(number, NAME)
    _tool = number
    for event, callback in _callbacks().items():
        monitoring.register_callback(_tool, event, callback)
    monitoring.set_events(_tool, _always())
    # Without a name for a frame: this one is among them, and would hold itself.
    for code in {frame.f_code for running in current_frames().values() for frame in stack_of(running)}:
        _on_start(code, 0)


def uninstall() -> None:
    """Give the tool number back."""
    global _tool
    if monitoring is None or _tool is None:
        return
    _leave(_tool)
    if _is_ours():
        monitoring.set_events(_tool, 0)
        while _heard:
            if (code := _heard.popitem()[1]()) is not None:
                monitoring.set_local_events(_tool, code, 0)
        monitoring.free_tool_id(_tool)
    _tool = None
    _known.clear()
    call_sites.forget()


def _is_ours() -> bool:
    """Whether jitviz still has its number: `free_tool_id` asks nobody."""
    return _tool is not None and monitoring.get_tool(_tool) == NAME


def _leave(number: int) -> None:
    """Take the callbacks back, and leave those of a tool that has the number now."""
    for event, callback in _callbacks().items():
        found = monitoring.register_callback(number, event, None)
        if found is not callback:
            monitoring.register_callback(number, event, found)


def _failed(error: Exception) -> None:
    """Note what went wrong in a callback. Without the number, stop listening and say so."""
    global _tool
    number = _tool
    if number is None or _is_ours():
        note("hit", error)
        return
    _tool = None
    _leave(number)
    _heard.clear()
    note("hits", RuntimeError(LOST))


def look_again() -> None:
    """Switch all call sites on again: a site may call something else now."""
    if monitoring is not None and _tool is not None:
        call_sites.look_again()
        monitoring.restart_events()  # to unsubscribe and subscribe again would lose what other threads call meanwhile


def hear_caller(frame: FrameType | None) -> None:
    """Listen to the site that has just called a jitted function, whatever was decided about it."""
    if monitoring is None or _tool is None or frame is None:
        return
    try:
        if call_sites.was_given_up(frame):
            look_again()
        elif not call_sites.is_passed_over(frame.f_code.co_filename) and _choose(frame.f_code):
            call_sites.keep(frame.f_code, frame.f_lasti)
    except RuntimeError as error:
        _failed(error)


def _choose(code: CodeType) -> bool:
    """Subscribe to the calls of a code object; whether that is new.

    Raises:
        RuntimeError: another tool has freed the number.
    """
    if not _is_ours():
        raise RuntimeError(LOST)
    is_new = not monitoring.get_local_events(_tool, code)
    if is_new:
        monitoring.set_local_events(_tool, code, monitoring.events.CALL)
        address = id(code)
        _heard[address] = weakref.ref(code, lambda _: _heard.pop(address, None))
    return is_new


def _always() -> int:
    return int(monitoring.events.PY_START | monitoring.events.PY_RESUME)


def at_next_call(then: Callable[[], None]) -> None:
    """Call `then` once, when the program next calls something; at once where no calls are seen."""
    if monitoring is None or _tool is None:
        then()
        return
    tool, call = _tool, monitoring.events.CALL

    def once(code: CodeType, offset: int, target: Any, first: Any) -> Any:
        try:
            monitoring.register_callback(tool, call, _on_call)
            then()
        except Exception as error:
            _failed(error)
        return _on_call(code, offset, target, first)

    look_again()
    monitoring.register_callback(tool, call, once)


def _callbacks() -> dict[int, Callable[..., Any]]:
    events = monitoring.events
    starts = dict.fromkeys((events.PY_START, events.PY_RESUME), _on_start)
    calls = {events.CALL: _on_call, events.C_RETURN: _on_return, events.C_RAISE: _on_c_raise}
    return starts | calls | {events.RAISE: _on_raise}


def _jitted(target: Any) -> Any:
    """The jit object inside a callee, or None."""
    kind = type(target)
    if kind is partial:
        target = target.func
        kind = type(target)
    if kind is MethodType:
        target = target.__func__
        kind = type(target)
    return target if kind is jits.PjitFunction else None


# The interpreter calls these five, and passes on what they raise. Returning DISABLE from `_on_call` switches the call
# site off. A hit at the recursion limit has no frame left to be noted in: it runs all the same, unseen.


def _on_start(code: CodeType, offset: int) -> Any:
    try:
        if call_sites.is_worth_hearing(code):
            _choose(code)
    except RecursionError:
        return None
    except Exception as error:
        _failed(error)
        return None
    return monitoring.DISABLE


def _on_call(code: CodeType, offset: int, target: Any, first: Any) -> Any:
    try:
        jitted = target if type(target) is _PJIT else _jitted(target)
        if jitted is not None:
            mine = here.mine
            site = mine.sites.get(id(code) + offset)  # `OnThread.site_at`, written out: this runs at every hit
            if site is None or site.called != id(jitted):
                site = mine.sites.get((id(code) + offset, id(jitted)))
            if site is not None:
                if mine.is_inside:
                    return None
                if site.by_first is not None and target is jitted:
                    site = site.with_first(first)
                open_again(mine, site)
                return None
            if _began(code, offset, jitted, first if target is jitted else None):
                return None
        return _on_other(code, offset, target)
    except RecursionError:
        return None
    except Exception as error:
        _failed(error)
        return None


def _on_other(code: CodeType, offset: int, target: Any) -> Any:
    """A call of something that is not jitted, or not the user's."""
    if not call_sites.stays_on(code, offset, target):
        return monitoring.DISABLE
    try:
        calls = here.mine.calls
    except AttributeError:
        return None  # this is a call that creates it
    if calls and calls[-1].is_at(code, offset):
        _close_interrupted(here.mine, sys._getframe(2))
    return None


def _on_return(code: CodeType, offset: int, target: Any, first: Any) -> Any:
    try:
        jitted = target if type(target) is _PJIT else _jitted(target)
        if jitted is None:
            return  # before `here.mine` is read: this may be a call that creates it
        mine = here.mine
        if mine.calls and not mine.is_inside:
            top = mine.calls[-1]
            if not (top.site.called == id(jitted) and close_plain(mine, top)):
                _finished(jitted)
    except RecursionError:
        return None
    except Exception as error:
        _failed(error)


def _on_c_raise(code: CodeType, offset: int, target: Any, first: Any) -> Any:
    try:
        jitted = _jitted(target)
        if jitted is not None:
            _raises(jitted)
    except RecursionError:
        return None
    except Exception as error:
        _failed(error)


@guarded(None)
def _on_raise(code: CodeType, offset: int, error: BaseException) -> Any:
    mine = here.mine
    if _is_raising(mine):
        close_call(mine.calls[-1], error)
    _watch_exceptions()


@guarded(False)
def _began(code: CodeType, offset: int, jitted: Any, first: Any) -> bool:
    """Open a call at a new site; False for a call that is not the user's."""
    filename = code.co_filename
    if call_sites.is_passed_over(filename):
        return False
    known = _known.get(id(jitted))
    is_gone = known is not None and known.number is not None and known.number not in watcher.functions
    if known is None or is_gone or known.reference() is not jitted:
        known = _known[id(jitted)] = _look_at(jitted, filename)
    number = known.number
    if number is None:
        return False
    call_sites.keep(code, offset)
    caller = sys._getframe(3)
    site = new_site(jitted, caller, jits.jitted_function(jitted), lambda: number, is_in_c=True)
    if is_first_positional(code, offset):
        watcher.functions.look_at_leaf(site)
    open_call(here.mine, site.with_first(first), caller, (code, offset))
    return True


def _look_at(jitted: Any, filename: str) -> _JitObject:
    fun = jits.jitted_function(jitted)
    if is_of_jax(functions.innermost(fun)) and jits.is_own_jit(fun):
        return _JitObject(weakref.ref(jitted), None)
    return _JitObject(weakref.ref(jitted), watcher.number_of(functions.identify(fun, jitted_in(filename, fun))))


@guarded(None)
def _finished(jitted: Any) -> None:
    """Close the innermost open call of `jitted`, and with it the calls inside it that their own misses opened."""
    call = _open_call_of(jitted)
    if call is not None:
        close_call(call, first_signature=partial(_signature, call, jitted) if call.is_inlined else None)


def _signature(call: OpenCall, jitted: Any) -> Signature | None:
    """The signature of a call of `jax.jit` inside a trace, if it is the newest equation there."""
    jaxpr = tracing.newest_call() if tracing.equation_count() > call.n_equations else None
    is_its = jaxprs.source_info_of(jaxpr) == jits.source_info_in(jits.jit_info(jitted)) != ""
    is_its = is_its and watcher.functions[call.site.function].wrapper is wrappers.JAX
    return signature_in_trace(jaxpr) if is_its else None


@guarded(None)
def _raises(jitted: Any) -> None:
    """Note that a call raises. The next event of this thread says what: the exception reaches the caller."""
    call = _open_call_of(jitted)
    if call is not None:
        call.error, call.is_plain = "the call raised", False
        _watch_exceptions()


def _is_raising(mine: OnThread) -> bool:
    top = mine.calls[-1:]  # its own thread may add and take calls meanwhile
    return bool(top) and top[0].site.is_in_c and top[0].error is not None


def _watch_exceptions() -> None:
    """Subscribe to exceptions only while one is expected: other programs raise a great many."""
    with watcher.lock:
        if _is_ours():  # another thread may have ended the recording meanwhile
            events = monitoring.events
            is_expected = any(map(_is_raising, running_threads()))
            monitoring.set_events(_tool, _always() | (events.RAISE if is_expected else 0))


_close_interrupted = guarded(None)(close_interrupted)


def _open_call_of(jitted: Any) -> OpenCall | None:
    """The open call of `jitted` that the caller of the hook has made, once those inside it are closed."""
    calls = here.mine.calls
    if tracing.is_jit_disabled() or all(call.site.called != id(jitted) for call in calls):
        return None
    close_interrupted(here.mine, sys._getframe())
    return calls[-1] if calls and calls[-1].site.called == id(jitted) else None
