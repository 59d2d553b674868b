"""Arguments of `vmap` or `scan` whose mapped axes differ in size, have none, or do not fit `in_axes`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html
"""

import ast
import re
from collections import Counter

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import (
    axes_and_arguments,
    axis_sizes,
    different_keys,
    prefix_path,
    sizes_of,
    unbound_axis,
)
from ...model import count, root_of
from ...model.raised import Raised
from .. import rewrite
from ..blame import parts_of
from ..calls import PassedArgument, argument, arguments, call_at, making, option
from ..facts import Facts
from ..syntax import MISSING, Spot, operands

EXAMPLE = """
def shift(x, by):
    return x + by

jax.vmap(shift)(jnp.ones((3, 2)), 0.5)
"""
INSTEAD = EXAMPLE.replace("vmap(shift)", "vmap(shift, in_axes=(0, None))")


def explain(facts: Facts) -> Raised | None:
    axis = unbound_axis(facts.message) if facts.is_a("NameError") else ""
    if axis and facts.spot is not None:
        return _of_no_axis(facts.spot, axis)
    if facts.is_a("ValueError") and facts.message.startswith("scan got"):
        return _of_scan(facts)
    if not facts.is_a("ValueError", "TypeError") or not facts.message.startswith("vmap"):
        return None
    given = list(arguments(facts.spot))
    if facts.says("inconsistent sizes"):
        return _of_sizes(facts, given)
    if facts.says("rank should be at least"):
        return _of_rank(facts, given)
    if facts.says("tuple of entries corresponding", "in_axes must be an int"):
        return _of_count(facts, given)
    if facts.says("tree prefix", "pytree structure error"):
        return _of_prefix(facts, given)
    return None


def _of_no_axis(spot: Spot, axis: str) -> Raised:
    """A collective over an axis that no transformation around has named."""
    called, jax = rewrite.called_name(call_at(spot)) or "A collective", rewrite.alias(spot, "jax", "jax")
    return Raised(
        path=axis,
        summary=f"`{called}` runs over the axis `{axis}`, which nothing around it names.",
        advice=f"Name it where the function is mapped: `{jax}.vmap(..., axis_name={axis!r})`.",
    )


def _of_sizes(facts: Facts, given: list[PassedArgument]) -> Raised | None:
    axes = [(size, axis, _of_user(path, given), type_) for size, axis, path, type_ in axis_sizes(facts.message)]
    if len(axes) < 2:
        return None
    sizes: dict[str, dict[int, str]] = {}  # by argument, a leaf of each size
    for size, _, path, _ in axes:
        sizes.setdefault(root_of(path), {}).setdefault(size, path)
    whole = next((root for root, of in sizes.items() if len(of) > 1), "") if len(sizes) > 1 else ""
    trees = [each for each in axes if each[2] != root_of(each[2])]
    size, axis, other, other_type = axes[0]
    its, at, path, type_ = trees[-1] if whole or len({root_of(name) for *_, name, _ in trees}) == 1 else axes[-1]
    if path == other:
        size, axis, other, other_type = next(each for each in axes if each[2] != path)
    fits = next((n for n, part in enumerate(sizes_of(type_)) if part == size and n != at), None)
    none = _without_axes(facts, given, {root_of(path)})
    if any(each.path == root_of(path) and each.position < 0 for each in given):  # `in_axes` is for the others
        advice = "Make both axes equally long, or close over it: `vmap` maps the first axis of each keyword argument."
    elif whole:
        advice = f"Each call takes all of `{whole}`: write {none}."
    elif fits is not None and path == root_of(path):
        advice = f"Map axis {fits} of `{path}`: give `in_axes` {fits} for it."
    elif len(sizes) == 1:
        advice = "Make both axes equally long."
    else:
        advice = f"Write {none}, if every call takes all of `{root_of(path)}`; else make both axes equally long."
    return Raised(
        function="vmap",
        path=path,
        also=(other,) if len(axes) == 2 else (),
        summary=f"`vmap` maps axis {at} of `{path}` with {its} entries, but axis {axis} of `{other}` has {size}.",
        detail=f"`{path}` is {type_}, `{other}` is {other_type}.",
        advice=advice,
    )


def _of_user(path: str, given: list[PassedArgument]) -> str:
    """The user's name of a leaf to which Equinox gave another: "model.weight" for "_dynamic_args[0].weight"."""
    found = re.match(r"_dynamic_args\[(\d+)\]", path)
    at = int(found[1]) if found is not None else len(given)
    return given[at].path + path[len(found[0]) :] if found is not None and at < len(given) else path


def _without_axes(facts: Facts, given: list[PassedArgument], roots: set[str]) -> str:
    """`in_axes` as it is written, with None for some arguments: "`in_axes=(0, None)`"."""
    written = dict(enumerate(_in_axes(facts)))
    axes = ", ".join("None" if each.path in roots else written.get(at, "0") for at, each in enumerate(given))
    return f"`in_axes=({axes}{',' * (len(given) == 1)})`"


def _of_rank(facts: Facts, given: list[PassedArgument]) -> Raised:
    scalars = [
        f"{each.path}{path}"
        for each in given
        for path, part in (parts_of(each.value) if each.value is not MISSING else ())
        if type(part) in (int, float, bool, complex) or aval_of(part).endswith("[]")
    ]
    path = scalars[0] if scalars else ""
    name = f"`{path}`" if path else "An argument"
    blamed = {root_of(scalar) for scalar in scalars}
    whole = next((each.text for each in given if each.path in blamed and type(each.value) is list), "")
    none = _without_axes(facts, given, blamed)
    advice = f"Give it no axis: {none}." if path else "Give it None in `in_axes`."
    if whole:  # each entry of a list is an argument
        advice = f"Pass an array in place of the list: `jnp.asarray({whole})`."
    return Raised(
        function="vmap",
        path=path,
        also=tuple(scalars[1:]),
        summary=f"{name} is a scalar: it has no axis for `vmap` to map.",
        advice=advice,
    )


def _of_count(facts: Facts, given: list[PassedArgument]) -> Raised | None:
    lengths = axes_and_arguments(facts.message)
    if lengths is None:
        return None
    n_axes, n_given = lengths
    written = _in_axes(facts) or ["0"] * n_given
    axes = ", ".join([*written[:n_given], *["None"] * (n_given - len(written))])
    return Raised(
        function="vmap",
        path=given[-1].path if given else "",
        summary=f"`in_axes` has {count(n_axes, 'entry')} for {count(n_given, 'positional argument')}: each needs one.",
        advice=f"Write `in_axes=({axes}{',' * (n_given == 1)})`: 0 maps the first axis, None passes all of it.",
    )


def _in_axes(facts: Facts) -> list[str]:
    """The entries of `in_axes` as they are written."""
    axes = option(making(facts.spot), "in_axes")
    return [ast.unparse(each) for each in axes.elts] if isinstance(axes, ast.Tuple | ast.List) else []


def _of_scan(facts: Facts) -> Raised:
    """The leading axes of what a `scan` runs over."""
    over = argument(facts.spot, "xs", 2)
    leaves = [
        (f"{name}{path}", type_)
        for name, value in (
            operands(over.node, facts.spot.frame) if over is not None and facts.spot is not None else ()
        )
        for path, part in parts_of(value)
        if (type_ := aval_of(part)) or type(part) in (int, float, bool, complex)
    ]
    scalars = [path for path, type_ in leaves if not sizes_of(type_)]
    sizes = Counter(sizes_of(type_)[0] for _, type_ in leaves if sizes_of(type_))
    usual = sizes.most_common(1)[0][0] if sizes else 0
    others = [(path, sizes_of(type_)[0]) for path, type_ in leaves if sizes_of(type_) and sizes_of(type_)[0] != usual]
    if scalars:
        path, what = scalars[0], f"`{scalars[0]}` is a scalar: it has no axis for `scan` to run over."
        advice = f"Use `{path}` in the body without passing it, or repeat it with `jnp.full`."
    elif others:
        (path, size), first = others[0], next(path for path, type_ in leaves if sizes_of(type_)[:1] == [usual])
        what = f"`scan` runs over `{first}` with {usual} entries, but `{path}` has {size}."
        advice = f"Make both equally long, or leave `{path}` out of `xs`, if every step takes all of it."
    else:
        path, what = "length", "`length` of `scan` differs from the first axis of what it runs over."
        advice = "Leave `length` out: the arrays tell it."
    return Raised(function="scan", path=path, summary=what, advice=advice)


def _of_prefix(facts: Facts, given: list[PassedArgument]) -> Raised:
    at, keys = prefix_path(facts.message), different_keys(facts.message)
    rest = at.partition("]")[2] if at.startswith("in_axes[") else ""
    number = at[len("in_axes[") :].partition("]")[0]
    each = given[int(number)] if number.isdigit() and int(number) < len(given) else given[0] if given else None
    path = f"{each.path}{rest}" if each else at
    which = f" It lacks, or has too many: {', '.join(f'`{key}`' for key in keys)}." if keys else ""
    return Raised(
        function="vmap",
        path=f"{path}[{keys[0]!r}]" if keys else path,
        summary=f"`in_axes` does not fit the tree of `{path}`.",
        detail=f"`{at or 'in_axes'}` must be an integer, None, or a tree like the argument.{which}",
        advice="Give an entry for every part of it, None where it is not mapped; or one integer for all of it.",
    )
