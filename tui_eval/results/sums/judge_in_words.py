"""What is known of a judge as sentences: noise, agreement, correction, biases; each says its n, or why nothing is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tui_eval.core.gathering import gathered
from tui_eval.results.sums.differences import SIGNIFICANT
from tui_eval.results.sums.in_words import decimal, percent
from tui_eval.results.sums.person_checks import CONVERSATIONS as CONVERSATIONS
from tui_eval.results.sums.person_checks import person_words as person_words
from tui_eval.statistics.judge_bias import LengthCorrelation, SelfPreference
from tui_eval.statistics.judge_noise import JudgeNoise
from tui_eval.statistics.moved_judges import JudgeAttacks
from tui_eval.statistics.pairwise_choices import SwappedChoices
from tui_eval.statistics.rater_agreement import AlphaAgreement, PairAgreement, reliability
from tui_eval.statistics.resampling import Interval

LEAST_COVERAGE = 0.95
"""Share of the marks wanted below which a mean is warned of (METHOD.md D7)."""


def bracketed(low: float | None, high: float | None) -> str:
    """An interval after its figure: " [0.10, 0.35]"; empty where there is none."""
    return "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"


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
    return f"Fewer than 95 % have a mark, the others may be of another sort: {told}." if told else ""


def noise_words(found: JudgeNoise) -> str:
    """How far a judge's marks of one answer differ."""
    if found.noise is None:
        return f"noise not known: {found.why}"
    alike = f"{percent(found.same, 0)} marked alike again"
    flips = f", {found.flips:,} passed only once" if found.flips else ""
    unread = f", {found.left_out:,} not read twice" if found.left_out else ""
    return f"noise {found.noise:.2f}{_of(found.interval)} marks ({found.n:,} answers judged twice, {alike}{flips}{unread})"


def agreement_words(found: PairAgreement, interval: Interval) -> str:
    """How far two raters agree: percent, kappas and PABAK together, since kappa falls where one mark prevails."""
    if found.percent is None or found.kappa is None or found.quadratic is None:
        alike = "" if found.percent is None else f"{percent(found.percent, 0)} alike, "
        return f"{alike}no kappa over {found.n:,} answers: {found.why}"
    lean = f", {abs(found.bias):.2f} {'more' if found.bias > 0 else 'less'} lenient" if found.bias else ""
    return (
        f"{percent(found.percent, 0)} alike, kappa {found.kappa:.2f}, weighted {found.quadratic:.2f}{_of(interval)}, "
        f"PABAK {decimal(found.pabak, 2)}{lean} ({found.n:,} answers)"
    )


def alpha_words(found: AlphaAgreement, interval: Interval) -> str:
    """How far several judges agree."""
    if found.alpha is None:
        return f"no alpha: {found.why}"
    return f"alpha {found.alpha:.2f}{_of(interval)}, {reliability(found.alpha)} ({found.n:,} answers, {found.raters:,} judges)"


def length_words(found: LengthCorrelation) -> str:
    """Whether marks follow length; longer answers may be better ones."""
    if found.rho is None:
        return f"whether marks follow length is not known: {found.why}"
    said = {1: "longer answers get better marks", -1: "shorter answers get better marks", 0: "no lean towards length is shown"}
    rests = f"{found.n:,} answers to {found.questions:,} questions"
    open_ = f", no interval: {found.interval.why}" if found.interval.low is None else ""
    return f"{said[found.direction]}: rank correlation {found.rho:.2f}{_of(found.interval)} ({rests}{open_})"


def self_preference_words(judge: str, found: SelfPreference) -> str:
    """Whether a judge prefers its own model's answers."""
    if found.preference is None:
        return f"{judge}: {found.why}"
    said = "prefers its own" if found.found else "no preference for its own is shown"
    return f"{judge} {said}: {found.preference:+.2f}{bracketed(found.low, found.high)} marks ({found.n:,} questions)"


def position_words(found: SwappedChoices) -> str:
    """How much the order of two answers decides."""
    if found.consistency is None:
        return "no answer was chosen in both orders"
    lean = ""
    if found.first_share is not None and found.p_position is not None and found.p_position < SIGNIFICANT:
        lean = (
            f"; prefers what stands {'first' if found.first_share > 0.5 else 'second'} ({percent(found.first_share, 0)} first)"
        )
    unread = f", {found.left_out:,} not read" if found.left_out else ""
    return f"the same choice in both orders: {percent(found.consistency, 0)} of {found.n:,}{unread}{lean}"


def attack_words(found: JudgeAttacks, by_sort: Mapping[str, JudgeAttacks]) -> str:
    """Whether attacks move a judge, which sorts the most, and how far its scores of the clean twins differ."""
    unread = f", {found.left_out:,} not read" if found.left_out else ""
    if found.low is None or found.high is None:
        return f"whether attacks move it is not known: none of {found.left_out:,} was read with its clean twin"
    share = (
        f"{found.moved:,} of {found.n:,} attacks (95 % interval {percent(found.low, 0)} to {percent(found.high, 0)}{unread})"
    )
    twins = f"its clean twins' two scores differ in {found.differ:,} of {found.n:,}"
    if not found.is_moved:
        return f"not shown to be moved: {share} got a score above both of the clean twin's; {twins}"
    sorts = sorted((sort for sort, one in by_sort.items() if one.moved), key=lambda sort: -by_sort[sort].moved)
    told = ", ".join(f"{sort} {by_sort[sort].moved:,} of {by_sort[sort].n:,}" for sort in sorts)
    return f"moved by {share}: {told}; {twins}"


def _of(interval: Interval) -> str:
    return bracketed(interval.low, interval.high)
