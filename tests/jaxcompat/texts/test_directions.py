from jitviz.jaxcompat.texts.directions import BACKWARD, FORWARD, PLAIN, direction_of


def test_directions_are_read_off_name_stacks() -> None:
    assert direction_of("jit(f)/transpose") == PLAIN  # the operation
    assert direction_of("jit(f)/jvp()/mul") == FORWARD
    assert direction_of("jit(f)/transpose(jvp())/mul") == BACKWARD
    assert direction_of("jit(f)/vmap(transpose(jvp()))/mul") == BACKWARD
    assert direction_of("jit(f)/mul", "transpose") == BACKWARD  # the backward pass of an eager gradient
    assert direction_of("jit(f)/mul", "jvp") == FORWARD
