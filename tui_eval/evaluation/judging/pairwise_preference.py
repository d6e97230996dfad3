"""Pairwise preference: judges choose between two models' answers in both orders (METHOD.md 2.7)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, cast

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Cell, SampleResult, Score, Table
from tui_eval.evaluation.calls import ask_twice
from tui_eval.evaluation.judging.judge_panel import Rubric, score_of, why_unmarked
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.reading.json_candidates import json_candidates
from tui_eval.reading.thinking import without_thinking
from tui_eval.results.sums.judge_in_words import position_words
from tui_eval.statistics.pairwise_choices import (
    Choice,
    LengthControlled,
    Strengths,
    SwappedChoices,
    bradley_terry,
    bradley_terry_intervals,
    length_controlled,
    swapped_choices,
)
from tui_eval.statistics.resampling import DRAWS, Interval


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two models' answers to one turn, chosen between in both orders."""

    a: str
    b: str
    a_first: Choice | None
    """What was preferred where a's answer stood first, by model ("A" is a's); None where the reply could not be read."""
    b_first: Choice | None
    conversation: Hashable
    """What is drawn as a whole, and what intervals cluster by."""
    longer_by: float | None = None
    """By how many characters a's answer is longer; None where that is not known."""


@dataclass(frozen=True, slots=True)
class ChoiceSums:
    """Every pair of models that met, and all of them together."""

    pairs: dict[tuple[str, str], SwappedChoices]
    """By models, in the order in which models were given; the first is A."""
    by_length: dict[tuple[str, str], LengthControlled | None]
    """The same pairs with the length of answers taken into account: a diagnostic beside the win rate."""
    overall: SwappedChoices
    """All choices: consistency and first-slot share of the judge; its wins mean nothing."""
    models: tuple[str, ...]
    strengths: Strengths
    """Bradley-Terry, by model in this order; a contradiction between orders is a tie."""
    intervals: tuple[Interval, ...]
    """Of each model's Elo, whole conversations drawn."""


def choice_sums(judged: Sequence[JudgedPair], models: Sequence[str], draws: int = DRAWS) -> ChoiceSums:
    """Of every judged pair, in any order (METHOD.md 2.7). ValueError for a model that is not among them, or beside itself."""
    place = {model: i for i, model in enumerate(models)}
    turned = [_in_order(pair, place) for pair in judged]
    names = [pair.conversation for pair in turned]
    pairs, by_length = {}, {}
    for a, b in combinations(models, 2):
        met = [pair for pair in turned if (pair.a, pair.b) == (a, b)]
        if met:
            pairs[a, b] = swapped_choices([(pair.a_first, pair.b_first) for pair in met], [pair.conversation for pair in met])
            by_length[a, b] = _by_length(met)
    overall = swapped_choices([(pair.a_first, pair.b_first) for pair in turned], names)
    tables: dict[Hashable, list[list[float]]] = {}
    for pair in turned:
        if pair.a_first is not None and pair.b_first is not None:
            table = tables.setdefault(pair.conversation, [[0.0] * len(models) for _ in models])
            won = _won(pair)
            table[place[pair.a]][place[pair.b]] += won
            table[place[pair.b]][place[pair.a]] += 1 - won
    wins = [[sum(table[i][j] for table in tables.values()) for j in range(len(models))] for i in range(len(models))]
    win_tables = list(tables.values())
    intervals = (
        bradley_terry_intervals(win_tables, draws)
        if win_tables
        else [Interval(None, None, 0, 0, why="no choice")] * len(models)
    )
    return ChoiceSums(pairs, by_length, overall, tuple(models), bradley_terry(wins), tuple(intervals))


def _by_length(met: Sequence[JudgedPair]) -> LengthControlled | None:
    """Of those whose choices are both read and whose lengths are known."""
    usable_pairs = [
        pair for pair in met if pair.longer_by is not None and pair.a_first is not None and pair.b_first is not None
    ]
    longer_by = [pair.longer_by for pair in usable_pairs if pair.longer_by is not None]
    return length_controlled([_won(pair) for pair in usable_pairs], longer_by, [pair.conversation for pair in usable_pairs])


def _won(pair: JudgedPair) -> float:
    """Return the share that a's answer won, of choices that are both read; a contradiction is a tie."""
    if pair.a_first is None or pair.a_first != pair.b_first:
        return 0.5
    return {"A": 1.0, "B": 0.0, "tie": 0.5}[pair.a_first]


_OTHER: dict[Choice | None, Choice | None] = {"A": "B", "B": "A", "tie": "tie", None: None}


def _in_order(pair: JudgedPair, place: dict[str, int]) -> JudgedPair:
    """The same with the models in their order."""
    if pair.a == pair.b or pair.a not in place or pair.b not in place:
        raise ValueError(f"{pair.a!r} against {pair.b!r}, of {list(place)}")
    if place[pair.a] < place[pair.b]:
        return pair
    shorter_by = None if pair.longer_by is None else -pair.longer_by
    return JudgedPair(pair.b, pair.a, _OTHER[pair.b_first], _OTHER[pair.a_first], pair.conversation, shorter_by)


Preferred = Literal["first", "second", "tie"]
_WORDS: dict[Preferred, str] = {
    "first": "first|1|a|first answer|answer 1|answer a|the first",
    "second": "second|2|b|second answer|answer 2|answer b|the second",
    "tie": "tie|c|both|equal|neither|draw|same",
}
_NAMES = {word: choice for choice, words in _WORDS.items() for word in words.split("|")}
_BRACKETS = re.compile(r"\[\[\s*([A-Ca-c12]|tie)\s*\]\]")
_LABEL = re.compile(
    r"\b(?:choice|better|verdict|winner)\b[*_`\"']*\s*[:=]\s*[*_`\"'\[(]*(first|second|tie|[abc12])\b", re.IGNORECASE
)


def read_choice(text: str | None) -> Preferred | None:
    """From {"reason": ..., "better": "first" | "second" | "tie"}, [[A]] / [[B]] / [[C]] or `better: first`; else None."""
    answer = without_thinking(text or "") or ""
    values = [candidate.value for candidate in json_candidates(answer, "better").values]
    verdicts = [value["better"] for value in values if isinstance(value, dict) and "better" in value]
    if verdicts:
        return _NAMES.get(str(verdicts[-1]).casefold().strip(" .*_`\"'[]()"))
    matches = _BRACKETS.findall(answer) or _LABEL.findall(answer)
    return _NAMES.get(matches[-1].casefold()) if matches else None


PREFERENCE = Metric("preference")
"""The share of an answer's comparisons that it wins, a tie being half a win; a choice that the order decides is a tie."""
_RUBRIC = Rubric(PREFERENCE.name, "", lambda text: None)
_PAIRS = (
    "judge", "model_a", "model_b", "n", "wins", "losses", "ties", "win_rate", "ci_low", "ci_high", "lc_win_rate",
    "lc_low", "lc_high", "lc_n", "consistency", "first_share", "p_position", "n_unread", "n_first_first",
    "n_second_second", "lean", "lean_low", "lean_high",
)  # fmt: skip
LEAN = "(n_first_first - n_second_second) / n"
_STRENGTHS = ("judge", "model", "elo", "low", "high", "chance_against_mean", "n")


@dataclass(frozen=True, slots=True)
class ToCompare:
    """Answers of several models to one question."""

    answers: Sequence[Reply]
    ask: Callable[[AskedModel, Reply, Reply], Call]
    """The call that has a judge choose between a first and a second one."""


Compared = Generator[Sequence[Call], Sequence[Reply], list[Score]]


def compared(requests: Sequence[ToCompare], judges: Sequence[AskedModel], reminder: str, version: str) -> Compared:
    """One score for each answer: n(n - 1) calls a question and judge, for the answers that have a text; all at once.

    `Score.read` is JSON: {"choices": {judge: {other model: [choice where it stood first, where it stood second]}}}, a choice
    "A" (it), "B" (the other), "tie" or null, which could not be read.
    """
    planned_calls = [
        (place, judge, first, second)
        for place, request in enumerate(requests)
        for a, b in combinations([reply for reply in request.answers if reply.ok], 2)
        for judge in judges
        for first, second in ((a, b), (b, a))
    ]
    calls = [requests[place].ask(judge, first, second) for place, judge, first, second in planned_calls]
    reads: list[Callable[[str | None], Preferred | None]] = [read_choice] * len(calls)
    results = yield from ask_twice(calls, reads, reminder)
    choices: dict[tuple[int, str, str, str], tuple[Preferred | None, Reply]] = {
        (place, judge.name, first.call.model, second.call.model): (cast("Preferred | None", preferred), verdict)
        for (place, judge, first, second), (preferred, verdict) in zip(planned_calls, results, strict=True)
    }
    rubric = replace(_RUBRIC, version=version)
    return [
        _score(rubric, reply, [(key[1:], choice) for key, choice in choices.items() if key[0] == place])
        for place, request in enumerate(requests)
        for reply in request.answers
    ]


_AS_FIRST: Mapping[Preferred | None, Choice | None] = {"first": "A", "second": "B", "tie": "tie", None: None}
_AS_SECOND: Mapping[Preferred | None, Choice | None] = {"first": "B", "second": "A", "tie": "tie", None: None}


def _score(
    rubric: Rubric, reply: Reply, results: Sequence[tuple[tuple[str, str, str], tuple[Preferred | None, Reply]]]
) -> Score:
    """Return the score of an answer from the choices that it stood in."""
    if not reply.ok:
        return score_of(rubric, reply, None, f"no reply: {reply.why}")
    model, choices = reply.call.model, dict[str, dict[str, list[Choice | None]]]()
    last: Reply | None = None
    for (judge, first, second), (preferred, verdict) in results:
        if model in (first, second):
            opponent = second if model == first else first
            pair = choices.setdefault(judge, {}).setdefault(opponent, [None, None])
            pair[model == second] = (_AS_FIRST if model == first else _AS_SECOND)[preferred]
            last = verdict if preferred is None or last is None else last
    values = [
        {"A": 1.0, "B": 0.0, "tie": 0.5}[a] if a == b else 0.5
        for by_opponent in choices.values()
        for a, b in by_opponent.values()
        if a is not None and b is not None
    ]
    value = sum(values) / len(values) if values else None
    why = "" if values else why_unmarked(rubric, last) if last is not None else "no other answer to compare it with"
    read = json.dumps({"choices": choices}, ensure_ascii=False) if choices else None
    return replace(score_of(rubric, reply, value, why), read=read)


class PairReport:
    """Adds up the choices of `compared`."""

    def __init__(self, judges: Sequence[str], models: Sequence[str]) -> None:
        self._models = models
        self._pairs: dict[str, list[JudgedPair]] = {judge: [] for judge in judges}
        self._made: dict[str, ChoiceSums] = {}

    def add(self, row: SampleResult) -> None:
        """Take in a row's scores, those of `compared` among others."""
        self._made.clear()
        answers = [(reply.call, reply.text or "") for reply in row.replies if reply.ok]
        lengths = {(call.stage, call.model, call.call_index): len(text) for call, text in answers}
        for score in row.scores:
            if score.name != PREFERENCE.name or not score.read:
                continue
            for judge, by_opponent in json.loads(score.read)["choices"].items():
                for opponent, (as_first, as_second) in by_opponent.items():
                    if self._models.index(score.model) < self._models.index(opponent):  # each pair stands in both scores
                        own, its = (lengths.get((score.stage, name, score.call_index)) for name in (score.model, opponent))
                        longer_by = None if own is None or its is None else own - its
                        pair = JudgedPair(score.model, opponent, as_first, as_second, row.sample.cluster, longer_by)
                        self._pairs[judge].append(pair)

    def tables(self) -> Mapping[str, Table]:
        """choices (a row for each judge and pair of models) and strengths (for each judge and model)."""
        pairs: list[Cells] = []
        strengths: list[Cells] = []
        for judge, sums in self._sums():
            pairs += self._of_pairs(judge, sums)
            strengths += self._of_models(judge, sums)
        note = "Each pair of answers is shown in both orders; where these contradict each other it is a tie. win_rate: of a, " \
               "(wins + ties / 2) / n, Wilson by conversations; lc_win_rate: the same if both answers were equally long (a " \
               "logistic fit, interval by conversations), a diagnostic; first_share: choices for what stood first; " \
               f"lean: {LEAN}, of choices that contradict each other; p_position: of no lean, by conversations."  # fmt: skip
        return {
            "choices": table_of("Choices between two models", pairs, _PAIRS, note, _PAIRS[:3]),
            "strengths": table_of("Strengths by choices (Bradley-Terry)", strengths, _STRENGTHS, _NOTE, _STRENGTHS[:2]),
        }

    def sentences(self) -> list[str]:
        """Say how far the order of two answers decides, judge by judge."""
        return [f"{PREFERENCE.name}: {judge}: {position_words(sums.overall)}." for judge, sums in self._sums()]

    def _sums(self) -> Iterator[tuple[str, ChoiceSums]]:
        for judge, pairs in self._pairs.items():
            if pairs:
                if judge not in self._made:
                    self._made[judge] = choice_sums(pairs, self._models)
                yield judge, self._made[judge]

    def _of_pairs(self, judge: str, sums: ChoiceSums) -> Iterator[Cells]:
        for (a, b), pair in sums.pairs.items():
            even = sums.by_length[a, b]
            rate, low, high = (None, None, None) if even is None else (even.rate, even.low, even.high)
            n = 0 if even is None else even.n
            yield {
                RESTS_ON: {"models": [a, b], "name": PREFERENCE.name}, "judge": judge, "model_a": a, "model_b": b, "n": pair.n,
                "wins": pair.wins, "losses": pair.losses, "ties": pair.ties,
                "win_rate": Cell(
                    rounded(pair.win_rate), pair.n, rounded(pair.low), rounded(pair.high), "(wins + ties / 2) / n"
                ),
                "ci_low": rounded(pair.low), "ci_high": rounded(pair.high),
                "lc_win_rate": Cell(rounded(rate), n, rounded(low), rounded(high), "σ(θ) of σ(θ + φ · tanh(Δ / sd))"),
                "lc_low": rounded(low), "lc_high": rounded(high), "lc_n": n,
                "consistency": Cell(rounded(pair.consistency), pair.n, formula="same / n"),
                "first_share": Cell(rounded(pair.first_share), pair.first_n, formula="first / no tie"),
                "p_position": rounded(pair.p_position), "n_unread": pair.left_out, "n_first_first": pair.first_first,
                "n_second_second": pair.second_second,
                "lean": Cell(rounded(pair.lean), pair.n, rounded(pair.lean_low), rounded(pair.lean_high), LEAN),
                "lean_low": rounded(pair.lean_low), "lean_high": rounded(pair.lean_high),
            }  # fmt: skip

    def _of_models(self, judge: str, sums: ChoiceSums) -> Iterator[Cells]:
        elo = sums.strengths.elo
        for place, model in enumerate(sums.models):
            ends = sums.intervals[place]
            value: Json = None if elo is None else round(elo[place], 1)
            yield {
                RESTS_ON: {"model": model, "name": PREFERENCE.name}, "judge": judge, "model": model,
                "elo": Cell(value, round(sums.strengths.n), ends.low, ends.high, "1000 + 400 / ln 10 · β"),
                "low": rounded(ends.low), "high": rounded(ends.high), "n": sums.strengths.n,
                "chance_against_mean": None if elo is None else rounded(1 / (1 + 10 ** ((1000 - elo[place]) / 400))),
            }  # fmt: skip


_NOTE = (
    "Elo 1000 = the mean of these models; intervals draw whole conversations. Where a model won or lost everything half a win"
    " and half a loss are added for each pair that met."
)
