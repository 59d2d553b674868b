"""Known lines of real programs, followed through jaxpr, StableHLO and HLO and back."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.views.program import shape_listing

from . import programs
from .panes import PANES, Pane, Panes
from .programs import line_of

# How each operation is written in the three texts.
TANH = (r"= tanh ", r"stablehlo\.tanh", r" tanh\(")
COS = (r"= cos ", r"stablehlo\.cosine", r" cosine\(")
SIN = (r"= sin ", r"stablehlo\.sine", r" sine\(")
EXP = (r"= exp ", r"stablehlo\.exponential", r" exponential\(")
LOG = (r"= log1p ", r"stablehlo\.log_plus_one", r" log-plus-one\(")
RSQRT = (r"= rsqrt ", r"stablehlo\.rsqrt", r" rsqrt\(")


def written_in(operation: tuple[str, str, str]) -> list[tuple[Pane, str]]:
    return list(zip(PANES, operation, strict=True))


# JAX of before 0.11 tells of what it folded into a program as if it stood where it was called.
# JAX of before 0.8 tells of the innermost place alone in HLO, and of a solver in its library.
IS_WHOLE = jax.__version_info__ >= (0, 8)
HAS_INLINED_FRAMES = jax.__version_info__ >= (0, 11)


@pytest.fixture
def rnn() -> Panes:
    return Panes(*programs.rnn())


@pytest.fixture
def transformer() -> Panes:
    return Panes(*programs.transformer())


@pytest.mark.parametrize(("pane", "written"), written_in(TANH))
def test_an_operation_in_a_jitted_cell_of_a_scan_has_its_whole_call_stack(rnn: Panes, pane: Pane, written: str) -> None:
    whole = (line_of("scan") + 6, line_of("scan"), line_of("step"), line_of("tanh"))
    assert rnn.above(pane, written) == {whole}
    assert any(re.search(written, line) for line in rnn.below(line_of("tanh"), pane))


@pytest.mark.parametrize(("pane", "written"), written_in(COS))
def test_an_operation_in_the_body_of_a_scan_is_below_its_line(rnn: Panes, pane: Pane, written: str) -> None:
    assert any(re.search(written, line) for line in rnn.below(line_of("step"), pane))
    assert not any(re.search(written, line) for line in rnn.below(line_of("tanh"), pane))


@pytest.mark.parametrize("pane", PANES)
def test_the_forward_and_backward_pass_of_a_line_are_distinguished(rnn: Panes, pane: Pane) -> None:
    forward = rnn.below(line_of("tanh"), pane, "forward")
    backward = rnn.below(line_of("tanh"), pane, "backward")
    written = TANH[PANES.index(pane)]
    assert any(re.search(written, line) for line in forward)
    assert backward
    assert not any(re.search(written, line) for line in backward if "fusion" not in line)
    assert rnn.below(line_of("tanh"), pane, "plain") == []


@pytest.mark.parametrize("pane", PANES)
def test_every_line_of_a_model_is_in_every_pane(transformer: Panes, pane: Pane) -> None:
    for name in ("norm", "softmax", "gelu", "body", "logits", "value_and_grad", "adam"):
        assert transformer.below(line_of(name), pane), name


@pytest.mark.parametrize(("pane", "written"), written_in(RSQRT))
def test_an_operation_is_below_each_line_of_its_call_stack(transformer: Panes, pane: Pane, written: str) -> None:
    start = (line_of("value_and_grad"), line_of("body"))
    stacks = transformer.above(pane, written)
    assert {stack[:2] for stack in stacks} == {start}
    if pane != "hlo" or IS_WHOLE:
        assert {stack[2] for stack in stacks} == {line_of("softmax") - 1, line_of("gelu")}
    assert {stack[3] for stack in stacks if len(stack) > 3} == {line_of("norm")}


@pytest.mark.parametrize("pane", PANES)
def test_a_library_without_shown_source_is_in_the_stacks(transformer: Panes, pane: Pane) -> None:
    links, origins = transformer.links, transformer.origins(pane)
    files = {links.files[links.frames.file[links.stacks.frame[stack]]] for stack in origins.stack if stack >= 0}
    assert "optax/_src/transform.py" in files
    assert not [file for file in files if file.startswith(("jax/", "jitviz/"))]


def test_a_constant_is_below_the_line_that_uses_it(transformer: Panes) -> None:
    origins, text = transformer.links.stablehlo, transformer.lines("stablehlo")
    stacks = [
        stack for line, stack in zip(origins.line, origins.stack, strict=True) if "stablehlo.constant" in text[line]
    ]
    assert stacks
    assert min(stacks) >= 0


def test_a_fusion_shows_all_its_source_lines(transformer: Panes) -> None:
    origins, text = transformer.links.hlo, transformer.lines("hlo")
    lines_of: dict[int, set[int]] = {}
    for line, stack in zip(origins.line, origins.stack, strict=True):
        lines_of.setdefault(line, set()).update(transformer.stack_lines(stack)[-1:])
    fusions = {line for line, one in enumerate(text) if " fusion(" in one}
    assert max(len(lines_of[line]) for line in fusions if line in lines_of) > 1
    for line in fusions:
        computation = re.search(r"calls=%([\w.\-]+)", text[line])
        assert computation is not None
        start = next(number for number, one in enumerate(text) if one.startswith(f"%{computation[1]} ("))
        inside: set[int] = set()
        for number in range(start, text.index("}", start)):
            inside |= lines_of.get(number, set())
        assert inside <= lines_of.get(line, set())


@pytest.mark.parametrize(("pane", "written"), written_in(SIN))
def test_a_vector_field_is_found_inside_a_differential_equation_solver(pane: Pane, written: str) -> None:
    panes = Panes(*programs.equation())
    if pane != "jaxpr" and not IS_WHOLE:  # the locations end in the library
        assert panes.above(pane, written) == {(line_of("diffeqsolve"),)}
        return
    assert panes.above(pane, written) == {(line_of("diffeqsolve"), line_of("field"))}
    below = panes.below(line_of("field"), pane)
    assert any(re.search(written, line) for line in below)
    assert len(panes.below(line_of("diffeqsolve"), pane)) > len(below)


@pytest.mark.parametrize(("pane", "written"), written_in(EXP))
def test_the_operations_of_an_inlined_function_are_below_each_of_its_calls(pane: Pane, written: str) -> None:
    panes = Panes(*programs.nested())
    inner = (line_of("exp"),) if HAS_INLINED_FRAMES else ()
    assert panes.above(pane, written) >= {(line_of("first call"), *inner)}
    assert any(re.search(written, line) for line in panes.below(line_of("second call"), pane))
    assert all(stack[0] in (line_of("first call"), line_of("second call")) for stack in panes.above(pane, written))


@pytest.mark.parametrize(("pane", "written"), written_in(LOG))
def test_a_batched_gradient_leads_back_to_the_line_of_the_function(pane: Pane, written: str) -> None:
    panes = Panes(*programs.batched())
    assert panes.above(pane, written) == {(line_of("vmap"), line_of("log1p"))}
    assert panes.below(line_of("log1p"), pane, "forward")
    assert panes.below(line_of("log1p"), pane, "backward")


def test_stacks_do_not_depend_on_how_deep_the_function_is_called() -> None:
    """JAX may cut off the outer end of a stack, and repeat the frames around a scan for each of its operations."""
    source = "def call_0(f, *args): return f(*args)\n"
    source += "".join(f"def call_{depth}(f, *args): return call_{depth - 1}(f, *args)\n" for depth in range(1, 13))
    scope: dict[str, Any] = {}
    exec(compile(source, "callers.py", "exec"), scope)
    programs.rnn_grad.clear_cache()
    args = jnp.ones((8, 8)), jnp.ones((5, 8))
    deep = Panes(*programs.record(scope["call_12"], programs.rnn_grad, *args))
    programs.rnn_grad.clear_cache()
    shallow = Panes(*programs.record(programs.rnn_grad, *args))
    for pane in PANES:
        assert deep.lines(pane) == shallow.lines(pane)
        stacks = [[panes.stack_lines(stack) for stack in panes.origins(pane).stack] for panes in (deep, shallow)]
        assert stacks[0] == stacks[1]
    assert deep.links.files == shallow.links.files == (programs.LABEL,)
    assert deep.links.functions == shallow.links.functions


@pytest.mark.parametrize("make", programs.ALL)
def test_every_frame_file_and_function_is_in_use(make: programs.Make) -> None:
    links = Panes(*make()).links
    assert set(links.stacks.frame) == set(range(len(links.frames.line)))
    assert {*links.frames.file, *(block.file for block in links.sources)} == set(range(len(links.files)))
    assert set(links.frames.function) == set(range(len(links.functions)))
    assert {*links.jaxpr.name, *links.stablehlo.name, *links.hlo.name} <= set(range(len(links.names)))
    assert set(links.lines.file) <= set(range(len(links.files)))


@pytest.mark.parametrize("make", programs.ALL)
@pytest.mark.parametrize("pane", PANES)
def test_each_origin_is_of_a_line_that_holds_an_operation(make: programs.Make, pane: Pane) -> None:
    panes = Panes(*make())
    text, origins = panes.lines(pane), panes.origins(pane)
    assert list(origins.line) == sorted(origins.line)
    assert origins.line[-1] < len(text)
    if pane == "jaxpr":
        is_operation = re.compile(r" = |^\s*[a-z_]\w*\[|^\s*[a-z_]\w* [a-z]|:\w+\[.*\]$")
    else:
        is_operation = re.compile(r" = |^\s*(?:stablehlo\.)?return |stablehlo\.\w+")
    assert [text[line] for line in set(origins.line) if not is_operation.search(text[line])] == []


@pytest.mark.parametrize("make", programs.ALL)
@pytest.mark.parametrize("pane", PANES)
def test_every_operation_of_a_text_has_an_origin_or_is_marked_as_having_none(make: programs.Make, pane: Pane) -> None:
    panes = Panes(*make())
    told = set(panes.origins(pane).line)
    operation = {
        "jaxpr": r" = [a-z_]\w*",
        "stablehlo": r" = \"?(?:stablehlo\.(?!constant)|func\.call|call )",
        "hlo": r" = (?:\(.*?\)|\S+) (?!parameter|constant|tuple|get-tuple-element|bitcast)[a-z-]+\(",
    }[pane]
    text = panes.lines(pane)
    untold = {number for number, line in enumerate(text) if re.search(operation, line)} - told
    if pane == "jaxpr":  # an equation with many outputs starts on the line of its first output
        outputs = re.compile(r"\s*(?:\w+:\S+\s*)+")
        untold -= {number for number in untold if outputs.fullmatch(text[number - 1])}
    assert [text[number] for number in untold if not text[number].startswith("let ")] == []


@pytest.mark.parametrize("make", programs.ALL)
def test_shown_texts_have_no_locations_and_no_tables(make: programs.Make) -> None:
    recording, compile = make()
    assert shape_listing(recording, compile, "jaxpr") == recording.compiles[compile].jaxpr
    assert shape_listing(recording, compile, "stablehlo") == recording.compiles[compile].stablehlo
    hlo = shape_listing(recording, compile, "hlo")
    whole = recording.compiles[compile].hlo or ""
    assert "metadata=" not in hlo
    assert "StackFrames" not in hlo
    assert len(re.findall(r"(?m)^ .* = ", hlo)) == len(re.findall(r"(?m)^ .* = ", whole))
