"""Advice is a promise: pasted where it says, the program runs, its results are the same, the recompile is gone."""

import importlib.util
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.model.counting import is_avoidable
from jitviz.model.quantities import wider, widest

from .apply import edited, pasted
from .programs import HEAD, MENDED, TOLD

pytestmark = pytest.mark.usefixtures("unhurried")

_NUMBERS = itertools.count()


def run(text: str, folder: Path) -> tuple[jitviz.Recording, list[Any]]:
    """Run a program as a module of its own; its recording and what it returned."""
    file = folder / f"program_{next(_NUMBERS)}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with jitviz.record() as rec:
        spec.loader.exec_module(module)
        results = module.run()
    return rec, [np.asarray(leaf) for leaf in jax.tree.leaves(results)]


@pytest.mark.parametrize("name", MENDED)
def test_code_that_is_pasted_saves_the_recompile_and_changes_no_result(name: str, tmp_path: Path) -> None:
    kind, body = MENDED[name]
    rec, results = run(HEAD + body, tmp_path)
    (found,) = (one for one in rec.findings if one.reason == kind)
    assert found.code.endswith("\n")
    mended = edited(HEAD + body, found.edit) if found.edit else pasted(HEAD + body, found.code)
    again, same = run(mended, tmp_path)
    assert [one.reason for one in again.findings if one.reason == kind] == []
    assert sum(map(is_avoidable, again.compiles)) == sum(map(is_avoidable, rec.compiles)) - (found.saves or 0)
    assert [(one.dtype, one.shape) for one in same] == [(one.dtype, one.shape) for one in results]
    assert all(map(np.array_equal, same, results))


@pytest.mark.parametrize("name", TOLD)
def test_where_nothing_safe_can_be_pasted_the_advice_says_what_decides(name: str, tmp_path: Path) -> None:
    kind, words, body = TOLD[name]
    rec, _ = run(HEAD + body, tmp_path)
    told = [one for row in rec.compiles for one in row.reasons if one.kind == kind]
    assert told[-1].advice == words
    assert [one.code for one in rec.findings if one.reason == kind] == [""] * (not told[-1].inherent)


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ("float16 float32 float64", "float64"),
        ("bfloat16 float32", "float32"),
        ("uint8 int32 uint16", "int32"),
        ("int32 int32", "int32"),
        ("bfloat16 float16", None),
        ("uint32 int32", None),
        ("int32 float16", None),
        ("complex64 float32", None),
        ("int32 bool", None),
        ("key<fry> key<rbg>", None),
    ],
)
def test_the_widest_dtype_is_one_that_holds_all_values_of_the_others(dtypes: str, expected: str | None) -> None:
    assert widest(dtypes.split()) == expected


def test_lines_whose_calls_were_all_hits_are_listed_to_check(tmp_path: Path) -> None:
    body = """
@jitviz.filter_jit
def f(x, y):
    return x - y

def run():
    x, weak = jnp.ones(()), jnp.asarray(1.0)
    first = f(x, x), f(x, weak)
    return first, f(x, weak)
"""
    rec, _ = run(HEAD + "import jitviz\n" + body, tmp_path)
    (found,) = rec.findings
    assert found.code.endswith(f"\n\n# also check {found.source.rpartition(':')[0]}:17\n")


@pytest.mark.parametrize(("call", "n_recompiles"), [("total(n)", 2), ("jax.jit(total)(n)", 0)])
def test_a_loop_to_a_computed_bound_compiles_once_only_where_the_bound_is_an_argument_of_a_jitted_function(
    call: str, n_recompiles: int, tmp_path: Path
) -> None:
    body = f"""
def add(i, x):
    return x + i

def total(n):
    return jax.lax.fori_loop(0, n, add, 0.0)

def run():
    return [{call} for n in (3, 4, 5)]
"""
    rec, results = run(HEAD + body, tmp_path)
    assert [float(one) for one in results] == [3.0, 6.0, 10.0]
    assert sum(map(is_avoidable, rec.compiles)) == n_recompiles
    assert [
        "in a jitted function that takes the bounds as arguments, `fori_loop` compiles once." in one.advice
        for one in rec.findings
    ] == [True] * (n_recompiles > 0)


@pytest.mark.parametrize(
    ("kept", "other", "code"),
    [
        ("(1.0, 2.0)", "[1.0, 2.0]", "total(tuple([1.0, 2.0]))"),
        ("{0: 1.0, 1: 2.0}", "FrozenDict({0: 1.0, 1: 2.0})", "total(flax.core.unfreeze(FrozenDict({0: 1.0, 1: 2.0})))"),
    ],
)
def test_only_the_call_with_the_other_container_is_changed(kept: str, other: str, code: str, tmp_path: Path) -> None:
    body = f"""
@jax.jit
def total(parts):
    return parts[0] + parts[1]

def run():
    first = total({kept})
    return first, total({other})
"""
    rec, _ = run(HEAD + "from flax.core import FrozenDict\n" + body, tmp_path)
    (found,) = rec.findings
    where = f"# in place of `total({other})` at {found.source.rpartition(':')[0]}:16:"
    assert found.code.removeprefix("import flax\n\n") == f"{where}\n{code}\n"


def test_a_plan_names_what_the_call_passes(tmp_path: Path) -> None:
    body = """
@jax.jit
def total(x, mask):
    return jnp.where(mask, x, 0).sum()

def run():
    results = []
    for n in (3, 5):
        batch = {"x": np.ones(n, np.float32)}
        results.append(total(batch["x"], np.ones(8, bool)[:n]))
    return results
"""
    rec, _ = run(HEAD + body, tmp_path)
    (found,) = rec.findings
    assert '# batch["x"], mask = pad(batch["x"], axis=0)' in found.code


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("uint8", "int32", "int32"),
        ("float32", "float64", "float64"),
        ("int32", "float32", "float32"),
        ("bool", "int32", "int32"),
        ("float32", "complex64", "complex64"),
        ("int32", "float16", ""),
        ("bfloat16", "float16", ""),
        ("uint32", "int32", ""),
        ("key<fry>", "float32", ""),
    ],
)
def test_of_two_dtypes_the_narrower_is_never_offered(one: str, other: str, expected: str) -> None:
    assert (wider(one, other), wider(other, one)) == (expected, expected)


_ON_A_MESH = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
from jax.sharding import Mesh, NamedSharding, PartitionSpec

@jax.jit
def step(w, batch):
    return w + (batch["x"] @ w).sum()

def run():
    mesh = Mesh(np.array(jax.devices()), ("data",))
    w = jax.device_put(jnp.ones((4, 4)), NamedSharding(mesh, PartitionSpec()))
    results = []
    for sharding in (NamedSharding(mesh, PartitionSpec("data")), None):
        b = {"x": np.ones((8, 4), np.float32)}
        batch = b if sharding is None else jax.device_put(b, sharding)
        results.append(step(w, batch))
    return results
"""
_SHOW = """
import jitviz
with jitviz.record() as rec:
    results = run()
print([float(one.sum()) for one in results], len([one for one in rec.compiles if one.function == "step"]))
print(*[one.code for one in rec.findings if one.reason == "sharding"], end="")
"""


def test_an_input_is_put_on_the_mesh_of_another_argument(tmp_path: Path) -> None:
    def show(program: str) -> tuple[str, str]:
        file = tmp_path / "program.py"
        file.write_text(program + _SHOW)
        done = subprocess.run([sys.executable, file.name], cwd=tmp_path, capture_output=True, text=True, check=True)
        said, _, code = done.stdout.partition("\n")
        return said, code

    said, code = show(HEAD + _ON_A_MESH)
    assert (said, code) == (
        "[2064.0, 2064.0] 2",
        "import jax\n\n# in place of `step(w, batch)` at program.py:24:\nstep(w, jax.device_put(batch, "
        "jax.sharding.NamedSharding(w.sharding.mesh, jax.sharding.PartitionSpec('data'))))\n",
    )
    assert show((HEAD + _ON_A_MESH).replace("append(step(w, batch)", "append(" + code.splitlines()[-1])) == (
        "[2064.0, 2064.0] 1",
        "",
    )


def test_two_causes_at_one_call_get_one_snippet_which_fixes_both(tmp_path: Path) -> None:
    body = """
@jax.jit
def step(model, state):
    return {"w": model["w"] * (state["n"] + np.float32(1))}, {"n": state["n"] * np.float32(2), "k": state["k"] + 1}

def run():
    model, state = {"w": 1.0}, {"n": 0.5, "k": jnp.zeros((), jnp.int32)}
    results = [model]
    for _ in range(3):
        model, state = step(model, state)
        results.append(model)
    state = step({"w": jnp.float32(1)}, {"n": 0.5, "k": state["k"]})[1]
    return results, state
"""
    rec, results = run(HEAD + body, tmp_path)
    assert {one.reason for one in rec.findings} == {"weak_type"}
    first, second = (one.code for one in rec.findings)
    assert first == second
    assert "tree_map_with_path" not in first
    edit = rec.findings[0].edit
    assert edit is not None
    again, same = run(edited(HEAD + body, edit), tmp_path)
    assert again.findings == ()
    assert all(map(np.array_equal, same, results))


def test_one_line_casts_all_leaves_of_an_argument_that_may_be_cast(tmp_path: Path) -> None:
    body = """
@jax.jit
def step(state):
    return {"x": state["x"] + state["time"], "time": state["time"] + np.float32(0.1), "n": state["n"]}

def run():
    state = {"x": jnp.ones(3), "time": jnp.asarray(0.0), "n": jnp.zeros((), jnp.int32)}
    for _ in range(3):
        state = step(state)
    return state
"""
    rec, _ = run(HEAD + body, tmp_path)
    (found,) = rec.findings
    assert found.code.endswith("\nstep(jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype=leaf.dtype), state))\n")
