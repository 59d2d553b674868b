from __future__ import annotations

import jax
import jax.numpy as jnp

from jitviz.views.program import shape_links
from jitviz.views.program.links import count_in_characters
from jitviz.views.schema import Frames, SourceBlock

from .programs import record


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
