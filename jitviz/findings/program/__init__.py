"""What the equations of a program tell of the source that they come from: places, stacks, loops that were unrolled.

In: the equations of a compile as JSON, and the source that was saved with it.  Out: rows and columns of numbers.
Must never: look at a file, or trust that a field is there which the JSON may leave out.
"""
