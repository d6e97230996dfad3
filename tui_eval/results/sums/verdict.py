"""The verdict on a run or a comparison: sentences that a person can repeat, since each says what was tested and on how much."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.units import Units
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.differences import Tested
from tui_eval.results.sums.in_words import listed, points
from tui_eval.results.sums.leading.contenders import NAMED, Contender, Contenders, Duel, Shape
from tui_eval.results.sums.metrics import is_binary, scale_of, upwards
from tui_eval.results.sums.sentences import say

LONGEST = 1_200
"""Characters of a verdict."""
NOTHING = "Nothing has a score."


SHAPES = tuple(Shape(width, clauses) for width, clauses in ((60, 3), (40, 3), (24, 3), (24, 2), (18, 1)))
"""Those of a verdict: the first with which it fits."""


SIMULATED = "Simulated: no model was asked."


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
    return VerdictSubject(board, simulated, every, not_asked, among, duels).verdict


@dataclass(frozen=True, slots=True)
class VerdictSubject:
    """Board and run that a verdict is on, as `verdict_of` is given them."""

    board: Board
    simulated: Collection[str] = ()
    every: bool = False
    not_asked: int = 0
    among: Collection[Side] = ()
    duels: Sequence[Duel] | None = None

    @property
    def tests(self) -> Sequence[Duel]:
        """The tests that it rests on."""
        return [Duel(pair.a, pair.b, pair) for pair in self.board.pairs] if self.duels is None else self.duels

    @property
    def verdict(self) -> str:
        """All of it."""
        drafts = (" ".join(self.sentences(shape)) for shape in SHAPES)
        return next((text for text in drafts if len(text) <= LONGEST), " ".join(self.sentences(SHAPES[-1])))

    def sentences(self, shape: Shape) -> list[str]:
        """The verdict in this shape, sentence by sentence."""
        board, sides = self.board, headline_sides(self.board, self.among)
        found = [(shape.name(board.named(side)), board.estimate(side)) for side in sides]
        missing = [(name, score.missing, score.asked) for name, score in found] if shape.missing else []
        lacking = lacking_words(missing, board.units, by_name=shape.missing == "by name")
        rest = f"{count_of(self.not_asked, 'sample')} still to be asked." if self.not_asked and shape.has_open else ""
        first = _simulated(self.simulated, self.every, shape)
        return [*filter(None, [first, *_leader_sentences(board, sides, self.tests, shape), lacking, rest])]

    @property
    def field(self) -> Contenders | None:
        """Those that its first sentence is on; None where nothing has a score."""
        by_variant = _spoken_of(self.board, headline_sides(self.board, self.among), self.tests, SHAPES[0])
        return by_variant[1] if by_variant else None


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
    fields = _by_variant(board, headline_sides(board), VerdictSubject(board).tests, SHAPES[0])
    return {variant: field.leader.key.model for variant, field in fields.items() if field.leader is not None}


def _by_variant(board: Board, sides: Sequence[Side], duels: Sequence[Duel], shape: Shape) -> dict[str, Contenders]:
    """The models of each version of what is asked, held against each other."""
    by_variant = gathered((side.variant, side) for side in board.by_rank(sorted(sides)))
    ordered = [variant for variant in board.variants or by_variant if variant in by_variant]
    return {variant: _field(board, inside, duels, shape) for variant in ordered for inside in [by_variant[variant]]}


def _field(board: Board, inside: Sequence[Side], duels: Sequence[Duel], shape: Shape, by_variant: bool = False) -> Contenders:
    """Sides that differ in one thing, and are called by it: by the model, or the version of what was asked."""
    names = [f"`{shape.name(side.variant)}`" if by_variant else shape.name(side.model) for side in inside]
    contenders = [Contender(side, name, board.estimate(side)) for side, name in zip(inside, names, strict=True)]
    own = {*inside}
    own_duels = [duel for duel in duels if duel.a in own and duel.b in own]
    return Contenders(board.metric(inside[0]), board.units, contenders, own_duels, shape)


def _spoken_of(board: Board, sides: Sequence[Side], duels: Sequence[Duel], shape: Shape) -> tuple[str, Contenders] | None:
    """Return what a verdict speaks of, with its version of what is asked: the first that has scores; of one model alone its
    versions, without one. None where nothing has a score."""
    scored = [side for side in board.by_rank(sorted(sides)) if board.estimate(side).n]
    if board.variants and len(scored) > 1 and len({side.model for side in scored}) == 1:
        return "", _field(board, scored, duels, shape, by_variant=True)
    fields = _by_variant(board, sides, duels, shape)
    return next(((variant, field) for variant, field in fields.items() if field.known), None)


def _leader_sentences(board: Board, sides: Sequence[Side], duels: Sequence[Duel], shape: Shape) -> list[str]:
    """Who leads, of the first version of what is asked that has scores, and which others have another leader."""
    spoken_of = _spoken_of(board, sides, duels, shape)
    if spoken_of is None:
        return [_capital(f"{_nothing(board, sides)}.")]
    first, field = spoken_of
    if not board.variants:
        return list(field.told())
    if not first:
        return _begun(
            f"Among {'' if shape.is_brief else 'the '}{_word(board)}s of {shape.name(field.known[0].key.model)}",
            list(field.told()),
        )
    fields = _by_variant(board, sides, duels, shape)
    before, after = list(fields)[: list(fields).index(first)], list(fields)[list(fields).index(first) + 1 :]
    empty = [f"Under {_where(board, before, shape)}, {_nothing(board, sides)}."] if before and shape.has_elsewhere else []
    lead = _begun(f"Under {_where(board, [first], shape)}", list(fields[first].told()))
    later = {variant: fields[variant] for variant in after}
    clauses = list(_elsewhere(board, fields[first], later, _nothing(board, sides), shape))
    most = shape.clauses
    n_omitted = sum(n for n, _ in clauses[most:]) if shape.has_elsewhere else 0
    words = "another result" if shape.is_brief else "another model leads or none is shown to"
    rest = [f"under {count_of(n_omitted, f'more {_word(board)}')}, {words}"] if n_omitted else []
    clauses_told = [*(clause for _, clause in clauses[:most]), *rest]
    return [*empty, *lead, *([_capital("; ".join(clauses_told) + ".")] if clauses_told else [])]


def _begun(words: str, sentences: Sequence[str]) -> list[str]:
    """Sentences, the first behind words that say of what all are."""
    first, *rest = sentences
    return [f"{words}, {first[0].lower() + first[1:] if first.startswith('No leader is shown') else first}", *rest]


def _elsewhere(
    board: Board, first: Contenders, later: Mapping[str, Contenders], nothing: str, shape: Shape
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
        yield len(variants), clause(_where(board, variants, shape), differing[variants[0]])


def _nothing(board: Board, sides: Sequence[Side]) -> str:
    """Say that there is no score: by the metric of these sides, where there are others."""
    return NOTHING.lower().removesuffix(".") + (
        f" by {one_line(sides[0].metric, 30)}" if sides and len(board.metrics) > 1 else ""
    )


def _where(board: Board, variants: Sequence[str], shape: Shape) -> str:
    """Some versions of what is asked, by their names."""
    names = listed([f"`{shape.name(name)}`" for name in variants], max(shape.named, 1))
    return names if shape.is_brief else f"{_word(board)}{'s' * (len(variants) > 1)} {names}"


def _word(board: Board) -> str:
    return board.units.variant or "version"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def lacking_words(sides: Sequence[tuple[str, int, int]], units: Units, by_name: bool = True) -> str:
    """Say how many answers have no score, and whose, of sides by name: how many of how many. Empty where all have one."""
    missing = sorted(((name, n) for name, n, _ in sides if n), key=lambda entry: -entry[1])
    if not missing:
        return ""
    words = f" ({listed([f'{name} {n:,}' for name, n in missing], NAMED)})" if by_name else ""
    asked_words = count_of(sum(n_asked for _, _, n_asked in sides), units.answer)
    return f"Without a score: {sum(n for _, n in missing):,} of {asked_words}{words}."


def _simulated(models: Collection[str], every: bool, shape: Shape) -> str:
    in_short = shape.simulated == "in short"
    if every:
        return "Simulated." if in_short else SIMULATED
    if in_short and models:
        return f"{len(models):,} simulated."
    names = [shape.name(name) for name in sorted(models)]
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
