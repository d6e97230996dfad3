"""Whatever models write in place of good replies, no flow raises, no figure is off its scale, and reports are written."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from answered_log import answer_samples, prepared
from fault_bench import strict_json, strict_lines
from garbled import garbled
from soaking import FEW_LOADED

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.reporting.derive import derive
from tui_eval.reporting.result_lines import result_line

TIMES = 60
"""How often each evaluation is answered."""


def spoilt(dice: random.Random, share: float) -> Callable[[str], str]:
    """Garbles so large a share of all replies."""
    return lambda text: garbled(text, dice) if dice.random() < share else text


@FEW_LOADED
def test_no_reply_ends_a_flow(loaded: Loaded) -> None:
    """One reply costs what it says at most, never the others' of its sample."""
    metrics = {metric.name: metric for metric in loaded.evaluation.kind.metrics}
    samples = list(loaded.evaluation.samples())
    for time in range(TIMES):
        dice = random.Random(time)
        say = spoilt(dice, dice.choice((0.1, 0.3, 1.0)))

        def answer(call: Call, say: Callable[[str], str] = say, dice: random.Random = dice) -> Reply:
            return Reply(call, "ok", text=say(call.example_text or ""), finish_reason=dice.choice(("stop", "stop", "length")))

        row = loaded.evaluation.driven(dice.choice(samples), answer)

        assert row.error == ""
        assert all(score.why for score in row.scores if score.value is None)
        assert all(score.value is None or metrics[score.name].holds(score.value) for score in row.scores)
        strict_json(result_line(loaded.evaluation, row).encode())


@FEW_LOADED
def test_reports_are_written_of_whatever_was_said(loaded: Loaded, tmp_path: Path) -> None:
    """Nothing but strict JSON, and nobody is missing for what another one wrote."""
    out, dice = prepared(loaded, tmp_path / "run"), random.Random(7)
    answer_samples(out, loaded, range(1000), spoilt(dice, 0.3))

    outcome = derive(out, loaded.evaluation)

    assert (outcome.broken, outcome.not_asked) == ({}, 0)
    for file in out.rglob("*.json"):
        strict_json(file.read_bytes())
    for file in out.rglob("*.jsonl"):
        strict_lines(file)
