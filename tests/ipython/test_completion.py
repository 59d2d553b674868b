import pytest
from IPython.core import completer
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from jitviz import unload_ipython_extension

NAMES = "def _own(x): return x\ndef evaluate(x): return x\ndef train(x): return x\nrate = 0.1\n"


def offered(shell: InteractiveShell, text: str) -> list[str]:
    if not hasattr(completer, "context_matcher"):
        shell.Completer.use_jedi = False  # Colab has no Jedi; before IPython 8.6 its names would come in addition
    with provisionalcompleter():
        return [completion.text for completion in shell.Completer.completions(text, len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%filterjit ", ["--cell", "--quiz", "-f"]),
        ("%%filterjit -", ["--cell", "--quiz", "-f"]),
        ("%%filterjit --", ["--cell", "--quiz"]),
        ("%%filterjit --cell ", ["--quiz"]),
        ("%%filterjit --quiz ", ["--cell", "-f"]),
        ("%%filterjit -f ", ["evaluate", "train", "--quiz"]),
        ("%%filterjit -f train e", ["evaluate"]),
        ("%jitviz ", ["on", "off", "status", "report", "last", "clear", "save", "load", "why", "help"]),
        ("%jitviz s", ["status", "save"]),
        ("%jitviz help w", ["weak_type"]),
        ("%jitviz help static_", ["static_eq", "static_identity", "static_value"]),
    ],
)
def test_options_are_completed(shell: InteractiveShell, text: str, expected: list[str]) -> None:
    shell.run_cell(NAMES)
    assert offered(shell, text) == expected


@pytest.mark.parametrize(
    "text", ["ra", "%%filterjit -f train\nra", "%%time\nra", "%jitviz save /et", "%%filterjit -f nothing_like_it"]
)
def test_all_other_text_is_completed_as_without_jitviz(shell: InteractiveShell, text: str) -> None:
    shell.run_cell(NAMES)
    with_jitviz = offered(shell, text)
    unload_ipython_extension(shell)
    assert with_jitviz == offered(shell, text)


def test_the_names_of_the_magics_are_completed(shell: InteractiveShell) -> None:
    assert offered(shell, "%%filterj") == ["%%filterjit"]
    assert offered(shell, "%jitv") == ["%jitviz"]


def test_completion_runs_no_user_code(shell: InteractiveShell) -> None:
    shell.run_cell("class Shy:\n    def __getattribute__(self, name):\n        raise RuntimeError(name)\nshy = Shy()")
    assert "shy" not in offered(shell, "%%filterjit -f s")
    assert offered(shell, "%%filterjit -f S") == ["Shy"]
