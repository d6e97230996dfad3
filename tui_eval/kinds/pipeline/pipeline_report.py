"""The report on work on files: what each model kept of them and at which price, marks by category, costs by stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tui_eval.core.calls import NOTHING_PAID, Json, Paid, Reply
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import RunStamp
from tui_eval.core.money import how_much, told_apart, usd
from tui_eval.core.output_names import joined
from tui_eval.core.plaintext import count_of, one_line, zero_width_signs
from tui_eval.core.results import About, Cell, SampleResult, Table
from tui_eval.core.units import Unit, digest
from tui_eval.evaluation.judging.judge_panel import said_of
from tui_eval.evaluation.judging.judge_part import JudgePart, ScoredAnswer
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, by_column, rounded, six_digits, table_of
from tui_eval.kinds.pipeline.answer_judging import MARK, RUBRICS, scored_answers
from tui_eval.kinds.pipeline.file_flow import FEWER, METRICS, NO_QUESTION, PASSED, SCORED_AS, UNSAID, worked
from tui_eval.kinds.pipeline.file_results import Worked, told_as
from tui_eval.kinds.pipeline.file_task import FileTask
from tui_eval.kinds.pipeline.output_files import moment
from tui_eval.kinds.pipeline.text_fidelity import CHARACTERS, SURVIVED, WORDS, TextEdits, edits_of
from tui_eval.results.sums.metrics import is_binary, passes
from tui_eval.results.sums.stage_costs import stage_costs
from tui_eval.statistics.edit_distance import pooled_rate

TITLES = ("Answers whose mark passes, by stage and model", "Scores by stage, model and metric")
WITH_RUBRICS = "Answers that pass, by stage, model and metric"
"""The first of these where a rubric of a person's own says yes or no, too."""
PROCESSING, BOTH = "processing", "processing and answering"
"""What may have been done elsewhere, at a cost that nobody here knows."""
POOLED, NORMALIZED = "_pooled", "_normalized"
"""How error rates are called of all texts as one, and of what texts say without what only looks different."""
FIRST_ASKED = "when first asked"
"""At which price replies compare that were on file."""


@dataclass(slots=True)
class _ModelFigures:
    """Of one model that processes files."""

    texts: int = 0
    failed: int = 0
    cut: int = 0
    marks: list[float] = field(default_factory=list)
    wanted: int = 0
    unasked: Counter[str] = field(default_factory=Counter)
    """Of those wanted, how many had no question, by the reason."""
    passed: int = 0
    rates: dict[str, list[float]] = field(default_factory=dict)
    edits: list[TextEdits] = field(default_factory=list)
    """Of its texts with a reference."""
    cost: float = 0.0
    """Of this run, by the last attempts alone: nothing for what was on file."""
    retried: Paid = NOTHING_PAID
    """What the attempts cost that failed before."""
    simulated: float = 0.0
    """So much of it was paid to nobody."""
    made_up: int = 0
    """So many of these calls no real model answered."""
    calls: int = 0
    """Whose cost that is."""
    unpriced: int = 0
    on_file: int = 0
    """So many of these calls."""
    asked_at: float = 0.0
    """What all of them cost when they were first asked."""
    unknown_then: int = 0
    brought: str = ""
    """What of the work was done elsewhere; empty where nothing was."""

    @property
    def cost_usd(self) -> float | None:
        """Of all attempts; None where a price is not known, and where everything was brought."""
        return None if self.unpriced or (self.brought and not self.calls) else self.cost + self.retried.usd

    @property
    def simulated_usd(self) -> float | None:
        """The part of that cost that nobody was paid."""
        return None if self.cost_usd is None else self.simulated

    @property
    def real_usd(self) -> float | None:
        """The part of that cost that somebody was paid."""
        return None if self.cost_usd is None else max(self.cost_usd - self.simulated, 0.0)

    @property
    def first_cost_usd(self) -> float | None:
        """The same of the last attempts when first asked, by whichever run: by this models compare, whatever was on file.

        None, too, where real and simulated models did it: what was paid and what nobody was paid add up to no price.
        """
        return None if self.unknown_then or self.mixed or (self.brought and not self.calls) else self.asked_at

    @property
    def cost_told(self) -> str:
        """The cost in short; where simulated models did some of it, how much nobody was paid."""
        if self.mixed and self.cost_usd is not None:
            return f"{usd(self.real_usd)} + {usd(self.simulated_usd)} sim"
        return usd(self.cost_usd)

    @property
    def mixed(self) -> bool:
        """Return whether real and simulated models did the work together: one processed, the other answered."""
        return 0 < self.made_up < self.calls

    def add_cost(self, reply: Reply) -> None:
        """Count a call of its work."""
        spent, first = reply.spent_usd, reply.usage.total_usd
        self.retried = self.retried.plus(reply.retried)
        self.simulated += reply.retried.usd * reply.simulated
        if reply.unsent:
            return
        self.calls += 1
        self.on_file += reply.cached
        self.cost += spent or 0.0
        self.simulated += (spent or 0.0) * reply.simulated
        self.made_up += reply.simulated
        self.unpriced += spent is None
        self.asked_at += first or 0.0
        self.unknown_then += first is None

    def error_rates(self) -> Iterator[tuple[str, float | None]]:
        """Beside the means of the texts' own rates: of all texts as one; and both of what texts say without what only looks
        different."""
        for metric, strict, loose in (
            (CHARACTERS, [edits.characters for edits in self.edits], [edits.bare_characters for edits in self.edits]),
            (WORDS, [edits.words for edits in self.edits], [edits.bare_words for edits in self.edits]),
        ):
            yield f"{metric.name}{POOLED}", pooled_rate(strict)
            rates = [edits.rate for edits in loose if edits.rate is not None]
            yield f"{metric.name}{NORMALIZED}", _mean(rates)
            yield f"{metric.name}{NORMALIZED}{POOLED}", pooled_rate(loose)

    def without(self, work: str) -> None:
        """So much was done elsewhere, of a text at least."""
        self.brought = max(self.brought, work, key=len)


class KeptReport(ScoreReport):
    """Scores of files: the marks of a file's questions are averaged first, so that intervals go by files."""

    def __init__(self, task: FileTask) -> None:
        own = MARK if task.threshold is None else replace(MARK, threshold=task.threshold)
        rubrics = [rubric.metric for rubric in task.rubrics.values()]
        metrics = [*(own if metric.name == MARK.name else metric for metric in METRICS), *rubrics]
        note = "The scores of a file's questions are averaged first. "
        titles = (WITH_RUBRICS, TITLES[1]) if any(map(is_binary, rubrics)) else TITLES
        super().__init__(task, metrics, note=note, judged=(MARK.name, PASSED.name, *task.rubrics), titles=titles)
        self._task, self._mark = task, own
        if task.judging is not None:
            judged = JudgePart(task, [own, *rubrics], RUBRICS.stage, ("answers",), partial(_scored_answers, task))
            self.parts.append(judged)
        self._by_category = ScoreReport(replace(task, units=replace(task.units, levels=("file",))), metrics)
        self._kept: dict[str, _ModelFigures] = {model.name: _ModelFigures() for model in task.asked.get("process", ())}
        self._unanswerable: Counter[bool | None] = Counter()
        self._partly_judged = 0
        self._unseen: list[int] = []
        """Of each processed text that has any, how many zero-width signs."""

    def add(self, row: SampleResult) -> None:
        """Take in one file."""
        super().add(row)
        if row.sample.checks_judge:
            return
        work = worked(self._task, row)
        for text in work.texts:
            totals = self._kept.setdefault(text.model, _ModelFigures())
            totals.texts += text.text is not None
            totals.failed += text.text is None
            totals.cut += text.cut
            self._unseen += filter(None, [zero_width_signs(text.text or "")])
            totals.without("" if text.reply else PROCESSING)
            if text.text is not None and row.sample.data.reference.strip():
                totals.edits.append(edits_of(row.sample.data.reference, text.text))
        self._count_scores(row)
        self._count_costs(row, work)
        for answered, marks in zip(work.answered, work.marks, strict=False):
            self._kept.setdefault(answered.text.model, _ModelFigures()).without("" if answered.asked else BOTH)
            for place, score in zip(work.places, marks, strict=True):
                self._partly_judged += 0 < len(said_of(score).get("marks", {})) < len(self._task.asked["judge"])
                if place.question and not place.question.answerable:
                    self._unanswerable[None if score.value is None else bool(passes(self._mark, score.value))] += 1

    def _count_scores(self, row: SampleResult) -> None:
        for score in row.scores:
            if score.stage == SCORED_AS:
                totals = self._kept.setdefault(score.model, _ModelFigures())
                if score.name == MARK.name:
                    totals.wanted += 1
                    totals.unasked.update([score.why] if score.why.startswith(NO_QUESTION) else ())
                if score.name == MARK.name and score.value is not None:
                    totals.marks.append(score.value)
                    totals.passed += bool(passes(self._mark, score.value))
                elif score.value is not None:
                    totals.rates.setdefault(score.name, []).append(score.value)
        for category, scores in gathered((score.pattern, score) for score in row.scores if score.pattern).items():
            whole = self._task.units.unit(self._task, row.sample)
            unit = Unit(digest(whole.item, category), (*whole.clusters, f"{row.sample.doc_id}/{category}"))
            self._by_category.count(unit, {"category": (category,)}, scores, row.sample.repeat)

    def _count_costs(self, row: SampleResult, work: Worked) -> None:
        """Count what processing and answering took, by who processed; writing questions and judging stand apart."""
        makers: dict[int, str] = {id(text.reply): text.model for text in work.texts if text.reply}
        for reply in row.replies:
            model = makers.get(id(reply))
            if self._task.is_of(reply, "answers"):  # by who processed the text that it rests on
                texts = (answered.text for answered in work.answered)
                begins = ((text.model, f"{told_as(self._task, text)} ") for text in texts)
                model = next((name for name, begin in begins if reply.call.about.startswith(begin)), None)
            if model is not None:
                self._kept[model].add_cost(reply)

    def tables(self) -> Mapping[str, Table]:
        """preserved: a row for each model that processes; categories: its marks by category; beside what every kind has."""
        tables = {"preserved": self._preserved(), **super().tables()}
        by_category = self._by_category.tables()
        names = {"category_scores": "group_scores", "category_passed": "groups"}
        tables |= {name: _categories(by_category[source]) for name, source in names.items() if source in by_category}
        return {name: table for name, table in tables.items() if table.rows}

    def headline(self) -> Sequence[Table]:
        """Show what each model kept, in short, and the scores with their intervals."""
        table = self._preserved()
        short: tuple[str, ...] = (
            "model", "texts", "CER", "normalized", "survived", "mark", "n", "passed", "cost", "a point", "a right answer",
        )  # fmt: skip
        rows = tuple(tuple(Cell(text) for text in _in_short(name, totals)) for name, totals in self._kept.items())
        if any(totals.on_file for totals in self._kept.values()):
            short = (*short, "on file")
            on_file = [Cell(f"{totals.on_file} of {totals.calls}") for totals in self._kept.values()]
            rows = tuple((*row, cell) for row, cell in zip(rows, on_file, strict=True))
        return [Table(table.title, short, rows, table.note, rests_on=table.rests_on), *super().headline()]

    def files(self, about: About) -> Mapping[str, Json]:
        """analysis/cost_analysis__…: what every attempt took, by model and stage."""
        if self._task.config.costs is None:
            return {}
        pretended, rows = about.simulated_models, about.calls
        if how_much(len(pretended), len(about.models)) == "some":
            rows = [{**row, "simulated": row["model"] in pretended} for row in rows]
        costs = stage_costs(rows, self._task.prices)
        name = joined("cost_analysis", moment(RunStamp(about.name, about.started_at)), suffix="json")
        processed_by = {
            name: {
                **_prices(totals),
                **({"without": totals.brought} if totals.brought else {}),
                **({"real_and_simulated": True} if totals.mixed else {}),
                **({"cost_as": FIRST_ASKED, "calls": totals.calls, "n_cached": totals.on_file} if totals.on_file else {}),
            }
            for name, totals in self._kept.items()
        }
        simulated = {"simulated": True} if about.simulated else {}
        return {f"analysis/{name}": {**costs, "processed_by": processed_by, **simulated}}

    def _preserved(self) -> Table:
        rows: list[Cells] = []
        for name, totals in self._kept.items():
            n = len(totals.marks)
            rests_on = {"stage": SCORED_AS, "model": name, "name": MARK.name}
            rows.append({
                RESTS_ON: rests_on, "model": name, "model_id": self.ids.get(name, name), "texts": totals.texts,
                "failed": totals.failed, "cut": totals.cut,
                **{metric.name: rounded(_mean(totals.rates.get(metric.name, ()))) for metric in (CHARACTERS, WORDS, SURVIVED)},
                **{name: rounded(rate) for name, rate in totals.error_rates()},
                "n_rated": len(totals.rates.get(CHARACTERS.name, ())), "n_survived": len(totals.rates.get(SURVIVED.name, ())),
                "mark": rounded(_mean(totals.marks)), "n_marks": n, "n_wanted": totals.wanted,
                "coverage": rounded(n / totals.wanted) if totals.wanted else None, "n_passed": totals.passed,
                "pass_rate": rounded(totals.passed / n) if n else None,
                "cost_usd": rounded(totals.cost_usd), "cost_simulated_usd": rounded(totals.simulated_usd),
                "final_cost_usd": None if totals.cost_usd is None else rounded(totals.cost), "n_on_file": totals.on_file,
                "n_cost_unknown": totals.unpriced + totals.retried.unknown, **_prices(totals),
            })  # fmt: skip
        beside = [name for name, _ in _ModelFigures().error_rates()]
        columns = ("model", "model_id", "texts", "failed", "cut", CHARACTERS.name, WORDS.name, *beside, SURVIVED.name,
                   "n_rated", "n_survived", "mark", "n_marks", "n_wanted", "coverage", "n_passed", "pass_rate", "cost_usd",
                   "cost_simulated_usd", "final_cost_usd", "n_on_file", "n_cost_unknown",
                   *_prices(_ModelFigures()))  # fmt: skip
        return table_of("What was preserved, by who processed the files", rows, columns, self._sentence(), ("model",))

    def _sentence(self) -> str:
        """Say how many marks could be read, and what became of questions without an answer."""
        scored, n_wanted = (
            sum(len(totals.marks) for totals in self._kept.values()),
            sum(totals.wanted for totals in self._kept.values()),
        )
        sentences = [f"{scored} of {n_wanted} answers have a mark."] if n_wanted else []
        unasked = sum((totals.unasked for totals in self._kept.values()), Counter[str]())
        sentences += [f"{n} of them {'has' if n == 1 else 'have'} {_in_words(why)}." for why, n in unasked.items()]
        if self._partly_judged:
            sentences.append(f"{self._partly_judged} scores rest on fewer judges than were asked.")
        if cut := sum(totals.cut for totals in self._kept.values()):
            sentences.append(f"{cut} processed texts were cut off by the token limit.")
        if self._unseen:
            signs, texts = count_of(sum(self._unseen), "zero-width sign"), count_of(len(self._unseen), "processed text")
            sentences.append(f"{signs} cannot be seen in {texts}.")
        if self._unanswerable:
            rightly, unmarked = self._unanswerable[True], self._unanswerable[None]
            more = f"; {unmarked} more without a mark" if unmarked else ""
            n = self._unanswerable.total() - unmarked
            sentences.append(f"To questions that have no answer, {rightly} of {n} answers rightly said so{more}.")
        rated = [len(totals.rates.get(CHARACTERS.name, ())) for totals in self._kept.values()]
        if any(rated) and any(n != totals.texts for n, totals in zip(rated, self._kept.values(), strict=True)):
            sentences.append(f"CER and survived are of texts with a reference text alone: n = {', '.join(map(str, rated))}.")
        if any(rated):
            sentences.append("normalized: the same without mark-up, and with one form of quotation marks, dashes and letters.")
        if n_wanted:
            sentences.append("mark, passed: of all answers alike; tables of scores average each file's first.")
        sentences.append(
            "Cost: all attempts of processing and answering (final: the last ones); a point is one of the 5 of a mark."
        )
        sentences += self._of_costs()
        sentences += [f"{warning}." for warning in self._task.warnings]
        return " ".join(sentences)

    def _of_costs(self) -> Iterator[str]:
        """Whose costs are real and simulated money; how many of the calls behind them this run did not ask, and what that means
        for each cost; and what is in no cost, since it was done elsewhere, or tells none."""
        for name, totals in self._kept.items():
            if totals.mixed:
                apart = told_apart("", usd(totals.real_usd), usd(totals.simulated_usd), "some")
                cost = "cost unknown" if totals.cost_usd is None else apart
                yield f"{one_line(name, 60)}: real and simulated models did the work ({cost}), so that a point has no price."
        if n := sum(totals.on_file for totals in self._kept.values()):
            whole = sum(totals.calls for totals in self._kept.values())
            yield f"{n} of these {whole} replies were on file and cost nothing in this run."
            yield f"A point and a right answer cost what they did {FIRST_ASKED}."
        if untold := sum(totals.retried.unknown for totals in self._kept.values()):
            yield f"{count_of(untold, 'failed attempt tells', 'failed attempts tell')} no cost, and are in none."
        for work in (PROCESSING, BOTH):
            names = [one_line(name, 60) for name, totals in self._kept.items() if totals.brought == work]
            if names:
                yield f"Brought from elsewhere, so that {work} is in no cost: {', '.join(names)}."


def _scored_answers(task: FileTask, row: SampleResult) -> Iterator[ScoredAnswer]:
    """The answers about a file, with all scores by its judges."""
    return scored_answers(task, worked(task, row), row)


def _in_words(why: str) -> str:
    """Why there is no question."""
    failed = f"{NO_QUESTION}, as the call that was to write it came to nothing"
    return why if why in (FEWER, UNSAID) else failed + why.removeprefix(NO_QUESTION)


def _per(totals: _ModelFigures, n: float, retried: float) -> float | None:
    """Cost by the point or the answer, as when first asked; None where it is not known, or there is nothing to divide by."""
    return (totals.first_cost_usd + retried) / n if n and totals.first_cost_usd is not None else None


def _prices(totals: _ModelFigures) -> dict[str, float | None]:
    """Return the costs of a point and a right answer, by all attempts and by the last ones alone."""
    ways, divisors = (
        {"": totals.retried.usd, "_final": 0.0},
        {"cost_per_point": sum(totals.marks), "cost_per_correct_answer": totals.passed},
    )
    return {
        f"{name}{end}": six_digits(_per(totals, n, retried)) for end, retried in ways.items() for name, n in divisors.items()
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _in_short(name: str, totals: _ModelFigures) -> Iterator[str]:
    yield from (name, str(totals.texts))
    loose = dict(totals.error_rates())[f"{CHARACTERS.name}{NORMALIZED}"]
    for value in (_mean(totals.rates.get(CHARACTERS.name, ())), loose, _mean(totals.rates.get(SURVIVED.name, ()))):
        yield "-" if value is None else f"{100 * value:.1f} %"
    mark, n = _mean(totals.marks), len(totals.marks)
    yield "-" if mark is None else f"{mark:.2f}"
    yield f"{n}/{totals.wanted}" if n < totals.wanted else str(n)
    yield f"{100 * totals.passed / n:.1f} %" if n else "-"
    yield totals.cost_told
    yield from (usd(_per(totals, n, totals.retried.usd)) for n in (sum(totals.marks), totals.passed))


def _categories(table: Table) -> Table:
    """A table by groups as one by categories; each row rests on the marks of its category."""
    return by_column(table, "category", lambda category: {"pattern": category.value}, lambda category: category)
