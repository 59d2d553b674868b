"""XLA's passes of one compile, the longest first, and the source lines of its fusions.

In: the passes of a `Compile`, and its HLO.  Out: lines of text; none if the compile was not profiled.
Must never: count the time of an inner pass for the outer one too, or read a text so long that a panel has to wait.
"""

from collections import defaultdict
from weakref import WeakKeyDictionary

from ..findings.program.places import Places
from ..jaxcompat.texts import hlo
from ..jaxcompat.texts.names import pass_of
from ..model import Pass
from ..model.quantities import count, seconds
from ..recording import Recording
from .screen_limits import NAME_CHARS
from .words import plain, plain_path

_MOST = 6
_LEAST = 0.01  # of the whole
_MOST_LINES = 3  # named for one fusion
_MOST_CHARS = 4_000_000  # of HLO: half a second

_lines: WeakKeyDictionary[Recording, dict[int, dict[str, tuple[str, ...]]]] = WeakKeyDictionary()


def tell_passes(passes: tuple[Pass, ...]) -> tuple[str, ...]:
    """One line for the whole, and one for each kind of pass with its own time."""
    if not passes:
        return ()
    whole_s = sum(row.duration_s for row in passes if row.parent is None)
    own_s = [row.duration_s for row in passes]
    for row in passes:
        if row.parent is not None:
            own_s[row.parent] -= row.duration_s
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for row, row_s in zip(passes, own_s, strict=True):
        spent[pass_of(row.name)].append(max(0.0, row_s))  # negative if inner passes ran in parallel
    longest = sorted(spent, key=lambda name: -sum(spent[name]))[:_MOST]
    rows = [
        f"{seconds(sum(spent[name]))} in `{plain(name, NAME_CHARS)}`"
        + (f", {len(spent[name]):,} times" if len(spent[name]) > 1 else "")
        for name in longest
        if sum(spent[name]) > _LEAST * whole_s
    ]
    return f"XLA's passes: {count(len(passes), 'span')}, {seconds(whole_s)}", *rows


def tell_fusion(recording: Recording, compile: int, name: str) -> str:
    """ "sine_add_fusion of model.py:8, model.py:9"."""
    known = _lines.setdefault(recording, {})
    if compile not in known:
        known[compile] = _read_lines(recording.located(compile, "hlo") or "")
    lines = [plain_path(line, NAME_CHARS) for line in known[compile].get(name, ())]
    more = [f"{len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
    return f"{plain(name, NAME_CHARS)}{' of ' if lines else ''}{', '.join([*lines[:_MOST_LINES], *more])}"


def _read_lines(text: str) -> dict[str, tuple[str, ...]]:
    """The innermost source lines of the operations in each fusion of an HLO text; none if it has no locations."""
    if len(text) > _MOST_CHARS:
        return {}
    places = Places()
    module = hlo.read_module(text, places)
    insides = hlo.Insides(module)
    files = list(places.files)

    def line(frame: int) -> str:
        file, number = places.line(module.chains[frame][-1])
        return f"{files[file]}:{number}"

    return {
        row.name: tuple(dict.fromkeys(line(frame) for frame, _ in insides.origins(row) if module.chains.get(frame)))
        for row in module.instructions()
    }
