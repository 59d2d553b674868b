"""Completion of the options of `%%filterjit` and `%jitviz`.

In: IPython's `CompletionContext`.  Out: its `SimpleMatcherResult`, which is empty for any other text.
Must never: run the user's code. A name is offered if it is bound to a callable; nothing is evaluated.
"""

from __future__ import annotations

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher
from IPython.core.interactiveshell import InteractiveShell

from .line_magic import Session


class Completion:
    """A matcher for the two magics in one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    @context_matcher(identifier="jitviz")  # type: ignore[untyped-decorator]  # IPython's
    def match(self, context: CompletionContext) -> SimpleMatcherResult:
        """The completions at the cursor."""
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
        """The completions after these words of a `%%filterjit` line: function names after -f, else unused options."""
        always = [option for option in ("--quiz", "--profile") if option not in words]
        if "-f" in words:
            own = self._shell.user_ns.keys() - self._shell.user_ns_hidden.keys()
            return sorted(name for name in own if callable(self._shell.user_ns[name]) and name[0] != "_") + always
        return always if "--cell" in words else ["--cell", *always, "-f"]
