"""The ground floor: each name of JAX, Equinox and Flax that is private or differs between versions.

In: live objects and stack frames of those libraries.  Out: plain answers, or None where a version does not tell.
Must never: import equinox or flax (only look at them when the user has), or raise because a name is missing.

A file per part and a test per name, so that a new JAX release breaks there and nowhere else. What it prints is read in
`texts`, objects of any library in `raw`. The frames and their locals were read in jax 0.9.2, 0.10.2 and 0.12.0.1.
"""
