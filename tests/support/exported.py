"""Runs as exporters are told of them, made by hand, and their files read as strictly as the programs that take them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from junitparser import JUnitXml, TestCase, TestSuite

from tui_eval.results.exporting import EXPORTERS
from tui_eval.results.exporting.exported_run import ExportedRun
from tui_eval.results.stored_samples import parse_sample

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal acts on, and halves of characters."""
FORMULA = re.compile(r"^[\s\u200b-\u200f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
HOSTILE = (
    "=HYPERLINK(1)", "+1", "@x", "]]> & <b>\"quoted\"</b>", "\x1b[2J\x00\x07 \x9b31m", "\ud800 half", "\u202ereversed\u200f",
    "\ufffe\uffff", "two\r\nlines\rand | a pipe", "# heading\n```\nfence", "\n\t=1", "",
)  # fmt: skip


def exported_run(*lines: Mapping[str, Any], **changes: Any) -> ExportedRun:
    """A finished run of these lines of results.jsonl."""
    items = [item for line in lines if (item := parse_sample(json.dumps(line).encode())) is not None]
    told: dict[str, Any] = {
        "run_id": "20260101_000000_0000_wells", "name": "wells", "kind": "choice", "state": "done", "simulated": False,
        "started_at": "2026-01-01T00:00:00Z", "report": {}, "notes": (), "cost_usd": 0.5, "cost_unknown": 0,
        "models": frozenset(mark.model for item in items for mark in item.marks),
        "measures": frozenset(mark.name for item in items for mark in item.marks),
        "samples": len(items), "items": lambda: iter(items),
    }  # fmt: skip
    return ExportedRun(**{**told, **changes})


def written(name: str, *runs: ExportedRun) -> str:
    """The whole file."""
    return "".join(EXPORTERS[name].write(runs))


def read_csv(text: str) -> list[dict[str, str]]:
    """Its rows; no cell would be run by a spreadsheet, and none steers a terminal."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    for cell in (cell for row in rows for cell in row):
        assert not STEERING.search(cell)
        assert re.fullmatch(r"-?[0-9.e+-]+", cell) or not FORMULA.match(cell), cell
    assert all(len(row) == len(rows[0]) for row in rows)
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def read_json(text: str) -> Any:
    """A value of strict JSON: no NaN, no half of a character, nothing that steers a terminal."""
    assert not STEERING.search(text)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    found = json.loads(text, parse_constant=refuse)
    json.dumps(found, ensure_ascii=False).encode()
    return found


def read_lines(text: str) -> list[Any]:
    """The values of JSON lines."""
    assert text == "" or text.endswith("\n")
    return [read_json(line) for line in text.split("\n")[:-1]]


def read_junit(text: str) -> list[TestSuite]:
    """Its suites; their counts are those of their cases, as is the file's, and no case is called like another."""
    assert not STEERING.search(text)
    found = JUnitXml.fromstring(text.encode())
    suites = list(found)
    for suite in suites:
        cases = list(suite)
        kinds = [type(result).__name__ for case in cases for result in case.result]
        assert (suite.tests, suite.failures) == (len(cases), kinds.count("Failure"))
        assert (suite.errors, suite.skipped) == (kinds.count("Error"), kinds.count("Skipped"))
        assert abs(suite.time - sum(case.time or 0 for case in cases)) < 1e-6
        assert len({(case.classname, case.name) for case in cases}) == len(cases)
    assert len({suite.name for suite in suites}) == len(suites)
    assert (found.tests, found.failures) == (sum(s.tests for s in suites), sum(s.failures for s in suites))
    assert (found.errors, found.skipped) == (sum(s.errors for s in suites), sum(s.skipped for s in suites))
    return suites


def outcome(case: TestCase) -> tuple[str, str]:
    """How a case ended, and what is said of it."""
    return (type(case.result[0]).__name__.lower(), case.result[0].message or "") if case.result else ("passed", "")


def read_markdown(text: str) -> str:
    """The text; no tag and no fence of a model's stands in it, every row of a table has as many cells as its head."""
    assert not STEERING.search(text) and not re.search(r"(?<!\\)(<|```)", text)
    width = 0
    for line in text.split("\n"):
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not (width and cells) or cells == width, line
        width = cells
    return text


READ: Mapping[str, Callable[[str], Any]] = {
    "csv": read_csv,
    "json": read_json,
    "jsonl": read_lines,
    "junit": read_junit,
    "gates": read_junit,
    "md": read_markdown,
}


def reader_of(name: str) -> Callable[[str], Any]:
    """Return the strict reader of a format. LookupError for one without: what to add."""
    if name not in READ:
        raise LookupError(
            f"give READ in tests/support/exported.py a strict reader of {name!r}: "
            "a function that takes the file's text, fails where it breaks the format, and returns what it holds"
        )
    return READ[name]


def line(
    number: int = 0,
    model: str = "mini",
    values: Sequence[float | None] = (1,),
    metrics: Sequence[str] = ("correct",),
    **more: Any,
) -> dict[str, Any]:
    """A sample with one reply that took 250 ms, and a score for each value."""
    owner = {"stage": "answer", "model": model, "call_index": 0}
    reply = {**owner, "status": "ok", "why": "", "finish_reason": "stop", "latency_ms": 250, "text": "It is B."}
    scores = [{**owner, "name": name, "value": value, "read": "B"} for name, value in zip(metrics, values, strict=True)]
    return {
        "item_id": f"{model}/q{number}", "repeat": 0, "lane": model, "doc_id": f"q{number}", "q_index": number,
        "finished": True, "error": "", "question": f"What is {number}?", "truth": "B", "groups": {"level": ["easy"]},
        "primary": [0], "replies": [reply], "scores": scores, **more,
    }  # fmt: skip
