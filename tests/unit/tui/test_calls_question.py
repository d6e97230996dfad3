"""Laws of the words before calls go to real models: what is known is said, what is not is not made up."""

from __future__ import annotations

from typing import Any

import pytest

from tui_eval.tui.screens.runs.calls_question import SHOWN_MODELS, cost_words, model_lines, size_lines


def size(**more: Any) -> dict[str, Any]:
    """What a dry run of a resume counts."""
    usual = {
        "calls": 12,
        "room": 20,
        "may_follow": 0,
        "simulated_calls": 0,
        "in_batches": 0,
        "damaged": "",
        "max_cost_usd": 0.5,
        "left_usd": None,
    }
    return {**usual, **more}


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "Cost: at most $0.5000 if each is sent once."),
        ({"left_usd": 2.0}, "Cost: at most $0.5000 if each is sent once, $2.0000 whatever happens."),
        ({"left_usd": 0.25}, "Cost: at most $0.2500, which the run's cap on cost leaves."),
        ({"max_cost_usd": None}, "Cost unknown."),
        ({"max_cost_usd": None, "left_usd": 1.0}, "Cost: at most $1.0000, which the run's cap on cost leaves."),
    ],
)
def test_cost_is_bounded_by_what_bounds_it(known: dict[str, Any], words: str) -> None:
    """The most of the calls, the cap on cost, both, or nothing."""
    assert cost_words(size(**known)) == words


def test_what_is_beside_the_calls_has_a_line_each() -> None:
    """Simulated models, batches that are fetched, destroyed lines: said where there are any, else not."""
    assert size_lines(size()) == ["12 calls to real models, at most 20 with retries.", cost_words(size())]
    told = size_lines(size(simulated_calls=3, in_batches=7, damaged="line 2 cannot be read"))
    assert [words for words, line in zip(("3 calls", "7 calls", "line 2"), told[2:], strict=True) if line.startswith(words)]
    assert "fetched, not asked again" in told[3] and "pays for them, once more" in told[4]
    assert size_lines(size(calls=0)) == ["No call to a real model is left to be asked."]
    assert size_lines(size(calls=0, may_follow=2))[0].startswith("0 calls")


def test_no_call_is_left_out_of_the_models() -> None:
    """Those with the most calls by name, the others in one sum; none that is simulated or asked nothing."""
    models = [{"name": f"m{n}", "real": n != 3, "calls": n} for n in range(10)]
    lines = model_lines(models)

    assert lines[0] == "m9: 9 calls" and len(lines) == SHOWN_MODELS + 1
    assert lines[-1] == "2 more models: 3 calls"
    assert model_lines(models[:3]) == ["m2: 2 calls", "m1: 1 call"]
