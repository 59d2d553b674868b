"""The arguments of a call: leaves, nodes and static values, and the signature that they make.

In: nothing.  Out: frozen dataclasses, used by every other layer.
Must never: import jax, hold a user's object, or compute anything beyond a sum of its own fields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NewType

Role = Literal["traced", "static"]
# How `==` decides for a static value; it makes the difference between "another value" and "made anew".
Equality = Literal["value", "identity", "custom", "hash_only", "never"]
Form = Literal["positional", "keyword"]

# The same number exactly while it is the same living object; unique in the process (`jitviz.capture.identity`).
Token = NewType("Token", int)


@dataclass(frozen=True)
class Description:
    """A static value by its structure, bounded in depth and length; no user code is run to make one.

    `token` is the same for two descriptions exactly when they describe the same living object; it is
    None for plain values (numbers, strings, enum members), whose `text` says all there is.
    `code` digests the bytecode of a function or the equations of a jaxpr; `origin` is where a callable
    was defined ("In [3]:4", "train.py:12"), and `maker` the function that makes another of it each time it runs
    ("Net.__init__"). `fields` are attributes, closure cells, defaults, items.
    `is_cut` says that there was more than the bounds allow, and `rest` digests the plain values among it; None where
    there are too many of them. `type_token` tells two classes of the same name apart. `same_as` is the path inside the
    leaf, "" for all of it, at which the fields of this very object are told, of one that was met before. `plain` is the
    text of the number or string that a member of an enum is as well. `name` is one by which a program finds this very
    object ("jax.numpy:tanh"), "" where none is known; under how many names it goes is no part of what it is.
    """

    type: str
    text: str
    equality: Equality = "value"
    token: Token | None = None
    code: str | None = None
    origin: str | None = None
    fields: tuple[tuple[str, Description], ...] = ()
    is_cut: bool = False
    type_token: Token | None = None
    rest: str | None = None
    same_as: str | None = None
    plain: str = ""
    maker: str = ""
    name: str = field(default="", compare=False)

    @property
    def is_dtype(self) -> bool:
        """Whether it is a dtype: each of NumPy's has a class ("Float32DType"), others are "numpy.dtype[bfloat16]"."""
        return self.type.endswith("DType") or self.type.startswith(("numpy.dtype[", "dtype["))


@dataclass(frozen=True)
class Leaf:
    """One leaf of an argument tree (or of the outputs), at its user-level key path.

    `role` is "traced" (an input of the compiled program) or "static" (part of the cache key).
    `shape` counts elements per axis; `shape`, `dtype`, `weak_type`, `sharding` and `committed` are None
    or False for static leaves, as is `committed` where nothing can be committed (NumPy, scalars, tracers).
    `is_metadata` marks a static value that sits in the treedef (auxiliary data) and not among the leaves.
    `repr` is a bounded structural text: a user's `__repr__` is never called.
    `variable` is the class of the NNX Variable that holds the array ("flax.nnx.Param"); it is part of the treedef.
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

    def at(self, path: str) -> Leaf:
        """The same leaf at another path: a copy, which is made five times as fast as all fields are set again."""
        leaf = object.__new__(Leaf)
        leaf.__dict__.update(self.__dict__, path=path)
        return leaf

    @property
    def nbytes(self) -> int:
        """Size in bytes of the array this leaf stands for; 0 for static leaves."""
        return math.prod(self.shape) * self.itemsize if self.shape is not None else 0


@dataclass(frozen=True)
class Node:
    """An interior node of an argument tree: a container, a module, None.

    `keys` are the path steps to its children (".weight", "[0]", "['loss']"), in the order they are flattened.
    `type_token` tells two classes of the same name apart (a class defined anew by a re-run cell). `is_named` says that
    JAX knows the children by these steps, and not by their numbers alone.
    """

    path: str
    type: str
    keys: tuple[str, ...] = ()
    type_token: Token | None = None
    is_named: bool = True


@dataclass(frozen=True)
class Signature:
    """Everything of a call that enters a cache key (`jitviz.model.cachekey` has the table), under the user's names.

    `form` tells per parameter how it was given; empty where the wrapper normalises it (filter_jit). `context` is
    JAX's trace context by setting name; `options` are the jit options of the function (donation, compiler
    options, ...). `defaults` are parameters that were left to a plain default, by its text: they are no part of
    the key, which is why giving one compiles again. `is_partial` says that some of it could not be seen, and
    `note` why. `program` is what JAX made of a backward pass or a loop, by which its cache knows it.
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

    @property
    def traced(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.role == "traced")

    @property
    def static(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if leaf.role == "static")
