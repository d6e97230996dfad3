"""One leaderboard of several runs: every question once, every answer sheet once, the newest of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, markdown_text
from tui_eval.core.reports import Reporter
from tui_eval.core.results import About, Table
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.pages import ALL_RESULTS, LONGEST, files
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.sheet_file import restored
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.kinds.choice.sheets import IMPORTED, AnswerSheets, Sheet
from tui_eval.results.sums.in_words import listed

TOKEN_LIMITS: dict[str, str] = dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens"), "token limit")
"""What providers call the limit of a reply: one setting."""
UNTOLD = ("stream", "seed", "stream_options", "model")
NAMED = 5
"""Sheets that a sentence names."""


def merged(parts: Sequence[tuple[str, AnswerSheets]]) -> tuple[AnswerSheets, list[Sheet]]:
    """All in one: every question once, every sheet once, the newest of each; and the sheets that only copy another's replies.

    `parts`: where each comes from, and its sheets. ConfigError, naming the place, where they are of different benchmarks.
    """
    questions: dict[str, Sample] = {}
    sheets: dict[tuple[str, str, str], Sheet] = {}
    for where, part in parts:
        common = [question for question in part.questions if question.id in questions]
        if questions and not common:
            raise ConfigError(f"{where}: has no question in common with the others; make a leaderboard for each benchmark")
        for question in common:
            ours = questions[question.id]
            if (question.question, question.options, question.answer) != (ours.question, ours.options, ours.answer):
                raise ConfigError(
                    f"{where}: question {question.id!r} differs from that of the others: two benchmarks, or two versions"
                )
        questions |= {question.id: question for question in part.questions if question.id not in questions}
        places = {name: place for place, name in enumerate(questions)}
        own = [places[question.id] for question in part.questions]
        sheets |= {sheet.key: replace(sheet, answers=sheet.answers.moved(own)) for sheet in part.sheets}
    size = max(len(questions), *(part.size for _, part in parts))
    compared, copies = _without_copies(list(sheets.values()))
    return AnswerSheets(parts[0][1].benchmark, size, list(questions.values()), compared), copies


def _without_copies(sheets: Sequence[Sheet]) -> tuple[list[Sheet], list[Sheet]]:
    """Sheets to compare, and those that add nothing to a larger one: the same replies, from the cache."""
    compared: list[Sheet] = []
    for sheet in sorted(sheets, key=lambda sheet: (-len(sheet.answers), _cached(sheet))):
        if not any(_is_part_of(sheet, larger) for larger in compared):
            compared.append(sheet)
    keys = {sheet.key for sheet in compared}
    return [s for s in sheets if s.key in keys], [s for s in sheets if s.key not in keys]


def _is_part_of(sheet: Sheet, larger: Sheet) -> bool:
    """Return whether all its replies are the larger one's, one of the two having taken replies from the cache."""
    return (
        sheet.model == larger.model
        and (_cached(sheet) or _cached(larger))
        and all(larger.answers.at(place) == answers for place, answers in sheet.answers.items())
    )


def _cached(sheet: Sheet) -> bool:
    return bool(sheet.info.get("cached")) and sheet.info.get("provider") != IMPORTED


def introduction(whole: AnswerSheets, copies: Sequence[Sheet]) -> str:
    """Return the facts that a reader must know before the numbers."""
    runs = dict.fromkeys(sheet.run_id for sheet in whole.sheets)
    questions = f"{len(whole.questions)} of the benchmark's {whole.size} questions"
    lines = [f"{count_of(len(whole.sheets), 'model')} of {count_of(len(runs), 'run')}; {questions}."]
    if names := ", ".join(sheet.name for sheet in whole.sheets if sheet.simulated):
        lines.insert(0, f"**Simulated, not real models: {names}.**")
    return "\n\n".join([*lines, *(markdown_text(line, LONGEST) for line in warnings(whole.sheets, copies))])


def warnings(sheets: Sequence[Sheet], copies: Sequence[Sheet]) -> list[str]:
    """Return a sentence for each thing besides the models that makes the sheets differ."""
    lines = []
    rules = sorted({sheet.extraction for sheet in sheets})
    if len(rules) > 1:
        lines.append(f"Letters were read by different rules ({', '.join(rules)}): a difference may be the rule's.")
    lines += _different_settings(sheets)
    if len({frozenset(sheet.answers) for sheet in sheets}) > 1:
        lines.append("Not every model was asked the same questions: only the pairs rest on common ones.")
    if copies:
        names = ", ".join(f"{sheet.model} of {sheet.run_id}" for sheet in copies)
        lines.append(f"Counted once, since the replies came from the cache: {names}.")
    return lines


def _different_settings(sheets: Sequence[Sheet]) -> list[str]:
    """Every setting in which the sheets differ, with whose it is; what is not known of imported answers."""
    unknown = [sheet for sheet in sheets if sheet.info.get("provider") == IMPORTED]
    lines = []
    if unknown and len(sheets) > 1:
        names = listed([sheet.label for sheet in unknown], NAMED)
        lines.append(f"The prompt of {names} is unknown, since these answers were imported.")
    settings = [_settings(sheet) for sheet in sheets]
    for name in dict.fromkeys(name for sheet_settings in settings for name in sheet_settings):
        by_value: dict[str, list[str]] = {}
        for sheet, sheet_settings in zip(sheets, settings, strict=True):
            if sheet_settings:
                by_value.setdefault(sheet_settings.get(name, "not sent"), []).append(sheet.label)
        if len(by_value) > 1:
            text = "; ".join(f"{name} {value} ({listed(labels, NAMED)})" for value, labels in by_value.items())
            lines.append(f"Settings differ: {text}.")
    return lines


def _settings(sheet: Sheet) -> dict[str, str]:
    """By name what a sheet was asked with; nothing of one that was imported."""
    info = sheet.info
    if info.get("provider") == IMPORTED:
        return {}
    sent = info.get("parameters")
    parameters = sent.items() if isinstance(sent, dict) else ()
    return {
        "prompt": str(info.get("prompt") or "-"),
        "options": sheet.options,
        "answers to a question": str(max((len(answers) for answers, _ in sheet.answers.tally()), default=0)),
        **{TOKEN_LIMITS.get(str(name), str(name)): str(value) for name, value in parameters if name not in UNTOLD},
    }


class MergedRuns:
    """A leaderboard of several runs. Complete before anything is asked of it."""

    file = ALL_RESULTS

    def __init__(self) -> None:
        self._parts: list[tuple[str, AnswerSheets]] = []

    def restore(self, content: Any, where: str) -> None:
        """Take in what all_results.json holds. KeyError, TypeError, ValueError or AttributeError where it is another file."""
        self._parts.append((where, restored(content)))

    def add(self, report: Reporter, about: About, where: str) -> None:
        """A run's sheets; those of a run that is in it already are replaced."""
        assert isinstance(report, ChoiceReport)
        self._parts.append((where, report.sheets_of(about)))

    @cached_property
    def _merged(self) -> tuple[SheetReport, list[Sheet]]:
        whole, copies = merged(self._parts)
        return SheetReport(whole), copies

    def tables(self) -> Mapping[str, Table]:
        """Those of a run, over all sheets."""
        return self._merged[0].tables()

    def headline(self) -> Sequence[Table]:
        """The leaderboard in short, and who leads."""
        report, copies = self._merged
        return report.headline([*warnings(report.whole.sheets, copies), report.verdict])

    def files(self) -> Mapping[str, Json]:
        """Those of a run, over all sheets. ConfigError where the runs are of different benchmarks."""
        report, copies = self._merged
        return files(report, introduction(report.whole, copies), copies=copies)
