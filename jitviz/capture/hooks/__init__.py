"""The hooks: phases from JAX, calls from wrappers and from the interpreter.

In: JAX and Python at work.  Out: events, through the watcher.
Must never: let an error of jitviz's own reach the user's program.
"""
