"""Answers of an earlier run judged again: they are found by their call keys, only judges are asked, what is missing is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from chats import chat, conversations
from fault_bench import Table, resume_here, run_here, serving, simulated_by, strict_json, write_config

from tui_eval.cli.plan_text import plan_text
from tui_eval.configuring.loading import load
from tui_eval.configuring.stored_replies import replies_on_file
from tui_eval.core.errors import ConfigError
from tui_eval.reporting.rescoring import rescore
from tui_eval.workspace.places import Workspace

JUDGED = [("answer", "zero"), ("answer", "one"), ("judge", "judge")]
ONE = {"claims": False, "metrics": ["fluency"], "duplicates": 0}


def config(folder: Path, url: str, judge: str = "judge", name: str = "one", **table: str) -> Table:
    """Two models, whose second one may be called otherwise, with three questions."""
    models = [simulated_by(url, "zero", "sim-grounded"), simulated_by(url, name, "sim-sprinter")]
    return chat(
        folder, conversations((2, 1)), [*models, simulated_by(url, judge, "sim-scorer")], {"model": judge, **ONE}, **table
    )


async def test_only_the_judge_is_asked_and_every_answer_is_the_earlier_one(tmp_path: Path) -> None:
    """The plan says so, the server counts so, and answers are those of the first run, which alone waited for them; without it,
    too."""
    async with serving(latency_scale=0) as served:
        first = await run_here(config(tmp_path, served.url), tmp_path, out=tmp_path / "first")
        before = (await served.stats())["requests"]
        again = await run_here(config(tmp_path, served.url, "other", answers_from="first"), tmp_path, out=tmp_path / "again")
        asked = (await served.stats())["requests"] - before
    assert again.loaded.plan["total_calls"] == 6
    assert again.loaded.plan["recorded"] == [{"stage": "answer", "model": name, "calls": 3} for name in ("zero", "one")]
    judged = [record for record in again.records if record["stage"] == "judge"]
    assert asked == len(judged) >= 6
    assert "6 replies were taken from first; nobody is asked for these" in again.said
    answers = {life.path.name: strict_json((life.path / "evaluation.json").read_bytes())["results"] for life in (first, again)}
    told = ("model", "id", "response")
    assert [[e[k] for k in told] for e in answers["first"]] == [[e[k] for k in told] for e in answers["again"]]
    assert all((entry["latency_ms"] is None) == (name == "again") for name, found in answers.items() for entry in found)
    taken = [record for record in again.records if record["stage"] == "answer"]
    assert all(record["cached"] and record["charged_usd"] == 0 for record in taken) and len(taken) == 6
    said = strict_json((again.path / "progress.json").read_bytes())["total"]
    costs = [record["usage"]["cost_usd"] for record in judged]
    assert said["unknown_cost"] == sum(cost is None for cost in costs)
    assert said["cost_usd"] == pytest.approx(sum(filter(None, costs)))

    report = (again.path / "report.json").read_bytes()
    shutil.rmtree(first.path)
    rescore(again.path, Workspace(tmp_path))
    assert (again.path / "report.json").read_bytes() == report


async def test_a_renamed_model_is_missing_and_is_never_asked(tmp_path: Path) -> None:
    """Its turns have no score; a resume that asks anew what failed asks nothing of it either."""
    async with serving(latency_scale=0) as served:
        first = await run_here(config(tmp_path, served.url), tmp_path, out=tmp_path / "first")
        again = await run_here(
            config(tmp_path, served.url, "other", "renamed", answers_from=str(first.path)), tmp_path, out=tmp_path / "again"
        )
        before = (await served.stats())["requests"]
        last = await resume_here(again.path, reopen_failed=True)
        after = (await served.stats())["requests"]
    assert after == before
    assert any("first has nothing of renamed (it has zero, one, judge;" in note for note in again.said)
    assert any("are not there: they count as missing" in note for note in again.said)
    rows = {row["model"]: row for row in strict_json((last.path / "metrics.json").read_bytes())["rows"]}
    assert (rows["renamed"]["n_scored"], rows["renamed"]["n_total"], rows["renamed"]["mean"]) == (0, 3, None)
    assert rows["zero"]["n_scored"] == 3
    assert last.ended.outcome is not None and last.ended.outcome.unfinished == 0


async def test_the_budget_knows_that_answers_cost_nothing(tmp_path: Path) -> None:
    """As many calls as the judge needs are enough."""
    async with serving(latency_scale=0) as served:
        await run_here(config(tmp_path, served.url), tmp_path, out=tmp_path / "first")
        table = config(tmp_path, served.url, "other", answers_from="first")
        table["run"]["max_calls"] = 8
        again = await run_here(table, tmp_path, out=tmp_path / "again")
    rows = strict_json((again.path / "metrics.json").read_bytes())["rows"]
    assert [row["n_total"] for row in rows] == [3, 3]
    assert again.ended.outcome is not None and again.ended.outcome.unfinished == 0


async def test_the_sets_own_truths_cost_nothing_and_nothing_unknown(tmp_path: Path) -> None:
    """Nobody answered: what is told while a run goes on is what its judges cost."""
    async with serving(latency_scale=0) as served:
        life = await run_here(config(tmp_path, served.url, answers_from="truth"), tmp_path)
    said = strict_json((life.path / "progress.json").read_bytes())["total"]
    judged = [record["usage"]["cost_usd"] for record in life.records if record["stage"] == "judge"]
    assert said["unknown_cost"] == sum(cost is None for cost in judged) and len(judged) < said["ok"]


def test_a_run_that_is_not_there_is_refused(tmp_path: Path) -> None:
    written = write_config(tmp_path, config(tmp_path, "http://127.0.0.1:9/v1", answers_from="nowhere"))
    with pytest.raises(ConfigError, match=r"chat.answers_from: nowhere: neither a run folder nor the id of a run"):
        load(written, Workspace(tmp_path))


async def test_the_plan_says_what_is_on_file_before_anything_is_sent(tmp_path: Path) -> None:
    """Of an earlier run what it has and what it lacks; of the cache what it has, down to the judgements that rest on it."""
    cache = tmp_path / ".cache" / "replies"
    kept = {"cache": True, "max_calls": 1000}

    def told(table: Table) -> tuple[list[tuple[str, str, str, int, int]], str]:
        table["run"] = {**table["run"], **kept}
        loaded = load(write_config(tmp_path, table), Workspace(tmp_path))
        found = replies_on_file(loaded, cache)
        lines = [line for line in plan_text(loaded, found).split("\n") if " taken from " in line or "in the cache" in line]
        return [tuple(entry.values()) for entry in found.entries()], "\n".join(lines)

    async with serving(latency_scale=0) as served:
        assert told(config(tmp_path, served.url)) == ([], "")
        table = config(tmp_path, served.url)
        first = await run_here({**table, "run": {**table["run"], **kept}}, tmp_path, out=tmp_path / "first", cache=cache)
        unread = sum(record["about"].endswith(" again") for record in first.records)
        asked = (await served.stats())["requests"]

        entries, said = told(config(tmp_path, served.url))
        assert [entry[:4] for entry in entries[:1]] == [("cache", "answer", "zero", 3)]
        assert {entry[:3]: entry[4] for entry in entries} == {("cache", s, m): 0 for s, m in JUDGED}
        assert sum(entry[3] for entry in entries) == len(first.records) - 2 * unread
        assert "of these calls are not sent: their replies are in the cache (answer zero 3, " in said
        entries, said = told(config(tmp_path, served.url, "other", "renamed", answers_from="first"))
        assert entries == [("first", "answer", "zero", 3, 0), ("first", "answer", "renamed", 0, 3)]
        assert said.startswith("3 replies are taken from first (answer zero 3, answer renamed 0); 3 are not there: ")
        entries, _ = told(config(tmp_path, served.url, "other", answers_from="truth"))
        assert entries == [("the set itself", "answer", name, 3, 0) for name in ("zero", "one")]
        assert (await served.stats())["requests"] == asked
