"""The vocabulary of exceptions: what was raised, at which leaf, and what to write instead.

In: nothing.  Out: a frozen dataclass.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Raised:
    """An exception of the user's program, explained at the leaf that it is about.

    `kind` is the name of a file in `jitviz.errors.kinds`, "" for an exception that no kind recognises: then only
    `error`, `message`, `source` and `line` are set. Paths are those of `Leaf`.
    """

    kind: str = ""  # "branch"
    error: str = ""  # its type: "TracerBoolConversionError"
    message: str = ""  # what it says, whole
    source: str = ""  # the user's line: "train.py:12"
    line: str = ""  # its text: "if x.sum() > limit:"
    function: str = ""  # the function that was traced or called: "step"
    path: str = ""  # the leaf to blame: "state['w']"; "" if no argument is to blame, or it is not known
    also: tuple[str, ...] = ()  # other leaves that the value depends on
    origin: str = ""  # the line where the value became traced, or where the culprit was made: "train.py:8"
    summary: str = ""  # what happened, in at most 20 words
    detail: str = ""  # which leaf, from where, and what an earlier call did
    advice: str = ""  # one thing to write instead
    code: str = ""  # the line as it could be written, "" if it cannot be told

    def __str__(self) -> str:
        """The explanation as text; of an exception that is not recognised, what it says."""
        at = f"At {self.source}: {self.line}" if self.source else ""
        first = self.summary or f"{self.error}: {self.message}".rstrip(": ")
        advice = f"→ {self.advice}" if self.advice else ""
        code = "\n".join(f"    {line}" for line in self.code.splitlines())
        return "\n".join(filter(None, (first, at, self.detail, advice, code)))
