"""Sentences on what is known of a judge: noise, agreement, correction, biases; each says its n, or why nothing is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import count_of
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


def coverage_words(coverage: Iterable[tuple[str, str, int, int]]) -> str:
    """A warning of means that rest on fewer than 95 % of the marks that were wanted; empty where none does.

    `coverage`: (metric, whose, marks, expected). Metrics that lack the same stand together.
    """
    few = gathered(
        (metric, f"{whose} {scored:,} of {expected:,} ({percent(scored / expected)})")
        for metric, whose, scored, expected in coverage
        if expected and scored / expected < LEAST_COVERAGE
    )
    alike = gathered((", ".join(names), metric) for metric, names in few.items())
    clauses = "; ".join(f"{', '.join(metrics)}: {names}" for names, metrics in alike.items())
    return f"{say_of_judge('few_marks', whose=clauses)}." if clauses else ""


def noise_words(noise: JudgeNoise) -> str:
    """Say how far a judge's marks of one answer differ."""
    if noise.noise is None:
        return say_of_judge("noise_unknown", reason=noise.why)
    alike = f"{percent(noise.same, 0)} scored alike again"
    flips = f", {noise.flips:,} passed only once" if noise.flips else ""
    unread = f", {noise.left_out:,} not read twice" if noise.left_out else ""
    sentence = say_of_judge("noise", size=f"{noise.noise:.2f}{_of(noise.interval)}")
    return f"{sentence} ({count_of(noise.n, 'answer')} judged twice, {alike}{flips}{unread})"


def agreement_words(agreement: PairAgreement, interval: Interval) -> str:
    """Say how far two raters agree: percent, kappas and PABAK together, since kappa falls where one mark prevails."""
    if agreement.percent is None or agreement.kappa is None or agreement.quadratic is None:
        alike = "" if agreement.percent is None else f"{percent(agreement.percent, 0)} alike, "
        return f"{alike}{say_of_judge('kappa_unknown', n=count_of(agreement.n, 'answer'), reason=agreement.why)}"
    lean = _lean_words(agreement.bias)
    weighted = say_of_judge("kappa", kappa=f"{decimal(agreement.quadratic, 2)}{_of(interval)}")
    return (
        f"{percent(agreement.percent, 0)} alike, kappa {decimal(agreement.kappa, 2)}, {weighted}, "
        f"PABAK {decimal(agreement.pabak, 2)}{lean} ({count_of(agreement.n, 'answer')})"
    )


def alpha_words(agreement: AlphaAgreement, interval: Interval) -> str:
    """Say how far several judges agree."""
    if agreement.alpha is None:
        return say_of_judge("alpha_unknown", reason=agreement.why)
    sentence = say_of_judge(
        "alpha", alpha=f"{decimal(agreement.alpha, 2)}{_of(interval)}", reliability=reliability(agreement.alpha)
    )
    return f"{sentence} ({count_of(agreement.n, 'answer')}, {count_of(agreement.raters, 'judge')})"


def _lean_words(bias: float | None) -> str:
    """By how much the second is the more lenient, after other figures; empty where not at all."""
    return f", {say_of_judge('lenient', size=f'{abs(bias):.2f}', way='more' if bias > 0 else 'less')}" if bias else ""


_WHICH = {1: "longer", -1: "shorter"}


def length_words(correlation: LengthCorrelation) -> str:
    """Say whether marks follow length; longer answers may be better ones."""
    if correlation.rho is None:
        return say_of_judge("length_unknown", reason=correlation.why)
    which = _WHICH.get(correlation.direction)
    sentence = say_of_judge("follows_length", which=which) if which else say_of_judge("no_lean")
    rests = f"{count_of(correlation.n, 'answer')} to {count_of(correlation.questions, 'question')}"
    open_ = f", no interval: {correlation.interval.why}" if correlation.interval.low is None else ""
    return f"{sentence}: rank correlation {decimal(correlation.rho, 2)}{_of(correlation.interval)} ({rests}{open_})"


def length_beside_words(correlation: LengthBesidePerson) -> str:
    """Say whether marks follow length beyond what a person's marks of the same answers explain."""
    if correlation.rho is None:
        return say_of_judge("beside_unknown", reason=correlation.why)
    which = _WHICH.get(correlation.direction)
    sentence = say_of_judge("beyond_person", which=which) if which else say_of_judge("no_more_than_person")
    open_ = f", no interval: {correlation.interval.why}" if correlation.interval.low is None else ""
    rests = f"{count_of(correlation.n, 'answer')} that a person rated{open_}"
    return f"{sentence}: partial rank correlation {decimal(correlation.rho, 2)}{_of(correlation.interval)} ({rests})"


def self_preference_words(judge: str, own: Collection[str], preference: SelfPreference) -> str:
    """Say whether a judge prefers answers of its own family, and of which models."""
    if preference.preference is None:
        return say_of_judge("family_unknown", judge=judge, reason=preference.why)
    sentence = say_of_judge("own_family" if preference.found else "no_own_family", judge=judge, models=", ".join(own))
    ends = "" if preference.low is None or preference.high is None else f" [{preference.low:+.2f}, {preference.high:+.2f}]"
    beside = f"beside {count_of(preference.beside, 'judge')} of another family"
    return f"{sentence}: {preference.preference:+.2f}{ends} scale points ({count_of(preference.n, 'question')}, {beside})"


def beside_words(judge: str, comparison: BesideOthers, alpha: float | None, without: float | None) -> str:
    """Say how far a judge agrees with the others, these with each other, and all of them with it and without it."""
    if comparison.rho is None:
        return say_of_judge("rank_unknown", judge=judge, n=count_of(comparison.n, "answer"))
    figures = (
        f"rank correlation {decimal(comparison.rho, 2)}{_of(comparison.interval)}, theirs {decimal(comparison.theirs, 2)}; "
        f"{decimal(comparison.distance, 2)} scale points apart{_lean_words(comparison.lean)}; "
        f"alpha {decimal(alpha, 2)}, {decimal(without, 2)} without it "
        f"({count_of(comparison.n, 'answer')})"
    )
    return f"{say_of_judge('agrees_least', judge=judge) if comparison.is_odd else f'{judge} beside the others'}: {figures}"


def leader_words(alone: Iterable[tuple[str, str | None]], every: str | None) -> str:
    """Who leads by each judge alone where that differs from who leads by all; empty where it does not.

    `alone`: (judge, model that leads by it); None = none is shown to.
    """
    differing = gathered((leader or "", judge) for judge, leader in alone if leader != every)
    if not differing:
        return ""
    sentences = [
        say_of_judge("by_one_judge", judge=f"{' or '.join(judges)} alone", leader=_leads(leader))
        for leader, judges in differing.items()
    ]
    return "; ".join([*sentences, say_of_judge("by_one_judge", judge="all", leader=_leads(every))])


def _leads(model: str | None) -> str:
    return f"{model} leads" if model else "no leader is shown"


def position_words(choices: SwappedChoices) -> str:
    """Say how much the order of two answers decides."""
    if choices.consistency is None:
        return say_of_judge("place_unknown")
    unread = f", {choices.left_out:,} not read" if choices.left_out else ""
    same = f"the same choice in both orders: {percent(choices.consistency, 0)} of {choices.n:,}{unread}"
    against = choices.first_first + choices.second_second
    if not against or choices.p_position is None:
        return same
    place = "first" if choices.first_first > choices.second_second else "second"
    prefers = choices.p_position < SIGNIFICANT
    sentence = say_of_judge("prefers_place", place=place) if prefers else say_of_judge("no_place")
    most = max(choices.first_first, choices.second_second)
    took = say_of_judge("took_place", place=place, most=f"{most:,}", n=f"{against:,}")
    return f"{same}; {took} (p {p_value(choices.p_position)}): {sentence}"


def ladder_words(judge: str, ladder: Ladder) -> str:
    """The verdict on a judge, what it rests on, and which steps it does not tell apart."""
    if ladder.value is None:
        return f"{judge} is {say_of_judge('ladder_open', what='every step')}, {_read(ladder)}"
    verdict: Mapping[bool | None, str] = {
        True: say_of_judge("ladder_usable", share=_share(ladder)),
        False: say_of_judge("ladder_not", share=_share(ladder)),
        None: say_of_judge("ladder_undecided", share=_share(ladder)),
    }
    steps = ", ".join(f"{100 * step:g}" for step in ladder.steps)
    means = ", ".join(decimal(mean, 2) for mean in ladder.means)
    without = [f"{100 * step:g} %" for step, mean in zip(ladder.steps, ladder.means, strict=True) if mean is None]
    sentence = say_of_judge("ladder_open", what=" and ".join(without)) if without else verdict[ladder.usable]
    omitted = f", {ladder.left_out:,} without two scores" if ladder.left_out else ""
    parts = [
        f"{sentence}, over {count_of(ladder.texts, 'text')}{omitted} (mean score {means} where {steps} % is replaced)",
        _read(ladder),
    ]
    if ladder.alike:
        alike = " %, ".join(f"{100 * first:g} and {100 * second:g}" for first, second in ladder.alike)
        parts.append(say_of_judge("steps_alike", steps=alike))
    if ladder.parts_whole and ladder.usable is not True:
        parts.append(say_of_judge("yes_no", top=f"{ladder.means[0]:g}"))
    return f"{judge} is {'; '.join(parts)}"


def _share(ladder: Ladder) -> str:
    ends = "" if ladder.low is None or ladder.high is None else f" [{100 * ladder.low:.0f}, {100 * ladder.high:.0f}]"
    return f"{percent(ladder.value, 0)}{ends}"


def _read(ladder: Ladder) -> str:
    return f"{sum(ladder.n):,} of {ladder.asked:,} scores parsed"


def attack_words(attacks: JudgeAttacks, by_sort: Mapping[str, JudgeAttacks]) -> str:
    """Say whether attacks move a judge, which sorts the most, and how far its scores of the clean twins differ."""
    unread = f", {attacks.left_out:,} not read" if attacks.left_out else ""
    if attacks.low is None or attacks.high is None:
        return say_of_judge("attacks_unknown", n=f"{attacks.left_out:,}")
    ends = f"95 % interval {percent(attacks.low, 0)} to {percent(attacks.high, 0)}{unread}"
    share = f"{attacks.moved:,} of {count_of(attacks.n, 'attack')} ({ends})"
    twins = f"its clean twins' two scores differ in {attacks.differ:,} of {attacks.n:,}"
    if not attacks.is_moved:
        return f"{say_of_judge('not_moved', share=share)} got a score above both of the clean twin's; {twins}"
    sorts = sorted(
        (sort for sort, sort_attacks in by_sort.items() if sort_attacks.moved), key=lambda sort: -by_sort[sort].moved
    )
    counts = ", ".join(f"{sort} {by_sort[sort].moved:,} of {by_sort[sort].n:,}" for sort in sorts)
    return f"{say_of_judge('moved', share=share)}: {counts}; {twins}"


def _of(interval: Interval) -> str:
    return bracketed(interval.low, interval.high)
