"""`jitviz lock`, and `compiles.lock`: what each program of a project compiles, to compare later runs with.

In: recordings, or a program to run.  Out: a section of the file, its lines sorted; what a run has otherwise.
Must never: write what a program compiled that failed, or a recording that is incomplete.
"""

import argparse
import re
from pathlib import Path

from ..findings.lock_section import Entry, Section, field_text, read_section, tell_differences
from ..model.printable import print_safely
from ..recording import load, merge, whole_file
from .parsers import Commands, RefusedError

NAME = "compiles.lock"
_HEAD = "# What the programs of this project compile. `jitviz lock --help` says how to write it and compare with it.\n"
_SECTION = re.compile(r"\[(.+)\] (.*)")
_LINE = re.compile(r"(.*?) \| (.*?) \| (.*?)(?: \| (\d+) times)?")


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "lock",
        help=f"write {NAME}: what a program compiles, to compare later runs with",
        usage="jitviz lock (RECORDING.jsonl... | SCRIPT [ARGS] | -m MODULE [ARGS])",
        description=f"Run a program, or read recordings of one run, and write what compiled to {NAME}: a line for each "
        "version of a function, and for each line that compiles outside any jit. Commit it. From then on, `jitviz run "
        "--locked SCRIPT` exits with status 1 if something else compiles, and says what; with 2 if there is no lock.",
        epilog="example: jitviz lock train.py --epochs 1; jitviz run --locked train.py --epochs 1",
    )
    parser.set_defaults(main=_main, parser=parser, run=commands.choices["run"])
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="the module to run")
    parser.add_argument("files", nargs=argparse.REMAINDER, metavar="FILE", help="the script, or the recordings")


def _main(options: argparse.Namespace) -> int:
    if not options.module and not options.files:
        options.parser.error("give a script, recordings, or -m and a module")
    if options.module or not "".join(options.files[:1]).endswith(".jsonl"):
        program = ["-m", *options.module] if options.module else options.files
        as_run = options.run.parse_args(["--lock", *program])
        return int(as_run.main(as_run))
    recordings = [load(path) for path in options.files]
    if any(recording.is_incomplete for recording in recordings):
        raise RefusedError("a recording is incomplete. Record the run again, to its end.")
    label = field_text(recordings[0].facts.label) or Path(options.files[0]).name
    save_section(Path(NAME), label, read_section(merge(*recordings)))
    print_safely(f"lock: {NAME}")
    return 0


def locked_section(path: Path, program: str, command: str) -> Section:
    """What the file says of a program; `command` writes it."""
    sections, program = _read(path), field_text(program)
    if program not in sections:
        what = f"has no section [{program}]" if path.exists() else "is missing"
        raise RefusedError(f"{path} {what}. Write it with `{command}`.")
    return sections[program]


def save_section(path: Path, program: str, section: Section) -> None:
    """Write what one program compiles, and leave the others as they are."""
    sections = sorted({**_read(path), field_text(program): section}.items())
    blocks = ("\n".join([f"\n[{name}] {lock.software}", *sorted(map(str, lock.entries))]) for name, lock in sections)
    with whole_file(path) as place:
        place.write_text("\n".join([_HEAD.rstrip(), *blocks, ""]), encoding="utf-8", newline="\n")


def compare_with(locked: Section | None, found: Section, command: str, *, is_part: bool = False) -> list[str]:
    """What a run has otherwise, and how to accept that; nothing if nothing differs."""
    told = tell_differences(locked, found, is_part=is_part) if locked else []
    return [f"{NAME}: {sentence}" for sentence in told] + [f"`{command}` writes what compiles now"] * bool(told)


def _read(path: Path) -> dict[str, Section]:
    sections: dict[str, Section] = {}
    name = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else (), 1):
        if name and (found := _LINE.fullmatch(line)):
            entry = Entry(found[1], found[2], found[3], int(found[4] or 1))
            sections[name] = Section(sections[name].software, (*sections[name].entries, entry))
        elif start := _SECTION.fullmatch(line):
            name = start[1]
            sections[name] = Section(start[2])
        elif line and not line.startswith("#"):
            raise RefusedError(f"{path}:{number} is no line of a lock (of a merge?). Mend it, or remove the file.")
    return sections
