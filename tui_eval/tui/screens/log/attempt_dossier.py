"""An attempt of the log as an inspector shows it, with its target, its score, other models and its call's other attempts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.results.stored_samples import Owner, StoredSample, owner_of
from tui_eval.tui.open_run import OpenedRun
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.log.record_text import Record, details, headline, record_sections
from tui_eval.tui.screens.result.sample_dossier import SampleDossiers
from tui_eval.tui.screens.result.sample_text import score_sections
from tui_eval.tui.states import attempt_status
from tui_eval.tui.widgets.inspector import Dossier, Section, section
from tui_eval.tui.words import count, seconds

MOST_ATTEMPTS = 50
"""Attempts of a call that are listed."""


def attempt_dossier(opened: OpenedRun, samples: SampleDossiers, row: int, whole: bool, where: str) -> Dossier:
    """Say of an attempt what the log and the results have."""
    record = opened.index.record(row)
    if record is None:
        raw = safe(opened.index.raw(row, LONGEST_TEXT).decode("utf-8", "replace"))
        damaged = Section("WHY", "this line of the log is no attempt; w writes it to a file", "warn")
        return Dossier(
            (attempt_status("damaged", None), (f"  {where}", "dim")),
            (damaged, Section("LINE", raw)),
            name=f"line-{row + 1}",
        )
    found = _sample(samples, record)
    sample, sample_row = found if found is not None else (None, 0)
    marks = [] if sample is None else [mark for mark in sample.marks if owner_of(mark) == owner_of_record(record)]
    replies = [reply for reply in (sample.answers if sample is not None else ()) if owner_of(reply) == owner_of_record(record)]
    is_scored = any(reply.text == record.get("response_text") for reply in replies)
    scored = section("TRUTH", sample.truth, whole) if sample is not None and sample.truth is not None else []
    scored += score_sections(marks) if is_scored else []
    read = next((mark for mark in marks if mark.read), None) if is_scored else None
    calls = opened.index.same_call(row)
    beside = [] if sample is None else samples.beside(sample_row, owner_of_record(record))
    beside = [*beside, *_attempts(opened, row, calls), *details(record, whole)]
    name = f"attempt-{safe_line(record.get('attempt_id', row), 60)}"
    return Dossier(
        headline(record, where),
        (*_outcome(opened, row, calls), *record_sections(record, whole, scored, read)),
        tuple(beside),
        name,
        is_simulated=record.get("simulated") is True,
    )


def row_of_sample(samples: SampleDossiers, record: Record) -> int | None:
    """Return the row of an attempt's sample in results.jsonl; None where it is not there."""
    item, repeat = record.get("item_id"), record.get("repeat")
    return samples.questions.row_of(item, repeat) if isinstance(item, str) and isinstance(repeat, int) else None


def _sample(samples: SampleDossiers, record: Record) -> tuple[StoredSample, int] | None:
    row = row_of_sample(samples, record)
    sample = None if row is None else samples.stored.sample(row)
    return None if sample is None or row is None else (sample, row)


def owner_of_record(record: Record) -> Owner:
    """Return whose the reply of an attempt is."""
    call = record.get("call_index")
    return str(record.get("stage")), str(record.get("model")), call if isinstance(call, int) else 0


def _outcome(opened: OpenedRun, row: int, calls: Sequence[int]) -> list[Section]:
    """Say of a failed attempt that its call was answered after all; `calls`: the rows of the call's attempts."""
    heads = [
        head for each in calls if opened.index.failed(row) and each > row and (head := opened.index.head(each)) is not None
    ]
    answer = next((head for head in heads if head["status"] == "ok"), None)
    return [] if answer is None else [Section("RETRIED", f"the call was answered at attempt {answer['attempt'] + 1}", "good")]


def _attempts(opened: OpenedRun, row: int, rows: Sequence[int]) -> Iterator[Section]:
    """Yield the attempts of the call (`rows`), where there are several: how each ended."""
    if len(rows) < 2:
        return
    for place, each in enumerate(rows[:MOST_ATTEMPTS]):
        head = opened.index.head(each)
        if head is not None:
            (text, tone), pointer = attempt_status(head["status"], head["error_kind"]), "›" if each == row else " "
            message = safe_line(head["error_message"], 120) if head["error_message"] else ""
            words = f"{pointer} {head['attempt'] + 1}  {text:<10} {seconds(head['latency_ms'])} s  {message}"
            yield Section("" if place else "ATTEMPTS", words.rstrip(), tone)
    if len(rows) > MOST_ATTEMPTS:
        yield Section("", f"and {count(len(rows) - MOST_ATTEMPTS)} more", "dim")
