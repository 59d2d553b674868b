"""The names of XLA's passes.

In: "FusionCompiler::Compile (add_fusion.2_kernel_module)", a pass with its module.  Out: the pass; the fusion.
Must never: raise at a name of another form.
"""

from __future__ import annotations

import re

_FUSION = re.compile(r"\((?:__compute_module_(.+)|(.+)_kernel_module)\)$")


def pass_of(name: str) -> str:
    """The name of one of XLA's passes, without its module."""
    return name.partition(" (")[0]


def fusion_of(name: str) -> str:
    """The fusion that one of XLA's passes compiles by itself; "" for a pass over the whole program."""
    found = _FUSION.search(name)
    return (found[1] or found[2]) if found else ""
