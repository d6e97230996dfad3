"""Laws of reading a run folder: whole lines only, split at newlines only, and no bytes that make it fall over."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import attempt, call, few, run_folder

from tui_eval.configuring.log_pass import LogPass
from tui_eval.core.calls import Usage
from tui_eval.core.errors import FolderError
from tui_eval.runs import reader
from tui_eval.runs.folder import INTENTS, LOG, PROGRESS
from tui_eval.runs.ledger import Ledger, attempt_id
from tui_eval.runs.offsets import OffsetTable
from tui_eval.runs.reader import Recorded, RunReader, lines
from tui_eval.runs.record import head_of, line_of


def log_of(folder: Path, *written: bytes) -> RunReader:
    """A run folder with this log."""
    path = folder / "run"
    if not path.exists():
        run_folder(path)
    (path / LOG).write_bytes(b"".join(written))
    return RunReader(path)


def line(**changes: Any) -> bytes:
    """An attempt's line."""
    return line_of(attempt(**changes), '{"messages": []}').encode()


# ------------------------------------------------------------------------------------------------- lines

rows = st.lists(st.lists(st.sampled_from([b" ", b"\r", b"\t", b"\0", b"\xff", b"a"]), max_size=12).map(b"".join), max_size=8)


@few
@given(rows, st.data())
def test_lines_are_the_whole_lines_up_to_any_cut(tmp_path: Path, content: list[bytes], data: st.DataObject) -> None:
    """Cut anywhere and read in pieces of any size, a file has the lines that are whole, each at its own offset."""
    whole = b"".join(row + b"\n" for row in content)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    path = tmp_path / "log"
    path.write_bytes(cut)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "CHUNK", data.draw(st.integers(1, 9)))
        found = list(lines(path))

    assert [text for _, text in found] == cut.split(b"\n")[:-1]
    assert all(cut[offset : offset + len(text) + 1] == text + b"\n" for offset, text in found)
    for index, (offset, _) in enumerate(found):
        assert list(lines(path, offset)) == found[index:]


def test_a_missing_file_has_no_lines(tmp_path: Path) -> None:
    """A run that has not begun has no log yet."""
    assert list(lines(tmp_path / "nothing")) == []


def test_every_cut_of_a_log_reads_as_its_whole_records(tmp_path: Path) -> None:
    """Torn at any byte of its last record, a log still gives every record before, and nothing else."""
    first, last = line(attempt_id="a-000001"), line(attempt_id="a-000002", response_text="\u2028\ud83d\x00")
    log = log_of(tmp_path, first, last)
    found = []
    for end in range(len(last), -1, -1):
        os.truncate(log.path / LOG, len(first) + end)
        found.append([head["attempt_id"] for _, head in log.heads()])

    assert found == [["a-000001", "a-000002"]] + [["a-000001"]] * len(last)


# ------------------------------------------------------------------------------------------------- a damaged log

DEEP = b"[" * 5000 + b"]" * 5000
ODD = {
    "empty": b"",
    "NULs": b"\x00" * 50,
    "not UTF-8": b"\xff\xfe",
    "text": b'"abc"',
    "number": b"3",
    "list": b"[1, 2]",
    "null": b"null",
    "list of pairs": b"[[1, 2]]",
    "half a record": line()[:400].rstrip(b"\n"),
    "two records glued": line().rstrip(b"\n") + line().rstrip(b"\n"),
    "a record with a torn end": line()[:-40],
    "another object": b'{"x": 1, "request": null}',
    "deep": DEEP,
    "deep in its head": b'{"x": ' + DEEP + b', "request": null}',
    "deep behind its head": line().replace(b'{"choices": []}', DEEP).rstrip(b"\n"),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_a_bad_line_is_named_and_costs_no_other(tmp_path: Path, odd: bytes) -> None:
    """Whatever stands between two records, both are read, the line between is told by number, and nothing raises."""
    log = log_of(tmp_path, line(attempt_id="a-000001"), odd + b"\n", line(attempt_id="a-000002"))

    ids = [record["attempt_id"] for record in log.records() if record.get("attempt_id") in ("a-000001", "a-000002")]

    assert ids == ["a-000001", "a-000002"]
    assert [head["attempt_id"] for _, head in log.heads() if head["attempt_id"][:2] == "a-"] == ids
    assert log.damaged() == [2]


@pytest.mark.parametrize("odd", [b"3", b"[1]", b"{", b"\xff", b"null", DEEP])
def test_a_bad_intent_costs_no_other(tmp_path: Path, odd: bytes) -> None:
    """Intents are read like the log: a line that is none is left out."""
    log = log_of(tmp_path)
    (log.path / INTENTS).write_bytes(b'{"attempt_id": "a-000001"}\n' + odd + b'\n{"attempt_id": "a-000002"}\n')

    assert [intent["attempt_id"] for intent in log.intents()] == ["a-000001", "a-000002"]


@few
@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([b'{"attempt_id": "a-%06d"}', b'{"x": 1, "attempt_id": "a-%06d"}']))),
    st.sets(st.integers(0, 5)),
)
def test_intents_that_have_ended_may_be_passed_over(tmp_path: Path, begun: list[tuple[int, bytes]], ended: set[int]) -> None:
    """In doubt is what began and did not end, whether or not the others are read, in whatever form they are written."""
    log = log_of(tmp_path)
    (log.path / INTENTS).write_bytes(b"".join(form % number + b"\n" for number, form in begun))
    ledgers = [Ledger(), Ledger()]
    for ledger in ledgers:
        for number in ended:
            ledger.end(head_of(line(attempt_id=attempt_id("a", number))))

    ledgers[0].begin(log.intents())
    ledgers[1].begin(log.intents(ledgers[1].has_ended))

    expected = [attempt_id("a", number) for number, _ in begun if number not in ended]
    assert [intent["attempt_id"] for intent in ledgers[0].in_doubt] == expected
    assert ledgers[0] == ledgers[1]


@few
@given(st.lists(st.sampled_from([None, *ODD.values()]), max_size=8))
def test_one_pass_to_the_end_finds_what_two_readers_find(tmp_path: Path, kinds: list[bytes | None]) -> None:
    """Heads that can be read count, even of lines that are damaged behind them; and every damaged line is told."""
    content = [line(attempt_id=attempt_id("a", n)) if odd is None else odd + b"\n" for n, odd in enumerate(kinds)]
    log, heads = log_of(tmp_path, *content), list[str]()
    gone_through = LogPass(log.path, 1)

    gone_through.read_on(lambda head: heads.append(head["attempt_id"]), to_the_end=True)
    gone_through.recorded.close()

    assert heads == [head["attempt_id"] for _, head in log.heads()]
    assert gone_through.damaged == log.damaged()


@few
@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path: Path, content: bytes) -> None:
    """Any bytes at all are a log with some records, or with none."""
    log = log_of(tmp_path, content)

    found = [len(list(log.heads())), len(list(log.records())), len(log.damaged())]

    assert max(found) <= content.count(b"\n")


@pytest.mark.parametrize("content", [None, b"", b'{"state"', b"\xff", b"[]", b"3", b'{"state": "running"}'])
def test_half_a_progress_file_is_no_progress(tmp_path: Path, content: bytes | None) -> None:
    """Missing, torn or of another shape: an empty progress, never a crash."""
    log = log_of(tmp_path)
    if content is not None:
        (log.path / PROGRESS).write_bytes(content)

    assert log.progress() == ({"state": "running"} if content == b'{"state": "running"}' else {})


def test_a_folder_without_a_config_is_no_run(tmp_path: Path) -> None:
    """Any other folder is refused by name, with the way to find the runs there are."""
    with pytest.raises(FolderError, match="not a run folder"):
        RunReader(tmp_path)


# ------------------------------------------------------------------------------------------------- what is recorded

KEYS = [f"{number:016x}" * 2 for number in (1, 2, 1025, 1 << 60)]
steps = st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=12)


@few
@given(steps)
def test_the_last_final_attempt_of_a_call_counts(tmp_path: Path, written: list[tuple[str, bool]]) -> None:
    """Of a call's attempts the last that settled it wins, else the last of all; a call without any has no reply."""
    log = log_of(tmp_path, *(line(call_key=key, final=final, attempt=n) for n, (key, final) in enumerate(written)))
    with Recorded(log.path) as recorded:
        for offset, head in log.heads():
            recorded.add(head, offset)
        replies = {key: recorded.reply(key, call()) for key in KEYS}

    numbers = {key: None if reply is None else reply.attempts - 1 for key, reply in replies.items()}
    counts = {key: max(((final, n) for n, (k, final) in enumerate(written) if k == key), default=(None, None)) for key in KEYS}
    assert numbers == {key: n for key, (_, n) in counts.items()}


@few
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.booleans(), st.sampled_from([None, 0.25, 1.0])), max_size=12))
def test_a_reply_says_what_all_attempts_of_its_call_cost(tmp_path: Path, written: list[tuple[str, bool, float | None]]) -> None:
    """Whichever of them counts, and where nobody knows the cost of one."""
    usages = [Usage(cost_usd=usd) for _, _, usd in written]
    attempts = zip(written, usages, strict=True)
    log = log_of(tmp_path, *(line(call_key=key, final=final, usage=used) for (key, final, _), used in attempts))
    with Recorded(log.path) as recorded:
        for offset, head in log.heads():
            recorded.add(head, offset)
        replies = {key: recorded.reply(key, call()) for key in KEYS}

    for key, reply in replies.items():
        known = [usd for name, _, usd in written if name == key]
        costs = [usd for usd in known if usd is not None]
        assert (reply is None) == (not known)
        assert reply is None or reply.paid == (sum(costs), len(costs), len(known) - len(costs))


def test_a_key_that_only_begins_like_another_has_no_record(tmp_path: Path) -> None:
    """The index knows a prefix, the record the whole key: an answer is never another call's."""
    key, alike = "ab" * 16, "ab" * 8 + "cd" * 8
    log = log_of(tmp_path, line(call_key=key))
    with Recorded(log.path) as recorded:
        for offset, head in log.heads():
            recorded.add(head, offset)

        found = [recorded.record(key), recorded.record(alike)]

    assert found[0] is not None and found[0]["call_key"] == key
    assert found[1] is None


def test_a_record_of_any_length_is_found_whole(tmp_path: Path) -> None:
    """Records longer than a piece that is read at once come back whole."""
    texts = ["", "x" * 16_000, "y" * 40_000, "\u2028" * 5000]
    log = log_of(tmp_path, *(line(call_key=KEYS[n], response_text=text) for n, text in enumerate(texts)))
    with Recorded(log.path) as recorded:
        for offset, head in log.heads():
            recorded.add(head, offset)

        found = [(recorded.record(KEYS[n]) or {})["response_text"] for n in range(len(texts))]

    assert found == texts


@pytest.mark.parametrize("bad", [line(call_key=KEYS[0])[:-40], line(call_key=KEYS[0])[:-1] * 2, ODD["deep behind its head"]])
def test_a_damaged_record_is_no_reply_and_no_crash(tmp_path: Path, bad: bytes) -> None:
    """A call whose last record cannot be read is as if that record were not there."""
    log = log_of(tmp_path, line(call_key=KEYS[0]), bad.replace(b"0123456789abcdef" * 2, KEYS[0].encode()) + b"\n")
    with Recorded(log.path) as recorded:
        for offset, head in log.heads():
            recorded.add(head, offset)

        found = recorded.record(KEYS[0])

    assert found is None or found["call_key"] == KEYS[0]


def test_without_a_log_nothing_is_recorded(tmp_path: Path) -> None:
    """A run that was only prepared has no replies."""
    with Recorded(run_folder(tmp_path / "run")) as recorded:
        assert recorded.reply(KEYS[0], call()) is None


# ------------------------------------------------------------------------------------------------- the index

prefixes = st.integers(1, 6) | st.integers(1, 40).map(lambda n: n * 1024) | st.integers(1, 2**64 - 1)


@few
@given(st.lists(st.tuples(prefixes, st.integers(0, 2**40)), max_size=60), st.lists(prefixes, max_size=20))
def test_the_offset_table_is_a_dictionary(written: list[tuple[int, int]], asked: list[int]) -> None:
    """The last offset set for a key is the one that is got, however many keys share a place."""
    table, expected = OffsetTable(), {}
    for prefix, offset in written:
        table.set(f"{prefix:016x}" + "0" * 16, offset)
        expected[prefix] = offset

    found = {prefix: table.get(f"{prefix:016x}" + "f" * 16) for prefix in [*expected, *asked]}

    assert found == {prefix: expected.get(prefix) for prefix in found}
    assert len(table) == len(expected)


def test_the_offset_table_grows() -> None:
    """Tens of thousands of calls, set twice, are all found, with the later offset."""
    table = OffsetTable()
    keys = [f"{n * 0x9E3779B97F4A7C15 % 2**64:016x}" for n in range(1, 20_001)]
    for round_ in (0, 1):
        for n, key in enumerate(keys):
            table.set(key, 2 * n + round_)

    assert [table.get(key) for key in keys] == [2 * n + 1 for n in range(len(keys))]
    assert len(table) == len(keys)
    assert table.get("f" * 16) is None


# ------------------------------------------------------------------------------------------------- the ledger

attempts = st.lists(
    st.tuples(st.sampled_from(["20260101-1a2b", "20260102-3c4d"]), st.integers(1, 30)), unique=True, max_size=20
)


@few
@given(attempts, st.data())
def test_the_ledger_charges_what_ended_and_what_is_in_doubt(begun: list[tuple[str, int]], data: st.DataObject) -> None:
    """Over all lives of a run: every attempt counts once, at its cost if it ended, at its worst case if nobody knows."""
    ended = data.draw(st.lists(st.sampled_from(begun), unique=True)) if begun else []
    costs = {key: data.draw(st.sampled_from([None, 0.0, 0.25])) for key in ended}
    ledger = Ledger()
    for (life, number), cost in costs.items():
        head = {"attempt_id": attempt_id(life, number), "model": "m", "started_at": "now", "cached": False}
        ledger.end({**head, "charged_usd": cost})

    ledger.begin({"attempt_id": attempt_id(life, number), "worst_usd": 0.5} for life, number in begun)

    lost = len(begun) - len(ended)
    assert (ledger.in_doubt_usd, ledger.in_doubt_unknown) == (0.5 * lost if lost else None, 0)
    assert ledger.calls == len(begun)
    assert [intent["attempt_id"] for intent in ledger.in_doubt] == [attempt_id(*key) for key in begun if key not in ended]
    assert ledger.spent == sum(round(1e6 * (cost or 0)) for cost in costs.values()) + 500_000 * (len(begun) - len(ended))


def test_nobody_is_paid_for_what_a_simulated_model_had_in_flight() -> None:
    """A model that answered as a simulated one before is one, whatever became of the call; who never answered may be real."""
    ledger, end = Ledger(), {"charged_usd": 0.25, "started_at": "now", "cached": False}
    ledger.end({**end, "attempt_id": "life-000001", "model": "sim", "simulated": True})
    ledger.end({**end, "attempt_id": "life-000002", "model": "real", "simulated": False})

    begun = {3: "sim", 4: "real", 5: "unheard"}
    ledger.begin({"attempt_id": attempt_id("life", n), "model": model, "worst_usd": 0.5} for n, model in begun.items())

    assert (ledger.spent, ledger.simulated) == (2_000_000, 750_000)


@pytest.mark.parametrize(("started_at", "cached", "calls"), [(None, False, 0), ("now", True, 0), ("now", False, 1)])
def test_what_was_sent_counts_even_if_its_intent_is_lost(started_at: str | None, cached: bool, calls: int) -> None:
    """A record of an attempt that was sent is a call, intent or no intent; one that was never sent, or copied, is none."""
    ledger = Ledger()
    head = {"attempt_id": "life-000007", "model": "m", "charged_usd": None}
    ledger.end({**head, "started_at": started_at, "cached": cached})

    ledger.begin([])

    assert (ledger.calls, ledger.spent, ledger.in_doubt) == (calls, 0, [])


def test_an_attempts_name_can_be_taken_apart() -> None:
    """Life and number are in the name, and JSON keeps it."""
    name = attempt_id("20260101-1a2b", 7)

    assert json.loads(json.dumps(name)).rpartition("-") == ("20260101-1a2b", "-", "000007")
