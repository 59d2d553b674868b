"""The compiled program of a version, shaped for a screen: texts, links, work, differences and facts.

In: a `Recording` and numbers of its compiles.  Out: dataclasses of `jitviz.views.schema`.
"""

from .cost import shape_facts
from .difference import compare, shape_difference
from .links import shape_links
from .texts import shape_listing

__all__ = ["compare", "shape_difference", "shape_facts", "shape_links", "shape_listing"]
