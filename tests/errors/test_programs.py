"""Programs that raise: kind, leaf, line and origin are told, and the line that is offered instead runs."""

import ast
import collections
import dataclasses
import functools
import linecache
import math
import re
from pathlib import Path
from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.errors import explained
from jitviz.model import Raised, root_of

_TEXT = Path(__file__).with_name("programs.txt").read_text(encoding="utf-8")
_HEAD = re.compile(r"^== (\w+): (\w+) (.+)$", re.MULTILINE)
# Programs whose leaf JAX tells only from 0.8 on; before, it is the argument that holds it.
_PATH_FROM_0_8 = {"a_string_as_an_output", "axes_that_lack_a_leaf", "axes_with_a_typo"}
_ROOT_ALONE = _PATH_FROM_0_8 if jax.__version_info__ < (0, 8) else set()
_OTHERS = {"eqx": "equinox", "nnx": "flax.nnx", "chex": "chex", "optax": "optax"}


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    kind: str
    path: str
    code: str

    @property
    def file(self) -> str:
        return f"/home/user/{self.name}.py"

    def marked(self, mark: str) -> list[int]:
        """The numbers of the lines with a mark."""
        lines = enumerate(self.code.splitlines(), 1)
        return [number for number, line in lines if mark in line.partition("  # ")[2].split()]


def read() -> list[Program]:
    parts = _HEAD.split(_TEXT)[1:]
    rows = zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    return [Program(name, kind, path.replace("-", ""), code.strip() + "\n") for name, kind, path, code in rows]


PROGRAMS = read()


def run(program: Program, code: str) -> BaseException | None:
    """What a program raises, as a file of the user's whose lines can be read."""
    names: dict[str, Any] = {
        "jax": jax, "jnp": jnp, "np": np, "math": math, "functools": functools, "dataclasses": dataclasses,
        "collections": collections,
    }  # fmt: skip
    for name, module in _OTHERS.items():
        if f"{name}." in code:
            names[name] = pytest.importorskip(module)
    linecache.cache[program.file] = len(code), None, code.splitlines(keepends=True), program.file
    try:
        exec(compile(code, program.file, "exec"), names)
    except Exception as error:  # noqa: BLE001  # whatever a program raises
        return error
    return None


def raised_by(program: Program) -> Raised:
    with pytest.raises(Exception) as caught, jitviz.record() as rec:  # noqa: PT012
        error = run(program, program.code)
        assert error is not None
        raise error
    assert rec.raised == [explained(caught.value)]
    return rec.raised[0]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_that_raises_is_explained_at_its_leaf_and_line(program: Program) -> None:
    raised = raised_by(program)
    label = f"{program.name}.py"
    path = root_of(program.path) if program.name in _ROOT_ALONE else program.path
    assert (raised.kind, raised.path) == (program.kind, path)
    assert raised.source in [f"{label}:{number}" for number in program.marked("raises")]
    assert raised.origin in ([f"{label}:{number}" for number in program.marked("made")] or ["", raised.source])
    assert len(raised.summary.split()) <= 20


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_line_that_is_offered_instead_runs(program: Program) -> None:
    raised = raised_by(program)
    if raised.code:
        assert run(program, rewritten(program, raised)) is None


def rewritten(program: Program, raised: Raised) -> str:
    """The program with the statement that raised replaced by what is offered."""
    number = int(raised.source.rpartition(":")[2])
    tree = ast.parse(program.code)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == number]
    statement = found[-1]
    lines = program.code.splitlines()
    indent = " " * statement.col_offset
    lines[statement.lineno - 1 : statement.end_lineno] = [indent + line for line in raised.code.splitlines()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("both_ends_of_a_slice", "Make `start` and `length` static: `static_argnames=('start', 'length')`"),
        ("two_flags_of_which_one_is_negated", "Make `is_training` and `is_frozen` static"),
        ("an_int_that_is_a_size_later", "A size must be static: compute `int(lengths.max())` before the call"),
        ("an_aux_of_equinox", "Write `eqx.filter_grad(..., has_aux=True)`"),
        ("an_int_that_numpy_takes_as_a_size", "A size must be static: compute `int(x.sum())` before the call"),
        ("a_dict_of_names", "Return the key, and look it up outside"),
        ("an_optimiser_among_the_arguments", "Make `opt`, which holds no array, static: `static_argnames=('opt',)`"),
        ("a_choice_between_two_shapes", "Give both the same shape"),
        ("a_choice_of_a_queue", "Write `jnp.where(condition, a, b)`"),
        ("a_list_of_labels_under_vmap", "Pass an array in place of the list: `jnp.asarray(labels)`"),
        ("a_scalar_beside_what_is_not_mapped", "Give it no axis: `in_axes=(None, 0, None)`"),
        ("a_float_for_a_list_outside", "Return the value, and write `losses.append(float(loss))` after the call"),
        ("a_float_for_a_list_inside", "Keep it an array: leave out `float()`."),
        (
            "a_dataclass_that_is_made_in_the_call",
            "Write `@jax.tree_util.register_dataclass` above `@dataclass` of `Batch`",
        ),
        ("a_dataclass_of_arrays", "Write `@jax.tree_util.register_dataclass` above `@dataclass` of `Batch`"),
        ("a_size_in_a_field", "Make it a static field: `hidden: int = dataclasses.field(metadata={'static': True})`"),
        ("repeats_by_counts", "Give it a fixed length: `total_repeat_length=n`, the sum of `counts`."),
        ("a_key_that_the_body_adds", "Begin with `loss` in the carry, zeros of the same type; or return it as the sec"),
        ("a_key_that_the_body_forgets", "Let the body return `step` too"),
        ("parameters_that_vmap_maps", "Each call takes all of `params`: write `in_axes=(None, 0)`."),
        ("a_backward_rule_that_returns_an_array", "Return a tuple: `return (gradient,)`"),
        ("heads_that_do_not_divide", "Give sizes whose product is 100; those here make 80."),
        ("strict_promotion_of_a_choice", "Convert one: `ids.astype('float32')`."),
        ("strict_promotion_of_what_is_computed", "Convert one: `(counts + 1).astype('float32')`."),
        ("a_check_that_nobody_wraps", "Call `error, out = checkify.checkify(normalise)(...)`"),
        (
            "a_field_of_a_module_that_is_assigned",
            "Make a new one, and return it: `eqx.tree_at(lambda tree: tree.count, self, self.count + 1)`.",
        ),
        ("a_lambda_that_donates", "Go on with what `decay` returned"),
        (
            "a_dataclass_of_a_dict_made_in_the_call",
            "Write `@jax.tree_util.register_dataclass` above `@dataclass` of `State`, and make `name` static",
        ),
        ("an_object_of_arrays", "Pass the arrays that it holds; or make `State` a pytree"),
        ("a_match_on_a_number", "Make `mode` static: `static_argnames=('mode',)`."),
        (
            "a_test_that_decides_later",
            "Write the function of `jnp` instead, and `jnp.where` in place of `p if bad",
        ),
        ("the_bytes_of_an_array", "Return the array, and call it on what the jitted function returns."),
        ("where_an_array_is_split", "Make `n` static: `static_argnames=('n',)`."),
        (
            "a_mask_whose_largest_is_taken_later",
            "Keep all of `scores`, and give the mask to the reduction: "
            "`jnp.max(..., where=keep > 0.5, initial=jnp.min(...))`.",
        ),
        ("a_dict_of_functions", "Write `jax.lax.switch(kind, list(LOSSES.values()), ...)` with its arguments."),
        ("a_list_of_layers_in_a_loop", "Write `jax.lax.switch(i, [lambda *args, f=f: f(*args) for f in layers], ...)`"),
        ("a_file_in_a_state", "Take it out of `state`, and pass it as an argument of its own"),
        ("branches_that_sum_other_axes", "Return one shape from both"),
        ("a_keyword_that_vmap_maps", "Make both axes equally long, or close over it"),
        ("a_gradient_by_two_arguments", "Leave `batch` out of `argnums`"),
        ("a_partition_of_too_many_axes", "Give it a `PartitionSpec` of at most 1 entry."),
        ("a_variable_of_a_module_under_vmap", "Return the new value, and assign it to the module after the call."),
        ("a_size_in_what_is_indexed", "Pass it as a static argument, computed outside"),
        ("an_order_of_axes", "Make `axes` static: `static_argnames=('axes',)`."),
        (
            "a_list_of_names_in_a_batch",
            "Take `batch['id']` out of `batch`; what is needed of it can be a static argument",
        ),
        ("an_array_of_names_in_a_batch", "Encode it as numbers: `np.unique(batch['label'], return_inverse=True)[1]`"),
        ("an_attribute_that_is_a_cache", "Fill it before `apply` is called, or make its value with NumPy"),
        ("a_model_under_vmap_of_equinox", "Each call takes all of `model`: write `in_axes=(None, 0, 0)`."),
        ("a_product_in_another_order", "Swap them: `x @ w`."),
        ("a_logarithm_in_a_product", "Write `jnp.log(jnp.where(p > 0, p, 1))`"),
        ("a_default_with_or", "Write `jnp.where(a, a, b)`, which is what `a or b` returns"),
        ("an_element_of_an_array_of_numpy", "Make `out` with `jnp`, and write `out = out.at[i].set(x[i] ** 2)`."),
        ("arrays_that_lack_an_axis", "Give `bias` as many axes as `x`: `bias[:, None]`."),
        ("a_mask_of_the_first_axis", "Write `jnp.where(keep[:, None], rows, 0)`"),
        ("a_mask_whose_mean_is_taken_later", "Keep all of `pred - target`"),
    ],
)
def test_the_advice_names_all_that_must_change_in_the_words_of_the_program(name: str, advice: str) -> None:
    assert raised_by(next(program for program in PROGRAMS if program.name == name)).advice.startswith(advice)


def test_at_least_72_programs_of_every_kind() -> None:
    from jitviz.errors.kinds import NAMES

    assert len(PROGRAMS) >= 72
    assert {program.kind for program in PROGRAMS} == set(NAMES) - {"devices"}
