"""What is in the wheel and in the sdist: everything that runs and is read, and nothing else; that links have targets.

In: the folder of the wheel and the sdist.  Out: nothing; an error says what is wrong.
"""

import re
import runpy
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def files(*folders: str) -> set[str]:
    found = {path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()}
    # Tests that run beside write there, first under a name that lasts for an instant.
    return {str(path.relative_to(ROOT)) for path in found if path.parent.name != "__pycache__"}


def compare(name: str, found: set[str], wanted: set[str]) -> None:
    if found != wanted:
        sys.exit(f"{name} lacks {sorted(wanted - found)} and has {sorted(found - wanted)} more")


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


folder = Path(sys.argv[1])
(wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
code, notebooks = files("jitviz"), {name for name in files("notebooks") if "/gallery/" not in name}
pages = files("notebooks/images", "notebooks/manual") | {"notebooks/pictures.py"}  # are read in the repository

installed = code - {"jitviz/commands/children.pth"} | {"jitviz.pth"}  # Python reads it beside the package
compare("the wheel", names_in(wheel), installed | {f"jitviz/_{name}" for name in notebooks - pages})

with tarfile.open(sdist) as archive:
    names = {name.partition("/")[2] for name in archive.getnames()}
others = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO", ".gitignore", ".packaging/metadata.py"}
compare("the sdist", names, code | notebooks | files("tests") | others)

# An owner who fills in an address gets links, and all that the README links to is there.
address = "https://example.org/jitviz"
metadata: dict[str, dict[str, str]] = {}
hook = runpy.run_path(str(ROOT / ".packaging" / "metadata.py"))["Addresses"]
hook(str(ROOT), {"repository": address}).update(metadata)
text = metadata["readme"]["text"]
targets = {*re.findall(r"\]\((?!#)([^)]+)\)", text), *re.findall(r'(?:src|srcset)="([^"]+)"', text)}
targets |= set(metadata["urls"].values())
local = {target for target in targets if not re.match(r"https://(?!example\.org)", target)}
paths = {path: re.sub(rf"^{address}(/(raw|blob)/HEAD)?/?", "", path) for path in local}
compare("an address", {path for path in local if path.startswith(address)}, local)
compare("the README", {name for name in paths.values() if (ROOT / name).exists()}, set(paths.values()) - {"issues"})

recipe = (ROOT / ".packaging" / "recipe.yaml").read_text()
needed = recipe.partition("  run:\n")[2].partition("\n\n")[0].replace("python-graphviz", "graphviz").replace(" ", "")
dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
compare("the recipe", set(needed.split()), {f"-{one}" for one in dependencies} | {"-python>=${{python_min}}"})
