"""What is said of one word.

In: nothing.  Out: `Term`.
Must never: hold an example that does not run as it stands, with `jax`, `jnp` and `jitviz` imported.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """`text` is two sentences: what it is, and what follows from it. `example` is Python, of three lines at most.

    In an example, what stands behind `# compiles`, `# hit` or `# inlined` is what the line does. `also` are other words
    for the same.
    """

    text: str
    example: str
    also: tuple[str, ...] = ()
