"""The inlined calls that equations come from."""

import pytest

from jitviz.views.program.graph_parts import GraphSources

FRAME = ["In [3]", "step", 5, 4, 5, 20]
WHOLE = {
    "equations": [{"label": "inner", "programs": [["jaxpr", {"equations": [{"label": "deeper"}]}]]}],
    "frames": [FRAME],
    "stacks": [[0, -1]],
}
INLINED = {"In [3]:4": "inner", "In [3]:5": "helper", "In [3]:6": "deeper"}


@pytest.mark.parametrize(
    ("equation", "called"),
    [
        ({"source": "In [3]:4"}, ""),  # it is an equation of its own, with its name
        ({"source": "In [3]:6"}, ""),
        ({"source": "In [3]:5"}, "helper at In [3]:5"),
        ({"source": "In [3]:7"}, ""),
        ({"source": "In [3]:5", "programs": [["jaxpr", {"equations": []}]]}, ""),
        ({"at": 0}, "helper at In [3]:5"),
    ],
)
def test_an_equation_belongs_to_an_inlined_call_unless_the_call_has_an_equation(
    equation: dict[str, object], called: str
) -> None:
    assert GraphSources(WHOLE, [], INLINED).call(equation) == called


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("y = helper(x * 2)", "helper(x * 2) at In [3]:5"),
        ("y = jnp.sin(x) * 2", ""),
        ("y = x ** 2 + x * 3", ""),
    ],
)
def test_an_inlined_call_is_named_by_its_source(line: str, called: str) -> None:
    frame = ["In [3]", "step", 5, 4, 5, 4 + len(line.removeprefix("y = "))]
    whole = {**WHOLE, "frames": [frame]}
    source = [{"file": "In [3]", "first": 4, "text": f"def step(x):\n{line}"}]
    assert GraphSources(whole, source, {}).call({"at": 0}) == called
