"""What is worth doing: causes with their seconds, and what to do about each; shape plans; two runs compared.

In: a `Recording`.  Out: `Finding`s, most seconds first.
Must never: need jax, guess where the recording shows nothing, or do more than linear work.
"""

from .accounting import find_account, find_accounts
from .find import find

__all__ = ["find", "find_account", "find_accounts"]
