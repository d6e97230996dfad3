"""What attacks on judges came to: each attack is in a count, be it read or not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samples import ALL_TABLES, written

from tui_eval.configuring.loading import load
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.judging.judge_attacks import AttackReport
from tui_eval.workspace.places import Workspace


def test_an_attack_whose_sample_broke_is_counted_as_not_read(tmp_path: Path) -> None:
    """It is no attack that failed to move the judge, nor one that was never asked."""
    name = next(name for name in ALL_TABLES["chat"] if "attacked" in name)
    evaluation = load(written("chat", name, tmp_path), Workspace(tmp_path)).evaluation
    attacks = evaluation.task.attacks
    report = AttackReport(attacks)
    asked = [sample for sample in evaluation.samples() if sample.checks_judge and not sample.repeat]
    for number, sample in enumerate(asked):
        row = evaluation.driven(sample, as_example)
        report.add(row if number else replace(row, replies=[], error="SlipError: between two stages"))

    table = report.tables()["judge_attacks"]
    rows = [dict(zip(table.columns, (cell.value for cell in row), strict=True)) for row in table.rows]
    assert len(rows) == len(attacks.judges)
    assert all((row["n"], row["n_unread"]) == (len(asked) - 1, 1) for row in rows), rows
