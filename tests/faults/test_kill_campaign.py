"""The campaign of kills: its judge finds what is wrong when it is told lies, and a short one finds nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_bench import Table
from kill_evidence import LOST_AFTER_S, Evidence, Found, Kill, Made, Visit, judged, left_out
from kill_reports import differences, reports_of
from kills import Campaign, case_of, told_of
from nursery import Nursery

from tui_eval.kinds import KINDS

CAP, CAP_USD = 6, 0.01
SHORT_SEED = 12
"""Its first cases have much of what the long campaign has."""


def intent(life: str, number: int, key: str) -> Table:
    """What is written before an attempt is sent."""
    return {"attempt_id": f"{life}-{number:06d}", "call_key": key, "worst_usd": 0.001}


def record(life: str, number: int, key: str, final: bool = True) -> Table:
    """What is written when it has ended."""
    began = {"started_at": "2026-01-01T00:00:00Z", "cached": False, "charged_usd": 0.0005}
    return {"attempt_id": f"{life}-{number:06d}", "call_key": key, "final": final, **began}


def visit(life: str, number: int, sent_at: float | None = 1.0) -> Visit:
    """What the server saw of it."""
    return Visit(f"{life}-{number:06d}", 0.5, usd=0.0004, sent_at=sent_at, status=None if sent_at is None else 200)


def truth() -> Evidence:
    """A run of four calls: one was settled when it was killed, two were in flight, one of them answered."""
    records = [record("a", 1, "k1"), record("b", 1, "k2"), record("b", 2, "k3"), record("b", 3, "k4")]
    intents = [*(intent("a", n, f"k{n}") for n in (1, 2, 3)), *(intent("b", n, f"k{n + 1}") for n in (1, 2, 3))]
    visits = [visit("a", 1), visit("a", 2), visit("a", 3, None), *(visit("b", n, 30.0) for n in (1, 2, 3))]
    kill = Kill("reply", 2.0, 3, frozenset({"a-000001"}), frozenset({"k1"}), 3)
    return Evidence(visits, intents, records, [kill], CAP, CAP_USD, max_concurrency=2)


def found_in(evidence: Evidence) -> Found:
    """What the judge finds."""
    found = Found()
    judged(evidence, found)
    return found


def test_a_sound_run_is_found_sound() -> None:
    assert list(found_in(truth()).lines()) == []


NAMED = [{"name": "n1", "state": "submitted", "id": "s1"}, {"name": "n2", "state": "submitted", "id": "s2"}]
"""Two lines of batches.jsonl."""
Lie = Callable[[Evidence], Evidence]


def changed(**changes: Callable[[Evidence], object]) -> Lie:
    """The truth with other fields."""
    return lambda true: dataclasses.replace(true, **{name: change(true) for name, change in changes.items()})


LIES: dict[str, tuple[str, Lie]] = {
    "the log was rewritten": ("lost", changed(changed=lambda true: ["call_logs.jsonl"])),
    "a reply that came long before the kill is not in the log": (
        "lost",
        changed(kills=lambda true: [dataclasses.replace(true.kills[0], at=1.5 + LOST_AFTER_S)]),
    ),
    "a batch's reply never came to the log": (
        "lost",
        changed(visits=lambda true: [*true.visits[1:], Visit("b-000009", 1.0, status=200, batched=True)]),
    ),
    "what was settled at the kill was asked again": (
        "repeated",
        changed(kills=lambda true: [dataclasses.replace(true.kills[0], settled=frozenset({"k1", "k4"}))]),
    ),
    "a record behind the settling one": (
        "repeated",
        changed(records=lambda true: [*true.records, record("b", 4, "k4")], max_calls=lambda true: 99),
    ),
    "one attempt came to the server twice": ("repeated", changed(visits=lambda true: [*true.visits[:5], true.visits[4]])),
    "answered twice though nothing of it was in flight": (
        "repeated",
        changed(
            visits=lambda true: [*true.visits, visit("b", 4, 31.0)],
            intents=lambda true: [*true.intents, intent("b", 4, "k4")],
            records=lambda true: [*true.records[:3], record("b", 3, "k4", False), record("b", 4, "k4")],
            max_calls=lambda true: 99,
        ),
    ),
    "a call in two batches": (
        "handed_over",
        changed(
            made=lambda true: [Made("s1", frozenset({"b-1"})), Made("s2", frozenset({"b-1", "b-2"}))],
            batches=lambda true: NAMED,
        ),
    ),
    "a batch handed over under two ids": ("handed_over", changed(batches=lambda true: [*NAMED, {**NAMED[0], "id": "s3"}])),
    "a batch that the run does not know": (
        "handed_over",
        changed(made=lambda true: [Made("s9", frozenset({"b-1"}))], batches=lambda true: NAMED),
    ),
    "the server counted more than the cap": ("over_caps", changed(max_calls=lambda true: CAP - 1)),
    "a cap that was passed between two kills": (
        "over_caps",
        changed(kills=lambda true: [dataclasses.replace(true.kills[0], asked=CAP + 1)]),
    ),
    "the server charged more than the cap": (
        "over_caps",
        changed(visits=lambda true: [dataclasses.replace(one, usd=0.002) for one in true.visits]),
    ),
    "more is on file as charged than the cap": ("over_caps", changed(max_cost_usd=lambda true: 0.0035)),
    "sent before it was written down": ("other", changed(intents=lambda true: true.intents[:-1])),
    "more in doubt than were under way at once": ("other", changed(max_concurrency=lambda true: 1)),
    "an attempt begun twice": ("other", changed(intents=lambda true: [*true.intents[:-1], *true.intents[-1:] * 2])),
}


@pytest.mark.parametrize("lie", LIES)
def test_every_lie_is_found(lie: str) -> None:
    where, told = LIES[lie]

    assert getattr(found_in(told(truth())), where)


def test_planned_calls_that_a_budget_left_out_are_told_from_those_beyond_the_plan() -> None:
    """And from those that were asked in a later life."""
    skipped = [{**record("a", n, f"k{n}", final=False), "status": "skipped_budget", "about": ""} for n in (5, 6, 7)]
    skipped[1]["about"] = "agreement again"
    asked_later = {**record("b", 9, "k7"), "status": "ok", "about": ""}

    found = left_out(Evidence((), (), [*skipped, asked_later], (), CAP, None, max_concurrency=2))

    assert found == skipped[:1]


def test_reports_that_differ_are_found_and_times_are_not(tmp_path: Path) -> None:
    """A score, a missing file and one too many are found; moments (in names, too), latencies, a server's port, a run's id and
    our own commit are not."""
    for name, score, moment in (("one", 1, "2026-01-01T00:00:00Z"), ("two", 1, "2026-01-02T00:00:00Z"), ("three", 2, "-")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"scores__2026-01-0{len(name)}T00-00.json").write_text(f'{{"git_commit": "{name}"}}')
        (tmp_path / name / "aggregate_latency.csv").write_text(f"mean_mean\n{len(name)}\n")
        (tmp_path / name / "a.json").write_text(f'{{"score": {score}, "latency_ms": {len(name)}, "said": "at {moment}"}}')
        (tmp_path / name / "manifest.json").write_text(f'{{"uid": "uid-of-{name}"}}')
        (tmp_path / name / "set.json").write_text(f'{{"run": "uid-of-{name}"}}')
        (tmp_path / name / "b.csv").write_text(f"score,latency_ms\n{score},{len(name)}\n")
    (tmp_path / "three" / "more.md").write_text("more")
    one, two, three = (reports_of(tmp_path / name, exact=True) for name in ("one", "two", "three"))

    assert list(differences(one, two)) == []
    assert [line.partition(":")[0] for line in differences(one, three)] == ["a.json", "b.csv", "more.md"]
    assert [line.partition(":")[0] for line in differences(three, one)] == ["a.json", "b.csv", "more.md"]


def test_the_same_seed_makes_the_same_cases() -> None:
    """So that one case can be played again; and half of many have a cap on calls, a third one on cost."""
    cases = [case_of(number, 7) for number in range(600)]

    assert cases == [case_of(number, 7) for number in range(600)]
    assert cases != [case_of(number, 8) for number in range(600)]
    assert sum(case.cap_calls for case in cases) == pytest.approx(300, abs=60)
    assert sum(case.cap_usd for case in cases) == pytest.approx(200, abs=60)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(len(KINDS) + 1))
def test_a_dozen_kills_lose_nothing_repeat_nothing_and_keep_every_cap(number: int, tmp_path: Path, nursery: Nursery) -> None:
    """The campaign in short: a run of every kind, some in batches, some capped, and killed at most kinds of moments."""
    result = Campaign(tmp_path, SHORT_SEED, nursery).play(number)

    assert list(result.found.lines()) == [], told_of(result)
    assert result.kills


def test_the_short_campaign_has_a_bit_of_everything() -> None:
    """Twelve kills or more, of every kind, live and in batches, with caps and without."""
    cases = [case_of(number, SHORT_SEED) for number in range(len(KINDS) + 1)]

    assert sum(len(case.shots) for case in cases) >= 12
    assert {case.scenario.kind for case in cases} == set(KINDS)
    assert {case.scenario.mode for case in cases} == {"live", "batch"}
    assert {case.cap_calls for case in cases} == {case.cap_usd for case in cases} == {True, False}
