"""The arguments of a call: leaves and nodes, together a signature.

In: nothing.  Out: frozen dataclasses, used by every other layer.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

from .equality import Description, Token
from .printable import Readable

Role = Literal["traced", "static"]
Form = Literal["positional", "keyword"]
ReadKind = Literal["global", "closure", "default", "attribute", "static"]  # "static": an attribute of a static value


@dataclass(frozen=True)
class Placement:
    """A sharding: its devices ("cpu:0") in order, and over a mesh its axes as (name, size, type) and the names of the
    axes that each dimension is split over; on one device without a mesh both are empty."""

    devices: tuple[str, ...]
    axes: tuple[tuple[str, int, str], ...] = ()
    spec: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Leaf:
    """One leaf of an argument tree (or of the outputs), at its user-level key path.

    `role` is "traced" (an input of the compiled program) or "static" (part of the cache key).
    `shape` counts elements per axis; `shape`, `dtype`, `weak_type`, `sharding` and `committed` are None
    or False for static leaves, as is `committed` for what cannot be committed (NumPy, scalars, tracers).
    `is_metadata` marks a static value in the treedef (auxiliary data) instead of the leaves.
    `repr` is a bounded structural text: a user's `__repr__` is never called.
    `variable` is the class of the NNX Variable that holds the array ("flax.nnx.Param"); it is part of the treedef.
    `placement` has the parts of the `sharding` of a committed array, if these are all there is to it.
    """

    path: str
    role: Role
    type: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    weak_type: bool = False
    sharding: str | None = None
    committed: bool | None = None
    donated: bool = False
    repr: str = ""
    static: Description | None = None
    is_metadata: bool = False
    itemsize: int = 0  # bytes per element
    variable: str = ""
    placement: Placement | None = field(default=None, compare=False)

    @property
    def nbytes(self) -> int:
        """Size of the array in bytes; 0 for static leaves."""
        return math.prod(self.shape) * self.itemsize if self.shape is not None else 0


@dataclass(frozen=True)
class Node:
    """An interior node of an argument tree: a container, a module, None.

    `keys` are the path steps to its children (".weight", "[0]", "['loss']"), in the order they are flattened.
    `type_token` tells two classes of the same name apart (a class defined again by a cell that ran again). `is_named`
    says that JAX knows the children by these steps instead of by their numbers.
    """

    path: str
    type: str
    keys: tuple[str, ...] = ()
    type_token: Token | None = None
    is_named: bool = True


@dataclass(frozen=True)
class Read:
    """A value that a trace reads besides the arguments, so that the program has it built in. `of` is a module, the
    function that closes over the name or has the default, or the path of the object whose attribute it is."""

    kind: ReadKind
    of: str
    name: str
    value: Description

    @property
    def path(self) -> str:
        """ "cfg.rate" for an attribute, "rate" for a variable."""
        return f"{self.of}.{self.name}" if self.kind in ("static", "attribute") else self.name


@dataclass(frozen=True, repr=False)
class Signature(Readable):
    """Every part of a call that is in a cache key (see the table in `cachekey`), under the user's names.

    `form` says how each parameter was passed; it is empty if the wrapper normalises that (filter_jit). `context` is
    JAX's trace context by setting name; `options` are the jit options of the function (donation, compiler options,
    ...). `defaults` are the texts of plain defaults that were used: they are not in the key, so passing one explicitly
    compiles again. `is_partial` says that part of the call could not be seen, and `note` why. `program` identifies the
    program of a backward pass or a loop in JAX's cache. `reads` is in no cache key.
    """

    leaves: tuple[Leaf, ...] = ()
    nodes: tuple[Node, ...] = ()
    form: tuple[tuple[str, Form], ...] = ()
    context: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    is_partial: bool = False
    note: str = ""
    program: Token | None = None
    reads: tuple[Read, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        """A line for each leaf: ● traced, ○ static."""
        width = max((len(leaf.path) for leaf in self.leaves), default=0)
        lines = [f"{'●' if leaf.role == 'traced' else '○'} {leaf.path:<{width}}  {leaf.repr}" for leaf in self.leaves]
        return "\n".join(lines) or "no leaves"

    @property
    def traced(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.role == "traced")

    @property
    def static(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.role == "static")
