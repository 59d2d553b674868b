"""The two doors for texts: into a recording, and out to a terminal."""

from jitviz.model.printable import one_line, printed


def test_a_name_becomes_one_line_without_control_characters() -> None:
    assert one_line("f\n[train.py] g") == "f\\n[train.py] g"
    assert one_line("\x1b[31m\x9b\u202e\u2028\ud800 \u4e2d") == "\\x1b[31m\\x9b\\u202e\\u2028\\ud800 \u4e2d"


def test_a_text_keeps_its_lines_and_tabs_but_no_other_control_characters() -> None:
    assert printed("a\tb\r\nc\x00\n\n") == "a\tb\nc\\x00\n\n"
