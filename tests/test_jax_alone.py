"""jitviz with jax alone, without Equinox and Flax: functions compiled before its import still hit.

The test runs in a process of its own, because libraries that other tests import have already configured JAX.
"""

import json
import subprocess
import sys
import textwrap

PROGRAM = """
    import json, os, sys, tempfile

    os.chdir(tempfile.mkdtemp())
    for name in ("equinox", "flax", "optax", "chex", "diffrax", "lineax", "optimistix", "orbax"):
        sys.modules[name] = None  # cannot be imported

    import jax
    import jax.numpy as jnp
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from jax._src import config

    step = jax.jit(lambda x: 2 * x + 1)
    others = [jax.jit(jax.grad(lambda x: x**2)), jax.jit(jax.vmap(lambda x: x + 3))]
    X = jnp.ones(3)

    def call():
        return step(X), others[0](1.0), others[1](X)

    phases = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, *_, **__: phases.append(event) if event.startswith("/jax/core/compile") else None
    )
    call()
    first = len(phases)

    def settings():
        return [str(value) for value in config.trace_context()], dict(jax.config.values)

    before, missed, changed = settings(), [], []

    def after(what):
        phases.clear()
        call()
        missed.extend(f"{what}: {event}" for event in phases)
        if settings() != before:
            changed.append(what)

    import jitviz
    after("import jitviz")
    with jitviz.record() as rec:
        after("record")
        jitviz.filter_jit(jitviz.filter_grad(lambda x: jnp.sum(x**2)))(X)
        jax.jit(lambda x: x - 1).lower(X).compile()
    after("recorded")
    rec.save("recording.jsonl"), rec.to_html("recording.html"), rec.to_perfetto("recording.json")
    str(rec), str(jitviz.explain(jitviz.load("recording.jsonl")))
    after("shown")
    with jitviz.no_recompiles():
        after("guarded")
    shell = InteractiveShell.instance()
    shell.user_ns.update(call=call, X=X, step=step)
    with capture_output():
        shell.run_line_magic("load_ext", "jitviz")
        after("load_ext")
        for cell in ("%%filterjit\\ncall()", "%%filterjit --cell\\ny = step(X) * 3", "%jitviz status", "%jitviz off"):
            shell.run_cell(cell)
            after(cell)
        shell.run_line_magic("unload_ext", "jitviz")
    after("unload_ext")
    cell = str(shell.user_ns["y"])
    print(json.dumps({"compiled at first": first > 0, "cell": cell, "missed": missed, "changed": changed}))
"""


def test_nothing_compiles_again_and_no_setting_is_added() -> None:
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "compiled at first": True,
        "cell": "[9. 9. 9.]",
        "missed": [],
        "changed": [],
    }
