from pathlib import Path
from typing import Any

import jax
import jax._src.traceback_util as traceback_util
from jax.extend import source_info_util

from jitviz.jaxcompat import stacks


def test_an_operation_never_gets_a_line_of_a_file_that_is_left_out(tmp_path: Path) -> None:
    def line_of(name: str) -> str:
        (tmp_path / name).write_text("def double(x):\n    return 2 * x\n")
        found: dict[str, Any] = {}
        exec(compile((tmp_path / name).read_text(), tmp_path / name, "exec"), found)
        (equation,) = jax.make_jaxpr(lambda x: found["double"](x))(1.0).jaxpr.eqns
        return source_info_util.summarize(equation.source_info)

    stacks.leave_out(str(tmp_path / "ours.py"))
    assert "theirs.py:2" in line_of("theirs.py")
    assert "test_stacks.py" in line_of("ours.py")
    shown = [name for name in ("theirs.py", "ours.py") if traceback_util.include_filename(str(tmp_path / name))]
    assert shown == ["theirs.py"]
