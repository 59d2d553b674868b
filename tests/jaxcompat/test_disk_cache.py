"""Whether JAX has a cache on disk, and what is in the key of all of its programs."""

import pytest
from jax._src import compilation_cache

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
