"""Own scorers: the rows of a config, the values on their scale, and the child process, whatever the code in it does."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from tui_eval.core.calls import Call, Json, ModelSpec
from tui_eval.evaluation.scoring.own_code.code_jobs import CodeJob
from tui_eval.evaluation.scoring.own_code.code_scores import NOT_SCORED, CodeScores
from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
from tui_eval.evaluation.scoring.scorer_table import row_of, rule_of
from tui_eval.reporting.own_code.process_usage import usage_of
from tui_eval.reporting.own_code.scorer_process import CodeLimits, ScorerProcess

CODE = """
import os, sys, time

def score(reply, sample):
    return globals()[reply]()

def right(): return True
def raises(): return 1 / 0
def leaves(): sys.exit(3)
def dies(): os._exit(3)
def aborts(): os.abort()
def hangs(): time.sleep(600)
def spins():
    while True: pass
def forks():
    os.fork(); os.fork()
    return True
def leaves_a_child():
    if os.fork() == 0:
        time.sleep(600)
    return True
def forks_without_end():
    while True:
        if os.fork() == 0: time.sleep(600)
def floods():
    for _ in range(100): print("x" * 100_000); sys.stderr.write("y" * 100_000)
    return True
def eats():
    held = []
    while True: held.append(b"x" * 20_000_000)
def reserves(): return len(bytearray(1 << 45)) > 0
def nan(): return float("nan")
def infinite(): return {"a": float("inf"), "b": 1}
def nothing(): return None
def word(): return "good"
def numpys():
    class float32:
        def item(self): return 0.5
    return float32()
def missing(): import no_such_module_anywhere
def sets_a_handler():
    class Bad(Exception):
        def __str__(self): raise RuntimeError("no words")
    raise Bad
def keys(): return sum("KEY" in name or "TOKEN" in name for name in os.environ)
def depth(): return depth()
def leaves_a_group():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(600)
        time.sleep(600)
    return True
"""
CALL = Call("answer", "q", "m", ())
TIGHT = CodeLimits(seconds=1.0, memory=300 << 20, processes=16, in_a_row=100, in_all=100)


def job(reply: str) -> CodeJob:
    """A reply to be scored."""
    return CodeJob(CALL, "q", json.dumps({"reply": reply, "sample": {"id": "q"}}))


def results(folder: Path, replies: Iterable[str], limits: CodeLimits = TIGHT) -> tuple[list[Mapping[str, Json]], str]:
    """The results of some replies, and why no other was tried."""
    (folder / "scorers.py").write_text(CODE, encoding="utf-8")
    with ScorerProcess(str(folder), "scorers.py", "score", limits) as process:
        process.start_up()
        return [result for _, result in process.score(map(job, replies))], process.stopped


WRONG = {
    "raises": "ZeroDivisionError: division by zero (scorers.py, line 8)",
    "leaves": "SystemExit: 3 (scorers.py, line 9)",
    "dies": "ended the process of the scorer",
    "aborts": "crashed the process of the scorer (SIGABRT)",
    "hangs": "took longer than 1 s",
    "spins": "took longer than 1 s",
    "forks_without_end": "started more than 16 processes",
    "eats": "needed more than 300 MB",
    "reserves": "MemoryError (scorers.py, line 31)",
    "nan": "returned nan, which is no number",
    "nothing": "returned None, which is no bool, no number and no dict of these",
    "word": "returned a value of type str, which is no bool, no number and no dict of these",
    "missing": "ModuleNotFoundError: No module named 'no_such_module_anywhere' (scorers.py, line 40)",
    "depth": "RecursionError: maximum recursion depth exceeded (scorers.py, line 46)",
    "no_such_name": "KeyError: 'no_such_name' (scorers.py, line 5)",
}


@pytest.mark.parametrize("reply", WRONG)
def test_what_goes_wrong_costs_its_sample_alone(reply: str, tmp_path: Path) -> None:
    """It has a reason, no value, within its limits of time; those before and after it have their values."""
    began = time.monotonic()

    limits = TIGHT if reply in ("hangs", "spins") else replace(TIGHT, seconds=50)
    before, wrong, after = results(tmp_path, ["right", reply, "right"], limits)[0]

    assert before == after == {"value": True}
    assert wrong.get("why") == WRONG[reply] and "value" not in wrong
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("reply", "value"),
    [("forks", True), ("leaves_a_child", True), ("floods", True), ("numpys", 0.5), ("keys", 0.0)],
)
def test_what_is_odd_and_not_wrong(reply: str, value: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of the process answer nothing, what it prints is no result, and it is told no key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("HF_TOKEN", "hf_canary")

    assert results(tmp_path, ["right", reply, "right"])[0] == [{"value": True}, {"value": value}, {"value": True}]


def test_a_reason_stands_in_a_dict_too(tmp_path: Path) -> None:
    """One entry that is no number costs the others nothing."""
    assert results(tmp_path, ["infinite"])[0] == [{"value": {"a": "returned inf, which is no number", "b": 1.0}}]


def test_an_error_without_words_has_its_name(tmp_path: Path) -> None:
    """What cannot be printed is told by its type."""
    assert results(tmp_path, ["sets_a_handler"])[0] == [{"why": "Bad (scorers.py, line 44)"}]


def test_three_limits_in_a_row_stop_it(tmp_path: Path) -> None:
    """The rest is not tried, and the reason is told; one that is right begins the count anew."""
    limits = CodeLimits(seconds=0.3)

    first, stopped = results(tmp_path, ["hangs", "hangs", "right", "hangs", "hangs", "hangs", "right"], limits)

    assert [each.get("value") for each in first] == [None, None, True, None, None, None]
    assert stopped == "stopped after 3 samples in a row, of which the last took longer than 0.3 s"


def test_its_group_ends_with_it(tmp_path: Path) -> None:
    """Whatever it has started is gone when it is closed, in another group, too."""
    (tmp_path / "scorers.py").write_text(CODE, encoding="utf-8")
    with ScorerProcess(str(tmp_path), "scorers.py", "score", TIGHT) as process:
        process.start_up()
        replies = ["leaves_a_child"] * 3 + ["leaves_a_group"]
        assert [result for _, result in process.score(map(job, replies))] == [{"value": True}] * 4
        group = process._running().pid
        until(lambda: len(usage_of(group).processes) == 6)
        numbers = usage_of(group).processes

    until(lambda: not any(Path(f"/proc/{number}/stat").exists() for number in numbers))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module_anywhere", "scorers.py: cannot be imported: ModuleNotFoundError: No module named"),
        ("def score(reply sample): pass", "scorers.py: cannot be imported: SyntaxError: "),
        ("raise SystemExit(0)", "scorers.py: cannot be imported: SystemExit: 0 (scorers.py, line 1)"),
        ("x = 1", "scorers.py: cannot be imported: AttributeError: there is no function 'score' in scorers.py"),
        ("import time; time.sleep(600)", "scorers.py: took longer than 1 s"),
        ("import os; os._exit(1)", "scorers.py: ended the process of the scorer"),
        (None, "scorers.py: cannot be imported: FileNotFoundError: there is no scorers.py in "),
    ],
)
def test_what_cannot_be_imported_says_why(code: str | None, reason: str, tmp_path: Path) -> None:
    """Nothing is scored, then."""
    if code is not None:
        (tmp_path / "scorers.py").write_text(code, encoding="utf-8")
    with ScorerProcess(str(tmp_path), "scorers.py", "score", CodeLimits(start_seconds=1.0)) as process:
        process.start_up()

        assert process.stopped.startswith(reason) and not list(process.score([job("right")]))


def test_the_files_of_the_folder_are_told(tmp_path: Path) -> None:
    """Those that it imports, at once or later, and no others; nothing is written beside them."""
    (tmp_path / "scorers.py").write_text(
        "import json, helper\ndef score(reply, sample):\n    import late\n    return True\n", encoding="utf-8"
    )
    for name in ("helper", "late", "unused"):
        (tmp_path / f"{name}.py").write_text("x = 1\n", encoding="utf-8")
    with ScorerProcess(str(tmp_path), "scorers.py", "score") as process:
        process.start_up()
        assert process.files.keys() == {"helper.py", "scorers.py"}
        list(process.score([job("a")]))
        assert process.files.keys() == {"helper.py", "late.py", "scorers.py"}

    assert not (tmp_path / "__pycache__").exists()


def python_row(**keys: Json) -> PythonRow:
    """A row of a config."""
    row = row_of({"python": "scorers.py:score", **keys})
    assert isinstance(row, PythonRow)
    return row


def test_forms_of_a_row() -> None:
    """The function alone, or within `use`; the metric is called by the function, or by the entry of its dict."""
    assert row_of({"use": {"python": "scorers.py:score"}}) == row_of({"python": "scorers.py:score"}) == python_row(use="python")
    assert python_row().metric_name == "score" and python_row(metric="tone").metric_name == "tone"
    assert python_row(**{"not": True}).metric_name == "not_score" and python_row(name="x", metric="tone").metric_name == "x"
    metric = rule_of(python_row(low=1, high=5, better="lower", threshold=2)).metric(python_row(low=1, high=5, threshold=2))
    assert (metric.low, metric.high, metric.better, metric.threshold) == (1, 5, "lower", 2)
    assert rule_of(python_row(returns="bool")).is_rate and not rule_of(python_row()).is_rate


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"python": "../scorers.py:score"}, "must be FILE.py:NAME"),
        ({"python": "/etc/x.py:score"}, "must be FILE.py:NAME"),
        ({"python": "scorers.py"}, "must be FILE.py:NAME"),
        ({"python": "os:system"}, "must be FILE.py:NAME"),
        ({"low": 2}, "high: must be more than low, 2"),
        ({"returns": "bool", "high": 5}, "a function that returns bool has no scale"),
        ({"returns": "bool", "threshold": 1}, "threshold: it is 1 or 0"),
        ({"threshold": 7}, "threshold: must be from 0 to 1, not 7"),
    ],
)
def test_rows_that_cannot_be(keys: dict[str, Any], words: str) -> None:
    """Each error says what to change."""
    with pytest.raises(ValueError, match="python: ") as error:
        row_of({"python": "scorers.py:score", **keys})
    assert words in str(error.value)


MODELS = {"m": ModelSpec("m", "simulator", "m")}


def looked_up(row: PythonRow, entries: Sequence[Any]) -> tuple[float | None, str]:
    """What reports make of some lines of scores.jsonl."""
    table = CodeScores(MODELS)
    about = {"call_key": table.call_key(CALL), "input": job("a").digest}
    for entry in entries:
        table.take({"scorer": row.python, "hash": "h", **(about if {"value", "why"} & entry.keys() else {}), **entry})
    outcome = table.outcome(row, rule_of(row), CALL, job("a").digest)
    return outcome.value, outcome.why


HEAD: Mapping[str, Json] = {"files": {}}


@pytest.mark.parametrize(
    ("keys", "entries", "expected"),
    [
        ({}, [HEAD, {"value": 0.5}], (0.5, "")),
        ({}, [HEAD, {"value": True}], (1.0, "")),
        ({"returns": "bool"}, [HEAD, {"value": 0.5}], (None, "returned 0.5, which is neither True nor False")),
        ({}, [HEAD, {"value": 7}], (None, "returned 7, which is off its scale, 0 to 1")),
        ({}, [HEAD, {"value": 10**400}], (None, NOT_SCORED)),
        ({"high": 10}, [HEAD, {"value": 7}], (7.0, "")),
        ({}, [HEAD, {"why": "ValueError: x"}], (None, "ValueError: x")),
        ({}, [HEAD, {"value": {"a": 1}}], (None, "returned a dict; name one of its entries by the key metric: a")),
        ({"metric": "a"}, [HEAD, {"value": {"a": 1, "b": 0}}], (1.0, "")),
        ({"metric": "c"}, [HEAD, {"value": {"a": 1, "b": 0}}], (None, "returned a dict without 'c': a, b")),
        ({"metric": "a"}, [HEAD, {"value": 1}], (None, "returned no dict, so nothing is called 'a'")),
        ({"metric": "a"}, [HEAD, {"value": {"a": "returned nan"}}], (None, "returned nan")),
        ({}, [], (None, NOT_SCORED)),
        ({}, [HEAD], (None, NOT_SCORED)),
        ({}, [{**HEAD, "stopped": "took too long"}], (None, "took too long")),
        ({}, [HEAD, {"value": 0}, {**HEAD, "stopped": "took too long"}], (0.0, "")),
        ({}, [HEAD, {"value": 0}, {"files": {}, "hash": "other"}], (None, NOT_SCORED)),
        ({}, [HEAD, {"value": 0}, {"files": {}, "hash": "more", "replaces": "h"}], (0.0, "")),
        ({}, [HEAD, {"why": "took long", "again": True}, {"value": 1}], (1.0, "")),
        ({}, [HEAD, {"value": 1, "call_key": 5}, {"value": 1, "input": None}, {"hash": 5}, {"files": 7}], (None, NOT_SCORED)),
    ],
)
def test_what_reports_read(keys: dict[str, Any], entries: list[Any], expected: tuple[float | None, str]) -> None:
    """A value on the scale, or the reason for none; never a zero in its place. Hostile lines are passed over."""
    assert looked_up(python_row(**keys), entries) == expected


@pytest.mark.soak
def test_five_thousand_scores_a_second(tmp_path: Path) -> None:
    """For a function that does nothing, on a slow machine, too: it is ten times as many on an idle one."""
    (tmp_path / "scorers.py").write_text("def score(reply, sample): return True\n", encoding="utf-8")
    n = 50_000
    with ScorerProcess(str(tmp_path), "scorers.py", "score") as process:
        process.start_up()
        began = time.monotonic()
        assert sum(1 for _ in process.score(job("a" * 200) for _ in range(n))) == n

    assert n / (time.monotonic() - began) >= 5_000
    assert os.path.isdir(tmp_path)
