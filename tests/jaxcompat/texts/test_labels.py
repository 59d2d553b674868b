"""File names inside program texts become labels, whatever characters they have; nothing else changes."""

import pytest

from jitviz.jaxcompat.texts.labels import label_hlo, label_stablehlo

LABEL = {'/home/é "b" \\/c.py': "c.py", "/home/x.py": 'In "3"'}.__getitem__
MODULE = r"""
module @jit_f {
  %0 = stablehlo.custom_call @g() {note = "/home/x.py"} : () -> tensor<3xf32> loc("f"("/home/x.py":1:2 to :3))
}
#loc1 = loc("/home/\C3\A9 \22b\22 \\/c.py":21:3 to 22:13)
#loc2 = loc("/home/x.py"(#loc1))
"""


def test_places_in_a_module_are_labelled() -> None:
    assert label_stablehlo(MODULE, LABEL) == (
        MODULE.replace('"/home/x.py":1', r'"In \"3\"":1').replace(r'"/home/\C3\A9 \22b\22 \\/c.py"', '"c.py"')
    )


TABLES = r"""HloModule jit_f, entry_computation_layout={()->f32[]}

FileNames
1 "/home/\303\251 \"b\" \\/c.py"
2 "/home/x.py"

FunctionNames
1 "/home/x.py"

ENTRY %main {
  ROOT %r = f32[] constant(1), metadata={op_name="1 \"/home/x.py\"" stack_frame_id=1}
}
"""


def test_the_table_of_files_is_labelled() -> None:
    table = r'1 "/home/\303\251 \"b\" \\/c.py"' + '\n2 "/home/x.py"\n'
    assert table in TABLES
    assert label_hlo(TABLES, LABEL) == TABLES.replace(table, '1 "c.py"\n2 "In \\"3\\""\n')


def test_the_files_in_instructions_are_labelled() -> None:
    first, second = '"/home/x.py"', r'"/home/\303\251 \"b\" \\/c.py"'
    text = f"""
  ROOT %r = f32[] add(%a, %b), metadata={{op_name="1 {first}" source_file={first} source_line=3}}
  %s = f32[] constant(1), metadata={{source_file={second} source_line=3}}
"""
    labelled = text.replace(f"source_file={first}", r'source_file="In \"3\""')
    assert label_hlo(text, LABEL) == labelled.replace(second, '"c.py"')


@pytest.mark.parametrize("text", ["", "HloModule f\n", "HloModule f\n\nFileNames\n"])
def test_a_text_without_files_is_unchanged(text: str) -> None:
    assert label_hlo(text, LABEL) == text
