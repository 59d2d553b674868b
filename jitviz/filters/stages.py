"""A `filter_jit` function lowered or compiled ahead of time.

In: JAX's own stage and the static half of the call it was made for.  Out: the same stage, called with the user's trees.
Must never: run with another static half than it was compiled for.
"""

from __future__ import annotations

from typing import Any, Self

from jax.tree_util import tree_flatten

from .errors import named_leaves
from .kernel import Kernel, Program
from .outputs import Output


class _Stage:
    def __init__(
        self, stage: Any, kernel: Kernel, program: Program, statics: tuple[Any, ...], held: tuple[Any, ...]
    ) -> None:
        self._stage = stage
        self._kernel = kernel
        self._program = program
        self._statics = statics
        self._held = held
        self._first: tuple[Any, ...] = ()

    def bind(self, instance: Any) -> Self:
        """This stage, of which `instance` is always the first argument."""
        self._first = (instance,)
        return self

    def __getattr__(self, name: str) -> Any:
        # The rest (cost_analysis, compiler_ir, memory_analysis, ...) is JAX's.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._stage, name)


class Lowered(_Stage):
    """As `jax.stages.Lowered`."""

    def as_text(self, *args: Any, **kwargs: Any) -> str:
        """The StableHLO of the program; arguments as of `jax.stages.Lowered.as_text`."""
        text: str = self._stage.as_text(*args, **kwargs)
        return text

    def compile(self, *args: Any, **kwargs: Any) -> Compiled:
        """Compile it; arguments as of `jax.stages.Lowered.compile`."""
        compiled = self._stage.compile(*args, **kwargs)
        stage = Compiled(compiled, self._kernel, self._program, self._statics, self._held)
        return stage.bind(*self._first) if self._first else stage


class Compiled(_Stage):
    """As `jax.stages.Compiled`: it never compiles again."""

    def as_text(self) -> str | None:
        """The optimised HLO of the program."""
        text: str | None = self._stage.as_text()
        return text

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run it.

        Raises:
            TypeError: the arguments differ in structure, in static leaves or in avals from what it was compiled for.
        """
        layout, values = self._kernel.binder.bind((*self._first, *args), kwargs)
        leaves, treedef = tree_flatten(values)
        plan, own = self._kernel.plans[layout, treedef, tuple(map(type, leaves))], self._program.plan
        if layout is not own.layout or treedef != own.treedef:
            raise self._error("arguments of another structure")
        if plan.roles != own.roles or plan.split.static(leaves) != self._statics:
            static = dict(zip(own.split.static_at, self._statics, strict=True))
            paths = [path for path, _ in named_leaves(layout.arguments(values))]
            for path, leaf, role, position in zip(paths, leaves, plan.roles, range(len(leaves)), strict=True):
                if role != own.roles[position]:
                    raise self._error(
                        f"`{path}` " + ("traced" if position not in static else "static, of another type")
                    )
                if role is not None and leaf != static[position]:
                    raise self._error(f"another static value of `{path}`")
        out = self._stage(*self._held, *own.split.traced(leaves))
        return out.open() if isinstance(out, Output) else out

    def _error(self, what: str) -> TypeError:
        return TypeError(f"{self._kernel.name} was compiled for {what}. Lower and compile it for these arguments.")
