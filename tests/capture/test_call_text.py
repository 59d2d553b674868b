"""The call that compiled, as it stands in the source: what advice puts into other words."""

import functools

import jax
import jax.numpy as jnp

import jitviz


@jax.jit
def scaled(x, rate=2.0):  # type: ignore[no-untyped-def]
    return x * rate


class Holder:
    @functools.partial(jax.jit, static_argnums=0)
    def scaled(self, x):  # type: ignore[no-untyped-def]
        return x * 3.0


def test_a_call_is_told_as_it_is_written() -> None:
    box, é = {"x": jnp.ones(2)}, [jnp.ones(3)]
    with jitviz.record() as rec:
        print(scaled(box["x"]), scaled(*é), end="")
        Holder().scaled(
            box["x"],
        )
        jax.grad(lambda x: scaled(x, rate=3.0).sum())(1.0)
        list(map(scaled, [jnp.ones(5)]))
    assert [row.written for row in rec.compiles if row.transform == ""] == [
        'scaled(box["x"])',
        "scaled(*é)",
        'Holder().scaled(\n            box["x"],\n        )',
        "list(map(scaled, [jnp.ones(5)]))",
    ]


def test_a_call_of_no_source_is_not_told() -> None:
    names = {"scaled": scaled}
    with jitviz.record() as rec:
        exec(compile("import jax.numpy as jnp; scaled(jnp.ones(7))", "<nowhere>", "exec"), names)
    assert [row.written for row in rec.compiles] == [""]
