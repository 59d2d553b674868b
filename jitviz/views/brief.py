"""A sentence in a few words, for the row of a finding; the whole one is a click away.

In: a sentence.  Out: its beginning, at most so many words, up to the end of a clause where there is one.
"""

import re

CAUSE_WORDS, ADVICE_WORDS = 12, 15
_ASIDE = re.compile(r" \((?:[^()`]|`[^`]*`)*\)|, such as (?:[^,;:.`]|`[^`]*`)*,?")
_CLAUSE = re.compile(r"[;:,.](?= |$)")
_JOINT = re.compile(r" (?=(?:and|but|so|when|while|where|which|that|if|because|since|unless|instead|for|with) )")
# Such a clause waits for another.
_HANGING = re.compile(r"(?:^Since|(?:^|[;:,.] )(?:If|if|When|when|Unless|unless))\b[^;:,.]*$")
_COUNT = re.compile(r" of [\d,]+ items")
_FEW = 3  # words that say enough


def briefly(sentence: str, most: int) -> str:
    """The sentence without what is in parentheses and without its full stop; of a longer one, the longest clauses that
    fit, or else what stands before a conjunction, or its first words."""
    text = _ASIDE.sub("", sentence).strip().rstrip(".")
    # What differs says more than what does not; but what comes first in several clauses says most.
    after = text if re.search("[;:]", text) else text.rpartition(", but ")[2]
    for shorter in (text, _COUNT.sub("", text), f"{after[:1].upper()}{after[1:]}"):
        if _n_words(shorter) <= most:
            return shorter
    for joint in (_CLAUSE, _JOINT):
        ends = (match.start() for match in joint.finditer(text) if text.count("`", 0, match.start()) % 2 == 0)
        told = [text[:end] for end in ends if not _HANGING.search(text[:end])]
        fitting = [clauses for clauses in told if _FEW <= _n_words(clauses) <= most]
        if fitting:
            return fitting[-1]
    cut = " ".join(text.split(" ")[: most - 1])
    return cut.rpartition("`")[0].rstrip() + "…" if cut.count("`") % 2 else f"{cut} …"


def _n_words(text: str) -> int:
    """Words; an arrow is none, and code is one."""
    return len([word for word in re.sub(r"`[^`]*`", "code", text).split() if word != "→"])
