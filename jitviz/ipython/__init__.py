"""jitviz in a notebook: `%load_ext jitviz`, `%%filterjit`, `%jitviz`.

In: IPython's shell.  Out: the shell with jitviz; after unloading, the shell exactly as it was before.
"""

from IPython.core.interactiveshell import InteractiveShell

from .extension import Extension

__all__ = ["load_ipython_extension", "unload_ipython_extension"]

_LOADED: dict[InteractiveShell, Extension] = {}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Load jitviz into a shell; `%load_ext jitviz` calls this."""
    if shell not in _LOADED:
        extension = Extension(shell)
        extension.load()
        _LOADED[shell] = extension


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Leave the shell exactly as it was before loading; `%unload_ext jitviz` calls this."""
    if shell in _LOADED:
        _LOADED.pop(shell).unload()
