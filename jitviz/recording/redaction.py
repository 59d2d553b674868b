"""Hiding keys, tokens and passwords, the user's name and home, and values that the user names.

In: texts, events, and the paths of static values.  Out: the same with "<redacted …>" in place of secrets.
Must never: reveal part of a secret, or a digest that identifies it: recordings are meant to be passed on.

Two secrets of the same length look the same. A digest with a key of this process still tells them apart, so that a
token that changes is found as the reason of a recompile.
"""

import dataclasses
import fnmatch
import hashlib
import json
import operator
import os
import platform
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from ..model.printable import HAVE_LINES, one_line
from .secret_texts import is_secret, without_named, without_random

T = TypeVar("T")

_KEY = os.urandom(16)
_MOST, _MOST_FINE = 100, 1 << 14  # values that are known to be secret, and texts without one
_NUMBERS = (int, float, bool, bytes, type(None), ...)
# The fields of events that are compared: their texts must not depend on what was learned meanwhile.
_COMPARED = frozenset({"info", "outputs", "output_nodes", "dropped", "reused"})

_patterns: tuple[str, ...] = ()
_learned: dict[str, re.Pattern[str]] = {}
_fine: tuple[set[str], set[str]] = set(), set()  # texts to leave as they are, by `is_compared`
_fields: dict[type, list[str]] = {}


def configure(*, redact: Iterable[str] = ()) -> None:
    """Hide static values at these paths from now on, besides everything that looks like a secret.

    >>> jitviz.configure(redact=["config.user", "*.license"])

    A pattern is a path as it is shown, with `*` for any part of it: `"config.user"`, `"*.license"`. Everything below
    such a path is hidden as well.

    Raises:
        TypeError: `redact` is a single pattern instead of a sequence.
    """
    global _patterns
    if isinstance(redact, str):
        raise TypeError(f"redact takes several patterns: redact=[{redact!r}]")
    _patterns = tuple(redact)


def redacted(text: str, *, is_code: bool = False) -> str:
    """Hide what looks like a secret in a text, and the user's name and home."""
    text = without_random(_own.sub("~", text), _instead)
    return without_named(text, _instead, is_code=is_code)


def redacted_path(path: str) -> str:
    """Hide the same in a path or a name, but with a digest, so that two secrets in its keys differ."""
    return without_random(_own.sub("~", path), lambda secret: f"<redacted {digest(secret)[:6]}>")


def redacted_program(text: str) -> str:
    """Hide long random text in a program, values that were learned, and the user's name and home."""
    return without_random(_without_learned(_own.sub("~", text)), _instead)


def learn(secret: str) -> None:
    """Hide a value that has the name of a secret in the user's line, in messages and in programs as well."""
    if 4 <= len(secret) <= 1_000 and secret not in _learned and len(_learned) < _MOST:
        # a plain word only as a literal: it may be part of a sentence, or the name of a function
        is_word = secret.isalpha() or len(secret) < 6
        around = (r"(?<=['\"])", r"(?=\\?['\"])") if is_word else (r"(?<!\w)", r"(?!\w)")
        _learned[secret] = re.compile(re.escape(secret).join(around))
        _fine[False].clear()


def moment() -> int:
    """What was cleaned at this moment is clean until the next one."""
    return len(_learned)


def cleaned(value: T, *, is_compared: bool = False) -> T:
    """Hide all of that in every text of an event, and make a line of it: the door that each passes on its way into a
    log. A signature has passed before it is compared with others."""
    new: T = _cleaned(value, is_compared)
    return new


def _cleaned(value: Any, is_compared: bool) -> Any:
    """The same value, or a copy where a text has changed. Most texts come again and again."""
    kind, fine = type(value), _fine[is_compared]
    if kind is str:
        return value if value in fine else one_line(_cleaned_text(value, is_compared))
    if kind is tuple:
        parts = [part if type(part) is str and part in fine else _cleaned(part, is_compared) for part in value]
        return value if all(map(operator.is_, parts, value)) else tuple(parts)
    changed = {}
    for name in _fields[kind] if kind in _fields else _fields.setdefault(kind, _texts_of(kind)):
        part = getattr(value, name)
        if part and not (type(part) is str and part in fine):  # as most are: this runs for each part of each value
            is_code = (kind.__name__, name) in HAVE_LINES
            new = _cleaned_text(part, is_compared) if is_code else _cleaned(part, is_compared or name in _COMPARED)
            if new is not part:
                changed[name] = new
    return dataclasses.replace(value, **changed) if changed else value


def _texts_of(kind: Any) -> list[str]:
    """The fields of a dataclass that may hold text, but for a signature."""
    hints = get_type_hints(kind) if dataclasses.is_dataclass(kind) else {}
    return [name for name, hint in hints.items() if name != "signature" and not _is_number(hint)]


def _is_number(hint: Any) -> bool:
    hint = getattr(hint, "__supertype__", hint)  # of a `NewType`
    return all(map(_is_number, inner)) if (inner := get_args(hint)) else hint in _NUMBERS


def _cleaned_text(text: str, is_compared: bool) -> str:
    new = redacted(text if is_compared else _without_learned(text), is_code=True)
    if new != text or not text.isprintable():
        return new
    fine = _fine[is_compared]
    if len(fine) >= _MOST_FINE:
        fine.clear()
    fine.add(text)
    return text


def _without_learned(text: str) -> str:
    for secret, pattern in list(_learned.items()):
        if secret in text:
            text = pattern.sub(_instead(secret), text)
    return text


def this_host() -> str:
    """The name of this machine, without the user's name."""
    return re.sub(re.escape(_user), "~", platform.node(), flags=re.IGNORECASE) if len(_user) > 2 else platform.node()


def names_next(part: str, place: int) -> bool:
    """Whether a part of a sequence says that the next one is a secret: a pair of a name and a value, or an option."""
    return (place == 0 or part.startswith("-")) and is_secret(f".{part}")


def is_hidden(path: str) -> bool:
    """Whether the user asked to hide the value at a path."""
    as_written = [pattern.replace("[", "[[]") for pattern in _patterns]  # only `*` and `?` of fnmatch are special
    return any(fnmatch.fnmatchcase(path, pattern + below) for pattern in as_written for below in ("", ".*", "[[]*"))


def is_configured() -> bool:
    """Whether the user named any paths."""
    return bool(_patterns)


def digest(text: str) -> str:
    """Return a digest that tells texts apart within this process and reveals nothing about them."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=6, key=_KEY).hexdigest()


def _instead(secret: str) -> str:
    return f"<redacted, {len(secret)} characters>"


def _names_of_user(home: str) -> tuple[str, re.Pattern[str]]:
    """The user's name, and a pattern for what "~" replaces: the home folder, plain, with slashes or as Python, JSON and
    MLIR write it, and folders of the user's name elsewhere. "root" names nobody: it is the user in a container."""
    user = Path(home).name
    as_mlir = "".join(chr(byte) if 31 < byte < 127 and byte != 92 else f"\\{byte:02X}" for byte in os.fsencode(home))
    written = {home: 0, home.replace("\\", "/"): 0, repr(home)[1:-1]: 0, json.dumps(home)[1:-1]: 0, as_mlir: 0}
    # What stands before is looked at last: a pattern that begins with a character is found fastest.
    forms = "|".join(rf"{form}(?<![\w.-]{form})" for form in map(re.escape, written))
    places = [rf"(?:{forms})(?![\w-])"] if user else []
    if user == "root":
        user = ""
    if user:
        places.append(rf"{re.escape(user)}(?<=[/\\]{re.escape(user)})(?![\w.-])")
    has_many_names = re.IGNORECASE if sys.platform in ("win32", "darwin") else re.NOFLAG  # c:\users for C:\Users
    return user, re.compile("|".join(places) or r"(?!)", has_many_names)


_user, _own = _names_of_user(os.path.expanduser("~"))  # noqa: PTH111 - `Path.home` raises where there is none
