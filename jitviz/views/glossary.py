"""The words of JIT compilation, one line each, for whoever meets them for the first time.

In: nothing.  Out: `GLOSSARY`, a term to its explanation.
Must never: take more than a line, or explain a term with another one that is not in here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GLOSSARY: Mapping[str, str] = MappingProxyType(
    {
        "aval": "Abstract value: what JAX knows of an array while tracing; its dtype and shape, but no numbers.",
        "avoidable": "A recompile that a change to the program would save; the reason says which.",
        "cache cleared": "Someone emptied JAX's caches, so that what had been compiled was compiled again.",
        "call": "One call of a jitted function.",
        "committed": "An array that was put on a device on purpose; a computation with it has to run there.",
        "compile": "XLA turns the lowered program into machine code: an executable. Usually the longest phase.",
        "compile time": "Wall time during which something was traced, lowered or compiled.",
        "config context": "A setting of JAX that is part of the cache key (x64, a mesh, a precision) was another one.",
        "donated": "The caller gives the buffer away, so that an output may reuse its memory.",
        "dtype": "The type of an array's elements is part of its aval.",
        "error": "A call that ended with an exception.",
        "executable": "The machine code that XLA made for one version.",
        "first": "The function had no compiled version yet.",
        "hit": "A call that found its version compiled already, and only ran it.",
        "inherent": "A recompile that anyone would expect: the program has to be another one.",
        "inlined": "A call inside another trace: it became part of the program that called it.",
        "jaxpr": "The program as JAX traced it: one line for each operation on arrays.",
        "kwargs vs args": "The same argument came by name instead of by place, or the other way round.",
        "leaf": "One value at the end of a tree of arguments: an array, a number, a function.",
        "leaf kind": "A leaf that was traced is static now, or the other way round.",
        "lower": "JAX translates the traced program into StableHLO, the language that XLA reads.",
        "metadata": "A static value that sits in the tree's structure, not among its leaves.",
        "new function": "The jitted function is another object than last time; each object has its own cache.",
        "not used": "The program does not depend on this input; JAX leaves it out of the executable.",
        "partition": "How the arguments were divided into traced and static leaves.",
        "prng key type": "A random key of the old kind (two integers) and one of the new kind differ in their dtype.",
        "recompile": "A compile of a function that had a compiled version already.",
        "retrace": "The Python function ran again to be traced, but the executable was there already.",
        "reused": "The buffer of this donated input became the memory of an output.",
        "run": "Time in a call outside of its phases: the executable runs, or is sent on its way to run.",
        "shape": "The sizes of an array's axes are part of its aval: another shape means another version.",
        "sharding": "On which devices an array lies, and how it is divided over them.",
        "static": "Part of the cache key: another value (by hash and ==) means another version.",
        "static eq": "A static value that cannot be found in a cache: its hash and == do not fit together.",
        "static identity": "A static callable or object that was made anew, and equals none but itself.",
        "static value": "A static leaf has another value (by hash and ==) than in any version before.",
        "trace": "JAX runs the Python function once on abstract values and notes down what it does.",
        "traced": "An input of the compiled program: its numbers may change from call to call, its aval may not.",
        "transform": "The jitted function was differentiated or batched from outside: that is another program.",
        "treedef": "The structure of a tree of arguments: containers, keys and classes, without the leaves.",
        "unexplained": "What was seen of the call does not tell why JAX compiled.",
        "version": "One compiled program of a function, for one signature.",
        "weak type": "The dtype came from a Python number and gives way to that of any array it meets.",
    }
)
