from pathlib import Path
from types import SimpleNamespace

import jax
import pytest
from jax._src import cache_key, compilation_cache

from jitviz.jaxcompat import disk_cache


def test_a_process_without_a_disk_cache_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation_cache, "_cache", None)
    assert disk_cache.kept_from_s() is None
    monkeypatch.setattr(compilation_cache, "_cache", object())
    assert disk_cache.kept_from_s() == 1.0


def test_flags_are_a_digest_that_does_not_depend_on_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for flags in ("", "--a=/home/me --b", "--b --a=/home/me"):
        monkeypatch.setenv("XLA_FLAGS", flags)
        seen.append(dict(disk_cache.key_of_process())["XLA_FLAGS"])
    assert seen[0] == "none"
    assert seen[1] == seen[2] != "none"
    assert "home" not in seen[1]


def test_the_key_has_the_version_of_jaxlib() -> None:
    assert dict(disk_cache.key_of_process())["jaxlib"][0].isdigit()


def test_flags_that_jax_leaves_out_of_its_keys_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    unused = cache_key.xla_flags_to_exclude_from_cache_key[0]
    monkeypatch.setenv("XLA_FLAGS", "--b")
    before = disk_cache.key_of_process()
    monkeypatch.setenv("XLA_FLAGS", f"--b {unused}=1")
    assert disk_cache.key_of_process() == before


@pytest.mark.parametrize(
    ("wanted", "used", "checked", "problem"),
    [
        (None, None, True, ""),
        ("new", None, False, ""),  # nothing has compiled
        ("new", None, True, "late"),
        ("new", "new", True, ""),
        ("new", "old", True, "moved"),
    ],
)
def test_a_folder_that_is_set_too_late_is_a_problem(
    wanted: str | None, used: str | None, checked: bool, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation_cache, "_cache", used and SimpleNamespace(_path=Path(used)))
    monkeypatch.setattr(compilation_cache, "_cache_checked", checked)
    was = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", wanted)
    try:
        assert disk_cache.problem() == problem
    finally:
        jax.config.update("jax_compilation_cache_dir", was)


def test_the_folder_in_use_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation_cache, "_cache", None)
    assert disk_cache.folder() is None
    monkeypatch.setattr(compilation_cache, "_cache", SimpleNamespace(_path="used"))
    assert disk_cache.folder() == Path("used")
