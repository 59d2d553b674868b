"""What to write in place of what stands in a program many times.

In: `Copies`, and the version whose program has them.  Out: `Rewrite`s.
Must never: promise what nobody can do, or what the turns do not allow: a `scan` needs them to be alike.
"""

import re
from typing import NamedTuple

from ...model import Compile, count, root_of, shortened
from .copies import Copies
from .source_loops import Loop

FEW_TURNS = 8  # a `scan` of so few costs more at each run than it saves once
MAPPED = "use `jax.vmap` over them"
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w.(])")


class Rewrite(NamedTuple):
    """What to do. It runs `in_turn`, and perhaps slower, where one iteration needs the result of the one before."""

    advice: str
    is_sure: bool = True  # whether it saves what the number of equations promises
    in_turn: bool = False


def rewrite_of(copies: Copies, row: Compile) -> Rewrite:
    """What to do about a loop in the program of a version, in the words of what jitted it."""
    signature, source = row.signature, copies.source
    if copies.is_library:
        names = [leaf.path for leaf in signature.static if leaf.repr == str(copies.turns[1])]
        the = f"`{names[0]}` is {copies.turns[1]:,}: the" if names else "The"
        return Rewrite(
            f"{the} library loops in Python while `{row.function}` is traced, at {row.source}. Use what it offers "
            "that loops with `jax.lax.scan`, or jit fewer iterations and call that in a loop.",
            is_sure=False,
        )
    if copies.is_recursion:
        return Rewrite(
            "Write the recursion as a `jax.lax.fori_loop` with what each call passes on as the carry, "
            f"{_once(copies)}. If each call has its own parameters, stack them along a new first axis and use "
            "`jax.lax.scan`.",
            is_sure=copies.copies >= FEW_TURNS,
            in_turn=True,
        )
    if copies.function:
        return _of_calls(copies)
    if not copies.loops:
        return Rewrite(
            "Stack what the branches differ in along a new first axis and index it with the number of the branch, so "
            f"that one body is traced instead of {copies.copies:,}."
        )
    traced = {root_of(leaf.path) for leaf in signature.traced}
    static = {root_of(leaf.path) for leaf in signature.static} - traced
    names = [] if source.over.startswith("range(") else _NAME.findall(source.over)
    sizes = next((name for name in names if name in static), "")
    if sizes or source.index:
        what = f"{_code(sizes)} is static" if sizes else f"The index {_code(source.index)} is used in Python"
        return Rewrite(
            f"{what}, so the iterations may differ, and `jax.lax.scan` needs them to be alike: pad them to one shape "
            "and mask, or jit the body and call it in a Python loop, outside the jitted function.",
            is_sure=False,
        )
    is_array = any(leaf.path == source.over and leaf.shape for leaf in signature.traced)
    in_turn = source.kind == "while" or source.carried != source.summed
    if in_turn and copies.turns[1] < FEW_TURNS:
        return Rewrite(
            f"Keep the loop if the program runs often: `jax.lax.scan`{_carry(source)} compiles less, but runs the few "
            "iterations one after the other.",
            is_sure=False,
        )
    advice = (_in_turn if in_turn else _at_once)(copies, is_array=is_array)
    inner = copies.inner[0] or (copies.loops[-1] if len(copies.loops) > 1 else "")
    if inner and copies.inner_carried and not in_turn:
        advice += f" In it, use `jax.lax.fori_loop` or `jax.lax.scan` for the loop at `{inner}`."
    elif copies.inner[0] or (inner and in_turn):
        advice += f" Do the same with the loop inside it, at `{inner}`."
    return Rewrite(_in_words_of(row, advice), in_turn=in_turn)


def _of_calls(copies: Copies) -> Rewrite:
    jitted = f"decorate {_code(copies.function)} with `jax.jit`"
    if copies.inputs < copies.copies:
        return Rewrite(f"Pass on what the earlier call returned, or {jitted}, {_once(copies)}.")
    how = "run `jax.lax.scan` over them, with what one call passes to the next as the carry"
    what = f"Stack what the calls differ in along a new first axis and {how if copies.is_chained else MAPPED}, "
    least = f" Or at least {jitted}: JAX then traces it once, and XLA still compiles each copy."
    return Rewrite(f"{what}{_once(copies)}.{least}", in_turn=copies.is_chained)


def _in_words_of(row: Compile, advice: str) -> str:
    if row.function_info.api.startswith("nnx."):
        return re.sub(r"`jax\.lax\.(scan|fori_loop|while_loop)`|`jax\.(vmap)`", r"`nnx.\1\2`", advice)
    if row.function_info.wrapper.is_static_by_leaf and "`jax.lax.scan`" in advice:
        return f"{advice} Of modules, scan over the arrays that `eqx.partition(module, eqx.is_array)` gives."
    return advice


def _at_once(copies: Copies, *, is_array: bool) -> str:
    """Nothing is carried: all iterations may run at once."""
    over = copies.source.over
    how = "`jax.lax.map`" if copies.has_branches else "`jax.vmap`"
    if len(copies.loops) > 1 and not copies.inner_carried:
        what = f"Put the {copies.turns[1]:,} combinations that the loops go over in arrays and use {how} over them"
    elif is_array:
        what = f"Use {how} over the first axis of {_code(over)}"
    elif over.startswith("range("):
        what = f"Use {how} over {_code(f'jnp.a{over}')}, or over the arrays that are indexed"
    else:
        listed, it = _listed(copies.source)
        what = f"Stack {listed} along a new first axis and use {how} over {it}"
    branches = ": `jax.vmap` would run all branches of each `cond`" * copies.has_branches
    summed = ", ".join(copies.source.summed)
    then = f"then sum what goes into {_code(summed)}" if summed else "nothing is carried from one iteration to the next"
    return f"{what}, {_once(copies)}; {then}{branches}."


def _in_turn(copies: Copies, *, is_array: bool) -> str:
    source, once = copies.source, f"{_carry(copies.source)}, {_once(copies)}."
    if source.kind == "while":
        known = ", or `jax.lax.fori_loop` if the number of iterations is known"
        return f"Use `jax.lax.while_loop`{_carry(source)}{known}, {_once(copies)}."
    returned = f" Return what goes into {_code(', '.join(source.collected))} as the second result of the body."
    returned *= bool(source.collected)
    is_range = source.over.startswith("range(")
    if is_range and not source.collected:
        own = " If each iteration has its own parameters, stack them along a new first axis and use `jax.lax.scan`."
        return f"Use `jax.lax.fori_loop`{once}{own}"
    if is_range or is_array:
        return f"Use `jax.lax.scan` over {_code(f'jnp.a{source.over}' if is_range else source.over)}{once}{returned}"
    over, it = _listed(source)
    return f"Stack {over} along a new first axis and run `jax.lax.scan` over {it}{once}{returned}"


def _listed(source: Loop) -> tuple[str, str]:
    """What a loop iterates over, and its pronoun."""
    return (_code(source.over), "it") if source.over else ("the values that the loop iterates over", "them")


def _once(copies: Copies) -> str:
    return f"so that the body is traced once instead of {count(copies.turns[1], 'time')}"


def _carry(source: Loop) -> str:
    return f" with {_code(', '.join(source.carried))} as the carry" if source.carried else ""


def _code(text: str) -> str:
    return f"`{shortened(text)}`"
