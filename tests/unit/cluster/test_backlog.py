"""How many workers a run has work for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_eval.cluster.backlog import Backlog

queues = st.dictionaries(st.sampled_from("abc"), st.integers(0, 10_000), min_size=1)


def test_before_anybody_asks_there_are_the_least() -> None:
    """Nobody knows yet how many samples fill a worker."""
    assert Backlog().workers({"": 1000}, 2, 8) == 2


@given(queues, st.dictionaries(st.sampled_from("abc"), st.integers(1, 500), min_size=1), st.integers(1, 5), st.integers(0, 20))
def test_more_samples_never_have_fewer_workers(
    open_samples: dict[str, int], wants: dict[str, int], least: int, room: int
) -> None:
    """Within the bounds the number grows with the samples, and no worker is there in vain."""
    backlog, most = Backlog(), least + room
    for queue, wanted in wants.items():
        backlog.note(queue, wanted)
    workers = backlog.workers(open_samples, least, most)
    more = backlog.workers({queue: 2 * n for queue, n in open_samples.items()}, least, most)

    assert least <= workers <= more <= most
    assert workers <= max(least, sum(open_samples.values()))
    assert backlog.workers({}, least, most) == least
