"""Calls: opened and closed as they are seen, and told to the recordings.

In: "it began", "it ended" from the hooks.  Out: `CallStarted` and `CallFinished` events.
Must never: flatten an argument on a hit, except once per function and recording.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ...jaxcompat import tracing
from ...model import Outcome, Signature
from ...recording import events as ev
from ..arguments.signature import taken
from ..guarded import error_text
from ..opened import OpenCall, OpenCompile
from .watcher import Watcher


def open_call(watcher: Watcher, function: int, key: int, source: str, *, is_implicit: bool = False) -> OpenCall:
    """A call begins on this thread."""
    calls = watcher.calls
    call = OpenCall(
        number=next(watcher.numbers),
        function=function,
        started_s=time.time(),
        key=key,
        parent=calls[-1].number if calls else None,
        source=source,
        is_implicit=is_implicit,
        is_inlined=tracing.is_staging(),
    )
    calls.append(call)
    return call


def log_call(watcher: Watcher, call: OpenCall) -> None:
    """Tell of a call before it ends: it is about to compile, or something inside it is."""
    for outer in watcher.calls:
        if not outer.is_logged:
            outer.is_logged = True
            watcher.emit(
                ev.CallStarted(
                    outer.started_s,
                    outer.number,
                    outer.function,
                    outer.parent,
                    threading.current_thread().name,
                    outer.source,
                )
            )
        if outer is call:
            return


def close_call(
    watcher: Watcher,
    call: OpenCall,
    error: BaseException | None = None,
    *,
    is_end_known: bool = True,
    first_signature: Callable[[], Signature] | None = None,
) -> None:
    """A call ended; whatever was opened inside it and not closed ends with it."""
    calls = watcher.calls
    if call in calls:
        while calls and calls[-1] is not call:
            abandoned = calls.pop()
            _finish(watcher, abandoned, None, False, None)
        calls.pop()
    _finish(watcher, call, error, is_end_known, first_signature)


def _finish(
    watcher: Watcher,
    call: OpenCall,
    error: BaseException | None,
    is_end_known: bool,
    first_signature: Callable[[], Signature] | None,
) -> None:
    now = time.time()
    text = error_text(error) or call.error
    signature = None
    if call.compiles:
        for compile_ in call.compiles:
            close_compile(watcher, compile_, now, None)
        if error is None and text is not None:
            text = call.compiles[-1].error or text  # the interpreter tells that a call raised, the phase tells what
        ran: int | None = call.compiles[0].number
    else:
        ran = watcher.functions.version_of_hit(call)
        for guard in list(watcher.guards):
            if guard.hit is not None and text is None and not call.is_inlined and guard.holds():
                guard.hit(call)
        if first_signature is not None and _is_first(watcher, call.function):
            signature = taken(first_signature)
    if watcher.calls and not watcher.calls[-1].is_logged:
        log_call(watcher, watcher.calls[-1])  # a call is told of after the one that it happened in
    watcher.emit(
        ev.CallFinished(
            at_s=now,
            call=call.number,
            function=call.function,
            started_s=call.started_s,
            outcome=_outcome(call, text),
            parent=call.parent,
            thread=threading.current_thread().name,
            source=call.source,
            error=text,
            compile=ran,
            is_end_known=is_end_known,
            signature=signature,
        )
    )


def close_compile(watcher: Watcher, open_compile: OpenCompile, at_s: float, error: str | None) -> None:
    """A miss is done with; nothing more of it will come."""
    if not open_compile.is_closed:
        open_compile.is_closed = True
        watcher.misses.pop(open_compile.frame, None)
        watcher.emit(ev.CompileFinished(at_s, open_compile.number, error))
        if error is not None:
            watcher.forget(open_compile)


def _outcome(call: OpenCall, error: str | None) -> Outcome:
    if error is not None:
        return "error"
    if call.is_inlined:
        return "inlined"
    if not call.compiles:
        return "hit"
    phases = {phase for miss in call.compiles for phase in miss.phases}
    return "compile" if phases & {"lower", "compile"} else "trace" if phases else "hit"


def _is_first(watcher: Watcher, function: int) -> bool:
    """Whether some recording has not met this function yet; marks it as met."""
    fresh = [sink for sink in watcher.sinks if function not in sink.first_calls]
    for sink in fresh:
        sink.first_calls.add(function)
    return bool(fresh)
