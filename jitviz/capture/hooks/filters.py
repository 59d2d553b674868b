"""Calls of `jitviz.filter_jit` functions, hits included, and with their version.

In: the slot of `jitviz.filters.hook`.  Out: calls opened and closed.
Must never: flatten anything on a hit (the wrapper has done so already), or take the slot from somebody else.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from ... import wrappers
from ...filters import hook
from ...filters.methods import as_tree
from ...jaxcompat import jits, tracing
from ...model import Signature
from ..arguments.signature import signature_of
from ..guarded import guarded
from ..identity import token
from ..opened import OpenCall
from ..origins import functions
from ..origins.filters import of_filter_call
from ..sources import call_site
from .calls import close_call, open_call
from .watcher import watcher


class _Told(NamedTuple):
    opened: OpenCall
    call: hook.FilterCall


class _Observer:
    """Told by the wrapper of each call; holds the user's arguments only between the two."""

    @guarded(None)
    def started(self, call: hook.FilterCall, /) -> object:
        if tracing.is_jit_disabled():
            return None
        fun = jits.jitted_function(call.program.jitted)
        wrapper = call.wrapper
        number = watcher.number_of_wrapper(
            wrapper, lambda: functions.identify(as_tree(wrapper.__wrapped__), wrappers.JITVIZ)
        )
        opened = open_call(watcher, number, id(fun), call_site(sys._getframe(3)))
        opened.version_key = token(fun)
        return _Told(opened, call)

    @guarded(None)
    def finished(self, told: object, error: BaseException | None, /) -> None:
        if not isinstance(told, _Told):
            return
        opened, call = told

        def first_signature() -> Signature:
            return signature_of(of_filter_call(call, None))

        close_call(watcher, opened, error, first_signature=first_signature)


_observer = _Observer()


def install() -> None:
    """Take the slot, if it is free."""
    if hook.observer is None:
        hook.observer = _observer


def uninstall() -> None:
    """Leave the slot, if it is ours."""
    if hook.observer is _observer:
        hook.observer = None
