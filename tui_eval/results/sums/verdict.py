"""The verdict on a run or a comparison: sentences that a person can repeat, since each says what was tested and on how much."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.units import Units
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.differences import Tested
from tui_eval.results.sums.in_words import in_unit, listed, points, short
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary, scale_of, upwards
from tui_eval.results.sums.pair_words import more_words
from tui_eval.results.sums.sentences import Sentence, say

NAMED = 3
"""Sides that a sentence names; of more it says how many there are."""
LONGEST = 1_200
"""Characters of a verdict."""
SHAPES = ((60, 3), (40, 3), (24, 3), (24, 2), (18, 1))
"""Characters of a name, and clauses on other versions of what is asked: the first with which the verdict fits."""
NOTHING = "Nothing has a score."


class Contender(NamedTuple):
    """A side as a verdict speaks of it."""

    key: Side
    name: str
    found: Estimate


class Duel(NamedTuple):
    """Two of them, and what the test of their difference (a's less b's) found."""

    a: Side
    b: Side
    tested: Tested


@dataclass(frozen=True, slots=True)
class Contenders:
    """Sides that were held against each other by one metric, the better ones first (`Board.by_rank`)."""

    metric: Metric
    units: Units
    contenders: Sequence[Contender]
    duels: Sequence[Duel]

    @property
    def known(self) -> list[Contender]:
        """Those that have a score."""
        return [contender for contender in self.contenders if contender.found.n]

    @property
    def leader(self) -> Contender | None:
        """The one that is shown to be better than every other one, and has the best mean; None where there is none."""
        first = self._unbeaten(self._beaten) if len(self.known) > 1 else None
        return first if first is self._best(first) else None

    def told(self) -> Iterator[str]:
        """Who leads, who is shown to be worse, and what more items would tell; nothing of no score."""
        scored, beaten = self.known, self._beaten
        if not scored:
            return
        if len(scored) == 1:
            over = self.units.counted(scored[0].found.n, scored[0].found.scored)
            yield f"{self._figure(scored[0])} over {over}; there is nothing to compare it with."
            return
        first = self._unbeaten(beaten)
        yield from self._without_leader(scored, beaten) if first is None else [self._before_all(first, scored)]

    def over(self, leader: Contender) -> str:
        """On how much the tests of one with every other one rest."""
        return self._over(self.known, [duel for duel in self._tested(self.known) if leader.key in (duel.a, duel.b)])

    @property
    def _beaten(self) -> Mapping[Side, Sequence[Contender]]:
        """By contender those that are shown to be better."""
        won = {self._won(duel) for duel in self.duels if duel.tested.significant and duel.tested.found.value}
        return {contender.key: [rival for rival in self.known if (rival.key, contender.key) in won] for contender in self.known}

    def _unbeaten(self, beaten: Mapping[Side, Sequence[Contender]]) -> Contender | None:
        """The one that is shown to be better than every other one."""
        scored = self.known
        return next(
            (
                contender
                for contender in scored
                if all(contender in beaten[rival.key] for rival in scored if rival is not contender)
            ),
            None,
        )

    def _best(self, leader: Contender | None) -> Contender | None:
        """The one with the best mean; of several the leader."""
        return max(
            self.known,
            key=lambda contender: (upwards(self.metric, contender.found.value or 0.0), contender is leader),
            default=None,
        )

    def _before_all(self, leader: Contender, scored: Sequence[Contender]) -> str:
        """The one that is shown to be better than every other one: it leads if its mean is the best, too."""
        over, best = self.over(leader), self._best(leader) or leader
        name: Sentence = "mean_apart" if best is not leader else "leads" if len(scored) > 2 else "leads_one"
        whom, figures = "the others" if len(scored) > 2 else "the other", (self._figure(leader), self._figure(best))
        return say(name, first=figures[0], best=figures[1], n=over, others=len(scored) - 1, whom=whom) + "."

    def _without_leader(self, scored: Sequence[Contender], beaten: Mapping[Side, Sequence[Contender]]) -> Iterator[str]:
        """Those that nobody is shown to be better than, or from which the only such one is not told; and who is behind whom."""
        first = [contender for contender in scored if not beaten[contender.key]]
        if len(first) == 1:
            first += [contender for contender in scored if contender is not first[0] and first[0] not in beaten[contender.key]]
        worse = gathered(
            (beaten[contender.key][0].key, contender)
            for contender in scored
            if beaten[contender.key] and contender not in first
        )
        by = {contender.key: contender.name for contender in scored}
        worse_clauses = "".join(f"; {self._behind(inside, by[key])}" for key, inside in list(worse.items())[:NAMED])
        if len(worse) > NAMED:
            worse_clauses += f"; {sum(map(len, list(worse.values())[NAMED:])):,} more are significantly worse than others"
        tested = self._tested(first)
        if not first:
            yield say("circle", items=f"{self.units.item}s") + f"{worse_clauses}."
            return
        names = listed([self._figure(contender) for contender in first], NAMED)
        if not tested:
            yield say("untested", names=names, why=self._why_untested(first)) + f"{worse_clauses}."
            return
        differ = f"do not {'all ' * (len(first) > 2)}differ significantly"
        yield say("no_leader", names=names, differ=differ, n=self._over(first, tested)) + f"{worse_clauses}."
        yield from self._more(first, tested[0])

    def _why_untested(self, inside: Sequence[Contender]) -> str:
        own = {contender.key for contender in inside}
        common = [duel.tested.found for duel in self.duels if {duel.a, duel.b} <= own and duel.tested.found.n]
        if not common:
            return f"no {self.units.item} in common"
        if any(difference.known for difference in common):
            return f"{one_line(self.metric.name, 30)} is a part of what is tested, or beside it"
        return f"too little in common ({count_of(max(difference.n for difference in common), self.units.item)})"

    def _behind(self, worse: Sequence[Contender], better: str) -> str:
        names = f"{listed([contender.name for contender in worse], NAMED)} {'is' if len(worse) == 1 else 'are'}"
        return say("worse_than", names=names, first=better)

    def _tested(self, inside: Sequence[Contender]) -> list[Duel]:
        """The tests among these, those of the first of them first."""
        place = {contender.key: n for n, contender in enumerate(inside)}
        duels = [
            duel for duel in self.duels if duel.tested.tests and duel.tested.found.known and {duel.a, duel.b} <= place.keys()
        ]
        return sorted(duels, key=lambda duel: sorted((place[duel.a], place[duel.b])))

    def _more(self, inside: Sequence[Contender], duel: Duel) -> Iterator[str]:
        """Say how many items more would tell apart the first two that were tested against each other."""
        name_a, name_b = (contender.name for contender in inside if contender.key in (duel.a, duel.b))
        difference = duel.tested.found
        if not difference.a_higher + difference.b_higher:
            yield say("same", a=name_a, b=name_b, n=count_of(difference.n, self.units.item)) + "."
        elif more := more_words(difference, duel.tested.tests, self.units, f"{name_a} from {name_b}"):
            yield f"{more[0].upper()}{more[1:]}."

    def _won(self, duel: Duel) -> tuple[Side, Side]:
        """Of two that differ significantly the better one and the worse."""
        return (duel.a, duel.b) if upwards(self.metric, duel.tested.found.value or 0.0) > 0 else (duel.b, duel.a)

    def _over(self, inside: Sequence[Contender], duels: Sequence[Duel]) -> str:
        """On how many items those tests rest, which may be fewer than each side has, and answers where these are more."""
        numbers = [duel.tested.found.n for duel in duels]
        own = {contender.found.n for contender in inside} | set(numbers)
        if len(own) > 1:
            most = count_of(max(numbers), f"common {self.units.item}")
            return most if len(set(numbers)) == 1 else f"{min(numbers):,} to {most}"
        answers = sorted({contender.found.scored for contender in inside})
        words = self.units.counted(numbers[0], answers[-1])
        return words if len(answers) == 1 else words.replace("(", f"({answers[0]:,} to ")

    def _figure(self, contender: Contender) -> str:
        metric, value = self.metric, one_line(in_unit(contender.found.value, self.metric), 20)
        if not is_binary(metric):
            return f"{contender.name} ({one_line(metric.name, 30)} {value} on {scale_of(metric)})"
        measure = "right" if metric.name == "correct" else one_line(metric.name, 30)
        return f"{contender.name} ({value} {measure})"


def verdict_of(
    board: Board,
    simulated: Collection[str] = (),
    every: bool = False,
    not_asked: int = 0,
    among: Collection[Side] = (),
    duels: Sequence[Duel] | None = None,
) -> str:
    """Of a run, by the first metric that is tested and has scores, in the stage of most sides.

    Where there are several versions of what is asked, such as prompts, it speaks of the first that has scores, and in a
    sentence of those with another leader; of one model alone, of its versions side by side.
    `simulated`: models whose answers nobody gave, `every`: as all of the run's; `not_asked`: samples that were not come to;
    `among`: these sides alone, none = all of the board; `duels`: their tests, None = the board's.
    """
    sides = headline_sides(board, among)
    tests = [Duel(pair.a, pair.b, pair) for pair in board.pairs] if duels is None else duels
    found_of = {side: board.estimate(side) for side in sides}
    rest = f"{count_of(not_asked, 'sample')} still to be asked." if not_asked else ""

    def said(width: int, most: int) -> str:
        sentences = _leader_sentences(board, sides, tests, width, most)
        missing = [(short(one_line(board.named(side)), width), score.missing, score.asked) for side, score in found_of.items()]
        lacking = lacking_words(missing, board.units)
        return " ".join(filter(None, [_simulated(simulated, every, width), *sentences, lacking, rest]))

    drafts = [said(*SHAPES[0])]
    while len(drafts[-1]) > LONGEST and len(drafts) < len(SHAPES):
        drafts.append(said(*SHAPES[len(drafts)]))
    return drafts[-1]


def headline_sides(board: Board, among: Collection[Side] = ()) -> list[Side]:
    """Those that the verdict is about: by the first metric that is tested and has scores, in the stage of most such sides.

    Where no metric that is tested has a score, it is the first of these: what nobody tests does not stand in for it.
    """
    among = among or board.series
    asked_metrics = dict.fromkeys(side.metric for side in among if board.estimate(side).asked)
    scored = dict.fromkeys(side.metric for side in among if board.estimate(side).n)
    tested = [name for name in board.units.headline if name in asked_metrics]
    metric = next((name for name in (*(name for name in tested if name in scored), *tested, *scored)), None)
    by_stage = gathered((side.stage, side) for side in among if side.metric == metric and board.estimate(side).asked)
    return max(by_stage.values(), key=lambda inside: sum(bool(board.estimate(side).n) for side in inside), default=[])


def leaders(board: Board) -> dict[str, str]:
    """By version of what is asked the model that leads; without those of which none is shown to."""
    fields = _by_variant(board, headline_sides(board), [Duel(pair.a, pair.b, pair) for pair in board.pairs], LONGEST)
    return {variant: field.leader.key.model for variant, field in fields.items() if field.leader is not None}


def _by_variant(board: Board, sides: Sequence[Side], duels: Sequence[Duel], width: int) -> dict[str, Contenders]:
    """The models of each version of what is asked, held against each other; names have so many characters."""
    by_variant = gathered((side.variant, side) for side in board.by_rank(sorted(sides)))
    ordered = [variant for variant in board.variants or by_variant if variant in by_variant]
    return {variant: _field(board, inside, duels, width) for variant in ordered for inside in [by_variant[variant]]}


def _field(board: Board, inside: Sequence[Side], duels: Sequence[Duel], width: int, by_variant: bool = False) -> Contenders:
    """Sides that differ in one thing, and are called by it: by the model, or the version of what was asked."""
    names = [
        f"`{short(one_line(side.variant), width)}`" if by_variant else short(one_line(side.model), width) for side in inside
    ]
    contenders = [Contender(side, name, board.estimate(side)) for side, name in zip(inside, names, strict=True)]
    return Contenders(
        board.metric(inside[0]), board.units, contenders, [duel for duel in duels if {duel.a, duel.b} <= {*inside}]
    )


def _leader_sentences(board: Board, sides: Sequence[Side], duels: Sequence[Duel], width: int, most: int) -> list[str]:
    """Who leads, of the first version of what is asked that has scores, and which others have another leader."""
    fields = _by_variant(board, sides, duels, width)
    first = next((variant for variant, field in fields.items() if field.known), None)
    if first is None or not board.variants:
        return [sentence for field in fields.values() for sentence in field.told()] or [_capital(f"{_nothing(board, sides)}.")]
    scored = [side for side in board.by_rank(sorted(sides)) if board.estimate(side).n]
    if len(scored) > 1 and len({side.model for side in scored}) == 1:
        sentences = _field(board, scored, duels, width, by_variant=True).told()
        return _begun(f"Among the {_word(board)}s of {short(one_line(scored[0].model), width)}", list(sentences))
    before, after = list(fields)[: list(fields).index(first)], list(fields)[list(fields).index(first) + 1 :]
    empty = [f"Under {_where(board, before, width)}, {_nothing(board, sides)}."] if before else []
    lead = _begun(f"Under {_where(board, [first], width)}", list(fields[first].told()))
    later = {variant: fields[variant] for variant in after}
    clauses = list(_elsewhere(board, fields[first], later, _nothing(board, sides), width))
    n_omitted = sum(n for n, _ in clauses[most:])
    rest = (
        [f"under {count_of(n_omitted, f'more {_word(board)}')}, another model leads or none is shown to"] if n_omitted else []
    )
    return [
        *empty,
        *lead,
        *([_capital("; ".join([*(clause for _, clause in clauses[:most]), *rest]) + ".")] if clauses else []),
    ]


def _begun(words: str, sentences: Sequence[str]) -> list[str]:
    """Sentences, the first behind words that say of what all are."""
    first, *rest = sentences
    return [f"{words}, {first[0].lower() + first[1:] if first.startswith('No leader is shown') else first}", *rest]


def _elsewhere(
    board: Board, first: Contenders, later: Mapping[str, Contenders], nothing: str, width: int
) -> Iterator[tuple[int, str]]:
    """Yield, in words and with their number, the other versions of what is asked that have another leader than the first.

    One where it has none, none where it has one. `nothing`: what is said of those without a score.
    """

    def clause(where: str, field: Contenders) -> str:
        if not field.known:
            return f"under {where}, {nothing}"
        leader = field.leader
        return (
            say("leads_under", where=where, first=leader.name, n=field.over(leader))
            if leader
            else say("none_under", where=where)
        )

    own = first.leader and first.leader.key.model
    differing = {
        variant: field
        for variant, field in later.items()
        if not field.known or (field.leader and field.leader.key.model) != own
    }
    for variants in gathered((clause("", field), variant) for variant, field in differing.items()).values():
        yield len(variants), clause(_where(board, variants, width), differing[variants[0]])


def _nothing(board: Board, sides: Sequence[Side]) -> str:
    """Say that there is no score: by the metric of these sides, where there are others."""
    return NOTHING.lower().removesuffix(".") + (
        f" by {one_line(sides[0].metric, 30)}" if sides and len(board.metrics) > 1 else ""
    )


def _where(board: Board, variants: Sequence[str], width: int) -> str:
    """Some versions of what is asked, by their names."""
    return (
        f"{_word(board)}{'s' * (len(variants) > 1)} {listed([f'`{short(one_line(name), width)}`' for name in variants], NAMED)}"
    )


def _word(board: Board) -> str:
    return board.units.variant or "version"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def lacking_words(sides: Sequence[tuple[str, int, int]], units: Units) -> str:
    """Say how many answers have no score, and whose, of sides by name: how many of how many. Empty where all have one."""
    missing = sorted(((name, n) for name, n, _ in sides if n), key=lambda entry: -entry[1])
    if not missing:
        return ""
    words = listed([f"{name} {n:,}" for name, n in missing], NAMED)
    asked_words = count_of(sum(n_asked for _, _, n_asked in sides), units.answer)
    return f"Without a score: {sum(n for _, n in missing):,} of {asked_words} ({words})."


def _simulated(models: Collection[str], every: bool, width: int) -> str:
    if every:
        return "Simulated: no model was asked."
    names = [short(one_line(name), width) for name in sorted(models)]
    return f"Simulated, not real models: {listed(names, NAMED)}." if names else ""


def verdict_across(metric: Metric, units: Units, duels: Sequence[tuple[str, str, Tested]]) -> str:
    """Of a comparison of runs: which sides are shown to differ; each as both its names, the earlier run's side first."""
    comparable = [duel for duel in duels if duel[2].found.n and duel[2].tests]
    if not comparable:
        return f"No {units.item} of these runs is common and tested: nothing can be said."
    differing = [duel for duel in comparable if duel[2].significant and duel[2].found.value]
    numbers = sorted({tested.found.n for _, _, tested in comparable})
    rest, over = len(comparable) - len(differing), f"{numbers[0]:,} to " * (len(numbers) > 1) + units.counted(numbers[-1])
    if not differing:
        by = one_line(metric.name, 30) or "score"
        return say("across_none", pairs=count_of(rest, "pair"), n=over, metric=by) + "."
    clauses = [
        say(
            "across_shown",
            b=b,
            how="better" if upwards(metric, -(tested.found.value or 0.0)) > 0 else "worse",
            a=a,
            size=points(abs(tested.found.value or 0.0), is_binary(metric), sign=False)
            + (" points" if is_binary(metric) else f" on {scale_of(metric)}"),
        )
        + (f" over {units.counted(tested.found.n)}" if len(numbers) > 1 else "")
        for a, b, tested in differing
    ]
    over = "" if len(numbers) > 1 else f", over {over}"
    rest_words = f"; in {count_of(rest, 'other pair')} no difference is shown" if rest else ""
    return f"{listed(clauses, NAMED)}{over}{rest_words}."
