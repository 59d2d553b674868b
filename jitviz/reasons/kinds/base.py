"""What every kind of reason has, and what most kinds leave as it is here.

In: nothing.  Out: `ReasonKind`, the class that each file of this folder has one child of; `Term`, an entry of the
glossary; `Recompiles`, what code to paste is written for.

To add a kind, name it in `jitviz.model.reason.Kind`, at the place of its rank, and write a file of that name here with
an instance called `KIND`. Nothing else has to know it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from ...model import Compile, Kind, Leaf, Miss, Reason, Signature
from ..change import Change
from ..pasting import Paste
from ..subject import Subject, inside_text

# What a change leaves as it is: "place": an array, but for where it is; "cast": its values, in a form that holds them
# all; "array": how many arguments there are; "given": the arguments. Each includes those before it.
Form = Literal["place", "cast", "array", "given", "any"]
FORMS: tuple[Form, ...] = ("place", "cast", "array", "given", "any")
Scope = Literal["nothing", "function", "setting", "properties", "leaf"]


@dataclass(frozen=True)
class Term:
    """An entry of the glossary: `text` is two sentences, `example` is Python, `also` are synonyms."""

    text: str
    example: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recompiles:
    """The recompiles `rows` of one cause, among all `versions` of the function, oldest first.

    `paths` are the leaves that changed, the one of `reason` first, and `paths_of_kind` those of all causes of its kind,
    by cause, each with its rows. `unknown_lines` are lines whose calls were all hits.
    """

    reason: Reason
    rows: Sequence[Compile]
    versions: Sequence[Compile]
    paths: tuple[str, ...]
    of_kind: Sequence[tuple[tuple[str, ...], Sequence[Compile]]] = ()
    unknown_lines: Sequence[str] = ()


class ReasonKind:
    """One kind of reason."""

    name: ClassVar[Kind]
    term: ClassVar[Term]

    # how changes of the kind are judged
    form: ClassVar[Form] = "any"  # what stays the same, whatever the programs are
    is_static: ClassVar[bool] = False  # a static value changed
    is_anew: ClassVar[bool] = False  # an object was created again
    is_judged_by_program: ClassVar[bool] = True  # the version with the same program is the one to compare with
    can_be_mended: ClassVar[bool] = True  # a change of the kind may be what a user did to follow the advice
    is_always_advised: ClassVar[bool] = False  # the advice also says why a recompile that is expected was needed

    # which changes are one cause, and what undoing it means when calls are counted again
    group: ClassVar[str] = ""  # changes of one leaf whose kinds have one group are one cause
    mends: ClassVar[frozenset[Kind]] = frozenset()  # kinds of its group that are fixed with it
    may_decide: ClassVar[bool] = False  # another program may have been meant by it
    undoes: ClassVar[Scope] = "nothing"  # "leaf": everything at the path and below it
    undone: ClassVar[frozenset[str]] = frozenset()  # the properties of a traced leaf that no longer differ
    is_left_by_content: ClassVar[bool] = False  # what was at the path still counts, by its content
    are_leaves_left: ClassVar[bool] = False  # static values below the path still count

    # what is said of several recompiles
    has_values: ClassVar[bool] = False  # the two sides are values of the leaf, which can be listed
    many: ClassVar[str] = "came in {n:,} kinds"
    is_at_the_call: ClassVar[bool] = False  # what the call passes is changed in its line

    sentence: ClassVar[str] = ""  # a template for the fields of a change
    advice: ClassVar[str] = ""

    def of_misses(self, before: Miss, after: Miss) -> Iterable[Change]:  # noqa: ARG002
        """The changes of this kind between two misses, apart from their arguments."""
        return ()

    def of_signatures(self, before: Signature, after: Signature) -> Iterable[Change]:  # noqa: ARG002
        """The changes between two signatures that concern no leaf."""
        return ()

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterable[Change]:  # noqa: ARG002
        """The changes between two unequal leaves at one path, of which at least one is traced."""
        return ()

    def say(self, change: Subject) -> str:
        """What changed, in one sentence without its full stop."""
        return self.sentence.format_map(vars(change))

    def say_often(self, change: Subject) -> str:
        """The same for many such changes: only the name of what differs inside an object, without its values; "" if
        the sentence will do."""
        inside = inside_text(change)
        if not inside:
            return ""
        return f"{self.say(change).removesuffix(inside)}; inside it, `{change.inside_name}` is different each time"

    def after(self, change: Change) -> str:
        """The newer side, as it is shown."""
        return change.after

    def advise(self, change: Subject) -> str:  # noqa: ARG002
        """One thing to do about a change, in one or two sentences; "" if there is nothing to do.

        It gives no code to paste, since one miss does not show whether that is safe (the finding of its cause does),
        and says so where it may change the program's results.
        """
        return self.advice

    def paste(self, cause: Recompiles) -> Paste | None:  # noqa: ARG002
        """What to paste; None if a result could change, or if it is unknown what the calls pass."""
        return None
