"""Scorer bench of a stored run: every scorer on every stored reply with a target, beside a person's ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.reopening import reopen
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import plain_id
from tui_eval.evaluation.scoring.lenience import Lenience, leniences
from tui_eval.evaluation.scoring.rule import digest_of
from tui_eval.evaluation.sum_cells import rounded
from tui_eval.evaluation.targets import TargetedAnswer
from tui_eval.reporting.bench_scorers import BenchScorer, BenchVerdict, bench_scorers, reference_of
from tui_eval.results.sums.in_words import listed, percent
from tui_eval.results.sums.scorers.scorer_bench import (
    DIFFER,
    BenchReply,
    ModelError,
    Ratings,
    ScorerError,
    rating_order,
    scorer_errors,
)
from tui_eval.results.sums.scorers.scorer_sentences import chosen_words, error_words
from tui_eval.results.tables import aligned
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.runs.scorer_ratings import ReplyPlace
from tui_eval.statistics.stratified_rates import StratifiedRate
from tui_eval.workspace.places import Workspace

SHUFFLED = 1_000
"""Replies that are tried with the targets of other samples, spread over the run."""
COLUMNS = ("scorer", "accepts", "n", "unparsed", "no value", "shuffled", "differs", "calls", "error [95 %]")


@dataclass(frozen=True, slots=True)
class BenchAnswer:
    """One reply as a person rates it."""

    question: str
    targets: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ScorerLine:
    """One scorer over all replies."""

    scorer: BenchScorer
    n: int
    """Replies with a value."""
    accepted: int
    mean: float | None
    """Of the values, for scores without a threshold."""
    unparsed: int
    missing: int
    differs: int
    """Of the replies that both give a verdict on, those where it differs from the run's own scorer."""
    compared: int
    lenience: Lenience | None


@dataclass(frozen=True)
class ScorerBench:
    """All scorers side by side on the replies of a run."""

    run_id: str
    simulated: tuple[str, ...]
    reference: str
    """The run's own scorer; empty where that only has a mean."""
    lines: Sequence[ScorerLine]
    replies: Sequence[BenchReply]
    """Their verdicts are of the scorers that accept some and not all, each unlike the others."""
    alike: Mapping[str, str]
    """Scorers that say the same of every reply as another one, with that."""
    answers: Mapping[ReplyPlace, BenchAnswer]
    seed: int
    draw: str
    """Digest of the strata: ratings of another draw are of other strata, and their draws say nothing here."""
    left_out: Mapping[str, str]

    def order(self) -> list[BenchReply]:
        """The replies in the order in which they are rated."""
        return rating_order(self.replies, self.seed)

    def errors(self, ratings: Ratings) -> list[ScorerError]:
        """The errors by ratings."""
        return scorer_errors(self.replies, ratings)


def read_bench(path: Path, workspace: Workspace) -> ScorerBench:
    """Return the bench of a run folder. ConfigError where its evaluation type has no targets."""
    evaluation = reopen(path, workspace, sends=False).evaluation
    if not evaluation.kind.targets.stages:
        raise ConfigError(f"{path}: {evaluation.kind.name} has no targets, so no scorer applies")
    scorers, left_out = bench_scorers(evaluation.kind, evaluation.task.scorers)
    reader = RunReader(path)
    rows, simulated = _Rows(evaluation, scorers), set[str]()
    with Recorded(path) as recorded:
        for offset, head in reader.heads():
            recorded.add(head, offset)
            if head["simulated"]:
                simulated.add(str(head["model"]))
        rows.read(recorded)
    if not rows.answers:
        raise ConfigError(f"{path}: no stored reply has a target, so there is nothing to score")
    run_id = str(reader.table("manifest.json").get("run_id", path.name))
    return rows.bench(run_id, tuple(sorted(simulated)), left_out)


class _Rows:
    """The verdicts of every scorer, reply by reply."""

    def __init__(self, evaluation: Evaluation, scorers: Sequence[BenchScorer]) -> None:
        self._evaluation, self._scorers = evaluation, scorers
        self._fence = evaluation.task.scorers.fence
        self.answers: dict[ReplyPlace, TargetedAnswer] = {}
        self._questions: dict[ReplyPlace, str] = {}
        self._verdicts: dict[str, list[BenchVerdict]] = {scorer.name: [] for scorer in scorers}

    def read(self, recorded: Recorded) -> None:
        """Take in every stored reply with a target."""
        kind, task = self._evaluation.kind, self._evaluation.task
        for row in RowsFromLog(self._evaluation, recorded):
            if row.sample.checks_judge:
                continue
            parts: Counter[tuple[str, str, int]] = Counter()
            for answer in kind.targets.answers_in(task, row.sample, row.replies):
                call, expected = answer.reply.call, answer.expected
                if answer.why or not answer.reply.ok or (expected.targets is None and expected.answer is None):
                    continue
                key = (call.stage, call.model, call.call_index)
                place = ReplyPlace(plain_id(row.sample.id), row.sample.repeat, *key, parts[key])
                parts[key] += 1
                self.answers[place] = answer
                self._questions[place] = answer.question or row.sample.question
                for scorer in self._scorers:
                    self._verdicts[scorer.name].append(scorer.verdict(answer, row, self._fence))

    def bench(self, run_id: str, simulated: tuple[str, ...], left_out: Mapping[str, str]) -> ScorerBench:
        """Put all of it side by side."""
        valued = [scorer for scorer in self._scorers if any(each.value is not None for each in self._verdicts[scorer.name])]
        reasons = {scorer.name: self._why_without(scorer.name) for scorer in self._scorers if scorer not in valued}
        reference = reference_of(self._evaluation.kind, valued)
        lenience = self._leniences(valued)
        lines = [self._line(scorer, reference, lenience.get(scorer.name)) for scorer in valued]
        telling = [
            line.scorer.name for line in lines if line.scorer.judges and (line.scorer.of_run or 0 < line.accepted < line.n)
        ]
        first: dict[tuple[bool | None, ...], str] = {}
        twins = {name: first.setdefault(tuple(each.accepts for each in self._verdicts[name]), name) for name in telling}
        names = [*first.values()]
        replies = [
            BenchReply(place, place.model, {name: self._verdicts[name][n].accepts for name in names})
            for n, place in enumerate(self.answers)
        ]
        return ScorerBench(
            run_id=run_id,
            simulated=simulated,
            reference=reference.name if reference else "",
            lines=lines,
            replies=replies,
            alike={name: twin for name, twin in twins.items() if name != twin},
            answers={place: self._shown(place, answer) for place, answer in self.answers.items()},
            seed=self._evaluation.task.seed,
            draw=digest_of([[*place, reply.stratum] for place, reply in zip(self.answers, replies, strict=True)]),
            left_out={**reasons, **left_out},
        )

    def _why_without(self, name: str) -> str:
        return next((each.why for each in self._verdicts[name] if each.why), "gives no value")

    def _shown(self, place: ReplyPlace, answer: TargetedAnswer) -> BenchAnswer:
        expected = answer.expected
        right = () if expected.answer is None or not expected.options else (expected.options[expected.answer],)
        return BenchAnswer(self._questions[place], expected.targets or right, answer.reply.text or "")

    def _leniences(self, scorers: Sequence[BenchScorer]) -> dict[str, Lenience]:
        """Return how often scorers that cost nothing pass replies with the targets of other samples."""
        step = max(len(self.answers) // SHUFFLED, 1)
        tried = [*self.answers.values()][::step]
        rows = [scorer.row for scorer in scorers if scorer.row is not None]
        outcomes = leniences(
            rows, [each.reply for each in tried], [each.expected for each in tried], self._evaluation.task.seed, self._fence
        )
        return {each.name: each for each in outcomes}

    def _line(self, scorer: BenchScorer, reference: BenchScorer | None, lenience: Lenience | None) -> ScorerLine:
        verdicts = self._verdicts[scorer.name]
        values = [each.value for each in verdicts if each.value is not None]
        own = self._verdicts[reference.name] if reference is not None and scorer.judges else []
        pairs = [(a.accepts, b.accepts) for a, b in zip(verdicts, own, strict=False) if None not in (a.accepts, b.accepts)]
        return ScorerLine(
            scorer=scorer,
            n=len(values),
            accepted=sum(each.accepts is True for each in verdicts),
            mean=None if scorer.judges else fmean(values),
            unparsed=sum(each.is_unparsed for each in verdicts),
            missing=len(verdicts) - len(values),
            differs=sum(a != b for a, b in pairs),
            compared=len(pairs),
            lenience=lenience,
        )


# ------------------------------------------------------------------------------------------------------------------ for people


def bench_text(bench: ScorerBench, ratings: Ratings, notes: Sequence[str] = ()) -> str:
    """The bench as text: who is simulated, the table, errors by persons' ratings with notes on these, and what is left out."""
    errors = bench.errors(ratings) if ratings else []
    by_scorer = {error.scorer: error for error in errors}
    rows = [_cells(bench, line, by_scorer.get(bench.alike.get(line.scorer.name, line.scorer.name))) for line in bench.lines]
    table = aligned(COLUMNS, rows, (False, *(True for _ in COLUMNS[1:])))
    notices = [f"Simulated, not real models: {', '.join(bench.simulated)}."] if bench.simulated else []
    return "\n".join([*notices, _heading(bench), "", table, "", *_ending(bench, errors, notes)])


def _heading(bench: ScorerBench) -> str:
    differ = sum(reply.stratum == DIFFER for reply in bench.replies)
    n_models = len({reply.model for reply in bench.replies})
    about = f"{count_of(len(bench.replies), 'reply', 'replies')} of {count_of(n_models, 'model')}"
    beside = f"; differs: from `{bench.reference}`, which the run's verdict speaks of" if bench.reference else ""
    return f"{about}; scorers differ on {differ:,} ({percent(differ / len(bench.replies))}){beside}"


def _cells(bench: ScorerBench, line: ScorerLine, error: ScorerError | None) -> list[str]:
    scorer, lenience = line.scorer, line.lenience
    rate = percent(line.accepted / line.n) if scorer.judges else f"mean {line.mean:.2f}"
    shuffled = "-"
    if lenience is not None and lenience.shuffled_share is not None:
        shuffled = percent(lenience.shuffled_share) + (" lenient" if lenience.is_lenient else "")
    differs = f"{line.differs:,} of {line.compared:,}" if line.compared and scorer.name != bench.reference else "-"
    calls = "-" if scorer.row is None else "1 a reply" if scorer.asks_model else "0"
    name = f"{scorer.name} (run)" if scorer.of_run else scorer.name
    return [name, rate, f"{line.n:,}", f"{line.unparsed:,}", f"{line.missing:,}", shuffled, differs, calls, _error_cell(error)]


def _error_cell(error: ScorerError | None) -> str:
    if error is None:
        return "-"
    rate = error.error
    return f"{percent(rate.value)} [{100 * rate.low:.1f}, {100 * rate.high:.1f}]{' wrong' if error.is_wrong else ''}"


def _ending(bench: ScorerBench, errors: Sequence[ScorerError], notes: Sequence[str]) -> Iterator[str]:
    """Say what the ratings show, how scorers err by model, and what was left out."""
    if not errors:
        yield "No ratings yet: only a person can tell which scorer is right. tui-eval bench RUN --rate 20 asks you, blind."
    yield from notes
    for twin, names in gathered((twin, name) for name, twin in bench.alike.items()).items():
        yield f"{listed(names)} {'says' if len(names) == 1 else 'say'} the same as {twin} of every reply."
    for error in errors:
        yield from (f"{sentence}." for sentence in error_words(error))
    if chosen := chosen_words(errors):
        yield f"{chosen}."
    if errors and len(errors[0].by_model) > 1:
        yield from ("", _model_table(errors))
    if bench.left_out:
        yield ""
        reasons = gathered((why, name) for name, why in bench.left_out.items())
        yield f"Left out: {'; '.join(f'{listed(names)} ({why})' for why, names in reasons.items())}."


def _model_table(errors: Sequence[ScorerError]) -> str:
    rows = [
        [error.scorer, part.model, *map(_rate_cell, (part.error, part.false_accepts, part.false_rejects)), f"{part.n_rated:,}"]
        for error in errors
        for part in error.by_model
    ]
    columns = ("scorer", "model", "error [95 %]", "false accepts", "false rejects", "ratings")
    return aligned(columns, rows, (False, False, True, True, True, True))


def _rate_cell(rate: StratifiedRate) -> str:
    return f"{percent(rate.value)} [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"


# ---------------------------------------------------------------------------------------------------------------- for programs


def bench_entry(bench: ScorerBench, ratings: Ratings, notes: Sequence[str] = ()) -> dict[str, Json]:
    """The bench as JSON."""
    errors = bench.errors(ratings) if ratings else []
    return {
        "run_id": bench.run_id,
        "simulated_models": list(bench.simulated),
        "reference": bench.reference,
        "n_replies": len(bench.replies),
        "n_differ": sum(reply.stratum == DIFFER for reply in bench.replies),
        "n_ratings": len(ratings),
        "n_candidates": len(bench.replies[0].verdicts),
        "alike": dict(bench.alike),
        "draw": bench.draw,
        "scorers": [_line_entry(line) for line in bench.lines],
        "errors": [_error_entry(error) for error in errors],
        "chosen": chosen_words(errors),
        "notes": [*notes],
        "left_out": dict(bench.left_out),
    }


def _line_entry(line: ScorerLine) -> dict[str, Json]:
    lenience = line.lenience
    return {
        "scorer": line.scorer.name,
        "version": line.scorer.version,
        "of_run": line.scorer.of_run,
        "n": line.n,
        "accepts": rounded(line.accepted / line.n) if line.scorer.judges else None,
        "mean": None if line.mean is None else rounded(line.mean),
        "unparsed": line.unparsed,
        "missing": line.missing,
        "shuffled": None if lenience is None or lenience.shuffled_share is None else rounded(lenience.shuffled_share),
        "n_shuffled": 0 if lenience is None else lenience.shuffled_n,
        "differs": line.differs if line.compared else None,
        "n_compared": line.compared,
        "asks_model": None if line.scorer.row is None else line.scorer.asks_model,
    }


def _error_entry(error: ScorerError) -> dict[str, Json]:
    return {
        "scorer": error.scorer,
        "n_replies": error.n_replies,
        "found_wrong": error.is_wrong,
        **_rates_entry(error),
        "by_model": [{"model": part.model, **_rates_entry(part)} for part in error.by_model],
        "gaps": [
            {"lenient_on": gap.lenient_on, "than": gap.than, "value": rounded(gap.value), "low": rounded(gap.low),
             "high": rounded(gap.high)}
            for gap in error.gaps
        ],
        "sentences": [*error_words(error)],
    }  # fmt: skip


def _rates_entry(part: ScorerError | ModelError) -> dict[str, Json]:
    rates = (("error", part.error), ("false_accepts", part.false_accepts), ("false_rejects", part.false_rejects))
    entry: dict[str, Json] = {"n_ratings": part.n_rated}
    for name, rate in rates:
        value = None if rate.value is None else rounded(rate.value)
        entry[name] = {"value": value, "low": rounded(rate.low), "high": rounded(rate.high)}
    return entry
