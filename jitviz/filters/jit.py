"""`filter_jit`: arrays are traced, everything else is static.

In: a function, a method or a callable tree.  Out: a callable that compiles once per static key and avals.
Must never: wait for a result, flatten a call twice, or keep the arguments of a call.
"""

import contextlib
import functools
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, overload

import jax
from jax.tree_util import GetAttrKey, PyTreeDef, default_registry

from ..jaxcompat import equinox_internals, jax_frames
from . import hook
from .donation import DONATE, QUIET, Donate, unusable_donations_ignored
from .kernel import Kernel, KeyedJit, kernel_of, name_of
from .leaves import role_of
from .methods import Wrapping
from .refusals import check_traceable
from .stages import Lowered
from .static_outputs import Output

P = ParamSpec("P")
R = TypeVar("R")
_flatten = default_registry.flatten

# The source lines of a program are those of the user's code, not of this folder.
jax_frames.leave_out(f"{Path(__file__).parent}{os.sep}")

_JIT_OPTIONS = inspect.signature(jax.jit).parameters.keys()
_REFUSED = {
    "static_argnums": "pass a Python value to make it static, an array to have it traced",
    "donate_argnums": "write donate='all' or donate='all-except-first' instead",
    "in_shardings": "place arguments with jax.device_put, or use jax.lax.with_sharding_constraint inside the function",
}
_REFUSED["static_argnames"] = _REFUSED["static_argnums"]
_REFUSED["donate_argnames"] = _REFUSED["donate_argnums"]
_REFUSED["out_shardings"] = _REFUSED["in_shardings"]


class FilterJit(Wrapping, Generic[P, R]):
    """A function under `filter_jit`. It is a tree with the leaves of the function that it wraps. `held` are the arrays
    of that function, and `flat` its treedef and all of its leaves."""

    # "Not set up yet": a wrapper that is rebuilt from its leaves is set up at its first call.
    _kernel: Kernel | None = None
    held: tuple[Any, ...] = ()
    flat: tuple[PyTreeDef | None, Sequence[Any]] = (None, ())

    __wrapped__: Callable[P, R]

    def __init__(self, fun: Callable[P, R], donate: Donate, jit_options: Mapping[str, Any]) -> None:
        self.donate: Donate = donate
        self.jit_options = dict(jit_options)
        self._warnings = unusable_donations_ignored if donate in QUIET else contextlib.nullcontext()
        # The attributes are not copied: those of a callable module are its parameters.
        functools.update_wrapper(self, fun, updated=())

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the user's function."""
        return self.set_up().signature

    def set_up(self) -> Kernel:
        """Find or create the kernel of the function.

        Raises:
            TypeError: the function cannot be called, or holds a static leaf that cannot be hashed.
        """
        if self._kernel is None:
            self._kernel, self.held, self.flat = kernel_of(self.__wrapped__, self.donate, self.jit_options)
        return self._kernel

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            kernel = self._kernel or self.set_up()
            arguments = kernel.bind(args, kwargs)
            leaves, treedef = _flatten(tuple(arguments.values()), None)
            program = kernel.find(arguments, treedef, leaves, tuple(map(role_of, map(type, leaves))))
        except BaseException:  # a user's flatten, hash or == may raise anything
            hook.note_refused(self)
            raise
        inputs = (*self.held, *program.split.traced(leaves))
        try:
            out = _run(self, program, arguments, leaves, treedef, inputs)
        except TypeError:
            check_traceable(name_of(self), arguments)
            raise
        except (RuntimeError, ValueError) as error:
            equinox_error = equinox_internals.runtime_error(error)
            if equinox_error is not None:
                raise equinox_error from None
            raise
        return out.open() if type(out) is Output else out  # type: ignore[no-any-return]

    @hook.calls_program
    def lower(self, /, *args: Any, **kwargs: Any) -> Lowered:
        """Lower the function for these arguments. A `jax.ShapeDtypeStruct` may replace an array."""
        kernel = self.set_up()
        arguments = kernel.bind(args, kwargs)
        leaves, treedef = _flatten(tuple(arguments.values()), None)
        kinds = (jax.Array if isinstance(leaf, jax.ShapeDtypeStruct) else type(leaf) for leaf in leaves)
        program = kernel.find(arguments, treedef, leaves, tuple(map(role_of, kinds)))
        with self._warnings:
            lowered = program.jitted.lower(*self.held, *program.split.traced(leaves))
        return Lowered(lowered, kernel, program, self.held)

    def __reduce__(self) -> tuple[Any, ...]:
        return FilterJit, (self.__wrapped__, self.donate, self.jit_options)

    def __repr__(self) -> str:
        return f"<jitviz.filter_jit of {name_of(self.__wrapped__)}>"


@hook.calls_program
def _run(
    self: FilterJit[..., Any],
    program: KeyedJit,
    arguments: Mapping[str, Any],  # unused here, but `hook.call_in` reads it, as the next two
    leaves: Sequence[Any],
    treedef: PyTreeDef,
    inputs: Sequence[Any],
) -> Any:
    """Run the program and notify the observer, if any. One that is removed meanwhile still learns how it ended."""
    __tracebackhide__ = True
    observer, token = hook.observer, None
    try:
        if observer is not None:
            token = observer.started(self, program, leaves)
    except Exception:  # noqa: BLE001 - the user's call goes on whatever the observer does
        observer = None
    try:
        with self._warnings:
            out = program.jitted(*inputs)
    except BaseException:  # not bound to a name: readers of this frame would close a cycle of the frame and its error
        if observer is not None:
            with contextlib.suppress(Exception):
                observer.finished(token, sys.exception())
        observer = token = None  # the user may keep the error, and with it this frame
        locals()  # before Python 3.13, updates the copy that a reader of this frame has left in it
        raise
    try:
        if observer is not None:
            observer.finished(token, None)
    except Exception:  # noqa: BLE001, S110 - as above
        pass
    return out


@overload
def filter_jit(fun: Callable[P, R], *, donate: Donate = "none", **jit_options: Any) -> FilterJit[P, R]: ...
@overload
def filter_jit(
    fun: None = None, *, donate: Donate = "none", **jit_options: Any
) -> Callable[[Callable[P, R]], FilterJit[P, R]]: ...
def filter_jit(fun: Callable[..., Any] | None = None, *, donate: Donate = "none", **jit_options: Any) -> Any:
    """Compile `fun` with JAX: JAX and NumPy arrays are traced, everything else is static.

    >>> step = jitviz.filter_jit(lambda model, batch: loss(model, batch))
    >>> step(model, batch)

    Arrays may be anywhere in the arguments, and in `fun` if it is a tree (a module, or a bound method of one).
    A static leaf enters the cache key by its type, hash and ==. In the result of `fun`, arrays come from the compiled
    program, and all other leaves are as they were when that program was traced. Write `@filter_jit`,
    `@filter_jit(...)` or `filter_jit(fun)`; on a method in a class body, `self` is an argument.

    `donate` says which buffers may be reused for outputs: with "all" those of the arguments and of the arrays in `fun`,
    with "all-except-first" all but those of the first argument, with "none" no buffers. "warn" and "warn-except-first"
    donate the same, and JAX warns about those that it could not use. `jit_options` are passed to `jax.jit` (`inline`,
    `keep_unused`, `compiler_options`, ...).

    A function keeps up to 1024 static keys, then drops the oldest.

    Raises:
        ValueError: `donate` is another word, or `filter_jit` itself does what a jit option would do.
        TypeError: `fun` cannot be called, or `jax.jit` has no such option.
    """
    if donate not in DONATE:
        raise ValueError(f"filter_jit: donate must be one of {', '.join(map(repr, DONATE))}, not {donate!r}.")
    for option in jit_options:
        if option in _REFUSED:
            raise ValueError(f"filter_jit does not take {option!r}: {_REFUSED[option]}.")
        if option not in _JIT_OPTIONS:
            raise TypeError(f"filter_jit() got an unexpected keyword argument {option!r}; jax.jit has no such option.")
    if fun is None:
        return functools.partial(filter_jit, donate=donate, **jit_options)
    if not callable(fun):
        raise TypeError(f"filter_jit needs a function, but got an object of type {type(fun).__name__}.")
    wrapper = FilterJit(fun, donate, jit_options)
    wrapper.set_up()
    return wrapper


jax.tree_util.register_pytree_with_keys(
    FilterJit,
    lambda wrapper: (((GetAttrKey("__wrapped__"), wrapper.__wrapped__),), (wrapper.donate, wrapper.jit_options)),
    lambda options, children: FilterJit(*children, *options),  # type: ignore[call-arg]
)
