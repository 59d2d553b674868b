"""`filter_grad` and `filter_value_and_grad`: gradients with respect to the inexact arrays of the first argument.

In: a function that returns a scalar.  Out: a callable whose gradient is a tree like the first argument.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import jax
from jax.tree_util import GetAttrKey, tree_flatten, tree_unflatten

from .kernel import name_of
from .leaves import Split, is_array, is_inexact_array
from .methods import Wrapping

Transform: TypeAlias = Literal["grad", "value_and_grad"]


class FilterGrad(Wrapping):
    """A function under `filter_grad` or `filter_value_and_grad`, as `transform` says.

    It is a tree. The arrays in the function are its leaves, and two wrappers of one function are equal in a cache key.
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
                f"{self._name} differentiates with respect to the first argument. Pass it by position, not by keyword."
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
        return f"<jitviz.filter_{self.transform} of {name_of(self.__wrapped__)}>"

    @property
    def _name(self) -> str:
        return f"filter_{self.transform}({name_of(self.__wrapped__)})"

    def _check_scalar(self, out: Any) -> None:
        if self.has_aux:
            if not (isinstance(out, tuple | list) and len(out) == 2):
                raise TypeError(f"{self._name} with has_aux=True: the function must return a pair, not {_kind(out)}.")
            out = out[0]
        if out is None or isinstance(out, tuple | list | dict):
            advice = "To return more than the loss, return (loss, more) with has_aux=True."
        elif is_array(out) and out.shape:
            advice = "Reduce it to one number, for example with jax.numpy.mean."
        else:
            return
        raise TypeError(f"{self._name}: the function must return a scalar, but returned {_kind(out)}. {advice}")


def _kind(out: Any) -> str:
    if is_array(out):
        return f"an array of shape {out.shape} and dtype {out.dtype}"
    return "None" if out is None else f"a {type(out).__name__}"


def filter_grad(
    fun: Callable[..., Any] | None = None, *, has_aux: bool = False, **grad_options: Any
) -> Callable[..., Any]:
    """A function that returns the gradient of `fun` with respect to the inexact arrays of its first argument.

    >>> gradient = jitviz.filter_grad(loss)(model, batch)

    The gradient is a tree like the first argument, with None at every other leaf. With `has_aux`, `fun` returns
    `(loss, aux)`, and the new function `(gradient, aux)`. `grad_options` are passed to `jax.value_and_grad`.
    To differentiate with respect to several arguments, pass a tuple of them as the first argument.

    Raises:
        ValueError: `argnums` is given.
        TypeError: in the call, `fun` did not return a scalar; the message says what it returned.
    """
    return _wrap("grad", fun, has_aux, grad_options)


def filter_value_and_grad(
    fun: Callable[..., Any] | None = None, *, has_aux: bool = False, **grad_options: Any
) -> Callable[..., Any]:
    """A function that returns `(value, gradient)`: the result of `fun` and its gradient; see `filter_grad`.

    >>> value, gradient = jitviz.filter_value_and_grad(loss)(model, batch)

    With `has_aux` it returns `((value, aux), gradient)`.
    """
    return _wrap("value_and_grad", fun, has_aux, grad_options)


def _wrap(
    transform: Transform, fun: Callable[..., Any] | None, has_aux: bool, grad_options: dict[str, Any]
) -> Callable[..., Any]:
    name = f"filter_{transform}"
    if grad_options.pop("argnums", None) is not None:
        raise ValueError(
            f"{name} does not take 'argnums': it differentiates with respect to the first argument. "
            "For several arguments, pass a tuple of them as the first argument."
        )
    if fun is None:
        return functools.partial(_wrap, transform, has_aux=has_aux, grad_options=grad_options)
    if not callable(fun):
        raise TypeError(f"{name} needs a function, but got an object of type {type(fun).__name__}.")
    return FilterGrad(fun, transform, has_aux, grad_options)


jax.tree_util.register_pytree_with_keys(
    FilterGrad,
    lambda grad: (((GetAttrKey("__wrapped__"), grad.__wrapped__),), (grad.transform, grad.has_aux, grad.grad_options)),
    lambda options, children: FilterGrad(*children, *options),  # type: ignore[call-arg]
)
