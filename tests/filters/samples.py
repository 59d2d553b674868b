"""Functions that count their traces, and trees with all kinds of leaves."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st


class Counted:
    """A count of the traces of a function."""

    def __init__(self) -> None:
        self.traces = 0

    def __call__(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fun)
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.traces += 1
            return fun(*args, **kwargs)

        return counted


class Linear(eqx.Module):
    """A typical module: an array, a function, and a setting in the treedef."""

    weight: jax.Array
    activation: Any = jax.nn.relu
    name: str = eqx.field(static=True, default="linear")

    def __call__(self, x: Any) -> Any:
        return self.activation(self.weight * x)


def arrays() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.integers(0, 3).map(lambda size: np.arange(size, dtype=np.float32)),
        st.integers(0, 3).map(lambda size: jnp.arange(size)),
        st.sampled_from([np.float32(1.5), np.int64(2), np.bool_(True), jnp.asarray(2.0), jax.random.key(0)]),
    )


def statics() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, "relu", b"x", 1j, jax.nn.relu, len, object]), st.none()
    )


def trees() -> st.SearchStrategy[Any]:
    """Nested containers with arrays, static leaves and None."""
    return st.recursive(
        st.one_of(arrays(), statics()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.builds(Linear, arrays(), inner),
        ),
        max_leaves=8,
    )


def same(left: Any, right: Any) -> bool:
    """Whether two trees have equal structures and leaves of equal type, dtype and value."""
    left_leaves, left_treedef = jax.tree.flatten(left)
    right_leaves, right_treedef = jax.tree.flatten(right)
    return left_treedef == right_treedef and all(map(_same_leaf, left_leaves, right_leaves))


def _same_leaf(left: Any, right: Any) -> bool:
    if not eqx.is_array(left):
        return type(left) is type(right) and bool(left == right)
    if type(left) is not type(right) or left.dtype != right.dtype:
        return False
    if jnp.issubdtype(left.dtype, jax.dtypes.prng_key):
        left, right = jax.random.key_data(left), jax.random.key_data(right)
    return np.array_equal(left, right)
