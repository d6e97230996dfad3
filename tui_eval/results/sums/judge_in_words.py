"""Sentences on what is known of a judge: noise, agreement, correction, biases; each says its n, or why nothing is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import counted
from tui_eval.results.sums.differences import SIGNIFICANT
from tui_eval.results.sums.in_words import decimal, p_value, percent
from tui_eval.results.sums.judge_sentences import say_of_judge
from tui_eval.results.sums.person_checks import CONVERSATIONS as CONVERSATIONS
from tui_eval.results.sums.person_checks import person_words as person_words
from tui_eval.statistics.judge_bias import LengthBesidePerson, LengthCorrelation, SelfPreference
from tui_eval.statistics.judge_ladder import Ladder
from tui_eval.statistics.judge_noise import JudgeNoise
from tui_eval.statistics.judge_outliers import BesideOthers
from tui_eval.statistics.moved_judges import JudgeAttacks
from tui_eval.statistics.pairwise_choices import SwappedChoices
from tui_eval.statistics.rater_agreement import AlphaAgreement, PairAgreement, reliability
from tui_eval.statistics.resampling import Interval

LEAST_COVERAGE = 0.95
"""Share of the marks wanted below which a mean is warned of (METHOD.md D7)."""


def bracketed(low: float | None, high: float | None) -> str:
    """An interval after its figure: " [0.10, 0.35]"; empty where there is none."""
    return "" if low is None or high is None else f" [{decimal(low, 2)}, {decimal(high, 2)}]"


def coverage_words(found: Iterable[tuple[str, str, int, int]]) -> str:
    """A warning of means that rest on fewer than 95 % of the marks that were wanted; empty where none does.

    `found`: (metric, whose, marks, wanted). Metrics that lack the same stand together.
    """
    few = gathered(
        (metric, f"{whose} {scored:,} of {wanted:,} ({percent(scored / wanted)})")
        for metric, whose, scored, wanted in found
        if wanted and scored / wanted < LEAST_COVERAGE
    )
    alike = gathered((", ".join(names), metric) for metric, names in few.items())
    told = "; ".join(f"{', '.join(metrics)}: {names}" for names, metrics in alike.items())
    return f"{say_of_judge('few_marks', whose=told)}." if told else ""


def noise_words(found: JudgeNoise) -> str:
    """How far a judge's marks of one answer differ."""
    if found.noise is None:
        return say_of_judge("noise_unknown", reason=found.why)
    alike = f"{percent(found.same, 0)} marked alike again"
    flips = f", {found.flips:,} passed only once" if found.flips else ""
    unread = f", {found.left_out:,} not read twice" if found.left_out else ""
    said = say_of_judge("noise", size=f"{found.noise:.2f}{_of(found.interval)}")
    return f"{said} ({counted(found.n, 'answer')} judged twice, {alike}{flips}{unread})"


def agreement_words(found: PairAgreement, interval: Interval) -> str:
    """How far two raters agree: percent, kappas and PABAK together, since kappa falls where one mark prevails."""
    if found.percent is None or found.kappa is None or found.quadratic is None:
        alike = "" if found.percent is None else f"{percent(found.percent, 0)} alike, "
        return f"{alike}{say_of_judge('kappa_unknown', n=counted(found.n, 'answer'), reason=found.why)}"
    lean = _lean_words(found.bias)
    weighted = say_of_judge("kappa", kappa=f"{decimal(found.quadratic, 2)}{_of(interval)}")
    return (
        f"{percent(found.percent, 0)} alike, kappa {decimal(found.kappa, 2)}, {weighted}, "
        f"PABAK {decimal(found.pabak, 2)}{lean} ({counted(found.n, 'answer')})"
    )


def alpha_words(found: AlphaAgreement, interval: Interval) -> str:
    """How far several judges agree."""
    if found.alpha is None:
        return say_of_judge("alpha_unknown", reason=found.why)
    said = say_of_judge("alpha", alpha=f"{decimal(found.alpha, 2)}{_of(interval)}", reliability=reliability(found.alpha))
    return f"{said} ({counted(found.n, 'answer')}, {counted(found.raters, 'judge')})"


def _lean_words(bias: float | None) -> str:
    """By how much the second is the more lenient, after other figures; empty where not at all."""
    return f", {say_of_judge('lenient', size=f'{abs(bias):.2f}', way='more' if bias > 0 else 'less')}" if bias else ""


_WHICH = {1: "longer", -1: "shorter"}


def length_words(found: LengthCorrelation) -> str:
    """Whether marks follow length; longer answers may be better ones."""
    if found.rho is None:
        return say_of_judge("length_unknown", reason=found.why)
    which = _WHICH.get(found.direction)
    said = say_of_judge("follows_length", which=which) if which else say_of_judge("no_lean")
    rests = f"{counted(found.n, 'answer')} to {counted(found.questions, 'question')}"
    open_ = f", no interval: {found.interval.why}" if found.interval.low is None else ""
    return f"{said}: rank correlation {decimal(found.rho, 2)}{_of(found.interval)} ({rests}{open_})"


def length_beside_words(found: LengthBesidePerson) -> str:
    """Whether marks follow length beyond what a person's marks of the same answers explain."""
    if found.rho is None:
        return say_of_judge("beside_unknown", reason=found.why)
    which = _WHICH.get(found.direction)
    said = say_of_judge("beyond_person", which=which) if which else say_of_judge("no_more_than_person")
    open_ = f", no interval: {found.interval.why}" if found.interval.low is None else ""
    rests = f"{counted(found.n, 'answer')} that a person marked{open_}"
    return f"{said}: partial rank correlation {decimal(found.rho, 2)}{_of(found.interval)} ({rests})"


def self_preference_words(judge: str, own: Collection[str], found: SelfPreference) -> str:
    """Whether a judge prefers answers of its own family, and of which models."""
    if found.preference is None:
        return say_of_judge("family_unknown", judge=judge, reason=found.why)
    said = say_of_judge("own_family" if found.found else "no_own_family", judge=judge, models=", ".join(own))
    ends = "" if found.low is None or found.high is None else f" [{found.low:+.2f}, {found.high:+.2f}]"
    beside = f"beside {counted(found.beside, 'judge')} of another family"
    return f"{said}: {found.preference:+.2f}{ends} marks ({counted(found.n, 'question')}, {beside})"


def beside_words(judge: str, found: BesideOthers, alpha: float | None, without: float | None) -> str:
    """How far a judge agrees with the others, these with each other, and all of them with it and without it."""
    if found.rho is None:
        return say_of_judge("rank_unknown", judge=judge, n=counted(found.n, "answer"))
    figures = (
        f"rank correlation {decimal(found.rho, 2)}{_of(found.interval)}, theirs {decimal(found.theirs, 2)}; "
        f"{decimal(found.distance, 2)} marks apart{_lean_words(found.lean)}; "
        f"alpha {decimal(alpha, 2)}, {decimal(without, 2)} without it "
        f"({counted(found.n, 'answer')})"
    )
    return f"{say_of_judge('agrees_least', judge=judge) if found.is_odd else f'{judge} beside the others'}: {figures}"


def leader_words(alone: Iterable[tuple[str, str | None]], every: str | None) -> str:
    """Who leads by each judge alone where that differs from who leads by all; empty where it does not.

    `alone`: (judge, model that leads by it); None = none is shown to.
    """
    differing = gathered((leader or "", judge) for judge, leader in alone if leader != every)
    if not differing:
        return ""
    said = [
        say_of_judge("by_one_judge", judge=f"{' or '.join(judges)} alone", leader=_leads(leader))
        for leader, judges in differing.items()
    ]
    return "; ".join([*said, say_of_judge("by_one_judge", judge="all", leader=_leads(every))])


def _leads(model: str | None) -> str:
    return f"{model} leads" if model else "no leader is shown"


def position_words(found: SwappedChoices) -> str:
    """How much the order of two answers decides."""
    if found.consistency is None:
        return say_of_judge("place_unknown")
    unread = f", {found.left_out:,} not read" if found.left_out else ""
    same = f"the same choice in both orders: {percent(found.consistency, 0)} of {found.n:,}{unread}"
    against = found.first_first + found.second_second
    if not against or found.p_position is None:
        return same
    place = "first" if found.first_first > found.second_second else "second"
    prefers = found.p_position < SIGNIFICANT
    said = say_of_judge("prefers_place", place=place) if prefers else say_of_judge("no_place")
    most = max(found.first_first, found.second_second)
    took = say_of_judge("took_place", place=place, most=f"{most:,}", n=f"{against:,}")
    return f"{same}; {took} (p {p_value(found.p_position)}): {said}"


def ladder_words(judge: str, found: Ladder) -> str:
    """The verdict on a judge, what it rests on, and which steps it does not tell apart."""
    if found.value is None:
        return f"{judge} is {say_of_judge('ladder_open', what='every step')}, {_read(found)}"
    verdict: Mapping[bool | None, str] = {
        True: say_of_judge("ladder_usable", share=_share(found)),
        False: say_of_judge("ladder_not", share=_share(found)),
        None: say_of_judge("ladder_undecided", share=_share(found)),
    }
    steps = ", ".join(f"{100 * step:g}" for step in found.steps)
    means = ", ".join(decimal(mean, 2) for mean in found.means)
    without = [f"{100 * step:g} %" for step, mean in zip(found.steps, found.means, strict=True) if mean is None]
    said = say_of_judge("ladder_open", what=" and ".join(without)) if without else verdict[found.usable]
    left = f", {found.left_out:,} without two marks" if found.left_out else ""
    parts = [f"{said}, over {counted(found.texts, 'text')}{left} (mean mark {means} where {steps} % is replaced)", _read(found)]
    if found.alike:
        alike = " %, ".join(f"{100 * first:g} and {100 * second:g}" for first, second in found.alike)
        parts.append(say_of_judge("steps_alike", steps=alike))
    if found.parts_whole and found.usable is not True:
        parts.append(say_of_judge("yes_no", top=f"{found.means[0]:g}"))
    return f"{judge} is {'; '.join(parts)}"


def _share(found: Ladder) -> str:
    ends = "" if found.low is None or found.high is None else f" [{100 * found.low:.0f}, {100 * found.high:.0f}]"
    return f"{percent(found.value, 0)}{ends}"


def _read(found: Ladder) -> str:
    return f"{sum(found.n):,} of {found.asked:,} marks read"


def attack_words(found: JudgeAttacks, by_sort: Mapping[str, JudgeAttacks]) -> str:
    """Whether attacks move a judge, which sorts the most, and how far its scores of the clean twins differ."""
    unread = f", {found.left_out:,} not read" if found.left_out else ""
    if found.low is None or found.high is None:
        return say_of_judge("attacks_unknown", n=f"{found.left_out:,}")
    ends = f"95 % interval {percent(found.low, 0)} to {percent(found.high, 0)}{unread}"
    share = f"{found.moved:,} of {counted(found.n, 'attack')} ({ends})"
    twins = f"its clean twins' two scores differ in {found.differ:,} of {found.n:,}"
    if not found.is_moved:
        return f"{say_of_judge('not_moved', share=share)} got a score above both of the clean twin's; {twins}"
    sorts = sorted((sort for sort, one in by_sort.items() if one.moved), key=lambda sort: -by_sort[sort].moved)
    told = ", ".join(f"{sort} {by_sort[sort].moved:,} of {by_sort[sort].n:,}" for sort in sorts)
    return f"{say_of_judge('moved', share=share)}: {told}; {twins}"


def _of(interval: Interval) -> str:
    return bracketed(interval.low, interval.high)
