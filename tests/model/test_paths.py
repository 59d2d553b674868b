"""Key paths are taken apart in one way, whatever their keys."""

import pytest

from jitviz.model.paths import holder_of, is_below, last_name, root_of, step_up, steps_to


@pytest.mark.parametrize(
    ("path", "root", "name", "holder", "above"),
    [
        ("a", "a", "a", "a", ""),
        ("a.b", "a", "b", "a", "a"),
        ("a.b[0]", "a", "a.b[0]", "a", "a.b"),
        ("d['k']", "d", "k", "d['k']", "d"),
        ("", "", "", "", ""),
    ],
)
def test_a_path_in_parts(path: str, root: str, name: str, holder: str, above: str) -> None:
    assert (root_of(path), last_name(path), holder_of(path), step_up(path)) == (root, name, holder, above)


def test_the_paths_above_a_path_come_shortest_first() -> None:
    assert steps_to("d['x.y[0]'].z") == ["d", "d['x.y[0]']", "d['x.y[0]'].z"]
    assert steps_to("m.layers[0]") == ["m", "m.layers", "m.layers[0]"]
    assert [is_below(path, "m.a") for path in ("m.a.b", "m.a[0]", "m.a", "m.ab")] == [True, True, False, False]
