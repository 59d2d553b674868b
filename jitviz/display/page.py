"""A recording as one HTML file that opens anywhere, offline.

In: a `Recording` and a path.  Out: the file.
Must never: load anything; the page forbids itself to.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ..views import PAGE
from ..views.words import plain
from .html import fragment

if TYPE_CHECKING:
    from ..recording import Recording

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"/>
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 24px auto; padding: 0 16px; max-width: 1180px; font: 14px/1.5 system-ui, sans-serif;
       color: light-dark(#1c1e21, #e3e5e8); background: light-dark(#fff, #131416); }}
h1 {{ font-size: 1rem; font-weight: 600; opacity: .7; }}
code, pre {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .92em; }}
pre, code {{ overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: 2px 10px; text-align: right; border-bottom: 1px solid light-dark(#e2e4e8, #33363b); }}
summary {{ cursor: pointer; }}
summary:focus-visible {{ outline: 2px solid #2f80c8; outline-offset: 2px; }}
</style>
</head>
<body>
<h1>{title}</h1>
<main>{body}</main>
</body>
</html>
"""


def write_page(recording: Recording, path: Path) -> Path:
    """Write the page and return its path.

    Raises:
        OSError: the file cannot be written.
    """
    label = plain(recording.facts.label, 80)
    title = escape(f"jitviz · {label}" if label else "jitviz")
    path.write_text(_PAGE.format(title=title, body=fragment(recording, PAGE)), encoding="utf-8")
    return path
