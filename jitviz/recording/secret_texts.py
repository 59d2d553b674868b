"""What a secret looks like: a value beside a name such as `password`, the credentials in a URL, long random text.

In: a text, or the name of a value.  Out: the text with something else in place of each secret; whether it is one.
Must never: take a hash of a file, or a name, for random text.
"""

import math
import re
from collections import Counter
from collections.abc import Callable

Instead = Callable[[str], str]

# Keys and tokens have 32 letters and digits or more, behind what says whose they are ("ghp_", "sk-proj-").
_STRETCH = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{32,200}(?![A-Za-z0-9+/])={0,2}")
_RUN = re.compile(r"[a-z]+|[A-Z]+|\d+|[/+]+")
_LEAST_BITS = 4.2  # of entropy for each character; hexadecimal digits have 4 at most
_LEAST_RUNS = 0.45  # for each character: names in camel case have longer ones
_MOST_SIGNS = 0.1  # of the characters: paths have more
_IN_URL = re.compile(r"(?<=://)[^\s/:@'\"]*:[^\s/@'\"]+(?=@)")

_NAMES = (
    r"pass(?:word|wd|phrase|code)s?|pwds?|secrets?|credentials?|auth(?:ori[sz]ation)?|bearer"
    r"|(?:api|access|private|secret|auth|client|account|signing|encryption)[_-]?(?:keys?|tokens?|secrets?)"
    r"|(?:refresh|bearer|hf|github|gitlab|slack|wandb|bot|personal)[_-]?tokens?"
)
_WITH_TOKEN = rf"{_NAMES}|(?<![\w-])token"
_NAME = re.compile(rf"[\w-]*?(?:{_WITH_TOKEN})_?\d*", re.IGNORECASE)
# a step of a path: `.password`, `['api_key']`, `<closure password>`
_STEP, _OTHER_STEP = (
    re.compile(rf"(?:^|[.\['\"]|<\w+ )[\w-]*?(?:{names})_?\d*(?=$|[.\[<>'\"])", re.IGNORECASE)
    for names in (_WITH_TOKEN, _NAMES)
)
_HINT_OF_NAME = re.compile(r"pass|pwd|secret|credential|auth|bearer|key|token", re.IGNORECASE)
# a name, and what may stand before its value: `password: str = `, `"password": `, `["password"] = `, `password is `
_BESIDE = re.compile(
    rf"(?<![\w-])[\w-]*?(?:{_WITH_TOKEN})_?\d*(?![\w-])['\"]?\]?"
    r"(?:\s*:\s*[A-Za-z_][\w.\[\], |]*?(?=\s*=)| for [\w@.-]+(?=:))?"
    r"(?P<sign>\s*(?::=|==?|!=|=>|:|,)\s*|\s+(?:(?:is|was|of|for) )?)",
    re.IGNORECASE,
)
_LITERAL = re.compile(
    r"(?i:[rbuf]{0,2})(\"\"\"|'''|\"|')(?P<inside>(?:\\.|(?!\1).)*?)(\1|\Z)"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<between>[\s,:+\\]+|\\\n)|(?P<number>\d{4,})\b",
    re.DOTALL,
)
_VALUE = re.compile(r"(?!(?:None|null|True|False|str|bytes|int)\b)[^\s'\"<>,;()\[\]{}]{3,}(?<![.:])(?![\w(\[{.<])")


def is_secret(path: str) -> bool:
    """Whether a step of a path says that the strings and numbers below it are secrets."""
    return _HINT_OF_NAME.search(path) is not None and _STEP.search(path) is not None


def is_of_vocabulary(path: str) -> bool:
    """Whether a number at a path is a token of a language, so that no secret is named but `token`."""
    return "token" in path.lower() and _STEP.search(path) is not None and _OTHER_STEP.search(path) is None


def without_random(text: str, instead: Instead) -> str:
    """Replace long random text, and credentials in URLs."""
    if "://" in text:
        text = _IN_URL.sub(lambda match: instead(match.group()), text)
    return _STRETCH.sub(lambda match: instead(match.group()) if _is_random(match.group()) else match.group(), text)


def without_named(text: str, instead: Instead, *, is_code: bool = False) -> str:
    """Replace what stands beside a name of a secret: literals, up to the end of a list of them, or else a word."""
    if _HINT_OF_NAME.search(text) is None:
        return text
    parts, place = [], 0
    for match in _BESIDE.finditer(text):
        for start, end in _literals(text, match) or _word(text, match, is_code):
            if start >= place:
                parts += [text[place:start], instead(text[start:end])]
                place = end
    return "".join([*parts, text[place:]])


def _literals(text: str, beside: re.Match[str]) -> list[tuple[int, int]]:
    spans, depth, place = [], 0, beside.end()
    while (match := _LITERAL.match(text, place)) is not None:
        if match["inside"] or (match["number"] and beside["sign"].strip()):
            spans.append(match.span("inside" if match["inside"] else "number"))
        depth += bool(match["open"]) - bool(match["close"])
        if not depth and (match["close"] or set(match["between"] or "") - set(" \t+\\")):
            break
        place = match.end()
    return [(start, end) for start, end in spans if not text.startswith("<redacted", start)]


def _word(text: str, beside: re.Match[str], is_code: bool) -> list[tuple[int, int]]:
    """A word after "password=" or "password: ". In code it is mostly an expression, or a type."""
    is_given = beside["sign"].strip() in (":", "=", ":=", "=>") or beside.group().startswith("--")
    match = _VALUE.match(text, beside.end()) if is_given else None
    if match is None or _NAME.fullmatch(match.group()) or (is_code and not re.search(r"\d", match.group())):
        return []
    return [match.span()]


def _is_random(text: str) -> bool:
    """Whether the characters of a text vary as much as only random ones do. Hashes have lower case only."""
    text = text.rstrip("=")
    if not all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", r"\d")):
        return False
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
    n_runs, n_signs = len(_RUN.findall(text)), text.count("/") + text.count("+")
    return bits >= _LEAST_BITS and n_runs >= _LEAST_RUNS * len(text) and n_signs <= _MOST_SIGNS * len(text)
