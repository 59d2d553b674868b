"""The trace context: settings that are part of every cache key.

In: JAX's settings.  Out: their names and values.
"""

from functools import cache
from typing import Any

import jax

from ..model.cachekey import CONCRETE_MESH
from . import private
from .shardings import axes_text

_config, _mesh = private.module("jax._src.config"), private.module("jax._src.mesh")

# The settings of jax 0.8 and 0.9 in their order, found by changing one at a time; not every version has all of them.
# Newer versions have `trace_context_names`: https://github.com/jax-ml/jax/blob/main/jax/_src/config.py
_NAMES_0_8 = """
    axis_env_state mesh_context_manager abstract_mesh_context_manager compute_on_context_manager
    xla_metadata_context_manager pallas_tpu_interpret_mode_context_manager jax_debug_key_reuse
    jax_check_static_indices jax_custom_vjp3 jax_random_seed_offset jax_threefry_partitionable
    jax_threefry_gpu_kernel_lowering jax_use_direct_linearize jax_use_simplified_jaxpr_constants
    jax_remove_size_one_mesh_axis_from_type check_vma jax_softmax_custom_jvp
    jax_hlo_source_file_canonicalization_regex jax_enable_pgle jax_pgle_profiling_runs jax_explicit_x64_dtypes
    jax_numpy_dtype_promotion jax_error_checking_behavior_nan jax_error_checking_behavior_divide
    jax_error_checking_behavior_oob jax_enable_x64 jax_default_device jax_disable_jit jax_numpy_rank_promotion
    jax_default_matmul_precision jax_allow_f16_reductions jax_dynamic_shapes eager_constant_folding
    jax_no_execution jax_mutable_array_checks jax_xla_profile_version jax_use_shardy_partitioner
    jax_high_dynamic_range_gumbel
""".split()  # noqa: SIM905  # easier to read


def trace_context() -> tuple[tuple[str, Any], ...]:
    """JAX's trace context as (setting, value) pairs in JAX's order; () where a version does not show it. At the end,
    the mesh of `jax.set_mesh` with its devices: the trace context has only its axes."""
    values: tuple[Any, ...] = getattr(_config, "trace_context", tuple)()
    if not values:
        return ()
    names_in = getattr(getattr(_config, "config_ext", None), "trace_context_names", None)
    names = _known_names() if names_in is None else names_in()
    if len(names) != len(values):
        names = tuple(f"trace_context[{index}]" for index in range(len(values)))
    get_mesh = getattr(_mesh, "get_concrete_mesh", lambda: None)
    return (*zip(names, values, strict=True), (CONCRETE_MESH, get_mesh()))


@cache
def _known_names() -> tuple[str, ...]:
    if jax.__version_info__ >= (0, 8):
        return tuple(name for name in _NAMES_0_8 if not name.startswith("jax_") or name in jax.config.values)
    # Up to jax 0.7 the trace context is a Python function, which reads one setting after another.
    settings = {name: getattr(_config, name, None) for name in _config.trace_context.__code__.co_names}
    return tuple(getattr(held, "_name", name) for name, held in settings.items() if hasattr(held, "value"))


def axis_env_text(setting: str, value: Any) -> str | None:
    """The named axes in scope (inside `vmap(axis_name=...)`), or "none"; None for any other setting."""
    is_object = type(value).__name__ == "AxisEnv"
    if not is_object and setting != "axis_env_state":
        return None
    sizes = value.axis_sizes if is_object else dict(value)
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) or "none"


def mesh_text(value: Any) -> str:
    """The axes and devices of a mesh, or of each mesh in the stack of a context manager."""
    if value is None or value == ():
        return "none"
    if isinstance(value, tuple):
        return ", ".join(mesh_text(part) for part in value) or "none"
    if isinstance(value, bool | int | str):
        return repr(value)
    if not getattr(value, "shape", None):  # JAX sets one around some backward passes; its caches tell it from no mesh
        return "empty"
    devices = getattr(value, "_flat_devices_tuple", None) or ()
    if devices:
        where = f"{devices[0].platform}:{','.join(str(device.id) for device in devices)}"
    else:
        device = getattr(value, "abstract_device", None)
        known = [getattr(device, name, None) for name in ("platform", "device_kind", "num_cores")]
        where = " ".join(dict.fromkeys(str(part) for part in known if part is not None))
    return f"{type(value).__name__}({axes_text(value)}){f' of {where}' if where else ''}"


def checks_leaks() -> bool:
    """Whether JAX checks for leaked tracers at the end of each trace of this thread. A frame may hold one."""
    return bool(getattr(jax.config, "jax_check_tracer_leaks", False))
