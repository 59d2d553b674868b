"""What fixing a cause alone would save: the calls are counted again without it.

In: a cause, and all versions of its function.  Out: the compiles that become hits, and what keeps the others.
Must never: do more work per recompile because there are more of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..model import Compile, Reason, holder_of, is_below, root_of
from ..model.counting import is_ahead, is_avoidable, is_expected, is_recompile
from ..reasons.kinds import KIND_OF, one_cause
from .cause import Cause, Lineage
from .version_keys import key_without, leaves_left


def is_left_out(row: Compile) -> bool:
    """Whether it was needed, but could have been compiled ahead of time like others."""
    return is_expected(row) and row.compared_with is not None and is_ahead(row.compared_with)


def saved_by(cause: Cause, lineage: Lineage) -> Iterator[Compile]:
    """The recompiles that become hits once the cause is fixed, because nothing else about them is new.

    They include recompiles of other causes that lacked a version only because of this one. What was compiled before the
    caches were cleared serves no later call.
    """
    is_clearing = cause.reason.kind == "cache_cleared"
    versions_of_cause = {row.version for row in cause.rows}
    seen: set[int] = set()  # keys of versions
    # After the fix, several versions are one: its key, and what each leaf that still differs has been in them.
    fixed: dict[int, dict[tuple[str, bool], set[int]]] = {}
    for row in lineage.rows:
        if row.cleared and not is_clearing:
            seen.clear()
            fixed.clear()
        whole = lineage.keys[row.version]
        rest, leaves = key_without(row, whole, cause.fix), leaves_left(row, cause.fix)
        is_hit = rest in fixed and all(fixed[rest].get(place, leaf) & leaf for place, leaf in leaves.items())
        is_other = (is_avoidable(row) and not _is_inside(row, cause)) or _is_spared(row, cause)
        is_fixable = (row.version in versions_of_cause and not is_left_out(row)) or is_other
        if is_hit and (is_clearing or whole not in seen) and is_fixable:
            yield row
        seen.add(whole)
        known = fixed.setdefault(rest, defaultdict(set))
        for place, leaf in leaves.items():
            known[place] |= leaf


def _is_spared(row: Compile, cause: Cause) -> bool:
    """Whether a recompile that was expected, next to the version it was compared with, would find another version. What
    a static value decides is not known, but arrays of one form, and objects of one content, run one program."""
    is_harmless = not any(KIND_OF[kind].may_decide for kind in cause.kinds)
    return is_harmless and is_recompile(row) and all(reason.path not in cause.fix.paths for reason in row.reasons)


def _is_inside(row: Compile, cause: Cause) -> bool:
    """Whether a version has another value inside the static one of the cause, which stays another one, if that is
    spelled in one way."""
    paths = cause.fix.paths if cause.reason.kind == "static_value" else ()
    return any(is_below(reason.path, path) for reason in row.reasons for path in paths)


def can_save_alone(cause: Cause) -> bool:
    """Whether fixing what is of the kind of this cause, here and at other leaves, may save a compile."""
    kinds = one_cause(cause.reason.kind)
    return cause.saved != () or any(
        all(reason.kind in kinds for reason in row.reasons) and not _is_passed_anew(row, cause) for row in cause.rows
    )


def _is_passed_anew(row: Compile, cause: Cause) -> bool:
    """Whether what a fix keeps as an argument was left at its default, or passed in another form, before."""
    before = row.compared_with
    if before is None or cause.reason.kind in ("kwargs_vs_args", "treedef"):
        return False
    forms = dict(row.signature.form), dict(before.signature.form)
    return any(forms[0].get(root_of(path)) != forms[1].get(root_of(path)) for path in cause.fix.paths)


def beside(cause: Cause, rows: Sequence[Compile]) -> tuple[str, ...]:
    """What else changed in the recompiles that would still happen, in words, most frequent first."""
    paths = cause.fix.paths
    names = Counter(
        name_of(path, reason) if path not in paths else f"its {reason.kind.replace('_', ' ')}"
        for row in rows
        for path, reason in _to_fix(row.reasons)
        if reason.path not in paths or reason.kind not in cause.kinds
    )
    names["how it is passed"] = sum(_is_passed_anew(row, cause) for row in rows)
    return tuple(name for name, n in names.most_common() if n)


def name_of(path: str, reason: Reason) -> str:
    return f"`{path}`" if path else f"the {reason.kind.replace('_', ' ')}"


def _to_fix(reasons: Sequence[Reason]) -> Iterator[tuple[str, Reason]]:
    """The reasons, each with the path to fix: of several parts of one object that was created again, the object's."""
    n_parts = Counter(holder_of(reason.path) for reason in reasons if reason.kind == "static_identity")
    done: set[str] = set()
    for one in reasons:
        holder = holder_of(one.path)
        if one.kind != "static_identity" or n_parts[holder] == 1:
            yield one.path, one
        elif holder not in done:
            done.add(holder)
            yield holder, one
