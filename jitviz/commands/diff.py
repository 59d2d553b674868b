"""`jitviz diff`: what changed between two recordings that were saved.

In: files.  Out: text or JSON.
"""

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path

from ..findings.comparison import compare
from ..model.printable import print_safely
from ..recording import load
from .parsers import Commands, progress


def add(commands: Commands) -> None:
    diff = commands.add_parser(
        "diff",
        help="say what changed between two recordings; jax is not needed",
        description="Report which causes of compiles are gone, new, more expensive or cheaper in AFTER, and which "
        "phases, programs, software, flags and devices changed. "
        "The exit status is 1 if AFTER has avoidable recompiles that BEFORE does not have, and 2 if a file is not "
        "a recording or AFTER is incomplete.",
        epilog="example: jitviz diff main.jsonl branch.jsonl",
    )
    diff.set_defaults(main=_diff)
    diff.add_argument("before", type=Path, metavar="BEFORE", help="a recording")
    diff.add_argument("after", type=Path, metavar="AFTER", help="a recording of the same program, later")
    diff.add_argument("--json", action="store_true", help="print JSON")


def _diff(options: argparse.Namespace) -> int:
    with progress("comparing the two recordings"):
        comparison = compare(load(options.before), load(options.after))
    parts = [{part.what: part.seconds for part in rec.account.parts} for rec in comparison.recordings]
    fields = {**asdict(replace(comparison, recordings=())), "recordings": parts}
    data = {"version": 1, "is_worse": comparison.is_worse, **fields}
    print_safely(json.dumps(data) if options.json else repr(comparison))
    return 1 if comparison.is_worse else 2 * comparison.is_after_incomplete
