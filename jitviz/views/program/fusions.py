"""The source lines of a fusion.

In: a `Recording`, the number of a compile, the name of an instruction of its HLO.  Out: lines, from its metadata.
Must never: be computed before someone looks, or read a text so long that a panel has to wait.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from ...findings.program.places import Places
from ...jaxcompat.texts import hlo
from ...recording import Recording

_MOST_CHARS = 4_000_000  # of HLO: half a second

_kept: WeakKeyDictionary[Recording, dict[int, dict[str, tuple[str, ...]]]] = WeakKeyDictionary()


def lines_of(recording: Recording, compile: int, name: str) -> tuple[str, ...]:
    """The innermost source lines of the fused operations, in their order; none if the HLO has no locations."""
    kept = _kept.setdefault(recording, {})
    if compile not in kept:
        kept[compile] = _read(recording.located(compile, "hlo") or "")
    return kept[compile].get(name, ())


def _read(text: str) -> dict[str, tuple[str, ...]]:
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
        one.name: tuple(dict.fromkeys(line(frame) for frame, _ in insides.origins(one) if module.chains.get(frame)))
        for one in module.instructions()
    }
