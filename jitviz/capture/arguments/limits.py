"""How far arguments are looked through.

In: nothing.  Out: bounds of trees, and of static values.
Must never: be in seconds: equal arguments are looked through equally far on every machine.
"""

from __future__ import annotations

# Of a tree
LEVELS = 100  # JAX itself gives up at some thousands
LEAVES = 100_000

# Of a static value
DEPTH = 8  # fields of fields of fields ...
WIDTH = 64  # fields of one object
SIZE = 300  # descriptions in one value
STEPS = 4096  # parts looked at: shown, only compared since they are beyond the bounds, or put into an order
TOTAL = 32_768  # steps in all looks of one signature; beyond it, one takes no more than
FEW = 64  # ... so many
SORTED = 256  # elements of a set that are looked at, to put them into an order
