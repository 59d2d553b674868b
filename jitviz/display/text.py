"""A recording as text, for terminals, logs and screen readers; and `jitviz.explain`: why something compiled.

In: a `Recording`; to explain, also compiles, a jitted function or an exception.  Out: lines within a given width, with
everything that any other display shows.
Must never: use colour or any other control character.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from ..model import Compile, count
from ..model.printable import Words
from ..recording import Recording
from ..recording.unread_programs import reading
from ..views import TERMINAL, Panel, as_text, shape_explanation, shape_panel
from ..views.findings import advice_by_change
from ..views.groups import Group
from ..views.versions import shape_version
from .access import IN_HAND, Access
from .function_outline import outline_head, outline_sites, outline_version
from .outline import outline_findings, outline_ops, outline_panel, outline_quiz, outline_verdict, tell_cost
from .score_text import outline_scores
from .wrapped_lines import OutlineLine, after_gap, say, write

_MOST_LINES = 60  # of the beginning
_WIDTH = 100


def render(recording: Recording, width: int = 100, *, has_quiz: bool = False, access: Access = IN_HAND) -> str:
    """The panel as text, `width` terminal columns wide (at least 24). With `has_quiz`, a quiz comes first. No line ends
    in a space, and the text does not end in a newline. `access` says how its reader gets what it leaves out."""
    return render_panel(shape_panel(recording, TERMINAL, has_quiz=has_quiz), recording, access, width)


def render_panel(panel: Panel, recording: Recording, access: Access, width: int = 100) -> str:
    """The same, of a panel that was shaped for a terminal."""
    return "\n".join(_written(panel, width, recording, access))


def _written(panel: Panel, width: int, recording: Recording | None = None, access: Access = IN_HAND) -> Iterator[str]:
    width = max(24, width)
    lines = outline_panel(panel, width, recording, access)
    return write(lines if panel.quiz is None else chain(outline_quiz(panel.quiz), after_gap(lines)), width)


def render_beginning(recording: Recording, width: int = 100, *, access: Access = IN_HAND) -> str:
    """The first lines: the verdict and the findings."""
    return _beginning(_written(shape_panel(recording, TERMINAL), width, recording, access), access)


def begin_panel(panel: Panel, width: int = 100, *, access: Access = IN_HAND) -> str:
    """The first lines of a panel."""
    return _beginning(_written(panel, width, None, access), access)


def _beginning(written: Iterator[str], access: Access) -> str:
    lines = list(islice(written, _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES - 1 :] = [f"… and more: {access.everything}"]
    return "\n".join(lines)


def summarize(recording: Recording, width: int = 100) -> str:
    """The panel in about ten lines: the verdict, the first finding, the score."""
    panel = shape_panel(recording, TERMINAL)
    lines = list(outline_verdict(panel.verdict))
    for finding in panel.findings[:1]:
        lines.append(say(0, f"{as_text(finding.summary)}: {tell_cost(finding)}", hang=0))
        lines += [say(0, f"→ {finding.advice}")] if finding.advice else []
    return "\n".join(write([*lines, *after_gap(outline_scores(panel.scores, panel.n_more_scores, width))], width))


def explain(subject: Recording | Compile | Sequence[Compile] | Callable[..., Any] | BaseException) -> str:
    """Say why each version was compiled, what changed, what to do, and what it cost.

    >>> print(jitviz.explain(rec))
    >>> print(jitviz.explain(rec.compiles[1]))
    >>> print(jitviz.explain(step))
    >>> print(jitviz.explain(error))

    Args:
        subject: one of these:
            a recording, one of its compiles, or several;
            a jitted function: everything that compiled since jitviz started to watch, which is since `%load_ext jitviz`
            or the first `jitviz.record()`;
            an exception: which leaf it is about, where the value became traced, and what to write instead. An exception
            that has nothing to do with JAX is repeated as it is.

    Raises:
        TypeError: it is none of these.
    """
    return Words(_explain(subject))


def _explain(subject: Recording | Compile | Sequence[Compile] | Callable[..., Any] | BaseException) -> str:
    if isinstance(subject, Compile):
        return _of_compile(subject)
    if isinstance(subject, Recording):
        with reading("causes"):
            return _of_recording(subject, IN_HAND)
    if isinstance(subject, BaseException):
        from ..errors import explained

        return str(explained(subject))
    if isinstance(subject, Sequence) and all(isinstance(row, Compile) for row in subject):
        return "\n\n".join(f"{row.function}\n{_of_compile(row, 2)}" for row in subject)
    if callable(subject):
        from ..capture.traces import history_of

        with reading("causes"):
            return _of_recording(history_of(subject))  # which nobody has in hand
    raise TypeError(
        'explain takes a recording, such as `jitviz.load("run.jsonl")`, compiles, a jitted function, or an exception, '
        f"not {type(subject).__name__}"
    )


def _of_compile(row: Compile, indent: int = 0) -> str:
    alone = Group(row.function_info, compiles=[row])
    advice = advice_by_change(row.recording)
    version = shape_version(row, alone, TERMINAL, advice, rows=0, number_of={})
    return "\n".join(write(outline_version(version, indent), _WIDTH))


def _of_recording(recording: Recording, access: Access | None = None) -> str:
    return "\n".join(write(_outline(recording, access), _WIDTH, has_listings=access is None))


def _outline(recording: Recording, access: Access | None) -> Iterator[OutlineLine]:
    told = shape_explanation(recording, TERMINAL)
    functions = [function for function in told.functions if function.versions]
    if not functions and not told.op_by_op:
        yield say(0, "Nothing was compiled.")
    yield from outline_findings(told.findings, told.n_more_findings, access)
    for function in functions:
        yield from after_gap(outline_head(function))
        yield from outline_sites(function)
        for version in function.versions:
            yield from outline_version(version)
        if function.n_more_versions:
            yield say(2, count(function.n_more_versions, "more version"))
    yield from after_gap(outline_ops(told.op_by_op, told.n_more_op_by_op))
