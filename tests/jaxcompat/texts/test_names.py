from jitviz.jaxcompat.texts.names import BACKWARD, FORWARD, PLAIN, direction_of, is_transformed


def test_directions_are_read_off_name_stacks() -> None:
    assert direction_of("jit(f)/transpose") == PLAIN  # the operation
    assert direction_of("jit(f)/jvp()/mul") == FORWARD
    assert direction_of("jit(f)/transpose(jvp())/mul") == BACKWARD
    assert direction_of("jit(f)/vmap(transpose(jvp()))/mul") == BACKWARD
    assert direction_of("jit(f)/mul", "transpose") == BACKWARD  # the backward pass of an eager gradient
    assert direction_of("jit(f)/mul", "jvp") == FORWARD


def test_what_a_transformation_made_is_told_from_an_operation_of_the_same_name() -> None:
    made = [
        is_transformed(name)
        for name in ("jit(f)/vmap(jit(g))/mul", "jit(f)/jvp()/mul", "jit(f)/vmap/mul", "jit(f)/mul")
    ]
    assert made == [True, True, False, False]
