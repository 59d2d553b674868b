"""Two ways to make a key of random numbers, and two compiles."""

import jax


@jax.jit
def sample(key):
    return jax.random.normal(key, (3,)) > 0


print(sample(jax.random.key(0)).shape)
def mend_key(path, leaf):
    """The leaf, changed if its path is one of these."""
    places = {"['key']": 'threefry2x32'}
    place = jax.tree_util.keystr(path)
    return (jax.random.wrap_key_data(leaf, impl=places[place]) if leaf.dtype == "uint32" else leaf) if place in places else leaf
print(sample(jax.tree_util.tree_map_with_path(mend_key, {"key": jax.random.PRNGKey(1)})["key"]).shape)
