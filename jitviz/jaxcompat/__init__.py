"""The ground floor: every name of JAX, Equinox and Flax that is private or differs between versions.

In: live objects and stack frames of those libraries.  Out: plain values, or None where a version does not tell.
Must never: import equinox or flax (it looks at them only if the user has imported them), or raise because a name is
missing.

There is one file per part and one test per name, so that a new JAX release breaks this folder and no other. `texts`
reads what JAX prints; `raw` reads objects of any library. The frames and their locals match jax 0.9.2, 0.10.2 and
0.12.0.1.
"""
