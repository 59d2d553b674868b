import pytest

from jitviz.jaxcompat.texts.passes import fusion_of, pass_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FusionCompiler::Compile (add_fusion.2_kernel_module)", ("FusionCompiler::Compile", "add_fusion.2")),
        ("Codegen (__compute_module_wrapped_tanh)", ("Codegen", "wrapped_tanh")),
        ("HloPassPipeline (jit_step)", ("HloPassPipeline", "")),
        ("algsimp", ("algsimp", "")),
    ],
)
def test_a_pass_is_named_without_its_module_and_with_the_fusion_that_it_compiles(
    name: str, expected: tuple[str, str]
) -> None:
    assert (pass_of(name), fusion_of(name)) == expected
