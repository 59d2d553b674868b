"""`jitviz warmup`: write code that compiles ahead of time what a recorded run compiled.

In: a recording, and the template `warmup.py.txt`.  Out: a Python file with one line for each version, or a comment that
says why there is none.
"""

import argparse
from importlib.resources import files
from pathlib import Path
from string import Template

from ..findings.fixes.arguments import KEYS
from ..model.counting import has_compiled, is_ahead
from ..model.paths import split_source
from ..recording import Recording, load
from ..recording.whole_file import whole_file
from .parsers import Commands, check_outputs
from .warm_lines import LineWriter, UnwritableError, comment, literal, shared_names


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "warmup",
        help="write code that compiles ahead of time what a run compiled",
        description="Write a Python file whose warm_up() compiles ahead of time what a recorded run compiled. A "
        "comment marks what cannot be written.",
        epilog="example: jitviz warmup run.jsonl -o warmup.py",
        allow_abbrev=False,
    )
    parser.set_defaults(main=_main)
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording")
    parser.add_argument("-o", dest="output", type=Path, required=True, metavar="P", help="where to write the code")


def _main(options: argparse.Namespace) -> int:
    check_outputs([options.output], [options.file])
    code, n_written, n_all = write_warm_up(load(options.file), options.file.name)
    with whole_file(options.output) as place:
        place.write_text(code, encoding="utf-8")
    print(f"{options.output} compiles {n_written} of {n_all} versions ahead of time")
    return 0


def write_warm_up(recording: Recording, name: str) -> tuple[str, int, int]:
    """Return the code, the number of versions it compiles, and the number of all versions."""
    rows = [row for row in recording.compiles if has_compiled(row) and not is_ahead(row)]
    lines, n_written, shared = [], 0, shared_names(rows)
    for row in rows:
        lines.append(comment(f"{row.function}, version {row.version}: {row.duration_s:.2g} s at {row.source}"))
        try:
            lines.append(LineWriter(row, shared).line())
            n_written += 1
        except UnwritableError as error:
            lines.append(comment(f"cannot be written: {error}"))
    infos = (row.function_info for row in rows)
    homes = (split_source(info.defined_at)[0] for info in infos if info.module == "__main__")
    template = files(__package__).joinpath("warmup.py.txt").read_text(encoding="utf-8")
    code = Template(template).substitute(
        recording=comment(f"The run is {name}."),
        script=literal(Path(next(homes, "")).stem),
        keys=literal(KEYS),
        versions="\n".join(f"    {line}" for line in lines or [comment("nothing was compiled")]),
    )
    return code, n_written, len(rows)
