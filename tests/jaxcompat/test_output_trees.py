from dataclasses import dataclass

import jax
import numpy as np

from jitviz.jaxcompat import output_trees

from .watching import fresh, outputs_of


def test_the_end_of_lowering_holds_what_jax_inferred_of_a_call() -> None:
    inferred = outputs_of(lambda: fresh()(np.ones(3, np.float32)))
    assert [str(aval) for aval in output_trees.output_avals(inferred.jaxpr)] == ["float32[3]"]
    assert output_trees.output_paths(inferred.jaxpr) == [""]
    assert output_trees.node_data(inferred.out_tree) is None


def test_outputs_have_the_paths_of_the_return_value() -> None:
    inferred = outputs_of(lambda: jax.jit(lambda x: {"loss": x, "aux": [x, x]})(np.ones(3, np.float32)))
    assert output_trees.output_paths(inferred.jaxpr) == ["['aux'][0]", "['aux'][1]", "['loss']"]
    assert output_trees.node_data(inferred.out_tree) == (dict, ["aux", "loss"])


def test_an_iterator_is_known_to_be_a_leaf_without_flattening_it() -> None:
    assert [output_trees.is_iterable_leaf(one) for one in (iter([1]), np.ones(3), [1], {"a": 1}, (1,), 1.0)] == [
        *(True, True),
        *(False, False, False, False),
    ]


def test_the_children_of_a_registered_dataclass_are_known_in_the_order_of_its_leaves() -> None:
    @dataclass
    class State:
        step: int
        params: int
        mode: str

    assert output_trees.data_fields(State) is None
    jax.tree_util.register_dataclass(State, ["params", "step"], ["mode"])
    assert output_trees.data_fields(State) == ("params", "step")
    assert output_trees.data_fields(dict) is None


def test_the_flatten_function_of_a_class_is_known() -> None:
    class Mine:
        pass

    def flatten(mine: Mine) -> tuple[tuple[int, ...], None]:
        return (), None

    jax.tree_util.register_pytree_node(Mine, flatten, lambda *_: Mine())
    assert output_trees.flatten_function(Mine) is flatten
    assert output_trees.flatten_function(int) is None
