"""Run the scripts of the notebooks statement by statement, and observe them.

In: a folder of scripts, and a file.  Out: that file, with the outputs, errors, warnings, logs, prints and compiles of
each script.
Must never: import jitviz, unless a script does.
"""

import ast
import json
import sys
import types
from pathlib import Path
from typing import Any

import jax
import numpy as np
from observe import captured, plain, raised

# Names for recordings, whose contents depend on earlier recordings.
_OF_RECORDINGS = {"rec", "explain", "show"}
# One process fills the cache on disk, the others read it.
_OF_CACHE = tuple(f"jax._src.{name}" for name in ("cache_key", "compilation_cache", "compiler", "lru_cache"))


def main() -> None:
    folder, seen = map(Path, sys.argv[1:])
    seen.write_text(json.dumps({script.stem: _run(script) for script in sorted(folder.glob("notebook_*.py"))}))


def _run(script: Path) -> dict[str, Any]:
    module = sys.modules[script.stem] = types.ModuleType(script.stem)
    errors = []
    with captured() as found:
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        for node in ast.parse(script.read_text()).body:
            if _uses_a_recording(node):
                continue
            try:
                exec(compile(ast.Module([node], []), str(script), "exec"), vars(module))
            except Exception as error:  # noqa: BLE001 - compared
                errors.append((node.lineno, raised(error)))
    found["events"] = [one for one in found["events"] if "/compilation_cache/" not in one[0]]
    found["logged"] = [one for one in found["logged"] if one[0] not in _OF_CACHE]
    leaves = jax.tree.leaves([value for name, value in sorted(vars(module).items()) if not name.startswith("_")])
    arrays = [
        leaf
        for leaf in leaves
        if isinstance(leaf, jax.Array | np.ndarray | np.generic) and not isinstance(leaf, jax.core.Tracer)  # leaked
    ]
    return found | {"raised": errors, "out": plain(arrays)}


def _uses_a_recording(node: ast.stmt) -> bool:
    names = {getattr(one, "id", getattr(one, "attr", "")) for one in ast.walk(node)}
    return bool(names & _OF_RECORDINGS) and not isinstance(node, ast.With)


if __name__ == "__main__":
    main()
