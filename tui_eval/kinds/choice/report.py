"""Adds up the rows of a multiple-choice run to answer sheets, and says what a reader must know of the run."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from tui_eval.core.calls import Json, Reply
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.plaintext import count_of, markdown_text
from tui_eval.core.reports import FORMS, page_head
from tui_eval.core.results import About, Provenance, SampleResult, Score, Table
from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.fixed_options import names_letters
from tui_eval.kinds.choice.marking import rule_of
from tui_eval.kinds.choice.option_orders import key_place, order
from tui_eval.kinds.choice.pages import DIFFERENCES, files
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sentences import chance_text
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.kinds.choice.sheets import (
    IMPORTED,
    LETTERS,
    NO_REPLY,
    RAW_CHARACTERS,
    UNKNOWN,
    AlikeAnswers,
    AnswerSheets,
    PlacedAnswers,
    Sheet,
    SheetAnswer,
)  # fmt: skip
from tui_eval.results.sums.board import Board


class ChoiceReport(SheetReport):
    """The report of one run, whose rows are put onto sheets."""

    def __init__(self, task: ChoiceTask) -> None:
        self.task, self.rule = task, rule_of(task.config)
        self.differences: list[dict[str, Json]] = []
        self._asked: Sequence[int] | None = None
        """Places in the benchmark of the questions that have answers, once the sheets stand by these; None = all have."""
        alike = AlikeAnswers()
        sheets = [Sheet(name, extraction=self.rule, answers=PlacedAnswers(alike=alike)) for name in task.models]
        whole = AnswerSheets(task.benchmark, task.benchmark_size, task.questions, sheets)
        super().__init__(whole, {name: model.model_id for name, model in task.models.items()}, task)

    def add(self, row: SampleResult) -> None:
        """Put one question's replies onto its model's sheet."""
        sheet, question = self.by_label[row.sample.queue], row.sample
        scores = {score.call_index: score for score in row.scores}
        answers = [*sheet.answers.at(question.q_index)]
        if not row.replies:
            answers.append(_never_asked(question, row.error))
        for reply in row.replies:
            answer = self._answer(row, reply, scores.get(reply.call.call_index))
            answers.append(answer)
            sheet.costs.add(reply, answer.replied)
            self._compare_with_import(question, sheet.model, answer)
        sheet.answers[question.q_index] = tuple(answers)

    def _answer(self, row: SampleResult, reply: Reply, score: Score | None) -> SheetAnswer:
        question, text = row.sample, reply.text or ""
        option_order = order(self.task, question, reply.call.call_index)
        option = LETTERS.index(score.read) if score and score.read else None
        return SheetAnswer(
            replied=score is not None and score.value is not None,
            option=option,
            correct=score is not None and score.value == 1,
            place=None if option is None else option_order.index(option),
            key_place=key_place(question, option_order),
            pattern=score.pattern if score else "",
            why=score.why if score else NO_REPLY + (row.error or "internal"),
            raw=text[:RAW_CHARACTERS],
            cut=len(text) > RAW_CHARACTERS,
            repeat=question.repeat,
        )

    def _compare_with_import(self, question: Sample, model: str, answer: SheetAnswer) -> None:
        """Note where the letter read now is not the one that the imported table names."""
        imported = self.task.imported.get((question.doc_id, model))
        if imported is None or not (imported.letter or imported.pattern) or imported.letter == answer.letter:
            return
        self.differences.append(
            {
                "question_id": question.doc_id,
                "model": model,
                "letter_before": imported.letter,
                "pattern_before": imported.pattern,
                "correct_before": imported.letter == question.letter,
                "letter": answer.letter,
                "pattern": answer.pattern,
                "correct": answer.correct,
                "why": _why_read_differently(imported.letter, imported.pattern, answer),
                "raw": answer.raw,
            }
        )

    @cached_property
    def board(self) -> Board:
        """The board of the questions that were asked, where any were."""
        sheets, every = self.whole.sheets, self.task.questions
        self._asked = asked = self._answered()
        if asked is not None:
            new_places = {place: n for n, place in enumerate(asked)}
            for sheet in sheets:
                sheet.answers = sheet.answers.moved(new_places)
            questions = LazySequence(len(asked), lambda n: every[asked[n]])
            self.whole = replace(self.whole, questions=questions if isinstance(every, LazySequence) else [*questions])
        return super().board

    def _answered(self) -> Sequence[int] | None:
        """The places of the questions that any sheet has an answer to; None where all have one, or none has."""
        sheets, n = self.whole.sheets, len(self.task.questions)
        if any(len(sheet.answers) == n for sheet in sheets):
            return None
        answered = set[int]().union(*(sheet.answers for sheet in sheets))
        return None if len(answered) in (0, n) else array("I", sorted(answered))

    def headline(self, notes: Sequence[str] = ()) -> list[Table]:
        """The leaderboard in short, and what is to be known of imported answers."""
        return super().headline([*notes, *self._import_notes()])

    def files(self, about: About) -> Mapping[str, Json]:
        """leaderboard.md, analysis.md, questions.csv, breakdown.csv, all_results.json, differences to an import."""
        self._fill_in(about)
        has_letters = any(answer.letter or answer.pattern for answer in self.task.imported.values())
        contents = files(self, self._about(about), self.differences if has_letters else None)
        if self.differences:
            contents[DIFFERENCES] = self.differences
        return contents

    @property
    def forms(self) -> frozenset[str]:
        """In which its files and tables are wanted."""
        return frozenset({"markdown": ".md"}.get(name, f".{name}") for name in self.task.config.formats or ()) or FORMS

    def sheets_of(self, about: About) -> AnswerSheets:
        """The sheets beside every question that was to be asked, for a leaderboard of several runs."""
        self._fill_in(about)
        sheets, asked = self.whole.sheets, self._asked
        if asked is not None:
            sheets = [replace(sheet, answers=sheet.answers.moved(asked)) for sheet in sheets]
        return replace(self.whole, questions=self.task.questions, sheets=sheets)

    def _fill_in(self, about: About) -> None:
        """Say on the sheets where they come from; by which prompt answers were given elsewhere nobody knows."""
        config = self.task.config
        prompts = "\0".join((config.prompts["system"], config.prompts["user"]))
        digest = hashlib.sha256(prompts.encode("utf-8")).hexdigest()[:12]
        how = {"prompt": digest, "permutations": config.permutations, "shuffle": config.shuffle}
        for name, sheet in self.by_label.items():
            sheet.run_id, sheet.run_uid = about.run_id, about.uid
            sheet.run_timestamp, sheet.simulated = about.started_at, name in about.simulated_models
            info = _model_info(about.models[name])
            sheet.info = {**info, **how, **({"prompt": UNKNOWN} if info["provider"] == IMPORTED else {})}

    def _about(self, about: About) -> str:
        """Return the facts of the run that a reader must know before its numbers."""
        config, n, whole = self.task.config, len(self.whole.questions), self.task.benchmark_size
        part = f"{n} of the benchmark's {whole} questions"
        how = [count_of(n, "question") if n == whole else part, count_of(len(self.by_label), "model")]
        moves = config.shuffle or config.permutations > 1
        unmoved = sum(names_letters(question.options) for question in self.task.questions) if moves else 0
        if config.permutations > 1:
            how.append(f"each question in {config.permutations} orders of its options")
        if config.shuffle:
            how.append("options in an order of each question's own")
        if unmoved:
            how.append(f"{count_of(unmoved, 'question')} kept the order, since an option names letters")
        run = f"Run: {markdown_text(about.run_id)}, {markdown_text(about.started_at)}. {'; '.join(how)}."
        read = f"Letters read by {self.rule}. {chance_text(self.whole.asked.sizes)}"
        return "\n\n".join([*page_head(about, "questions x models"), f"{run} {read}", *self._import_notes()])

    def _import_notes(self) -> list[str]:
        """Return the facts that a reader must know of imported answers."""
        cut, n_different = sum(answer.truncated for answer in self.task.imported.values()), len(self.differences)
        replies, letters = (
            count_of(cut, "imported reply", "imported replies"),
            count_of(n_different, "letter is", "letters are"),
        )
        notes = {
            f"{replies} were cut in the table: they keep the letter it names.": cut,
            f"{letters} read differently than the table reads them ({DIFFERENCES}).": n_different,
        }
        return [text for text, n in notes.items() if n]


def _never_asked(question: Sample, error: str) -> SheetAnswer:
    """A question whose evaluation failed before it asked anything: missing, and so counted."""
    key = key_place(question, range(len(question.options)))
    return SheetAnswer(False, None, False, None, key, "", NO_REPLY + (error or "internal"), "", False, question.repeat)


def _why_read_differently(letter: str | None, pattern: str, answer: SheetAnswer) -> str:
    """In a few words, why the letter is another now."""
    words = answer.raw.split(maxsplit=1)
    now = f"now by {answer.pattern}" if answer.letter else f"now none: {answer.why}"
    if letter and pattern == "first_char" and words and len(words[0].strip("*_:.,()")) > 1 and words[0][:1].upper() == letter:
        return f"{letter} was the first letter of {words[0][:20]!r}; {now}"
    return f"was read by {pattern or 'an unnamed rule'}; {now}"


def _model_info(model: Provenance) -> dict[str, Json]:
    """Return the origin of a model's answers, in the words of all_results.json."""
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
