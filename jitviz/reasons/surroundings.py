"""Everything around the arguments: the function object, jit options, the transform, JAX's settings, the calling form.

In: two misses of one lineage, or two signatures.  Out: changes of the kinds new_function, transform, config_context
and kwargs_vs_args.
Must never: blame the function for what a static leaf already says (the callable object that a loop runs), or compare
settings or forms that one side does not have.
"""

from collections.abc import Iterator

from ..model import Description, Function, Miss, Read, Signature, split_source
from ..model.equality import are_alike
from .change import Change, Event
from .statics import first_inside
from .values import closed_over

_LOOP_BODY = "f"  # the path of the leaf for a callable object that a loop runs
# JAX keeps two entries for one `with jax.set_mesh(...)`, which users know as the mesh:
# https://github.com/jax-ml/jax/blob/main/jax/_src/mesh.py
_MESH = "mesh_context_manager"


def compare_functions(before: Miss, after: Miss) -> Iterator[Change]:
    """Another function object, other jit options, another transform."""
    options = list(compare_options(before.signature, after.signature))
    is_leaf = after.function_info.wrapper.is_loop and any(leaf.path == _LOOP_BODY for leaf in after.signature.static)
    if before.function_info.token != after.function_info.token and not is_leaf:
        made = _made_anew(before.function_info, after.function_info)
        is_defined_again = before.function_info.defined_at != after.function_info.defined_at
        if made.event == "edited" or not (is_defined_again and options):
            yield made
    yield from options
    if before.transform != after.transform:
        yield Change("transform", "", before.transform or "call", after.transform or "call")


def compare_options(before: Signature, after: Signature) -> Iterator[Change]:
    """jit options, donation included; a second jit of the same function with the same options is a hit. JAX adds the
    name for each position of a static or donated parameter, and the reverse: the names are enough."""
    old, new = dict(before.options), dict(after.options)
    changed = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    named = [name.replace("argnames", "argnums") for name in changed if name.endswith("argnames")]
    for name in (name for name in changed if name not in named):
        was, now = old.get(name, "not given"), new.get(name, "not given")
        yield Change("new_function", "", was, now, event="options", option=name)


def compare_context(before: Signature, after: Signature) -> Iterator[Change]:
    """One change per JAX setting that differs; all mesh contexts count as one setting."""
    if not before.context or not after.context or before.context == after.context:
        return
    old, new = dict(before.context), dict(after.context)
    changes: dict[str, Change] = {}
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name, "not set"), new.get(name, "not set")
        if was != now:
            shown = "mesh" if name.endswith(_MESH) else name
            changes.setdefault(shown, Change("config_context", shown, was, now))
    yield from changes.values()


def compare_form(before: Signature, after: Signature) -> Iterator[Change]:
    """Parameters given by position on one side and by keyword on the other."""
    old = dict(before.form)
    for name, form in after.form:
        if old.get(name, form) != form:
            yield Change("kwargs_vs_args", name, old[name], form)


def compare_reads(before: Signature, after: Signature) -> Iterator[tuple[Read, bool]]:
    """What the code reads besides the arguments and has changed since, and whether that is other code."""
    old = {(read.kind, read.of, read.name): read.value for read in before.reads}
    for read in after.reads:
        was = old.get((read.kind, read.of, read.name), read.value)
        if not are_alike(was, read.value):
            yield read, _is_other_code(was, read.value)


def _is_other_code(before: Description, after: Description) -> bool:
    """Whether two values hold different code, at whatever depth."""
    now = dict(after.fields)
    return before.code != after.code or any(
        _is_other_code(part, now[label]) for label, part in before.fields if label in now
    )


def _made_anew(before: Function, after: Function) -> Change:
    was, now = before.body or Description("function", before.name), after.body or Description("function", after.name)
    is_same_inside = was.token is not None and was.token == now.token
    is_edited = None not in (was.code, now.code) and was.code != now.code
    around: Event = "remade" if after.wrapper.is_run_by_jax else "rewrapped"
    (cell_before, _), (cell, _) = split_source(before.defined_at), split_source(after.defined_at)
    old = dict(was.fields)
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
        also_inside=tuple(one.path for one in inside if one is not None)[1:],
        closes_over=tuple(name for name, _ in closed_over(now)),
    )
