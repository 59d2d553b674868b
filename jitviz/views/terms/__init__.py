"""The words of JIT compilation, each in two sentences with an example, by what they are about.

In: nothing.  Out: `CALLS`, `TREES`, `PROGRAMS`, `REASONS`: terms by name.
Must never: explain a word with another one that is not in here.
"""

from .calls import CALLS
from .programs import PROGRAMS
from .reasons import REASONS
from .term import Term
from .trees import TREES

__all__ = ["CALLS", "PROGRAMS", "REASONS", "TREES", "Term"]
