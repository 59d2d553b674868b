import threading
import time
from typing import Any

import jax.numpy as jnp

from jitviz.filters import filter_jit
from jitviz.filters.memo import Memo

from .samples import same


def in_threads(count: int, work: Any) -> list[Any]:
    """The results of `work(number)` in `count` threads that start at once."""
    barrier = threading.Barrier(count)
    results: list[Any] = [None] * count

    def run(number: int) -> None:
        barrier.wait()
        results[number] = work(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_each_thread_gets_its_own_result_and_every_static_key_one_version() -> None:
    @filter_jit
    def scale(x: Any, by: int) -> Any:
        return x * by, by

    def work(number: int) -> bool:
        return all(
            same(scale(jnp.full(3, float(number)), by), (jnp.full(3, number * float(by)), by)) for by in range(5)
        )

    assert in_threads(8, work) == [True] * 8
    assert len(scale.set_up().programs) == 5


def test_wrappers_created_at_once_share_their_versions() -> None:
    def double(x: Any) -> Any:
        return 2 * x

    assert len({id(kernel) for kernel in in_threads(8, lambda _: filter_jit(double).set_up())}) == 1


def test_a_memo_computes_each_key_once_for_all_threads() -> None:
    made: list[int] = []

    def make(key: int) -> int:
        made.append(key)
        time.sleep(0.05)  # long enough for the other threads to look up the key
        return key * 2

    memo = Memo(make)
    assert in_threads(8, lambda number: memo[number % 2]) == [0, 2] * 4
    assert sorted(made) == [0, 1]


def test_a_full_memo_drops_the_oldest_key() -> None:
    memo: Memo[int, int] = Memo(lambda key: key, limit=2)
    assert [memo[key] for key in (1, 2, 3)] == [1, 2, 3]
    assert list(memo) == [2, 3]
