"""Reading of a scorer bench: the verdicts of every scorer on the stored replies of a run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from tui_eval.configuring.evaluation import Evaluation, RowsFromLog
from tui_eval.configuring.reopening import reopen
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import plain_id
from tui_eval.evaluation.scoring.lenience import Lenience, leniences
from tui_eval.evaluation.scoring.rule import digest_of
from tui_eval.evaluation.targets import TargetedAnswer
from tui_eval.reporting.bench_scorers import BenchScorer, BenchVerdict, bench_scorers, reference_of
from tui_eval.reporting.scorer_bench import BenchAnswer, ScorerBench, ScorerLine
from tui_eval.reporting.scorer_costs import ScorerCosts
from tui_eval.reporting.taken_scorer import taken_setting
from tui_eval.results.sums.scorers.scorer_bench import BenchReply
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.runs.scorer_ratings import ReplyPlace
from tui_eval.workspace.places import Workspace

SHUFFLED = 1_000
"""Replies that are tried with the targets of other samples, spread over the run."""


def read_bench(path: Path, workspace: Workspace) -> ScorerBench:
    """Return the bench of a run folder. ConfigError where its evaluation type has no targets."""
    evaluation = reopen(path, workspace, sends=False).evaluation
    if not evaluation.kind.targets.stages:
        raise ConfigError(f"{path}: {evaluation.kind.name} has no targets, so no scorer applies")
    scorers, left_out = bench_scorers(evaluation.kind, evaluation.task.scorers)
    reader = RunReader(path)
    costs = ScorerCosts(evaluation.kind, [scorer.name for scorer in scorers if scorer.row is None])
    rows, simulated = _Rows(evaluation, scorers, costs), set[str]()
    with Recorded(path) as recorded:
        for offset, head in reader.heads():
            recorded.add(head, offset)
            costs.add(head)
            if head["simulated"]:
                simulated.add(str(head["model"]))
        rows.read(recorded)
    if not rows.answers:
        raise ConfigError(f"{path}: no stored reply has a target, so there is nothing to score")
    run_id = str(reader.table("manifest.json").get("run_id", path.name))
    return rows.bench(run_id, tuple(sorted(simulated)), left_out)


class _Rows:
    """The verdicts of every scorer, reply by reply."""

    def __init__(self, evaluation: Evaluation, scorers: Sequence[BenchScorer], costs: ScorerCosts) -> None:
        self._evaluation, self._scorers, self._costs = evaluation, scorers, costs
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
        telling = [line.name for line in lines if line.judges and (line.of_run or 0 < line.accepted < line.n)]
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
        usd, unknown = self._costs.per_reply(scorer)
        setting, why_not = taken_setting(scorer, self._evaluation.kind, self._evaluation.task.scorers)
        return ScorerLine(
            name=scorer.name,
            version=scorer.version,
            of_run=scorer.of_run,
            judges=scorer.judges,
            asks_model=None if scorer.row is None else scorer.asks_model,
            n=len(values),
            accepted=sum(each.accepts is True for each in verdicts),
            mean=None if scorer.judges else fmean(values),
            unparsed=sum(each.is_unparsed for each in verdicts),
            missing=len(verdicts) - len(values),
            differs=sum(a != b for a, b in pairs),
            compared=len(pairs),
            shuffled=None if lenience is None else lenience.shuffled_share,
            n_shuffled=0 if lenience is None else lenience.shuffled_n,
            is_lenient=lenience is not None and lenience.is_lenient,
            usd_per_reply=usd,
            unknown_costs=unknown,
            settings=setting,
            why_not=why_not,
        )
