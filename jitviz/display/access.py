"""How the reader of a text gets what the text leaves out. It names nothing that the reader does not have.

In: who reads the text.  Out: what to write.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """What to write: templates. An empty one says that there is no way."""

    code: str  # to see what a finding gives to paste, by its `{number}` from 1 or its `{index}`
    version: str  # what holds the program texts of a version, by its `{index}`
    everything: str  # to see all of the text

    def to_code(self, number: int) -> str:
        return self.code.format(number=number, index=number - 1)

    def to_texts(self, index: int, names: Sequence[str]) -> str:
        """Program texts of compile number `index`: "`.jaxpr`, `.hlo` of `.compiles[0]`"."""
        if not self.version or not names:
            return ""
        return f"{', '.join(f'`.{name}`' for name in names)} of {self.version.format(index=index)}"


# For somebody who has the recording, under whatever name
IN_HAND = Access("`.findings[{index}].code` of the recording", "`.compiles[{index}]`", "print the recording")
# beneath a cell
OF_A_CELL = Access(
    "`rec = %jitviz last`, then `print(rec.findings[{index}].code)`",
    "`rec.compiles[{index}]`, after `rec = %jitviz last`",
    "`rec = %jitviz last`, then `print(rec)`",
)
# after a run that kept nothing
OF_A_RUN = Access(
    "run with `--save run.jsonl`, then `jitviz show run.jsonl --code {number}`",
    "",
    "run with `--save run.jsonl`, then `jitviz show run.jsonl`",
)


def in_files(files: Sequence[str], *, are_merged: bool = False) -> Access:
    """For somebody who has these files, in a shell. If they are shown merged, none has the versions under the same
    numbers."""
    shown = _as_is(" ".join(files))
    version = "" if are_merged else f"`jitviz.load({_as_is(repr(files[0]))}).compiles[{{index}}]`"
    return Access(f"`jitviz show {shown} --code {{number}}`", version, f"jitviz show {' '.join(files)}")


def _as_is(text: str) -> str:
    """A text as a part of a template."""
    return text.replace("{", "{{").replace("}", "}}")
