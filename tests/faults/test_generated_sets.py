"""Question sets that runs make, under kills and short budgets: nothing asked twice, nothing kept lost, no set written over."""

from __future__ import annotations

import json
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Peer, Table, simulated_by, strict_json, write_config
from invariants import check
from nursery import Nursery
from victim import CONCURRENCY, LATENCY_SCALE, Victim
from waiting import until

from tui_eval.workspace.places import shipped

MakePeer = Callable[..., Peer]
HANDBOOK = (shipped("examples") / "generate" / "handbook.txt").read_text(encoding="utf-8").replace("\n---\n", "\f")


def generating(folder: Path, **run: object) -> Callable[[str], Table]:
    """A run over the handbook's text that keeps its set as `kept`."""
    (folder / "handbook.txt").write_text(HANDBOOK, encoding="utf-8")

    def made(url: str) -> Table:
        models = [simulated_by(url, "maker", "sim-sprinter"), simulated_by(url, "checker", "sim-arbiter")]
        table = {"model": "maker", "documents": ["handbook.txt"], "conversations": 8, "dataset": "kept"}
        return {
            "kind": "generate", "name": "killed", "models": models, "generate": {**table, "check": {"model": "checker"}},
            "run": {"max_calls": 300, "max_concurrency": CONCURRENCY, "max_output_tokens": 2000, **run},
        }  # fmt: skip

    return made


def victim(nursery: Nursery, peers: MakePeer, folder: Path, **run: object) -> Victim:
    folder.mkdir(exist_ok=True)
    return Victim(nursery, peers(latency_scale=LATENCY_SCALE), folder, config=generating(folder, **run))


def conversations(path: Path) -> Any:
    return strict_json(path.read_bytes())["conversations"]


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.soak)])
def test_kills_repeat_no_call_and_change_no_question(kills: int, nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Killed in the middle of generation: the set is that of a run that was left alone."""
    alone, killed = (victim(nursery, peers, tmp_path / name) for name in ("alone", "killed"))
    assert alone.live_on("--workspace", alone.folder).code == 0
    dice = random.Random(17)
    for _ in range(kills):
        killed.live_and_die_in_flight(answered=dice.randint(1, 6))

    last = killed.live_on("--workspace", killed.folder)

    assert last.code == 0, last.stderr
    check(killed.out, killed.peer.stats(), kills=kills)
    killed.assert_nothing_settled_was_asked_again()
    kept = [conversations(one.out / "dataset.json") for one in (alone, killed)]
    assert kept[0] == kept[1] and kept[0]
    for name in ("dropped.csv", "passages.csv"):
        assert (alone.out / name).read_bytes() == (killed.out / name).read_bytes()
    assert conversations(killed.folder / "datasets" / "kept.json") == kept[0]


def test_a_run_that_is_stopped_keeps_what_there_is_and_resume_adds(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Marked incomplete; resumed, each question that was kept is still there and the mark is gone; once more: no change."""
    run = victim(nursery, peers, tmp_path, max_concurrency=1)
    place, kept = ("--workspace", tmp_path), tmp_path / "datasets" / "kept.json"
    go_on = threading.Event()
    run.peer.simulator.hold(go_on.is_set, after=8)
    stopped = run.start(*place)
    until(lambda: run.peer.simulator.stats()["requests"] > 8)
    stopped.send(signal.SIGINT)
    until(lambda: b"stopping" in stopped.stderr)
    go_on.set()
    stopped.wait()
    first = strict_json(kept.read_bytes())

    whole = run.live_on(*place)
    second = kept.read_bytes()
    again = run.live_on(*place)

    assert b"so far; resume adds the rest" in stopped.stderr
    assert whole.code == 0, whole.stderr
    assert first["incomplete"] and "incomplete" not in strict_json(second)
    before, after = ([turn["question"] for talk in talks for turn in talk["turns"]]
                     for talks in (first["conversations"], conversations(kept)))  # fmt: skip
    assert before and set(before) < set(after)
    assert b"as they were kept before" in again.stderr and kept.read_bytes() == second


def test_no_set_is_written_over(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Refused before anything is sent, naming the key; one that came to be meanwhile stays, and the run's own is named."""
    run = victim(nursery, peers, tmp_path)
    taken = tmp_path / "datasets" / "kept.json"
    taken.parent.mkdir()
    taken.write_text('[{"id": "1", "question": "one?", "truth": "1"}]')
    before = taken.read_bytes()

    refused = run.live_on("--workspace", tmp_path)

    assert refused.code == 2 and b"--set generate.dataset=" in refused.stderr
    assert run.peer.stats()["requests"] == 0 and not run.out.exists()
    taken.unlink()
    run.live_and_die_in_flight()
    taken.write_bytes(before)
    last = run.live_on("--workspace", tmp_path)
    assert last.code == 2 and b"came to be meanwhile" in last.stderr
    assert taken.read_bytes() == before and conversations(run.out / "dataset.json")


@pytest.mark.parametrize(("persona", "code"), [("sim-scholar", 0), ("none", 3)])
def test_none_kept_is_exit_3_and_fewer_is_not(
    persona: str, code: int, nursery: Nursery, peers: MakePeer, tmp_path: Path
) -> None:
    """And a sentence says what became of what was wanted."""
    peer = peers(latency_scale=0.0)
    table = generating(tmp_path)(peer.url)
    if persona == "none":
        table["generate"]["prompts"] = {"conversation": "{passage}{turns}"}
    config = write_config(tmp_path, table)

    ended = nursery.run("--run", config, "--out", tmp_path / "run", "--workspace", tmp_path)

    assert ended.code == code, ended.stderr
    assert b"wanted 24, kept" in b" ".join(ended.stdout.split())
    assert (tmp_path / "datasets" / "kept.json").exists() == (code == 0)
    assert (b"no question was kept" in ended.stderr) == (code == 3)
    assert json.loads((tmp_path / "run" / "report.json").read_bytes())
