"""What is worth doing: causes with their seconds, and what to do about each; shape plans; two runs compared.

In: a `Recording`.  Out: `Finding`s, most seconds first.
"""

from .accounting import find_account, find_accounts
from .find import find

__all__ = ["find", "find_account", "find_accounts"]
