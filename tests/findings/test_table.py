"""What people see of findings and other values in a prompt and in a notebook."""

import jitviz
from jitviz.model import Finding
from jitviz.model.finding import Account, LineShare, Part
from jitviz.model.printable import Numbered, Words
from tests.findings.runs import Run
from tests.reasons.samples import array


def two_sizes() -> jitviz.Recording:
    run = Run()
    for size in (4, 3):
        run.call("step", array("x", (size, 8)), seconds=1.5)
    return run.end()


def test_findings_are_a_table() -> None:
    findings = two_sizes().findings
    assert findings == (findings[0],)
    assert repr(findings) == (
        "    saves             what, and what to do\n"
        "[0] 1 compile, 1.5 s  `step` at train.py:7: `x` changed its shape from f32[4,8] to f32[3,8]\n"
        "                      → Pad `x` to 4 with `np.pad`, and mask out the padding: 1 compile instead of\n"
        "                      2."
    )
    html = findings._repr_html_()
    assert html.count("<tr>") == 2
    assert ">1 compile, 1.5 s</td>" in html
    assert repr(jitviz.Recording([]).findings) == "Nothing worth changing was found."


def test_one_finding_is_shown_whole_with_its_code() -> None:
    (finding,) = two_sizes().findings
    summary, advice, saves, paste, *code = repr(finding).split("\n")
    assert summary == "recompile of step at train.py:7: `x` changed its shape from f32[4,8] to f32[3,8]"
    assert advice == f"→ {finding.advice}"
    assert (saves, paste) == ("saves 1 compile, 1.5 s", "code to paste:")
    assert code == finding.code.rstrip().split("\n")


def test_a_compile_says_why_and_what_it_cost_and_a_signature_has_a_line_for_each_leaf() -> None:
    _, row = two_sizes().compiles
    assert repr(row) == (
        "step, version 2, called at train.py:7: 1.5 s (trace 500 ms, lower 500 ms, compile 500 ms)\n"
        "  shape: `x` changed its shape from f32[4,8] to f32[3,8].\n"
        "    → Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding.\n"
        "  ● x  f32[3,8]"
    )
    assert repr(row.signature) == "● x  f32[3,8]"


def test_compiles_and_calls_are_lists_with_an_index_before_each() -> None:
    run = two_sizes()
    assert repr(run.compiles) == (
        "[0] step, version 1, called at train.py:7: 1.5 s (trace 500 ms, lower 500 ms, compile 500 ms)\n"
        "      first: `step` was compiled for the first time.\n"
        "[1] step, version 2, called at train.py:7: 1.5 s (trace 500 ms, lower 500 ms, compile 500 ms)\n"
        "      shape: `x` changed its shape from f32[4,8] to f32[3,8]."
    )
    assert repr(run.calls) == (
        "[0] step at train.py:7: compile, version 1, 1.5 s\n[1] step at train.py:7: compile, version 2, 1.5 s"
    )
    assert repr(Numbered(range(22))).endswith("[19] 19\n… and 2 more")
    assert repr(Numbered([])) == "[]"


def test_a_reason_says_what_to_do() -> None:
    (reason,) = two_sizes().compiles[1].reasons
    assert repr(reason) == (
        "shape: `x` changed its shape from f32[4,8] to f32[3,8].\n"
        "  → Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding."
    )


def test_an_account_has_a_row_for_each_kind_of_work_the_most_expensive_first() -> None:
    parts = Part("compile", 3.0, (LineShare("train.py:7", 3.0),)), Part("python", 1.0)
    assert repr(Account(4.0, parts)) == (
        "4.0 s in all\n   3.0 s  75%  XLA\n                 3.0 s  train.py:7\n   1.0 s  25%  Python"
    )


def test_names_of_the_program_move_no_cursor_and_are_no_html() -> None:
    hostile = Finding("stale", "\x1b[2Jf<b>", summary="`\x1b[2Jf<b>` ran\rold")
    assert "\x1b" not in repr(hostile)
    assert "<b>" not in hostile._repr_html_()


def test_an_explanation_is_shown_as_it_reads() -> None:
    assert repr(Words("one\ntwo")) == "one\ntwo"
    assert isinstance(jitviz.explain(two_sizes()), Words)
