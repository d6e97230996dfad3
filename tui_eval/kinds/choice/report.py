"""Adds up the rows of a multiple-choice run to answer sheets, and says what a reader must know of the run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property

from tui_eval.core.calls import Json, Reply
from tui_eval.core.plaintext import counted, markdown_text
from tui_eval.core.reports import FORMS
from tui_eval.core.results import About, Provenance, SampleResult, Score, Table
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.headlines import headline
from tui_eval.kinds.choice.marking import rule_of
from tui_eval.kinds.choice.option_orders import key_place, names_letters, order
from tui_eval.kinds.choice.pages import DIFFERENCES, files
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sentences import chance_text
from tui_eval.kinds.choice.sheets import IMPORTED, LETTERS, NO_REPLY, RAW_CHARACTERS, UNKNOWN, Answer, Board, Sheet
from tui_eval.kinds.choice.tables import tables


class ChoiceReport:
    """The report of one run."""

    def __init__(self, task: ChoiceTask) -> None:
        self.task = task
        self.rule = rule_of(task.config)
        self.sheets = {name: Sheet(name, extraction=self.rule) for name in task.models}
        self.differences: list[dict[str, Json]] = []

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
                sheet.n_on_file += answer.replied and reply.cached
            self._compare_with_import(question, sheet.model, answer)

    def _answer(self, row: SampleResult, reply: Reply, score: Score | None) -> Answer:
        question, text = row.sample, reply.text or ""
        shown = order(self.task, question, reply.call.call_index)
        option = LETTERS.index(score.read) if score and score.read else None
        return Answer(
            replied=score is not None and score.value is not None,
            option=option,
            correct=score is not None and score.value == 1,
            place=None if option is None else shown.index(option),
            key_place=key_place(question, shown),
            pattern=score.pattern if score else "",
            why=score.why if score else NO_REPLY + (row.error or "internal"),
            raw=text[:RAW_CHARACTERS],
            cut=len(text) > RAW_CHARACTERS,
        )

    def _compare_with_import(self, question: Sample, model: str, answer: Answer) -> None:
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
    def figures(self) -> Figures:
        """Everything that the sheets come to; worked out once, after the last row."""
        known = set().union(*(sheet.answers for sheet in self.sheets.values()))
        return Figures(self._board([q for q in self.task.questions if q.id in known] or self.task.questions))

    def _board(self, questions: Sequence[Sample]) -> Board:
        return Board(self.task.benchmark, self.task.benchmark_size, questions, list(self.sheets.values()))

    def tables(self) -> Mapping[str, Table]:
        """Accuracies, groups, patterns, letters, biases, agreement, questions, pairs."""
        return tables(self.figures)

    def headline(self) -> Sequence[Table]:
        """The leaderboard in short, and who can be told apart."""
        return headline(self.figures, self._import_notes())

    def files(self, about: About) -> Mapping[str, Json]:
        """leaderboard.md, analysis.md, questions.csv, breakdown.csv, all_results.json, differences to an import."""
        self._fill_in(about)
        named = any(answer.letter or answer.pattern for answer in self.task.imported.values())
        found = files(self.figures, self._about(about), self.differences if named else None)
        if self.differences:
            found[DIFFERENCES] = self.differences
        return found

    @property
    def forms(self) -> frozenset[str]:
        """In which its files and tables are wanted."""
        return frozenset({"markdown": ".md"}.get(name, f".{name}") for name in self.task.config.formats or ()) or FORMS

    def board(self, about: About) -> Board:
        """The sheets beside every question that was to be asked, for a leaderboard of several runs."""
        self._fill_in(about)
        return self._board(self.task.questions)

    def _fill_in(self, about: About) -> None:
        """Say on the sheets where they come from; by which prompt answers were given elsewhere nobody knows."""
        config = self.task.config
        prompts = "\0".join((config.prompts["system"], config.prompts["user"]))
        digest = hashlib.sha256(prompts.encode("utf-8")).hexdigest()[:12]
        how = {"prompt": digest, "permutations": config.permutations, "shuffle": config.shuffle}
        for name, sheet in self.sheets.items():
            sheet.run_id, sheet.run_uid = about.run_id, about.uid
            sheet.run_timestamp, sheet.simulated = about.started_at, name in about.simulated_models
            info = _model_info(about.models[name])
            sheet.info = {**info, **how, **({"prompt": UNKNOWN} if info["provider"] == IMPORTED else {})}

    def _about(self, about: About) -> str:
        """What a reader must know of the run before its numbers."""
        config, n, whole = self.task.config, len(self.figures.board.questions), self.task.benchmark_size
        part = f"{n} of the benchmark's {whole} questions"
        how = [counted(n, "question") if n == whole else part, counted(len(self.sheets), "model")]
        unmoved = sum(names_letters(question.options) for question in self.task.questions)
        if config.permutations > 1:
            how.append(f"each question in {config.permutations} orders of its options")
        if config.shuffle:
            how.append("options in an order of each question's own")
        if unmoved and (config.shuffle or config.permutations > 1):
            how.append(f"{counted(unmoved, 'question')} kept the order, since an option names letters")
        lines = _simulated(about)
        if about.unfinished:
            lines.append(f"**PRELIMINARY: {about.unfinished} of {about.items} questions x models are still to be asked.**")
        lines.append(
            f"Run: {markdown_text(about.run_id)}, {markdown_text(about.started_at)}. {'; '.join(how)}. "
            f"Letters read by {self.rule}. {chance_text(self.figures)}"
        )
        return "\n\n".join([*lines, *self._import_notes()])

    def _import_notes(self) -> list[str]:
        """What a reader must know of imported answers."""
        cut = sum(answer.truncated for answer in self.task.imported.values())
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
    key = key_place(question, range(len(question.options)))
    return Answer(False, None, False, None, key, "", NO_REPLY + (error or "internal"), "", False)


def _why_read_differently(letter: str | None, pattern: str, answer: Answer) -> str:
    """In a few words, why the letter is another now."""
    words = answer.raw.split(maxsplit=1)
    now = f"now by {answer.pattern}" if answer.letter else f"now none: {answer.why}"
    if letter and pattern == "first_char" and words and len(words[0].strip("*_:.,()")) > 1 and words[0][:1].upper() == letter:
        return f"{letter} was the first letter of {words[0][:20]!r}; {now}"
    return f"was read by {pattern or 'an unnamed rule'}; {now}"


def _model_info(model: Provenance) -> dict[str, Json]:
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


def _simulated(about: About) -> list[str]:
    """What a reader must know first, where nobody gave the replies of some models, or of all."""
    if about.simulated_models >= about.models.keys():
        return ["**Everything here is simulated.**"]
    names = ", ".join(markdown_text(name) for name in about.models if name in about.simulated_models)
    return [f"**Simulated, not real models: {names}.**"] if names else []
