"""The one error for input that cannot be used.

In: nothing.  Out: an exception whose message is for the user.
Must never: be raised for a mistake inside jitviz.
"""


class RefusedError(ValueError):
    """Something the user can correct; the message says how."""
