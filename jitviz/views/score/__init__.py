"""The score: the calls of a function across, the leaves of its arguments down, seconds above.

In: a `Recording`.  Out: `Score`s, the most expensive function first, then what ran outside any jit.
"""

from .shaping import shape_score, shape_scores

__all__ = ["shape_score", "shape_scores"]
