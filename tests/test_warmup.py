"""The versions of a run, written as code: after it runs, the same calls compile nothing."""

import ast
import dataclasses
import importlib
import itertools
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import jax
import pytest

import jitviz
from jitviz.__main__ import main
from jitviz.capture.arguments import import_names
from jitviz.commands.warmup import write_warm_up

STEPS = """
import dataclasses, enum, functools
from typing import Any, NamedTuple
import equinox as eqx
import jax, jitviz
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

class State(NamedTuple):
    count: Any
    moments: Any

class Net(eqx.Module):
    layer: eqx.nn.Linear
    scale: float = eqx.field(static=True)

@functools.partial(jax.jit, static_argnames="mode")
def plain(params, state, rate, mode="train", *, key=None):
    return params["w"] * rate + state.count if mode == "train" else params["w"]

def inside(x):
    return x * 2

doubled = jax.jit(inside)

@jax.jit
def sampled(key, x):
    return jax.random.normal(key, x.shape)

@jitviz.filter_jit
def filtered(net, x, times):
    return net.layer(x) * net.scale * times

@eqx.filter_jit
def of_equinox(net, x, times, key):
    return net.layer(x) * net.scale * times * jax.random.normal(key)

class Mode(enum.Enum):
    TRAIN = 1

@dataclasses.dataclass(frozen=True)
class Config:
    mode: Mode
    sizes: tuple

class Nested:
    class Block(eqx.Module):
        norm: eqx.nn.LayerNorm
        act: Any
        config: Config = eqx.field(static=True)

    @staticmethod
    def double(x):
        return x * 2

HALF = functools.partial(jax.nn.gelu, approximate=False)

@eqx.filter_jit
def modelled(model, x, *others, rate=1.0, **more):
    return jax.vmap(model)(x)

@functools.partial(jax.jit, static_argnums=1)
def told(x, static, *rest):
    return x * 2

def loss(x):
    return x * x

of_loss, slope = jax.jit(loss), jax.jit(jax.grad(loss))

KEY = jax.random.key(0, impl="rbg")
net = Net(eqx.nn.Linear(2, 3, key=jax.random.key(0)), 0.5)

def run():
    x = np.ones(2, np.float32)
    state = State(jax.numpy.zeros((), "int32"), [x, None])
    plain({"w": x, "b": (x,)}, state, 0.5)
    plain({"w": x, "b": (x,)}, state, 0.5, "eval", key=jax.device_put(x, jax.devices()[0]))
    doubled(x)
    filtered(net, x, 3)
    of_equinox(net, x, 3, KEY)
    sampled(KEY, x)

def run_named():
    x = np.ones((3, 2), np.float32)
    mlp = eqx.nn.MLP(2, 2, 2, 1, activation=jax.nn.gelu, key=jax.random.key(0))
    modelled(mlp, x)
    act, norm = eqx.nn.Lambda(HALF), eqx.nn.LayerNorm(2)
    modelled(eqx.nn.Sequential([norm, act, eqx.nn.Lambda(Nested.double)]), x, None, (x, jax.nn.relu), key=x)
    modelled(jax.numpy.square, x[0], Nested.Block(norm, jax.numpy.tanh, Config(Mode.TRAIN, (1, (2,)))), rate=2.0)
    for static in [Mode.TRAIN, Config(Mode.TRAIN, (1,)), ((1,), 2), frozenset("a"), jax.numpy.add, abs, float("inf")]:
        told(x, static, 1)
    for static in [np.float32(2), np.dtype("bfloat16"), jax.numpy.bfloat16, dict, range(3), ..., jax.devices()[0]]:
        told(x, static)
    mesh = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("a", "b"))
    for spec in [P(), P("a"), P(None, ("a", "b"))]:
        told(jax.device_put(x, NamedSharding(mesh, spec)), 1)
    slope(2.0)

def run_more():
    jax.grad(lambda x: doubled(x).sum())(np.ones(2, np.float32))
    jax.jit(lambda x: x)(np.ones(2))
    for chosen in [lambda x: x, lambda x: 2 * x]:
        globals()["chosen"] = chosen
        told(1.0, chosen)
    told(1.0, lambda x: x)
    told(1.0, float("nan"))
    filtered(net, np.ones(2, np.float32), abs)

def unjitted(x):
    return x * 2

def unjitted_loss(x):
    return x * x

unjitted_slope = jax.grad(unjitted_loss)
"""


# What runs if it is not written as a literal, in every position that it may be in.
RUN = "__import__('sys').audit('doctored')"
HOSTILE = [
    *(f"\n{RUN}\n", f"\r    {RUN} #", f"\u2028{RUN}\x0c", f"');{RUN};('", f'");{RUN};("', f'""" + {RUN} + """'),
    *("\\", f"\\'+{RUN}+'", f"), {RUN}, (", f"], {RUN}, [", f"={RUN}, x", f"{{{RUN}}}", f"# coding: {RUN}", RUN),
    *("{}", "\0", "\ud800", "", "'", "..", "class", "np.float32(open)", "(" * 5_000, "os.system", "lambda: 0", "…"),
]
# All that a written file may run on import or in `warm_up()`, besides what it defines.
CALLED = {
    *("complex", "float", "frozenset", "range", "set", "slice", "jitted.lower"),
    *("_device", "_lower", "_make", "_named", "_shape", "_sharding", "_zeros", "np.dtype", "np.float32"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "warm_steps.py").write_text(STEPS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("warm_steps", None)


@pytest.mark.parametrize(("run", "count"), [("run", 6), ("run_named", 19)])
def test_after_the_warm_up_the_calls_of_the_run_compile_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, run: str, count: int
) -> None:
    monkeypatch.setattr(import_names, "MOST", 10_000)  # earlier tests have imported more modules than the limit
    import_names._modules_of_user.cache_clear()
    steps = importlib.import_module("warm_steps")
    with jitviz.record() as rec:
        getattr(steps, run)()
    rec.save("run.jsonl")
    assert main(["warmup", "run.jsonl", "-o", "warmup.py"]) == 0
    assert capsys.readouterr().out == f"warmup.py compiles {count} of {count} versions ahead of time\n"
    del sys.modules["warm_steps"]
    jax.clear_caches()
    steps = importlib.import_module("warm_steps")
    runpy.run_path("warmup.py")["warm_up"]()
    with jitviz.record() as again:
        getattr(steps, run)()
    assert [(row.function, row.reasons[0].summary) for row in again.compiles] == []
    assert len(rec.compiles) == count


def test_the_warm_up_lists_calls_that_it_cannot_write(folder: Path) -> None:
    steps = importlib.import_module("warm_steps")
    with jitviz.record() as rec, pytest.raises(TypeError):
        steps.run_more()
    rec.save("run.jsonl")
    assert main(["warmup", "run.jsonl", "-o", "warmup.py"]) == 0
    reasons = [line.partition(": ")[2] for line in Path("warmup.py").read_text().splitlines() if "# cannot" in line]
    assert reasons == [
        "JAX made this linearize program from outside the function; call that once instead",
        "JAX made this transpose program from outside the function; call that once instead",
        "another file could not find the function by its name",
        *["`static` (static) is warm_steps:chosen, a name that another value had as well"] * 2,
        "`static` (static) is <function <lambda> at warm_steps.py:106>, which another file could not find by name",
        "`static` equals no other value",
    ]
    runpy.run_path("warmup.py")["warm_up"]()  # it still runs


def test_a_warm_up_above_the_function_raises_and_does_not_run_the_script_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = importlib.import_module("warm_steps")
    with jitviz.record() as rec:
        steps.doubled(1.0)
    code = write_warm_up(rec, "run")[0].replace("'warm_steps', 'inside'", "'__main__', 'inside'")
    main_module = ModuleType("__main__")
    main_module.__file__ = str(folder / "warm_steps.py")
    monkeypatch.setitem(sys.modules, "__main__", main_module)
    held: dict[str, Any] = {"__name__": "warmup"}
    exec(code, held)
    with pytest.raises(NameError, match=r"^inside is not defined yet\. Call warm_up\(\) below its definition\.$"):
        held["warm_up"]()


def test_a_function_that_is_jitted_only_where_it_is_called_is_a_comment_and_the_rest_is_warmed(folder: Path) -> None:
    steps = importlib.import_module("warm_steps")
    with jitviz.record() as rec:
        jax.jit(steps.unjitted)(1.0)
        jax.jit(steps.unjitted_slope)(1.0)
        jax.lax.map(steps.unjitted, jax.numpy.ones(2))
        jax.jit(steps.inside)(1.0)  # the module also holds it jitted, as `doubled`
    code, n_written, n_all = write_warm_up(rec, "run")
    reasons = [line.partition("# cannot be written: ")[2] for line in code.splitlines() if "# cannot" in line]
    wraps = "no jitted function in warm_steps wraps it"
    assert reasons == [*[f"{wraps}: give the jitted function a name there"] * 2, wraps]
    assert (n_written, n_all) == (1, 4)
    jax.clear_caches()
    held: dict[str, Any] = {"__name__": "warmup"}
    exec(code, held)
    held["warm_up"]()
    with jitviz.record() as again:
        steps.doubled(1.0)
    assert [row.function for row in again.compiles] == []


def test_a_jitted_function_that_is_gone_is_named_with_what_to_do(folder: Path) -> None:
    steps = importlib.import_module("warm_steps")
    with jitviz.record() as rec:
        steps.doubled(1.0)
    del steps.doubled
    held: dict[str, Any] = {"__name__": "warmup"}
    exec(write_warm_up(rec, "run")[0], held)
    with pytest.raises(LookupError) as refused:
        held["warm_up"]()
    assert str(refused.value) == (
        "no jitted function in warm_steps wraps inside. "
        "Keep the result of jax.jit(inside) there, or delete the line here."
    )


def test_a_full_disk_leaves_the_old_file(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(path: Path, text: str, **_: Any) -> None:
        path.write_bytes(text.encode()[:100])
        raise OSError(28, "No space left on device")

    jitviz.Recording().save("run.jsonl")
    Path("warmup.py").write_bytes(b"before")
    monkeypatch.setattr(Path, "write_text", fill)
    assert main(["warmup", "run.jsonl", "-o", "warmup.py"]) == 2
    assert capsys.readouterr().err == "jitviz warmup: [Errno 28] No space left on device\n"
    assert Path("warmup.py").read_text() == "before"
    assert {path.name for path in Path().iterdir()} == {"run.jsonl", "warm_steps.py", "warmup.py"}


def text_fields(value: Any, name: str = "") -> set[str]:
    """The fields of dataclasses that hold text, at any depth: "Leaf.path"."""
    if isinstance(value, str):
        return {name}
    if isinstance(value, tuple):
        return {field for part in value for field in text_fields(part, name)}
    if not dataclasses.is_dataclass(value):
        return set()
    kind, fields = type(value).__name__, dataclasses.fields(value)
    return {found for one in fields for found in text_fields(getattr(value, one.name), f"{kind}.{one.name}")}


def doctored(value: Any, field: str, texts: Iterator[tuple[str, str]], name: str = "") -> Any:
    """The same value with other texts in one field."""
    if isinstance(value, str) and name == field:
        form, text = next(texts)
        half = len(value) // 2
        return form.replace("<", value[:half]).replace(">", value[half:]).replace("*", text)
    if isinstance(value, tuple):
        return tuple(doctored(part, field, texts, name) for part in value)
    if not dataclasses.is_dataclass(value) or field not in text_fields(value):
        return value
    kind, names = type(value).__name__, [one.name for one in dataclasses.fields(value)]
    parts = {name: doctored(getattr(value, name), field, texts, f"{kind}.{name}") for name in names}
    return dataclasses.replace(cast(Any, value), **parts)


def test_text_of_a_doctored_recording_is_never_code_of_the_written_file(folder: Path) -> None:
    steps = importlib.import_module("warm_steps")
    with jitviz.record(sample=False) as rec:
        steps.run()
        steps.run_named()
        with pytest.raises(TypeError):
            steps.run_more()
    kinds = ("FunctionSeen", "CallStarted", "CompileStarted", "PhaseStarted", "PhaseFinished", "CompileFinished")
    events = [event for event in rec.events if type(event).__name__ in kinds]
    run: list[str] = []
    sys.addaudithook(lambda event, _: run.append(event) if event == "doctored" else None)
    helpers, called, names = set(), set(), set()
    texts = itertools.cycle((form, text) for text in HOSTILE for form in ("*", "*<>", "<>*", "<*>"))
    for field in sorted(text_fields(tuple(events))):
        recording = jitviz.Recording(doctored(event, field, texts) for event in events)
        code, *_ = write_warm_up(recording, next(texts)[1])
        script, *others = (part for part in ast.parse(code).body if not isinstance(part, ast.Import | ast.Expr))
        versions = next(part for part in others if ast.unparse(part).startswith("_VERSIONS = "))
        helpers.add("\n".join(ast.unparse(part) for part in others if part is not versions))
        assert isinstance(script, ast.Assign)
        assert isinstance(script.value, ast.Constant)
        called |= {ast.unparse(part.func) for part in ast.walk(versions) if isinstance(part, ast.Call)}
        names |= {part.id for part in ast.walk(versions) if isinstance(part, ast.Name)}
        exec(code, {"__name__": "warmup"})
    assert len(helpers) == 1
    assert called - CALLED == set()
    assert names - {name.partition(".")[0] for name in CALLED} == {"_VERSIONS", "Ellipsis"}
    assert run == []
