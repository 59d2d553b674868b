"""What a compile counts as: an executable, a recompile, an avoidable recompile.

In: a compile of a recording.  Out: yes or no; all sums and sentences use these answers.
Must never: count an attempt without an executable as one.
"""

from .reason import Verdict
from .rows import Compile, Function, HitsSeen


def hits_seen(function: Function, elsewhere: HitsSeen) -> HitsSeen:
    """Which hits were seen of a function; `elsewhere` is the answer if JAX answers them in C++."""
    return "all" if function.wrapper.has_all_hits else elsewhere


def has_compiled(compile: Compile) -> bool:
    """Whether it produced an executable, not just a trace or a lowering."""
    return compile.status == "done" and (not compile.phases or "compile" in [phase.name for phase in compile.phases])


def is_ahead(compile: Compile) -> bool:
    """Whether it is ahead-of-time work (`f.lower(...)`): a warm-up, not a call."""
    return compile.stage != "call"


def is_loaded(compile: Compile) -> bool:
    """Whether the executable came from JAX's cache on disk, without work for XLA."""
    return compile.origin == "loaded"


def has_cause(compile: Compile) -> bool:
    """Whether a call caused it although there was a version before: something changed."""
    return not is_ahead(compile) and any(reason.kind != "first" for reason in compile.reasons[:1])


def is_recompile(compile: Compile) -> bool:
    """Whether it produced an executable for a call, and not the first one of its function."""
    return has_compiled(compile) and has_cause(compile)


def verdict_of(compile: Compile) -> Verdict | None:
    """Whether a recompile was avoidable; None for what is none."""
    return compile.judgement.verdict if is_recompile(compile) else None


def is_avoidable(compile: Compile) -> bool:
    """Whether it is a recompile that one program could have spared."""
    return verdict_of(compile) == "avoidable"


def may_be_avoidable(compile: Compile) -> bool:
    """Whether it is a recompile of which nothing shows whether it was needed."""
    return verdict_of(compile) == "maybe"


def is_expected(compile: Compile) -> bool:
    """Whether it is a recompile that was needed."""
    return verdict_of(compile) == "expected"
