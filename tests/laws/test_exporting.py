"""Every exporter takes the runs of every kind, those of the tests included, whatever the models said."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from exported import HOSTILE, reader_of
from soaking import FEW_LOADED

from tui_eval.configuring import preparing
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.evaluation.kind_reports import report_of
from tui_eval.reporting.result_lines import result_line
from tui_eval.results.exporting import EXPORTERS
from tui_eval.results.exporting.exported_run import opened_run
from tui_eval.results.sums.metrics import written_metrics
from tui_eval.results.tables import json_text, table_cells


def finished(loaded: Loaded, path: Path) -> tuple[int, int]:
    """A run folder in which every second reply is as its example and the others are hostile; how many scores it has, and how
    many samples without any.
    """
    preparing.prepare(loaded, path, lambda text: text, [])
    evaluation, said = loaded.evaluation, cycle([None, *(text for found in HOSTILE for text in (found, None))])
    reporter, lines, scores = report_of(evaluation.kind, evaluation.task), list[str](), 0
    unmarked = 0

    def answer(call: Call) -> Reply:
        text = next(said)
        return Reply(call, "ok", text=call.example_text if text is None else text)

    for sample in evaluation.samples():
        if sample.checks_judge:  # an attack on a judge is no result
            continue
        row = evaluation.driven(sample, answer)
        reporter.add(row)
        lines.append(result_line(evaluation, row))
        scores += len(row.scores)
        unmarked += not row.scores
    headline = [table_cells(table) for table in reporter.headline()]
    tables = {name: table_cells(table) for name, table in reporter.tables().items()}
    (path / "results.jsonl").write_text("".join(lines))
    (path / "report.json").write_text(
        json_text({**written_metrics(evaluation.kind.metrics), "headline": headline, "tables": tables}),
        errors="backslashreplace",
    )
    return scores, unmarked


def unscored(suite: Iterable[Any]) -> int:
    """How many models of a suite have no score that has a value."""
    return sum(case.name.startswith("any score") for case in suite)


@FEW_LOADED
@pytest.mark.parametrize("name", list(EXPORTERS))
def test_every_kind_is_exported_in_every_format(name: str, loaded: Loaded, tmp_path: Path) -> None:
    """The file is whole by the strictest reader of its format, says that it was simulated, has every score, and no
    id of ours for what is about no document."""
    scores, unmarked = finished(loaded, tmp_path / "run")

    with opened_run(tmp_path / "run") as run:
        text = "".join(EXPORTERS[name].write([run]))
        found = reader_of(name)(text)

    assert "simulated" in text.lower() and NO_DOCUMENT not in text
    counted = {
        "csv": lambda: sum(bool(row["metric"]) for row in found),
        "jsonl": lambda: sum(len(reply["scores"]) for reply in found),
        # an answer without a mark is a test case, too, and a model without any score
        "junit": lambda: max(scores, found[0].tests - unmarked - unscored(found[0])) if scores else 0,
    }
    assert counted.get(name, lambda: scores)() == scores


def test_a_format_without_a_reader_is_told_where_it_goes() -> None:
    """A new exporter fails the law above by a sentence that names the file to edit."""
    with pytest.raises(LookupError, match=r"READ in tests/support/exported\.py a strict reader of 'a-new-format'"):
        reader_of("a-new-format")
