"""`jitviz cache`: what is in a folder of JAX's cache on disk, and what a recorded program would find there.

In: a folder, recordings.  Out: text.
"""

import argparse
from collections import defaultdict
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from ..findings.comparison import compare
from ..findings.on_disk import tell_found
from ..jaxcompat.texts.cached_files import CachedFile, cached_files
from ..model.quantities import count, size
from ..recording import RefusedError, load
from .parsers import Commands


def add(commands: Commands) -> None:
    told = "list a folder of JAX's cache on disk, and what recorded programs would find in it"
    described = "Of two recordings, the second is also compared with the first, to say which part of the keys changed."
    example = "example: jitviz cache ~/jax_cache run.jsonl"
    cache = commands.add_parser("cache", help=told, description=described, epilog=example)
    cache.set_defaults(main=_cache)
    cache.add_argument("folder", type=Path, metavar="DIR", help="what `jax_compilation_cache_dir` names")
    cache.add_argument("recordings", type=Path, nargs="*", metavar="RECORDING", help="a saved recording")


def _cache(options: argparse.Namespace) -> int:
    files = cached_files(options.folder)
    if not files:
        raise RefusedError(f"{options.folder}: JAX has kept no program here.")
    groups: dict[str, list[CachedFile]] = defaultdict(list)
    for file in files:
        groups[file.name].append(file)
    sizes = {name: sum(file.nbytes for file in group) for name, group in groups.items()}
    print("    size  last used")
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        print(f"{size(sizes[name]):>8}  {_used(groups[name])}  {name} ({count(len(groups[name]), 'program')})")
    print(f"{size(sum(sizes.values())):>8}  {_used(files)}  {count(len(files), 'program')} in all")
    recordings = [(path, load(path)) for path in options.recordings]
    for path, recording in recordings:
        print("\n".join(tell_found(recording, path.name, {file.key for file in files}, groups)))
    for (_, before), (_, after) in pairwise(recordings):
        print(*compare(before, after).missed, sep="\n")
    return 0


def _used(files: list[CachedFile]) -> str:
    return datetime.fromtimestamp(max(file.used_s for file in files)).strftime("%Y-%m-%d %H:%M")
