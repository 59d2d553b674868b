"""`jitviz show`: recordings that were saved.

In: files.  Out: text, JSON or a page.
"""

import argparse
from pathlib import Path

from ..display.access import in_files
from ..display.text import render
from ..model.printable import print_safely
from ..recording import Recording, load, merge
from .children import files_at, jobs_of
from .follow import follow
from .parsers import Commands, RefusedError, add_width, at_least, check_outputs
from .progress import progress


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
    show.add_argument("files", type=Path, nargs="+", metavar="FILE", help=text)
    show.add_argument("--html", type=Path, metavar="P", help="write a page that opens offline")
    show.add_argument("--json", action="store_true", help="print the findings as JSON instead of text")
    text = "print what this finding gives to paste, and nothing else"
    show.add_argument("--code", type=at_least(1, "findings"), metavar="N", help=text)
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
    if options.follow:
        if len(options.files) > 1 or options.html or options.json:
            options.parser.error("--follow takes one file and no other output")
        return follow(options.files[0])
    check_outputs([options.html], options.files)
    read = {path: _read(path) for given in options.files for path in _files(given)}
    jobs = jobs_of(list(read.values())) if len(options.files) == 1 and options.files[0].is_dir() else [[*read.values()]]
    if len(jobs) > 1:
        return _show_each(jobs, {id(recording): path for path, recording in read.items()}, options)
    with progress("finding out what is worth fixing"):
        recording = merge(*jobs[0]) if len(jobs[0]) > 1 else jobs[0][0]
        if options.code:
            print_safely(_code(recording, options.code))
            return 0
        access = in_files(list(map(str, options.files)), are_merged=len(read) > 1)
        text = recording.to_json() if options.json else render(recording, width=options.width, access=access)
    print_safely(text)
    if options.html:
        with progress(f"writing {options.html.name}"):
            recording.to_html(options.html)
        if not options.json:
            print_safely(f"page: {options.html}")
    return 0


def _show_each(jobs: list[list[Recording]], paths: dict[int, Path], options: argparse.Namespace) -> int:
    """The report of each job in a folder."""
    files = [[paths[id(recording)] for recording in job] for job in jobs]
    if options.html or options.json or options.code:
        first = " ".join(map(str, files[0]))
        raise RefusedError(f"{options.files[0]} holds {len(jobs)} separate runs. Name the files of one: {first}")
    for job, of in zip(jobs, files, strict=True):
        access = in_files(list(map(str, of)), are_merged=len(of) > 1)
        text = render(merge(*job) if len(job) > 1 else job[0], width=options.width, access=access)
        print_safely(f"== {' '.join(path.name for path in of)}\n{text}\n")
    return 0


def _code(recording: Recording, number: int) -> str:
    """What a finding gives to paste."""
    found = recording.findings
    if number > len(found):
        raise RefusedError(f"there is no finding {number}: there are {len(found)}")
    if not found[number - 1].code:
        raise RefusedError(f"finding {number} gives nothing to paste. Its advice: {found[number - 1].advice or 'none'}")
    return found[number - 1].code.rstrip("\n")
