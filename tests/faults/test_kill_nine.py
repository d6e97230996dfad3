"""SIGKILL at any moment, then resume: the same scores, nothing settled asked again, the budget kept over all lives."""

from __future__ import annotations

import asyncio
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fault_bench import INTENTS, LOG, Life, Peer, resume_here, run_here, serving, strict_json
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import check
from nursery import Nursery
from soaking import quick_first, quick_first_rows
from victim import LATENCY_SCALE, Scores, Victim, scores_of, settled_in, three_stages
from waiting import until

from tui_eval.core.errors import TuiEvalError

Undisturbed = tuple[Scores, float]
MakePeer = Callable[..., Peer]


@pytest.fixture(scope="module")
def undisturbed(_nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Undisturbed]:
    """The scores of the run when nobody kills it, and how long it takes from its first call on."""
    peer = Peer(latency_scale=LATENCY_SCALE)
    victim = Victim(_nursery, peer, tmp_path_factory.mktemp("undisturbed"))
    child = victim.start()
    until(lambda: peer.simulator.arrivals)
    began = time.monotonic()
    assert child.wait() == 0, child.stderr
    yield scores_of(victim.out), time.monotonic() - began
    peer.close()


TORN = (b"", b'{"attempt_id": "ab', b"\x00" * 300, b'\xc3"}, "request": ')
"""What stands after the last newline once a write was broken off: nothing, half a line, the zeros of a power cut."""


@pytest.mark.parametrize(("seed", "torn"), quick_first_rows(enumerate(TORN)))
def test_five_kills_change_nothing(
    seed: int, torn: bytes, nursery: Nursery, peers: MakePeer, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    """Four runs, each killed at five random points with half a line left in both logs, end with the scores of one that was
    left alone; what was settled is not asked again, and what was in flight is named."""
    scores, took_s = undisturbed
    dice = random.Random(seed)
    victim = Victim(nursery, peers(latency_scale=LATENCY_SCALE), tmp_path)
    for _ in range(5):
        victim.live_and_die(dice.uniform(0, took_s * 0.3), torn)

    last = victim.live_on()

    assert last.code == 0, last.stderr
    check(victim.out, victim.peer.stats(), kills=5)
    victim.assert_nothing_settled_was_asked_again()
    assert scores_of(victim.out) == scores
    if torn:  # else a kill in the middle of a write may have torn a line, too
        assert b"unfinished last line" in (victim.out / "run.log").read_bytes()


def test_the_call_cap_holds_over_all_lives(nursery: Nursery, peers: MakePeer, tmp_path: Path, undisturbed: Undisturbed) -> None:
    """With a cap of just the plan, what was in flight at three kills is missing in the end: the cap is kept, exit 3; and
    raising it brings the scores of a run that was left alone."""
    scores, _ = undisturbed
    victim = Victim(nursery, peers(latency_scale=LATENCY_SCALE), tmp_path, run={"max_calls": 156})
    for _ in range(3):
        victim.live_and_die_in_flight()

    capped = victim.live_on()
    capped_at = victim.peer.stats()["requests"]
    check(victim.out, victim.peer.stats(), kills=3)
    last = victim.live_on("--set", "run.max_calls=400")

    assert capped.code == 3
    assert capped_at <= 156
    assert last.code == 0
    check(victim.out, victim.peer.stats(), kills=3)
    assert scores_of(victim.out) == scores


def test_the_usd_cap_holds_over_all_lives(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """What was in doubt at a kill is charged its worst case, so that all lives together stay below max_cost_usd."""
    victim = Victim(nursery, peers(latency_scale=LATENCY_SCALE), tmp_path, run={"max_cost_usd": 0.06})
    for _ in range(3):
        victim.live_and_die_in_flight()

    last = victim.live_on()

    check(victim.out, victim.peer.stats(), kills=3)
    report = strict_json((victim.out / "report.json").read_bytes())
    assert report["in_doubt"] != []
    assert 0.03 < report["charged_usd"] <= 0.06
    assert last.code == 3


async def test_lost_intents_give_no_budget_back(tmp_path: Path) -> None:
    """After a power cut the last intents may be missing while their attempts' ends are on file: those attempts still count."""
    async with serving(latency_scale=0) as served:
        first = await run_here(three_stages(served.url, questions=1, max_calls=12), tmp_path)
        intents, log = (first.path / INTENTS).read_bytes(), (first.path / LOG).read_bytes()
        (first.path / INTENTS).write_bytes(b"".join(intents.splitlines(keepends=True)[:4]))
        (first.path / LOG).write_bytes(b"".join(log.splitlines(keepends=True)[:9]))

        second = await resume_here(first.path)

        asked_again = (await served.stats())["requests"] - 12
    assert asked_again == 12 - 9
    assert second.ended.progress.calls_used == 12


async def test_half_written_files_of_an_earlier_life_are_cleared_away(tmp_path: Path) -> None:
    """What a killed process left half-written, and its reserve, do not lie in the folder for ever."""
    async with serving(latency_scale=0) as served:
        first = await _whole_run(tmp_path, served.url)
        (first.path / ".progress.json.4194305.tmp").write_bytes(b"{")
        (first.path / ".reserve").write_bytes(b"")

        second = await resume_here(first.path)

        check(second.path, await served.stats())
    assert not list(second.path.glob(".*"))


async def _whole_run(folder: Path, url: str) -> Life:
    life = await run_here(three_stages(url, questions=1), folder)
    assert life.ended.exit_code == 0
    return life


@settings(max_examples=6, deadline=None)
@given(share=st.floats(0, 1))
async def test_a_log_cut_at_any_byte_is_taken_up_again(share: float) -> None:
    """Wherever the log ends, a resume asks what is missing, nothing else, and comes to the same scores."""
    with tempfile.TemporaryDirectory() as folder:
        async with serving(latency_scale=0) as served:
            first = await _whole_run(Path(folder), served.url)
            scores, log = scores_of(first.path), (first.path / LOG).read_bytes()
            (first.path / LOG).write_bytes(log[: int(share * len(log))])
            settled = settled_in(first.path)
            asked_before = (await served.stats())["requests"]

            second = await resume_here(first.path)

            stats = await served.stats()
            check(second.path, stats, kills=3)
            assert scores_of(second.path) == scores
    assert second.ended.exit_code == 0
    assert stats["requests"] - asked_before == asked_before - len(settled)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda line: line[: len(line) // 2] + b"\n",
    "zeros": lambda line: b"\0" * (len(line) - 1) + b"\n",
    "not UTF-8": lambda line: b"\xff\xfe" + line,
    "glued to the next": lambda line: line[:-1],
    "a record of something else": lambda line: b'{"some": "thing", "request": null}\n' + line,
    "a key that lost a letter": lambda line: line.replace(b'"attempt_id"', b'"attemp_id"').replace(b'"status"', b'"staus"'),
    "a number that is none": lambda line: line.replace(b"-00000", b"-x"),
    "nested without end": lambda line: b'{"request": ' + b"[" * 5000 + b"]" * 5000 + b', "request": null}\n' + line,
}


@pytest.mark.parametrize("file", quick_first([LOG, INTENTS]))
@pytest.mark.parametrize("how", DAMAGES)
async def test_a_damaged_line_never_crashes_a_resume(how: str, file: str, tmp_path: Path) -> None:
    """Whatever was done to a line in the middle of a log, a resume goes on without it, or refuses the folder in words."""
    async with serving(latency_scale=0) as served:
        first = await _whole_run(tmp_path, served.url)
        whole = (first.path / file).read_bytes().splitlines(keepends=True)
        (first.path / file).write_bytes(b"".join([*whole[:3], DAMAGES[how](whole[3]), *whole[4:]]))
        try:
            async with asyncio.timeout(60):
                second = await resume_here(first.path)
        except TuiEvalError:
            return
    assert second.ended.exit_code == 0


async def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    """A line in the middle of the log that cannot be read is named with its number, since its call is asked again."""
    async with serving(latency_scale=0) as served:
        first = await _whole_run(tmp_path, served.url)
        lines = (first.path / LOG).read_bytes().split(b"\n")
        lines[3] = lines[3][:40]
        (first.path / LOG).write_bytes(b"\n".join(lines))

        second = await resume_here(first.path)

    assert [line for line in second.said if LOG in line and "4" in line]


def test_a_kill_while_the_run_is_prepared_leaves_nothing_in_the_way(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """A folder that was killed before it was whole is refused with the way out, and --force takes that way."""
    victim = Victim(nursery, peers(latency_scale=0), tmp_path, questions=1)
    whole = victim.live_on()
    assert whole.code == 0
    shutil.copytree(victim.out, tmp_path / "half")
    (tmp_path / "half" / "config.toml").unlink()

    resumed = nursery.run("resume", tmp_path / "half")
    again = nursery.run("--run", tmp_path / "cfg.toml", "--out", tmp_path / "half")
    forced = nursery.run("--run", tmp_path / "cfg.toml", "--out", tmp_path / "half", "--force")

    assert (resumed.code, again.code, forced.code) == (2, 2, 0)
    assert b"--force" in again.stderr
