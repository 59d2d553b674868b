"""The words of JIT compilation: their explanations, and ways to find one.

In: `glossary.txt`, and the kinds of reason, whose entries are in `reasons.kinds`.  Out: `GLOSSARY`, and the names of
its terms.
Must never: explain a word with another one that is not in the glossary, or hold an example that does not run as it
stands, with `jax`, `jnp` and `jitviz` imported.

An entry has a line with a name and its synonyms; two sentences, which say what it is and what follows from it; and an
example of at most three lines, in which `# compiles`, `# hit` and `# inlined` say what a line does. The entry of a kind
of reason is named with spaces instead of underscores, and the last compile of its example has that reason.
"""

import difflib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from ..reasons.kinds import KIND_OF, Term

_EXAMPLE = "    >>> "


def _read(entry: str) -> tuple[str, Term]:
    names, *lines = entry.split("\n")
    name, *also = names.split(", ")
    text = " ".join(line.strip() for line in lines if not line.startswith(_EXAMPLE))
    example = "\n".join(line.removeprefix(_EXAMPLE) for line in lines if line.startswith(_EXAMPLE))
    return name, Term(text, example, tuple(also))


_ENTRIES = (files(__package__) / "glossary.txt").read_text(encoding="utf-8").strip().split("\n\n")
_OF_KINDS = ((name.replace("_", " "), kind.term) for name, kind in KIND_OF.items())
GLOSSARY: Mapping[str, Term] = MappingProxyType(
    dict(sorted((*map(_read, _ENTRIES), *_OF_KINDS), key=lambda entry: entry[0].lower()))
)
_NAMES = {other.lower(): name for name, term in GLOSSARY.items() for other in (name, *term.also)}


def find_term(word: str) -> str | None:
    """The name under which a word is explained, in any spelling ("Weak_Type", "dropped", "flops"), or None."""
    return _NAMES.get(_normalise(word))


def suggest_terms(word: str) -> tuple[str, ...]:
    """Up to three terms with a similar name, the likeliest first."""
    close = difflib.get_close_matches(_normalise(word), _NAMES, n=6)
    return tuple(dict.fromkeys(_NAMES[name] for name in close))[:3]


def _normalise(word: str) -> str:
    return " ".join(word.lower().replace("_", " ").split())
