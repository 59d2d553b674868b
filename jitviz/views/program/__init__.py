"""What a version was compiled to: texts, links, work, differences and facts, shaped for a screen.

In: a `Recording` and numbers of its compiles.  Out: dataclasses of `jitviz.views.schema`.
Must never: need jax, or work out anything before someone asks.
"""

from .cost import shape_facts
from .difference import compare, shape_difference
from .links import shape_links
from .texts import shape_listing

__all__ = ["compare", "shape_difference", "shape_facts", "shape_links", "shape_listing"]
