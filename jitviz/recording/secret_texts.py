"""What a secret looks like: formats of keys and tokens, and values beside a name such as `password`.

In: a text, or the name of a value.  Out: the text with something else in place of each secret; whether it is one.
Must never: take random text alone for a secret: it is a hash of a file, or a name.

The formats, lengths and thresholds are facts from the rules of gitleaks (https://github.com/gitleaks/gitleaks), which
is well kept but a program of its own. detect-secrets would be a dependency for plug-ins that read files line by line.
"""

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Callable

Instead = Callable[[str], str]

# After these comes a long text with a digit that may have any sign in it;
_LONG = (
    r"sk-(?:ant|proj|svcacct|admin|lf|or-v1)-|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-|GR1348941"
    r"|dckr_(?:pat|oat)_|AGE-SECRET-KEY-1|ops_eyJ|AIza|ya29\.|GOCSPX-|dp\.(?:pt|st|ct|sa|scim|audit)\.|dt0c01\.|FLWSECK"
    r"|duffel_(?:test|live)_|HRKU-|hv[sb]\.|lin_(?:api|oauth)_|NR(?:AK|II|JS)-|pscale_(?:tkn|oauth|pw)_|pypi-AgE"
    r"|PMAK-|sntrys_|sq0(?:atp|csp)-|xkeysib-|xox[abeoprs]-|xapp-|ATATT3|sha256~|s-s4t2(?:ud|af)-|nvapi-|whsec_"
)
# after these, at least 10, 16 or 30 letters and digits.
_SHORT = {
    10: r"(?:sk|rk|pk)_(?:test|live|prod)_",
    16: r"gh[pousr]_|shp(?:at|ca|pa|ss)_|do[opr]_v1_|A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|p8e-|LTAI|sm_[aps]at_"
    r"|sk-(?=[A-Za-z0-9]*\d)",
    30: r"hf_|npm_|api_org_|gsk_|r8_|xai-|pplx-|pul-|pnu_|glc_|glsa_|sgp_|sntryu_|ntn_|dapi|AKCp|cmVmd|ABSK|EZ[AT]K|SK"
    r"|key-|rdme_|rubygems_|CLOJARS_|shippo_(?:live|test)_|tfp_|wandb_v1_|secret_",
}
_KNOWN = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:{_LONG})(?=[\w.~+/=-]*\d)[\w.~+/=-]{{16,}}"
    + "".join(rf"|(?:{prefixes})[A-Za-z0-9]{{{least},}}(?![\w-])" for least, prefixes in _SHORT.items())
    + r"|glsa_\w{32,}|A3(?:-[A-Z0-9]{5,11}){5,6}|SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]{8,}\.[\w.-]{8,}"
    r"|[ps]k\.eyJ[\w.-]{16,}|pat\w{14}\.[0-9a-f]{64}|\w{14}\.atlasv1\.[\w=-]{40,}|\d{8,10}:AA[\w-]{33}(?![\w-])"
    r"|[0-9a-f]{32}-us\d\d?(?!\w)|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,})"
    r"|(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/+]{20,}|(?<=/api/webhooks/)\d{16,}/[\w-]{60,}"
    r"|(?<=://)[^\s/:@'\"]*:[^\s/@'\"]+(?=@)|(?i:(?<=bearer ))(?=[^\s'\"]*\d)[\w.~+/=-]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_BASIC = re.compile(r"(?i:(?<=basic ))[A-Za-z0-9+/]{6,}={0,2}")
# A quick test that most texts fail, and the words of a long text that may be secrets.
_HINT = re.compile(r"[\w+/.~-]{14}|://|(?i:basic|bearer) |-----BEGIN")
_WORD = re.compile(r"[\w.:~+/=-]{16,}+")
# Texts of random characters, as a secret of AWS or one in base64. Hashes have lower case only.
_RANDOM = re.compile(r"(?<![\w/+=.-])(?=[^\s]*\d)(?=[^\s]*[a-z])(?=[^\s]*[A-Z])[A-Za-z0-9/+]{32,}={0,2}(?![\w/+=.-])")
_KIND = re.compile(r"[a-z]+|[A-Z]+|\d+|[/+]+")

_NAMES = (
    r"pass(?:word|wd|phrase|code)s?|pwds?|secrets?|credentials?|auth(?:ori[sz]ation)?|bearer"
    r"|(?:api|access|private|secret|auth|client|account|signing|encryption)[_-]?(?:keys?|tokens?|secrets?)"
    r"|(?:refresh|bearer|hf|github|gitlab|slack|wandb|bot|personal)[_-]?tokens?"
)
_NAME = re.compile(rf"[\w-]*?(?:{_NAMES})_?\d*", re.IGNORECASE)
# a step of a path: `.password`, `['api_key']`, `<closure password>`
_STEP = re.compile(rf"(?:^|[.\['\"]|<\w+ )[\w-]*?(?:{_NAMES})_?\d*(?=$|[.\[<>'\"])", re.IGNORECASE)
_HINT_OF_NAME = re.compile(r"pass|pwd|secret|credential|auth|bearer|key|token", re.IGNORECASE)
# a name, and what may stand before its value: `password: str = `, `"password": `, `["password"] = `, `password is `
_BESIDE = re.compile(
    rf"(?<![\w-])[\w-]*?(?:{_NAMES})_?\d*(?![\w-])['\"]?\]?"
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


def without_known(text: str, instead: Instead) -> str:
    """Replace known formats and random text."""
    if _HINT.search(text) is None:
        return text
    text = _without_formats(text, instead)
    return _RANDOM.sub(lambda match: instead(match.group()) if _is_random(match.group()) else match.group(), text)


def without_known_in_program(text: str, instead: Instead) -> str:
    """Replace known formats in a program, which may be megabytes of few words; its constants look like random text."""
    if any(sign in text for sign in ("://", "asic ", "earer ", "-----BEGIN")):
        return _without_formats(text, instead)
    for word in set(_WORD.findall(text)):
        if (shown := _without_formats(word, instead)) != word:
            text = text.replace(word, shown)
    return text


def _without_formats(text: str, instead: Instead) -> str:
    text = _KNOWN.sub(lambda match: instead(match.group()), text)
    return _BASIC.sub(lambda match: instead(match.group()) if _is_basic(match.group()) else match.group(), text)


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


def _is_basic(text: str) -> bool:
    """Whether a text is "user:password" in base64."""
    try:
        return b":" in base64.b64decode(text, validate=True)
    except binascii.Error:
        return False


def _is_random(text: str) -> bool:
    """Whether the characters of a text vary as much as only random ones do; those of AWS are 40."""
    text = text.rstrip("=")
    kinds, signs = len(_KIND.findall(text)) / len(text), len(text) - len(re.sub(r"[/+]", "", text))
    entropy = -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
    return entropy >= 4.4 and signs <= len(text) // 10 and kinds >= (0.4 if len(text) == 40 else 0.6)
