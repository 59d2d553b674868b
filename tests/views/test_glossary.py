from __future__ import annotations

from jitviz.model import KINDS
from jitviz.views.glossary import GLOSSARY


def test_every_kind_of_reason_is_explained() -> None:
    assert [kind for kind in KINDS if kind.replace("_", " ") not in GLOSSARY] == []


def test_an_explanation_is_one_line_that_ends_as_a_sentence_does() -> None:
    unfit = [term for term, text in GLOSSARY.items() if len(text) > 110 or "\n" in text or not text.endswith(".")]
    assert unfit == []


def test_terms_are_in_order() -> None:
    assert list(GLOSSARY) == sorted(GLOSSARY)
