"""The program of a miss: texts, equations, constants, costs, outputs.

In: the locals of JAX's frames at the end of a phase.  Out: events.
"""
