"""The user's function and arguments behind the work that JAX does.

In: the stack at the moment of an event.  Out: an `Origin`, a `Function`.
"""
