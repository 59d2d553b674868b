"""`jitviz show`: recordings that were saved.

In: files.  Out: text, JSON, SARIF or a page.
Must never: write over a recording.
"""

import argparse
from pathlib import Path

from ..display.text import render
from ..findings.sarif import write_sarif
from ..recording import Recording, load, merge
from .children import files_at
from .follow import follow
from .now import is_recording
from .parsers import Commands, RefusedError, add_width, check_outputs
from .progress import progress

_STDOUT = Path("-")


def add(commands: Commands) -> None:
    show = commands.add_parser(
        "show",
        help="show saved recordings; jax is not needed",
        description="Show a recording as text, and as a page if you want one. Several recordings of one job, one from "
        "each of its processes, are shown together.",
        epilog="example: jitviz show run.jsonl --html run.html",
    )
    show.set_defaults(main=_show, parser=show)
    text = "what `jitviz run --save`, `Recording.save()` or `%%jitviz save` wrote, or a folder of such files"
    show.add_argument("files", type=Path, nargs="*", metavar="FILE", help=text)
    show.add_argument("--html", type=Path, metavar="P", help="write a page that opens offline")
    show.add_argument("--json", action="store_true", help="print the findings as JSON instead of text")
    text = "print the findings as SARIF 2.1.0, for editors and code review, or write them to PATH"
    show.add_argument("--sarif", type=Path, nargs="?", const=_STDOUT, metavar="PATH", help=text)
    text = "serve the page to this machine while the recording grows, until Ctrl-C"
    show.add_argument("--follow", action="store_true", help=text)
    add_width(show)


def _files(given: Path) -> list[Path]:
    found = files_at(given)
    if not found:
        raise RefusedError(f"{given} holds no recordings. JITVIZ={given} in the environment of a run puts them there.")
    return found


def _read(path: Path) -> Recording:
    with progress(f"reading {path.name}"):
        return load(path)


def _show(options: argparse.Namespace) -> int:
    sarif: Path | None = options.sarif
    if sarif and (sarif.is_dir() or is_recording(sarif)):  # as in `jitviz show --sarif run.jsonl`
        options.files.append(sarif)
        sarif = _STDOUT
    if not options.files:
        options.parser.error("the following arguments are required: FILE")
    if options.json and sarif == _STDOUT:
        options.parser.error("--json and --sarif without a PATH would both print")
    if options.follow:
        if len(options.files) > 1 or options.html or options.json or sarif:
            options.parser.error("--follow takes one file and no other output")
        return follow(options.files[0])
    check_outputs([options.html, None if sarif == _STDOUT else sarif], options.files)
    recordings = list(map(_read, dict.fromkeys(path for given in options.files for path in _files(given))))
    is_text = not options.json and sarif != _STDOUT
    with progress("finding out what is worth fixing"):
        recording = merge(*recordings) if len(recordings) > 1 else recordings[0]
        if is_text:
            text = render(recording, width=options.width)
        else:
            text = recording.to_json() if options.json else write_sarif(recording)
    print(text)
    told = []
    if sarif and sarif != _STDOUT:
        sarif.write_text(write_sarif(recording), encoding="utf-8")
        told.append(f"SARIF: {sarif}")
    if options.html:
        with progress(f"writing {options.html.name}"):
            recording.to_html(options.html)
        told.append(f"page: {options.html}")
    if is_text and told:
        print("\n".join(told))
    return 0
