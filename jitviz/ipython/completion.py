"""Completion of the options of `%%filterjit` and `%jitviz`.

In: the line up to the cursor, as IPython's completer hands it on.  Out: the words that may follow.
"""

from contextlib import ExitStack
from typing import Any

from IPython.core import completer
from IPython.core.interactiveshell import InteractiveShell

from .line_magic import Session


def install(shell: InteractiveShell, undo: ExitStack) -> None:
    """Add it to a shell; `undo` removes it. Before IPython 8.6, names that Jedi knows are offered as well."""
    own: Any = shell.Completer
    if hasattr(completer, "context_matcher"):
        matcher = completer.context_matcher(identifier="jitviz")(lambda context: _match(shell, context))
        own.custom_matchers.append(matcher)
        undo.callback(own.custom_matchers.remove, matcher)
        return
    for magic in ("%%filterjit", "%jitviz"):
        own.custom_completers.add_s(magic, lambda event: _offered(shell, event.text_until_cursor) or [], 0)
        undo.callback(own.custom_completers.strs.pop, magic)


def _match(shell: InteractiveShell, context: Any) -> Any:
    """What IPython's `CompletionContext` asks for, as its `SimpleMatcherResult`."""
    options = _offered(shell, context.text_until_cursor)
    if options is None:
        return completer.SimpleMatcherResult(completions=[], suppress=False)
    fitting = [completer.SimpleCompletion(text=option) for option in options if option.startswith(context.token)]
    return completer.SimpleMatcherResult(completions=fitting, suppress=True, ordered=True)


def _offered(shell: InteractiveShell, line: str) -> list[str] | None:
    """The words that may come next in a line of one of the magics; None in any other line."""
    words = line.rpartition(" ")[0].split()
    if words == ["%jitviz"]:
        return list(Session.verbs)
    if words == ["%jitviz", "help"]:
        from ..views.glossary import GLOSSARY  # see `cell_panel`

        return [term.replace(" ", "_") for term in GLOSSARY]
    if words[:1] != ["%%filterjit"]:
        return None
    always = [option for option in ("--quiz",) if option not in words]
    if "-f" in words:
        own = shell.user_ns.keys() - shell.user_ns_hidden.keys()
        return sorted(name for name in own if callable(shell.user_ns[name]) and name[0] != "_") + always
    return always if "--cell" in words else ["--cell", *always, "-f"]
