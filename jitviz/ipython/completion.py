"""Completion of what may stand after `%%filterjit` and `%jitviz`.

In: IPython's `CompletionContext`.  Out: its `SimpleMatcherResult`; empty where it is about something else.
Must never: run code of the user. Names are offered by what they are bound to, and nothing is evaluated.
"""

from __future__ import annotations

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher
from IPython.core.interactiveshell import InteractiveShell

from .line_magic import Session


class Completion:
    """A matcher for the two magics, over the names of one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    @context_matcher(identifier="jitviz")  # type: ignore[untyped-decorator]  # IPython's
    def match(self, context: CompletionContext) -> SimpleMatcherResult:
        """What fits at the cursor."""
        words = context.text_until_cursor.rpartition(" ")[0].split()
        if words[:1] == ["%%filterjit"]:
            options = self._options(words[1:])
        elif words == ["%jitviz"]:
            options = list(Session.verbs)
        elif words == ["%jitviz", "help"]:
            from ..views.glossary import GLOSSARY  # see `live`

            options = [term.replace(" ", "_") for term in GLOSSARY]
        else:
            return SimpleMatcherResult(completions=[], suppress=False)
        fitting = [SimpleCompletion(text=option) for option in options if option.startswith(context.token)]
        return SimpleMatcherResult(completions=fitting, suppress=True, ordered=True)

    def _options(self, words: list[str]) -> list[str]:
        """What may follow these words of a `%%filterjit` line: names behind -f, else options that are not there yet."""
        always = [option for option in ("--quiz", "--profile") if option not in words]
        if "-f" in words:
            return [*self._functions(), *always]
        return always if "--cell" in words else ["--cell", *always, "-f"]

    def _functions(self) -> list[str]:
        own = self._shell.user_ns.keys() - self._shell.user_ns_hidden.keys()
        return sorted(name for name in own if callable(self._shell.user_ns[name]) and not name.startswith("_"))
