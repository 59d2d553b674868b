"""A test per private name: a new release of JAX, Equinox or Flax breaks here first, and says which name it was."""

import re
from pathlib import Path

from jitviz import jaxcompat

FOLDER, TESTS = Path(jaxcompat.__file__).parent, Path(__file__).parent


def test_every_file_has_its_tests() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.py") if path.name != "__init__.py"}
    tests = {str(path.relative_to(TESTS)).replace("test_", "") for path in TESTS.rglob("test_*.py")}
    assert files - tests == set()


def test_every_name_is_tested() -> None:
    source = "\n".join(path.read_text() for path in FOLDER.glob("*.py"))
    names = set(re.findall(r"^def ([a-z]\w*)|^([A-Z]\w*)(?=:| =)", source, re.MULTILINE))
    names = {name for pair in names for name in pair if name} - {"In"}
    used = set(re.findall(r"(?:\w\.|import )(\w+)", "\n".join(path.read_text() for path in TESTS.glob("*.py"))))
    assert names - used == set()
