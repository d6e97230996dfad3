"""Runs of kind qa: scored again to the same bytes, killed and taken up, and scored by another rule at no cost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from fault_bench import Peer, Table, derived_files, results_of, simulated_by, strict_lines
from invariants import check
from nursery import Nursery
from victim import Victim

from tui_eval.workspace.places import shipped

MakePeer = Callable[..., Peer]
PROBLEMS = 10


def problems(folder: Path, url: str, repeat: int = 1) -> Table:
    """Word problems by two prompts and two models; one scorer's expression runs in the fenced child."""
    lines = (shipped("examples") / "qa" / "problems.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "problems.jsonl").write_text("".join(lines[:PROBLEMS]), encoding="utf-8")
    shutil.copy(shipped("examples") / "qa" / "solved.jsonl", folder)
    return {
        "kind": "qa",
        "name": "problems",
        "scorers": ["number", {"use": "regex", "pattern": "(?:[a-z]+ )*[0-9]+"}, "length", "latency_s", "cost_usd"],
        "run": {"max_calls": 300, "max_concurrency": 6, "cache": False, "repeat": repeat},
        "models": [simulated_by(url, "one", "sim-scholar"), simulated_by(url, "two", "sim-contrarian")],
        "qa": {
            "dataset": "problems.jsonl",
            "target": "answer",
            "fewshot_from": "solved.jsonl",
            "fewshot": 1,
            "models": ["one", "two"],
            "prompts": [
                {"name": "plain", "text": "{question}"},
                {"name": "steps", "text": "Think step by step.\n\n{question}"},
            ],
        },
    }


def test_a_run_is_scored_again_to_the_same_bytes(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Latency and cost too, which the log holds; nothing is sent."""
    victim = Victim(nursery, peers(latency_scale=0), tmp_path, config=lambda url: problems(tmp_path, url, repeat=2))
    assert victim.live_on().code == 0
    sent, before = victim.peer.stats()["requests"], derived_files(victim.out)
    for name in before:
        (victim.out / name).unlink()

    assert nursery.run("rescore", victim.out).code == 0

    assert derived_files(victim.out) == before and victim.peer.stats()["requests"] == sent == PROBLEMS * 2 * 2 * 2
    report = json.loads((victim.out / "accuracy.json").read_text(encoding="utf-8"))
    assert {"number", "regex", "passed"} <= {str(value) for row in report["rows"] for value in row.values()}
    check(victim.out, victim.peer.stats())


def test_a_killed_run_asks_nothing_twice_and_comes_to_the_same(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """After kill -9 in flight and a resume, every score is that of an undisturbed run."""
    (tmp_path / "killed").mkdir()
    (tmp_path / "whole").mkdir()
    killed = Victim(
        nursery, peers(latency_scale=0.02), tmp_path / "killed", config=lambda url: problems(tmp_path / "killed", url)
    )
    whole = Victim(nursery, peers(latency_scale=0), tmp_path / "whole", config=lambda url: problems(tmp_path / "whole", url))
    assert whole.live_on().code == 0

    killed.live_and_die_in_flight()
    assert killed.live_on().code == 0

    killed.assert_nothing_settled_was_asked_again()
    assert judged(killed.out) == judged(whole.out) and len(judged(whole.out)) == PROBLEMS * 2 * 2 * 4
    check(killed.out, killed.peer.stats(), kills=killed.kills)


def judged(path: Path) -> dict[tuple[str, str], object]:
    """The scores that rest on texts, by sample and metric."""
    rows = strict_lines(path / "results.jsonl")
    return {
        (row["item_id"], score["name"]): score["value"]
        for row in rows
        for score in row["scores"]
        if score["name"] not in ("latency_s", "cost_usd")
    }


def test_other_scorers_are_tried_at_no_cost(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """`rescore --set scorers` makes other metrics of the same replies; the run's own files stay."""
    victim = Victim(nursery, peers(latency_scale=0), tmp_path, config=lambda url: problems(tmp_path, url))
    assert victim.live_on().code == 0
    sent, before = victim.peer.stats()["requests"], results_of(victim.out)

    again = nursery.run("rescore", victim.out, "--set", 'scorers=["exact"]')

    assert again.code == 0 and b"number" in again.stdout, again.stderr
    assert b"gives almost nothing where another scorer would: `number`" in b" ".join(again.stdout.split())
    assert victim.peer.stats()["requests"] == sent and results_of(victim.out) == before


def test_a_gate_speaks_of_the_scorers(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """A threshold of a metric that the config's scorers make is judged; any other is an error that names the near one."""
    passes = Victim(
        nursery, peers(latency_scale=0), tmp_path, config=lambda url: {**problems(tmp_path, url), "gate": {"number": ">= 0.0"}}
    )
    assert passes.live_on().code == 0

    wrong = {**problems(tmp_path, passes.peer.url), "gate": {"nmber": ">= 0.5"}}
    other = Victim(nursery, passes.peer, tmp_path, config=lambda url: wrong)
    shutil.rmtree(other.out)
    child = other.live_on()
    assert child.code == 2 and b"gate.nmber" in child.stderr and b"'number'" in child.stderr
