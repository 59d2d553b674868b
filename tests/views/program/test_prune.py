from __future__ import annotations

from jitviz.views.program.links import prune
from jitviz.views.schema import Frames, LineWork, Links, Origins, SourceBlock, Stacks, WorkAdvice


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
