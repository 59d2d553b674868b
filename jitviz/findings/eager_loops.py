"""Loops whose operations run one by one, outside any jit: what to jit, and what that is estimated to save.

In: a `Recording` and what its sampler saw.  Out: `EagerLoop`s.
Must never: report what ran once: compiling it takes longer than running it.

The compile that jitting costs is estimated from one call: measured on a CPU, XLA takes 20 times as long as one eager
call that differentiates, and up to 50 times as long as one that does not.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, TypeVar

from ..model import EagerLine, Finding, count, seconds, split_source
from ..recording import Recording
from .accounting import eager_seen
from .op_by_op import ON_THE_HOST

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
_LEAST_S = 0.3
_LEAST_SHARE = 0.1  # of the wall time
_MOST_OF_IT = 0.8
_COMPILE_S = 0.2  # of even the smallest function
_PER_CALL, _PER_GRADIENT = 50, 20
_TAKES_APART = {"x[...]", "jax.lax.unstack", "iter(x)"}
_CREATES = {f"jnp.{name}" for name in ("array", "asarray", "ones", "zeros", "full", "empty", "ones_like", "zeros_like")}


class _Seen(NamedTuple):
    """A stack of lines, the outermost first, and the function of a library or of JAX that the innermost was in."""

    lines: tuple[EagerLine, ...]
    inside: str
    seconds: float


@dataclass(frozen=True)
class EagerLoop:
    """A function that is called again and again, or the body of the loop `called.loop`, if it has no `function`.
    `sources` are the lines in it; `seen` are its stacks, and `depth` is the place of its lines in them."""

    function: str
    called: EagerLine
    calls: int
    seen: tuple[_Seen, ...]
    depth: int

    @property
    def seconds(self) -> float:
        return _sum(self.seen)

    @property
    def sources(self) -> set[str]:
        return {line.source for one in self.seen for line in one.lines[self.depth :]}

    @property
    def jitted(self) -> str:
        """The global that is a jitted form of the function and was never called, or ""."""
        line = max(self.seen, key=lambda one: one.seconds).lines[self.depth]
        return line.jitted if self.function else line.calls_jitted

    def saves_s(self, compiled_s: float = 0.0) -> float | None:
        """What jitting it saves, with `compiled_s` of programs of single operations; None if nobody knows."""
        has_gradient = any(line.through == "grad" for one in self.seen for line in one.lines[self.depth :])
        times = _PER_GRADIENT if has_gradient else _PER_CALL
        is_known = self.calls > 0
        return self.seconds + compiled_s - max(_COMPILE_S, times * self.seconds / self.calls) if is_known else None

    def finding(self, compiled_s: float, wall_s: float) -> Finding:
        """`compiled_s` are the seconds of compiling single operations in it."""
        saves_s = self.saves_s(compiled_s)
        name, place = self.function or self.called.function, self.called.source
        n_more = len({one.lines[self.depth - 1].source for one in self.seen}) - 1 if self.function else 0
        more = f" and {count(n_more, 'more line')}" if n_more else ""
        where = f"`{self.function}`, called at {place}{more}," if self.function else f"The loop at {self.called.loop}"
        summary = f"{where} is not jitted"
        if self.jitted:
            summary = f"`{self.jitted}` is jitted and was never called; {where[0].lower()}{where[1:]} is not"
        summary += f": its operations ran one by one, for {seconds(self.seconds)} of {seconds(wall_s)}"
        advice, code = self._advise()
        return Finding(
            "unused_jit" if self.jitted else "eager_loop",
            name,
            source=place if self.function else self.called.loop,
            seconds=self.seconds + compiled_s,
            count=max(1, self.calls),
            summary=summary,
            advice=advice,
            code=code,
            saves_s=max(0.0, saves_s or 0.0),
            is_estimated=saves_s is not None,
            name=name,
        )

    def _advise(self) -> tuple[str, str]:
        name = self.function
        if self.jitted:
            of = f"`{name}`" if name else "the function that it is made of"
            return f"Call `{self.jitted}` instead of {of} at {self.called.source}.", ""
        if _sum([one for one in self.seen if one.inside in _TAKES_APART]) > _MOST_OF_IT * self.seconds:
            return ON_THE_HOST, ""
        lines = {one.lines[self.depth] for one in self.seen}
        inner = min((line.loop for line in lines if line.loop and not _is_of_library(line)), default="")
        as_loop = "with `jax.lax.fori_loop` or `jax.lax.scan`: a jit unrolls it"
        unrolled = f" Write its loop at {inner} {as_loop}." if inner else ""
        host = next((line.host for line in lines if line.host), "")
        if name and not host:
            code = f"{name} = jax.jit({name})  # once, after its definition" if name.isidentifier() else ""
            return f"Jit `{name}`: it compiles once, and each call runs one program.{unrolled}", code
        below = (one.lines[self.depth :] for one in self.seen)
        losses = (lines[1].function for lines in below if len(lines) > 1 and lines[0].through == "grad")
        loss = next((loss for loss in losses if loss.isidentifier()), "")
        what = (
            f"what `{name}` computes into a function without `{host}`"
            if name
            else "the body of the loop into a function"
        )
        if loss:
            gradient = f"jax.jit(jax.value_and_grad({loss}))"
            advice = f"or at least the gradient: `{gradient}`, once, before the loop."
            return f"Put {what} and jit that, {advice}", f"{loss}_and_grad = {gradient}"
        instead = ", or write the loop with `jax.lax.fori_loop` or `jax.lax.scan` in a jitted function."
        return f"Put {what} and jit that{f'.{unrolled}' if name else instead}", ""


def _sum(some: Sequence[_Seen]) -> float:
    return sum(one.seconds for one in some)


def find_eager_loops(recording: Recording) -> list[EagerLoop]:
    """The loops that took long enough to be worth a jit."""
    facts = recording.facts
    spent: dict[tuple[tuple[str, ...], str], float] = defaultdict(float)
    for glance, seen_s in eager_seen(recording):
        spent[(*reversed(glance.callers), glance.source), glance.inside] += seen_s
    seen = [
        _Seen(tuple(facts.eager.get(source) or EagerLine(source) for source in sources), inside, seen_s)
        for (sources, inside), seen_s in spent.items()
    ]
    seen = [one for one in seen if all(line.through != "jit" for line in one.lines)]
    least_s = max(_LEAST_S, _LEAST_SHARE * recording.facts.wall_s)
    of_function = _grouped(seen, lambda one: one.lines[0].function).values()
    found = [loop for some in of_function for loop in _search(some, 0, None, least_s)]
    alike = _grouped(found, lambda loop: (loop.function, loop.depth, loop.called.source)).values()
    return [  # a function that one line calls is one, wherever that line was called from
        replace(some[0], calls=max(loop.calls for loop in some), seen=tuple(chain(*(loop.seen for loop in some))))
        for some in alike
    ]


def _search(seen: list[_Seen], depth: int, called: EagerLine | None, least_s: float) -> Iterator[EagerLoop]:
    """What to jit in the function of the lines at `depth`, which `called` has called."""
    if _sum(seen) < least_s:
        return
    function = seen[0].lines[depth].function
    calls = _calls(seen, depth, called) if called is not None else 0
    if called is not None and function and (called.loop or calls > 1):
        whole = EagerLoop(function, called, calls, tuple(seen), depth)
        if not whole.jitted and (child := _main_child(seen, depth)):
            yield from _search(child, depth + 1, child[0].lines[depth], least_s)
            return
        if whole.jitted or _pays(whole):
            yield whole
            return
    for loop, some in _grouped(seen, lambda one: one.lines[depth].loop).items():
        child, children = _main_child(some, depth), _grouped(some, lambda one: _child(one, depth))
        if child or not loop:
            for below in [child] if child else [below for (_, name), below in children.items() if name]:
                yield from _search(below, depth + 1, below[0].lines[depth], least_s)
        elif _sum(some) >= least_s:
            line = max(some, key=lambda one: one.seconds).lines[depth]
            body = EagerLoop("", line, max(one.lines[depth].calls for one in some), tuple(some), depth)
            if body.jitted or _pays(body):
                yield body


def _calls(seen: list[_Seen], depth: int, called: EagerLine) -> int:
    """How often a function was called, at least; 0 if unknown. A line outside loops runs once in each call."""
    often = max((one.lines[depth].calls for one in seen if not one.lines[depth].loop), default=0)
    return often if _is_of_library(called) else max(often, called.calls)


def _is_of_library(line: EagerLine) -> bool:
    """Whether the loop around a line is one of the library's that it calls."""
    return line.loop.rpartition(":")[0] not in ("", line.source.rpartition(":")[0])


def _pays(loop: EagerLoop) -> bool:
    """Arrays that a loop only creates are so many outputs of a jitted one, which take longer to compile."""
    saves_s, created_s = loop.saves_s(), _sum([one for one in loop.seen if one.inside in _CREATES])
    return created_s <= _MOST_OF_IT * loop.seconds and (saves_s is None or saves_s >= _LEAST_S / 2)


def _main_child(seen: list[_Seen], depth: int) -> list[_Seen]:
    """The stacks through the one function of the user's that takes most of the time; empty if there is none."""
    children = _grouped(seen, lambda one: _child(one, depth))
    children.pop(("", ""), None)
    most = max(children.values(), key=_sum, default=[])
    return most if most and _sum(most) >= _MOST_OF_IT * _sum(seen) else []


def _child(one: _Seen, depth: int) -> tuple[str, str]:
    """The function that a line calls itself, by name and, in a loop, the line that calls; else by the file that it is
    in, since several lines or cells may call it as a loop would. Not what JAX calls, and nothing without a name."""
    if len(one.lines) <= depth + 1 or one.lines[depth].through:
        return "", ""
    line, below = one.lines[depth : depth + 2]
    is_named = bool(below.function) and not below.function.endswith("<lambda>")
    return (line.source if line.loop else split_source(below.source)[0], below.function) if is_named else ("", "")


def _grouped(some: Sequence[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = defaultdict(list)
    for one in some:
        groups[key(one)].append(one)
    return groups
