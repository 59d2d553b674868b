"""The hooks: phases reported by JAX, calls reported by wrappers and by the interpreter.

In: JAX and Python at work.  Out: events, through the watcher.
Must never: let an error of jitviz's own reach the user's program.
"""
