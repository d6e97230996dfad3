"""Runs of decision graphs against servers: files on disk, killed and taken up again, from the cache, and scored again."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from choice_bench import run_cached
from fault_bench import (
    INTENTS,
    LOG,
    Peer,
    Table,
    resume_here,
    run_here,
    serving,
    simulated_by,
    strict_json,
    strict_lines,
    write_config,
)
from invariants import check
from nursery import Child, Nursery
from victim import Victim

from tui_eval.reading.decision_graphs import read_graph
from tui_eval.reporting import rescoring
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.workspace.places import Workspace, shipped

MakePeer = Callable[..., Peer]
PASSING = re.compile(
    r'(?m)^  "(?:latency_ms|run_id|timestamp|workspace_commit|git_commit)": .*$'
    r"|\d{8}_\d{6}_[0-9a-f]{4}\S*|\d{4}-\d\d-\d\dT[\d:.]+Z"
)
"""What differs between two runs that are alike: their ids, times and latencies."""


def drafts(folder: Path, url: str, **run: object) -> Table:
    """The shipped briefs and prompts, asked of two models."""
    for path in (shipped("examples") / "graph").glob("*/*"):
        shutil.copy(path, folder)
    models = [simulated_by(url, "one", "sim-scholar"), simulated_by(url, "two", "sim-thinker")]
    table = {"prompts": ["draft_v1.txt", "draft_v2.txt"], "briefs": ["0*.md"], "models": ["one", "two"]}
    settings = {"max_calls": 100, "seed": 3, "cache": False, **run}
    return {"kind": "graph", "name": "drafts", "run": settings, "models": models, "graph": table}


def own_files(path: Path) -> dict[str, str]:
    """The files of graphs and the pages of a run folder, without what passes."""
    names = [*path.glob("sim-*/**/*.*"), *(path / name for name in ("run.json", "summary.md", "analysis-pack.md", "rules.csv"))]
    found = {str(file.relative_to(path)): PASSING.sub("", file.read_text()) for file in names}
    found["summary.md"] = re.sub(r"(?m)^\| [\d-].*$", "", found["summary.md"])  # mean latencies
    found["analysis-pack.md"] = re.sub(r"(?m)^\| [\d-].*$", "", found["analysis-pack.md"])
    return found


async def test_a_table_has_one_name_in_every_folder(tmp_path: Path) -> None:
    """scores.csv is a row for each graph, of all repeats; the means stand in scores_table.csv, of each repeat too."""
    async with serving(latency_scale=0) as served:
        table = drafts(tmp_path, served.url, repeat=2)
        life = await run_here(
            {**table, "graph": {**table["graph"], "briefs": ["01*.md"], "prompts": ["draft_v2.txt"]}}, tmp_path
        )
    rows = (life.path / "scores.csv").read_text().splitlines()
    folders = [life.path, *(life.path / "repeats" / n for n in ("01", "02"))]

    assert len(rows) == 1 + 2 * 2 and rows[0].startswith("model,model_id,target_mode,brief")
    assert [(folder / "scores_table.csv").read_text().startswith("stage,model") for folder in folders] == [True] * 3
    assert not [*(life.path / "repeats").glob("*/scores.csv")]


async def test_every_graph_has_its_files_and_scoring_again_brings_the_same_bytes(tmp_path: Path) -> None:
    async with serving(latency_scale=0) as served:
        life = await run_here(drafts(tmp_path, served.url), tmp_path)
        check(life.path, await served.stats())
    before = {file: file.read_bytes() for file in life.path.rglob("*") if file.is_file()}
    responses = [file for file in before if file.name == "response.json"]
    assert len(responses) == 2 * 4 * 2
    assert {strict_json(before[file])["status"] for file in responses} <= {"ok", "parse_failed"}
    assert strict_json((life.path / "run.json").read_bytes())["statuses"].keys() <= {"ok", "parse_failed"}
    assert (life.path / "scores.csv").read_text().count("\n") == 17
    assert (life.path / "scores_table.csv").exists()

    for file in (*responses, *(life.path / name for name in ("scores.csv", "summary.md", "analysis-pack.md", "run.json"))):
        file.unlink()
    rescoring.rescore(life.path, Workspace(tmp_path))

    assert {file: file.read_bytes() for file in before} == before


async def test_a_run_that_lost_its_second_half_and_was_taken_up_again_equals_one_that_did_not(tmp_path: Path) -> None:
    async with serving(latency_scale=0) as served:
        whole = await run_here(drafts(tmp_path, served.url), tmp_path)
        cut = tmp_path / "cut"
        shutil.copytree(whole.path, cut)
        for folder in cut.glob("sim-*"):
            shutil.rmtree(folder)
        for name in (LOG, INTENTS):
            (cut / name).write_bytes(b"".join((cut / name).read_bytes().splitlines(keepends=True)[:7]))
        before = (await served.stats())["requests"]
        await resume_here(cut)
        asked = (await served.stats())["requests"] - before

    assert asked == 16 - 7
    assert own_files(cut) == own_files(whole.path)


async def test_another_run_takes_replies_from_the_cache(tmp_path: Path) -> None:
    """Nothing is asked twice but what could not be read; a brief that was changed is."""
    async with serving(latency_scale=0) as served:
        config = drafts(tmp_path, served.url, cache=True)
        first = await run_cached(config, tmp_path)
        asked = (await served.stats())["requests"]
        (tmp_path / "01-night-ferry.md").write_text((tmp_path / "01-night-ferry.md").read_text() + "\nIt is winter.\n")
        second = await run_cached(config, tmp_path, "second")
        more = (await served.stats())["requests"] - asked

    others = [record for record in first.records if "01-night-ferry" not in record["item_id"]]
    unread = sum(read_graph(record["response_text"]).graph is None for record in others)
    assert asked == 16 and more == 2 * 2 + unread and len(others) == 12
    assert sum(record["cached"] for record in strict_lines(second.path / LOG)) == 12 - unread > 0
    assert len(first.records) == 16


async def test_two_runs_with_a_prompt_each_are_compared_brief_by_brief(tmp_path: Path) -> None:
    """All briefs are common questions though the prompts differ; that they do, and another setting, is said."""
    async with serving(latency_scale=0) as served:
        paths = []
        for name, more in (("draft_v1.txt", {}), ("draft_v2.txt", {"structured": True})):
            config = drafts(tmp_path, served.url)
            config["graph"] |= {"prompts": [name], **more}
            paths.append((await run_here(config, tmp_path, out=tmp_path / name.removesuffix(".txt"))).path)

    found = compare_runs(paths, ["one"], metric="valid")

    (pair,) = found.pairs
    assert pair.n == 4 and {pair.a.side.run.run_id, pair.b.side.run.run_id} == {"draft_v1", "draft_v2"}
    notes = " ".join(found.notes)
    assert "different prompts" in notes and "structured" in notes


@pytest.mark.parametrize(
    ("model", "wanted", "remedy"),
    [
        ("fault-hang", {"not_sent", "parse_failed"}, "change model = "),
        ("fault:429", {"not_sent", "parse_failed", "rate_limited"}, "requests_per_minute"),
    ],
)
async def test_what_failed_has_its_status(model: str, wanted: set[str], remedy: str, tmp_path: Path) -> None:
    """A model that is not there, calls that follow it, a text without a graph: each by its name, with a sentence, and no 0."""
    async with serving(latency_scale=0) as served:
        config = drafts(tmp_path, served.url, retries=0, max_concurrency=1)
        config["models"][0]["model"] = model
        config["models"][1]["model"] = "bench"
        life = await run_here(config, tmp_path)

    statuses = strict_json((life.path / "run.json").read_bytes())["statuses"]
    assert statuses["parse_failed"] == 8, statuses
    scores = json.loads((life.path / "scores_table.json").read_text())["rows"]
    assert all(row["mean"] is None for row in scores)
    failures = (life.path / "summary.md").read_text().partition("## Failures")[2].partition("##")[0]
    lines = [line for line in failures.splitlines() if line.startswith("- ")]
    assert len(lines) == 16
    for line in lines:
        status, _, said = line.partition(": ")[2].partition(": ")
        assert len(said.split()) > 3 and said != status, line
    assert wanted <= statuses.keys() and remedy in failures, failures
    before = (life.path / "summary.md").read_bytes()
    rescoring.rescore(life.path, Workspace(tmp_path))
    assert (life.path / "summary.md").read_bytes() == before


@dataclass
class _Drafts(Victim):
    """The same of graphs."""

    def start(self, *more: object) -> Child:
        """The next life."""
        if (self.out / "config.toml").exists():
            return self.nursery.start("resume", self.out, *more)
        config = write_config(self.folder, drafts(self.folder, self.peer.url, max_concurrency=3))
        return self.nursery.start("--run", config, "--out", self.out, *more)


@pytest.mark.soak
def test_a_killed_run_ends_with_the_same_files(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Killed twice in flight, every file equals that of a run that nobody killed."""
    left_alone = _Drafts(nursery, peers(latency_scale=0), tmp_path / "alone")
    left_alone.folder.mkdir()
    assert left_alone.live_on().code == 0
    victim = _Drafts(nursery, peers(latency_scale=0.02), tmp_path / "killed")
    victim.folder.mkdir()
    for answered in (4, 5):
        victim.live_and_die_in_flight(answered)

    last = victim.live_on()

    assert last.code == 0, last.stderr
    victim.assert_nothing_settled_was_asked_again()
    check(victim.out, victim.peer.stats(), kills=2)
    killed, alone = own_files(victim.out), own_files(left_alone.out)
    for files in (killed, alone):  # a model's hash knows its server's port
        files["run.json"] = re.sub(r'"sha256": ".*"', "", files["run.json"])
    assert killed == alone
