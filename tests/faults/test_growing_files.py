"""Files of a source are there as soon as the calls that they are made of have ended, and feed another run from there on."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Life, Peer, Served, Watched, resume_here, run_here, serving, strict_json, write_config
from nursery import Nursery
from pipeline_runs import FOLDERS, outputs, pipeline
from waiting import until

from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.reporting import rescoring
from tui_eval.runs.steering import stop
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import trust_host

TEXTS, ASKED = 2 * 2 * 2, 2
"""Of two notes: processed texts, sets of questions."""
OFF = {"process": None, "questions": None, "answers": None, "judge": None, "costs": None}


def names(path: Path) -> list[str]:
    """The files of spec 000 of a run folder but for those that count tokens."""
    found = [file for name in FOLDERS for file in (path / name).glob("[!.]*") if "_token_usage" not in file.name]
    return sorted(str(file.relative_to(path)) for file in found)


def is_stopping(out: Path) -> bool:
    """Whether a run starts no more calls."""
    return b"stopping" in (out / "progress.json").read_bytes()


async def stopped_while_judging(folder: Path, served: Served, out: Path, wanted: int = 1) -> Life:
    """A run that is stopped when every text is answered, and one mark at least is there."""
    served.simulator.hold(lambda: is_stopping(out), model="sim-arbiter", after=wanted)

    def look(_: Any) -> None:
        if sum(name.startswith("answers/note") for name in names(out)) == 4:
            stop(out)

    return await run_here(pipeline(folder, served.url, 2), folder, out=out, on_tick=look)


async def test_each_file_is_there_when_its_own_calls_have_ended(tmp_path: Path) -> None:
    """While the judge has not said a word, texts, questions and answers of the source are on disk, as they will be."""
    out, seen = tmp_path / "run", dict[str, str]()
    async with serving(latency_scale=0) as served:
        served.simulator.hold(lambda: seen, model="sim-arbiter")

        def look(_: Any) -> None:
            there = names(out)
            waits = [name for name in there if "/_" not in name]
            if (
                sum(name.startswith("processed/") for name in waits) == TEXTS
                and sum(n.startswith("answers/") for n in waits) == 4
            ):
                seen.update(outputs(out))

        config = pipeline(tmp_path, served.url, 2)
        life = await run_here(config, tmp_path, on_tick=look)

    whole = outputs(life.path)
    own = {name: text for name, text in seen.items() if name.startswith(("processed/note", "answers/note"))}
    assert life.ended.exit_code == 0
    assert len(own) == TEXTS + 4 and own.items() <= whole.items()


@pytest.mark.soak
async def test_in_batches_files_are_there_wave_by_wave(tmp_path: Path) -> None:
    """Texts before anybody answers from them, answers before anybody marks them; each as it will be."""
    out, seen = tmp_path / "run", dict[str, dict[str, str]]()
    simulator = Watched(latency_scale=0, batch_s=1.0)
    try:
        config = pipeline(tmp_path, await simulator.start(), 2)
        config["models"] = [{**model, "wire": "openai", "send_seed": True} for model in config["models"]]
        config["run"] |= {"mode": "batch", "poll_s": 0.05}

        def look(_: Any) -> None:
            there = outputs(out)
            texts, sheets = (sum(name.startswith(f"{each}/note") for name in there) for each in ("processed", "answers"))
            if texts == TEXTS and not sheets:
                seen["texts"] = there
            if sheets == 4 and not any(name.startswith("scores/scores") for name in there):
                seen["answers"] = there

        life = await run_here(config, tmp_path, on_tick=look)
    finally:
        await simulator.stop()

    whole = outputs(life.path)
    assert life.ended.exit_code == 0 and seen.keys() == {"texts", "answers"}
    for found in seen.values():
        own = {name: text for name, text in found.items() if name.startswith(("processed/note", "answers/note"))}
        assert own.items() <= whole.items()


async def test_a_stopped_run_feeds_another_one(tmp_path: Path) -> None:
    """Stopped while the judge marks: what is there is written, the same that a re-score makes; another run takes texts,
    questions and answers of it and asks nothing but marks; taken up again, all files are those of a run left alone."""
    async with serving(latency_scale=0) as served:
        whole = outputs((await run_here(pipeline(tmp_path, served.url, 2), tmp_path, out=tmp_path / "whole")).path)
        stopped = await stopped_while_judging(tmp_path, served, tmp_path / "runs" / "cut")
        there = outputs(stopped.path)
        shutil.copytree(stopped.path, tmp_path / "made_again")
        for name in FOLDERS:
            shutil.rmtree(tmp_path / "made_again" / name, ignore_errors=True)
        rescoring.rescore(tmp_path / "made_again", Workspace(tmp_path))
        judge = {"questions": {"from": "cut"}, "answers": {"from": "cut"}, "judge": {"models": ["judge"]}}
        second = await run_here(pipeline(tmp_path, served.url, 2, **{**OFF, **judge}), tmp_path, out=tmp_path / "second")
        finished = await resume_here(stopped.path)

    assert stopped.ended.exit_code == 130
    assert outputs(tmp_path / "made_again") == there
    for folder in ("processed/note", "questions/questions", "answers/note"):
        own = {name: text for name, text in there.items() if name.startswith(folder)}
        assert own and own == {name: text for name, text in whole.items() if name.startswith(folder)}
    assert any(name.startswith("scores/scores__") for name in there)
    assert {record["stage"] for record in second.records} == {"judge"} and second.ended.exit_code == 0
    assert_pinned(second.path, stopped.path / "answers")
    assert finished.ended.exit_code == 0 and outputs(finished.path) == whole


def assert_pinned(path: Path, source: Path) -> None:
    """A run has the hash of each file it took as it was then."""
    entries = strict_json((path / "resolved_config.json").read_bytes())["inputs"]
    pinned = {entry["name"]: entry["sha256"] for entry in entries if entry["role"] == "answered"}
    brought = {file.name for file in source.glob("note*.json")}
    assert brought <= pinned.keys()
    assert all(
        pinned[name] == hashlib.sha256((path / "inputs" / "answered" / name).read_bytes()).hexdigest() for name in brought
    )


async def test_what_is_missing_of_a_stopped_run_is_counted_and_named(tmp_path: Path) -> None:
    """Stopped while texts are made: the next run has those that are there, and says how many are not, and of which file."""
    out = tmp_path / "runs" / "cut"
    async with serving(latency_scale=0) as served:
        served.simulator.hold(lambda: is_stopping(out), model="sim-scholar", after=3)

        def look(_: Any) -> None:
            if len([name for name in names(out) if name.startswith("processed/note")]) >= TEXTS - 1:
                stop(out)

        stopped = await run_here(pipeline(tmp_path, served.url, 2), tmp_path, out=out, on_tick=look)
        for file in (out / "processed").glob("note0001__processed__sim-scholar__run02.md"):
            file.unlink()  # the call in flight may have ended
        table = {**OFF, "process": {"from": "cut"}, "questions": {"model": "asker", "schema_file": "easy.json"}}
        config = pipeline(tmp_path, served.url, 2, **{**table, "answers": {"models": ["reader"]}})
        loaded = load(write_config(tmp_path, config), Workspace(tmp_path))

    assert stopped.ended.exit_code == 130
    (said,) = [note for note in loaded.warnings if "missing" in note]
    assert "7 of 8 processed texts are there; missing: note0001 (1)" in said


async def test_a_run_without_what_is_wanted_says_so_with_the_next_step(tmp_path: Path) -> None:
    """A run that wrote no questions has none: its reports are not taken for some, and the error says how it goes on."""
    async with serving(latency_scale=0) as served:
        await run_here(pipeline(tmp_path, served.url, 1, **{**OFF, "process": {"models": ["maker"]}}), tmp_path,
                       out=tmp_path / "runs" / "texts")  # fmt: skip
        config = pipeline(tmp_path, served.url, 1, process={"from": "texts"}, questions={"from": "texts"})
        with pytest.raises(ConfigError, match=r"questions\.from.*: the run texts has no questions/.*tui-eval resume"):
            load(write_config(tmp_path, config), Workspace(tmp_path))


async def test_a_run_that_is_being_written_is_refused_by_name(tmp_path: Path) -> None:
    """While a process writes it, nothing is taken of it: what is there now is not what will be."""
    out, said = tmp_path / "runs" / "live", list[str]()
    async with serving(latency_scale=0) as served:
        served.simulator.hold(lambda: said, model="sim-arbiter")
        other = tmp_path / "other"
        other.mkdir()
        out.parent.mkdir()
        trust_host(Workspace(tmp_path), served.url, files=[out.parent])
        table = {"questions": {"from": "live"}, "answers": {"from": "live"}, "judge": {"models": ["judge"]}}
        config = write_config(other, pipeline(other, served.url, 2, **{**OFF, **table}))

        def look(_: Any) -> None:
            if any(name.startswith("answers/note") for name in names(out)) and not said:
                with pytest.raises(ConfigError) as raised:
                    load(config, Workspace(tmp_path))
                said.append(str(raised.value))

        await run_here(pipeline(tmp_path, served.url, 2), tmp_path, out=out, on_tick=look)
        load(config, Workspace(tmp_path))

    assert f"the run live is being written by process {os.getpid()}" in said[0] and f"tui-eval stop {out}" in said[0]


@pytest.mark.soak
def test_a_killed_run_has_what_had_come(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """SIGKILL while the judge waits: texts and answers are on disk all the same, each whole, as the run's end has them."""
    out = tmp_path / "run"
    peer.simulator.hold(lambda: False, model="sim-arbiter")
    child = nursery.start("--run", write_config(tmp_path, pipeline(tmp_path, peer.url, 2)), "--out", out)
    until(lambda: len([name for name in names(out) if name.startswith("answers/note")]) == 4)
    until(lambda: all('"run": "02"' in text for name, text in outputs(out).items() if name.startswith("answers/note")))
    child.kill()
    killed = outputs(out)
    own = {name: text for name, text in killed.items() if name.startswith(("processed/note", "answers/note"))}
    rescoring.rescore(out, Workspace(tmp_path))

    assert len(own) == TEXTS + 4
    assert own.items() <= outputs(out).items()
