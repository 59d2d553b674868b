"""`jitviz show` and `jitviz diff`: recordings that were saved.

In: files.  Out: text, JSON or a page.
Must never: need jax.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..display.text import render
from ..findings import Comparison, compare
from ..recording import merge
from .follow import follow
from .parsers import Commands, add_parser, add_width, text_width
from .refused import RefusedError, check_outputs, load_recording


def add(commands: Commands) -> None:
    """What the command lines of `jitviz show` and `jitviz diff` take."""
    show = add_parser(
        commands,
        _show,
        "show",
        "show saved recordings; jax is not needed",
        description="Show a recording as text, and as a page if you want one. Several recordings of one job, one from "
        "each of its processes, are shown together.",
        epilog="example: jitviz show run.jsonl --html run.html",
    )
    told = "what `jitviz run --save`, `Recording.save()` or `%%jitviz save` wrote"
    show.add_argument("files", type=Path, nargs="+", metavar="FILE", help=told)
    show.add_argument("--html", type=Path, metavar="P", help="write a page that opens offline")
    show.add_argument("--json", action="store_true", help="print the findings as JSON instead of text")
    told = "serve the page to this machine while the recording grows, until Ctrl-C"
    show.add_argument("--follow", action="store_true", help=told)
    add_width(show)

    diff = add_parser(
        commands,
        _diff,
        "diff",
        "say what changed between two recordings; jax is not needed",
        description="Report which causes of compiles are gone, new, more expensive or cheaper in AFTER. "
        "The exit status is 1 if AFTER has avoidable recompiles that BEFORE does not have, and 2 if a file is not "
        "a recording.",
        epilog="example: jitviz diff main.jsonl branch.jsonl",
    )
    diff.add_argument("before", type=Path, metavar="BEFORE", help="a recording")
    diff.add_argument("after", type=Path, metavar="AFTER", help="a recording of the same program, later")
    diff.add_argument("--json", action="store_true", help="print JSON")


def _show(options: argparse.Namespace) -> int:
    if options.follow:
        if len(options.files) > 1 or options.html or options.json:
            options.parser.error("--follow takes one file and no other output")
        try:
            return follow(options.files[0])
        except ValueError as error:
            raise RefusedError(str(error)) from None
    check_outputs([options.html], options.files)
    recordings = [load_recording(path) for path in options.files]
    try:
        recording = merge(*recordings) if len(recordings) > 1 else recordings[0]
    except ValueError as error:
        raise RefusedError(str(error)) from None
    print(recording.to_json() if options.json else render(recording, width=text_width(options)))
    if options.html:
        recording.to_html(options.html)
        if not options.json:
            print(f"page: {options.html}")
    return 0


def _diff(options: argparse.Namespace) -> int:
    comparison = compare(load_recording(options.before), load_recording(options.after))
    print(json.dumps(_for_machines(comparison)) if options.json else comparison)
    return int(comparison.is_worse)


def _for_machines(comparison: Comparison) -> dict[str, Any]:
    return {"version": 1, "is_worse": comparison.is_worse, **asdict(comparison)}
