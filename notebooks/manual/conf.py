"""The site of the manual, the course and the API: `sphinx-build -W -c notebooks/manual notebooks site`.

In: the Markdown files of this folder, the notebooks with their outputs, the docstrings.  Out: `site/`, whose pages need no
network; a broken link is an error.
"""

import pkgutil
import re
from pathlib import Path

from sphinx.application import Sphinx

import jitviz

project = "jitviz"
release = jitviz.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "manual/README"
exclude_patterns = ["gallery", "puzzles", "**/.ipynb_checkpoints"]
nitpick_ignore_regex = [("py:.*", ".*")]  # types of other packages, whose sites cannot be asked here

html_theme = "furo"
html_title = "jitviz"
nb_execution_mode = "off"  # the notebooks are kept with their outputs
nb_mime_priority_overrides = [("*", "text/html", 0)]
myst_heading_anchors = 3
myst_links_external_new_tab = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_show_copyright = False
default_role = "code"  # docstrings have one backtick, as Markdown has
suppress_warnings = ["misc.highlighting_failure"]  # of a traceback, which is no Python

# The pages below a page, which Markdown on a code host has as plain links.
BELOW = {
    "manual/README": [
        "panel", "causes/README", "errors/README", "glossary", "scripts", "tests", "files", "costs", "limits", "how_it_works", "api",
        "/README",
    ],
    "manual/causes/README": ["*"],
    "manual/errors/README": ["*"],
    "README": ["*"],
}  # fmt: skip


def add_pages_below(_: Sphinx, name: str, source: list[str]) -> None:
    if name in BELOW:
        is_open = name == "manual/README"
        lines = ["```{toctree}", ":hidden:", *[":glob:"] * (not is_open), ":maxdepth: 1", "", *BELOW[name], "```"]
        source[0] += "\n\n" + "\n".join(lines) + "\n"


def add_docstrings(_: Sphinx, name: str, source: list[str]) -> None:
    """Below each table of the API reference, the docstrings of its names; a code host shows the tables alone."""
    if name == "manual/api":
        source[0] = re.sub(r"(?:^\|.*\n?)+", lambda table: f"{table[0]}\n{directives_for(table[0])}", source[0], flags=re.M)


def directives_for(table: str) -> str:
    kinds = {path: kind_of(pkgutil.resolve_name(path.replace(".", ":", 1))) for path in re.findall(r"^\| `(.+?)`", table, re.M)}
    return "\n".join(["```{eval-rst}", *(f".. auto{kind}:: {path}" for path, kind in kinds.items()), "```\n"])


def kind_of(value: object) -> str:
    if isinstance(value, property):
        return "property"
    if not isinstance(value, type):
        return "method" if "." in getattr(value, "__qualname__", "") else "function"
    return "exception" if issubclass(value, Exception) else "class"


def add_first_page(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        text = '<!doctype html><meta http-equiv="refresh" content="0; url=manual/README.html"><title>jitviz</title>\n'
        Path(app.outdir, "index.html").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_pages_below)
    app.connect("source-read", add_docstrings)
    app.connect("build-finished", add_first_page)
