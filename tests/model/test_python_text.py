"""Source is parsed without a warning of the parser."""

import ast
import warnings
from types import SimpleNamespace

import pytest

from jitviz.model import python_text, system
from jitviz.model.python_text import parse

ESCAPES = r'''
text = "\d" + '\'' + "\\" + r"\w\"" + """\"""" + b"\q".decode()
words = [f"{text}\n\N{EM DASH}{text!r}\{text}", "a \
b"]; total = 1 + \
    2
'''


def places(tree: ast.AST) -> list[tuple[str, int, int]]:
    """Every node except the parts of strings, with its end."""
    kept = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.stmt | ast.List)]
    return [(type(node).__name__, node.end_lineno or 0, node.end_col_offset or 0) for node in kept]


def test_every_node_keeps_its_place() -> None:
    tree = parse(ESCAPES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ast.parse(ESCAPES)
    assert tree is not None
    assert places(tree) == places(expected)


def test_escapes_cause_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(ESCAPES) is not None
        with pytest.raises(SyntaxError):
            ast.parse(ESCAPES)


@pytest.mark.parametrize("text", ["def f(:\n", "\0", "(" * 10_000, "-" * 100_000 + "1"])
def test_text_that_is_not_python_has_no_tree(text: str) -> None:
    assert parse(text) is None


def test_it_waits_while_another_thread_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even below a callback of the garbage collector; two at once would break each other's in some versions."""
    naps: list[float] = []
    parser = SimpleNamespace(
        f_code=SimpleNamespace(co_name="ast_parse", co_filename="/IPython/core/compilerop.py"), f_back=None
    )
    callback = SimpleNamespace(f_code=SimpleNamespace(co_name="parse", co_filename="/work/train.py"), f_back=parser)
    monkeypatch.setattr(python_text, "_IS_ALONE", True)
    monkeypatch.setattr(python_text, "_frames", lambda: {1: callback} if len(naps) < 3 else {})
    monkeypatch.setattr(system, "sleep", naps.append)
    assert parse("x = 1") is not None
    assert naps == [0.001] * 3
