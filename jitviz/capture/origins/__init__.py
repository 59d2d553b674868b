"""Whose call it was: the user's function and arguments behind what JAX was asked for.

In: the stack at the moment of an event.  Out: an `Origin`, a `Function`.
Must never: keep a frame beyond the event.
"""
