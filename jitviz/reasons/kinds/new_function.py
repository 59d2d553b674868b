"""`new_function`: what is jitted, or what an eager loop runs, is another object, or has other options of the jit."""

from collections.abc import Iterator, Sequence

from ...model import Description, Function, Miss, Signature, listed, split_source
from ..change import Change, Event
from ..insides import first_inside
from ..owners import made_by_library
from ..subject import INJECTED, OF_ONE_INPUT, Subject, inside_text, name_inside
from ..values import closed_over, holds_code, holds_data
from .base import ReasonKind, Term

_LOOP_BODY = "f"  # the path of the leaf for a callable object that a loop runs
_MOST_NAMED = 3  # names that a function closes over
_LOOPS = {
    "scan": "`scan` (or `fori_loop` or `map`, which use it)",
    "while": "`while_loop` or `fori_loop`",
    "cond": "`cond` or `switch`",
}


class NewFunction(ReasonKind):
    name = "new_function"
    is_anew = True
    may_decide = True
    undoes = "function"
    term = Term(
        "The jitted function is a different object than last time, and each object has its own cache. Jit it once, "
        "outside the loop.",
        """\
for _ in range(2):
    f = jax.jit(lambda x: x + 1)
    f(1.0)  # compiles""",
    )

    def of_misses(self, before: Miss, after: Miss) -> Iterator[Change]:
        """Another function object, unless a static leaf says so already (the callable object that a loop runs); other
        options of the jit."""
        options = list(_other_options(before.signature, after.signature))
        was, now = before.function_info, after.function_info
        is_leaf = now.wrapper.is_loop and any(leaf.path == _LOOP_BODY for leaf in after.signature.static)
        if was.token != now.token and not is_leaf:
            made = _made_anew(was, now)
            if made.event == "edited" or not (was.defined_at != now.defined_at and options):
                yield made
        yield from options

    def say(self, change: Subject) -> str:
        name, event, where = f"`{change.function}`", change.event, change.defined
        if event == "options":
            return f"{name} was jitted again, and `{change.option}` changed {change.sides}"
        if change.is_rerun:
            code = "its code was edited" if event == "edited" else "its code is the same"
            return f"{name} changed to a new function: a cell has defined it again{where}, and {code}"
        if event == "edited":
            return f"{name} changed to a new function with different code{where}"
        if event == "remade":
            inner = "a function that it runs (a condition, a branch, one derived by JAX)"
            return f"{name} itself is the same function, but {inner} is a new object"
        if event == "rewrapped":
            return f"{name} itself is the same function, but its wrapper, such as `jax.grad`, changed to a new object"
        subject = f"the {change.class_name} that {name} runs" if change.wrapper.is_loop else name
        because = f"and JAX caches per function object{inside_text(change)}"
        return f"{subject} changed to a new object with the same code{where}, {because}"

    def advise(self, change: Subject) -> str:
        if change.event == "options":
            return "Nothing to fix if you need both; otherwise jit it once, with one set of options."
        if change.event == "edited":
            return "Nothing to fix if you need both: different code needs a different program."
        if change.is_rerun:
            return "Rerun the cell that defines it only when its code has changed."
        if author := made_by_library(change.miss, change):
            return _of_library(change, author)
        if change.wrapper.is_loop:
            return _of_loop(change)
        is_of_jax = change.miss.function_info.module.partition(".")[0] == "jax" and change.type.startswith("jax.")
        return OF_ONE_INPUT if is_of_jax and change.event == "anew" else _jit_once(change)


def _other_options(before: Signature, after: Signature) -> Iterator[Change]:
    """jit options, donation included; a second jit of the same function with the same options is a hit. JAX adds the
    name for each position of a static or donated parameter, and the reverse: the names are enough."""
    old, new = dict(before.options), dict(after.options)
    changed = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    named = [name.replace("argnames", "argnums") for name in changed if name.endswith("argnames")]
    for name in (name for name in changed if name not in named):
        was, now = old.get(name, "not given"), new.get(name, "not given")
        yield Change("new_function", "", was, now, event="options", option=name)


def _made_anew(before: Function, after: Function) -> Change:
    was, now = before.body or Description("function", before.name), after.body or Description("function", after.name)
    is_same_inside = was.token is not None and was.token == now.token
    is_edited = None not in (was.code, now.code) and was.code != now.code
    around: Event = "remade" if after.wrapper.is_loop else "rewrapped"
    (cell_before, _), (cell, _) = split_source(before.defined_at), split_source(after.defined_at)
    old = dict(was.fields)
    functions = [(name, value) for name, value in closed_over(now) if holds_code(value)]
    inside = [first_inside(old[label], part, label) for label, part in now.fields if label in old]
    return Change(
        "new_function",
        "",
        was.text,
        now.text,
        event="edited" if is_edited else around if is_same_inside else "anew",
        type=now.type,
        where=after.defined_at,
        is_of_library=now.is_of_library,
        is_rerun=cell.startswith("In [") and cell != cell_before,
        inside=first_inside(was, now),
        also_inside=tuple(finding.path for finding in inside if finding is not None)[1:],
        closes_over=tuple(name for name, _ in closed_over(now)),
        functions=tuple(name for name, _ in functions),
        have_data=any(holds_data(value) for _, value in functions),
    )


def _of_library(change: Subject, author: str) -> str:
    """What to do about a function that a library defines or jits anew, at the line `author`."""
    if not (change.is_of_library or change.wrapper.is_loop):
        return (
            f"A library jits `{change.function}` itself, at {author}. If an object of the library does so, create it "
            "once, outside the loop; a jit of yours around the function has a program of its own."
        )
    name = "what differs" if change.is_inside_library else f"`{change.inside_name}`"
    passed = f", with {name} as an argument" if change.inside_name else ""
    static = "; what decides a length or a branch there must be static" if change.wrapper.is_loop else ""
    what = "what runs" if change.wrapper.is_loop else f"`{change.function}`"
    here = f"If the call at {change.miss.source} can be traced, jit a function of yours around it{passed}{static}: "
    return (
        f"{here if change.miss.source else ''}{what} belongs to a library, whose author could define it once, at "
        f"{author}."
    )


def _of_loop(change: Subject) -> str:
    runs, passed = "the function that it runs", ""
    if change.function in ("while", "cond"):  # it runs several, and one is described
        runs, passed = "all functions that it runs", ", with what they close over passed in or defined there"
    elif change.closes_over:
        passed = f", with {_there(change, change.closes_over, ' instead of closed over')}"
    return (
        f"Jit the function that calls {_LOOPS.get(change.function, f'`{change.function}`')}; what decides a length "
        f"or a branch there must be static. Or define {runs} once, outside{passed}."
    )


def _jit_once(change: Subject) -> str:
    closes_over = change.closes_over
    once = f"Apply `{change.wrapper.name}` once, outside the loop or function that applies it now, and reuse the result"
    if change.is_inside_library and change.held_in:
        return f"{once}. {_held(change)}"
    if change.inside_name:
        # which attributes the function reads is not known
        names = dict.fromkeys(filter(None, (change.inside_name, *map(name_inside, change.also_inside))))
        names = dict.fromkeys(name for name in names if name not in change.functions)
        roots = [(name, name.partition(".")[0]) for name in names]
        told = (f"`{name}`" if name == root else f"what it reads of `{root}`" for name, root in roots)
        what = [*dict.fromkeys(told)]
        as_what = " as separate arguments" if len(what) > 1 else " as a separate argument"
        others = [name for name in closes_over if name not in dict(roots).values()]
        parts = [*([listed(what) + as_what] if what else []), *([_there(change, others)] if others else [])]
        return f"{once}, with {', and '.join(parts)}."
    if change.type == "method" or "self" in closes_over:
        return f"{once}; if every object jits its own method, create the object once."
    return f"{once}{f', with {_there(change, closes_over)}' if closes_over else ''}."


def _held(change: Subject) -> str:
    """What to do about an object of a library's that a function closes over, and inside which something differs."""
    name = f"`{change.held_in}`"
    if change.inside is not None and change.inside.library == "optax":
        return f"Create {name} once {INJECTED}"
    return f"What differs inside {name} is a library's: to trace that, create {name} in the jitted function."


def _there(change: Subject, names: Sequence[str], instead: str = "") -> str:
    """What a function closes over, where it is defined once. A function is no argument of a program, and one that is
    static would have to be the same object each time."""
    data, functions = ([name for name in names if (name in change.functions) is wanted] for wanted in (False, True))
    passed = [f"{_named(data)} passed in or defined there{instead}"] if data else []
    become = ", where closed-over values become arguments" if change.have_data else ""
    there = [f"{_named(functions)} at module level{become}"] if functions else []
    return ", and ".join((*passed, *there))


def _named(names: Sequence[str]) -> str:
    return listed([f"`{name}`" for name in names]) if len(names) <= _MOST_NAMED else "all that it closes over"


KIND = NewFunction()
