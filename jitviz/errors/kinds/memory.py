"""Out of memory, while compiling or running.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/gpu_memory_allocation.html
"""

import re

from ...model.quantities import size
from ...model.raised import Raised
from .. import rewrite
from ..calls import call_at
from ..facts import Facts

_BYTES = re.compile(r"allocat\w+ (?:of )?(\d+) ?bytes|allocate (\d+)")


def explain(facts: Facts) -> Raised | None:
    if not facts.says("RESOURCE_EXHAUSTED", "Out of memory", "out of memory"):
        return None
    found = _BYTES.search(facts.message)
    nbytes = size(int(found[1] or found[2])) if found else ""
    called = rewrite.called_name(call_at(facts.spot))
    who = f"`{called}`" if called else "The program"
    return Raised(
        function=called,
        summary=f"{who} asked for {f'{nbytes} of' if nbytes else 'more'} memory, and the device has less.",
        advice="Compute in parts, with `jax.lax.map(..., batch_size=n)`; or donate what is not used again.",
    )
