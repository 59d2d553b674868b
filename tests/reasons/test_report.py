import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from jitviz.model import Call, Compile, Function
from jitviz.reasons import explain

from .rows import called, compiled, reason

FIRST = compiled(reason("first"))
SHAPE = compiled(
    reason("shape", "x", advice="Pad it."),
    reason("config_context", "jax_enable_x64", inherent=True),
    version=2,
    seconds=(0.5, None, 3.0),
    source="In [3]:2",
)


@dataclass
class Recorded:
    compiles: Sequence[Compile] = ()
    calls: Sequence[Call] = field(default_factory=tuple)


def test_a_recording_is_explained_in_full() -> None:
    other = compiled(reason("first"), function="evaluate", seconds=(0.004, 0.006, 0.03))
    recording = Recorded([FIRST, other, SHAPE], [called(), called(version=1, function="evaluate")])
    assert explain(recording) == (
        """\
step: 2 compiles, 5.50 s; 1 recompile, 0 avoidable
  version 1: 2.00 s (trace 250 ms, lower 250 ms, compile 1.50 s), hits not known per version, at train.py:30
    [first] the first of it.
  version 2: 3.50 s (trace 500 ms, lower time not known, compile 3.00 s), hits not known per version, at In [3]:2
    [shape] the shape of it.
      -> Pad it.
    [config_context] (expected) the config_context of it.

evaluate: 1 compile, 40 ms
  version 1: 40 ms (trace 4 ms, lower 6 ms, compile 30 ms), 1 hit, at train.py:30
    [first] the first of it.

Seconds by cause:
    3.50 s  shape: 1 compile, 1 recompile, 0 avoidable; some times are not known
    2.04 s  first: 2 compiles, 0 recompiles, 0 avoidable

Seconds by call site:
    3.50 s  In [3]:2: 1 compile, 1 recompile, 0 avoidable; some times are not known
    2.04 s  train.py:30: 2 compiles, 0 recompiles, 0 avoidable"""
    )


def test_functions_of_one_name_are_explained_apart() -> None:
    lambdas = [Function("<lambda>", "<lambda>", "m", "jax.jit", lineage, 1) for lineage in ("one", "other")]
    rows = [compiled(reason("first"), function="<lambda>", function_info=info) for info in lambdas]
    calls = [replace(called(version=1, function="<lambda>"), function_info=lambdas[0])]
    report = explain(Recorded(rows, calls)).split("Seconds by cause")[0]
    assert re.findall("<lambda>: .*|[0-9]+ hits?", report) == [
        "<lambda>: 1 compile, 2.00 s",
        "1 hit",
        "<lambda>: 1 compile, 2.00 s",
        "0 hits",
    ]


def test_one_compile_is_explained_alone() -> None:
    failed = compiled(reason("dtype", "x"), seconds=(), source="", status="failed", error="TypeError: no")
    assert explain(failed) == "version 1: 0 ms, failed: TypeError: no\n  [dtype] the dtype of it."


def test_compiles_without_calls_say_nothing_of_hits() -> None:
    assert "hit" not in explain([FIRST, SHAPE])


def test_a_recording_without_compiles_says_so() -> None:
    assert explain(Recorded()) == "Nothing was compiled."


def test_anything_else_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^explain takes a recording, a compile or compiles, not int$"):
        explain(3)  # type: ignore[arg-type]
