"""Adds up the rows of a multiple-choice run to answer sheets, and turns sheets into tables and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json, Reply
from tui_eval.core.plaintext import markdown_text
from tui_eval.core.results import About, Cell, Provenance, SampleResult, Score, Table
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.analysis import analysis_md
from tui_eval.kinds.choice.exports import all_results, questions_rows
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.leaderboard import leaderboard_md
from tui_eval.kinds.choice.sheet import LETTERS, RAW_CHARACTERS, Answer, Asked, Board, Sheet, key_of
from tui_eval.kinds.choice.tables import accuracy_cell, breakdown_rows, tables
from tui_eval.kinds.choice.words import (
    CUT,
    NOT_READ,
    chance_text,
    counted,
    interval,
    key_letter,
    percent,
    rank,
    significant,
    unread,
)
from tui_eval.results.sums.series import Group

LEADERBOARD, ANALYSIS, QUESTIONS = "leaderboard.md", "analysis.md", "questions.csv"
ALL_RESULTS, BREAKDOWN, DIFFERENCES = "all_results.json", "breakdown.csv", "import_differences.csv"
WIDEST_NAME = 36


class ChoiceReport:
    """The report of one run."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.sheets = {name: Sheet(name, extraction=asked.extraction) for name in asked.models}
        self.differences: list[dict[str, Json]] = []
        self._figures: Figures | None = None

    def add(self, row: SampleResult) -> None:
        """Put one question's replies onto its model's sheet."""
        sheet, question = self.sheets[row.sample.queue], row.sample
        scores = {score.call_index: score for score in row.scores}
        answers = sheet.answers.setdefault(question.doc_id, [])
        if not row.replies:
            answers.append(_never_asked(question, row.error))
        for reply in row.replies:
            answer = self._answer(row, reply, scores.get(reply.call.call_index))
            answers.append(answer)
            cost = reply.usage.total_usd
            if cost is not None:
                sheet.cost_usd += cost
                sheet.n_cost_known += answer.replied
            self._compare_with_import(question, sheet.model, answer)

    def _answer(self, row: SampleResult, reply: Reply, score: Score | None) -> Answer:
        question, text = row.sample, reply.text or ""
        order = self.asked.order(row.sample, reply.call.call_index)
        option = LETTERS.index(score.read) if score and score.read else None
        return Answer(
            replied=score is not None and score.value is not None,
            option=option,
            correct=score is not None and score.value == 1,
            place=None if option is None else list(order).index(option),
            key_place=list(order).index(key_of(question)),
            pattern=score.pattern if score else "",
            why=score.why if score else f"no reply: {row.error or 'internal'}",
            raw=text[:RAW_CHARACTERS],
            cut=len(text) > RAW_CHARACTERS,
        )

    def _compare_with_import(self, question: Sample, model: str, answer: Answer) -> None:
        """Note where the letter read now is not the one that the imported table names."""
        imported = self.asked.imported.get((question.doc_id, model))
        if imported is None or not (imported.letter or imported.pattern) or imported.letter == answer.letter:
            return
        self.differences.append(
            {
                "question_id": question.doc_id,
                "model": model,
                "letter_before": imported.letter,
                "pattern_before": imported.pattern,
                "correct_before": imported.letter == key_letter(question),
                "letter": answer.letter,
                "pattern": answer.pattern,
                "correct": answer.correct,
                "why": _why_read_differently(imported.letter, imported.pattern, answer),
                "raw": answer.raw,
            }
        )

    @property
    def figures(self) -> Figures:
        """Everything that the sheets come to; worked out once, after the last row."""
        if self._figures is None:
            sheets = list(self.sheets.values())
            known = set().union(*(sheet.answers for sheet in sheets))
            questions = [question for question in self.asked.questions if question.id in known] or self.asked.questions
            self._figures = Figures(Board(self.asked.benchmark, self.asked.benchmark_size, questions, sheets))
        return self._figures

    def tables(self) -> Mapping[str, Table]:
        """Accuracies, groups, patterns, letters, biases, agreement, questions, pairs."""
        return tables(self.figures)

    def headline(self) -> Sequence[Table]:
        """The leaderboard in short, and who can be told apart."""
        return headline(self.figures, self._import_notes())

    def files(self, about: About) -> Mapping[str, Json]:
        """leaderboard.md, analysis.md, questions.csv, breakdown.csv, all_results.json, differences to an import."""
        self.filled_in(about)
        named = any(answer.letter or answer.pattern for answer in self.asked.imported.values())
        found = files(self.figures, self._about(about), self.differences if named else None)
        if self.differences:
            found[DIFFERENCES] = self.differences
        return found

    def filled_in(self, about: About) -> list[Sheet]:
        """The sheets, with where they come from."""
        for name, sheet in self.sheets.items():
            sheet.run_id, sheet.run_uid = about.run_id, about.uid
            sheet.run_timestamp, sheet.simulated = about.started_at, about.simulated
            how = {"prompt": self.asked.prompt, "permutations": self.asked.permutations, "shuffle": self.asked.shuffle}
            sheet.info = {**model_info(about.models[name]), **how}
        return list(self.sheets.values())

    def _about(self, about: About) -> str:
        """What a reader must know of the run before its numbers."""
        asked, n = self.asked, len(self.figures.board.questions)
        part = f"{n} of the benchmark's {asked.benchmark_size} questions"
        how = [counted(n, "question") if n == asked.benchmark_size else part, counted(len(asked.models), "model")]
        if asked.permutations > 1:
            how.append(f"each question in {asked.permutations} orders of its options")
        if asked.shuffle:
            how.append("options in an order of each question's own")
        if asked.unmoved and (asked.shuffle or asked.permutations > 1):
            how.append(f"{counted(asked.unmoved, 'question')} kept the order, since an option names letters")
        lines = ["**Everything here is simulated.**"] if about.simulated else []
        if about.unfinished:
            lines.append(f"**PRELIMINARY: {about.unfinished} of {about.items} questions x models are still to be asked.**")
        lines.append(
            f"Run: {markdown_text(about.run_id)}, {markdown_text(about.started_at)}. {'; '.join(how)}. "
            f"Letters read by {asked.extraction}. {chance_text(self.figures)}"
        )
        return "\n\n".join([*lines, *self._import_notes()])

    def _import_notes(self) -> list[str]:
        """What a reader must know of imported answers."""
        cut = sum(answer.truncated for answer in self.asked.imported.values())
        notes = []
        if cut:
            notes.append(
                f"{counted(cut, 'imported reply', 'imported replies')} were cut in the table: they keep the letter it names."
            )
        if self.differences:
            notes.append(
                f"{counted(len(self.differences), 'letter is', 'letters are')} read differently than the table reads them "
                f"({DIFFERENCES})."
            )
        return notes


def _never_asked(question: Sample, error: str) -> Answer:
    """A question whose evaluation failed before it asked anything: missing, and so counted."""
    return Answer(False, None, False, None, key_of(question), "", f"no reply: {error or 'internal'}", "", False)


def _why_read_differently(letter: str | None, pattern: str, answer: Answer) -> str:
    """In a few words, why the letter is another now."""
    words = answer.raw.split(maxsplit=1)
    now = f"now by {answer.pattern}" if answer.letter else f"now none: {answer.why}"
    if letter and pattern == "first_char" and words and len(words[0].strip("*_:.,()")) > 1 and words[0][:1].upper() == letter:
        return f"{letter} was the first letter of {words[0][:20]!r}; {now}"
    return f"was read by {pattern or 'an unnamed rule'}; {now}"


def model_info(model: Provenance) -> dict[str, Json]:
    """Where a model's answers came from, in the words of all_results.json."""
    return {
        "provider": model.wire,
        "deployment": model.model,
        "model_version": ", ".join(model.served) or None,
        "served": dict(model.served),
        "api_version": model.api_version,
        "base_url": model.base_url,
        "parameters": dict(model.parameters),
        "not_applicable": list(model.not_applicable),
        "cached": model.cached,
        "first_at": model.first_at,
        "last_at": model.last_at,
    }


def files(
    figures: Figures,
    about: str,
    differences: Sequence[Mapping[str, Json]] | None = None,
    copies: Sequence[Sheet] = (),
) -> dict[str, Json]:
    """The files of a board, by name.

    `differences`: to the letters that an imported table names, where it names any. `copies`: sheets that are kept, but
    compared with no other.
    """
    return {
        LEADERBOARD: leaderboard_md(figures, about),
        ANALYSIS: analysis_md(figures, about, differences),
        QUESTIONS: questions_rows(figures),
        BREAKDOWN: breakdown_rows(figures),
        ALL_RESULTS: all_results(figures, copies),
    }


def headline(figures: Figures, notes: Sequence[str] = ()) -> list[Table]:
    """The leaderboard in short: rank, accuracy, interval, what was not counted; then difficulty, where the benchmark has it."""
    board = figures.board
    rests_on = tuple({"model": board.sheets[i].model} for i in figures.by_rank)
    rows = []
    for i in figures.by_rank:
        accuracy, reasons = figures.accuracies[i], unread(board.sheets[i])
        named = {"no letter": sum(reasons[why] for why in NOT_READ), "refused": reasons["refusal"],
                 "cut or empty": sum(reasons[why] for why in CUT), "MISSING": accuracy.missing}  # fmt: skip
        apart = ", ".join(f"{n} {what}" for what, n in named.items() if n)
        rows.append(
            (
                rank(figures.ranks[i]),
                _fitted(board.sheets[i].short_label),
                accuracy_cell(accuracy, percent(accuracy.share)),
                interval(accuracy),
                str(accuracy.scored),
                apart or "-",
            )
        )
    columns = ("rank", "model", "accuracy", "95 % interval", "n", "not read, or missing")
    n = counted(len(board.questions), "question")
    title = f"{board.benchmark}: {n}" + (f" of {board.size}" if len(board.questions) < board.size else "")
    note = "\n".join([*notes, *significant(figures, lambda sheet: sheet.short_label), chance_text(figures)])
    tables = [_text_table(title, columns, rows, rests_on, note)]
    levels = figures.groups_by("difficulty")
    if levels:
        names = [Cell(_fitted(board.sheets[i].short_label)) for i in figures.by_rank]
        cells = [(name, *_by_group(figures, i, levels)) for name, i in zip(names, figures.by_rank, strict=True)]
        heads = ("model", *(f"{group.value} ({len(group.indexes)})" for group in levels))
        tables.append(_text_table("Accuracy by difficulty (number of questions)", heads, cells, rests_on))
    return tables


def _by_group(figures: Figures, i: int, groups: Sequence[Group]) -> list[Cell]:
    found = [figures.accuracy(i, group) for group in groups]
    return [accuracy_cell(accuracy, percent(accuracy.share)) for accuracy in found]


def _fitted(name: str) -> str:
    """A name that fits into a terminal; what tells runs apart stands at its end."""
    return name if len(name) <= WIDEST_NAME else f"{name[: WIDEST_NAME // 2 - 1]}…{name[-WIDEST_NAME // 2 :]}"


def _text_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str | Cell]],
    rests_on: tuple[Mapping[str, Json], ...],
    note: str = "",
) -> Table:
    cells = tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
    return Table(title, tuple(columns), cells, note, rests_on=rests_on)
