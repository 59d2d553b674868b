"""The texts of JAX's exceptions, from jax 0.7.2 on.

In: a message.  Out: the names, lines, types and sizes in it.
Sources: https://github.com/jax-ml/jax/blob/main/jax/_src/errors.py, `_origin_msg` in
https://github.com/jax-ml/jax/blob/main/jax/_src/interpreters/partial_eval.py, and the functions that raise.
"""

import re

_FUNCTION = re.compile(r"while tracing the function (\S+) at (?:(.+?):(\d+))?")
_LEAKED_FROM = re.compile(r"when the value leaked was (\S+) at (.+?):(\d+) traced")
_MADE_AT = re.compile(r"leaked intermediate value was created on line (\S[^\n]*?):(\d+)(?::\d+)? \(([^)\n]*)\)")
_DEPENDS_ON = re.compile(r"depends on the values? of the arguments? (\w.*?)\.\s*$", re.MULTILINE)
_STATE = re.compile(r"(\w+)\.states\[\d+\]\[(\d+)\]")
_AND = re.compile(r",? and |, ")
_TRACER = re.compile(r"Tracer[(<](?:aval=)?~?(\w+\[[\d,]*\])")
_TRACED = re.compile(r"traced\[(\d+)\]")
_FROM_LINE = re.compile(r"^\s+from line (.+?):(\d+)(?::\d+)? ", re.MULTILINE)


def traced_function(message: str) -> str:
    """The qualified name of the function that was being traced; "" if the text names none."""
    found = _FUNCTION.search(message) or _LEAKED_FROM.search(message)
    return found[1] if found else ""


def depends_on(message: str) -> tuple[str, ...]:
    """JAX's names of the arguments that a value depends on."""
    found = _DEPENDS_ON.search(message)
    return tuple(_AND.split(found[1])) if found else ()


def number_of_input(name: str) -> int | None:
    """1 of "traced[1]", as `jitviz.filter_jit` calls its inputs."""
    found = _TRACED.fullmatch(name)
    return int(found[1]) if found else None


def array_of_nnx(name: str) -> tuple[str, int] | None:
    """(argument, number) of an array that NNX passed in place of a model: ("model", 1) of "model.states[0][1]"."""
    found = _STATE.fullmatch(name)
    return (found[1], int(found[2])) if found else None


def is_name_of_wrapper(name: str) -> bool:
    """Whether JAX's name of an input is one that `jitviz.filter_jit`, Equinox or NNX gave it."""
    return name.startswith(("dynamic", "pure_", "args[", "traced[")) or ".states[" in name


def traced_lines(message: str) -> tuple[tuple[str, int], ...]:
    """(file, line) of the operations that made a value traced."""
    return tuple(dict.fromkeys((file, int(line)) for file, line in _FROM_LINE.findall(message)))


def leaked_function(message: str) -> tuple[str, str, int]:
    """(qualified name, file, line) of the function whose trace leaked a value; of the one that made the value where JAX
    does not know it, as for an object with `__call__`."""
    found = _LEAKED_FROM.search(message)
    if found:
        return found[1], found[2], int(found[3])
    made = _MADE_AT.search(message)
    name = made[3] if made and made[3] != "<module>" else ""  # of a function that is not written in Python
    return (name, made[1], int(made[2])) if made else ("", "", 0)


def traced_where(message: str) -> tuple[str, str, int]:
    """(qualified name, file, line) of the function in whose trace a value was made that Python needed."""
    found = _FUNCTION.search(message)
    return (found[1], found[2] or "", int(found[3] or 0)) if found else ("", "", 0)


def leaked_at(message: str) -> tuple[str, int] | None:
    """(file, line) where a leaked value was made."""
    found = _MADE_AT.search(message)
    return (found[1], int(found[2])) if found else None


def tracer_types(message: str) -> tuple[str, ...]:
    """The short types of the tracers that a text prints: "i32[3]"."""
    return tuple(dict.fromkeys(short_type(found) for found in _TRACER.findall(message)))


_LONG = re.compile(r"^(bool|float|uint|int|complex|bfloat)(\d*)")
_SHORT = {"bool": "bool", "float": "f", "uint": "u", "int": "i", "complex": "c", "bfloat": "bf"}


def short_type(name: str) -> str:
    """JAX's short form of a type: "f32[3]" for "float32[3]"."""
    return _LONG.sub(lambda found: _SHORT[found[1]] + found[2], name.lstrip("~"))


def rank_of(type_: str) -> int:
    """2 of "f32[3,4]"."""
    return len(sizes_of(type_))


def sizes_of(type_: str) -> list[int]:
    """[3, 4] of "f32[3,4]"."""
    return [int(size) for size in type_.partition("[")[2].rstrip("]").split(",") if size.strip().isdigit()]


_MASK = re.compile(r"indices must be concrete; got (\w+\[[\d,]*\])")
_NO_ARRAY = re.compile(
    r"value is of type <class '([^']*)'> and was passed to the function at path (.*?)\.?$", re.MULTILINE
)
_NO_INPUT = re.compile(r"of type <class '([^']*)'> is not a valid JAX type")
_NO_OUTPUT = re.compile(
    r"^function (\S+) at .*? returned a value of type <class '([^']*)'>(?: at output component ([\[.][^,]*))?"
)
_UNHASHABLE = re.compile(r"hash an object of type <class '([^']*)'>")
_NAMES_REFUSED = re.compile(r"has invalid argnames (\{.*?\}) in (\w+)\.")
_NUMBERS_REFUSED = re.compile(r"has (\w+_argnums)=(\(.*?\)), but only accepts (\d+) positional")
_OBJECT = re.compile(r"object of type <class '[^']*'>, (.{1,2000}?)\. The error was:", re.DOTALL)
_CARRY_TYPE = re.compile(
    r"input carry (?:component )?(\S+) has type (\S+?) but the corresponding output carry component has type (\S+?), so"
)
_CARRY_TREE = re.compile(
    r"input carry (?:component )?(\S+) is (.+?) but the corresponding component of the carry output is (.+?), so"
)
_KEYS = re.compile(r"symmetric difference (?:of key sets: \{(.*?)\}|on key sets is\s+(.+))")
_METADATA = re.compile(r"with metadata\s+\(([^()]*)\)\s+but at the same key path[\s\S]*?with metadata\s+\(([^()]*)\)")
_PAIR = re.compile(r"scan body output must be a pair, got ([^\n]+?)\.\s*$")
_LOOP = re.compile(r"^(scan|while_loop|fori_loop) body function|^body_fun output")
_BRANCH_TYPE = re.compile(
    r"output of (.+?) (?:has type|component (\S+) has type) (\S+?) "
    r"but the corresponding output of (.+?) has type (\S+?), so"
)
_AT_PATH = r"(?: at path (\S+?)| component (\S+?))?"
_BRANCH_TREE = re.compile(rf"^(.+?) output{_AT_PATH} is (.+?) but (.+?) output{_AT_PATH} is (.+?), so", re.MULTILINE)
_BRANCH_IS = re.compile(r"^(.+?) is (\S+) at (.+?):(\d+)$", re.MULTILINE)


_MESH_AXIS = re.compile(r"Resource axis: (\w+) of .* is not found in mesh: \((.*?),?\)")
_UNBOUND = re.compile(r"unbound axis name:? (\w+)")


def axis_of_mesh(message: str) -> tuple[str, str] | None:
    """(axis, axes of the mesh) of a partition that the mesh does not have: ("batch", "'data'")."""
    found = _MESH_AXIS.search(message)
    return (found[1], found[2]) if found else None


def unbound_axis(message: str) -> str:
    """The name of an axis that no transformation around gave."""
    found = _UNBOUND.search(message)
    return found[1] if found else ""


def mask_type(message: str) -> str:
    """The type of a boolean mask."""
    found = _MASK.search(message)
    return found[1] if found else ""


def no_array(message: str) -> tuple[str, str] | None:
    """(path, type) of an argument that is no array: ("b['name']", "str")."""
    found = _NO_ARRAY.search(message)
    return (found[2], found[1]) if found else None


def no_input(message: str) -> str:
    """The class of an argument that no transformation takes."""
    found = _NO_INPUT.search(message)
    return found[1] if found else ""


def no_output(message: str) -> tuple[str, str, str] | None:
    """(function, component, type) of an output that is no array."""
    found = _NO_OUTPUT.search(message)
    return (found[1], found[3] or "", found[2]) if found else None


def unhashable_type(message: str) -> str:
    """The class that cannot be hashed."""
    found = _UNHASHABLE.search(message)
    return found[1] if found else ""


def names_refused(message: str) -> tuple[str, tuple[str, ...]] | None:
    """(option, names) of arguments that a function has not: ("static_argnames", ("n",))."""
    found = _NAMES_REFUSED.search(message)
    return (found[2], tuple(sorted(re.findall(r"'([^']*)'", found[1])))) if found else None


def numbers_refused(message: str) -> tuple[str, str, str] | None:
    """(option, its value, the number of positional arguments): ("static_argnums", "(3,)", "2")."""
    found = _NUMBERS_REFUSED.search(message)
    return (found[1], found[2], found[3]) if found else None


def object_text(message: str) -> str:
    """How JAX prints the object that cannot be hashed."""
    found = _OBJECT.search(message)
    return found[1] if found else ""


def no_pair(message: str) -> str:
    """What the body of a `scan` returned in place of a pair."""
    found = _PAIR.search(message)
    return short_type(found[1]) if found else ""


def carry_types(message: str) -> tuple[tuple[str, str, str], ...]:
    """(component, type of the input, type of the output) of the parts of a carry that differ."""
    return tuple((name, short_type(before), short_type(after)) for name, before, after in _CARRY_TYPE.findall(message))


def carry_tree(message: str) -> tuple[str, str, str] | None:
    """(component, input, output) of the node of a carry that differs, in JAX's words."""
    found = _CARRY_TREE.search(message)
    return (found[1], found[2], found[3]) if found else None


def different_keys(message: str) -> tuple[str, ...]:
    """The keys that one side has and the other has not."""
    found, metadata = _KEYS.search(message), _METADATA.search(message)
    if metadata is not None:
        prefix, full = (re.findall(r"'([^']*)'", names) for names in metadata.groups())
        return tuple(key for key in (*full, *prefix) if (key in full) != (key in prefix))
    keys = (found[1].split(",") if found[1] is not None else found[2].split()) if found else ()
    return tuple(key.strip(" []'\"") for key in keys)


def branch_types(message: str) -> tuple[tuple[str, str, str, str, str], ...]:
    """(branch, component, type, other branch, its type) of the outputs that differ."""
    return tuple(
        (one, path, short_type(type_), other, short_type(its))
        for one, path, type_, other, its in _BRANCH_TYPE.findall(message)
    )


def branch_tree(message: str) -> tuple[str, str, str, str, str] | None:
    """(branch, path, its node, other branch, its node) where the trees of outputs differ."""
    found = _BRANCH_TREE.search(message)
    return (found[1], found[2] or found[3] or "", found[4], found[5], found[8]) if found else None


def branch_functions(message: str) -> dict[str, tuple[str, str, int]]:
    """By the name of a branch, its function with file and line."""
    return {name: (function, file, int(line)) for name, function, file, line in _BRANCH_IS.findall(message)}


_AXIS = re.compile(
    r"(?:had size|of size) (\d+)[^;\n]*?axis (\d+) of (?:argument )?(\S+) of type (\S+?)[;,.]?$", re.MULTILINE
)
_LENGTHS = re.compile(r"len\(in_axes\)=(\d+), len\(args\)=(\d+)")
_DTYPE_GOT = re.compile(r"but got (\w+)\.")
_OUTPUT_SHAPE = re.compile(r"Output had shape: (\([\d, ]*\))")
_DEVICE_OF = re.compile(r"argument (\S+) of (\S+) with shape (\S+) and (?:with )?device ids (\[[\d, ]*\])")
_COMPILED_WITH = re.compile(r"Argument '(.+?)' compiled with (\S+) and called with (\S+)")
_TREES_DIFFER = re.compile(r"at (\S+), seen (.+?) but now given (.+?), so")
_PREFIX_AT = re.compile(r"at key path\s+(?:pjit |jit |vmap )?(\S+)((?:\[[^\]\n]*\]|\.\w+)*)", re.MULTILINE)
_RANKS = re.compile(r"only valid for values of rank at least (\d+), but was applied to a value of rank (\d+)")
_DIVISIBLE = re.compile(r"(?:pjit|jit) (arguments|outputs) with pytree key path (\S+)")
_TREES = re.compile(
    r"bwd output structure PyTreeDef\((.*?)\) for primal input structure PyTreeDef\((.*?)\)\.?$", re.MULTILINE
)


def axis_sizes(message: str) -> tuple[tuple[int, int, str, str], ...]:
    """(size, axis, argument, type) of the arguments whose mapped axes differ, the usual size first."""
    found = _AXIS.findall(message)
    return tuple((int(size), int(axis), _of_kwargs(name), short_type(type_)) for size, axis, name, type_ in found)


def _of_kwargs(path: str) -> str:
    """ "mask['a']" of "kwargs['mask']['a']"."""
    return re.sub(r"^kwargs\['(\w+)'\]", r"\1", path)


def axes_and_arguments(message: str) -> tuple[int, int] | None:
    """How many entries `in_axes` has, and how many arguments were passed."""
    found = _LENGTHS.search(message)
    return (int(found[1]), int(found[2])) if found else None


def dtype_given(message: str) -> str:
    """The dtype that an operation refuses."""
    found = _DTYPE_GOT.search(message)
    return found[1] if found else ""


def output_shape(message: str) -> str:
    """The shape of what should be a scalar: "(3,)"."""
    found = _OUTPUT_SHAPE.search(message)
    return found[1] if found else ""


def devices_of(message: str) -> tuple[tuple[str, str, str, str], ...]:
    """(argument, function, type, device numbers) of arguments on devices that do not fit together."""
    return tuple((name, of, short_type(type_), ids) for name, of, type_, ids in _DEVICE_OF.findall(message))


def compiled_with(message: str) -> tuple[tuple[str, str, str], ...]:
    """(argument, type when it was compiled, type now)."""
    return tuple((name, short_type(before), short_type(now)) for name, before, now in _COMPILED_WITH.findall(message))


def trees_differ(message: str) -> tuple[str, str, str] | None:
    """(path, node when it was compiled, node now)."""
    found = _TREES_DIFFER.search(message)
    return (found[1], found[2], found[3]) if found else None


def prefix_path(message: str) -> str:
    """The path of the prefix tree that does not fit: "in_shardings[0]['params']"."""
    found = _PREFIX_AT.search(message)
    return found[1] + found[2] if found else ""


def ranks(message: str) -> tuple[str, str] | None:
    """(axes that a sharding names, axes that the array has): ("2", "1")."""
    found = _RANKS.search(message)
    return (found[1], found[2]) if found else None


def indivisible(message: str) -> tuple[str, str] | None:
    """("arguments" or "outputs", path) of an array that a sharding does not divide."""
    found = _DIVISIBLE.search(message)
    return (found[1], found[2]) if found else None


def custom_trees(message: str) -> tuple[str, str] | None:
    """The trees of cotangents and of arguments, as JAX prints them."""
    found = _TREES.search(message)
    return (found[1], found[2]) if found else None
