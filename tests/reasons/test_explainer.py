import pickle
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from jitviz.model import Description, Judgement, Miss, Node, Reason, Token
from jitviz.reasons import Explainer, nearest
from jitviz.reasons import explainer as explainer_module

from .samples import array, explained, function, jitted, made, miss, scalar, static


def explain(*misses: Miss) -> list[list[tuple[str, str]]]:
    """The (kind, path) of every reason of every miss."""
    explainer = Explainer()
    return [[(reason.kind, reason.path) for reason in explainer.explain(one)] for one in misses]


def sides(reasons: Iterable[Reason]) -> list[tuple[str, str, str]]:
    return [(reason.kind, reason.before, reason.after) for reason in reasons]


def test_the_first_miss_of_a_function_is_first() -> None:
    assert explain(miss(array("x"))) == [[("first", "")]]


def test_reasons_are_put_into_words_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Miss] = []
    tell = explainer_module.tell
    monkeypatch.setattr(explainer_module, "tell", lambda changes, one, how: told.append(one) or tell(changes, one, how))
    explainer, misses = Explainer(), [miss(array("x", (size,))) for size in (1, 2, 3)]
    numbers = [explainer.add(one) for one in misses]
    assert told == []
    assert sides(explainer.reasons(numbers[-1])) == [("shape", "f32[2]", "f32[3]")]
    assert told == misses[-1:]


def test_programs_are_compared_when_a_word_depends_on_it() -> None:
    asked: list[int] = []

    def judged(number: int) -> Judgement:
        asked.append(number)
        return Judgement("expected", "another program")

    explainer = Explainer(ask=judged)
    for size in (3, 4):
        number = explainer.add(miss(array("x", (size,))))
    (reason,) = explainer.reasons(number)
    assert (reason.kind, reason.summary) == ("shape", "`x` changed its shape from f32[3] to f32[4].")
    assert asked == []
    assert (reason.inherent, reason.advice) == (True, "Nothing to fix if you need both (another program).")
    assert set(asked) == {number}
    assert pickle.loads(pickle.dumps(reason)) == reason == replace(reason)


def test_functions_do_not_mix() -> None:
    other = jitted(2, lineage="train.evaluate", name="evaluate")
    assert explain(miss(array("x")), miss(array("x", (4,)), function=other)) == [[("first", "")], [("first", "")]]


def test_what_was_compiled_before_jitviz_watched_is_not_called_first() -> None:
    (reason,) = Explainer().explain(miss(array("x"), is_warm=True))
    assert sides([reason]) == [("unexplained", "compiled before jitviz started to watch", "compiled")]


def test_versions_from_before_the_recording_are_compared_with() -> None:
    assert explain(miss(array("x"), is_before=True), miss(array("x", (4,)))) == [[("first", "")], [("shape", "x")]]


def test_the_nearest_earlier_version_is_the_one_with_the_fewest_changes() -> None:
    assert explain(
        miss(array("x"), array("y")),
        miss(array("x", (9,)), array("y", (9,), "int32")),
        miss(array("x"), array("y", (5,))),  # one change from the first, three from the second
    ) == [
        [("first", "")],
        [("shape", "x"), ("shape", "y"), ("dtype", "y")],
        [("shape", "y")],
    ]


def test_the_nearest_is_found_behind_many_that_are_farther() -> None:
    others = [miss(array("x", (size,)), array("y", (size,))) for size in range(10, 20)]
    assert explain(miss(array("x"), array("y")), *others, miss(array("x"), array("y", (5,))))[-1] == [("shape", "y")]


def test_a_leaf_that_changed_twice_is_farther_than_one_that_changed_once() -> None:
    assert explain(
        miss(array("x", (3,), "float32")),
        miss(array("x", (4,), "int32")),
        miss(array("x", (5,), "float32")),
    )[2] == [("shape", "x")]


def test_of_equally_near_versions_the_newest_counts() -> None:
    explainer = Explainer()
    for size in (3, 4):
        explainer.explain(miss(array("x", (size,))))
    assert sides(explainer.explain(miss(array("x", (5,))))) == [("shape", "f32[4]", "f32[5]")]


def test_a_version_that_was_compiled_again_is_the_newest() -> None:
    explainer = explained(miss(array("x", (3,))), miss(array("x", (4,))), miss(array("x", (3,)), cleared="all"))
    assert sides(explainer.explain(miss(array("x", (5,))))) == [("shape", "f32[3]", "f32[5]")]


def test_a_function_with_versions_of_its_own_is_compared_with_those() -> None:
    one, other = jitted(1), jitted(2)
    assert explain(
        miss(array("x"), function=one),
        miss(array("x"), function=other),
        miss(array("x", (4,)), array("y"), function=one),
        miss(array("x", (4,)), array("y"), function=other),
    ) == [
        [("first", "")],
        [("new_function", "")],
        [("treedef", "y"), ("shape", "x")],
        [("treedef", "y"), ("shape", "x")],
    ]


def test_a_signature_that_was_seen_and_not_cleared_is_unexplained() -> None:
    explainer = Explainer()
    explainer.explain(miss(array("x")))
    assert sides(explainer.explain(miss(array("x")))) == [("unexplained", "a hit was expected", "JAX traced it again")]
    assert sides(explainer.explain(miss(array("x"), is_traced=False))) == [
        ("unexplained", "a hit was expected", "JAX compiled it again, without a trace")
    ]


def test_cleared_caches_explain_every_signature_from_before_once() -> None:
    x, y = array("x"), array("x", (4,))
    assert explain(
        miss(x), miss(y), miss(x, cleared="all"), miss(y), miss(y), miss(array("x", (5,)), cleared="all")
    ) == [
        [("first", "")],
        [("shape", "x")],
        [("cache_cleared", "")],
        [("cache_cleared", "")],  # cleared as well, and compiled for the first time since
        [("unexplained", "")],
        [("shape", "x")],  # never compiled before: clearing is not to blame
    ]


def test_nothing_is_kept_of_an_attempt_that_failed() -> None:
    assert explain(miss(array("x")), miss(array("x"), is_retry=True)) == [[("first", "")], [("first", "")]]
    assert explain(miss(array("x")), miss(array("x", (4,))), miss(array("x", (4,)), is_retry=True)) == [
        [("first", "")],
        [("shape", "x")],
        [("shape", "x")],
    ]


def test_a_trace_that_was_only_looked_at_leaves_no_version() -> None:
    assert explain(miss(array("x"), stage="eval_shape"), miss(array("x"))) == [[("first", "")], [("first", "")]]


@pytest.mark.parametrize("equality", ["custom", "value"])
def test_an_eq_is_the_cause_only_if_nothing_else_is(equality: str) -> None:
    def with_config(token: int, size: int) -> Miss:
        return miss(array("x", (size,)), static("cfg", made("Config", token, equality, a=1)))  # type: ignore[arg-type]

    reasons = explain(with_config(1, 3), with_config(2, 4), with_config(3, 4))
    assert reasons[:2] == [[("first", "")], [("shape", "x")]]
    assert reasons[2] == ([("static_eq", "cfg")] if equality == "custom" else [("unexplained", "")])


def test_objects_created_again_inside_one_with_an_eq_are_named_last() -> None:
    def with_config(token: int) -> Miss:
        return miss(static("cfg", made("Config", token, "custom", act=function(token + 10))))

    assert explain(with_config(1), with_config(2))[1] == [("static_identity", "cfg.act")]


def test_values_that_two_leaves_swap_are_another_signature() -> None:
    for n in range(50):  # a sum of plain hashes is the same for some of them
        one, other = (miss(static(f"a{n}", a), static(f"b{n}", b)) for a, b in ((2, 3), (3, 2)))
        assert explained(one, other).expect(one) == ("hit", 0)


def test_nan_is_the_cause_although_the_signature_looks_the_same() -> None:
    nan = static("t", float("nan"))
    assert explain(miss(nan), miss(nan), miss(nan, cleared="all"))[1:] == [[("static_eq", "t")]] * 2


def test_without_a_trace_only_what_jax_looks_at_later_is_the_cause() -> None:
    x, y = array("x"), array("y")
    put = array("x", committed=True), array("y", committed=True)
    assert (
        explain(
            miss(x, y, static("n", 1)),
            miss(*put, static("n", 2)),
            miss(*put, static("n", 1), is_traced=False),  # nearer to the second, but the first has the trace
            miss(*put, static("n", 1), is_traced=False, options=(("donate_argnums", "(0,)"),)),
        )[2:]
        == [[("committed", "x"), ("committed", "y")], [("new_function", "")]]
    )


def test_without_a_trace_static_values_were_equal_to_jax() -> None:
    first, other = (static("cfg", made("Config", token, "custom", note=token)) for token in (1, 2))
    assert explain(
        miss(array("x"), first),
        miss(array("x", (4,), committed=True), other, is_traced=False),
    )[1] == [("shape", "x"), ("committed", "x")]


def test_without_a_trace_a_static_value_is_the_cause_where_nothing_else_is() -> None:
    assert explain(miss(static("n", 1)), miss(static("n", 2), is_traced=False))[1] == [("static_value", "n")]


def test_what_is_seen_in_full_is_not_suspected() -> None:
    whole = static("n", 1), static("cut", Description("str", "'a…'", is_cut=True, rest="5"))
    opaque = static("price", made("decimal.Decimal", 7, "value")), static("table", made("Table", 8))
    explainer = Explainer()
    explainer.explain(miss(*whole))
    assert "may be more to" not in explainer.explain(miss(*whole))[0].summary
    explainer = Explainer()
    explainer.explain(miss(*whole, *opaque))
    assert explainer.explain(miss(*whole, *opaque))[0].summary.endswith(
        "; there may be more to `price` than jitviz can see."
    )


def test_a_trace_from_elsewhere_does_not_hide_the_reason() -> None:
    assert explain(miss(array("x")), miss(array("x", (4,)), is_traced=False))[1] == [("shape", "x")]


def test_transforms_have_programs_of_their_own() -> None:
    x, y = array("x"), array("x", (4,))
    residual = array("residuals[0]"), array("residuals[0]", (4,))
    assert explain(
        miss(x),
        miss(x, transform="jvp"),
        miss(residual[0], transform="transpose"),
        miss(y, transform="jvp"),
        miss(residual[1], transform="transpose"),
        miss(y, transform="vmap"),
    ) == [
        [("first", "")],
        [("transform", "")],
        [("transform", "")],
        [("shape", "x")],
        [("shape", "x")],  # the backward program follows its forward program
        [("transform", "")],
    ]


def test_the_first_backward_program_is_distinguished_from_the_forward_program() -> None:
    explainer = explained(miss(array("x")), miss(array("x"), transform="jvp"))
    backward = miss(array("residuals[0]"), transform="transpose")
    assert sides(explainer.explain(backward)) == [("transform", "jvp", "transpose")]


def test_a_backward_program_alone_is_compared_with_its_like() -> None:
    assert explain(
        miss(array("x"), transform="jvp"),
        miss(array("residuals[0]"), transform="transpose"),
        miss(array("x")),
        miss(array("residuals[0]", (4,)), transform="transpose"),
    )[3] == [("shape", "residuals[0]")]


@pytest.mark.parametrize(("transform", "kind"), [("transpose", "transform"), ("", "new_function")])
def test_a_program_that_jax_created_again_is_another_to_its_cache(transform: str, kind: str) -> None:
    one, other = (miss(array("x"), transform=transform, program=Token(number)) for number in (1, 2))
    assert explain(one, other, other) == [[("first", "")], [(kind, "")], [("unexplained", "")]]


def test_a_program_of_the_same_transform_is_nearer() -> None:
    assert explain(
        miss(array("x"), transform="vmap"),
        miss(array("x", (4,))),
        miss(array("x", (4,)), transform="vmap"),
    )[2] == [("shape", "x")]


def test_programs_of_several_transforms_do_not_replace_each_other() -> None:
    assert explain(miss(array("x")), miss(array("x"), transform="vmap"), miss(array("x")))[2] == [("unexplained", "")]


def test_a_setting_goes_before_what_it_changes() -> None:
    off, on = (("jax_enable_x64", "False"),), (("jax_enable_x64", "True"),)
    assert explain(
        miss(array("x"), context=off),
        miss(array("x", (3,), "float64"), context=on),
    )[1] == [("config_context", "jax_enable_x64"), ("dtype", "x")]


def test_many_leaves_are_all_returned() -> None:
    weak = [scalar(f"info['{name}']") for name in "abc"]
    strong = [array(f"info['{name}']", ()) for name in "abc"]
    node = Node("info", "dict", ("['a']", "['b']", "['c']"))
    explainer = Explainer()
    explainer.explain(miss(*weak, nodes=[node]))
    reasons = explainer.explain(miss(*strong, nodes=[node]))
    assert [(reason.kind, reason.path) for reason in reasons] == [("weak_type", f"info['{name}']") for name in "abc"]


class TestBounds:
    """Work and memory per miss do not depend on how many misses came before."""

    @staticmethod
    def grown(count: int) -> Iterable[Miss]:
        return (
            miss(array("x", (size,)), array("y", (size, 2), f"int{size}"))  # three changes in two leaves, each time
            for size in range(1, count + 1)
        )

    def test_few_versions_are_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        counts = {"full": 0, "marks": 0}

        def counting(name: str, work: Callable[..., object]) -> Callable[..., object]:
            def counted(*args: object) -> object:
                counts[name] += 1
                return work(*args)

            return counted

        monkeypatch.setattr(explainer_module, "compare_misses", counting("full", explainer_module.compare_misses))
        monkeypatch.setattr(nearest, "_distance", counting("marks", nearest._distance))
        explainer, most = Explainer(), dict(counts)
        for one in self.grown(300):
            counts.update(full=0, marks=0)
            explainer.explain(one)
            most = {name: max(most[name], count) for name, count in counts.items()}
        assert most == {"full": 1, "marks": nearest.WINDOW}

    def test_few_versions_are_kept(self) -> None:
        explainer = explained(*self.grown(300))
        (kept,) = explainer._versions_of.values()
        assert (len(kept._window), len(kept._seen)) == (nearest.WINDOW, 300)

    def test_what_is_too_old_to_be_compared_with_is_still_recognised(self) -> None:
        past = [*self.grown(nearest.WINDOW + 10)]
        assert explain(*past, past[0])[-1] == [("unexplained", "")]

    def test_what_compiled_again_lately_stays_recognised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(nearest, "WINDOW", 1)
        monkeypatch.setattr(nearest, "DIGESTS", 2)
        first, second, third = self.grown(3)
        assert explain(first, second, first, third, first)[-1] == [("unexplained", "")]

    def test_what_is_recognised_is_bounded_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(nearest, "DIGESTS", 100)
        explainer = explained(*self.grown(300))
        (kept,) = explainer._versions_of.values()
        assert len(kept._seen) == 100
