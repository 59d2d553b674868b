"""Processes that compiled other programs from equal arguments."""

from dataclasses import replace

from jitviz.recording import Recording, merge
from jitviz.recording import events as ev
from jitviz.recording.codec import pack
from tests.findings.test_divergence import parted
from tests.recording.test_merging import of_process


def module(n_slices: int, *, file: str = "w.py", name: str = "step", scale: float = 2.0) -> str:
    """The text of a program that takes slices of its input, and scales them."""
    lines = [f"module @jit_{name} {{", "  func.func public @main(%arg0: tensor<8xf32>) -> tensor<f32> {"]
    for number in range(n_slices):
        size = 8 // n_slices
        bounds = f"[{number * size}:{number * size + size}]"
        lines.append(
            f"    %{number} = stablehlo.slice %arg0 {bounds} : (tensor<8xf32>) -> tensor<{size}xf32> loc(#loc1)"
        )
    lines += [
        f"    %cst = stablehlo.constant dense<{scale:e}> : tensor<f32> loc(#loc2)",
        "    return %cst : tensor<f32> loc(#loc)",
        "  } loc(#loc)",
        "} loc(#loc)",
        "#loc = loc(unknown)",
        f'#loc1 = loc("{name}"("{file}":7:8 to :20))',
        f'#loc2 = loc("{name}"("{file}":9:8 to :20))',
    ]
    return "\n".join(lines)


def ran(index: int | None, text: str, *, pid: int = 0, below: ev.Below = "") -> Recording:
    """A process that compiled this program for `step`, at its first call."""
    start, *events, end = of_process(index, 8, 8, pid=pid).events
    assert isinstance(start, ev.RecordingStarted)
    seen = ev.TextSeen(end.at_s, 10_008, "stablehlo", pack(text))
    return Recording([replace(start, below=below), *events, seen, end])


def test_the_process_with_another_program_is_named_and_the_line_whose_operations_differ() -> None:
    assert parted(ran(0, module(4)), ran(1, module(8)), ran(2, module(4))) == [
        "process 1 compiled another program for `step` at call 1: 8 slices at w.py:7 where process 0 has 4; the first "
        "operation that differs is `slice [0:1] : (tensor<8xf32>) -> tensor<1xf32>`, in process 0 "
        "`slice [0:2] : (tensor<8xf32>) -> tensor<2xf32>` at w.py:7"
    ]


def test_a_constant_that_differs_is_the_operation_that_is_named() -> None:
    assert parted(ran(0, module(4)), ran(1, module(4, scale=3.0))) == [
        "process 1 compiled another program for `step` at call 1: the first operation that differs is "
        "`constant dense<3.000000e+00> : tensor<f32>`, in process 0 `constant dense<2.000000e+00> : tensor<f32>` "
        "at w.py:9"
    ]


def test_a_moved_checkout_and_another_name_are_no_other_program() -> None:
    assert parted(ran(0, module(4)), ran(1, module(4, file="/elsewhere/w.py", name="other"))) == []


def test_a_version_from_before_the_recording_is_no_other_program_and_hides_none() -> None:
    def compiled_twice(recording: Recording) -> Recording:
        start, seen, *events = recording.events
        [begun] = (event for event in events if isinstance(event, ev.CompileStarted))
        earlier = replace(begun, compile=9, call=None, is_before=True, at_s=9.0)
        history = [earlier, ev.PhaseFinished(9.5, 9, "compile", 9.0), ev.CompileFinished(9.5, 9)]
        return Recording([start, seen, *history, *events])

    assert parted(ran(0, module(4)), compiled_twice(ran(1, module(4)))) == []
    (told,) = parted(ran(0, module(4)), compiled_twice(ran(1, module(8))))
    assert told.startswith("process 1 compiled another program for `step` at call 1: 8 slices at w.py:7 where")


def test_processes_of_a_tree_work_on_their_own_unless_they_are_numbered() -> None:
    def of_tree(below: ev.Below, index: int | None = None) -> list[str]:
        return parted(
            *(ran(index and index + place, module(4 + 4 * place), pid=1 + place, below=below) for place in (0, 1))
        )

    assert [len(of_tree("")), len(of_tree("child")), len(of_tree("worker")), len(of_tree("worker", 1))] == [1, 1, 0, 1]
    start, *events, end = of_process(None, 8, 8, 7, pid=2).events
    assert isinstance(start, ev.RecordingStarted)
    for below, n_found in (("", 1), ("child", 0), ("worker", 0)):
        grown = Recording([replace(start, below=below), *events, end])  # type: ignore[arg-type]
        assert len(parted(ran(None, module(4), pid=1, below="child"), grown)) == 0
        assert len(parted(of_process(None, 8, 8, 8, pid=1), grown)) == n_found


def test_a_program_that_differs_in_several_versions_is_one_finding() -> None:
    merged = merge(ran(0, module(4)), ran(1, module(8)))
    (found,) = [found for found in merged.findings if found.kind == "diverged"]
    assert (found.function, found.count, found.compiles, found.seconds) == ("step", 1, (1, 0), 1.0)
