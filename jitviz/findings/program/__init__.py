"""What the equations of a program show about its source: places, stacks, unrolled loops.

In: the equations of a compile as JSON, and the source that was saved with it.  Out: rows and columns of numbers.
Must never: look at a file, or trust that a field is there which the JSON may leave out.
"""
