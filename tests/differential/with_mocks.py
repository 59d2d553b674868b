"""Programs that replace clocks, files and random numbers: their reads and values are those without jitviz."""

import builtins
import contextlib
import datetime
import io
import os
import random
import threading
import time
from collections import Counter
from unittest import mock

import freezegun
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import time_machine

_REPLACED = {
    "builtins": (builtins, ("open",)),
    "io": (io, ("open",)),
    "os": (os, ("stat", "lstat", "getcwd", "getpid", "getenv", "urandom", "listdir", "scandir", "access", "open")),
    "os.path": (os.path, ("abspath", "exists", "expanduser", "isabs", "isfile", "join", "normcase", "realpath")),
    "random": (random, ("random", "randint", "choice", "getrandbits", "seed")),
    "threading": (threading, ("Lock", "RLock", "current_thread")),
    "time": (
        time,
        ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "process_time", "thread_time", "sleep"),
    ),
}


def _step(size):
    """A compile, and two hits where the size is new; the function is made anew."""
    step = jax.jit(lambda x: (x * 2).sum())
    return [step(np.ones(n, np.float32)) for n in (size, size, size + 1, size)]


def _counting(function, name, counts):
    def counted(*args, **kwargs):
        counts[name] += 1
        return function(*args, **kwargs)

    return counted


def reads_of_everything_that_is_replaced():
    counts = Counter()
    with contextlib.ExitStack() as replaced:
        for module, (where, names) in _REPLACED.items():
            for name in names:
                counting = _counting(getattr(where, name), f"{module}.{name}", counts)
                replaced.enter_context(mock.patch.object(where, name, counting))
        _step(3)
    return sorted(counts.items())


def a_clock_with_as_many_values_as_the_program_reads():
    reads = iter(range(10_000))
    with mock.patch("time.monotonic", side_effect=lambda: float(next(reads))):
        _step(5)
    return next(reads)


def a_clock_that_stands_still(at_s=1_000.0):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(time, "time", lambda: at_s)
        patched.setattr(time, "perf_counter", lambda: at_s)
        out = _step(7)
        return out, time.time(), time.perf_counter()


def a_clock_of_freezegun_that_ticks_at_each_read(depth=9):
    if depth:  # where a caller among the last five is of `multiprocessing`, it tells the true time
        return a_clock_of_freezegun_that_ticks_at_each_read(depth - 1)
    with freezegun.freeze_time("2012-01-14", auto_tick_seconds=15):
        out = _step(9)
        return out, time.time(), str(datetime.datetime.now())


def a_clock_of_time_machine():
    with time_machine.travel(datetime.datetime(1985, 10, 26, tzinfo=datetime.UTC), tick=False):
        out = _step(11)
        return out, time.time(), time.time_ns(), str(datetime.datetime.now())


def files_that_are_not_there():
    with mock.patch("builtins.open", mock.mock_open(read_data="3")) as opened, mock.patch("os.stat", side_effect=[7]):
        out = _step(13)
        with open("size") as file:  # noqa: PTH123 - a `Path` opens it by another function
            return out, file.read(), os.stat("size"), opened.call_count  # noqa: PTH116 - neither


def random_numbers_from_a_list():
    with mock.patch("random.random", side_effect=[0.25, 0.5]), mock.patch("os.urandom", side_effect=[b"12"]):
        out = _step(15)
        return out, random.random(), random.random(), os.urandom(2), jnp.ones(3)
