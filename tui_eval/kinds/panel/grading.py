"""How the panel's answers are graded against the truth, letter by letter or by a scorer model; why an answer has no grade."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Flow
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.kinds.panel.panel_table import Config
from tui_eval.kinds.panel.stage_calls import scorer_call
from tui_eval.kinds.shared.judging import Rubric, marks, score_of
from tui_eval.reading.grades import same_text, zero_or_one

EXACT = Rubric("correct", "exact/1", zero_or_one)
SCORER = Rubric("correct", "llm/1", zero_or_one, judge="scorer")
"""Rules by which answers are graded, with their versions: 1 is right, 0 is wrong."""
NO_TRUTH = "no truth for this question"


def graded_answers(config: Config, item: Sample, replies: Sequence[Reply]) -> Flow:
    """One score per answer, whatever happened to it: 1, 0, or None with the reason."""
    benchmark = config.benchmark
    if benchmark is None:
        return []
    rubric = SCORER if benchmark.mode == "llm" else EXACT
    truth: str | None = item.data[1]
    if truth is None:
        return [score_of(rubric, reply, None, NO_TRUTH) for reply in replies]
    if rubric is EXACT:
        return [_exact(reply, truth, benchmark.strip_whitespace) for reply in replies]
    ask = partial(_ask_scorer, config, item, truth)
    return (yield from marks(rubric, replies, ask, config.prompts["scorer_reminder"]))


def _ask_scorer(config: Config, item: Sample, truth: str, reply: Reply, n: int) -> Call:
    return scorer_call(config, item, reply, truth, n)


def _exact(reply: Reply, truth: str, strip_whitespace: bool) -> Score:
    if not reply.ok or reply.text is None:
        return score_of(EXACT, reply, None, f"no reply: {reply.why}")
    return score_of(EXACT, reply, int(same_text(reply.text, truth, strip_whitespace)))
