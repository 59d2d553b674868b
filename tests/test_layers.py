"""The arrows between the layers, as the architecture section of the README draws them and the manual tells them."""

import ast
import graphlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "jitviz"
FILES = sorted(path for path in ROOT.rglob("*.py") if "_notebooks" not in path.parts)

TEXTS = "jaxcompat.texts"  # the part of `jaxcompat` that reads printed programs, and needs no jax
GROUND = {"jaxcompat", TEXTS}

# layer -> the layers that it may import
ARROWS: dict[str, set[str]] = {
    "model": set(),
    TEXTS: {"model"},
    "jaxcompat": {"model"},
    "recording": {"model", "reasons", TEXTS},
    "filters": {"jaxcompat"},
    "capture": {"filters", "model", "recording", *GROUND},
    "errors": {"capture", "model", "recording", *GROUND},
    "guards": {"capture", "findings", "model", "reasons", "recording"},
    "reasons": {"model"},
    "findings": {"model", "reasons", "recording", TEXTS},
    "views": {"findings", "model", "reasons", "recording", TEXTS},
    "display": {"model", "recording", "views"},
    "ipython": {"__init__", "capture", "display", "errors", "filters", "jaxcompat", "model", "recording", "views"},
    "commands": {"capture", "display", "findings", "model", "recording", "views"},
    "__main__": {"__init__", "commands"},
    "pytest_plugin": {"__init__", "commands", "guards"},
    "__init__": set(),
}
# room of `capture` -> the rooms that it may import; the files that stand beside the rooms are its ground, or its top
ROOMS: dict[str, set[str]] = {
    "ground": set(),
    "arguments": {"ground"},
    "reads": {"arguments", "ground"},
    "log": {"arguments", "reads", "ground"},
    "adapters": {"arguments", "log", "ground"},
    "programs": {"arguments", "adapters", "ground"},
    "hooks": {"arguments", "reads", "log", "adapters", "programs", "ground"},
    "top": {"arguments", "reads", "log", "adapters", "programs", "hooks", "ground"},
}
TOP_OF_CAPTURE = {"donations", "hypothetical_miss", "session", "traces"}
# layer -> what it may reach inside a function or for a type only
CONVENIENCES: dict[str, set[str]] = {
    "capture": {"errors"},  # a block that raises has its exception explained
    "commands": {"errors"},  # only where jax is imported
    "display": {"capture", "errors"},  # `explain` asks the running process for the history of a function
    "recording": {"display", "findings"},  # its findings, pages and texts
    "findings": {"display"},  # a comparison as HTML
    "__init__": {"capture", "display", "filters", "findings", "guards", "ipython", "recording"},  # the public names
}
# layer -> packages outside of the standard library
OUTSIDE: dict[str, set[str]] = {
    "filters": {"jax", "numpy"},
    "jaxcompat": {"jax"},
    "capture": {"jax", "numpy"},
    "commands": {"pytest"},
    "display": {"graphviz"},
    "ipython": {"IPython", "jax"},
    "pytest_plugin": {"pytest"},
}
OUTSIDE_CONVENIENCES: dict[str, set[str]] = {
    # To show a recording if IPython is running, and to open a comm of its kernel.
    "display": {"IPython"},
    "commands": {"IPython", "mcp", "rich"},  # only for the demo, for `jitviz mcp`, and for progress on a terminal
}
WIDGET = "jitviz.display.widget"  # the only module that may import anywidget and traitlets
PRIVATE_NAMES = "jaxcompat"  # the only layer that may import private modules of JAX


@dataclass(frozen=True)
class Import:
    """One import, and whether it runs only inside a function or for types."""

    importer: str
    imported: str
    is_convenience: bool

    @property
    def layer(self) -> str:
        return layer_of(self.importer)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    if module.startswith(f"jitviz.{TEXTS}"):
        return TEXTS
    return module.split(".")[1] if "." in module else "__init__"


def room_of(module: str) -> str | None:
    """The room of `capture` that a module is in; None outside `capture`."""
    parts = module.split(".")
    if parts[:2] != ["jitviz", "capture"]:
        return None
    if len(parts) == 2 or parts[2] in TOP_OF_CAPTURE:
        return "top"
    return parts[2] if parts[2] in ROOMS else "ground"


def imports_of(module: str, source: str, *, is_package: bool) -> list[Import]:
    package = module if is_package else module.rpartition(".")[0]

    def visit(node: ast.AST, is_convenience: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, alias.name, is_convenience)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield Import(module, whole if is_module(whole) else base, is_convenience)
        is_late = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(node)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, is_convenience or is_late)

    return list(visit(ast.parse(source), False))


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_module(name: str) -> bool:
    path = ROOT.parent.joinpath(*name.split("."))
    return name.startswith("jitviz") and (path.with_suffix(".py").exists() or (path / "__init__.py").exists())


def complaint(found: Import) -> str | None:
    """Why this import is forbidden; None if it is allowed."""
    package = found.imported.partition(".")[0]
    if package == "jitviz":
        target = layer_of(found.imported)
        room, other = room_of(found.importer), room_of(found.imported)
        if room is not None and other is not None and other not in ROOMS[room] | {room}:
            return f"{found.importer} imports {found.imported}: {room} -> {other}"
        allowed = ARROWS[found.layer] | {found.layer}
        if found.is_convenience:
            allowed |= CONVENIENCES.get(found.layer, set())
        return None if target in allowed else f"{found.importer} imports {found.imported}: {found.layer} -> {target}"
    if package in ("anywidget", "traitlets"):
        return None if found.importer == WIDGET else f"{found.importer} imports {package}"
    if package == "jaxlib" or found.imported.startswith("jax._src"):
        return None if found.layer == PRIVATE_NAMES else f"{found.importer} imports the private {found.imported}"
    allowed = OUTSIDE.get(found.layer, set()) | sys.stdlib_module_names
    if found.is_convenience:
        allowed |= OUTSIDE_CONVENIENCES.get(found.layer, set())
    return None if package in allowed else f"{found.importer} imports {found.imported}"


@cache
def all_imports() -> tuple[Import, ...]:
    return tuple(
        found
        for path in FILES
        for found in imports_of(module_of(path), path.read_text(), is_package=path.name == "__init__.py")
    )


def test_every_import_follows_an_arrow() -> None:
    assert [problem for found in all_imports() if (problem := complaint(found))] == []


def test_every_arrow_is_used() -> None:
    used = {(found.layer, layer_of(found.imported)) for found in all_imports() if found.imported.startswith("jitviz")}
    drawn = {(layer, other) for table in (ARROWS, CONVENIENCES) for layer, others in table.items() for other in others}
    assert drawn - used == set()


def test_every_layer_has_its_arrows() -> None:
    assert {layer_of(module_of(path)) for path in FILES} <= set(ARROWS)


MANUAL = (ROOT.parent / "notebooks/manual/how_it_works.md").read_text(encoding="utf-8")
FOLDERS = MANUAL.partition("## What each folder holds")[2].partition("\n## ")[0]


def test_the_manual_has_a_line_for_every_layer() -> None:
    names = {path.name + "/" * path.is_dir() for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert [name for name in names - {"__init__.py", "__pycache__/"} if f"`{name}`" not in FOLDERS] == []


def test_each_file_that_the_manual_names_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)`", FOLDERS)
    files = [path.as_posix() for folder in (ROOT, ROOT.parent / "tests") for path in folder.rglob("*.py")]
    assert len(named) > 10
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_each_layer_imports_only_from_the_rows_below_it_in_the_plan_of_the_readme() -> None:
    plan = (ROOT.parent / "README.md").read_text(encoding="utf-8").partition("## Architecture")[2].split("```")[1]
    rows = [re.findall(r"^  (\w+)(?:/|\.py)|\b(\w+)(?:/|\.py) {2}", line) for line in plan.splitlines()]
    height = {left or right: -place for place, row in enumerate(rows) for left, right in row}
    drawn = {layer: {other.partition(".")[0] for other in others} & set(height) for layer, others in ARROWS.items()}
    assert len(height) == 15
    assert [(layer, other) for layer in height for other in drawn[layer] if height[other] >= height[layer]] == []


def test_every_folder_of_capture_is_a_room() -> None:
    assert {path.name for path in (ROOT / "capture").iterdir() if (path / "__init__.py").exists()} <= set(ROOMS)


def test_no_import_is_circular() -> None:
    graph: dict[str, set[str]] = {module_of(path): set() for path in FILES}
    for found in all_imports():
        reaches_up = found.is_convenience and layer_of(found.imported) in CONVENIENCES.get(found.layer, set())
        if not reaches_up and found.imported in graph and found.imported != found.importer:
            graph[found.importer].add(found.imported)
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError and names the cycle


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("jitviz.views.a", "from ..capture import record", "jitviz.views.a imports jitviz.capture: views -> capture"),
        ("jitviz.reasons.words", "import numpy", "jitviz.reasons.words imports numpy"),
        ("jitviz.recording", "from .display import x", "jitviz.recording imports jitviz.display: recording -> display"),
        ("jitviz.display.text", "def f():\n    from ..capture.traces import history_of", None),
        ("jitviz.capture.session", "import jax._src.pjit", "jitviz.capture.session imports the private jax._src.pjit"),
        ("jitviz.capture.hooks.hits", "def f():\n    import equinox", "jitviz.capture.hooks.hits imports equinox"),
        ("jitviz.display.html", "import anywidget", "jitviz.display.html imports anywidget"),
        ("jitviz.views.tree", "from ..recording import events as ev", None),
        ("jitviz.display.text", "if TYPE_CHECKING:\n    from ..recording import Recording", None),
        ("jitviz.capture.hooks.hits", "from ..in_progress import x", None),
        ("jitviz.capture.failures", "from .arguments.parts import x",
         "jitviz.capture.failures imports jitviz.capture.arguments.parts: ground -> arguments"),
        ("jitviz.capture.programs.reading", "def f():\n    from ..log.watcher import x",
         "jitviz.capture.programs.reading imports jitviz.capture.log.watcher: programs -> log"),
        ("jitviz.views.hlo", "from ..jaxcompat.texts import hlo", None),
        ("jitviz.views.hlo", "from ..jaxcompat import flax_internals",
         "jitviz.views.hlo imports jitviz.jaxcompat.flax_internals: views -> jaxcompat"),
        ("jitviz.jaxcompat.texts.hlo", "import jax", "jitviz.jaxcompat.texts.hlo imports jax"),
        ("jitviz.capture", "from .ipython import x", "jitviz.capture imports jitviz.ipython: capture -> ipython"),
    ],
)  # fmt: skip  # one import a line reads as a table
def test_an_import_against_the_arrows_is_reported(module: str, source: str, expected: str | None) -> None:
    (found,) = imports_of(module, source, is_package=False)
    assert complaint(found) == expected
