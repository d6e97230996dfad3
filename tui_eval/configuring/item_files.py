"""The files of an item, and those that add up over the items, as their kind makes them: paths in the run folder, and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import RunStamp
from tui_eval.core.plaintext import readable
from tui_eval.core.results import SampleResult
from tui_eval.core.row_paths import problem_of
from tui_eval.evaluation.drivers import as_example
from tui_eval.providers import WIRES
from tui_eval.results.tables import content_text


def may_have_files(evaluation: Evaluation, row: SampleResult) -> bool:
    """Whether files are made of a row as it is: it has ended, or its kind makes them of what has come so far."""
    return not row.sample.checks_judge and (row.finished or evaluation.kind.sample_files.partial) and not row.error


def row_files(evaluation: Evaluation, row: SampleResult) -> Mapping[str, str]:
    """By path; those of the second and further repeats lie in folders of their own. ValueError for a path that cannot be."""
    if evaluation.kind.sample_files.files is None or not may_have_files(evaluation, row):
        return {}
    return _texts(row.sample.id, evaluation.kind.sample_files.files(evaluation.task, row), row.sample.repeat)


class Added:
    """What items bring to the files that add up; in the order of the samples, whichever ends first."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._parts: list[dict[str, Any]] = [{} for _ in range(evaluation.repeat)]
        """Of each repeat, by sample: what it brought, None until then."""
        if evaluation.kind.sample_files.totals is not None:
            for sample in evaluation.samples():
                self._parts[sample.repeat][sample.id] = None

    def add(self, row: SampleResult) -> None:
        """Take in an item; what it brought before, it brings no more."""
        totals = self._evaluation.kind.sample_files.totals
        if totals is not None and may_have_files(self._evaluation, row):
            self._parts[row.sample.repeat][row.sample.id] = totals.part(self._evaluation.task, row)

    def files(self) -> dict[str, str]:
        """By path, those of each repeat for itself, as an item's are; a repeat to which nothing was brought has none."""
        totals, found = self._evaluation.kind.sample_files.totals, dict[str, str]()
        simulated = any(WIRES[spec.wire].simulated for spec in self._evaluation.models.values())
        stamp = RunStamp(self._evaluation.name, self._evaluation.started_at, simulated)
        for repeat, parts in enumerate(self._parts if totals is not None else ()):
            brought = [part for part in list(parts.values()) if part is not None]
            if totals is not None and brought:
                found |= _texts("what adds up", totals.files(self._evaluation.task, brought, stamp), repeat)
        return found


def _texts(whose: str, files: Mapping[str, Json], repeat: int) -> dict[str, str]:
    found = {}
    for name, content in files.items():
        problem = problem_of(name)
        if problem:
            raise ValueError(f"{whose}: the file {name!r} {problem}")
        place = f"repeats/{repeat + 1:02d}/{name}" if repeat else name
        found[place] = readable(content) if isinstance(content, str) else content_text(name, content)
    return found


def check_row_files(evaluation: Evaluation) -> None:
    """ConfigError where two items, or one and what adds up, would write the same file: found by their examples, before
    anything is sent."""
    if evaluation.kind.sample_files.files is None and evaluation.kind.sample_files.totals is None:
        return
    owner: dict[str, str] = {}

    def claim(files: Mapping[str, str], whose: str) -> None:
        for name in files:
            first = owner.setdefault(name.casefold(), whose)
            if first != whose:
                raise ConfigError(f"{evaluation.kind.name}: {first} and {whose} would both write {name}; rename one")

    added = Added(evaluation)
    for sample in evaluation.samples():
        row = evaluation.driven(sample, as_example)
        added.add(row)
        claim(row_files(evaluation, row), sample.id)
    claim(added.files(), "the files that add up")
