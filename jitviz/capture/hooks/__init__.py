"""The hooks: phases reported by JAX, calls reported by wrappers and by the interpreter.

In: JAX and Python at work.  Out: events, through the watcher.
"""
