"""See what JAX's JIT compilation did: which call compiled, which argument made it, what it cost, and what to change.

In a notebook, run a cell under `%%filterjit`, and read the panel below it:

    %load_ext jitviz

    %%filterjit
    train()

In a script, record a block. On the command line, `jitviz run train.py` does it without a change to the script:

    with jitviz.record() as rec:
        train()

    rec.findings  # what is worth changing, as a table
    print(rec)  # all of it
    rec.to_html("run.html")  # as a page that opens offline

In a test, fail where a function compiles a second time:

    with jitviz.no_recompiles():
        train()

`%%filterjit?`, `help(jitviz.record)` and `jitviz --help` say more. `jitviz demo` shows it on a training loop.

PYTEST_DONT_REWRITE (which keeps pytest quiet under `jitviz run -m pytest`)
"""

# In: attribute access.  Out: the public names, each imported from its layer when it is first used.
# Must never: load IPython, anywidget or anything heavy on `import jitviz` alone: a saved recording can be read and
# drawn on machines without jax.

from importlib import import_module
from sys import modules
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .capture import record
    from .display.jaxpr_graph import graph
    from .display.notebook_output import show
    from .display.program_outline import diff, work
    from .display.score import score
    from .display.text import explain
    from .filters import combine, filter_grad, filter_jit, filter_value_and_grad, is_array, is_inexact_array, partition
    from .findings.comparison import compare
    from .guards import RecompileError, assert_max_traces, no_recompiles, num_traces
    from .guards.prediction import predict
    from .guards.watching import watch
    from .ipython import load_ipython_extension, unload_ipython_extension
    from .recording import Recording, load, merge
    from .recording.redaction import configure

_HOMES = {
    "capture": "record",
    "display.jaxpr_graph": "graph",
    "display.notebook_output": "show",
    "display.score": "score",
    "display.program_outline": "diff work",
    "display.text": "explain",
    "filters": "combine filter_grad filter_jit filter_value_and_grad is_array is_inexact_array partition",
    "findings.comparison": "compare",
    "guards": "RecompileError assert_max_traces no_recompiles num_traces",
    "guards.prediction": "predict",
    "guards.watching": "watch",
    "ipython": "load_ipython_extension unload_ipython_extension",
    "recording": "Recording load merge",
    "recording.redaction": "configure",
}

_ON_JAX = ("capture", "filters", "guards", "ipython")

__all__ = [
    "RecompileError", "Recording", "__version__", "assert_max_traces", "combine", "compare", "configure",
    "diff", "explain", "filter_grad", "filter_jit", "filter_value_and_grad", "graph", "is_array",
    "is_inexact_array", "load", "load_ipython_extension", "merge", "no_recompiles", "num_traces", "partition",
    "predict", "record", "score", "show", "unload_ipython_extension", "watch", "work",
]  # fmt: skip  # written out, since type checkers read it


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        problem = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(problem, name=name, obj=modules[__name__])  # from which Python adds "Did you mean"
    try:
        if home.partition(".")[0] in _ON_JAX:
            import_module("jax")  # before any of them is half imported: with jax, `jitviz run` begins to record
        value = getattr(import_module(f".{home}", __name__), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("jax", "IPython"):
            raise
        message = f"jitviz.{name} needs {package}, which is not installed: pip install {package.lower()}"
        raise ModuleNotFoundError(message, name=package) from None
    globals()[name] = value  # the next access is a plain one
    return value


def __dir__() -> list[str]:
    # Without the two that would import IPython for tools that look at every name of every module, as freezegun does.
    return [name for name in __all__ if not name.endswith("load_ipython_extension")]
