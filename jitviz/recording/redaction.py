"""Hiding keys, tokens and passwords, and values that the user names.

In: texts, and the paths of static values.  Out: the same texts with "<redacted …>" in place of secrets.
Must never: reveal part of a secret, or a digest that identifies it: recordings are meant to be passed on.

Two secrets of the same length look the same. A digest with a key of this process still tells them apart, so that a
token that changes is found as the reason of a recompile.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

# Known formats: OpenAI, Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face, npm, JSON web tokens.
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}"
    r"|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{16,}"
    r"|(?:hf|npm)_[A-Za-z0-9]{30,}|eyJ[\w-]{8,}\.[\w.-]{8,})"
    r"|(?<=Bearer )[\w.=+/-]{8,}|(?<=://)[^\s/:@'\"]+:[^\s/@'\"]+(?=@)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
# Quick tests that most texts fail: one for short texts, one for megabytes.
_HINT = re.compile(r"[\w+/-]{16}|://|Bearer |-----BEGIN")
_HINT_IN_PROGRAM = re.compile(  # to look for the first letter alone takes a fifth of the time
    r"(?=[sprgxAyhneB:-])(?:[spr]k[-_]|gh[pousr]_|github_|glpat|xox|AKIA|ASIA|AIza|ya29|hf_|npm_|eyJ|Bearer|://|-----BEGIN)"
)
# Other random text: letters alternate with digits, while a name has its digits together; or, for AWS, forty
# characters that change between lower case, upper case, digit and sign more often than in a path.
_RUN = re.compile(r"(?<![\w/+=.-])[A-Za-z0-9/+]{40}(?![\w/+=.-])|[A-Za-z0-9]{20,}")
_TURN = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_KIND = re.compile(r"[a-z]+|[A-Z]+|\d+|[/+]")
_TURNS, _KINDS, _SIGNS = 4, 13, 3
# The last name of a path, if it names a secret.
_NAME = re.compile(
    r"(?:^|[._\['])(?:password|passwd|passphrase|secret|credentials?|(?:api|access|private|secret|auth)_?(?:key|token))"
    r"(?:'\])?$",
    re.IGNORECASE,
)
_KEY = os.urandom(16)

_patterns: tuple[str, ...] = ()

_Instead = Callable[[re.Match[str]], str]


def configure(*, redact: Iterable[str] = ()) -> None:
    """Hide static values at these paths from now on, besides everything that looks like a key or a token.

    A pattern is a path as it is shown, with `*` for any part of it: `"config.user"`, `"*.license"`. Everything below
    such a path is hidden as well.

    Raises:
        TypeError: `redact` is a single pattern instead of a sequence.
    """
    global _patterns
    if isinstance(redact, str):
        raise TypeError(f"redact takes several patterns: redact=[{redact!r}]")
    _patterns = tuple(redact)


def redacted(text: str) -> str:
    """Hide what looks like a key or a token in a text, and the user's name and home."""
    return _without_secrets(_own.sub("~", text), _instead)


def redacted_path(path: str) -> str:
    """Hide the same in a path, but with a digest, so that two secrets in its keys differ."""
    return _without_secrets(path, _tagged)


def redacted_program(text: str) -> str:
    """Hide known formats in a program. It may be long, and its constants look like random text."""
    return _KNOWN.sub(_instead, text) if _HINT_IN_PROGRAM.search(text) else text


def without_user(host: str) -> str:
    """Hide the user's name in the name of a machine."""
    return re.sub(re.escape(_user), "~", host, flags=re.IGNORECASE) if len(_user) > 2 else host


def is_secret(path: str) -> bool:
    """Whether the last name of a path says that a string there is a secret."""
    return _NAME.search(path) is not None


def is_hidden(path: str) -> bool:
    """Whether the user asked to hide the value at a path."""
    return any(_matches(path, pattern) for pattern in _patterns)


def is_configured() -> bool:
    """Whether the user named any paths."""
    return bool(_patterns)


def digest(text: str) -> str:
    """Return a digest that tells texts apart within this process and reveals nothing about them."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=6, key=_KEY).hexdigest()


def _matches(path: str, pattern: str) -> bool:
    as_written = pattern.replace("[", "[[]")  # only `*` and `?` of fnmatch are special
    return any(fnmatch.fnmatchcase(path, as_written + below) for below in ("", ".*", "[[]*"))


def _without_secrets(text: str, instead: _Instead) -> str:
    if _HINT.search(text) is None:
        return text
    return _RUN.sub(lambda run: instead(run) if _is_generated(run.group()) else run.group(), _KNOWN.sub(instead, text))


def _is_generated(run: str) -> bool:
    if len(_TURN.findall(run)) >= _TURNS and run.isalnum():
        return True
    return len(run) == 40 and len(_KIND.findall(run)) >= _KINDS and run.count("/") + run.count("+") <= _SIGNS


def _instead(found: re.Match[str]) -> str:
    return f"<redacted, {len(found.group())} characters>"


def _tagged(found: re.Match[str]) -> str:
    return f"<redacted {digest(found.group())[:6]}>"


def _names_of_user(home: str) -> tuple[str, re.Pattern[str]]:
    """The user's name, and a pattern for what "~" replaces: the home folder, plain or as a string literal, and folders
    of the user's name elsewhere. "root" names nobody: it is the user in a container."""
    user = Path(home).name
    places = [rf"(?<![\w.-])(?:{re.escape(home)}|{re.escape(repr(home)[1:-1])})(?![\w-])"] if user else []
    if user == "root":
        user = ""
    if user:
        places.append(rf"(?<=[/\\]){re.escape(user)}(?![\w.-])")
    return user, re.compile("|".join(places) or r"(?!)")


_user, _own = _names_of_user(os.path.expanduser("~"))  # noqa: PTH111 - `Path.home` raises where there is none
