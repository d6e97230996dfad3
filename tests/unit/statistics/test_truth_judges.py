"""Laws of the tables about judges: what holds is within its bounds, and what does not is found to be beyond."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
import truth_judges
from soaking import quick_first
from truth_cells import Plan, Section
from truth_judges import JUDGES, SIZES, TURNS, Judge, conversations, corrected, labels_of, ladders, truth_of

from tui_eval.statistics.judge_correction import corrected_mean

PLAN = Plan(20261126, short=True)


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("design", quick_first(TURNS, 2))
def test_corrected_means_are_within_their_bounds(design: str, active: bool) -> None:
    """Of 20 labelled conversations and 30 labels, drawn uniformly and where the judge errs."""
    found = corrected(PLAN.random(design, active), design, SIZES[3], active, 60)

    assert not found.beyond(20) and not found.coverage.beyond and 0 < found.width < 1


def test_weights_that_do_not_know_the_draw_are_found_out() -> None:
    """One label a conversation, drawn where the judge errs, each weighing 1: the truth is missed, as the table would say."""
    random, off = np.random.default_rng(3), []
    for _ in range(150):
        talks = conversations(random, 40, TURNS[1])
        errors = {
            c: [(float(talks[c][0][i] - talks[c][1][i]), 1.0) for i, _ in labels]
            for c, labels in labels_of(random, talks, (40, 30, 30), True).items()
        }
        judged = {c: float(judge.mean()) for c, (_, judge) in enumerate(talks)}
        off.append(corrected_mean(judged, errors, {c: c for c in judged}, (1, 5)).value - truth_of(TURNS[1]))

    error = float(np.std(off)) / len(off) ** 0.5
    assert truth_judges.Corrected(fmean(off), error, truth_judges.Cell(1, 1), 1.0).beyond(30)


def test_a_judge_that_is_not_what_its_row_promises_is_written_down() -> None:
    """A judge by lot is no linear one."""
    row = Judge("random", usable=(0.95, 1.0))
    section = Section()
    usable, _, width = ladders(PLAN.random("lot"), row, 10, 60)

    assert section.check("lot", usable).beyond and section.broken and width > 0.1
    assert not any(ladders(PLAN.random(one.name), one, 10, 60)[0].beyond for one in JUDGES)
