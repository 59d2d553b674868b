"""Calls: opened and closed as the hooks see them, and logged to the recordings.

In: the hooks' reports of a call that begins or ends.  Out: three numbers for a plain hit, otherwise `CallStarted` and
`CallFinished`.
Must never: do more at a plain hit than look up its line and read the clock twice; or flatten an argument at a hit,
except once per function and recording.
"""

import sys
import weakref
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from ...jaxcompat import jax_frames, tracing
from ...jaxcompat.tracing import is_plain
from ...model import Outcome, Signature
from ...model.system import time_ns
from ...recording import events as ev
from .. import sources
from ..arguments.signature import signature_or_error
from ..failures import error_text, note
from ..in_progress import Address, CallingLine, OnThread, OpenCall, OpenMiss, OpenPhase, Place, here
from ..tokens import token
from .watcher import watcher

_JITVIZ = str(Path(__file__).parents[2])
SITES = 4096  # call sites remembered per thread; beyond that, all are forgotten
HITS = 3 * 1024  # numbers that may wait on one thread
# Hits that are looked at: was their program traced with what is there now? The first of each line, and, of those that
# wait, ever fewer, by Fibonacci's numbers: there is one before a number doubles, and they fall on each of a few lines
# that take turns.
LOOKS, LOOK = 8, frozenset(3 * n for n in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987))

TakesSignature = Callable[[], Signature | None]  # None if nothing is known of the arguments


def begin_call(
    called: Any, caller: FrameType | None, find: Callable[..., CallingLine | None], *about: Any
) -> OpenCall | None:
    """Open a call of `called` that a hook in Python has seen; `find` makes the site of a line that is new. One from C,
    as where a thread begins with it, has no caller and is left out.

    This and `end_call` run at each hit. They are guarded by hand, which takes less time than `guarded`.
    """
    mine = here.mine
    try:
        if mine.is_inside or caller is None:
            return None
        site = mine.site_at(id(caller.f_code) + caller.f_lasti, id(called))
        if site is not None:
            return open_call(mine, site, caller)
        site = find(called, caller, *about)
        return None if site is None else open_call(mine, site, caller, (caller.f_code, caller.f_lasti))
    except Exception as error:
        note("call", error)
        return None


def end_call(call: OpenCall) -> bool:
    """Close a call that has returned; False if `close_call` has to do it."""
    try:
        return close_plain(here.mine, call)
    except Exception as error:
        note("call", error)
        return False


def new_site(
    called: Any,
    caller: FrameType,
    fun: Any,
    number_of: Callable[[], ev.FunctionNumber],
    *,
    is_in_c: bool = False,
    has_version_key: bool = False,
) -> CallingLine:
    """The user's line that calls `called`, at `caller` or above. `fun` is the function in JAX's cache key, and
    `number_of` returns the number of the user's function."""
    frame, address = sources.caller(caller), Address(id(called))
    if frame is None:
        return CallingLine(number_of(), Address(id(fun)), "", called=address, is_in_c=is_in_c)
    sites, key = here.mine.sites, id(frame.f_code) + frame.f_lasti
    site = here.mine.site_at(key, address)
    if site is not None:
        return site
    site_key = (key, address) if key in sites else key
    # The address of the callee is reused once it has died. That of the code is not, since the site keeps the code.
    dies = weakref.ref(called, partial(sites.pop, site_key))
    source = sources.location(frame.f_code.co_filename, frame.f_lineno)
    version_key = token(fun) if has_version_key else None
    place = frame.f_code, frame.f_lasti
    site = CallingLine(number_of(), Address(id(fun)), source, version_key, address, is_in_c, place, dies)
    if sources.frame_owner(frame.f_code.co_filename) == "user":  # many callers share a line of a library
        if len(sites) >= SITES:
            sites.clear()
        sites[site_key] = site
    return site


def open_call(
    mine: OnThread, site: CallingLine, caller: FrameType | None = None, place: Place | None = None
) -> OpenCall | None:
    """Open a call on this thread; None where jit is disabled. `caller` calls; without it, what calls the hook does."""
    call = OpenCall(site, time_ns())
    if place is not None:
        call.place = place
    if mine.calls or mine.phases:
        close_interrupted(mine, caller or sys._getframe(2))
    if mine.calls or mine.phases or not is_plain():
        if tracing.is_jit_disabled():
            return None
        call.is_plain, call.is_inlined = False, tracing.is_staging()
        call.n_equations = tracing.equation_count()
        if mine.calls:
            mine.calls[-1].is_plain = False
    mine.calls.append(call)
    return call


def open_again(mine: OnThread, site: CallingLine, caller: FrameType | None = None) -> None:
    """`open_call` at a line that is known, which most often makes a plain hit: the row of the last one serves again."""
    call = mine.spare
    if call is None or mine.calls or mine.phases or not is_plain():
        open_call(mine, site, caller or sys._getframe(2))
    else:
        call.site, call.started_ns = site, time_ns()
        mine.calls.append(call)


def close_interrupted(mine: OnThread, inner: FrameType, miss: Address | None = None) -> None:
    """Close what has ended unseen. `inner` runs inside what is still open, and may itself do `miss`."""
    calls, phases = mine.calls, mine.phases  # another thread may replace the list of calls meanwhile
    while calls and not is_call_running(calls[-1], inner, miss):
        _abandon(calls.pop())
    while phases and not is_phase_running(phases[-1], inner):
        phases.pop()


def _abandon(call: OpenCall) -> None:
    """Close a call whose end nobody saw. Of one in which nothing happened, nobody knows whether it ran: it is none."""
    here.mine.spare = None
    if call.is_logged or call.error is not None:
        _finish(call, None, False, None)


def close_plain(mine: OnThread, call: OpenCall) -> bool:
    """Close a returned call, if it was a plain hit of a line that the recordings know: it is three numbers then."""
    row, calls, started_ns = call.site.row, mine.calls, call.started_ns
    if not (row and call.is_plain and calls and calls[-1] is call):
        return False
    calls.pop()
    hits = mine.hits
    hits += (row, started_ns, time_ns() - started_ns)
    if call.place is None:
        mine.spare = call
    n = len(hits)
    if n in LOOK:
        watcher.note_stale(call.site, time_ns() / 1e9)
    if n >= HITS:
        watcher.flush_hits()
    return True


def close_call(
    call: OpenCall,
    error: BaseException | None = None,
    *,
    is_end_known: bool = True,
    first_signature: TakesSignature | None = None,
) -> None:
    """Close a call that ended, and every call still open inside it."""
    if error is None and close_plain(here.mine, call):
        return
    calls = here.mine.calls
    if call in calls:
        while calls and calls[-1] is not call:
            _abandon(calls.pop())
        calls.pop()
    _finish(call, error, is_end_known, first_signature)


def log_call(call: OpenCall) -> None:
    """Log a call before it ends, and those around it: it is about to compile, or something inside it is."""
    parent = None
    for outer in here.mine.calls:
        if not outer.is_logged:
            outer.is_logged, outer.is_plain, outer.seen_s = True, False, time_ns() / 1e9
            started_s = outer.started_ns / 1e9
            thread = watcher.thread_name()
            number = _number(outer)
            watcher.emit(ev.CallStarted(started_s, number, outer.site.function, parent, thread, outer.site.source))
        if outer is call:
            return
        parent = outer.number


def _finish(
    call: OpenCall, error: BaseException | None, is_end_known: bool, first_signature: TakesSignature | None
) -> None:
    here.mine.spare = None
    now_ns, site = time_ns() if is_end_known or not call.seen_s else int(call.seen_s * 1e9), call.site
    text = error_text(error) or call.error
    signature, may_be_stale = None, False
    if call.misses:
        for miss in call.misses:
            close_miss(miss, now_ns / 1e9, None)
        if text is not None:
            text = call.misses[-1].error or text  # the phase says what raised, and where
        ran: ev.CompileNumber | None = call.misses[0].number
    else:
        # A call inside a trace runs no version, and one that raised may have run none.
        is_hit = not call.is_inlined and text is None
        is_plain = not tracing.is_transformed()
        ran = watcher.functions.version_of_hit(site, is_plain=is_plain) if is_hit else None
        may_be_stale = is_hit and watcher.note_stale(site, now_ns / 1e9)
        for guard in list(watcher.guards) if not site.looks else ():
            if guard.hit is not None and is_hit and guard.holds():
                guard.hit(site)
        first = (site.function, site.source) if call.is_inlined else site.function
        if first_signature is not None and ran is None and text is None and _is_first(first):
            signature = signature_or_error(first_signature)
    if call.is_plain and is_end_known and text is None and signature is None:
        row = watcher.row_of(site, ran)
        here.mine.hits += (row, call.started_ns, now_ns - call.started_ns)
        site.looks += 1
        if site.looks >= LOOKS or not may_be_stale:
            site.row = row
        return
    outer = here.mine.calls[-1] if here.mine.calls else None
    if outer is not None:
        log_call(outer)  # a call is logged after the one around it
    watcher.emit(
        ev.CallFinished(
            at_s=now_ns / 1e9,
            call=_number(call),
            function=site.function,
            started_s=call.started_ns / 1e9,
            outcome=_outcome(call, text),
            parent=None if outer is None else outer.number,
            thread=watcher.thread_name(),
            source=site.source,
            error=text,
            compile=ran,
            is_end_known=is_end_known,
            signature=signature,
        )
    )


def _number(call: OpenCall) -> ev.CallNumber:
    call.number = call.number or ev.CallNumber(next(watcher.numbers))
    return call.number


def close_miss(opened: OpenMiss, at_s: float, error: str | None) -> None:
    """Close a miss: it is complete, or was abandoned."""
    if not opened.is_closed:
        opened.is_closed = True
        here.mine.misses.pop(opened.frame, None)
        watcher.emit(ev.CompileFinished(at_s, opened.number, error))
        if error is not None:
            watcher.forget(opened)


def _outcome(call: OpenCall, error: str | None) -> Outcome:
    if error is not None:
        return "error"
    if call.is_inlined:
        return "inlined"
    phases = {phase for miss in call.misses for phase in miss.phases}
    return "compile" if phases & {"lower", "compile"} else "trace" if phases else "hit"


def _is_first(called: ev.FunctionNumber | tuple[ev.FunctionNumber, str]) -> bool:
    """Whether this is the first call in some recording of a function, or the first at a line; marks it as called."""
    fresh = [sink for sink in watcher.sinks if called not in sink.first_calls]
    for sink in fresh:
        sink.first_calls.add(called)
    return bool(fresh)


# -- what is still running ----------------------------------------------------------------------------------------
# A Ctrl-C may strike between the event of a call and the call itself, and between its return and the event of that.
# Then the interpreter reports no end (https://docs.python.org/3/library/sys.monitoring.html), nor does a wrapper of
# ours. While a call runs, the frame that made it stands at the instruction that calls. None of this runs where a plain
# hit begins or ends.


def is_call_running(call: OpenCall, inner: FrameType, miss: Address | None = None) -> bool:
    """Whether an open call is still running around `inner`, or in it if that frame does `miss`. Addresses of frames are
    reused, so only frames that do a miss count, and `inner` only for its own miss."""
    if call.is_implicit:
        return call.frame == miss or call.frame in jax_frames.frames_of_misses(inner.f_back)
    place = call.place or call.site.place
    # The instruction may call something else by now. The interpreter would have reported that, for a call into C.
    return any(
        (caller.f_code, caller.f_lasti) == place
        and (call.site.is_in_c or called.f_code.co_filename.startswith(_JITVIZ))
        for called, caller in pairwise(jax_frames.stack(inner))
    )


def is_phase_running(phase: OpenPhase, inner: FrameType | None) -> bool:
    """Whether an open phase is still running around `inner`."""
    return any(frame.f_code is phase.code and id(frame) == phase.frame for frame in jax_frames.stack(inner))
