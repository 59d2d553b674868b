"""Recordings, and what is found in them."""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.findings import find
from jitviz.findings.sentences import effect
from jitviz.findings.version_keys import key as key_of
from jitviz.model import Leaf, Node
from jitviz.recording import Recording
from tests.findings.runs import Run, told
from tests.reasons.samples import array, function, made, none, scalar, static


def forty_sizes() -> Recording:
    run = Run()
    for size in range(40, 80):
        run.call("step", array("x", (size, 8)))
    return run.end()


def one_short_batch() -> Recording:
    run = Run()
    for size in (4, 4, 4, 3):
        run.call("step", array("params.w", (8, 8)), array("batch", (size, 32), "int32"))
    return run.end()


def overlapping_causes() -> Recording:
    """Two sizes at two temperatures, then a third temperature with both a new size and an old one."""
    run = Run()
    for size, temperature in ((32, 0.5), (17, 0.5), (32, 0.7), (17, 0.7), (9, 0.9), (32, 0.9)):
        run.call("sample", array("tokens", (size,), "int32"), static("temperature", temperature))
    return run.end()


def two_functions() -> Recording:
    run = Run()
    for size in (4, 3):
        run.call("step", array("x", (size,)), seconds=1.0, source="train.py:7")
        run.call("evaluate", array("x", (size,)), seconds=1.5, source="train.py:9")
    run.call("step", array("x", (2,), weak_type=True), seconds=1.0, source="train.py:7")
    return run.end()


def axes_that_go_together() -> Recording:
    run = Run()
    for size in (4, 3, 2):
        run.call("step", array("x", (size, 8)), array("y", (size,)))
    return run.end()


def five_thousand_calls() -> Recording:
    run = Run()
    for number in range(5_000):
        run.call("step", array("x", (64 if number % 100 else 1 + number // 100,)))
    return run.end()


def a_state_that_changes() -> Recording:
    run = Run()
    state = Node("state", "tuple", ("[0]", "[1]"))
    run.call("step", array("state[0]"), array("state[1]"), array("x"), nodes=(state,))
    run.call("step", array("state[0]"), array("x"), nodes=(state, none("state[1]")))
    run.call("step", array("state[0]"), array("x", (5,)), nodes=(state, none("state[1]")))
    return run.end()


def a_size_that_was_not_warmed() -> Recording:
    run = Run()
    for size in (32, 64):
        run.warm("step", array("x", (size,)))
    for size in (32, 64, 48):
        run.call("step", array("x", (size,)))
    return run.end()


def caches_that_were_cleared() -> Recording:
    run = Run()
    for _ in range(3):
        run.call("step", array("x"))
        run.clear_caches()
    return run.end()


def flags() -> Recording:
    """Expected by anyone, and no finding."""
    run = Run()
    for is_training in (True, False, True):
        run.call("step", array("x"), static("is_training", is_training), program=f"program_{is_training}")
    return run.end()


def entries_that_come_and_go() -> Recording:
    run = Run()
    for names in (("loss",), ("count", "loss"), ("count",)):
        node = Node("metrics", "dict", tuple(f"['{name}']" for name in names))
        run.call("log", *(array(f"metrics['{name}']") for name in names), nodes=(node,))
    return run.end()


def keys_of_two_types() -> Recording:
    run = Run()
    for keys in (("[0]", "[1]"), ("['0']", "['1']"), ("['0']",)):
        run.call("log", *(array(f"metrics{key}") for key in keys), nodes=(Node("metrics", "dict", keys),))
    return run.end()


def objects_made_anew() -> Recording:
    run = Run()
    for token in (1, 2):
        functions = (
            static(f"opt.{name}", function(10 * token + place)) for place, name in enumerate(("init", "update"))
        )
        run.call("step", array("x"), *functions)
    return run.end()


def a_number_inside_a_config() -> Recording:
    run = Run()
    for rate in (0.1, 0.2):
        run.call("step", array("x"), static("config", made("train.Config", 1, "value", rate=rate)))
    return run.end()


def a_callable_inside_a_config() -> Recording:
    run = Run()
    for token in (1, 2, 3):
        run.call("step", array("x"), static("config", made("train.Config", 9, "value", n=2, act=function(token))))
    return run.end()


def a_class_that_changes_around_sizes() -> Recording:
    run = Run()
    for name, size in (("A", 3), ("B", 3), ("B", 5), ("C", 7)):
        run.call("step", array("m.w", (size,)), nodes=(Node("m", f"train.{name}", (".w",)),))
    return run.end()


def a_list_that_grows() -> Recording:
    run = Run()
    for n in (1, 2, 3, 4):
        keys = tuple(f"[{place}]" for place in range(n))
        run.call("mean", *(array(f"history{key}") for key in keys), nodes=(Node("history", "list", keys),))
    return run.end()


def an_entry_with_another_key() -> Recording:
    run = Run()
    for key in ("['a']", "['b']"):
        run.call("log", array(f"d{key}"), nodes=(Node("d", "dict", (key,)),))
    return run.end()


def entries_in_another_order() -> Recording:
    run = Run()
    for keys in (("['a']", "['b']"), ("['b']", "['a']")):
        node = Node("aux", "collections.OrderedDict", keys)
        run.call("log", *(array(f"aux{key}") for key in keys), nodes=(node,))
    return run.end()


def a_dtype_at_some_leaves() -> Recording:
    run = Run()
    for dtypes in (("float32", "float32"), ("bfloat16", "bfloat16"), ("float32", "bfloat16")):
        run.call("step", *(array(f"params[{number}]", dtype=dtype) for number, dtype in enumerate(dtypes)))
    return run.end()


def calling_forms() -> Recording:
    run = Run()
    for x, y in (("positional", "positional"), ("keyword", "keyword"), ("keyword", "positional")):
        run.call("step", array("x"), array("y"), form=(("x", x), ("y", y)))
    return run.end()


def places() -> Recording:
    run = Run()
    for is_committed in (False, True):
        run.call("step", array("x", committed=is_committed))
    return run.end()


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            forty_sizes,
            "39 s, 39 times recompile of step by shape, saves 39: `x` came in 40 sizes: f32[40,8] … f32[79,8]",
        ),
        (
            one_short_batch,
            "1 s, 1 times recompile of step by shape, saves 1: `batch` changed its shape from i32[4,32] to i32[3,32]",
        ),
        (
            overlapping_causes,
            "3 s, 3 times recompile of sample by shape, saves 3: `tokens` came in 3 sizes: i32[9] … i32[32]\n"
            "2 s, 2 times recompile of sample by static_value, saves 3: "
            "`temperature` is static and had 3 values: 0.5 … 0.9",
        ),
        (
            two_functions,
            "2 s, 2 times recompile of step by shape, saves 2: `x` changed its shape and weak type, and came in 3 "
            "kinds: weak f32[2] … f32[4]\n"
            "1.5 s, 1 times recompile of evaluate by shape, saves 1: `x` changed its shape from f32[4] to f32[3]",
        ),
        (
            axes_that_go_together,
            "2 s, 2 times recompile of step by shape, saves 2: `x` came in 3 sizes: f32[2,8] … f32[4,8], "
            "and `y` with it",
        ),
        (
            five_thousand_calls,
            "50 s, 50 times recompile of step by shape, saves 50: `x` came in 51 sizes: f32[1] … f32[64]",
        ),
        (
            a_state_that_changes,
            "1 s, 1 times recompile of step by treedef, saves 1: `state[1]` changed from `array` to `None`\n"
            "1 s, 1 times recompile of step by shape, saves 1: `x` changed its shape from f32[3] to f32[5]",
        ),
        (
            a_size_that_was_not_warmed,
            "1 s, 1 times not_warmed of step by shape, saves 1: 2 sizes were compiled ahead of time; `x` f32[48] was "
            "not",
        ),
        (
            caches_that_were_cleared,
            "2 s, 2 times recompile of step by cache_cleared, saves 2: `step` was compiled for the same arguments "
            "before, but JAX's caches have been cleared since",
        ),
        (
            entries_that_come_and_go,
            "2 s, 2 times recompile of log by treedef, saves 2: `metrics` gained or lost entries 2 times: "
            "`metrics['count']` and `metrics['loss']`",
        ),
        (
            keys_of_two_types,
            "2 s, 2 times recompile of log by treedef, saves 2: `metrics` changed its structure 2 times: `metrics` and "
            "`metrics['1']`",
        ),
        (
            a_class_that_changes_around_sizes,
            "2 s, 2 times recompile of step by treedef, saves 1: `m` came in 3 structures: A … C\n"
            "1 s, 1 times recompile of step by shape, saves 1: `m.w` changed its shape from f32[3] to f32[5]",
        ),
        (
            a_list_that_grows,
            "3 s, 3 times recompile of mean by treedef, saves 3: `history` gained 3 entries, one at a "
            "time: `history[1]` … `history[3]`",
        ),
        (
            an_entry_with_another_key,
            "1 s, 1 times recompile of log by treedef, saves 1: `d['a']` is gone from `d`: it was `array`",
        ),
        (
            entries_in_another_order,
            "1 s, 1 times recompile of log by treedef, saves 1: `aux` changed the order of its entries",
        ),
        (
            a_number_inside_a_config,
            "1 s, 1 times recompile of step by static_value, saves 1: "
            "`config.rate` is static and changed from `0.1` to `0.2`",
        ),
        (
            a_callable_inside_a_config,
            "2 s, 2 times recompile of step by static_identity, saves 2: `config.act` changed to a new function with "
            "the same code (defined at train.py:7), and JAX compares such objects by identity",
        ),
        (
            objects_made_anew,
            "1 s, 1 times recompile of step by static_identity, saves 1: `opt.init` and `opt.update` changed to a new "
            "function with the same code (defined at train.py:7), and JAX compares such objects by identity",
        ),
        (
            a_dtype_at_some_leaves,
            "2 s, 2 times recompile of step by dtype, saves 2: `params[0]` changed its dtype from f32[3] to "
            "bfloat16[3], and `params[1]` with it",
        ),
        (
            calling_forms,
            "2 s, 2 times recompile of step by kwargs_vs_args, saves 2: 2 calls changed between positional and keyword "
            "arguments: `x` and `y`",
        ),
        (
            places,
            "1 s, 1 times recompile of step by committed, saves 1: `x` changed from uncommitted to committed "
            "(on `cpu:0`), and JAX compiles a version for each",
        ),
        (flags, ""),
        (Recording, ""),
    ],
)
def test_what_is_found(record: Callable[[], Recording], expected: str) -> None:
    assert told(*record().findings) == expected


def test_a_finding_says_all_that_is_known_of_its_cause() -> None:
    found, temperature = overlapping_causes().findings
    assert (found.kind, found.function, found.path, found.reason) == ("recompile", "sample", "tokens", "shape")
    assert found.source == "train.py:7"
    assert (found.compiles, found.count) == ((1, 3, 5), 3)
    assert (found.home, found.name) == ("train", "sample")
    assert effect(found) == "fixing this alone saves 3 compiles, 3.0 s, some of which fixing `temperature` saves, too"
    assert effect(temperature) == (
        "fixing this alone saves 3 compiles, 3.0 s, some of which fixing `tokens` saves, too; to save all of these, "
        "fix `tokens` as well"
    )
    assert temperature.advice == overlapping_causes().compiles[4].reasons[0].advice


def test_the_line_that_called_most_often_is_named() -> None:
    run = Run()
    for size, source in ((9, "a.py:1"), (8, "a.py:1"), (7, "b.py:2"), (6, "b.py:2")):
        run.call("step", array("x", (size,)), source=source)
    (found,) = run.end().findings
    assert found.source == "b.py:2"


def test_values_that_two_leaves_swap_are_not_taken_for_one_version() -> None:
    for n in range(50):  # a sum of plain hashes is the same for some of them
        run = Run()
        for a, b in ((2, 3), (3, 2)):
            run.call("step", static(f"a{n}", a), static(f"b{n}", b))
        one, other = run.end().compiles
        assert key_of(one) != key_of(other)


def test_what_always_changes_together_is_mended_together_or_not_at_all() -> None:
    """The one shape would be a hit for nobody as long as the other changes too."""
    run = Run()
    for size in (4, 3):
        run.call("step", array("x", (size,)), static("n", size))
    (found,) = run.end().findings
    assert (found.path, found.saves, found.stays) == ("x", 0, 1)
    assert effect(found) == "to save this one, fix `n` as well"


def test_the_advice_is_about_all_leaves_that_change_together() -> None:
    run = Run()
    for n in (1, 2):
        run.call("step", static("config.rtol", 0.1 * n), static("config.atol", 0.2 * n), static("name", "ab"[n - 1]))
    (found,) = run.end().findings
    assert found.also == ("config.atol", "name")
    assert found.advice == (
        "The program is the same for these values: if it is for all, keep it out of `config`; otherwise pass one of "
        "these. Do the same for `config.atol`. For `name`: the program is the same for these values: if it is for all, "
        "do not pass it to the jitted function; otherwise pass one of these."
    )


def test_parts_of_one_thing_that_was_created_again_are_mended_as_that_thing() -> None:
    run = Run()
    for token, n in ((1, static("n", 1)), (2, scalar("n"))):
        parts = (static("opt.tx.init", function(token, "1111")), static("opt.tx.update", function(token, "2222")))
        run.call("step", n, *parts)
    (found,) = run.end().findings
    assert (found.reason, effect(found)) == ("leaf_kind", "to save this one, fix `opt.tx` as well")


def test_parts_of_one_thing_that_differ_inside_have_nothing_else_to_fix() -> None:
    run = Run()
    for token in (1, 2):
        parts = (static(f"tx.{part}", function(token, rate=0.1 * token)) for part in ("init", "update"))
        run.call("step", *parts)
    (found,) = run.end().findings
    assert (found.saves, found.beside, effect(found)) == (0, (), "")


def test_findings_of_a_recording_that_goes_on_grow_with_it() -> None:
    whole = forty_sizes()
    growing = Recording(whole.events[:40])
    before = growing.findings
    assert growing.findings is before
    for event in whole.events[40:]:
        growing.append(event)
    assert growing.findings == whole.findings
    assert len(before[0].compiles) < len(growing.findings[0].compiles)


def many_misses(n: int) -> Recording:
    """`n` compiles of three causes, and ten times as many calls."""
    run = Run()
    for number in range(n):
        leaves = [array("x", (1 + number // 3,)), array("y", (8,)), static("rate", number // 3)]
        mixed = [
            leaves[0] if number % 3 else array("x", (0,)),
            leaves[1],
            leaves[2] if number % 2 else static("rate", -1),
        ]
        for _ in range(10):
            run.call("step", *mixed, scalar("t") if number % 5 else array("t", ()))
    return run.end()


def test_work_grows_with_the_number_of_misses() -> None:
    """Seconds would depend on the machine; calls of functions do not."""

    def work(n: int) -> int:
        recording, called = many_misses(n), 0

        def count(*_: object) -> None:
            nonlocal called
            called += 1

        len(recording.compiles)
        sys.setprofile(count)
        try:
            find(recording)
        finally:
            sys.setprofile(None)
        return called

    assert work(400) < 2.6 * work(200)


def test_an_evaluation_with_a_size_of_its_own_is_not_a_mistake() -> None:
    run = Run()
    for size, source in [(32, "train.py:7")] * 3 + [(128, "train.py:9")]:
        run.call("loss", array("x", (size,)), source=source)
    assert run.end().findings == ()


@pytest.mark.parametrize(
    ("leaves", "expected", "advice"),
    [
        (
            [array("x"), array("x", (4,), "int32")],
            "1 s, 1 times recompile of step by shape, saves 1: `x` changed its shape and dtype from f32[3] to i32[4]",
            "Pad `x` to 4 with `np.pad`, and mask out the padding: 1 compile instead of 2. "
            "Use one dtype in every call, `jnp.float32`; this may change the dtype of the results.",
        ),
        (
            [array("x"), array("x", (4,)), array("x", (4,), "int32")],
            "2 s, 2 times recompile of step by shape, saves 2: `x` changed its shape and dtype, and came in 3 kinds: "
            "f32[3] … i32[4]",
            "Pad `x` to 4 with `np.pad`, and mask out the padding: 1 compile instead of 3. "
            "Use one dtype in every call, `jnp.float32`; this may change the dtype of the results.",
        ),
        (
            [scalar("x", "int32"), array("x", ()), scalar("x")],
            "2 s, 2 times recompile of step by dtype, saves 2: `x` changed its dtype from weak i32[] to f32[]",
            "Use one dtype in every call, `jnp.float32`; this may change the dtype of the results.",
        ),
        (
            [array("x", committed=True), array("x", sharding="cpu:1", committed=True), array("x", sharding="cpu:1")],
            "1 s, 1 times recompile of step by committed, saves 1: `x` changed from committed to uncommitted (on "
            "`cpu:1`), and JAX compiles a version for each",
            "Place it the same way before every call, including the first, with `jax.device_put`.",
        ),
    ],
)
def test_a_leaf_that_changed_in_two_ways_is_one_cause(leaves: list[Leaf], expected: str, advice: str) -> None:
    run = Run()
    for leaf in leaves:
        run.call("step", leaf)
    (found,) = run.end().findings
    assert (told(found), found.advice) == (expected, advice)


def test_nothing_is_promised_where_the_cause_is_not_known() -> None:
    step = jax.jit(lambda x: x)
    step(np.ones(3))
    with jitviz.record(sample=False) as rec:
        step(np.ones(2))
    (found,) = rec.findings
    assert (found.reason, found.saves, found.stays, effect(found)) == ("unexplained", None, 0, "")


def test_arrays_of_several_ranks_are_not_promised_to_become_one() -> None:
    """Each has sizes of its own, whatever its rank; what saves all of them is one jit."""
    add_all = jax.tree_util.tree_reduce

    with jitviz.record() as rec:
        for _ in range(3):
            add_all(
                jax.jit(lambda a, b: a + b.sum()),
                [jnp.ones((8, n)) for n in (1, 2)] + [jnp.ones(n) for n in (2, 3)],
                0.0,
            )
    first, second = (found for found in rec.findings if not found.is_maybe)
    assert (first.reason, first.count, first.saves) == ("new_function", 8, 8)
    assert (second.reason, second.count, second.saves) == ("shape", 1, 3)  # f32[2] and f32[3], three times


def test_compiling_ahead_of_time_moves_a_compile_and_saves_none() -> None:
    @jax.jit
    def prefill(x: Any) -> Any:
        return jnp.sort(x)

    prefill.lower(jnp.ones(32)).compile()
    with jitviz.record() as rec:
        prefill.lower(jnp.ones(16)).compile()
        prefill(jnp.ones(48))
    (found,) = rec.findings
    assert (found.kind, found.saves, found.advice) == (
        "not_warmed",
        None,
        "Compile it ahead of time as well, which moves this compile to the start.",
    )
    assert "voidable" not in str(rec).partition("\n\n")[0]
