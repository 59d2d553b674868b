"""What a miss was compiled to: texts, equations, constants, costs, outputs.

In: what JAX's frames hold at the end of a phase.  Out: events.
Must never: trace, lower or compile, or keep what holds an array of the user's.
"""
