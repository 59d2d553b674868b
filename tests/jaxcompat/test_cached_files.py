import os
from pathlib import Path

from jitviz.jaxcompat import disk_cache
from jitviz.jaxcompat.disk_cache import CachedFile, name_of

KEYS = ["jit_step-" + "0" * 64, "jit__lambda-" + "1" * 64]


def test_each_program_in_a_folder_has_a_row(tmp_path: Path) -> None:
    for key, at_s in zip(KEYS, (50, 60), strict=True):
        (tmp_path / f"{key}-cache").write_bytes(b"1234")
        os.utime(tmp_path / f"{key}-cache", (at_s, at_s))
    (tmp_path / f"{KEYS[0]}-atime").touch()
    (tmp_path / ".lockfile").touch()
    assert sorted(disk_cache.cached_files(tmp_path) or (), reverse=True) == [
        CachedFile(KEYS[0], "step", 50.0),
        CachedFile(KEYS[1], "_lambda", 60.0),
    ]
    assert disk_cache.cached_files(tmp_path, most=3) is None


def test_a_key_has_a_name() -> None:
    assert list(map(name_of, KEYS)) == ["step", "_lambda"]
