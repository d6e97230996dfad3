"""Runs side by side in one leaderboard: every question once, every answer sheet once, the newest of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Reporter
from tui_eval.core.plaintext import markdown_text
from tui_eval.core.results import About, Table
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import groups_named
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.report import ALL_RESULTS, ChoiceReport, files, headline
from tui_eval.kinds.choice.sheet import Board, Sheet, answers_of
from tui_eval.kinds.choice.tables import tables
from tui_eval.kinds.choice.words import counted


@dataclass(slots=True)
class _Part:
    """Sheets of one run, or those that a leaderboard has already."""

    where: str
    benchmark: str
    size: int
    questions: Sequence[Sample]
    sheets: list[Sheet]


class MergedRuns:
    """A leaderboard of several runs. Complete before anything is asked of it."""

    file = ALL_RESULTS

    def __init__(self) -> None:
        self._parts: list[_Part] = []

    def restore(self, content: Any, where: str) -> None:
        """What all_results.json holds. KeyError, TypeError, ValueError or AttributeError where it is another file."""
        questions = [_question(entry) for entry in content["questions"]]
        sheets = [_sheet(entry) for entry in content["runs"]]
        _check_answers({question.id: question for question in questions}, sheets)
        self._parts.append(_Part(where, str(content["benchmark"]), int(content["total_questions"]), questions, sheets))

    def add(self, report: Reporter, about: About, where: str) -> None:
        """A run's sheets; those of a run that is in it already are replaced."""
        assert isinstance(report, ChoiceReport)
        asked = report.asked
        self._parts.append(_Part(where, asked.benchmark, asked.benchmark_size, asked.questions, report.filled_in(about)))

    @cached_property
    def _board(self) -> tuple[Figures, list[Sheet]]:
        board, copies = _merged(self._parts)
        return Figures(board), copies

    def tables(self) -> Mapping[str, Table]:
        """Those of a run, over all sheets."""
        return tables(self._board[0])

    def headline(self) -> Sequence[Table]:
        """The leaderboard in short, and who can be told apart."""
        figures, copies = self._board
        return headline(figures, _warnings(figures.board, copies))

    def files(self) -> Mapping[str, Json]:
        """Those of a run, over all sheets. ConfigError where the runs are of different benchmarks."""
        figures, copies = self._board
        return files(figures, "\n\n".join(_about(figures.board, copies)), copies=copies)


def _question(entry: Mapping[str, Any]) -> Sample:
    lists = {name: tuple(map(str, entry[name])) for name in ("choices", "domains", "topics")}
    if not 0 <= int(entry["answer"]) < len(lists["choices"]):
        raise ValueError(f"question {entry['id']!r}: answer {entry['answer']} is no option")
    return Sample(
        id=str(entry["id"]),
        question=str(entry["question"]),
        options=lists["choices"],
        answer=int(entry["answer"]),
        groups=groups_named(
            str(entry["difficulty"]),
            lists["domains"],
            lists["topics"],
            None if entry["calc_required"] is None else bool(entry["calc_required"]),
        ),
    )


def _check_answers(questions: Mapping[str, Sample], sheets: Sequence[Sheet]) -> None:
    """ValueError for an answer to a question or by an option that there is not."""
    for sheet in sheets:
        for name, answer in sheet.all_answers():
            if name not in questions:
                raise ValueError(f"{sheet.model}: an answer to {name!r}, which is no question")
            size = len(questions[name].options)
            places = (answer.option, answer.place, answer.key_place)
            if not all(place is None or 0 <= place < size for place in places) or (answer.option is None) != (
                answer.place is None
            ):
                raise ValueError(f"{sheet.model}: the answer to {name!r} is no option")


def _sheet(entry: Mapping[str, Any]) -> Sheet:
    return Sheet(
        model=str(entry["model"]),
        run_id=str(entry["run_id"]),
        run_timestamp=str(entry["run_timestamp"]),
        run_uid=str(entry["run_uid"]),
        extraction=str(entry["extraction"]),
        info=dict(entry["model_info"]),
        answers=answers_of(entry["answers"]),
        cost_usd=float(entry["cost_usd"] or 0.0),
        n_cost_known=int(entry["n_cost_known"]),
        simulated=bool(entry["simulated"]),
    )


def _merged(parts: Sequence[_Part]) -> tuple[Board, list[Sheet]]:
    """One board: every question once, every sheet once, the newest of each; and the sheets that only copy another's replies."""
    questions: dict[str, Sample] = {}
    sheets: dict[tuple[str, str, str], Sheet] = {}
    for part in parts:
        common = [question for question in part.questions if question.id in questions]
        if questions and not common:
            raise ConfigError(f"{part.where}: has no question in common with the others; make a leaderboard for each benchmark")
        for question in common:
            ours = questions[question.id]
            if (question.question, question.options, question.answer) != (ours.question, ours.options, ours.answer):
                raise ConfigError(
                    f"{part.where}: question {question.id!r} is another than in the others: two benchmarks, or two versions"
                )
        questions |= {question.id: question for question in part.questions if question.id not in questions}
        sheets |= {sheet.key: sheet for sheet in part.sheets}
    first = parts[0]
    size = max(len(questions), *(part.size for part in parts))
    compared, copies = _without_copies(list(sheets.values()))
    return Board(first.benchmark, size, list(questions.values()), compared), copies


def _without_copies(sheets: Sequence[Sheet]) -> tuple[list[Sheet], list[Sheet]]:
    """Sheets to compare, and those that add nothing to a larger one: the same replies, from the cache."""
    compared: list[Sheet] = []
    for sheet in sorted(sheets, key=lambda sheet: (-len(sheet.answers), _cached(sheet))):
        if not any(_is_part_of(sheet, other) for other in compared):
            compared.append(sheet)
    kept = {sheet.key for sheet in compared}
    return [s for s in sheets if s.key in kept], [s for s in sheets if s.key not in kept]


def _is_part_of(sheet: Sheet, other: Sheet) -> bool:
    """Whether all its replies are the other's, one of the two having taken replies from the cache."""
    return (
        sheet.model == other.model
        and (_cached(sheet) or _cached(other))
        and all(other.answers.get(question) == answers for question, answers in sheet.answers.items())
    )


def _cached(sheet: Sheet) -> bool:
    return bool(sheet.info.get("cached")) and sheet.info.get("provider") != "recorded"


def _about(board: Board, copies: Sequence[Sheet]) -> list[str]:
    """What a reader must know before the numbers."""
    runs = dict.fromkeys(sheet.run_id for sheet in board.sheets)
    asked = f"{len(board.questions)} of the benchmark's {board.size} questions"
    lines = [f"{counted(len(board.sheets), 'model')} of {counted(len(runs), 'run')}; {asked}."]
    if board.simulated:
        names = ", ".join(markdown_text(sheet.label) for sheet in board.sheets if sheet.simulated)
        lines.insert(0, f"**Simulated, not real models: {names}.**")
    return lines + _warnings(board, copies)


def _warnings(board: Board, copies: Sequence[Sheet]) -> list[str]:
    """What makes the sheets differ besides the models."""
    lines = []
    rules = sorted({sheet.extraction for sheet in board.sheets})
    if len(rules) > 1:
        named = ", ".join(map(markdown_text, rules))
        lines.append(f"Letters were read by different rules ({named}): a difference may be the rule's.")
    if len({sheet.info.get("prompt") for sheet in board.sheets}) > 1:
        lines.append("The runs had different prompts: a difference may be the prompt's.")
    if len({(sheet.info.get("shuffle"), sheet.info.get("permutations")) for sheet in board.sheets}) > 1:
        lines.append("The runs showed the options in different orders.")
    if len({frozenset(sheet.answers) for sheet in board.sheets}) > 1:
        lines.append("Not every model was asked the same questions: only the pairs rest on common ones.")
    if copies:
        names = ", ".join(f"{sheet.model} of {sheet.run_id}" for sheet in copies)
        lines.append(f"Counted once, since the replies came from the cache: {markdown_text(names)}.")
    return lines
