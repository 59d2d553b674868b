"""Recordings of realistic cells, written event by event, with given reasons."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from jitviz.model import Cost, Description, Function, HitsSeen, Leaf, Memory, Node, OpByOp, Reason, Signature
from jitviz.model.reason import Judgement
from jitviz.recording import Recording
from jitviz.recording import events as ev

EPOCH_S = 1_790_000_000.0
VERSIONS = (("jitviz", "0.1.0"), ("jax", "0.10.2"), ("Python", "3.11.9"))
UNSEEN = "hits of jax.jit functions are not seen on Python 3.11"
BOUND = "hits of jax.jit functions are counted as 'at least'"


def op_compiled(at_s: float, name: str, compile_s: float, **known: Any) -> ev.OpCompiled:
    """A program outside any jit that spent its whole time compiling."""
    start_s = at_s - compile_s
    known = {"program": name, "start_s": start_s, "span_s": at_s - start_s, "compile_s": compile_s, **known}
    return ev.OpCompiled(at_s, OpByOp(name, **known))


class Sample(Recording):
    """A recording with given reasons, so that the displays do not depend on the wording of reasons."""

    def __init__(self, events: Iterable[ev.Event], reasons: Sequence[tuple[Reason, ...]]) -> None:
        super().__init__(events)
        self._given = tuple(reasons)

    def judgement(self, index: int) -> Judgement:
        """As the reasons say."""
        is_expected = any(reason.inherent for reason in self.reasons(index))
        return Judgement("expected" if is_expected else "avoidable", "the same program")

    def reasons(self, index: int) -> tuple[Reason, ...]:
        return self._given[index]


class Story:
    """Writes the log of a cell; times are seconds from its start."""

    def __init__(self, label: str = "In [3]", limits: tuple[str, ...] = (), hits_seen: HitsSeen = "all") -> None:
        self.events: list[ev.Event] = [
            ev.RecordingStarted(EPOCH_S, label, VERSIONS, limits, hits_seen=hits_seen),
            ev.CellStarted(EPOCH_S, label),
        ]
        self._label = label
        self._calls = self._compiles = self._functions = 0
        self.reasons: list[tuple[Reason, ...]] = []

    def function(
        self, name: str, api: str = "equinox.filter_jit", origin: str = "In [2]:4", module: str = "__main__"
    ) -> int:
        body = Description("function", name, "identity", token=self._functions, origin=origin)
        info = Function(name, name, module, api, f"{module}.{name}", self._functions, body=body)
        self.events.append(ev.FunctionSeen(EPOCH_S, self._functions, info))
        self._functions += 1
        return self._functions - 1

    def miss(
        self,
        function: int,
        at_s: float,
        phases_s: tuple[float, float, float],
        run_s: float,
        signature: Signature,
        reasons: tuple[Reason, ...],
        *,
        source: str = "In [3]:3",
        error: str | None = None,
        parent: int | None = None,
        thread: str = "MainThread",
        is_over: bool = True,
        stack: tuple[str, ...] = (),
        **program: object,
    ) -> int:
        """A call that compiles; with `error` its trace raises, without `is_over` its last phase is still running."""
        call, compile_, now = self._calls, self._compiles, EPOCH_S + at_s
        self._calls, self._compiles = call + 1, compile_ + 1
        self.reasons.append(reasons)
        add = self.events.append
        add(ev.CallStarted(now, call, function, parent, thread, source))
        add(ev.CompileStarted(now, compile_, call, function, signature, thread=thread, source=source, stack=stack))
        dropped = program.pop("dropped", ())
        names = ("trace",) if error else ("trace", "lower", "compile")
        for name, spent_s in zip(names, phases_s, strict=False):
            add(ev.PhaseStarted(now, compile_, name))
            if not is_over and name == "compile":
                return call
            add(ev.PhaseFinished(now + spent_s, compile_, name, now, error, dropped=dropped if name == "lower" else ()))
            now += spent_s
        for name in ("jaxpr", "stablehlo", "hlo"):
            if text := program.pop(name, None):
                add(ev.TextSeen(now, compile_, name, zlib.compress(str(text).encode())))
        add(ev.ProgramSeen(now, compile_, **program))
        add(ev.CompileFinished(now, compile_, error))
        outcome = "error" if error else "compile"
        at, started_s = now + run_s, EPOCH_S + at_s
        add(ev.CallFinished(at, call, function, started_s, outcome, parent, thread, source, error))
        return call

    def hit(
        self,
        function: int,
        at_s: float,
        run_s: float,
        version: int | None = None,
        signature: Signature | None = None,
        source: str = "In [3]:3",
        thread: str = "MainThread",
    ) -> None:
        """`version` is the number of a compile in the story, from 0."""
        started_s = EPOCH_S + at_s
        self.events.append(
            ev.CallFinished(
                started_s + run_s,
                self._calls,
                function,
                started_s,
                "hit",
                source=source,
                compile=version,
                signature=signature,
                thread=thread,
            )
        )
        self._calls += 1

    def end(self, at_s: float, error: str | None = None) -> Sample:
        now = EPOCH_S + at_s
        self.events += [ev.CellFinished(now, self._label, error), ev.RecordingFinished(now)]
        return self.stop()

    def stop(self) -> Sample:
        """The recording so far, which is live."""
        return Sample(self.events, self.reasons)


def array(path: str, shape: tuple[int, ...], dtype: str = "float32", **more: object) -> Leaf:
    sizes = {"float32": 4, "int32": 4, "key<fry>": 8, "bool": 1}
    return Leaf(path, "traced", "jax.Array", shape, dtype, sharding="cpu:0", itemsize=sizes[dtype], **more)


def static(path: str, type_: str, text: str, **more: object) -> Leaf:
    return Leaf(path, "static", type_, repr=text, static=Description(type_, text), **more)


FIRST = Reason("first", "", "", "", "The function had not been compiled before.")

JAXPR = """\
{ lambda ; a:f32[8,2] b:f32[8] c:f32[1,8] d:f32[1] e:f32[32,2] f:f32[32,1]. let
    g:f32[32,8] = dot_general[dimension_numbers=(([1], [1]), ([], []))] e a
    h:f32[32,8] = add g b
    i:f32[32,8] = max h 0.0:f32[]
    j:f32[32,1] = dot_general[dimension_numbers=(([1], [1]), ([], []))] i c
    k:f32[32,1] = sub j f
    l:f32[32,1] = integer_pow[y=2] k
    m:f32[] = reduce_sum[axes=(0, 1)] l
  in (m,) }
"""
HLO = "HloModule jit_step, is_scheduled=true\n\n" + "".join(
    f"  %fusion.{n} = f32[32,8]{{1,0}} fusion(%param.{n}), kind=kLoop, calls=%fused_computation.{n}\n"
    for n in range(80)
)
STABLEHLO = (
    "module @jit_step {\n"
    + "".join(f"    %{n} = stablehlo.add %{n}, %arg0 : tensor<32x8xf32>\n" for n in range(40))
    + "}\n"
)


def _layer(path: str, n_in: int, n_out: int) -> tuple[list[Leaf], list[Node]]:
    leaves = [
        array(f"{path}.weight", (n_out, n_in)),
        array(f"{path}.bias", (n_out,)),
        static(f"{path}.use_bias", "bool", "True", is_metadata=True),
    ]
    return leaves, [Node(path, "Linear", (".weight", ".bias"), 1)]


def _model(path: str = "model") -> tuple[list[Leaf], list[Node]]:
    first, first_nodes = _layer(f"{path}.layers[0]", 2, 8)
    last, last_nodes = _layer(f"{path}.layers[1]", 8, 1)
    activation = static(f"{path}.activation", "function", "<function relu from jax.nn>")
    nodes = [Node(path, "MLP", (".layers", ".activation"), 2), Node(f"{path}.layers", "tuple", ("[0]", "[1]"))]
    return [*first, *last, activation], nodes + first_nodes + last_nodes


def _step_signature(*, has_index: bool) -> Signature:
    model, model_nodes = _model()
    trace = "opt_state[0].trace"
    state = [
        array("opt_state[0].count", (), "int32", weak_type=has_index),
        array(f"{trace}.weight", (8, 2), donated=True),
        *([array(f"{trace}.index", (3,), "int32")] if has_index else []),
    ]
    state_nodes = [
        Node("opt_state", "tuple", ("[0]", "[1]")),
        Node("opt_state[0]", "TraceState", (".count", ".trace"), 3),
        Node(trace, "Params", (".weight", ".index"), 4),
        *([] if has_index else [Node(f"{trace}.index", "NoneType")]),
        Node("opt_state[1]", "EmptyState"),
    ]
    batch = [array("x", (32, 2)), array("y", (32, 1))]
    return Signature((*model, *state, *batch, static("lr", "float", "0.001")), (*model_nodes, *state_nodes))


def _step_outputs() -> dict[str, object]:
    leaves = (array("[0].layers[0].weight", (8, 2)), array("[0].layers[0].bias", (8,)), array("[1]", ()))
    nodes = (
        Node("", "tuple", ("[0]", "[1]")),
        Node("[0]", "MLP", (".layers", ".activation"), 2),
        Node("[0].layers", "tuple", ("[0]",)),
        Node("[0].layers[0]", "Linear", (".weight", ".bias"), 1),
    )
    return {"outputs": leaves, "output_nodes": nodes}


def recompile_by_treedef() -> Sample:
    """A training step that compiles twice: the optimiser state changes structure after the first update."""
    story = Story()
    step = story.function("step")
    cost = {"cost": Cost(1_250_000.0, 48_600.0), "memory": Memory(1_400, 260, 8_192, 0, 12_800)}
    story.miss(step, 0.05, (0.31, 0.12, 0.62), 0.01, _step_signature(has_index=True), (FIRST,), jaxpr=JAXPR,
               stablehlo=STABLEHLO, hlo=HLO, dropped=("opt_state[0].count",), **_step_outputs(), **cost)  # fmt: skip
    treedef = Reason(
        "treedef",
        "opt_state[0].trace.index",
        "array",
        "None",
        "`opt_state[0].trace.index` changed from `array` to `None`.",
        "Make the first state in the shape that the update returns, or keep an array where None came.",
    )
    dtype = Reason(
        "weak_type", "opt_state[0].count", "weak int32", "int32", "`opt_state[0].count` is no longer weakly typed."
    )
    story.miss(step, 1.15, (0.22, 0.1, 0.51), 0.01, _step_signature(has_index=False), (treedef, dtype), jaxpr=JAXPR,
               stablehlo=STABLEHLO, hlo=HLO, **_step_outputs(), **cost)  # fmt: skip
    for number in range(10):
        story.hit(step, 2.0 + 0.025 * number, 0.006, version=1)
    story.events.append(op_compiled(EPOCH_S + 0.03, "jit(iota)", 0.02))
    story.events.append(op_compiled(EPOCH_S + 0.04, "_threefry_split", 0.03))
    return story.end(2.3)


def only_hits() -> Sample:
    """A cell that only runs existing versions of two functions; the hits of one are lower bounds."""
    story = Story("In [7]", limits=(BOUND,), hits_seen="some")
    predict, loss = story.function("predict"), story.function("loss", "jax.jit", "train.py:31")
    model, nodes = _model()
    signature = Signature((*model, array("x", (5, 2))), tuple(nodes))
    for number in range(12):
        story.hit(predict, 0.01 * number, 0.004, signature=signature if number == 0 else None, source="In [7]:2")
    story.hit(loss, 0.2, 0.002, signature=Signature((array("x", (5, 2)),)), source="In [7]:4")
    return story.end(0.25)


def error_in_trace() -> Sample:
    """A cell whose second call fails during its trace."""
    story = Story("In [9]")
    loss = story.function("Model.loss", origin="model.py:88")
    good = Signature((array("w", (3, 4)), array("x", (4, 2))))
    bad = Signature((array("w", (3, 4)), array("x", (5, 2))))
    story.miss(loss, 0.01, (0.02, 0.01, 0.04), 0.001, good, (FIRST,), outputs=(array("", ()),), source="In [9]:2")
    shape = Reason(
        "shape", "x", "f32[4,2]", "f32[5,2]", "`x` has another shape.", "Pad the batch, or drop the last one."
    )
    message = "TypeError: dot_general requires contracting dimensions to have the same shape, got (4,) and (5,)."
    story.miss(loss, 0.1, (0.006,), 0.0, bad, (shape,), error=message, source="In [9]:3")  # type: ignore[arg-type]
    return story.end(0.12, message)


def huge() -> Sample:
    """One function of twenty thousand leaves, of which one changed its dtype."""
    story = Story("In [4]")
    update = story.function("update", "jax.jit")
    story.miss(update, 0.1, (1.2, 0.8, 9.5), 0.2, _blocks("float32"), (FIRST,))
    changed = "params['block57']['w113']"
    dtype = Reason("dtype", changed, "float32", "int32", f"`{changed}` has another dtype.", "Cast it before the call.")
    story.miss(update, 12.0, (1.1, 0.9, 9.1), 0.2, _blocks("int32"), (dtype,))
    return story.end(24.0)


def _blocks(dtype: str) -> Signature:
    leaves, nodes = [], [Node("params", "dict", tuple(f"['block{block}']" for block in range(100)))]
    for block in range(100):
        path = f"params['block{block}']"
        nodes.append(Node(path, "dict", tuple(f"['w{number}']" for number in range(200))))
        for number in range(200):
            is_odd = (block, number) == (57, 113)
            leaves.append(array(f"{path}['w{number}']", (16, 16), dtype if is_odd else "float32"))
    return Signature(tuple(leaves), tuple(nodes))


NASTY = "</script><img src=x onerror=alert(1)>"


def nasty() -> Sample:
    """Names, values and messages that try to break out of their place."""
    story = Story("In [1]", limits=(f"limit {NASTY}",), hits_seen="none")
    name = f"<lambda>{NASTY}"
    evil = story.function(name, NASTY, NASTY)
    leaves = (
        array(f"batch['{NASTY}']", (2,), weak_type=True),
        static("mode", f"Mode{NASTY}", f"'\x1b[31m red \u202e{NASTY}\ud800 & \"quoted\"\n2nd line'"),
        static("long", "str", "'" + "x" * 5000 + "'"),
    )
    nodes = (Node("batch", NASTY, (f"['{NASTY}']",)), Node("nothing", "NoneType"))
    signature = Signature(leaves, nodes, is_partial=True, note=NASTY)
    value = Reason("static_value", "mode", f"'{NASTY}'", "'y'" * 500, f"`mode` is another value {NASTY}", NASTY)
    story.miss(evil, 0.001, (0.001, 0.0, 0.002), 0.0, signature, (FIRST,), jaxpr=NASTY + "\x00\n" * 30, source=NASTY)
    story.miss(evil, 0.01, (0.001, 0.0, 0.002), 0.0, signature, (value,), source=NASTY)
    story.events.append(ev.CaptureFailed(EPOCH_S, NASTY, "ValueError: \x07 bell"))
    story.events.append(op_compiled(EPOCH_S, NASTY, 0.001))
    story.events.append(ev.StageNoted(EPOCH_S, evil, NASTY, NASTY))
    return story.end(0.02)


def hits_of_earlier_versions() -> Sample:
    """Hits of versions that earlier cells compiled."""
    story = Story("In [8]")
    step = story.function("step")
    for number, shape in enumerate(((3,), (4,))):
        started = ev.CompileStarted(EPOCH_S - 60, number, None, step, Signature((array("x", shape),)), is_before=True)
        story.events.append(started)
    for number in range(6):
        story.hit(step, 0.1 * number, 0.01, version=number % 2, source="In [8]:2")
    return story.end(1.0)


def still_compiling() -> Sample:
    """A step whose compile is still running."""
    story = Story()
    step = story.function("step")
    signature = Signature((array("x", (32, 2)),))
    story.miss(step, 0.2, (0.4, 0.3, 0.0), 0.0, signature, (FIRST,), is_over=False)
    story.events.append(op_compiled(EPOCH_S + 12.4, "jit(iota)", 0.02))
    return story.stop()


def namesakes() -> Sample:
    """Two functions of one name, with an argument of one name; the cheaper recompile is the one to avoid."""
    story = Story("In [4]")
    shape = Reason("shape", "x", "f32[3]", "f32[5]", "`x` changed its shape from f32[3] to f32[5].", inherent=True)
    summary = "`x` changed its shape from f32[3] to f32[7]."
    other = Reason("shape", "x", "f32[3]", "f32[7]", summary, "Pad it.")
    for at_s, module, thread, last, reason in (
        (0.0, "train", "loader", 5, shape),
        (1.5, "evaluate", "MainThread", 7, other),
    ):
        step = story.function("step", origin=f"{module}.py:7", module=module)
        for number, length in enumerate((3, last)):
            compile_s = 0.5 if module == "train" else 0.1
            signature = Signature((array("x", (length,)), array(f"{module}_state", (2,))))
            story.miss(
                step,
                at_s + 0.6 * number,
                (0.02, 0.01, compile_s),
                0.01,
                signature,
                (reason,) if number else (FIRST,),
                source=f"{module}.py:20",
                thread=thread,
            )
    return story.end(3.0)


def nothing() -> Sample:
    """A cell without a jitted call."""
    return Story("In [5]").end(0.4)


ALL = (
    recompile_by_treedef,
    only_hits,
    error_in_trace,
    huge,
    nasty,
    hits_of_earlier_versions,
    still_compiling,
    nothing,
    namesakes,
)
