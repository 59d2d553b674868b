"""Clocks, locks and files as they were when jitviz was imported.

In: nothing.  Out: functions that no program replaces.

A program may replace `time.monotonic`, `os.stat` or `open` (pytest's monkeypatch, `mock.patch`) with values for its own
reads alone: jitviz must use none of them up. freezegun replaces a function wherever a module has it under a name, but
does not look inside a `partial`.
"""

import io
import os
import threading
import time as _time
from functools import partial

time, time_ns = partial(_time.time), partial(_time.time_ns)
monotonic, perf_counter, thread_time = partial(_time.monotonic), partial(_time.perf_counter), partial(_time.thread_time)
sleep, strftime, localtime = partial(_time.sleep), partial(_time.strftime), partial(_time.localtime)

Lock, RLock = threading.Lock, threading.RLock
current_thread, get_ident = threading.current_thread, threading.get_ident

open_file, stat, getcwd, getpid, getppid = io.open, os.stat, os.getcwd, os.getpid, os.getppid
basename, isabs, normcase, normpath = os.path.basename, os.path.isabs, os.path.normcase, os.path.normpath
