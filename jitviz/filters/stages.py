"""A `filter_jit` function lowered or compiled ahead of time.

In: a stage of JAX, and the static half of a call.  Out: the same stage, which takes the user's trees.
"""

from dataclasses import dataclass
from typing import Any, Self

from jax.tree_util import tree_flatten

from .kernel import Kernel, KeyedJit
from .leaves import role_of
from .refusals import named_leaves
from .static_outputs import Output


@dataclass(eq=False, repr=False)
class _Stage:
    _stage: Any
    _kernel: Kernel
    _program: KeyedJit
    _held: tuple[Any, ...]
    _first: tuple[Any, ...] = ()  # the instance, if the function is a method

    def bind(self, instance: Any) -> Self:
        """This stage, with `instance` as the first argument of every call."""
        self._first = (instance,)
        return self

    def __getattr__(self, name: str) -> Any:
        # Everything else (as_text, cost_analysis, memory_analysis, ...) is JAX's.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._stage, name)


class Lowered(_Stage):
    """The counterpart of `jax.stages.Lowered`."""

    def compile(self, *args: Any, **kwargs: Any) -> "Compiled":
        """Compile the program. The arguments are those of `jax.stages.Lowered.compile`."""
        compiled = self._stage.compile(*args, **kwargs)
        return Compiled(compiled, self._kernel, self._program, self._held, self._first)


class Compiled(_Stage):
    """The counterpart of `jax.stages.Compiled`: it never compiles again."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises:
            TypeError: the structure, static leaves or avals of the arguments differ from those it was compiled for.
        """
        arguments = self._kernel.bind((*self._first, *args), kwargs)
        leaves, treedef = tree_flatten(tuple(arguments.values()))
        (names, own_treedef, roles, statics), split = self._program.key, self._program.split
        if tuple(arguments) != names or treedef != own_treedef:
            raise self._error("arguments of a different structure")
        static = dict(zip(split.static_at, statics, strict=True))
        for index, (leaf, role) in enumerate(zip(leaves, map(role_of, map(type, leaves)), strict=True)):
            if role != roles[index]:
                path = list(named_leaves(arguments))[index][0]
                raise self._error(f"a static `{path}` of another type" if index in static else f"a traced `{path}`")
            if index in static and leaf is not static[index] and leaf != static[index]:
                raise self._error(f"another static value of `{list(named_leaves(arguments))[index][0]}`")
        out = self._stage(*self._held, *split.traced(leaves))
        return out.open() if isinstance(out, Output) else out

    def _error(self, what: str) -> TypeError:
        return TypeError(f"{self._kernel.name} was compiled for {what}. Lower and compile it for these arguments too.")
