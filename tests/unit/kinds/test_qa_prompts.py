"""A run under several prompts, wherever its results are read: the same pairs, ranks and verdict, and nothing pooled."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from prompt_run import MODELS, RUN, SMALL, prompt_run

from tui_eval.cli.command_line import main
from tui_eval.results.answer_search import ScoreSums, counts
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.comparison.tables import standing_row
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import parse_sample
from tui_eval.tui.report_rows import Report

MODEL = "alder"
"""One of the run's."""

SAID = (
    "Simulated: no model was asked. Under prompt `plain`, alder (100.0 % number) leads over 10 samples, significantly better"
    " than all 2"
    " others. No leader is shown under prompt `steps`."
)


@pytest.fixture
async def run(tmp_path: Path) -> Path:
    """Three models under two prompts."""
    path = tmp_path / "runs" / RUN
    await prompt_run(tmp_path / "made", path)
    return path


def rows_of(report: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A table's rows by column, each with what it rests on."""
    table = report["tables"][name]
    rows = ({**dict(zip(table["columns"], row, strict=True))} for row in table["rows"])
    return [{**{n: c["value"] for n, c in row.items()}, "rests": r} for row, r in zip(rows, table["rests_on"], strict=True)]


async def test_everything_that_reads_the_run_says_the_same(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """report.json, status, compare, the exports; also where lines of results.jsonl stand in another order, as in a live run."""
    report = json.loads((run / "report.json").read_bytes())
    assert report["verdict"] == SAID and report["units"]["variants"] == [*SMALL]
    lines = (run / "results.jsonl").read_text().splitlines(keepends=True)
    for seed in range(3):
        assert compare_runs([run]).verdict == SAID
        random.Random(seed).shuffle(lines)
        (run / "results.jsonl").write_text("".join(sorted(lines, key=lambda line: "/plain/" in line)))
    assert compare_runs([run], ["alder"]).verdict.startswith(
        "Simulated: no model was asked. Among the prompts of alder, no leader"
    )
    monkeypatch.chdir(run.parent.parent)
    for words in (["status", RUN], ["compare", RUN, "--out", "compared"], ["export", RUN, "--format", "md"]):
        assert main(words) == 0
        said = " ".join(capsys.readouterr().out.replace("\\", "").split())
        in_short = [report["verdict_in_short"]["line"], report["verdict_in_short"]["rest"]]
        for sentences in in_short if words[0] == "status" else [SAID]:
            assert sentences in said.replace("verdict ", ""), words
    assert "| model | plain | steps |" in said and "100.0 [72.2, 100.0] *" in said


async def test_cost_tokens_and_latency_of_a_side_are_those_of_its_own_calls(run: Path) -> None:
    """Added up by the log itself; the sides of a model add up to the model, and nothing is said where a call has no line."""
    lines = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    variant_of = {line["item_id"]: line["unit"]["variant"] for line in lines}
    spent: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in map(json.loads, (run / "call_logs.jsonl").read_text().splitlines()):
        if record["item_id"] in variant_of:
            spent.setdefault((record["model"], variant_of[record["item_id"]]), []).append(record)
    rows = [standing_row(standing) for standing in compare_runs([run]).standings]
    assert {(row["model"], row["prompt"]) for row in rows} == set(spent) and len(spent) == len(MODELS) * len(SMALL)
    for row in rows:
        own = spent[str(row["model"]), str(row["prompt"])]
        assert row["cost_usd"] == pytest.approx(sum(record["usage"]["cost_usd"] for record in own))
        assert row["tokens"] == sum(record["usage"]["total_tokens"] for record in own)
        assert row["n_latency"] == len(own) == row["n_cost_known"]
    by_metric = [row for row in rows if row["measure"] == rows[0]["measure"]]
    stats = json.loads((run / "report.json").read_bytes())["calls_by_stage_and_model"]
    for whole in stats:
        own_rows = [row for row in by_metric if row["model"] == whole["model"]]
        assert sum(row["cost_usd"] for row in own_rows) == pytest.approx(whole["sum_cost_usd"])
        assert sum(row["n_latency"] for row in own_rows) == whole["n_latency_ok"]
    shown = [
        standing
        for measure in Report({**json.loads((run / "report.json").read_bytes())}).measures
        for standing in measure.standings
    ]
    assert len(shown) >= len(spent) and all((one.cost_usd, one.latency_ms, one.n_latency) == (None,) * 3 for one in shown)

    left = next(line for line in lines if line["lane"] == MODEL and line["unit"]["variant"] == "steps")
    (run / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines if line is not left))
    found = compare_runs([run])
    for standing in found.standings:
        assert (standing_row(standing)["cost_usd"] is None) == (standing.side.key.model == MODEL)
    (told,) = [note for note in found.notes if "not told by prompt" in note]
    whole = next(row for row in stats if row["model"] == MODEL)
    assert f"{MODEL} ${whole['sum_cost_usd']:.6f}" in told and "over all" in told


async def test_nothing_is_pooled_over_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pair differs in its model or its prompt and rests on both its sides' scores and no others; ranks are within a prompt;
    sums of a run without a report, and rows of an export, say the prompt."""
    right, run = {**SMALL, "terse": (0, 0, 0)}, tmp_path / "runs" / RUN
    await prompt_run(tmp_path / "made", run, right=right)
    report = json.loads((run / "report.json").read_bytes())
    lines = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    samples = [sample for line in lines if (sample := parse_sample(json.dumps(line).encode()))]
    pairs = [row for row in rows_of(report, "pairs") if row["metric"] == "number"]
    assert len(pairs) == 3 * 3 + 3 * 3
    for row in pairs:
        assert (row["model_a"] == row["model_b"]) != (row["prompt_a"] == row["prompt_b"])
        rested = [(mark.model, one.unit.variant) for one in samples for mark in one.marks if counts(mark, one, row["rests"])]
        assert {*rested} == {(row["model_a"], row["prompt_a"]), (row["model_b"], row["prompt_b"])} and len(rested) == 2 * row[
            "n"
        ]
    ranks = {(row["model"], row["prompt"]): (row["rank_best"], row["rank_worst"]) for row in rows_of(report, "accuracy")}
    assert [ranks[model, "plain"] for model in MODELS] == [(1, 1), (2, 3), (2, 3)]
    assert [ranks[model, "steps"] for model in MODELS] == [(1, 3)] * 3
    matrix = {row["model"]: row for row in rows_of(report, "matrix")}
    for (model, prompt), found in {
        (row["model"], row["prompt"]): row["accuracy"] for row in rows_of(report, "accuracy")
    }.items():
        assert matrix[model][f"accuracy_{prompt}"] == found
        assert matrix[model][f"leads_{prompt}"] == ("yes" if (model, prompt) == ("alder", "plain") else "no")

    tally = ScoreSums(StoredRun(run / "results.jsonl"))
    for job in (tally.stored, tally):
        while job.behind():
            job.advance(1.0)
    summed = {(model, prompt): sums.right for (_, model, prompt, name), sums in tally.sums.items() if name == "number"}
    assert summed == {(model, prompt): n for prompt, of in right.items() for model, n in zip(MODELS, of, strict=True)}
    assert main(["export", str(run), "--format", "csv"]) == 0
    exported = [row for row in csv.DictReader(io.StringIO(capsys.readouterr().out)) if row["metric"] == "number"]
    assert {(row["model"], row["variant"]) for row in exported} == {*summed}


async def test_a_measure_without_an_end_says_nothing_of_right_and_wrong(run: Path) -> None:
    """A length beside the headline: an answer is right or wrong, and no mean is made of both."""
    for line in (run / "results.jsonl").read_bytes().splitlines():
        sample = parse_sample(line)
        assert sample is not None
        number = next(mark.value for mark in sample.marks if mark.name == "number")

        assert sample.mean_mark() == number and sample.verdict() == ("right" if number else "wrong", number, 1)
        assert sample.by("length").verdict()[0] == "marked"
