"""Whether an event that was read from a file can have happened: the door that everything from outside comes through.

In: an event whose fields have the right types, from `codec`.  Out: nothing, or a NumberError.
Must never: check what depends on other events; `folding` leaves out what refers to a lost line.
"""

from __future__ import annotations

from . import events as ev
from .codec import NumberError

_MOST = 2**53  # of whole numbers: a browser knows larger ones only roughly
_COLUMNS: dict[type[ev.Event], tuple[str, ...]] = {
    ev.PassesSeen: ("name", "start_s", "duration_s", "parent"),
    ev.LinesSampled: ("number", "start_s", "end_s", "is_in_phase"),
}


def check(event: ev.Event) -> None:
    """Check the numbers of an event.

    Raises:
        NumberError: they contradict each other, or cannot be.
    """
    if event.at_s < 0:
        raise NumberError(f"{event.at_s} is not a time")
    if isinstance(event, ev.HitsNoted | ev.HitsSummed):
        _check_hits(event)
    elif isinstance(event, ev.PassesSeen):
        _check_places(event.name, event.names)
        if any(not -1 <= parent < place for place, parent in enumerate(event.parent)):
            raise NumberError("a pass is not inside itself")
    elif isinstance(event, ev.LinesSampled):
        _check_places(event.number, event.seen)
    columns = {len(getattr(event, name)) for name in _COLUMNS.get(type(event), ())}
    if len(columns) > 1:
        raise NumberError("columns differ in length")


def _check_hits(event: ev.HitsNoted | ev.HitsSummed) -> None:
    width = 3 if isinstance(event, ev.HitsNoted) else 4
    if len(event.numbers) % (8 * width):
        raise NumberError("a hit is cut off")
    numbers = memoryview(event.numbers).cast("q")
    columns = [numbers[column::width].tolist() for column in range(width)]
    if any(number > _MOST for column in columns[2:] for number in column) or min(map(min, columns[1:]), default=0) < 0:
        raise NumberError("hits have negative or huge numbers")
    if width == 4 and 0 in columns[2]:
        raise NumberError("a sum of no hits")


def _check_places(places: tuple[int, ...], things: tuple[object, ...]) -> None:
    if any(not 0 <= place < len(things) for place in places):
        raise NumberError("an index is out of range")
