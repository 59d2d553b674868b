"""Write the pages of the causes, the errors, the glossary and the API: `python notebooks/manual/write.py`.

In: the kinds of reason and of error, whose examples are run here, the words of the panel, and the docstrings.  Out:
`causes/`, `errors/`, `glossary.md` and `api.md` beside this file, or in the folder that is given. Seconds are left out,
so that every machine writes the same.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import linecache
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np

import jitviz
from jitviz.display.score_text import outline_scores
from jitviz.display.wrapped_lines import write
from jitviz.errors import explained
from jitviz.errors.kinds import NAMES
from jitviz.reasons.kinds import KIND_OF, ReasonKind
from jitviz.views import TERMINAL, shape_panel
from jitviz.views.glossary import GLOSSARY

FILE = "example.py"
NOTE = "<!-- Written by notebooks/manual/write.py. -->"
CAUSES = """\
# Causes of recompiles

A function compiles again if anything changed that is part of its cache key. jitviz compares each call that compiled with the nearest
earlier version of the function, and names what differs. In the panel, in `rec.findings` and in `reason.kind`, each cause has one of
these names.

| cause | what it is |
|---|---|
"""
GLOSSARY_HEAD = """\
# Glossary

The words that the panel explains where you hover over them, and `%jitviz help TERM` in a notebook. The
[causes of recompiles](causes/README.md) have pages of their own."""
ERRORS = """\
# Errors

Most exceptions that JAX raises under a trace are about one thing: what is traced and what is static. The panel, the report of
`jitviz run`, `pytest --jitviz`, `%jitviz why` and `jitviz.explain(error)` name the leaf that an exception is about, and what to write
instead. An exception that has nothing to do with JAX is left as it is.

| JAX raises | because of | page |
|---|---|---|
"""
API_HEAD = """\
# API reference

Each name with the first sentence of its docstring. The site has the whole docstrings, with shapes, units, errors and examples. In
Python, `help(jitviz.record)` shows the same."""
API = {
    "Record": "record load merge configure",
    "A recording": "Recording Recording.findings Recording.account Recording.calls Recording.compiles Recording.op_by_op "
    "Recording.raised Recording.save Recording.to_html Recording.to_json Recording.to_perfetto",
    "Explain and compare": "explain score show compare predict work diff graph",
    "Limit": "no_recompiles assert_max_traces num_traces watch RecompileError",
    "Filtered transformations": "filter_jit filter_grad filter_value_and_grad partition combine is_array is_inexact_array",
    "What a recording holds": "model.Call model.Compile model.Signature model.Leaf model.Reason model.Finding model.Raised",
}


def main(folder: Path) -> None:
    by_name = ("glossary.md", page_of_glossary()), ("api.md", page_of_api())
    for name, text in (*pages_of_causes(), *pages_of_errors(), *by_name):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text.strip()}\n", encoding="utf-8")


def pages_of_causes() -> Iterator[tuple[str, str]]:
    """The path and the text of each page."""
    rows = []
    for name, kind in KIND_OF.items():
        yield f"causes/{name}.md", page_of_cause(name, kind)
        rows.append(f"| [`{name}`]({name}.md) | {kind.term.text} |")
    yield "causes/README.md", "\n".join([NOTE, "", CAUSES + "\n".join(rows)])


def page_of_cause(name: str, kind: ReasonKind) -> str:
    also = f" Also: {', '.join(kind.term.also)}." if kind.term.also else ""
    parts = [NOTE, f"# `{name}`", kind.term.text + also, "## Example", f"```python\n{kind.term.example}\n```"]
    with jitviz.record() as rec, contextlib.redirect_stdout(None):
        run(kind.term.example, f"cause_{name}")
    reason = rec.compiles[-1].reasons[0]
    if reason.kind == name:
        parts += ["The score, without its seconds:", f"```text\n{score_of(rec)}\n```", "## What jitviz says"]
        parts += [reason.summary[0].upper() + reason.summary[1:], f"→ {reason.advice}" if reason.advice else ""]
        parts += [f"```python\n{finding.code.strip()}\n```" for finding in rec.findings[:1] if finding.code]
    parts.append("[All causes](README.md)")
    return "\n\n".join(filter(None, parts))


def score_of(rec: jitviz.Recording) -> str:
    """The score of the function that the example is about, without seconds."""
    (score, *_) = shape_panel(rec, TERMINAL).scores
    columns = tuple(replace(column, told="") for column in score.columns)
    bare = replace(score, told="", columns=columns, note="")
    return "\n".join(line.rstrip() for line in write(outline_scores([bare], 0, 100), 100))


def pages_of_errors() -> Iterator[tuple[str, str]]:
    rows = []
    for name in NAMES:
        module = import_module(f"jitviz.errors.kinds.{name}")
        error, page = page_of_error(name, module)
        yield f"errors/{name}.md", page
        rows.append(f"| {error} | {about(module)} | [`{name}`]({name}.md) |")
    yield "errors/README.md", "\n".join([NOTE, "", ERRORS + "\n".join(rows)])


def page_of_error(name: str, module: ModuleType) -> tuple[str, str]:
    """The type of the error, and the page."""
    parts = [NOTE, f"# `{name}`", about(module)]
    error = run(getattr(module, "EXAMPLE", ""), f"error_{name}")
    if error is None:
        parts.append("It depends on the machine, or on what is installed, so no example raises it everywhere.")
    else:
        parts += ["## Example", f"```python\n{module.EXAMPLE.strip()}\n```", f"JAX raises `{type(error).__name__}`:"]
        parts.append(f"> {words_of(error)}")
        parts += ["## What jitviz says", f"```text\n{explained(error)}\n```"]
        parts += ["## What to write instead", f"```python\n{module.INSTEAD.strip()}\n```"]
    parts += [f"JAX's own words: <{source}>" for source in sources(module)]
    parts.append("[All errors](README.md)")
    return f"`{type(error).__name__}`" if error else "others", "\n\n".join(parts)


def words_of(error: Exception) -> str:
    """The first line of what it says, which differs between versions of JAX."""
    return re.sub("0x[0-9a-f]+", "0x…", escape(str(error).strip().partition("\n")[0], quote=False))


def about(module: ModuleType) -> str:
    """The first paragraph of its docstring, on one line."""
    return " ".join((module.__doc__ or "").partition("\n\n")[0].split())


def sources(module: ModuleType) -> list[str]:
    lines = (module.__doc__ or "").splitlines()
    return [line.removeprefix("Source: ") for line in lines if line.startswith("Source: ")]


def page_of_glossary() -> str:
    """All words that the panel explains, but for the causes, which have pages."""
    parts = [NOTE, GLOSSARY_HEAD]
    for name, term in GLOSSARY.items():
        if name.replace(" ", "_") not in KIND_OF:
            also = f" Also: {', '.join(term.also)}." if term.also else ""
            parts += [f"## {name}", term.text + also, f"```python\n{term.example}\n```"]
    return "\n\n".join(parts)


def page_of_api() -> str:
    """A table for each group of names; on the site, `conf.py` puts their docstrings below it."""
    parts = [NOTE, API_HEAD]
    for title, names in API.items():
        rows = "\n".join(f"| `jitviz.{name}` | {first_sentence(name)} |" for name in names.split())
        parts += [f"## {title}", f"| name | what it is |\n|---|---|\n{rows}"]
    return "\n\n".join(parts)


def first_sentence(name: str) -> str:
    about = inspect.getdoc(pkgutil.resolve_name(f"jitviz:{name}")) or ""
    return re.split(r"(?<=\.) (?=[A-Z`])", " ".join(about.partition("\n\n")[0].split()))[0]


def run(code: str, name: str) -> Exception | None:
    """What an example raises, run as a file whose lines can be read."""
    linecache.cache[FILE] = len(code), None, code.splitlines(keepends=True), FILE
    names = {"jax": jax, "jnp": jnp, "np": np, "functools": functools, "jitviz": jitviz, "__name__": name}
    try:
        exec(compile(code, FILE, "exec"), names)
    except Exception as error:
        return error
    return None


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
