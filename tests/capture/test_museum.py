"""Whatever is passed, jitviz runs no line of its code, and the program behaves as without jitviz."""

import contextlib
import cProfile
import enum
import json
import os
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jitviz
from jitviz.capture.arguments import signature
from jitviz.capture.arguments.describe import DEPTH, SIZE, describe
from jitviz.jaxcompat.raw import type_name
from jitviz.model import Description
from jitviz.recording import Recording

from . import museum
from .museum import ASKED, Counting, statics, trees
from .samples import SEES_HITS

X = np.ones(3, np.float32)


def size(description: Description) -> int:
    return 1 + sum(size(part) for _, part in description.fields)


def depth(description: Description) -> int:
    return 1 + max((depth(part) for _, part in description.fields), default=0)


@pytest.mark.parametrize("name", list(statics()))
def test_a_description_runs_no_user_code_and_is_bounded(name: str) -> None:
    value = statics()[name]()
    ASKED.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        description = describe(value)
    assert dict(ASKED) == {}
    assert size(description) <= SIZE + 1
    assert depth(description) <= DEPTH + 1
    assert len(description.text) <= 120
    assert "0x" not in description.text


PANELS = Path(__file__).with_name("museum.json")  # `UPDATE_GOLDEN=1 pytest tests/capture/test_museum.py` writes it anew
MOST = 600_000  # calls of jitviz' functions for an exhibit in a miss, a hit and the panel: some tenths of a second

SHOWN = re.compile(
    r"^ +(?:call \d+: \w+Error: |failed: |first: `step).*?(?=\n    (?:cost|jaxpr): |\n  called|\n▸|\n\n)",
    re.MULTILINE | re.DOTALL,
)
# Numbers and details that differ between runs and versions of Python and JAX.
VARIES = re.compile(r"((?<!\w)value=|\.py:|[Tt]hread-|Module-)\d+|(ShapeDtypeStruct\().*?=False(?=\))", re.DOTALL)


def exhibit(rec: Recording) -> list[str]:
    """The part of the panel with the error of each call, and each compile from its reason to its outputs; sorted, since
    functions stand there by their seconds."""
    lines = [line for part in sorted(SHOWN.findall(str(rec))) for line in VARIES.sub(r"\1\2N", part).splitlines()]
    return lines if len(lines) < 100 else [*lines[:10], f"… {len(lines) - 20} lines …", *lines[-10:]]


def known_panel(name: str, lines: list[str]) -> list[str]:
    """What the panel of an exhibit is known to show; `lines` if they are to be known from now on."""
    known: dict[str, list[str]] = json.loads(PANELS.read_text())
    if os.environ.get("UPDATE_GOLDEN"):
        known[name] = lines
        PANELS.write_text(json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return known[name]


@contextlib.contextmanager
def exhibited(name: str, label: str = "", most: int = MOST) -> Iterator[Recording]:
    """Record a block and check that its panel is the known one, after a bounded number of steps."""
    with counted_steps() as steps:
        with jitviz.record(label, sample=False) as rec:
            yield rec
        lines = exhibit(rec)
    assert rec.facts.failures == []
    assert lines == known_panel(name, lines)
    assert 0 < steps[0] < most


@contextlib.contextmanager
def counted_steps() -> Iterator[list[int]]:
    """Count the calls of jitviz' functions, which do not depend on the machine's load."""
    steps, profile = [0], cProfile.Profile(builtins=False)
    with profile:
        yield steps
    own = [row for row in profile.getstats() if getattr(row.code, "co_filename", "").startswith(jitviz.__path__[0])]
    steps[0] = sum(row.callcount for row in own)


@pytest.mark.filterwarnings("ignore:flattened")
@pytest.mark.parametrize("name", [*statics(), *trees()])
def test_an_argument_is_shown_and_asked_no_more_than_without_jitviz(name: str, capfd: Any) -> None:
    options = {"static_argnums": 1} if name in statics() else {}

    def asked(is_recorded: bool) -> tuple[dict[str, int], str, Any]:
        if name.startswith(("counting", "equality")):
            jax.clear_caches()  # JAX compares with everything that it was called with before
        value = (statics() | trees())[name]()

        def step(x: Any, setting: Any) -> Any:
            return x * 2.0

        step.__name__ = step.__qualname__ = f"step_{name.replace(' ', '_')}"
        jitted, raised = jax.jit(step, **options), ""
        recording = jitviz.capture.begin(sample=False) if is_recorded else None
        ASKED.clear()
        try:
            jitted(X, value)
            jitted(X, value)
        except SystemError:
            raised = "SystemError"  # which says how it was called
        except (RuntimeError, SystemExit, TypeError, ValueError) as error:
            raised = f"{type(error).__name__}: {error}"
        found = dict(ASKED)
        return found, raised, recording and jitviz.capture.end(recording)

    jitviz.capture.unwatch()
    *alone, _ = asked(is_recorded=False)
    with counted_steps() as steps:
        *watched, rec = asked(is_recorded=True)
        assert watched == alone
        assert rec.facts.failures == []
        ASKED.clear()
        lines = exhibit(rec) if alone[1] == "" else []  # explaining and drawing ask nothing either
    assert dict(ASKED) == {}
    assert lines == known_panel(name, lines)
    assert 0 < steps[0] < MOST
    assert "TOLD" not in capfd.readouterr().out


def recorded_as_alone(run: Callable[[], Any]) -> Recording:
    """Run twice, the second time recorded, and check that user code ran as often and `run` returned the same."""

    def asked() -> tuple[Any, dict[str, int]]:
        ASKED.clear()
        return run(), dict(ASKED)

    run()  # NNX 0.11 looks at a function more often the first time
    jitviz.capture.unwatch()
    alone = asked()
    recording = jitviz.capture.begin(sample=False)
    watched = asked()
    jitviz.capture.end(recording)
    assert recording.facts.failures == []
    assert watched == alone
    return recording


def paths_of(rec: Recording, number: int = 0) -> list[str]:
    return [leaf.path for leaf in rec.compiles[number].signature.leaves]


@pytest.mark.parametrize("jit", [eqx.filter_jit, jitviz.filter_jit])
def test_filter_jits_key_is_hashed_and_compared_as_often_as_without_jitviz(jit: Any) -> None:
    def run() -> None:
        step, value = jit(lambda x, setting: x * 2.0), Counting()
        for _ in range(3):
            step(X, value)

    recorded_as_alone(run)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("counting", "Counting(value=3)"),
        ("lying", "Lying(shown='in the dict', held=1)"),
        ("class that refuses", "Guarded()"),
        ("text", "'abc'"),
        ("items", "ByHash(held=Items((1, 2)))"),
        ("named tuple", "Point(x=1, y=Colour.RED)"),
        ("enum", "Colour.BLUE"),
        ("flags", "Flags.A|B"),
        ("dataclass", "Config(rate=0.1, layers=(3, 4), extra=None)"),
        ("slots", "Slots(a=1, b='two')"),
        ("huge set", "frozenset({…})"),
        ("nan", "nan"),
        ("slice", "ByHash(held=slice(start=Counting(value=3), stop=None, step=None))"),
        ("range", "range(0, 3)"),
        ("built-in", "<built-in len>"),
        ("module", "<module functools>"),
        ("object array", "ByHash(held=object[2])"),
        ("very deep", "ByHash(held=((((((((…),),),),),),),))"),
        ("willing", "Willing()"),
        ("markup", "'</script><script>alert(1)</script><!--'"),
        ("bidi", r"'\u202eesrever\u2066'"),
        ("control", r"'\x1b[31m\x07\r\n\x9b\u2028'"),
        ("surrogates", r"'\ud800 \udc80'"),
        ("a megabyte", f"'{59 * 'x'}…{58 * 'x'}'"),
        ("unsortable keys", "ByHash(held={1: 'a', 'b': 2, None: 3, (1, 2): 4})"),
    ],
)
def test_the_text_of_a_value_has_its_type_and_fields(name: str, text: str) -> None:
    value = statics()[name]()
    expected = text.replace("value=3", f"value={next(museum.NUMBERS) - 1}")
    assert describe(value).text == expected


def test_equal_sets_have_the_same_text() -> None:
    assert describe({3, 1, "b", "a"}).text == describe({"a", "b", 1, 3}).text == "{'a', 'b', 1, 3}"


def test_two_classes_of_the_same_name_differ_in_their_tokens() -> None:
    first, second = (statics()["redefined class"]() for _ in range(2))
    assert describe(first).type == describe(second).type
    assert describe(first).type_token != describe(second).type_token
    assert describe(first).type_token == describe(type(first)()).type_token


def test_a_tracer_in_a_closure_has_the_text_of_its_array() -> None:
    found: list[Any] = []

    def look(x: Any) -> Any:
        found.extend((name, part.text) for name, part in describe(lambda: x).fields)
        return x.sum()

    jax.grad(look)(X)
    jax.vmap(look)(np.ones((2, 3), np.float32))
    assert found == [("<closure x>", "traced f32[3]")] * 2


def test_a_member_of_a_mixed_enum_has_its_plain_value_as_well() -> None:
    class Level(enum.IntEnum):
        LOW = 1

    class Name(enum.StrEnum):
        A = "a"

    class Alone(enum.Enum):
        A = 1

    found = [describe(member) for member in (Level.LOW, Name.A, Alone.A)]
    assert [(one.text, one.plain) for one in found] == [("Level.LOW", "1"), ("Name.A", "'a'"), ("Alone.A", "")]


# -- argument trees ----------------------------------------------------------------------------------------------------


def test_a_signature_that_fails_loses_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("lost the way")

    monkeypatch.setattr(signature, "walk", fail)
    with jitviz.record() as rec:
        jax.jit(lambda x: x + 1)(X)
        jitviz.filter_jit(lambda x: x + 1)(X)
    for compile_ in rec.compiles:
        assert compile_.signature.is_partial
        assert compile_.signature.note == "capture failed: RuntimeError: lost the way"
        assert compile_.hlo is not None
    assert [call.outcome for call in rec.calls] == ["compile", "compile"]
    assert rec.facts.failures == ["signature: RuntimeError: lost the way"]


@pytest.mark.parametrize("around", [lambda part: (part,), lambda part: {"part": part}])
def test_a_signature_says_that_a_deep_tree_was_cut(around: Callable[[Any], Any]) -> None:
    deepest: Any = X
    for _ in range(100):
        deepest = around(deepest)
    with jitviz.record() as rec:
        for tree in (deepest, around(deepest)):
            jax.jit(lambda tree: None)(tree)
    whole, cut = (row.signature for row in rec.compiles)
    assert (len(whole.leaves), whole.is_partial) == (1, False)
    assert (len(cut.leaves), cut.is_partial) == (0, True)
    assert "100 levels" in cut.note
    assert rec.facts.failures == []


def test_shared_and_empty_parts_of_a_tree_have_their_paths() -> None:
    x = jnp.ones(2)
    with jitviz.record() as rec:
        jax.jit(lambda tree: None)({"a": x, "b": [x, None, (), {}], "c": (x,)})
    signature = rec.compiles[0].signature
    assert [leaf.path for leaf in signature.leaves] == ["tree['a']", "tree['b'][0]", "tree['c'][0]"]
    assert [(node.path, node.type) for node in signature.nodes] == [
        ("tree", "dict"),
        ("tree['b']", "list"),
        ("tree['b'][1]", "NoneType"),
        ("tree['b'][2]", "tuple"),
        ("tree['b'][3]", "dict"),
        ("tree['c']", "tuple"),
    ]


def test_keys_of_any_type_have_a_text_without_being_printed() -> None:
    class Key(Counting):
        def __lt__(self, other: Any) -> bool:
            return False

        __hash__ = Counting.__hash__

    def run() -> int:
        jax.jit(lambda tree: None)({Key(): X})
        printed = ASKED["repr"]
        ASKED.clear()  # keys are hashed and compared as well
        return printed

    assert paths_of(recorded_as_alone(run)) == ["tree[<Key>]"]


# -- leaves that are not plain arrays ----------------------------------------------------------------------------------


def seen(rec: Recording) -> list[tuple[str, str, str, str]]:
    return [(leaf.path, leaf.role, leaf.type, leaf.repr) for leaf in rec.compiles[-1].signature.leaves]


def test_tracers_are_leaves_of_an_inner_call_and_a_leaked_one_is_the_users_error() -> None:
    leaked: list[Any] = []

    def step(x: Any) -> Any:
        return leaked.append(x) or x * 2.0

    with exhibited("tracer") as rec:
        jax.vmap(jax.jit(step))(X)
        with pytest.raises(jax.errors.UnexpectedTracerError):
            jitviz.filter_jit(lambda x: x + 1)(leaked[0])
    assert [(call.outcome, (call.error or "").partition(":")[0]) for call in rec.calls] == [
        ("compile", ""),
        ("error", "UnexpectedTracerError"),
    ]
    assert seen(rec) == [("x", "traced", "Tracer", "f32[]")]


def test_a_shape_is_traced_ahead_of_time_and_static_in_a_call() -> None:
    def step(shape: Any) -> None:
        return None

    shape = jax.ShapeDtypeStruct((3,), jnp.float32)
    with exhibited("shape") as rec:
        jax.jit(lambda x: x + 1).lower(shape)
        jax.eval_shape(jax.jit(lambda x: x * 2), shape)
        jitviz.filter_jit(step)(shape)
    assert [stage for _, stage, _ in rec.facts.stages] == ["lower", "eval_shape"]
    ((path, role, kind, text),) = seen(rec)
    assert (path, role, kind) == ("shape", "static", type_name(jax.ShapeDtypeStruct))
    assert text.startswith("ShapeDtypeStruct(")


@pytest.mark.parametrize("jit", [*([jax.jit] if SEES_HITS else []), eqx.filter_jit, jitviz.filter_jit])
def test_a_deleted_array_is_the_users_error(jit: Any) -> None:
    x = jnp.ones(3)
    x.delete()
    with exhibited("deleted") as rec, pytest.raises(RuntimeError, match="has been deleted"):
        jit(lambda x: x + 1)(x)
    assert [call.outcome for call in rec.calls] == ["error"]


def test_a_donated_array_and_a_reference_are_seen_as_what_they_were() -> None:
    def step(x: Any) -> Any:
        return x + 1

    def step_by(ref: Any) -> None:
        ref[...] = jnp.ones(2)

    with exhibited("donated, reference") as rec:
        jax.jit(step, donate_argnums=0)(jnp.ones(3))
        jax.jit(step_by)(jax.new_ref(jnp.zeros(2)))
    assert [leaf.donated for leaf in rec.compiles[0].signature.leaves] == [True]
    assert [(path, role, text) for path, role, _, text in seen(rec)] == [("ref", "traced", "f32[2]")]


# -- trees -------------------------------------------------------------------------------------------------------------


@jax.tree_util.register_pytree_node_class
class Inner:
    """Counts how often it is flattened."""

    def __init__(self) -> None:
        self.w, self.setting = X, "relu"

    def tree_flatten(self) -> Any:
        ASKED["flatten"] += 1
        warnings.warn("flattened", stacklevel=2)
        return (self.w,), self.setting

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        found = cls()
        (found.w,), found.setting = children, aux
        return found


@jax.tree_util.register_pytree_node_class
class Noisy:
    """Counts and warns as well; one of its three children is not an attribute."""

    def __init__(self) -> None:
        self.w, self.deep, self.held = X, Inner(), [np.zeros(1, np.float32)]

    def tree_flatten(self) -> Any:
        ASKED["flatten"] += 1
        warnings.warn("flattened", stacklevel=2)
        return (self.w, self.deep, *self.held), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        found = cls()
        found.w, found.deep, *found.held = children
        return found


@jax.tree_util.register_pytree_with_keys_class
class NoisyKeys(Noisy):
    """The same, with its own names for its children."""

    def tree_flatten_with_keys(self) -> Any:
        children, aux = self.tree_flatten()
        return [(jax.tree_util.DictKey(f"key {place}"), child) for place, child in enumerate(children)], aux


def paths_inside(jit: Any, tree: Callable[[], Any]) -> list[str]:
    """The paths of a node's leaves. In a miss and three hits it is flattened, and warns, as often as without jitviz."""

    def run() -> list[int]:
        step, rows = jit(lambda tree, *more, last=None: None), []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(4):
                ASKED.clear()
                step(X, tree(), last={"a": [tree()]})
                rows.append(ASKED["flatten"])
        assert len([one for one in caught if str(one.message) == "flattened"]) == sum(rows) > 0
        return rows

    return paths_of(recorded_as_alone(run))


@pytest.mark.parametrize("jit", [jax.jit, jitviz.filter_jit, eqx.filter_jit, nnx.jit])
def test_a_node_is_flattened_as_often_as_without_jitviz(jit: Any) -> None:
    inside = [".w", ".deep.w", ".deep.setting", "[2]"]
    expected = ["tree", *(f"more[0]{name}" for name in inside), *(f"last['a'][0]{name}" for name in inside)]
    assert paths_inside(jit, Noisy) == expected


@pytest.mark.filterwarnings("ignore:flattened")
@pytest.mark.parametrize("jit", [jitviz.filter_jit, eqx.filter_jit])
def test_the_first_hit_of_a_recording_flattens_no_node_again(jit: Any) -> None:
    step, tree = jit(lambda tree: None), Noisy()
    step(tree)
    ASKED.clear()
    with jitviz.record() as rec:
        step(tree)
    assert (ASKED["flatten"], [call.outcome for call in rec.calls], rec.facts.failures) == (2, ["hit"], [])


def test_a_node_with_keys_has_the_names_that_jax_uses() -> None:
    assert paths_inside(jax.jit, NoisyKeys)[1:3] == ["more[0]['key 0']", "more[0]['key 1'].w"]


def test_children_inside_a_container_are_named_by_position() -> None:
    @jax.tree_util.register_pytree_node_class
    class Holder(Noisy):
        def tree_flatten(self) -> Any:
            ASKED["flatten"] += 1
            warnings.warn("flattened", stacklevel=2)
            return (*self.held, *self.held), None

        @classmethod
        def tree_unflatten(cls, aux: Any, children: Any) -> Any:
            return cls()

    for jit in (jax.jit, jitviz.filter_jit, eqx.filter_jit):
        assert paths_inside(jit, Holder)[:3] == ["tree", "more[0][0]", "more[0][1]"]


@pytest.mark.filterwarnings("ignore:flattened")
@pytest.mark.parametrize("transform", [jax.grad, lambda step: lambda *args: jax.linearize(step, *args)[0]])
@pytest.mark.parametrize("jit", [jax.jit, jitviz.filter_jit, eqx.filter_jit])
@pytest.mark.parametrize("kind", ["".join, frozenset])
def test_a_node_is_flattened_as_often_under_an_eager_transformation(kind: Any, jit: Any, transform: Any) -> None:
    def run_all() -> list[int]:
        step, rows = jit(lambda tree, rest: jnp.sum(tree.w * tree.deep.w)), []
        for run in (step, transform(step), transform(step), lambda *args: jax.linearize(step, *args)):
            tree, rest = Noisy(), NoisyKeys() if jit is jax.jit else Noisy()
            tree.deep.setting = kind(["re", "lu"])  # equal, and another object each time
            ASKED.clear()
            run(tree, rest)
            rows.append(ASKED["flatten"])
        return rows

    paths = paths_of(recorded_as_alone(run_all), 1)
    names = ["['key 0']", "['key 1']", "['key 2']"] if jit is jax.jit else [".w", ".deep", "[2]"]
    rest = [names[0], f"{names[1]}.w", f"{names[1]}.setting", names[2]]
    assert paths == ["tree.w", "tree.deep.w", "tree.deep.setting", "tree[2]", *(f"rest{name}" for name in rest)]


@pytest.mark.filterwarnings("ignore:flattened")
def test_a_callable_node_is_flattened_as_often_as_without_jitviz() -> None:
    @jax.tree_util.register_pytree_node_class
    class Model(Inner):
        def __call__(self, x: Any) -> Any:
            return x

    for jit in (jitviz.filter_jit, eqx.filter_jit):
        sizes = iter((3, 4, 5))  # a miss each time
        rec = recorded_as_alone(lambda jit=jit, sizes=sizes: jit(Model())(np.ones(next(sizes), np.float32)).ndim)  # type: ignore[misc]
        assert paths_of(rec) == ["self.w", "self.setting", "x"]


def test_a_signature_stops_at_its_limit_of_leaves() -> None:
    def step(tree: Any) -> Any:
        return tree["x"] * 2.0

    with exhibited("200 000 leaves", most=60 * 200_000) as rec:
        jitviz.filter_jit(step)({"sizes": [1] * 200_000, "x": X})  # static ones: JAX traces as many for seconds
    paths = [leaf.path for leaf in rec.compiles[0].signature.leaves]
    assert paths == [f"tree['sizes'][{n}]" for n in range(100_000)]


@pytest.mark.parametrize("jit", [*([jax.jit] if SEES_HITS else []), eqx.filter_jit, jitviz.filter_jit])
def test_a_node_that_refuses_to_be_flattened_is_the_users_error(jit: Any) -> None:
    @jax.tree_util.register_pytree_node_class
    class Closed(Inner):
        def tree_flatten(self) -> Any:
            ASKED["flatten"] += 1
            raise ValueError("asked for parts")

    def raised() -> tuple[str, int]:
        ASKED.clear()
        with pytest.raises(ValueError) as refusal:
            jit(lambda tree: None)(Closed())
        return str(refusal.value), ASKED["flatten"]

    jitviz.capture.unwatch()
    alone = raised()
    with exhibited("flatten that refuses"):
        assert raised() == alone


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(museum.NAMES))
def test_a_hostile_name_is_text_wherever_it_stands(name: str) -> None:
    text, own = museum.NAMES[name], f"step_named_{list(museum.NAMES).index(name)}"
    namespace: dict[str, Any] = {}
    exec(compile(f"def {own}(tree, setting, **more):\n    return 1.0", text, "exec"), namespace)

    def fail(x: Any) -> Any:
        raise ValueError(text)

    with exhibited(f"{name} in names", text) as rec:
        jax.jit(namespace[own], static_argnames="setting")({text: X}, setting=text, **{text: X})
        with pytest.raises(ValueError):
            jitviz.filter_jit(fail)(X)  # which is seen by every Python
    shown = str(rec) + str(jitviz.explain(rec))
    assert [letter for letter in set(shown) if not letter.isprintable() and letter != "\n"] == []
    assert len(shown) < 20_000
    page = rec._repr_html_()
    assert "<script>alert" not in page
    assert len(page.encode()) < 100_000


def test_a_function_without_source_or_in_the_file_of_a_pipe_or_a_device_is_seen(tmp_path: Path) -> None:
    steps, pipe = [], tmp_path / "pipe.py"
    os.mkfifo(pipe)
    for file in ("/dev/stdin", "/dev/zero", "<string>", "/no/such/file.py", str(pipe)):
        namespace: dict[str, Any] = {}
        exec(compile(f"def step_from_{len(steps)}(x):\n    return x * 2.0", file, "exec"), namespace)
        steps.append(namespace[f"step_from_{len(steps)}"])
    with exhibited("without source") as rec:
        for step in steps:
            jax.jit(step)(X)
    assert [call.outcome for call in rec.calls] == ["compile"] * 5
    assert None not in [row.jaxpr for row in rec.compiles]


def test_jax_may_be_patched_by_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    made = jax.jit

    def step(x: Any) -> Any:
        return x * 2.0

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("called by jitviz")

    with exhibited("patched jax") as rec, monkeypatch.context() as patch:
        patch.setattr(jax, "jit", lambda fun, **options: made(fun, **options))
        for name in ("map", "leaves", "flatten", "structure"):
            patch.setattr(jax.tree, name, refuse)
        for name in ("make_jaxpr", "block_until_ready", "device_get", "device_put", "devices", "eval_shape"):
            patch.setattr(jax, name, refuse)
        jax.jit(step)(X)
    assert [call.outcome for call in rec.calls] == ["compile"]
