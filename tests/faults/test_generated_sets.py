"""Question sets that runs make, under kills and short budgets: nothing asked twice, nothing kept lost, no set written over."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fault_bench import LOG, Peer, Table, simulated_by, strict_json, write_config
from fifty_pages import AIM_S, measured
from invariants import check
from nursery import Nursery
from victim import CONCURRENCY, LATENCY_SCALE, Victim
from waiting import until

from tui_eval.runs.reader import lines
from tui_eval.workspace.places import shipped

TORN = (b"", b'{"attempt_id": "ab', b"\x00" * 300)
"""What stands behind the last newline once a write was broken off."""
MakePeer = Callable[..., Peer]
HANDBOOK = (shipped("examples") / "generate" / "handbook.txt").read_text(encoding="utf-8").replace("\n---\n", "\f")


MakeConfig = Callable[[str], Table]


def generating(folder: Path, form: str = "conversations", number: int = 8, **run: object) -> MakeConfig:
    """A run over the handbook's text, or single questions on each of its pages, that keeps its set as `kept`."""
    texts = {"handbook.txt": HANDBOOK}
    if form == "questions":
        texts = {f"page{n}.txt": page for n, page in enumerate(HANDBOOK.split("\f")[2:], start=1)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    more = {"conversations": number} if form == "conversations" else {"form": form}

    def made(url: str) -> Table:
        models = [simulated_by(url, "maker", "sim-sprinter"), simulated_by(url, "checker", "sim-arbiter")]
        table = {"model": "maker", "documents": list(texts), "dataset": "kept", **more}
        return {
            "kind": "generate", "name": "killed", "models": models, "generate": {**table, "check": {"model": "checker"}},
            "run": {"max_calls": 300, "max_concurrency": CONCURRENCY, "max_output_tokens": 2000, **run},
        }  # fmt: skip

    return made


def victim(nursery: Nursery, peers: MakePeer, folder: Path, **how: Any) -> Victim:
    """`how`: as `generating` takes it."""
    folder.mkdir(exist_ok=True)
    return Victim(nursery, peers(latency_scale=LATENCY_SCALE), folder, config=generating(folder, **how))


def conversations(path: Path) -> Any:
    return strict_json(path.read_bytes())["conversations"]


def replies_in(path: Path) -> dict[str, str]:
    """What settled calls were answered, questions and opinions, by call key."""
    records = (strict_json(line) for _, line in lines(path / LOG))
    return {record["call_key"]: record["response_text"] for record in records if record["final"]}


def assert_as_if_left_alone(alone: Victim, killed: Victim) -> None:
    """No settled call was asked again, as the server counts; the set and what was dropped are those of an undisturbed run."""
    check(killed.out, killed.peer.stats(), kills=killed.kills)
    killed.assert_nothing_settled_was_asked_again()
    kept = [conversations(one.out / "dataset.json") for one in (alone, killed)]
    assert kept[0] == kept[1] and kept[0]
    for name in ("dropped.csv", "passages.csv"):
        assert (alone.out / name).read_bytes() == (killed.out / name).read_bytes()
    assert conversations(killed.folder / "datasets" / "kept.json") == kept[0]


def test_a_kill_repeats_no_call_and_changes_no_question(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Killed in the middle of generation: the set is that of a run that was left alone."""
    alone, killed = (victim(nursery, peers, tmp_path / name, number=2) for name in ("alone", "killed"))
    assert alone.live_on("--workspace", alone.folder).code == 0
    killed.live_and_die_in_flight(answered=2)

    last = killed.live_on("--workspace", killed.folder)

    assert last.code == 0, last.stderr
    assert_as_if_left_alone(alone, killed)


MOST_ANSWERED = 3
"""In one life: six such lives leave calls to be made, of the two dozen that each form takes."""


@contextlib.contextmanager
def not_too_far(run: Victim) -> Iterator[None]:
    """However fast the machine is, a life does not come to its end meanwhile."""
    go_on = threading.Event()
    run.peer.simulator.hold(go_on.is_set, after=MOST_ANSWERED)
    yield
    go_on.set()


@pytest.mark.soak
@pytest.mark.parametrize("form", ["conversations", "questions"])
@pytest.mark.parametrize("seed", range(3))
def test_six_kills_at_any_moment_repeat_no_call_and_change_no_question(
    seed: int, form: str, nursery: Nursery, peers: MakePeer, tmp_path: Path
) -> None:
    """At a moment by chance, or with calls in flight; half a line may stand behind. No reply that was on file ever changes."""
    alone, killed = (victim(nursery, peers, tmp_path / name, form=form) for name in ("alone", "killed"))
    assert alone.live_on("--workspace", alone.folder).code == 0
    dice = random.Random(f"{seed} {form}")
    held: dict[str, str] = {}
    for n in range(6):
        if n % 2:
            killed.live_and_die_in_flight(answered=dice.randint(0, MOST_ANSWERED))
        else:
            with not_too_far(killed):
                killed.live_and_die(dice.uniform(0, 0.5), dice.choice(TORN))
        now = replies_in(killed.out)
        assert held.items() <= now.items()
        held = now

    last = killed.live_on("--workspace", killed.folder)

    assert last.code == 0, last.stderr
    assert killed.kills == 6 and held.items() <= replies_in(killed.out).items()
    assert_as_if_left_alone(alone, killed)


@pytest.mark.soak
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


def taken_name(folder: Path) -> Path:
    """A set of the name that the run's own is to have."""
    taken = folder / "datasets" / "kept.json"
    taken.parent.mkdir()
    taken.write_text('[{"id": "1", "question": "one?", "truth": "1"}]')
    return taken


def test_no_set_is_written_over(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Refused before anything is sent, naming the key."""
    run = victim(nursery, peers, tmp_path)
    taken = taken_name(tmp_path)
    before = taken.read_bytes()

    refused = run.live_on("--workspace", tmp_path)

    assert refused.code == 2 and b"--set generate.dataset=" in refused.stderr
    assert run.peer.stats()["requests"] == 0 and not run.out.exists() and taken.read_bytes() == before


@pytest.mark.soak
def test_a_set_that_came_to_be_meanwhile_stays(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """And the run's own is named, with how to bring it in."""
    run = victim(nursery, peers, tmp_path)
    run.live_and_die_in_flight()
    taken = taken_name(tmp_path)
    before = taken.read_bytes()

    last = run.live_on("--workspace", tmp_path)
    assert last.code == 2 and b"was made meanwhile" in last.stderr
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


@pytest.mark.soak
def test_fifty_pages_are_asked_about_within_two_minutes() -> None:
    """At ten in flight, by a model that takes two seconds for a reply; what it takes stands in benchmarks/RESULTS.md."""
    cost, counts = measured(pages=50, reply_s=2.0, in_flight=10)

    assert cost.wall_s < AIM_S
    assert counts["in flight at most"] <= 10 and counts["calls"] >= 36 and counts["questions kept"]
