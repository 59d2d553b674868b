from __future__ import annotations

import jax
import jax.numpy as jnp

from jitviz.views.program import shape_links
from jitviz.views.program.links import count_in_characters, prune
from jitviz.views.schema import Frames, LineWork, Links, Origins, SourceBlock, Stacks, WorkAdvice

from .programs import record


def test_frames_without_a_stack_are_left_out_and_the_others_are_renumbered() -> None:
    def frames(*rows: tuple[int, int, int]) -> Frames:
        files, functions, lines = zip(*rows, strict=True)
        return Frames(files, functions, lines, (0,) * len(rows), lines, (9,) * len(rows))

    def links(files: tuple[str, ...], functions: tuple[str, ...], kept: Frames, stacks: Stacks, file: int) -> Links:
        return Links(
            files=files,
            functions=functions,
            names=("sin",),
            sources=(SourceBlock(file, 1, "x = 1"),),
            frames=kept,
            stacks=stacks,
            jaxpr=Origins((0,), (1,), (0,), (0,)),
            stablehlo=Origins(),
            hlo=Origins(),
            lines=LineWork(file=(file,), line=(5,), equations=(1,)),
            advice=(WorkAdvice(file, 5, "much", "less"),),
        )

    whole = links(
        ("runner.py", "train.py", "optax.py", "shown.py"),
        ("run", "loss", "update"),
        frames((0, 0, 3), (1, 1, 5), (0, 0, 4), (2, 2, 7)),
        Stacks(frame=(1, 3), parent=(-1, 0)),
        3,
    )
    assert prune(whole) == links(
        ("train.py", "optax.py", "shown.py"),
        ("loss", "update"),
        frames((0, 0, 5), (1, 1, 7)),
        Stacks(frame=(0, 1), parent=(-1, 0)),
        2,
    )


def test_columns_count_characters_if_the_line_is_known() -> None:
    source = SourceBlock(0, 4, "x = 1\nnaïve = 'é' + sin(x)\n")
    frames = Frames(
        file=(0, 0, 0, 1),
        function=(0, 0, 0, 0),
        line=(5, 4, 5, 5),
        column=(16, 4, -1, 16),
        end_line=(5, 4, 5, 5),
        end_column=(22, 5, -1, 22),
    )
    counted = count_in_characters(frames, [source])
    assert counted.column == (14, 4, -1, 16)
    assert counted.end_column == (20, 5, -1, 22)
    assert source.text.split("\n")[1][14:20] == "sin(x)"


@jax.jit
def rotated(x: jax.Array) -> jax.Array:
    größe, ß = jnp.cos(x), jnp.sin(x * 2)  # the columns after these differ in bytes
    return größe + ß


def test_a_frame_covers_its_expression_in_the_source() -> None:
    links = shape_links(*record(rotated, jnp.ones(3)))
    (source,) = links.sources
    lines = source.text.split("\n")
    frames = links.frames
    written = {
        lines[line - source.first][column:end]
        for line, column, end in zip(frames.line, frames.column, frames.end_column, strict=True)
    }
    assert written == {"jnp.cos(x)", "jnp.sin(x * 2)", "x * 2", "größe + ß"}
