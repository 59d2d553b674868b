"""Source is parsed without a warning of the parser."""

import ast
import gc
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from jitviz.model import python_text, system
from jitviz.model.python_text import copied, expression, parse

ESCAPES = r'''
text = "\d" + '\'' + "\\" + r"\w\"" + """\"""" + b"\q".decode() + "\377" + rb"\_"
words = [f"{text}\n\N{EM DASH}{text!r}\{text}", "a \
b"]; total = 1 + \
    2
'''


def test_the_tree_is_that_of_python() -> None:
    tree = parse(ESCAPES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ast.parse(ESCAPES)
    assert tree is not None
    assert ast.dump(tree, include_attributes=True) == ast.dump(expected, include_attributes=True)


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
    finalizer = SimpleNamespace(f_code=SimpleNamespace(co_name="close", co_filename="/work/train.py"), f_back=parser)
    callback = SimpleNamespace(f_code=SimpleNamespace(co_name="parse", co_filename="/work/train.py"), f_back=finalizer)
    monkeypatch.setattr(python_text, "_IS_ALONE", True)
    monkeypatch.setattr(python_text, "_frames", lambda: {1: callback} if len(naps) < 3 else {})
    monkeypatch.setattr(system, "sleep", naps.append)
    assert parse("x = 1") is not None
    assert naps == [0.001] * 3


def test_a_parse_of_another_thread_survives_the_callbacks_of_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a callback is where a thread that parses lets another one run, as JAX has it."""
    monkeypatch.setattr(python_text, "_IS_ALONE", True)
    collected: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        caller = sys._getframe(1).f_code
        if caller is ast.parse.__code__:
            collected.append(phase)

    gc.callbacks.append(note)
    try:
        assert parse("x = [" + "1, " * 20_000 + "]") is not None
        assert collected == []
    finally:
        gc.callbacks.remove(note)
    assert gc.isenabled()
    gc.disable()
    try:
        assert parse("x = 1") is not None
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_may_run_beside_the_user_parses_nowhere_else() -> None:
    """The commands of IPython run in the user's own thread."""
    package = Path(python_text.__file__).parents[1]
    texts = {path.relative_to(package).as_posix(): path.read_text() for path in package.rglob("*.py")}
    calls = re.compile(r"\bast\.parse\(|literal_eval\([a-z_]+\)")
    assert {name.partition("/")[0] for name, text in texts.items() if calls.search(text)} == {"model", "ipython"}


def test_a_copy_of_a_tree_leaves_out_what_others_put_on_its_nodes() -> None:
    tree = expression("f(x)[1] if a else b")
    shared = tree.body.value.func.ctx  # type: ignore[attr-defined]  # the same object in all trees
    shared.parent = tree
    try:
        copy = copied(tree)
    finally:
        del shared.parent
    assert ast.dump(copy, include_attributes=True) == ast.dump(tree, include_attributes=True)
    assert not {id(node) for node in ast.walk(copy)} & {id(node) for node in ast.walk(tree)}
    assert not any(hasattr(node, "parent") for node in ast.walk(copy))
