"""Whether a judge is usable, by its marks of texts that were degraded step by step (METHOD.md 4.7): a verdict as of a gate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tui_eval.core.calls import Json
from tui_eval.evaluation.judging.judge_checks import JudgedAnswer
from tui_eval.statistics.judge_ladder import LEAST_CORRELATION, STEPS, Ladder, judge_ladder

OUTCOMES = {True: "PASS", False: "FAIL", None: "INCONCLUSIVE"}


def ladder_of(answers: Sequence[JudgedAnswer], judge: str) -> Ladder:
    """A judge's marks of each text, whose steps are its questions in order; a step without a mark has none."""
    texts: dict[Hashable, dict[int, float | None]] = {}
    for answer in answers:
        if answer.key is not None:
            texts.setdefault((answer.model, answer.key[0]), {})[answer.key[2] - 1] = answer.marks.get(judge)
    return judge_ladder([[found.get(step) for step in range(len(STEPS))] for found in texts.values()])


def ladder_verdict(found: Ladder, judge: str, metric: str, stage: str = "judge") -> dict[str, Json]:
    """The verdict on a judge as an entry of a report's gates; what cannot be told does not pass."""
    rank = "undefined" if found.correlation is None else f"rank correlation {found.correlation:.2f}"
    course = (
        "falls at every step" if found.falls else "does not fall at every step" if found.falls is not None else "a step is open"
    )
    return {
        "name": "judge ladder", "metric": metric, "stage": stage, "model": judge, "verdict": OUTCOMES[found.usable],
        "text": f"{judge} is {found.line}", "found": f"{course}, {rank}", "wanted": f"falls, {LEAST_CORRELATION:g} at least",
        "value": found.correlation, "low": None, "high": None, "n": sum(found.n), "missing": found.asked - sum(found.n),
        "threshold": LEAST_CORRELATION, "needed": None, "passed": found.usable is True,
    }  # fmt: skip
