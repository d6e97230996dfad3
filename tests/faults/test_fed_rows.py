"""Rows handed to the reports as they end: what a run writes is what a re-score writes from its log, to the byte."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from answered_log import answer_samples, prepared
from fault_bench import resume_here, run_here, serving
from hypothesis import given, settings
from hypothesis import strategies as st
from made import panel_config
from makers import load_panel
from one_sum import run_example
from rescored import check_rescored, files_of
from soaking import SOAK

from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.log_pass import LogPass
from tui_eval.core.results import SampleResult
from tui_eval.engine.progress import Progress
from tui_eval.reporting.derive import derive
from tui_eval.reporting.result_lines import result_line
from tui_eval.reporting.row_feed import MOST_WAITING, RowFeed
from tui_eval.runs.folder import STOP
from tui_eval.runs.person_marks import PERSON_MARKS
from tui_eval.workspace.places import shipped

EXAMPLES = sorted(path.stem for path in shipped("examples").glob("*.toml"))
QUICK = {"quickstart", "choice", "chat"}
VARIATIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "repeats": {"run": {"repeat": 2, "max_calls": 5_000}},
    "one at a time": {"run": {"max_concurrency": 1}},
}
CASES = [
    pytest.param(name, variation, marks=[] if name in QUICK and variation == "plain" else SOAK)
    for name in EXAMPLES
    for variation in VARIATIONS
]


@pytest.mark.parametrize(("name", "variation"), CASES)
def test_a_rescore_changes_no_byte_of_a_run(name: str, variation: str, tmp_path: Path) -> None:
    """Of any kind: whole, in repeats, and one call after the other."""
    check_rescored(run_example(tmp_path, name, **VARIATIONS[variation]))


@pytest.mark.parametrize("persons", [False, True])
async def test_a_rescore_changes_no_byte_of_a_run_that_was_taken_up_again(persons: bool, tmp_path: Path) -> None:
    """Calls were tried again, others failed for good, the first life was stopped in the middle; rated by a person, or not."""
    out = tmp_path / "run"

    def stop_halfway(progress: Progress) -> None:
        if progress.items_done > 4:
            (out / STOP).touch()

    async with serving() as served:
        config = panel_config(served.url, 60, retries=2, max_concurrency=2)
        config["models"][0]["model"] = "fault:503:1"
        first = await run_here(config, tmp_path, on_tick=stop_halfway)
        check_rescored(first.path)
        if persons:
            (first.path / PERSON_MARKS).write_text("{}\n")
        second = await resume_here(first.path)

    assert first.ended.stopped and first.ended.outcome is not None and first.ended.outcome.report["items"]["unfinished"]
    assert second.ended.outcome is not None and second.ended.outcome.report["items"]["finished"] == 60
    check_rescored(second.path)


async def test_a_reply_with_a_key_is_in_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row that holds it is read from the log, where it is blotted out, and so are those behind it."""
    key = "sk-planted-in-a-reply-0123456789"
    monkeypatch.setenv("FED_KEY", key)
    async with serving() as served:
        config = panel_config(served.url, 6)
        config["models"][0].update(model="fault:echo-key", api_key_env="FED_KEY")
        life = await run_here(config, tmp_path)

    files = check_rescored(life.path)
    assert [name for name, content in files.items() if key.encode() in content] == []


def of_log(folder: Path, n: int, *settings_given: str) -> tuple[Path, Evaluation]:
    """A run of so many questions whose log is whole, without reports."""
    questions = f"questions = {json.dumps([f'What is pore {n}?' for n in range(n)])}"
    loaded = load_panel(folder, questions=questions, settings_given=settings_given)
    path = prepared(loaded, folder / "run")
    answer_samples(path, loaded, range(n * loaded.evaluation.repeat))
    return path, loaded.evaluation


def answered(folder: Path, n: int) -> tuple[Path, Evaluation, list[SampleResult]]:
    """A run of so many questions with its reports, made from its log, and its rows."""
    path, evaluation = of_log(folder, n)
    derive(path, evaluation)
    log = LogPass(path, 1)
    with log.recorded:
        log.read_on()
        return path, evaluation, list(RowsFromLog(evaluation, log.recorded))


@settings(deadline=None, max_examples=25)
@given(order=st.permutations(range(24)), left_out=st.integers(0, 24))
def test_rows_in_any_order_make_the_same_reports(
    order: list[int], left_out: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Those that end early wait for their turn; where one never comes, the rest is driven from the log."""
    path, evaluation, rows = answered(tmp_path_factory.mktemp("fed"), 24)
    expected, feed = files_of(path), RowFeed(path, evaluation)

    for place in order:
        if place != left_out:
            feed.take(rows[place], result_line(evaluation, rows[place]))
    n_rows = feed.n_rows
    derive(path, evaluation, feed=feed)

    assert n_rows == left_out
    assert files_of(path) == expected


def test_rows_behind_one_that_does_not_end_are_not_held(tmp_path: Path) -> None:
    """Beyond so many the feed lets go of them, and the reports are the same."""
    path, evaluation, rows = answered(tmp_path, MOST_WAITING + 40)
    expected, feed = files_of(path), RowFeed(path, evaluation)

    for place in (0, 1, 2, *range(4, len(rows)), 3):
        feed.take(rows[place], result_line(evaluation, rows[place]))
    assert feed.n_rows == 3

    derive(path, evaluation, feed=feed)
    assert files_of(path) == expected


def test_repeats_hold_no_files_open(tmp_path: Path) -> None:
    """A run of many repeats opens no more files as it goes on: each repeat's results are complete before the
    next ones begin."""
    path, evaluation = of_log(tmp_path, 64, "run.repeat=12")
    n_open: list[int] = []

    derive(path, evaluation, told=lambda share: n_open.append(len(os.listdir("/proc/self/fd"))))

    assert len(n_open) > 12 and max(n_open) <= n_open[0] + 2
    assert all((path / "repeats" / f"{n:02d}" / "results.json").is_file() for n in range(1, 13))
