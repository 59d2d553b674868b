"""Where an input or a state should be placed, judged by the other arguments and by what the function returns."""

import pytest

from jitviz.model import Leaf, Miss

from .samples import array, explained, host, miss

ON = "on mesh(i=2 auto) of cpu:0…cpu:1 (2)"
ELSEWHERE = "on mesh(i=2 auto) of cpu:2…cpu:3 (2)"


def over(path: str, partition: str, mesh: str = ON) -> Leaf:
    return array(path, committed=True, sharding=f"{partition} {mesh}")


CASES: dict[str, tuple[list[Miss], str]] = {
    "input that was left on one device, beside weights on a mesh": (
        [miss(over("w", "P()"), over("x", "P('i')")), miss(over("w", "P()"), array("x"))],
        "In every call, place it as `P('i')` on the mesh of `w`, with `jax.device_put`.",
    ),
    "input that is a NumPy array, beside weights on a mesh": (
        [miss(over("w", "P()"), over("x", "P('i')")), miss(over("w", "P()"), host("x"))],
        "In every call, place it as `P('i')` on the mesh of `w`, with `jax.device_put`.",
    ),
    "input that a warm-up passed as a NumPy array": (
        [miss(over("p['w']", "P()"), host("x")), miss(over("p['w']", "P()"), over("x", "P('i')"))],
        "In every call, place it as `P('i')` on the mesh of `p['w']`, with `jax.device_put`.",
    ),
    "input that is alone": (
        [miss(host("x")), miss(over("x", "P('i')"))],
        f"In every call, place it as `P('i') {ON}`, with `jax.device_put`.",
    ),
    "input on one mesh and on another": (
        [miss(over("x", "P('i')")), miss(over("x", "P('i')", ELSEWHERE))],
        f"Nothing to fix if you need both; otherwise place it as `P('i') {ON}` or as `P('i') {ELSEWHERE}` in every "
        "call, with `jax.device_put`.",
    ),
}
RETURNED: dict[str, tuple[list[Miss], str]] = {
    "state that starts on one device, beside weights on a mesh": (
        [miss(over("w", "P()"), array("s['n']")), miss(over("w", "P()"), over("s['n']", "P()"))],
        "Before the first call, place it as `P()` on the mesh of `w`, with `jax.device_put`.",
    ),
    "state that starts on one device": (
        [miss(array("s['n']")), miss(over("s['n']", "P()"))],
        f"If the function returns it, place it as `P() {ON}` before the first call, with `jax.device_put`; otherwise "
        "in every call.",
    ),
    "state that comes back in another partition": (
        [miss(over("s['n']", "P('i')")), miss(over("s['n']", "P()"))],
        "If the function returns it, set its `out_shardings` to `P('i')`; otherwise place it as `P('i')` in every "
        "call, with `jax.device_put`.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_input_is_placed_with_the_other_arguments(case: str) -> None:
    misses, advice = CASES[case]
    assert explained(*misses).reasons(1)[0].advice == advice


@pytest.mark.parametrize("case", RETURNED)
def test_a_state_is_placed_as_the_function_returns_it(case: str) -> None:
    misses, advice = RETURNED[case]
    outputs = (array("out[1]['n']", sharding=None),)
    assert explained(*misses, outputs=lambda _: outputs).reasons(1)[0].advice == advice


@pytest.mark.parametrize("path", ["out", "out[0]['m']"])
def test_an_output_of_another_name_or_dtype_is_no_state(path: str) -> None:
    dtype = "float32" if "m" in path else "int32"
    misses = [miss(array("s['n']", committed=True)), miss(over("s['n']", "P()"))]
    outputs = (array(path, (3,), dtype, sharding=None),)
    advice = explained(*misses, outputs=lambda _: outputs).reasons(1)[0].advice
    assert advice.startswith("Nothing to fix if you need both; otherwise place it as `cpu:0`")


def test_what_is_not_placed_is_not_called_a_sharding() -> None:
    (gone, _), (came, _) = (
        explained(*order).reasons(1)
        for order in ([miss(over("x", "P()")), miss(host("x"))], [miss(host("x")), miss(over("x", "P()"))])
    )
    assert gone.summary == f"`x` changed its sharding from `P() {ON}` to none, as it is not placed."
    assert came.summary == f"`x` changed its sharding from none, as it was not placed, to `P() {ON}`."
