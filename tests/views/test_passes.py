"""The longest of XLA's passes, each with its own time."""

from jitviz.model import Pass
from jitviz.views.account_rows import tell_passes

PASSES = (
    Pass("compile", 0.0, 10.0),
    Pass("fusion (jit_f)", 1.0, 6.0, 0),
    Pass("simplify", 2.0, 3.5, 1),
    Pass("fusion (jit_g)", 7.0, 2.0, 0),
    Pass("check", 7.5, 0.5, 3),
)


def test_each_kind_of_pass_is_listed_with_its_own_time() -> None:
    assert tell_passes(PASSES) == (
        "XLA's passes: 5 spans, 10 s",
        "4.0 s in `fusion`, 2 times",
        "3.5 s in `simplify`",
        "2.0 s in `compile`",
        "500 ms in `check`",
    )


def test_without_a_profile_there_is_no_list_of_passes() -> None:
    assert tell_passes(()) == ()
