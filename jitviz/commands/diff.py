"""`jitviz diff`: what changed between two recordings that were saved.

In: files.  Out: text or JSON.
Must never: need jax.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..findings import Comparison, compare
from .parsers import Commands, add_parser
from .refused import load_recording


def add(commands: Commands) -> None:
    """What the command line of `jitviz diff` takes."""
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


def _diff(options: argparse.Namespace) -> int:
    comparison = compare(load_recording(options.before), load_recording(options.after))
    print(json.dumps(_for_machines(comparison)) if options.json else comparison)
    return int(comparison.is_worse)


def _for_machines(comparison: Comparison) -> dict[str, Any]:
    return {"version": 1, "is_worse": comparison.is_worse, **asdict(comparison)}
