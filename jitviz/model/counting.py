"""What a compile counts as: an executable, a recompile, one that nobody would expect.

In: a compile of a recording.  Out: yes or no, by which all sums and sentences count.
Must never: count an attempt of which no executable came.
"""

from __future__ import annotations

from . import Compile, Function, HitsSeen


def hits_seen(function: Function, elsewhere: HitsSeen) -> HitsSeen:
    """Which hits were seen of a function; `elsewhere` holds where JAX answers them in C++."""
    return "all" if function.wrapper.has_all_hits else elsewhere


def has_compiled(compile: Compile) -> bool:
    """Whether an executable came out, and not only a trace or a lowering."""
    return compile.status == "done" and (not compile.phases or any(phase.name == "compile" for phase in compile.phases))


def is_ahead(compile: Compile) -> bool:
    """Whether it was asked for ahead of time (`f.lower(...)`): a warm-up, and no call."""
    return compile.stage != "call"


def is_loaded(compile: Compile) -> bool:
    """Whether XLA was spared the work: the executable came from JAX's cache on disk."""
    return compile.origin == "loaded"


def has_cause(compile: Compile) -> bool:
    """Whether a call asked for it though there was a version before: something changed."""
    return not is_ahead(compile) and bool(compile.reasons) and compile.reasons[0].kind != "first"


def is_recompile(compile: Compile) -> bool:
    """Whether an executable came out for a call, and not the first one of its function."""
    return has_compiled(compile) and has_cause(compile)


def is_avoidable(compile: Compile) -> bool:
    """Whether it is a recompile that nobody would expect: one inherent reason alone would have caused it."""
    return is_recompile(compile) and not any(reason.inherent for reason in compile.reasons)
