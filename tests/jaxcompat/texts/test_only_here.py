"""Only `jitviz.jaxcompat` knows the syntax of the texts of JAX, MLIR and XLA, so that a new JAX breaks one folder."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import jitviz

ROOT = Path(jitviz.__file__).parent
# What stands in program texts and nowhere else. A regular expression has it with backslashes, which are taken out.
# The fields of a dataclass have metadata too, and `jax.vmap` has an `axis_name`.
WRITTEN = re.compile(
    r"""stablehlo\.[a-z(]|func\.func|\#loc|\bloc\(|tensor<|=\s?metadata|metadata=(?!dict\(|\{'static)|\w(?<!axis)_name=|_frame_id|known_trip_count
    |HloModule|\bENTRY|%\[|%\(|[)\]*+]\[\(?\[\w,|parameter\(|jaxpr=|\blet\b.*=\s\{|-alias\)|jvp\($|transpose\($|\.states\[""",
    re.VERBOSE,
)


def texts_of(source: str) -> Iterator[str]:
    """The strings of a module that are not there for readers."""
    tree = ast.parse(source)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def reads_programs(source: str) -> list[str]:
    return [text for text in texts_of(source) if WRITTEN.search(text.replace("\\", ""))]


def test_no_other_folder_reads_program_texts() -> None:
    files = [path for path in ROOT.rglob("*.py") if not {"jaxcompat", "_notebooks"} & set(path.parts)]
    assert {str(path.relative_to(ROOT)): found for path in files if (found := reads_programs(path.read_text()))} == {}


@pytest.mark.parametrize(
    ("source", "is_reader"),
    [
        (r're.compile(r"%([\w.\-]+)")', True),
        (r're.compile(r", metadata=\{(.*)\}")', True),
        (r"""re.compile(r'loc\("(.*)"\)')""", True),
        ("'transpose(' in name", True),
        (r're.compile(r"(\w+)\[([\d,]*)\]")', True),
        ('def f():\n    """Reads stablehlo.add at loc(unknown)."""', False),
        ("f'jaxpr of {name}: no `transpose(jvp)` here'", False),
        (r're.compile(r"In \[\d+\]")', False),
    ],
)
def test_a_reader_of_programs_is_known_by_its_patterns(source: str, is_reader: bool) -> None:
    assert bool(reads_programs(source)) == is_reader
