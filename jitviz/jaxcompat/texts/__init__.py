"""What JAX, MLIR and XLA print, read: the one place that knows how a program text is written.

In: jaxprs, StableHLO and HLO as text, and the words in them: types, name stacks, places.  Out: plain rows, other texts.
Must never: import jax, for recordings are read where there is none; or raise over a text that is not understood.
"""
