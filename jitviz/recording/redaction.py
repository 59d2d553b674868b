"""What is shown in place of keys, tokens and passwords, and of what the user names.

In: texts, and the paths of static values.  Out: the same texts with "<redacted …>" for what nobody else should read.
Must never: let out a part of a secret, or a digest that says which it was: a recording is made to be passed on.

Two secrets of one length look the same; a digest under a key of this process still tells them apart, so that a token
that changes is named as the reason of a recompile.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

# As their makers write them: OpenAI, Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face, npm, JSON web tokens.
_KNOWN = re.compile(
    r"(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}|hf_\w{16,}|npm_\w{16,}|eyJ[\w-]{8,}\.[\w.-]{8,}"
    r"|(?<=Bearer )[\w.=+/-]{8,}|(?<=://)[^\s/:@'\"]+:[^\s/@'\"]+(?=@)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
# All else that a generator made: letters and digits by turns, where a name has its digits together.
_RUN = re.compile(r"[A-Za-z0-9]{20,}")
_TURN = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_TURNS = 4
# The last name of a path that says so itself.
_NAME = re.compile(
    r"(?:^|[._\['])(?:password|passwd|passphrase|secret|credentials?|(?:api|access|private|secret|auth)_?(?:key|token))"
    r"(?:'\])?$",
    re.IGNORECASE,
)
_KEY = os.urandom(16)
# Of a path in the home of the user, "~" tells as much. As it is, and as Python writes it in a string.
_HOME = Path.home()
_HOMES = re.compile(rf"(?<![\w.-])(?:{re.escape(str(_HOME))}|{re.escape(repr(str(_HOME))[1:-1])})(?![\w-])")

_patterns: tuple[str, ...] = ()


def configure(*, redact: Iterable[str] = ()) -> None:
    """Show nothing of static values at these paths from now on, beside what looks like a key or a token.

    A pattern is a path as it is shown, with `*` for any part of it: `"config.user"`, `"*.license"`. What is below such
    a path is not shown either.
    """
    global _patterns
    if isinstance(redact, str):
        raise TypeError(f"redact takes several patterns: redact=[{redact!r}]")
    _patterns = tuple(redact)


def redacted(text: str) -> str:
    """A text without what looks like a key or a token, or says where the home of the user is."""
    here = text if _HOME.parent == _HOME else _HOMES.sub("~", text)
    return _RUN.sub(_instead_of_run, _KNOWN.sub(_instead, here))


def is_secret(path: str) -> bool:
    """Whether the last name of a path says that a string there is one."""
    return _NAME.search(path) is not None


def is_hidden(path: str) -> bool:
    """Whether the user does not want what stands at a path to be shown."""
    return any(_matches(path, pattern) for pattern in _patterns)


def is_configured() -> bool:
    """Whether the user named any paths."""
    return bool(_patterns)


def digest(text: str) -> str:
    """Tells texts of this process apart, and says nothing of them."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=6, key=_KEY).hexdigest()


def _matches(path: str, pattern: str) -> bool:
    as_written = pattern.replace("[", "[[]")  # of fnmatch, only `*` and `?` are meant
    return any(fnmatch.fnmatchcase(path, as_written + below) for below in ("", ".*", "[[]*"))


def _instead_of_run(found: re.Match[str]) -> str:
    return _instead(found) if len(_TURN.findall(found.group())) >= _TURNS else found.group()


def _instead(found: re.Match[str]) -> str:
    return f"<redacted, {len(found.group())} characters>"
