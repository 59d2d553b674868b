"""The arguments of a call: leaves, nodes and static values, together a signature.

In: nothing.  Out: frozen dataclasses, used by every other layer.
"""

import dataclasses
import math
from dataclasses import field
from typing import Literal, NewType

from .quick_dataclass import dataclass, state_of

Role = Literal["traced", "static"]
# How `==` compares a static value; this distinguishes "another value" from "the same value, created again".
Equality = Literal["value", "identity", "custom", "hash_only", "never"]
Form = Literal["positional", "keyword"]
ReadKind = Literal["global", "closure", "default", "attribute", "static"]  # "static": an attribute of a static value

# The number of an object for as long as it lives; unique in the process (`jitviz.capture.tokens`).
Token = NewType("Token", int)


@dataclass(frozen=True)
class Description:
    """The structure of a static value, bounded in depth and length; making one runs no user code.

    `token` is equal for two descriptions exactly if they describe the same living object. It is None for plain values
    (numbers, strings, enum members), which `text` describes completely. An object can have several names, so `name`
    does not take part in comparisons.
    """

    type: str  # "float", "train.Config", "function"
    text: str  # "0.1", "Config(rate=0.1)", "<function act at train.py:9>"
    equality: Equality = "value"
    token: Token | None = None
    code: str | None = None  # a digest of the bytecode of a function, or of the equations of a jaxpr: "7457233dfb5d"
    origin: str | None = None  # where a callable was defined: "In [3]:4", "train.py:9"
    fields: "tuple[tuple[str, Description], ...]" = ()  # ".rate" is an attribute; "<closure n>", "<default k>", "[0]"
    is_cut: bool = False  # the bounds left something out
    type_token: Token | None = None  # tells two classes of the same name apart
    rest: str | None = None  # a digest of the plain values that were left out, None if there are too many
    same_as: str | None = None  # where in the leaf this object is described already: ".loss", "" for the whole leaf
    plain: str = ""  # the built-in value that it equals, if that is not `text`: "2" for `Mode.EVAL`, a path, a time
    maker: str = ""  # the function that creates a new one each time it runs: "Net.__init__"
    name: str = field(default="", compare=False)  # by which a program finds it: "jax.numpy:tanh"; "" if not known
    is_of_library: bool = field(default=False, compare=False)  # whether an installed package defines the callable

    @property
    def is_dtype(self) -> bool:
        """Whether it is a dtype: each of NumPy's has a class ("Float32DType"), others are "numpy.dtype[bfloat16]"."""
        return self.type.endswith("DType") or self.type.startswith(("numpy.dtype[", "dtype["))


@dataclass(frozen=True)
class Placement:
    """A sharding: its devices ("cpu:0") in order, and over a mesh its axes as (name, size, type) and the names of the
    axes that each dimension is split over; on one device without a mesh both are empty."""

    devices: tuple[str, ...]
    axes: tuple[tuple[str, int, str], ...] = ()
    spec: tuple[tuple[str, ...], ...] = ()


@dataclasses.dataclass(frozen=True)  # which a tree makes thousands of
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

    __getstate__ = state_of

    @property
    def nbytes(self) -> int:
        """Size of the array in bytes; 0 for static leaves."""
        return math.prod(self.shape) * self.itemsize if self.shape is not None else 0


@dataclasses.dataclass(frozen=True)  # which a tree makes thousands of
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


@dataclass(frozen=True)
class Signature:
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

    @property
    def traced(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.role == "traced")

    @property
    def static(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.role == "static")
