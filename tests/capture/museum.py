"""Objects that people pass to jitted functions, and some that nobody should. They count or refuse what is asked."""

import contextlib
import dataclasses
import enum
import functools
import itertools
import random
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

ASKED: Counter[str] = Counter()
NUMBERS = itertools.count(100)


class Counting:
    """Hashes and compares by value, and counts how often it is asked to. Printing it counts too."""

    def __init__(self, value: int | None = None) -> None:
        self.value = next(NUMBERS) if value is None else value  # else it would be compared with those of other tests

    def __hash__(self) -> int:
        ASKED["hash"] += 1
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        ASKED["eq"] += 1
        return isinstance(other, Counting) and self.value == other.value

    def __repr__(self) -> str:
        ASKED["repr"] += 1
        return "COUNTED"

    __str__ = __repr__

    def __bool__(self) -> bool:
        ASKED["bool"] += 1
        return True

    def __len__(self) -> int:
        ASKED["len"] += 1
        return 1


class Refusing:
    """Raises whatever is asked of it, but for its hash and its identity."""

    def __init__(self) -> None:
        object.__setattr__(self, "secret", 7)

    def __getattribute__(self, name: str) -> Any:
        ASKED["getattribute"] += 1
        raise RuntimeError(f"asked for {name}")

    def __repr__(self) -> str:
        raise RuntimeError("asked for repr")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __bool__(self) -> bool:
        raise RuntimeError("asked for bool")

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("asked for items")

    def __len__(self) -> int:
        raise RuntimeError("asked for len")


class Lying:
    """Claims another class, and has a property and a lookup of missing names that raise."""

    __slots__ = ("__dict__", "held")

    def __init__(self) -> None:
        self.held = 1
        self.shown = "in the dict"

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        ASKED["class"] += 1
        return dict

    @property
    def broken(self) -> Any:
        ASKED["property"] += 1
        raise RuntimeError("asked for a property")

    def __getattr__(self, name: str) -> Any:
        ASKED["getattr"] += 1
        raise RuntimeError(f"asked for {name}")


class Meta(type):
    """A metaclass that refuses: attributes, names, checks of instances and of subclasses."""

    def __getattribute__(cls, name: str) -> Any:
        if name in ("__new__", "__init__", "__call__", "mro", "__abstractmethods__"):
            return type.__getattribute__(cls, name)
        ASKED["meta"] += 1
        raise RuntimeError(f"asked the class for {name}")

    def __instancecheck__(cls, instance: Any) -> bool:
        raise RuntimeError("asked whether it is an instance")

    def __subclasscheck__(cls, subclass: Any) -> bool:
        raise RuntimeError("asked whether it is a subclass")

    def __repr__(cls) -> str:
        raise RuntimeError("asked the class for its repr")


class Guarded(metaclass=Meta):
    """An instance of such a class."""


class Text(str):
    """A string that prints as something else."""

    __slots__ = ()

    def __repr__(self) -> str:
        ASKED["repr"] += 1
        return "LIES"

    def __hash__(self) -> int:
        return str.__hash__(self)


class Items(tuple[Any, ...]):
    """A tuple that refuses to be gone through."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        ASKED["iter"] += 1
        raise RuntimeError("asked for items")

    def __len__(self) -> int:
        ASKED["len"] += 1
        raise RuntimeError("asked for len")


class Point(NamedTuple):
    x: Any
    y: Any


class Colour(enum.Enum):
    RED = 1
    BLUE = 2

    def __repr__(self) -> str:
        ASKED["repr"] += 1
        return "COLOURED"


class Flags(enum.Flag):
    A = 1
    B = 2


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float
    layers: tuple[int, ...] = (3, 4)
    extra: Any = None


@dataclasses.dataclass(eq=False)
class ByIdentity:
    rate: float = 0.1


class Willing:
    """Has an answer for every name, each of them the last."""

    def __getattr__(self, name: str) -> Any:
        ASKED["getattr"] += 1
        raise SystemExit(name)


def for_ever() -> Any:
    while True:
        pass


def refuse() -> Any:
    raise RuntimeError("asked")


def jitted() -> Any:
    return bool(jax.jit(lambda x: x > 0)(1.0))


def told_by(act: Callable[[], Any]) -> Any:
    """Its text is made by `act`."""

    class Told:
        def __repr__(self) -> str:
            return str(act())

        __str__ = __format__ = __repr__  # type: ignore[assignment]

    return Told()


def equal_by(act: Callable[[], Any]) -> Any:
    """Its hash is that of all of its kind, and `act` says whether two are equal."""

    class Equal:
        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            ASKED["eq"] += 1
            return bool(act())

    return Equal()


def hashed_by(act: Callable[[], Any]) -> Any:
    """Its hash is made by `act`."""

    class Hashed:
        def __hash__(self) -> int:
            ASKED["hash"] += 1
            return int(act())

    return Hashed()


class HashOnly:
    def __hash__(self) -> int:
        return 3


class Slots:
    __slots__ = ("a", "b", "unset")

    def __init__(self) -> None:
        self.a, self.b = 1, "two"


class Module(threading.Thread):
    """Something large with locks inside."""


def cyclic() -> Any:
    found = Config(0.1, extra=[])
    found.extra.append(found)
    return ByHash(found)


class ByHash:
    """Makes anything hashable by identity."""

    def __init__(self, held: Any) -> None:
        self.held = held


def nested(levels: int, inside: Any = 3) -> Any:
    found = inside
    for _ in range(levels):
        found = (found,)
    return found


def dense() -> Any:
    """A thousand objects that each know all of the others."""
    nodes = [ByHash(None) for _ in range(1000)]
    for node in nodes:
        node.held = nodes
    return nodes[0]


NAMES = {  # of arguments, functions, files, keys, and what exceptions say
    "markup": "</script><script>alert(1)</script><!--",
    "bidi": "\u202eesrever\u2066",
    "control": "\x1b[31m\x07\r\n\x9b\u2028",
    "surrogates": "\ud800 \udc80",
    "a megabyte": "x" * 1_000_000,
}


def redefined() -> Any:
    class Settings:
        rate = 0.1

    return Settings()


def generator() -> Iterator[int]:
    yield 1


def statics() -> dict[str, Callable[[], Any]]:
    """Hashable things that may be static arguments of `jax.jit`, each made anew."""
    return {
        "counting": Counting,
        "counting inside": lambda: ByHash([Counting(), {"key": Counting()}, {Counting()}]),
        "counting as key": lambda: ByHash({Counting(): 1}),
        "refusing": Refusing,
        "refusing inside": lambda: ByHash([Refusing()]),
        "lying": Lying,
        "class that refuses": Guarded,
        "text": lambda: Text("abc"),
        "items": lambda: ByHash(Items((1, 2))),
        "named tuple": lambda: Point(1, Colour.RED),
        "enum": lambda: Colour.BLUE,
        "flags": lambda: Flags.A | Flags.B,
        "dataclass": lambda: Config(0.1),
        "dataclass by identity": ByIdentity,
        "hash only": HashOnly,
        "text that never ends": lambda: told_by(for_ever),
        "text that is printed": lambda: told_by(lambda: print("TOLD")),
        "text that calls jax": lambda: told_by(jitted),
        "text that is huge": lambda: told_by(lambda: "x" * 10**9),
        "equality that refuses": lambda: equal_by(refuse),
        "equality that lies": lambda: equal_by(lambda: next(NUMBERS) % 2),
        "equality that calls jax": lambda: equal_by(jitted),
        "hash that refuses": lambda: hashed_by(refuse),
        "hash that calls jax": lambda: hashed_by(jitted),
        "slots": Slots,
        "cyclic": cyclic,
        "deep": lambda: nested(200),
        "very deep": lambda: ByHash(nested(10_000)),
        "dense": dense,
        "willing": Willing,
        **{name: lambda text=text: text for name, text in NAMES.items()},
        "huge string": lambda: "x" * 1_000_000,
        "huge tuple": lambda: tuple(range(100_000)),
        "huge set": lambda: frozenset(range(100_000)),
        "sets of sets": lambda: frozenset(frozenset({n, (n,)}) for n in range(50)),
        "nan": lambda: float("nan"),
        "complex nan": lambda: complex("nan"),
        "slice": lambda: ByHash(slice(Counting(), None)),
        "range": lambda: range(3),
        "closure": lambda: functools.partial(lambda a, b: a, Counting()),
        "lambda": lambda: lambda x: x,
        "built-in": lambda: len,
        "class": lambda: Config,
        "module": lambda: functools,
        "generator": generator,
        "lock": threading.Lock,
        "thread": Module,
        "object array": lambda: ByHash(np.array([Counting(), None], dtype=object)),
        "structured scalar": lambda: ByHash(np.array([(1, Counting())], dtype=[("a", int), ("b", object)])[0]),
        "unsortable keys": lambda: ByHash({1: "a", "b": 2, None: 3, (1, 2): 4}),
        "redefined class": redefined,
        "random": random.Random,
        "exit stack": contextlib.ExitStack,
    }


def flattened_by(act: Callable[[], Any]) -> Any:
    """A node of a tree, which is flattened by `act`."""

    class Node:
        w = np.ones(3, np.float32)

    def flatten(node: Node) -> Any:
        ASKED["flatten"] += 1
        act()
        return (node.w,), None

    jax.tree_util.register_pytree_node(Node, flatten, lambda *_: Node())
    return Node()


def trees() -> dict[str, Callable[[], Any]]:
    """Trees that may be traced arguments, each made anew."""
    return {
        "flatten that warns": lambda: flattened_by(lambda: warnings.warn("flattened", stacklevel=1)),
        "flatten that is slow": lambda: flattened_by(lambda: time.sleep(0.02)),
        "flatten that calls jax": lambda: flattened_by(jitted),
        "flatten that ends Python": lambda: flattened_by(sys.exit),
    }
