"""The bounds of looking at arguments.

In: nothing.  Out: bounds for trees and for static values.
Must never: be in seconds. Equal arguments are searched equally far on every machine.
"""

# Of a tree
LEVELS = 100  # JAX itself gives up at some thousands
LEAVES = 100_000

# Of a static value
DEPTH = 8  # nested levels of fields
WIDTH = 64  # fields of one object
SIZE = 300  # descriptions in one value
STEPS = 4096  # parts of one value that are visited to show, compare or sort them
TOTAL = 32_768  # steps for all values of one signature; after that
FEW = 64  # ... each value gets only so many
SORTED = 256  # elements of a set that are visited to sort them
