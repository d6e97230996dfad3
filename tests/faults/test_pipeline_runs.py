"""Runs of the file pipeline: from files to every output, one that is killed and taken up again, a stage from an earlier run."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fault_bench import Peer, Table, run_here, serving, spoken_by, strict_json, strict_lines, write_config
from invariants import check
from nursery import Child, Nursery
from on_demand import report_file
from pipeline_runs import FOLDERS, STAMP, outputs, pipeline
from scripted import answering, as_bytes, completion, reply
from victim import Victim
from waiting import until

from tui_eval.core.calls import Price
from tui_eval.results.usage_files import folder_costs

MakePeer = Callable[..., Peer]


async def test_files_go_from_a_folder_to_every_output(tmp_path: Path) -> None:
    """As many calls as planned and what may follow; all answers marked or said to be missing; inputs stay what they were."""
    async with serving(latency_scale=0) as served:
        config = pipeline(tmp_path, served.url)
        before = {file.name: file.read_bytes() for file in tmp_path.glob("note*")}
        life = await run_here(config, tmp_path)
        records = check(life.path, await served.stats())

    found = outputs(life.path)
    summary = json.loads(found["scores/_summary__scores__sim-arbiter__WHEN.json"])
    costs = strict_json(next((life.path / "analysis").iterdir()).read_bytes())
    stats = strict_json((life.path / "stats.json").read_bytes())["buckets"][0]
    assert len(records) <= life.loaded.plan["total_calls"] + life.loaded.plan["up_to_more"]
    assert sum(name.startswith("processed/note") for name in found) == 6 * 2 * 2
    assert summary["n_scored"] + summary["n_missing"] == summary["total_items"] <= 6 * 2 * 2 * 2
    assert costs["total"]["calls"] == stats["attempts_total"] == len(records)
    assert costs["total"]["cost_usd"] == pytest.approx(stats["sum_cost_usd"])
    assert {file.name: file.read_bytes() for file in tmp_path.glob("note*")} == before


async def test_a_stage_is_taken_from_an_earlier_run_by_its_id(tmp_path: Path) -> None:
    """Nothing of it is asked again, and the marks are those of one run of all stages."""
    runs, short = tmp_path / "runs", {"answers": None, "judge": None, "costs": None}
    async with serving(latency_scale=0) as served:
        whole = await run_here(pipeline(tmp_path, served.url, 2), tmp_path)
        await run_here(pipeline(tmp_path, served.url, 2, **short), tmp_path, out=runs / "earlier_run")
        brought = pipeline(tmp_path, served.url, 2, process={"from": "earlier_run"}, questions={"from": "earlier_run"})
        second = await run_here(brought, tmp_path, out=tmp_path / "second")

    assert {record["stage"] for record in second.records} == {"answers", "judge"}
    marks = [
        {name: json.loads(text)["items"] for name, text in outputs_of_scores(life.path).items()} for life in (whole, second)
    ]
    assert marks[0] == marks[1]


async def test_stage_by_stage_in_four_runs_comes_to_the_same(tmp_path: Path) -> None:
    """Texts, questions, answers and marks each from a run of their own: every file of theirs as one run makes it."""
    runs, off = tmp_path / "runs", {"process": None, "questions": None, "answers": None, "judge": None, "costs": None}
    async with serving(latency_scale=0) as served:
        usual = pipeline(tmp_path, served.url, 2)["pipeline"]
        whole = await run_here(pipeline(tmp_path, served.url, 2), tmp_path)
        calls = (await served.stats())["requests"]
        brought = {"process": {"from": "texts"}, "questions": {"from": "written"}}
        stages = {
            "texts": {"process": usual["process"]}, "written": {"questions": usual["questions"]},
            "answered": {**brought, "answers": usual["answers"]},
            "judged": {"questions": {"from": "written"}, "answers": {"from": "answered"}, "judge": usual["judge"]},
        }  # fmt: skip
        for name, tables in stages.items():
            await run_here(pipeline(tmp_path, served.url, 2, **{**off, **tables}), tmp_path, out=runs / name)
        again = (await served.stats())["requests"] - calls

    once, apart = outputs(whole.path), {name: outputs(runs / name) for name in stages}
    assert again == calls
    own = {
        "texts": "processed/note",
        "written": "questions/questions__",
        "answered": "answers/note",
        "judged": "scores/scores__",
    }
    for stage, begins in own.items():
        expected = {name: _plain(text) for name, text in once.items() if name.startswith(begins)}
        assert expected and {n: _plain(t) for n, t in apart[stage].items() if n.startswith(begins)} == expected, stage


def _plain(text: str) -> object:
    """A file's content, without our names of the models, which brought files do not need to have."""
    if not text.startswith("{"):
        return text
    table = json.loads(text)
    return {name: value for name, value in table.items() if name != "process_name"}


async def test_costs_are_those_of_a_hand_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a recorded run with cached and reasoning tokens, a price that nobody knows, and attempts that failed and were charged;
    as the run's own analysis has it, and `costs` over its folder, where another file brings the price that was unknown."""
    used = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100,
            "prompt_tokens_details": {"cached_tokens": 400}, "completion_tokens_details": {"reasoning_tokens": 30}}  # fmt: skip
    said = {
        "good": completion("The mill.", usage=used),
        "mute": completion("", usage=used),
        "free": completion("A", usage=used),
    }
    price = {"input": 2.0, "output": 10.0, "cached_input": 0.5, "source": "made up"}
    async with answering({name: reply(as_bytes(body)) for name, body in said.items()}) as (server, url):
        monkeypatch.setenv("UNTOLD_URL", url)  # of a model on this machine the price would be known: nothing
        config = pipeline(tmp_path, url, 1, questions=None, answers=None, judge=None,
                          process={"models": [*said], "prompt_file": "told.md"})  # fmt: skip
        known = {"good": {"price": price}, "mute": {"price": price}, "free": {"base_url": "${UNTOLD_URL}"}}
        config["models"] = [{**spoken_by(url, name, name), **more} for name, more in known.items()]
        life = await run_here(config, tmp_path)

    one_call = (600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1e6
    by_hand = {"good": (1, one_call), "mute": (2, 2 * one_call), "free": (1, None)}
    analysis = strict_json(next((life.path / "analysis").iterdir()).read_bytes())
    assert server.stats()["requests"] == 4
    for found in (analysis, folder_costs([life.path], {})):
        entries = {name: found["models"][name]["process"] for name in by_hand}
        assert {name: (entry["calls"], entry["cost_usd"]) for name, entry in entries.items()} == by_hand
        assert (found["total"]["cost_usd"], found["total"]["n_cost_unknown"]) == (None, 1)
        assert (found["total"]["input_tokens"], found["total"]["output_tokens"]) == (4000, 400)
    priced = folder_costs([life.path], {"free": Price(input=1.0, output=1.0)})
    assert priced["total"]["cost_usd"] == round(3 * one_call + 1100 / 1e6, 8)


def outputs_of_scores(path: Path) -> dict[str, str]:
    """The files with marks."""
    return {STAMP.sub("WHEN", file.name): file.read_text() for file in sorted((path / "scores").glob("scores__*"))}


@dataclass
class _Pipeline(Victim):
    """The same of files."""

    n: int = 30
    table: Table = field(default_factory=dict)

    def live_and_die_reporting(self) -> None:
        """One life that is killed while it writes its reports."""
        child = self.start()
        until(lambda: strict_json((self.out / "progress.json").read_bytes())["state"] in ("reporting", "done"), 120)
        self._die(child, b"")

    def start(self, *more: object) -> Child:
        """The next life."""
        if (self.out / "config.toml").exists():
            return self.nursery.start("resume", self.out, *more)
        config = write_config(self.folder, pipeline(self.folder, self.peer.url, self.n, **self.table))
        return self.nursery.start("--run", config, "--out", self.out, *more)


@pytest.mark.soak
def test_a_killed_run_ends_with_the_files_of_one_that_nobody_killed(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Killed again and again, in flight: no settled call is asked again, no file is half written or another."""
    left_alone = _Pipeline(nursery, peers(latency_scale=0), tmp_path / "alone")
    left_alone.folder.mkdir()
    assert left_alone.live_on().code == 0
    victim = _Pipeline(nursery, peers(latency_scale=0.02), tmp_path / "killed")
    victim.folder.mkdir()
    dice, kills = random.Random(5), 5
    for _ in range(kills):
        victim.live_and_die_in_flight(dice.randint(10, 60))
        for file in (file for name in FOLDERS if (victim.out / name).is_dir() for file in (victim.out / name).glob("*.json")):
            strict_json(file.read_bytes())

    last = victim.live_on()

    assert last.code == 0, last.stderr
    victim.assert_nothing_settled_was_asked_again()
    check(victim.out, victim.peer.stats(), kills=kills)
    assert outputs(victim.out) == outputs(left_alone.out)


FILES = 400
REPORTS = ("results.json", "accuracy.json", "scores.json", "category_scores.json", "preserved.json")


@pytest.mark.soak
def test_hundreds_of_files_killed_at_every_stage(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """At the start, in flight, and while the reports are written: no finished file is processed again, every file on disk is
    whole at each kill, and in the end all are those of a run that nobody killed."""
    once = {"process": {"models": ["maker"], "prompt_file": "told.md"}}
    left_alone = _Pipeline(nursery, peers(latency_scale=0), tmp_path / "alone", n=FILES, table=once)
    left_alone.folder.mkdir()
    assert left_alone.live_on().code == 0
    wanted = outputs(left_alone.out)
    victim = _Pipeline(nursery, peers(latency_scale=0), tmp_path / "killed", n=FILES, table=once)
    victim.folder.mkdir()
    dice = random.Random(19)
    early, late = [lambda: victim.live_and_die(dice.random())], [victim.live_and_die_reporting]
    in_flight = [lambda: victim.live_and_die_in_flight(dice.randint(150, 350))] * 5

    for ends in (*early, *in_flight, *late):
        ends()
        assert_whole(victim.out, wanted)
    done = {line["item_id"] for line in strict_lines(victim.out / "results.jsonl")}
    last = victim.live_on()

    assert len(done) == FILES
    assert victim.kills == 7
    assert last.code == 0, last.stderr
    assert not [*victim.out.rglob("*.tmp")]
    victim.assert_nothing_settled_was_asked_again()
    check(victim.out, victim.peer.stats(), kills=7)
    assert outputs(victim.out) == wanted
    assert [report_file(victim.out, name) for name in REPORTS] == [report_file(left_alone.out, name) for name in REPORTS]


def assert_whole(path: Path, wanted: dict[str, str]) -> None:
    """Each file that belongs to one source is as it ends; those that add up are JSON, from the first one on."""
    for name, text in outputs(path).items():
        if re.search(r"__(processed|answers)__.*__", name) and not name.startswith("answers/_"):
            assert text == wanted[name], name
        else:
            strict_json(text.encode())
