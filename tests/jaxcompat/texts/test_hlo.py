from __future__ import annotations

import pytest

from jitviz.findings.program.places import FrameNumbers, Places
from jitviz.jaxcompat.texts import hlo

TABLES = """\
FileNames
1 "train.py"
2 "In [3]"

FunctionNames
1 "main"
2 "loss"

FileLocations
1 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=4 end_column=20}
2 {file_name_id=2 function_name_id=2 line=3 end_line=3 column=2 end_column=5}

"""
PLUS_ONE = """\
StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=2 parent_frame_id=1}
"""
AS_IT_IS = """\
StackFrames
1 {file_location_id=1 parent_frame_id=0}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=2 parent_frame_id=0}
"""
BODY = """\
%fused_computation (param_0: f32[4], param_1: f32[4]) -> f32[4] {
  %param_0 = f32[4]{0} parameter(0)
  %param_1 = f32[4]{0} parameter(1)
  %sin.1 = f32[4]{0} sine(%param_0), metadata={op_name="jit(f)/sin" stack_frame_id=2}
  ROOT %mul.1 = f32[4]{0} multiply(%sin.1, %param_1), metadata={op_name="jit(f)/{odd \\"}\\"}/mul" stack_frame_id=3}
}

ENTRY %main.2 (x: f32[4], y: (f32[4], s32[])) -> (f32[4], s32[]) {
  %x = f32[4]{0} parameter(0), metadata={op_name="x"}
  %y = (f32[4]{0}, /*index=1*/s32[]) parameter(1), metadata={op_name="y"}
  %get-tuple-element = f32[4]{0} get-tuple-element(%y), index=0
  %fusion = f32[4]{0} fusion(%x, %get-tuple-element), kind=kLoop, calls=%fused_computation, metadata={op_name="jit(f)/mul" stack_frame_id=3}
  %copy.1 = f32[4]{0} copy(%fusion)
  %conditional = f32[4]{0} conditional(%p, %x, %x), branch_computations={%one, %two}
  ROOT %tuple = (f32[4]{0}, s32[]) tuple(%copy.1, %z)
}
"""  # noqa: E501 # as XLA writes it
HEAD = "HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n"
SHOWN = """\
HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

%fused_computation (param_0: f32[4], param_1: f32[4]) -> f32[4] {
  %param_0 = f32[4]{0} parameter(0)
  %param_1 = f32[4]{0} parameter(1)
  %sin.1 = f32[4]{0} sine(%param_0)
  ROOT %mul.1 = f32[4]{0} multiply(%sin.1, %param_1)
}

ENTRY %main.2 (x: f32[4], y: (f32[4], s32[])) -> (f32[4], s32[]) {
  %x = f32[4]{0} parameter(0)
  %y = (f32[4]{0}, /*index=1*/s32[]) parameter(1)
  %get-tuple-element = f32[4]{0} get-tuple-element(%y), index=0
  %fusion = f32[4]{0} fusion(%x, %get-tuple-element), kind=kLoop, calls=%fused_computation
  %copy.1 = f32[4]{0} copy(%fusion)
  %conditional = f32[4]{0} conditional(%p, %x, %x), branch_computations={%one, %two}
  ROOT %tuple = (f32[4]{0}, s32[]) tuple(%copy.1, %z)
}
"""


@pytest.mark.parametrize("tables", [TABLES + PLUS_ONE + "\n\n", TABLES + AS_IT_IS + "\n\n", ""])
def test_the_shown_text_has_neither_tables_nor_metadata(tables: str) -> None:
    assert hlo.show(HEAD + tables + BODY) == SHOWN


def test_instructions_are_read_with_their_operands_and_computations() -> None:
    module = hlo.read_module(HEAD + TABLES + PLUS_ONE + "\n\n" + BODY, Places())
    assert module.entry == "main.2"
    shown = SHOWN.split("\n")
    for instructions in module.computations.values():
        for one in instructions:
            assert f"%{one.name} = {one.type} {one.opcode}(" in shown[one.line]
    assert [(one.opcode, one.operands, one.called, one.frame) for one in module.computations["main.2"]] == [
        ("parameter", [], [], 0),
        ("parameter", [], [], 0),
        ("get-tuple-element", ["y"], [], 0),
        ("fusion", ["x", "get-tuple-element"], [("calls", "fused_computation")], 3),
        ("copy", ["fusion"], [], 0),
        ("conditional", ["p", "x", "x"], [("branch_computations", "one"), ("branch_computations", "two")], 0),
        ("tuple", ["copy.1", "z"], [], 0),
    ]


def test_a_fusion_has_the_origins_of_its_instructions() -> None:
    module = hlo.read_module(HEAD + TABLES + PLUS_ONE + "\n\n" + BODY, Places())
    fusion = module.computations["main.2"][3]
    assert hlo.Insides(module).origins(fusion) == [(3, "jit(f)/mul"), (2, "jit(f)/sin"), (3, 'jit(f)/{odd "}"}/mul')]


@pytest.mark.parametrize("frames", [PLUS_ONE, AS_IT_IS])
def test_the_number_of_a_parent_frame_may_be_increased_by_one(frames: str) -> None:
    places = Places()
    module = hlo.read_module(HEAD + TABLES + frames + "\n\n" + BODY, places)
    main, loss = (0, 9), (1, 3)
    lines = {number: [places.line(frame) for frame in chain] for number, chain in module.chains.items()}
    assert lines == {0: [], 1: [main], 2: [main, loss], 3: [loss]}


def test_an_instruction_that_has_its_own_place_has_a_stack_of_one_frame() -> None:
    at_3 = 'source_file="In [3]" source_line=3 source_end_line=4 source_column=2 source_end_column=5'
    body = BODY.replace("stack_frame_id=2", at_3).replace("stack_frame_id=3", 'source_file="train.py" source_line=9')
    places = Places()
    module = hlo.read_module(HEAD + body, places)
    assert hlo.show(HEAD + body) == SHOWN
    assert [one.frame for one in module.computations["fused_computation"]] == [0, 0, 1, 2]
    assert [[places.frames[frame] for frame in module.chains[number]] for number in (1, 2)] == [
        [FrameNumbers(0, 0, 3, 2, 4, 5)],
        [FrameNumbers(1, 0, 9, -1, -1, -1)],
    ]


@pytest.mark.parametrize(
    ("line", "kind", "operands"),
    [
        ("%a = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} add(%b, %c)", "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}", ["b", "c"]),
        (
            "%a = (bf16[8]{0:T(8)}, (s32[], u8[3]{0:S(1)})) custom-call(bf16[8]{0:T(8)} %b.1, (s32[], s32[]) %c)",
            "(bf16[8]{0:T(8)}, (s32[], u8[3]{0:S(1)}))",
            ["b.1", "c"],
        ),
        ("%a = f32[2,2]{1,0} constant({ { 1, 2 }, { 3, 4 } })", "f32[2,2]{1,0}", []),
        ("%a = f32[4]{0} call(), to_apply=%f", "f32[4]{0}", []),
    ],
)
def test_types_and_operands_of_other_backends_are_read(line: str, kind: str, operands: list[str]) -> None:
    module = hlo.read_module(f"ENTRY %main () -> f32[] {{\n  {line}\n}}\n", Places())
    (instruction,) = module.computations["main"]
    assert (instruction.type, instruction.operands) == (kind, operands)


def test_a_computation_that_calls_itself_is_read() -> None:
    text = 'ENTRY %a () -> f32[] {\n  ROOT %x = f32[] call(), to_apply=%a, metadata={op_name="n"}\n}\n'
    module = hlo.read_module(text, Places())
    assert hlo.Insides(module).origins(module.computations["a"][0]) == [(0, "n")]
