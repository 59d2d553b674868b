"""Completion of what may stand after `%%filterjit` and `%jitviz`.

In: IPython's `CompletionContext`.  Out: its `SimpleMatcherResult`; empty where it is about something else.
Must never: run code of the user. Names are offered by what they are bound to, and nothing is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from .session import Session


class Completion:
    """A matcher for the two magics, over the names of one user namespace."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    @context_matcher(identifier="jitviz")  # type: ignore[untyped-decorator]  # IPython does not type it
    def match(self, context: CompletionContext) -> SimpleMatcherResult:
        """What fits at the cursor."""
        before, _, _ = context.text_until_cursor.rpartition(" ")
        words = before.split()
        if words[:1] == ["%%filterjit"] and context.cursor_line == 0:
            options = self._functions() if "-f" in words else ["-f"]
        elif words == ["%jitviz"]:
            options = list(Session.verbs)
        else:
            return SimpleMatcherResult(completions=[], suppress=False)
        fitting = [option for option in options if option.startswith(context.token)]
        return SimpleMatcherResult(completions=_completions(fitting), suppress=True, ordered=True)

    def _functions(self) -> list[str]:
        return sorted(name for name, value in self._namespace.items() if callable(value) and not name.startswith("_"))


def _completions(texts: Iterable[str]) -> list[SimpleCompletion]:
    return [SimpleCompletion(text=text, type="magic option") for text in texts]
