"""Whether calls are refused for their tokens: only where those refused are much larger than those accepted."""

from __future__ import annotations

import itertools

from refusing import Bucket, Client, New, Simulation, Stray

from tui_eval.engine.adaptive_window import SLOWEST_S
from tui_eval.engine.call_sizes import FEWEST, MOST_USUAL, CallSizes

ENDLESS = 10**6


def test_calls_of_one_size_decide_nothing() -> None:
    """However many are refused, a call counts for one."""
    sizes = CallSizes()
    for _ in range(100):
        sizes.begun.add(500)
        sizes.accepted.add(500)
        sizes.refused.add(500)
    assert not sizes.decide
    assert sizes.share_of_usual(5000) == 1.0


def test_large_calls_that_are_refused_decide() -> None:
    """Once enough are known, and then a call counts for its share of the usual tokens."""
    sizes = CallSizes()
    for number in range(FEWEST):
        assert not sizes.decide, number
        sizes.begun.add(1)
        sizes.begun.add(9)
        sizes.accepted.add(1)
        sizes.refused.add(9)
    assert sizes.decide
    assert sizes.share_of_usual(10) == 2.0
    assert sizes.share_of_usual(5000) == MOST_USUAL


def test_a_bucket_of_tokens_is_used_and_refuses_few() -> None:
    """Calls of one and of ten tokens: most of the bucket is used, and large calls are not asked again and again."""
    used, refused = [], []
    for seed in range(41, 45):
        found = Simulation(New(100), Bucket([(0, 28)], 60), Client(ENDLESS, 140.0, large=0.2), seed).run()
        tokens = zip(found.answered, found.tokens, strict=True)
        used.append(sum(amount for end, amount in tokens if end >= 20) / 120 / 28)
        late = [status for began, status in found.begun if began >= 20]
        refused.append(late.count(429) / len(late))
    assert sum(used) / 4 >= 0.88
    assert sum(refused) / 4 <= 0.2


def test_seven_of_ten_refused_whatever_the_pace_comes_to_an_end() -> None:
    """Many refusals that no pace helps against: the run goes on, and every call is answered."""
    for slow in (False, True):
        found = Simulation(New(100), Stray(0.7), Client(calls=2000, slow=slow), seed=26).run()
        assert found.end_s <= 600


def test_however_many_are_refused_a_call_is_tried_every_few_seconds() -> None:
    """So calls use up their attempts, and a run ends, at the slowest pace that is ever learnt."""
    found = Simulation(New(100), Stray(0.95), Client(until_s=900.0), seed=27).run()
    begun = [began for began, _ in found.begun]
    assert max(later - earlier for earlier, later in itertools.pairwise(begun)) <= SLOWEST_S + 2
