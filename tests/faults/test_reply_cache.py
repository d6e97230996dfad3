"""Replies kept over runs: the same call is paid once, another call is never answered by it, and a bad cache costs nothing."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import random
import shutil
import stat
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from choice_bench import answers_of, cache_of, choice, faulty, kept_in, provenance_of, run_cached, since
from fault_bench import (
    CANARY,
    CANARY_VARIABLE,
    LOG,
    Life,
    Peer,
    Served,
    Table,
    asked,
    by_model,
    files_in,
    panel,
    resume_here,
    run_here,
    serving,
    simulated_by,
    spoken_by,
    strict_json,
    write_config,
)
from invariants import assert_no_secret, check
from nursery import Nursery
from scripted import answering, as_bytes, completion, reply
from soaking import quick_first
from waiting import until

from tui_eval.core.records import Attempt
from tui_eval.reporting import rescoring
from tui_eval.runs.cache import FEW, ReplyCache
from tui_eval.runs.cache_segments import SEGMENTS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import temporary_name

Change = Callable[[Table], None]
MakePeer = Callable[..., Peer]
PERSONAS = ("sim-scholar", "sim-sprinter")


@pytest.fixture
async def quick() -> AsyncIterator[Served]:
    """A simulator that answers at once."""
    async with serving(latency_scale=0) as found:
        yield found


def _config(folder: Path, url: str, questions: int = 4, **more: Any) -> Table:
    models = [spoken_by(url, name.removeprefix("sim-"), name) for name in PERSONAS]
    return choice(folder, models, questions, **more)


def _all_cached(life: Life) -> bool:
    return all(record["cached"] for record in life.records)


# ------------------------------------------------------------------------------------------- what it is good for


@pytest.mark.parametrize(
    "more", [{}, {"run": {"repeat": 3}}, {"permutations": 3, "shuffle": True}], ids=["plain", "3x", "orders"]
)
async def test_a_second_run_sends_nothing(quick: Served, tmp_path: Path, more: Table) -> None:
    """The same config once more: no request, no money, no call of the budget used; the same answers, all marked as cached."""
    config = _config(tmp_path, quick.url, **more)
    for model in config["models"]:
        model["price"] = {"input": 1.0, "output": 2.0}
    first = await run_cached(config, tmp_path)
    before = await quick.stats()
    check(first.path, before)

    second = await run_cached(config, tmp_path, "second")

    check(second.path, await since(quick, before))
    assert first.ended.exit_code == second.ended.exit_code == 0
    assert before["requests"] == len(first.records) == len(second.records)
    assert (await quick.stats())["requests"] == before["requests"]
    assert not any(record["cached"] for record in first.records)
    assert _all_cached(second)
    assert answers_of(second.path) == answers_of(first.path)
    assert first.report["charged_usd"] > 0
    assert (second.report["charged_usd"], second.report["attempts_sent"]) == (0, 0)
    assert second.ended.progress.calls_used == 0
    assert second.ended.progress.cached == len(second.records)


async def test_many_replies_lie_in_segments(quick: Served, tmp_path: Path) -> None:
    """Beyond the first hundred of a run; an index may go and nothing is asked anew, a segment may go and just its calls are."""
    config = _config(tmp_path, quick.url, questions=FEW // 2 + 15)
    first = await run_cached(config, tmp_path)
    cache, sent = cache_of(tmp_path), (await quick.stats())["requests"]
    segments = cache / SEGMENTS
    assert len(kept_in(cache)) == FEW and sent == FEW + 30
    (replies,) = segments.glob("*.replies")
    assert len(replies.read_bytes().splitlines()) == 30

    second = await run_cached(config, tmp_path, "second")
    for index in segments.glob("*.index"):
        index.unlink()
    third = await run_cached(config, tmp_path, "third")
    assert (await quick.stats())["requests"] == sent and _all_cached(second) and _all_cached(third)

    replies.unlink()
    fourth = await run_cached(config, tmp_path, "fourth")

    assert (await quick.stats())["requests"] == sent + 30
    assert answers_of(fourth.path) == answers_of(third.path) == answers_of(second.path) == answers_of(first.path)


async def test_a_repeat_is_not_answered_by_another(quick: Served, tmp_path: Path) -> None:
    """After a run of one repeat, three repeats ask for the two that are new; each repeat has a reply of its own."""
    await run_cached(_config(tmp_path, quick.url), tmp_path)
    before = await quick.stats()

    second = await run_cached(_config(tmp_path, quick.url, run={"repeat": 3}), tmp_path, "second")

    check(second.path, await since(quick, before))
    assert before["requests"] == 8
    assert (await quick.stats())["requests"] == before["requests"] + 16
    assert {(record["repeat"], record["cached"]) for record in second.records} == {(0, True), (1, False), (2, False)}
    assert len({record["response_json"]["id"] for record in second.records}) == 24


async def test_the_runs_own_log_is_whole(quick: Served, tmp_path: Path) -> None:
    """A run that was answered from the cache needs it no more: without it a resume sends nothing, and rescore brings back
    every derived file with the same bytes."""
    config = _config(tmp_path, quick.url)
    await run_cached(config, tmp_path)
    second = await run_cached(config, tmp_path, "second")
    derived = {
        name: (second.path / name).read_bytes() for name in ("report.json", "results.jsonl", "stats.csv", "leaderboard.md")
    }
    derived |= {file.name: file.read_bytes() for file in second.path.glob("*.csv")}
    shutil.rmtree(cache_of(tmp_path))
    before = await quick.stats()
    for name in derived:
        (second.path / name).unlink()

    rescoring.rescore(second.path, Workspace(tmp_path))
    again = {name: (second.path / name).read_bytes() for name in derived}
    third = await resume_here(second.path)

    assert again == derived
    assert third.ended.exit_code == 0
    assert (await quick.stats())["requests"] == before["requests"]


async def test_only_what_is_new_is_asked(quick: Served, tmp_path: Path) -> None:
    """A third model and a fifth question beside what is known: five calls and one for each known model, nothing else; and the
    budget counts these alone."""
    await run_cached(_config(tmp_path, quick.url), tmp_path)
    before = await quick.stats()
    config = _config(tmp_path, quick.url, questions=5)
    config["models"].append(spoken_by(quick.url, "rambler", "sim-rambler"))
    config["choice"]["models"].append("rambler")

    second = await run_cached(config, tmp_path, "second")

    stats = await since(quick, before)
    records = by_model(check(second.path, stats))
    assert stats["requests"] == second.ended.progress.calls_used == 7
    assert {name: sum(not r["cached"] for r in own) for name, own in records.items()} == {
        "scholar": 1,
        "sprinter": 1,
        "rambler": 5,
    }


def _set(table: str, key: str, value: object) -> Change:
    return lambda config: config.setdefault(table, {}).__setitem__(key, value)


def _set_model(key: str, value: object) -> Change:
    return lambda config: config["models"][0].__setitem__(key, value)


def _other_place(config: Table) -> None:
    config["models"][0]["base_url"] += "/"


def _exam_change(old: str, new: str) -> Change:
    def change(config: Table) -> None:
        exam = Path(config["choice"]["benchmark"])
        exam.write_text(exam.read_text().replace(old, new))

    return change


NEW_CALLS: dict[str, tuple[Change, int]] = {
    "system prompt": (_set("choice", "prompts", {"system": "Answer with one letter."}), 8),
    "user prompt": (_set("choice", "prompts", {"user": "{question}\n\n{options}\n\nLetter:"}), 8),
    "temperature": (_set("choice", "temperature", 0.7), 8),
    "no temperature": (_set("choice", "use_temperature", False), 8),
    "a model's temperature": (_set_model("temperature", 0.3), 4),
    "a model's id": (_set_model("model", "sim-rambler"), 4),
    "a model's place": (_other_place, 4),
    "a model's token limit": (_set_model("max_output_tokens", 77), 4),
    "a model's further fields": (_set_model("extra_body", {"top_p": 0.5}), 4),
    "token limit": (_set("run", "max_output_tokens", 99), 8),
    "seed": (_set("run", "seed", 7), 8),
    "a question": (_exam_change("rock number 3", "stone number 3"), 2),
    "an option of all": (_exam_change("No part of it", "Nothing of it"), 8),
    "order of options": (_set("choice", "permutations", 2), 8),
}
"""What makes another call of how many of the eight."""


@pytest.mark.parametrize("what", quick_first(NEW_CALLS, 5))
async def test_another_call_is_asked_anew(quick: Served, tmp_path: Path, what: str) -> None:
    """Whatever reaches the model differently is another call."""
    await run_cached(_config(tmp_path, quick.url), tmp_path)
    before = await quick.stats()
    config = _config(tmp_path, quick.url)
    change, new = NEW_CALLS[what]
    change(config)

    second = await run_cached(config, tmp_path, "second")

    stats = await since(quick, before)
    check(second.path, stats)
    assert second.ended.exit_code == 0
    assert stats["requests"] == new


SAME_CALLS: dict[str, Change] = {
    "extraction": _set("choice", "extraction", "formationeval-v0.1"),
    "the answer key": _exam_change('"answer_index": 3, "answer_key": "D"', '"answer_index": 0, "answer_key": "A"'),
    "limits": lambda config: config["run"].update(timeout_s=7.0, max_concurrency=3, retries=0, max_calls=900),
    "the run's name": lambda config: config.update(name="another"),
    "a price": _set_model("price", {"input": 1.0, "output": 1.0}),
    "the order of models": lambda config: config["choice"]["models"].reverse(),
    "fewer questions": _set("choice", "filter", {"ids": ["q2"]}),
}


@pytest.mark.parametrize("what", SAME_CALLS)
async def test_what_the_model_does_not_see_asks_nothing_anew(quick: Served, tmp_path: Path, what: str) -> None:
    """Another rule for reading letters, another key or limit makes no other call."""
    await run_cached(_config(tmp_path, quick.url), tmp_path)
    before = await quick.stats()
    config = _config(tmp_path, quick.url)
    SAME_CALLS[what](config)

    second = await run_cached(config, tmp_path, "second")

    assert (await since(quick, before))["requests"] == 0
    assert second.ended.exit_code == 0
    assert _all_cached(second)


async def test_a_run_without_cache_neither_reads_nor_writes_it(quick: Served, tmp_path: Path) -> None:
    """cache = false asks everything, and keeps nothing; a kind whose default is false does not either."""
    config = _config(tmp_path, quick.url, run={"cache": False})
    await run_cached(config, tmp_path)
    await run_cached(panel([spoken_by(quick.url, "doer", "sim-scholar")], [asked("doer")]), tmp_path, "panel")
    assert not cache_of(tmp_path).exists()
    config["run"]["cache"] = True
    await run_cached(config, tmp_path, "keeps")
    kept = set(kept_in(cache_of(tmp_path)))
    before = await quick.stats()
    config["run"]["cache"] = False

    third = await run_cached(config, tmp_path, "third")

    assert len(kept) == 8
    assert (await since(quick, before))["requests"] == 8
    assert not any(record["cached"] for record in third.records)


async def test_what_was_learnt_of_a_refused_temperature_is_kept_with_the_reply(quick: Served, tmp_path: Path) -> None:
    """A reply that came without the refused temperature is found again, and the second run's report still says so."""
    config = choice(tmp_path, [spoken_by(quick.url, "strict", "fault:reject-temperature")])
    first = await run_cached(config, tmp_path)
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    assert before["requests"] == 5
    assert (await since(quick, before))["requests"] == 0
    assert "temperature not applicable" in (first.path / "leaderboard.md").read_text()
    assert provenance_of(second.path)["strict"]["not_applicable"] == ["temperature"]
    assert "temperature not applicable" in (second.path / "leaderboard.md").read_text()


# ------------------------------------------------------------------------------------------- what is not kept

NOT_KEPT = (
    "500",
    "400",
    "403-moderation",
    "hang",
    "reset",
    "refusal",
    "content-filter",
    "empty",
    "null",
    "length-empty",
    "garbage",
)


async def test_only_answers_are_kept(quick: Served, tmp_path: Path) -> None:
    """Failures, timeouts, refusals and empty replies are not kept: a second run asks them again, and the answers not."""
    models = [faulty(quick.url, what) for what in NOT_KEPT] + [spoken_by(quick.url, "fine", "sim-scholar")]
    config = choice(tmp_path, models, 2, run={"retries": 0, "timeout_s": 120.0, "stop_model_after": 0})
    first = await run_cached(config, tmp_path)
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    stats = await since(quick, before)
    check(second.path, stats)
    assert {record["status"] for record in first.records} >= {"ok", "timeout", "error"}
    kept = [strict_json(file.read_bytes()) for file in kept_in(cache_of(tmp_path)).values()]
    assert [record["model"] for record in kept] == ["fine", "fine"]
    again = [record["model"] for record in second.records if record["started_at"] and not record["cached"]]
    assert sorted(again) == sorted(2 * NOT_KEPT), "on file as asked; a request that hung may not have reached the server"
    assert Counter(visit["model"] for visit in stats["ids"]) >= Counter(f"fault:{what}" for what in again if what != "hang")
    assert answers_of(second.path) == answers_of(first.path)


async def test_an_answer_that_came_with_a_resume_is_kept(quick: Served, tmp_path: Path) -> None:
    """What failed is asked again by --failed; the answer that it brings then is there for the next run."""
    config = choice(
        tmp_path, [spoken_by(quick.url, "late", "fault:500:1")], 3, run={"retries": 0, "stop_model_after": 0, "max_calls": 20}
    )
    first = await run_cached(config, tmp_path)
    second = await resume_here(first.path, reopen_failed=True, cache=cache_of(tmp_path))
    before = await quick.stats()

    third = await run_cached(config, tmp_path, "third")

    assert (first.ended.exit_code, second.ended.exit_code, third.ended.exit_code) == (3, 0, 0)
    assert before["requests"] == 6
    assert (await since(quick, before))["requests"] == 0


async def test_a_later_life_is_answered_from_the_cache(quick: Served, tmp_path: Path) -> None:
    """What another run has learnt meanwhile is not asked again by a resume of one that failed there."""
    config = choice(
        tmp_path, [spoken_by(quick.url, "late", "fault:500:1")], 3, run={"retries": 0, "stop_model_after": 0, "max_calls": 20}
    )
    first = await run_cached(config, tmp_path)
    await run_cached(config, tmp_path, "other")
    before = await quick.stats()

    second = await resume_here(first.path, reopen_failed=True, cache=cache_of(tmp_path))

    assert (await since(quick, before))["requests"] == 0
    assert second.ended.exit_code == 0
    assert second.report["items"]["unfinished"] == 0


# ------------------------------------------------------------------------------------------- what is not trusted


def _changed(**fields: object) -> Callable[[bytes], bytes]:
    return lambda line: json.dumps({**json.loads(line), **fields}).encode() + b"\n"


def _without(name: str) -> Callable[[bytes], bytes]:
    return lambda line: json.dumps({key: value for key, value in json.loads(line).items() if key != name}).encode()


DEEP = b"[" * 100_000 + b"]" * 100_000
SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda line: b"",
    "half": lambda line: line[: len(line) // 2],
    "zeros": lambda line: b"\0" * len(line),
    "not UTF-8": lambda line: b"\xff\xfe" + line,
    "a list": lambda line: b"[" + line + b"]",
    "a number": lambda line: b"7",
    "nested without end": lambda line: DEEP,
    "nested in the body": lambda line: line.replace(b'"response_json": {', b'"response_json": {"x": ' + DEEP + b", ", 1),
    "a second line": lambda line: line + line,
    "another call's key": _changed(call_key="0" * 32),
    "no key": _without("call_key"),
    "an error": _changed(status="error", error_kind="transient"),
    "a timeout": _changed(status="timeout"),
    "an unknown status": _changed(status="okay"),
    "not final": _changed(final=False),
    "final in words": _changed(final="true"),
    "no text": _changed(response_text=None),
    "a text that is none": _changed(response_text=["B"]),
    "an empty text": _changed(response_text=""),
    "blank text": _changed(response_text=" \n "),
    "usage that is none": _changed(usage="plenty"),
    "tokens below zero": _changed(usage={"prompt_tokens": -4}),
    "an attempt of words": _changed(attempt="first"),
}
"""What may have become of a file: none of it is a reply to be trusted."""


async def test_a_spoilt_file_is_asked_anew(quick: Served, tmp_path: Path) -> None:
    """Whatever has become of a kept reply, it is asked anew, the run comes to the same answers, and the file is whole again."""
    config = _config(tmp_path, quick.url, questions=(len(SPOILT) + 3) // 2)
    first = await run_cached(config, tmp_path)
    spoilt = {}
    for (what, spoil), (key, file) in zip(SPOILT.items(), kept_in(cache_of(tmp_path)).items(), strict=False):
        file.write_bytes(spoil(file.read_bytes()))
        spoilt[key] = what
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")
    stats = await since(quick, before)
    third = await run_cached(config, tmp_path, "third")

    records = check(second.path, stats)
    trusted = [spoilt[record["call_key"]] for record in records if record["cached"] and record["call_key"] in spoilt]
    assert trusted == []
    assert second.ended.exit_code == 0
    assert stats["requests"] == len(SPOILT) == len(spoilt)
    assert answers_of(second.path) == answers_of(first.path)
    assert _all_cached(third)


ODD_VALUES: tuple[Any, ...] = (None, [], {}, -1, 1e300, True, "\ud800 x", "x" * 10_000)
"""What may stand in a field where something else should."""
WHOSE = ("stage", "item_id", "repeat", "doc_id", "q_index", "model", "model_id", "call_index", "about", "call_key")
"""Fields that say which call a record is of."""
WHEN = (
    "ended_at", "started_at", "latency_ms", "queue_ms", "ttft_ms", "ttft_visible_ms", "attempt",
    "attempt_id", "run_id", "batch_id",
)  # fmt: skip
COST = ("usage", "cost_source", "charged_usd")
HOW = ("status", "error_kind", "final", "http_status", "served_model", "cached", "simulated", "error_message")
BODY = ("request", "request_headers", "response_headers", "response_json", "response_body_b64")


def test_every_field_of_a_record_is_tried() -> None:
    """(The tests' own tables) but for the words themselves, where another sound value is another answer."""
    tried = {*WHOSE, *WHEN, *COST, *HOW, *BODY, "response_text", "reasoning_text", "finish_reason"}
    assert tried == {field.name for field in dataclasses.fields(Attempt)}


@pytest.mark.parametrize("names", quick_first([WHOSE, BODY, COST, HOW, ("simulated",), WHEN], 2), ids=lambda names: names[0])
async def test_no_field_of_a_kept_record_breaks_the_run(quick: Served, tmp_path: Path, names: tuple[str, ...]) -> None:
    """Whatever somebody wrote into whichever field of a kept record: the run ends well, with the same answers, and every record
    of its log is of the call that it stands for."""
    cases = [{name: value} for name in names for value in ODD_VALUES]
    config = choice(tmp_path, [spoken_by(quick.url, "only", "sim-scholar")], len(cases))
    first = await run_cached(config, tmp_path)
    for case, file in zip(cases, kept_in(cache_of(tmp_path)).values(), strict=True):
        file.write_bytes(_changed(**case)(file.read_bytes()))

    second = await run_cached(config, tmp_path, "second")

    assert (second.ended.exit_code, second.report["items"]["unfinished"]) == (0, 0)
    assert answers_of(second.path) == answers_of(first.path)
    whose = [{record["call_key"]: [record[name] for name in WHOSE] for record in life.records} for life in (first, second)]
    assert whose[0] == whose[1]


REWRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "keys in order": lambda line: json.dumps(json.loads(line), sort_keys=True).encode(),
    "indented": lambda line: json.dumps(json.loads(line), indent=2).encode(),
    "big fields first": lambda line: json.dumps(dict(reversed(json.loads(line).items()))).encode(),
    "a field more": lambda line: json.dumps({"comment": "mine", **json.loads(line)}).encode(),
    "a field more at the end": _changed(comment={"request": 1}),
    "NaN in the body": _changed(response_json={"score": float("nan")}),
    "infinity in the body": lambda line: line.replace(b'"response_json": {', b'"response_json": {"x": 1e999, ', 1),
    "a number without end": lambda line: line.replace(
        b'"response_json": {', b'"response_json": {"x": ' + b"9" * 5000 + b", ", 1
    ),
}
"""What a formatter or a stranger makes of a file; it may be used or asked anew, but what it said must not be lost."""


@pytest.mark.parametrize("what", REWRITTEN)
async def test_a_rewritten_file_loses_no_call(quick: Served, tmp_path: Path, what: str) -> None:
    """A kept reply that some tool wrote in another form is either used or asked anew; in the end no call is missing, and the
    run's own log can be read line by line."""
    config = _config(tmp_path, quick.url, questions=2)
    first = await run_cached(config, tmp_path)
    for file in kept_in(cache_of(tmp_path)).values():
        file.write_bytes(REWRITTEN[what](file.read_bytes()))
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    check(second.path, await since(quick, before))
    assert second.ended.exit_code == 0
    assert second.report["outcomes"] == {"ok": 4}
    assert answers_of(second.path) == answers_of(first.path)
    assert not [line for line in (await resume_here(second.path)).said if "cannot be read" in line]


def _linked_elsewhere(file: Path) -> None:
    shutil.copy(file, file.with_suffix(".else"))
    file.unlink()
    file.symlink_to(file.with_suffix(".else"))


def _linked_nowhere(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_suffix(".gone"))


def _linked_to_itself(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _folder_with_something(file: Path) -> None:
    _folder(file)
    (file / "something").write_text("x")


REPLACED = [_linked_elsewhere, _linked_nowhere, _linked_to_itself, _folder, _folder_with_something]


@pytest.mark.parametrize("replace", REPLACED)
async def test_what_is_no_file_is_asked_anew(quick: Served, tmp_path: Path, replace: Callable[[Path], None]) -> None:
    """A link or a folder in place of a kept reply is asked anew, and that call alone: the run ends as if nothing were wrong."""
    config = _config(tmp_path, quick.url)
    config["run"]["max_concurrency"] = 1
    first = await run_cached(config, tmp_path)
    key = first.records[0]["call_key"]
    replace(kept_in(cache_of(tmp_path))[key])
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    stats = await since(quick, before)
    check(second.path, stats)
    assert [record["call_key"] for record in second.records if not record["cached"]] == [key]
    assert stats["requests"] == 1
    assert second.ended.exit_code == 0
    assert answers_of(second.path) == answers_of(first.path)


def _endless(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _huge(file: Path) -> None:
    os.truncate(file, 16 * 2**30)


def _device(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("replace", quick_first([_huge, _device, _endless], 2))
def test_a_file_without_end_holds_nothing_up(
    nursery: Nursery, peers: MakePeer, tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    """A pipe, a file of 16 GiB or a device in place of a kept reply neither blocks the run nor eats the memory."""
    peer = peers(latency_scale=0)
    config = write_config(tmp_path, _config(tmp_path, peer.url, 2))
    assert nursery.run("--run", config, "--out", "first").code == 0
    replace(next(iter(kept_in(cache_of(tmp_path)).values())))

    memory = 3 * 2**30
    second = nursery.start("--run", config, "--out", "second", AS=(memory, memory))

    assert second.wait() == 0, second.stderr
    assert second.peak_mib < 500
    assert answers_of(tmp_path / "second") == answers_of(tmp_path / "first")
    assert peer.stats()["requests"] == 5


# ------------------------------------------------------------------------------------------- what cannot be written


def _no_cache(folder: Path) -> None:
    (folder / ".cache").write_text("no folder")


def _no_replies(folder: Path) -> None:
    (folder / ".cache").mkdir()
    (folder / ".cache" / "replies").write_text("no folder")


def _no_shards(folder: Path) -> None:
    cache_of(folder).mkdir(parents=True)
    for number in range(256):
        (cache_of(folder) / f"{number:02x}").write_text("no folder")


def _link_to_no_folder(folder: Path) -> None:
    (folder / ".cache").symlink_to("/dev/null")


@pytest.mark.parametrize("spoil", [_no_cache, _no_replies, _no_shards, _link_to_no_folder])
async def test_a_cache_that_cannot_be_written_costs_nothing(
    quick: Served, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """Where nothing can be kept, the run asks everything, ends with 0, and says once that nothing is kept."""
    spoil(tmp_path)

    life = await run_cached(_config(tmp_path, quick.url), tmp_path)

    check(life.path, await quick.stats())
    assert life.ended.exit_code == 0
    assert life.report["outcomes"] == {"ok": 8}
    assert len([line for line in life.said if "no longer kept" in line]) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB in place of the folder of kept replies, where this machine lets us."""
    place = cache_of(tmp_path)
    place.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


async def test_a_full_disk_below_the_cache_costs_nothing(quick: Served, tmp_path: Path, small_disk: Path) -> None:
    """When the cache's disk is full, the run goes on and says so once; what was kept before is whole and is used again."""
    config = _config(tmp_path, quick.url, questions=20)
    first = await run_cached(config, tmp_path)
    kept = kept_in(small_disk)
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    stats = await since(quick, before)
    assert 0 < len(kept) < 40
    assert (first.ended.exit_code, second.ended.exit_code) == (0, 0)
    for life in (first, second):
        assert len([line for line in life.said if "no longer kept" in line]) == 1
        check(life.path, before if life is first else stats)
    assert stats["requests"] == 40 - len(kept)
    assert not list(small_disk.rglob("*.tmp"))


async def test_a_cache_that_takes_nothing_more_still_answers(quick: Served, tmp_path: Path) -> None:
    """Where a new reply cannot be kept, those that are there are used all the same: nothing is paid twice for it."""
    only = spoken_by(quick.url, "only", "sim-scholar")
    known = [f"q{number}" for number in range(3, 20)]
    one = {"max_concurrency": 1}
    await run_cached(choice(tmp_path, [only], 20, filter={"ids": known}, run=one), tmp_path)
    taken = {key[:2] for key in kept_in(cache_of(tmp_path))}
    for number in range(256):
        if f"{number:02x}" not in taken:
            (cache_of(tmp_path) / f"{number:02x}").write_text("no folder")
    before = await quick.stats()

    second = await run_cached(choice(tmp_path, [only], 20, run=one), tmp_path, "second")

    stats = await since(quick, before)
    check(second.path, stats)
    assert len([line for line in second.said if "no longer kept" in line]) == 1
    assert second.ended.exit_code == 0
    assert stats["requests"] == 20 - len(known)


# ------------------------------------------------------------------------------------------- whose it is


def test_kept_replies_are_their_owners_under_any_umask(quick_peer: Peer, tmp_path: Path) -> None:
    """Whoever writes, with whatever umask: files 0600, folders 0700 down from .cache; and git does not see them."""
    before = os.umask(0)
    try:
        ReplyCache(cache_of(tmp_path)).put("0a" * 16, b"{}\n")
    finally:
        os.umask(before)

    modes = {found: stat.S_IMODE(found.stat().st_mode) for found in (tmp_path / ".cache", *(tmp_path / ".cache").rglob("*"))}
    wrong = {found.name: oct(mode) for found, mode in modes.items() if mode != (0o700 if found.is_dir() else 0o600)}
    assert wrong == {}
    assert "*" in (cache_of(tmp_path) / ".gitignore").read_text().split("\n")


@pytest.fixture
def quick_peer(peers: MakePeer) -> Peer:
    """A simulator in a thread of its own that answers at once."""
    return peers(latency_scale=0)


def test_the_command_keeps_them_private_and_out_of_git(nursery: Nursery, quick_peer: Peer, tmp_path: Path) -> None:
    """As the run command leaves it: private, ignored by git, one file a call at <two digits>/<key>.json."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    config = write_config(tmp_path, _config(tmp_path, quick_peer.url))
    assert nursery.run("--run", config, "--out", "run").code == 0

    for found in cache_of(tmp_path).rglob("*"):
        assert stat.S_IMODE(found.stat().st_mode) == (0o700 if found.is_dir() else 0o600), found
    for key, file in kept_in(cache_of(tmp_path)).items():
        assert file == cache_of(tmp_path) / key[:2] / f"{key}.json"
    seen = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True
    )
    assert ".cache" not in seen.stdout


async def test_a_key_is_in_no_kept_reply(quick: Served, tmp_path: Path, canary: str) -> None:
    """A server that repeats the key in its answer brings it into no byte of the cache, nor into a run answered from it."""
    config = choice(tmp_path, [spoken_by(quick.url, "echo", "fault:echo-key-200", api_key_env=canary)], 3)
    first = await run_cached(config, tmp_path)
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    check(second.path, await since(quick, before))
    assert len(kept_in(cache_of(tmp_path))) == 3
    for file in files_in(tmp_path / ".cache"):
        assert_no_secret(file.name.encode() + file.read_bytes())
    assert b"[redacted]" in (second.path / LOG).read_bytes()
    assert (await quick.stats())["requests"] == before["requests"] == 3
    assert answers_of(second.path) == answers_of(first.path)


async def test_a_key_in_escapes_is_in_no_kept_reply(tmp_path: Path, canary: str) -> None:
    """A server that repeats the key letter by letter in JSON escapes brings it into no byte of the cache either."""
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in CANARY).encode()
    body = as_bytes(completion("Answer: B, by KEY")).replace(b"KEY", escaped)
    async with answering({"echo": reply(body)}) as (server, url):
        config = choice(tmp_path, [spoken_by(url, "echo", "echo", api_key_env=canary)], 3)
        first = await run_cached(config, tmp_path)
        check(first.path, server.stats())

        second = await run_cached(config, tmp_path, "second")

        assert server.stats()["requests"] == 3
    for file in files_in(tmp_path):
        assert_no_secret(file.read_bytes())
    assert answers_of(second.path) == answers_of(first.path)


async def test_a_key_that_stands_in_an_old_reply_is_not_copied(
    quick: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kept reply that holds what is a key today is blotted out on its way into the run."""
    config = choice(tmp_path, [spoken_by(quick.url, "echo", "sim-scholar", api_key_env=CANARY_VARIABLE)], 1)
    monkeypatch.setenv(CANARY_VARIABLE, "another-key-of-some-length")
    await run_cached(config, tmp_path)
    for file in kept_in(cache_of(tmp_path)).values():
        file.write_bytes(_changed(response_text=f"{CANARY} Answer: B")(file.read_bytes()))
    monkeypatch.setenv(CANARY_VARIABLE, CANARY)
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    check(second.path, await since(quick, before))
    assert second.ended.exit_code == 0


# ------------------------------------------------------------------------------------------- two at once, and broken off


def test_two_runs_share_one_cache(nursery: Nursery, peers: MakePeer, tmp_path: Path) -> None:
    """Two runs of the same config at the same time: both end well with the same answers, every kept reply is whole, and a
    third run sends nothing."""
    peer = peers(latency_scale=0.02)
    config = write_config(tmp_path, _config(tmp_path, peer.url, 40))
    both = [nursery.start("--run", config, "--out", name) for name in ("one", "two")]

    codes = [child.wait() for child in both]

    before = peer.stats()["requests"]
    third = nursery.run("--run", config, "--out", "three")
    assert [*codes, third.code] == [0, 0, 0], [child.stderr for child in both]
    assert answers_of(tmp_path / "one") == answers_of(tmp_path / "two") == answers_of(tmp_path / "three")
    assert peer.stats()["requests"] == before <= 160
    for key, file in kept_in(cache_of(tmp_path)).items():
        assert strict_json(file.read_bytes())["call_key"] == key
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize("seed", quick_first([0, 1]))
def test_kills_leave_no_false_reply(nursery: Nursery, peers: MakePeer, tmp_path: Path, seed: int) -> None:
    """Killed four times and taken up again: at most what was in flight is asked again, the answers are those of a run that
    nobody disturbed, and a run after it asks no more than what a kill kept out of the cache."""
    peer, dice = peers(latency_scale=0.02), random.Random(seed)
    run = {"max_concurrency": 4}
    config = write_config(tmp_path, _config(tmp_path, peer.url, 40, run=run))
    child = nursery.start("--run", config, "--out", "run")
    for _ in range(4):
        until((tmp_path / "run" / LOG).exists)
        time.sleep(dice.uniform(0.05, 0.2))
        child.kill()
        peer.wait_for_silence()
        child = nursery.start("resume", "run")
    assert child.wait() == 0, child.stderr
    disturbed = peer.stats()
    check(tmp_path / "run", disturbed, kills=4)

    second = nursery.run("--run", config, "--out", "second")
    alone = nursery.run("--run", config, "--out", "alone", "--set", "run.cache=false")

    assert (second.code, alone.code) == (0, 0)
    assert disturbed["requests"] <= 80 + 4 * 4
    kept_late = peer.stats()["requests"] - disturbed["requests"] - 80
    assert 0 <= kept_late <= 4, "a kill between a record and its copy in the cache costs that one call"
    assert answers_of(tmp_path / "run") == answers_of(tmp_path / "second") == answers_of(tmp_path / "alone")


async def test_half_a_file_of_a_killed_run_is_nobodys_reply(quick: Served, tmp_path: Path) -> None:
    """What a killed process left half-written beside the kept replies is neither read nor in the way."""
    config = _config(tmp_path, quick.url, 1)
    first = await run_cached(config, tmp_path)
    for file in kept_in(cache_of(tmp_path)).values():
        file.with_name(temporary_name()).write_bytes(file.read_bytes()[:100])
        file.unlink()
    before = await quick.stats()

    second = await run_cached(config, tmp_path, "second")

    assert (await since(quick, before))["requests"] == 2
    assert answers_of(second.path) == answers_of(first.path)
    assert len(kept_in(cache_of(tmp_path))) == 2


# ------------------------------------------------------------------------------------------- what is said


async def test_another_rule_reads_stored_replies(quick: Served, tmp_path: Path) -> None:
    """rescore --set choice.extraction sends nothing and lists what changed."""
    config = choice(tmp_path, [spoken_by(quick.url, "rambler", "sim-rambler")], 12)
    first = await run_cached(config, tmp_path)
    before, answers = await quick.stats(), answers_of(first.path)

    _, _, out = rescoring.rescore(first.path, Workspace(tmp_path), ["choice.extraction=formationeval-v0.1"])

    assert (await quick.stats())["requests"] == before["requests"]
    changed = list(csv.DictReader((out / "changes.csv").read_text().splitlines()))
    assert bool(changed) == (answers_of(out) != answers)
    assert answers_of(first.path) == answers


async def test_simulated_replies_stay_simulated(quick: Served, tmp_path: Path) -> None:
    """A reply that was simulated when it came is called so in the run that it is used again by."""
    config = choice(tmp_path, [simulated_by(quick.url, "only", "sim-scholar")], 2)
    await run_cached(config, tmp_path)

    second = await run_cached(config, tmp_path, "second")

    assert all(record["simulated"] for record in second.records)
    assert second.report["simulated"] is True


def test_the_command_says_what_came_from_the_cache(nursery: Nursery, quick_peer: Peer, tmp_path: Path) -> None:
    """A person is told how many replies were not asked for, and how to ask anew."""
    config = write_config(tmp_path, _config(tmp_path, quick_peer.url))
    assert nursery.run("--run", config, "--out", "first").code == 0
    before = quick_peer.stats()["requests"]

    second = nursery.run("--run", config, "--out", "second")
    anew = nursery.run("--run", config, "--out", "third", "--set", "run.cache=false")

    assert (second.code, anew.code) == (0, 0)
    assert b"8 replies came from the cache" in second.stderr and b"8 replies came from the cache" in second.stdout
    assert b"cache" not in anew.stdout
    assert b"run.cache=false" in second.stderr
    assert quick_peer.stats()["requests"] == before + 8


async def test_no_cache_without_a_folder_for_it(quick: Served, tmp_path: Path) -> None:
    """A caller that names no place for kept replies gets a run without any, whatever the settings say."""
    life = await run_here(_config(tmp_path, quick.url), tmp_path)

    assert life.ended.exit_code == 0
    assert life.loaded.run.cache is True
    assert not cache_of(tmp_path).exists()


async def test_an_address_behind_a_variable_is_part_of_what_is_kept(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same config with the variable pointing elsewhere asks there: the replies of one server are not the other's."""
    models = [spoken_by("${ELSEWHERE}", "one", "bench")]
    monkeypatch.setenv("ELSEWHERE", served.url)
    await run_cached(choice(tmp_path, models), tmp_path, "first")
    again = await run_cached(choice(tmp_path, models), tmp_path, "again")
    async with serving() as other:
        monkeypatch.setenv("ELSEWHERE", other.url)
        await run_cached(choice(tmp_path, models), tmp_path, "other")
        asked_there = (await other.stats())["requests"]

    assert again.ended.progress.cached == 4
    assert asked_there == 4
    assert (await served.stats())["requests"] == 4
