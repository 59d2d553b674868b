"""What is in the wheel and in the sdist: everything that runs and is read, and nothing else.

In: the folder of both.  Out: nothing; an error that says what is missing or too much.
"""

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def files(*folders: str) -> set[str]:
    found = {path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()}
    return {str(path.relative_to(ROOT)) for path in found if path.suffix != ".pyc"}


def compare(name: str, found: set[str], wanted: set[str]) -> None:
    if found != wanted:
        sys.exit(f"{name} lacks {sorted(wanted - found)} and has {sorted(found - wanted)} more")


folder = Path(sys.argv[1])
(wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
code, notebooks = files("jitviz"), files("notebooks")

with zipfile.ZipFile(wheel) as archive:
    names = {name for name in archive.namelist() if ".dist-info/" not in name}
moved = {"jitviz/commands/children.pth": "jitviz.pth"}  # Python reads it beside the package
compare("the wheel", names, {moved.get(name, name) for name in code} | {f"jitviz/_{name}" for name in notebooks})

with tarfile.open(sdist) as archive:
    names = {name.partition("/")[2] for name in archive.getnames()}
others = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO", ".gitignore"}
compare("the sdist", names, code | notebooks | files("tests") | others)
