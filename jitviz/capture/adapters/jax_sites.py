"""Where in JAX a phase began: which call, which transformation, or which ahead-of-time entry.

In: the stack at the moment of an event.  Out: a `MissFrame`.
"""

from dataclasses import dataclass
from types import FrameType
from typing import Literal

from ...jaxcompat import frame_locals, jax_frames, tracing

Kind = Literal["call", "backward", "ahead"]


@dataclass
class MissFrame:
    """`frame` identifies the miss: its address is the same in all phases. `held` are the locals of the frame in which
    JAX does the miss.

    `caller` is the first frame above that is not JAX's; `jax_caller` is the frame that made the call, JAX's or not.
    `stage` is "call", or the ahead-of-time entry. `transform` names the transformations around the program, outermost
    first ("vmap of jvp"), or is "".
    """

    kind: Kind
    frame: FrameType
    held: frame_locals.MissLocals
    caller: FrameType | None
    jax_caller: FrameType | None
    stage: str = "call"
    transform: str = ""


def locate(frame: FrameType | None) -> MissFrame | None:
    """The innermost call, backward pass or ahead-of-time entry at or above `frame`."""
    impl: FrameType | None = None
    event = frame
    rules: list[str] = []
    while frame is not None:
        code = frame.f_code
        if not jax_frames.is_jax_file(code.co_filename):
            if impl is not None:
                break
        elif impl is None and jax_frames.is_frame(frame, jax_frames.IMPL_CACHE_MISS):
            impl = frame
        elif jax_frames.is_frame(frame, jax_frames.CACHE_MISS):
            # under `jax_debug_key_reuse` JAX lowers a plain program there as well
            identity = impl if impl is not None and rules else frame
            return _site("call", frame, identity, transform=" of ".join(rules), event=event)
        elif impl is not None:
            rule = jax_frames.TRANSFORM_OF_RULE.get(code.co_name)
            if rule is not None:
                rules.append(frame_locals.describe_rule(rule, frame))
        elif jax_frames.is_frame(frame, jax_frames.JIT_TRACE) or jax_frames.is_frame(frame, jax_frames.STAGES_LOWER):
            entry = jax_frames.find_frame(frame, jax_frames.JIT_LOWER, limit=5) or frame
            return _site("ahead", entry, entry, stage=_stage_above(frame), event=event)
        elif jax_frames.is_frame(frame, jax_frames.STAGES_COMPILE):
            return _site("ahead", frame, frame, stage="compile")
        frame = frame.f_back
    return None if impl is None else _site("backward", impl, impl, transform=_transform_of_residuals(rules))


def _transform_of_residuals(rules: list[str]) -> str:
    """The transformations that made a program without a call of the user's.

    `rules` are those on the stack, outermost first. They work on the result of earlier transformations, which only the
    names that JAX gives to operations still show, after the names of transformations that do not concern this program.
    """
    named = tracing.transforms_by_name()
    for rule in rules:
        kind = "jvp" if rule in ("linearize", "jax.linearize") else rule
        named = named[named.index(kind) + 1 :] if kind in named else []
    words = " of ".join([*rules, *named]) or "transpose"
    return words.replace("transpose of jvp", "transpose")  # what is transposed has always been differentiated


def _site(
    kind: Kind,
    frame: FrameType,
    identity: FrameType,
    *,
    stage: str = "call",
    transform: str = "",
    event: FrameType | None = None,
) -> MissFrame:
    above = next((step for step in jax_frames.stack(frame.f_back) if step.f_code.co_name != jax_frames.BOUNDARY), None)
    outside = (step for step in jax_frames.stack(above) if not jax_frames.is_jax_file(step.f_code.co_filename))
    caller = next(outside, None)
    return MissFrame(kind, identity, frame_locals.read_miss(frame, event), caller, above, stage, transform)


def _stage_above(frame: FrameType) -> str:
    """The public function that requested an ahead-of-time trace."""
    stage = "trace"
    for above in jax_frames.stack(frame.f_back):
        if not jax_frames.is_jax_file(above.f_code.co_filename):
            break
        stage = jax_frames.STAGE_OF_ENTRY.get(above.f_code.co_name, stage)
    return stage
