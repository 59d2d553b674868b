import pytest
from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import TransformerManager

from jitviz.ipython.header import HeaderRemover, Request, find_request, parse_options


def transformed(cell: str) -> str:
    manager = TransformerManager()
    manager.cleanup_transforms.append(HeaderRemover())
    return manager.transform_cell(cell)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%filterjit\nf(x)\n", "# %%filterjit\nf(x)\n"),
        ("%%filterjit -f f g\nf(x)\n", "# %%filterjit -f f g\nf(x)\n"),
        ("\n\n  %%filterjit\n  f(x)\n", "# %%filterjit\nf(x)\n"),
        (">>> %%filterjit\n>>> f(x)\n", "# %%filterjit\nf(x)\n"),
        ("%%filterjit\n", "# %%filterjit\n"),
        ("%%filterjit\n%time f(x)\n", "# %%filterjit\nget_ipython().run_line_magic('time', 'f(x)')\n"),
        ("%%filterjit\n%%time\nf(x)\n", "get_ipython().run_cell_magic('time', '', 'f(x)\\n')\n"),
        ("%%filterjit\n\n%%time\nf(x)\n", "get_ipython().run_cell_magic('time', '', 'f(x)\\n')\n"),
        ("%%filterjit\n%%filterjit -f f\nf(x)\n", "# %%filterjit -f f\nf(x)\n"),
        ("# why?\n\n%%filterjit\nf(x)\n", "# why?\n\n# %%filterjit\nf(x)\n"),
        ("# why?\n%%filterjit\n%%time\nf(x)\n", "get_ipython().run_cell_magic('time', '', 'f(x)\\n')\n"),
        ("# why?\n%%filterjit --c\nf(x)\n", "get_ipython().run_cell_magic('filterjit', '--c', 'f(x)\\n')\n"),
        ("# why?\n%%time\nf(x)\n", "# why?\nget_ipython().run_line_magic('%time', '')\nf(x)\n"),
        ("%%filterjits\nf(x)\n", "get_ipython().run_cell_magic('filterjits', '', 'f(x)\\n')\n"),
        ("%%filterjit --cells\nf(x)\n", "get_ipython().run_cell_magic('filterjit', '--cells', 'f(x)\\n')\n"),
        ("%%filterjit?", "get_ipython().run_line_magic('pinfo', '%%filterjit')\n"),
        ("x = 1\n%%filterjit\n", "x = 1\nget_ipython().run_line_magic('%filterjit', '')\n"),
        ("f(x)\n", "f(x)\n"),
        ("", "\n"),
    ],
)
def test_the_header_is_removed_from_the_cell(cell: str, expected: str) -> None:
    assert transformed(cell) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%filterjit\nf(x)", Request((), "%%filterjit\nf(x)")),
        ("  \n  %%filterjit -f f\n  f(x)", Request(("f",), "%%filterjit -f f\nf(x)")),
        (">>> %%filterjit\n>>> f(x)", Request((), "%%filterjit\nf(x)")),
        ("%%filterjit -f f -f g f\n", Request(("f", "g"), "%%filterjit -f f -f g f\n")),
        ("%%time\n\n%%filterjit\nf(x)", Request((), "%%filterjit\nf(x)")),
        ("# why?\n%%filterjit\nf(x)", Request((), "%%filterjit\nf(x)")),
        ("%%filterjit --cell\nf(x)", Request((), "%%filterjit --cell\nf(x)", is_whole=True)),
        ("%%filterjit\n%%filterjit --cell\n", Request((), "%%filterjit\n%%filterjit --cell\n", is_whole=True)),
        ("%%filterjit -f f\n%%filterjit -f g\n", Request(("f", "g"), "%%filterjit -f f\n%%filterjit -f g\n")),
        (
            "%%filterjit --quiz --cell\nf(x)",
            Request((), "%%filterjit --quiz --cell\nf(x)", is_whole=True, has_quiz=True),
        ),
        (
            "%%filterjit --quiz\n%%filterjit -f f\n",
            Request(("f",), "%%filterjit --quiz\n%%filterjit -f f\n", has_quiz=True),
        ),
        ("%%filterjit --cells\nf(x)", None),
        ("%%filterjit?", None),
        ("%%time\nf(x)\n%%filterjit", None),
        ("f(x)", None),
        ("", None),
    ],
)
def test_a_request_is_found_at_the_head_of_the_cell(cell: str, expected: Request | None) -> None:
    assert find_request(cell) == expected


USAGE = " Write %%filterjit [--cell | -f NAME ...] [--quiz]; see %%filterjit?."


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--cells", "unrecognized arguments: --cells. Did you mean --cell?" + USAGE),
        ("--ce", "unrecognized arguments: --ce. Did you mean --cell?" + USAGE),
        ("--quizz", "unrecognized arguments: --quizz. Did you mean --quiz?" + USAGE),
        ("--cell -f f", "--cell already compiles the functions that the cell calls. Leave out -f."),
        ("step", "unrecognized arguments: step. Did you mean -f step?" + USAGE),
        ("-f", "argument -f: expected at least one argument." + USAGE),
        ("-f 'a", "No closing quotation." + USAGE),
        (
            "-f a.b",
            "-f takes names of functions, but 'a.b' is not a name. Write %%filterjit [--cell | -f NAME ...] [--quiz].",
        ),
    ],
)
def test_wrong_options_raise_the_usage(line: str, expected: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_options(line)
    assert str(refusal.value) == f"%%filterjit: {expected}"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("%%filterjit", "incomplete"), ("%%filterjit\nf(x)", "incomplete"), ("%%filterjit\nf(x)\n\n", "complete")],
)
def test_a_terminal_waits_for_the_body_as_for_every_cell_magic(typed: str, expected: str) -> None:
    manager = TransformerManager()
    assert manager.check_complete(typed)[0] == expected
    manager.cleanup_transforms.append(HeaderRemover())
    assert manager.check_complete(typed)[0] == expected
