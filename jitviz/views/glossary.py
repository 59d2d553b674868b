"""The words of JIT compilation for readers who are new to them: help, explanations in the panel, text.

In: the terms of `jitviz.views.terms`.  Out: `GLOSSARY`, a term to what is said of it, and ways to find one.
Must never: say anything that is not in `terms`; it is the one source.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from .terms import TERMS, Term

GLOSSARY: Mapping[str, Term] = MappingProxyType(dict(sorted(TERMS.items(), key=lambda item: item[0].lower())))
_NAMES = {other.lower(): name for name, term in GLOSSARY.items() for other in (name, *term.also)}


def find_term(asked: str) -> str | None:
    """The name under which a word is explained, however it is written: "Weak_Type", "dropped", "flops"; else None."""
    return _NAMES.get(_plain(asked))


def name_term(word: str) -> str:
    """The term of the glossary that a word of jitviz's own belongs to.

    Raises:
        KeyError: it is not explained.
    """
    return _NAMES[word.lower()]


def suggest_terms(asked: str) -> tuple[str, ...]:
    """Up to three terms that someone may have meant, the likeliest first."""
    close = difflib.get_close_matches(_plain(asked), _NAMES, n=6)
    return tuple(dict.fromkeys(_NAMES[name] for name in close))[:3]


def _plain(asked: str) -> str:
    return " ".join(asked.lower().replace("_", " ").split())
