"""`filter_grad` and `filter_value_and_grad`: differentiate by the floating-point arrays of the first argument.

In: a function that returns a scalar.  Out: a callable whose gradient is a tree like the first argument.
Must never: give a zero where there is no gradient; such leaves are None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import jax
import numpy as np
from jax.tree_util import GetAttrKey, tree_flatten, tree_unflatten

from .arrays import is_array, is_inexact_array
from .kernel import name_of
from .methods import Wrapping
from .split import Split

Transform: TypeAlias = Literal["grad", "value_and_grad"]


class FilterGrad(Wrapping):
    """A function under `filter_grad` or `filter_value_and_grad`, as `transform` says.

    It is a tree: two made of the same function are equal in a cache key, and arrays inside the function are leaves.
    """

    __wrapped__: Callable[..., Any]

    def __init__(
        self, fun: Callable[..., Any], transform: Transform, has_aux: bool, grad_options: Mapping[str, Any]
    ) -> None:
        self.transform: Transform = transform
        self.has_aux = has_aux
        self.grad_options = dict(grad_options)
        functools.update_wrapper(self, fun, updated=())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not args:
            raise TypeError(
                f"Functions wrapped with filter_{self.transform} are differentiated by their first argument, which "
                f"must be passed by position, not by keyword: {self._name}."
            )
        first, *rest = args
        leaves, treedef = tree_flatten(first)
        split = Split(map(is_inexact_array, leaves))
        others = split.static(leaves)

        def loss(inexact: tuple[Any, ...]) -> Any:
            out = self.__wrapped__(tree_unflatten(treedef, split.merge((*inexact, *others))), *rest, **kwargs)
            self._check_scalar(out)
            return out

        differentiate = jax.value_and_grad(loss, has_aux=self.has_aux, **self.grad_options)
        value, gradients = differentiate(split.traced(leaves))
        gradient = tree_unflatten(treedef, split.merge((*gradients, *(None for _ in others))))
        if self.transform == "value_and_grad":
            return value, gradient
        return (gradient, value[1]) if self.has_aux else gradient

    def __repr__(self) -> str:
        return f"<jitviz.{self._name.replace('(', ' of ', 1).removesuffix(')')}>"

    @property
    def _name(self) -> str:
        return f"filter_{self.transform}({name_of(self.__wrapped__)})"

    def _check_scalar(self, out: Any) -> None:
        if self.has_aux:
            if not (isinstance(out, tuple | list) and len(out) == 2):
                raise TypeError(f"{self._name} with has_aux=True: the function must return a pair, not {_kind(out)}.")
            out = out[0]
        shape = np.shape(out) if is_array(out) or isinstance(out, complex | float) else None
        if shape is None and (out is None or isinstance(out, tuple | list | dict)):
            raise TypeError(
                f"{self._name}: the function must return a scalar, but returned {_kind(out)}. "
                "To return more than the loss, return (loss, more) with has_aux=True."
            )
        if shape:
            raise TypeError(
                f"{self._name}: the function must return a scalar, but returned {_kind(out)}. "
                "Reduce it to one number, for example with jax.numpy.mean."
            )


def _kind(out: Any) -> str:
    if is_array(out):
        return f"an array of shape {np.shape(out)} and dtype {out.dtype}"
    return "None" if out is None else f"a {type(out).__name__}"


def filter_grad(
    fun: Callable[..., Any] | None = None, *, has_aux: bool = False, **grad_options: Any
) -> Callable[..., Any]:
    """A function that returns the gradient of `fun` by the floating-point arrays of its first argument.

    The gradient is a tree like the first argument, with None at every other leaf. With `has_aux`, `fun` returns a pair
    of which the first is differentiated, and `(gradient, aux)` is returned. `grad_options` go to `jax.value_and_grad`.
    To differentiate by several arguments, pass a tuple of them as the first argument.

    Raises:
        ValueError: `argnums` is given.
        TypeError: at the call: `fun` returned no scalar; the message has the shape that came instead.
    """
    return _wrap("grad", fun, has_aux, grad_options)


def filter_value_and_grad(
    fun: Callable[..., Any] | None = None, *, has_aux: bool = False, **grad_options: Any
) -> Callable[..., Any]:
    """A function that returns what `fun` returns, and its gradient, as `(value, gradient)`; see `filter_grad`.

    With `has_aux` it returns `((value, aux), gradient)`.
    """
    return _wrap("value_and_grad", fun, has_aux, grad_options)


def _wrap(
    transform: Transform, fun: Callable[..., Any] | None, has_aux: bool, grad_options: dict[str, Any]
) -> Callable[..., Any]:
    name = f"filter_{transform}"
    if grad_options.pop("argnums", None) is not None:
        raise ValueError(
            f"{name} does not take 'argnums': it differentiates by the first argument. "
            "To differentiate by several, pass a tuple of them as the first argument."
        )
    if fun is None:
        return functools.partial(_wrap, transform, has_aux=has_aux, grad_options=grad_options)
    if not callable(fun):
        raise TypeError(f"{name} needs a function, but got an object of type {type(fun).__name__}.")
    return FilterGrad(fun, transform, has_aux, grad_options)


jax.tree_util.register_pytree_with_keys(
    FilterGrad,
    lambda grad: (
        ((GetAttrKey("__wrapped__"), grad.__wrapped__),),
        (grad.transform, grad.has_aux, grad.grad_options),
    ),
    lambda options, children: FilterGrad(*children, *options),  # type: ignore[call-arg]
)
