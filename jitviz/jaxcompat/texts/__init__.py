"""Parsers of the texts that JAX, MLIR and XLA print: the only place that knows the syntax of program texts.

In: jaxprs, StableHLO and HLO as text, and parts of them: types, name stacks, places.  Out: plain rows, other texts.
Must never: import jax, since recordings are read on machines without it, or raise over a text that it cannot parse.
"""
