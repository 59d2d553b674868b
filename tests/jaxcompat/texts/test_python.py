"""What the source says of JAX's own decorators."""

from jitviz.jaxcompat.texts.python import given_by_nondiff

TEXT = """
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def solve(f, x):
    return f(x)

@jax.jit
def step(g, x, rate):
    return solve(g, x * rate)

def other(h, x):
    return h(x)
"""


def test_names_that_are_given_to_a_function_with_nondiff_argnums_are_found_at_its_line_or_its_decorators() -> None:
    assert [given_by_nondiff(TEXT, line) for line in (6, 7, 10)] == [{"g"}, {"g"}, set()]


def test_a_text_without_them_or_that_is_no_python_gives_none() -> None:
    assert given_by_nondiff("def f(x): return x", 1) == given_by_nondiff("nondiff_argnums (", 1) == set()
