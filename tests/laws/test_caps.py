"""Laws of the cap on calls, over every kind: what the dry run says of it."""

from __future__ import annotations

import re
from dataclasses import replace

from tui_eval.cli.plan_text import plan_text
from tui_eval.configuring.caps import left_over, usual_cap
from tui_eval.configuring.loading import Loaded


def capped(loaded: Loaded, calls: int) -> Loaded:
    """The same run with another cap on calls."""
    return replace(loaded, run=loaded.run.model_copy(update={"max_calls": calls}))


def test_the_dry_run_says_what_cannot_be_asked_again(loaded: Loaded) -> None:
    """Where the cap is the estimate, no call that may follow finds a place, and the plan says so; with the cap that it
    names, and with the usual one, all of them do."""
    plan = loaded.plan
    tight = plan_text(capped(loaded, plan["total_calls"]))

    told = re.search(r"--set run\.max_calls=(\d+)\)? has room", tight)

    assert ("0 fit below it" in tight) == (told is not None) == (plan["up_to_more"] > 0)
    for cap in [usual_cap(plan, 0), *([int(told[1])] if told else [])]:
        assert "fit below it" not in plan_text(capped(loaded, cap))
    assert all(left_over(plan, plan["total_calls"] + 3 + n, 3) == n for n in range(plan["up_to_more"]))
