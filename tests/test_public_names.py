import subprocess
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import jitviz
from jitviz import model

NAMES = [
    "RecompileError", "Recording", "__version__", "assert_max_traces", "combine", "compare", "configure",
    "diff", "explain", "filter_grad", "filter_jit", "filter_value_and_grad", "graph", "is_array",
    "is_inexact_array", "load", "load_ipython_extension", "merge", "no_recompiles", "num_traces", "partition",
    "predict", "record", "score", "show", "unload_ipython_extension", "watch", "work",
]  # fmt: skip  # a table


def modules_after(code: str) -> set[str]:
    """The modules that a new Python process has imported after running `code`."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_public_names_are_these() -> None:
    assert jitviz.__all__ == NAMES
    assert dir(jitviz) == [name for name in NAMES if not name.endswith("load_ipython_extension")]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(jitviz, name) is not None


def test_any_other_name_raises_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'jitviz' has no attribute 'filterjit'$"):
        jitviz.filterjit  # noqa: B018  # asking is the test


def test_rows_that_a_recording_hands_out_cannot_be_changed_and_are_hashable() -> None:
    rows = [kind for kind in vars(model).values() if isinstance(kind, type) and is_dataclass(kind)]
    assert {model.Call, model.Compile, model.Signature, model.Leaf, model.Reason} <= set(rows)
    for row in rows:
        assert row.__setattr__ is not object.__setattr__, row
        assert row.__hash__ is not None, row


def test_importing_jitviz_imports_almost_nothing() -> None:
    loaded = modules_after("import jitviz")
    assert {name for name in loaded if name.startswith("jitviz")} == {"jitviz"}
    assert not loaded & {"IPython", "anywidget", "ipywidgets", "jax", "numpy", "graphviz"}


def test_no_public_name_for_scripts_imports_ipython_or_a_widget() -> None:
    names = ["filter_jit", "record", "load", "show", "explain", "no_recompiles"]
    loaded = modules_after("; ".join(["import jitviz", *(f"jitviz.{name}" for name in names)]))
    assert not loaded & {"IPython", "anywidget", "ipywidgets"}


def test_loading_the_extension_imports_no_display_code() -> None:
    loaded = modules_after("import jitviz.ipython")
    assert {name for name in loaded if name.startswith(("jitviz.display", "jitviz.findings", "jitviz.views"))} == set()
    assert not loaded & {"anywidget", "ipywidgets", "graphviz"}


def test_a_recording_is_read_and_drawn_without_jax() -> None:
    code = "\n".join(
        [
            "import sys",
            "sys.modules['jax'] = sys.modules['numpy'] = None",
            "import jitviz",
            "recording = jitviz.Recording()",
            "jitviz.compare(recording, recording), recording.to_json()",
            "str(recording), jitviz.explain(recording), recording._repr_html_(), jitviz.merge(recording)",
        ]
    )
    assert "jitviz.capture" not in modules_after(code)


@pytest.mark.parametrize(("name", "paths"), [("show", ["a"]), ("compare", ["a", "b"]), ("merge", ["a", "b"])])
def test_a_path_where_a_recording_belongs_is_refused_with_the_next_step(name: str, paths: list[str]) -> None:
    with pytest.raises(TypeError) as error:
        getattr(jitviz, name)(*paths)
    assert str(error.value) == f'{name} takes a recording, such as `jitviz.load("run.jsonl")`, not str'


@pytest.mark.parametrize("name", ["to_html", "to_json", "to_perfetto"])
def test_a_file_that_cannot_be_written_is_named_as_the_user_named_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "none" / "run"
    with pytest.raises(FileNotFoundError) as error:
        getattr(jitviz.Recording(), name)(path)
    assert error.value.filename == str(path)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: jitviz.load(3), 'load takes a path, such as "run.jsonl", not int'),  # type: ignore[arg-type]
        (lambda: jitviz.load("."), "^. is a folder. Load one of its files, or write `jitviz show .` for all of them.$"),
        (lambda: jitviz.record(len), "record takes a label, not .*. Write `with jitviz.record.. as rec:`."),  # type: ignore[arg-type]
        (lambda: jitviz.record(max_bytes="64MB"), "max_bytes is a number of bytes, .* or None, not '64MB'."),  # type: ignore[arg-type]
        (lambda: jitviz.watch(every="1m"), "every must be a positive number of seconds, not '1m'."),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_argument_is_refused_at_the_call_with_what_to_write(call: Callable[[], object], told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        call()


def test_python_names_what_a_mistyped_name_may_have_meant() -> None:
    with pytest.raises(AttributeError) as raised:
        jitviz.recrod  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("recrod", jitviz)  # of which Python makes "Did you mean"
