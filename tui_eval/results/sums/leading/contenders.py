"""Models held against each other: which leads, which is shown to be worse, in clauses as long as the place for them allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.units import Units
from tui_eval.results.sums.board import Side
from tui_eval.results.sums.differences import Tested
from tui_eval.results.sums.in_words import in_unit, listed, short
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary, scale_of, upwards
from tui_eval.results.sums.pair_words import more_words
from tui_eval.results.sums.sentences import Sentence, say

NAMED = 3
"""Sides that a sentence names; of more it says how many there are."""


class Shape(NamedTuple):
    """Extent of a verdict, so that it fits where it stands."""

    width: int
    """Characters of a name."""
    clauses: int
    """Of those on other versions of what is asked."""
    named: int = NAMED
    """Sides that a sentence names."""
    unit_once: bool = False
    """Whether the metric is named with the first figure alone."""
    has_scale: bool = True
    has_answers: bool = True
    """Whether it counts answers where there are more of them than items."""
    has_figures: bool = True
    """Whether the scores of those that do not lead stand beside them."""
    worse: Literal["than whom", "named", "counted"] = "than whom"
    """How it speaks of those that are shown to be worse."""
    has_forecast: bool = True
    missing: Literal["by name", "counted", ""] = "by name"
    """How it speaks of answers without a score."""
    simulated: Literal["in full", "in short"] = "in full"
    is_brief: bool = False
    """Whether it leaves out what goes without saying: whom a leader is better than, and that one alone has no rival."""
    has_elsewhere: bool = True
    """Whether it speaks of versions of what is asked that are not the first with a score and that it does not name."""
    has_open: bool = True
    """Whether it counts what is still to be asked."""
    names: Mapping[str, str] = MappingProxyType({})
    """What names are called that are folded."""

    def name(self, name: str) -> str:
        """Return a name as this has it."""
        return short(self.names.get(plain := one_line(name), plain), self.width)


WHOLE = Shape(60, 3)
"""That of a verdict that has all the room it wants."""


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
    shape: Shape = WHOLE

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
            alone = "" if self.shape.is_brief else "; there is nothing to compare it with"
            yield f"{self._figure(scored[0])} over {over}{alone}."
            return
        first = self._unbeaten(beaten)
        yield from self._without_leader(scored, beaten) if first is None else [self._before_all(first, scored)]

    def over(self, leader: Contender) -> str:
        """On how much the tests of one with every other one rest."""
        return self._over(self.known, [duel for duel in self._tested(self.known) if leader.key in (duel.a, duel.b)])

    @property
    def beaten(self) -> list[Contender]:
        """Those that are shown to be worse than another one."""
        beaten = self._beaten
        return [contender for contender in self.known if beaten[contender.key]]

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
        whom = "the others" if len(scored) > 2 else "the other"
        first, *other = self._figures([leader, best] if best is not leader else [leader], always=best is leader)
        if self.shape.is_brief and best is leader:
            return say("leads_alone", first=first, n=over) + "."
        return say(name, first=first, best="".join(other), n=over, others=len(scored) - 1, whom=whom, by=self._by) + "."

    def _without_leader(self, scored: Sequence[Contender], beaten: Mapping[Side, Sequence[Contender]]) -> Iterator[str]:
        """Those that nobody is shown to be better than, or from which the only such one is not told; and who is behind whom."""
        first = [contender for contender in scored if not beaten[contender.key]]
        if len(first) == 1:
            first += [contender for contender in scored if contender is not first[0] and first[0] not in beaten[contender.key]]
        worse_clauses = self._worse_clauses(beaten, [each for each in scored if beaten[each.key] and each not in first])
        tested = self._tested(first)
        if not first:
            yield say("circle", items=f"{self.units.item}s") + f"{worse_clauses}."
            return
        names = self._listed(self._figures(first))
        if not tested:
            yield say("untested", names=names, why=self._why_untested(first), by=self._by) + f"{worse_clauses}."
            return
        differ = f"do not {'all ' * (len(first) > 2)}differ significantly"
        yield say("no_leader", names=names, differ=differ, n=self._over(first, tested), by=self._by) + f"{worse_clauses}."
        if self.shape.has_forecast:
            yield from self._more(first, tested[0])

    @property
    def _by(self) -> str:
        """Say by which metric, where no score does."""
        is_said = self.shape.has_figures or self.shape.is_brief or self.metric.name == "correct"
        return "" if is_said else f" by {one_line(self.metric.name, 30)}"

    def _worse_clauses(self, beaten: Mapping[Side, Sequence[Contender]], inside: Sequence[Contender]) -> str:
        """Say who is shown to be worse, each than the best of those that are better."""
        if self.shape.worse != "than whom":
            names, counted = self._listed([each.name for each in inside]), f"{len(inside):,}"
            who = f"{names if self.shape.worse == 'named' else counted} {'is' if len(inside) == 1 else 'are'}"
            return f"; {say('worse', names=who)}" if inside else ""
        worse = gathered((beaten[each.key][0].key, each) for each in inside)
        by = {each.key: each.name for each in self.known}
        clauses = "".join(f"; {self._behind(group, by[key])}" for key, group in list(worse.items())[:NAMED])
        if len(worse) > NAMED:
            clauses += f"; {sum(map(len, list(worse.values())[NAMED:])):,} more are significantly worse than others"
        return clauses

    def _why_untested(self, inside: Sequence[Contender]) -> str:
        own = {contender.key for contender in inside}
        common = [duel.tested.found for duel in self.duels if {duel.a, duel.b} <= own and duel.tested.found.n]
        if not common:
            return f"no {self.units.item} in common"
        if any(difference.known for difference in common):
            return f"{one_line(self.metric.name, 30)} is a part of what is tested, or beside it"
        n = "" if self.shape.is_brief else f" ({count_of(max(difference.n for difference in common), self.units.item)})"
        return f"too little in common{n}"

    def _behind(self, worse: Sequence[Contender], better: str) -> str:
        names = f"{self._listed([contender.name for contender in worse])} {'is' if len(worse) == 1 else 'are'}"
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
        answers = sorted({contender.found.scored for contender in inside}) if self.shape.has_answers else numbers[:1]
        words = self.units.counted(numbers[0], answers[-1])
        return words if len(answers) == 1 else words.replace("(", f"({answers[0]:,} to ")

    def _listed(self, names: Sequence[str]) -> str:
        noun = "model" if len({contender.key.model for contender in self.known}) > 1 else self.units.variant or "version"
        return listed(names, self.shape.named) if self.shape.named else count_of(len(names), noun)

    def _figures(self, contenders: Sequence[Contender], always: bool = False) -> list[str]:
        """Contenders with their scores; `always`: whatever the shape says."""
        if not self.shape.has_figures and not always:
            return [contender.name for contender in contenders]
        return [self._figure(contender, place > 0 and self.shape.unit_once) for place, contender in enumerate(contenders)]

    def _figure(self, contender: Contender, is_bare: bool = False) -> str:
        metric, value = self.metric, one_line(in_unit(contender.found.value, self.metric), 20)
        if is_bare:
            return f"{contender.name} ({value})"
        if not is_binary(metric):
            scale = f" on {scale_of(metric)}" if self.shape.has_scale else ""
            return f"{contender.name} ({one_line(metric.name, 30)} {value}{scale})"
        measure = "right" if metric.name == "correct" else one_line(metric.name, 30)
        return f"{contender.name} ({value} {measure})"
