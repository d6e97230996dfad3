"""Law: every sentence of the table about ratings is true, as often as it promises, of planted truths drawn by the product."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.results.annotation_sample import AnnotationSample, AnswerPlace, JudgedAnswer
from tui_eval.results.rating_progress import agreement_words, interval_of, lacking_words, progress_of, progress_words
from tui_eval.results.sums.judge_certificates import LEAST_LABELS
from tui_eval.results.sums.person_checks import LEAST_CONVERSATIONS, LEAST_MARKS
from tui_eval.results.sums.rating_sentences import SENTENCES, Sentence
from tui_eval.runs.person_marks import MarkKey, PersonMark

CORRECT, RELEVANCE = Metric("correct", threshold=1.0), Metric("relevance", 1, 5, threshold=3)
COVERED = 0.92
"""Of the intervals of a corrected mean (NUMBERS §4)."""
Marks = dict[MarkKey, PersonMark]


@dataclass(frozen=True)
class World:
    """Answers with what judges give them, and what a person would say of each."""

    answers: list[JudgedAnswer]
    truths: dict[AnswerPlace, float]

    @property
    def mean(self) -> float:
        """What the person would come to over all answers: the mean over conversations."""
        talks: dict[str, list[float]] = {}
        for one in self.answers:
            talks.setdefault(one.conversation, []).append(self.truths[one.place])
        return fmean(map(fmean, talks.values()))


def world(rng: random.Random, talks: int, metric: Metric, models: int = 2) -> World:
    """Conversations of 1 to 6 turns, whose later answers are worse, and are the ones that the judge is too lenient on."""
    found, truths = [], {}
    for c in range(talks):
        taste, turns = rng.gauss(0, 0.15), rng.randint(1, 6)
        for model in "ab"[:models]:
            for t in range(turns):
                share = min(max(0.7 + taste - 0.05 * t, 0.02), 0.98)
                lenient = rng.random() < 0.1 + 0.05 * t
                truth = float(rng.random() < share)
                judge = 1.0 if lenient else truth
                if metric.high > 1:
                    truth = 1.0 + sum(rng.random() < share for _ in range(4))
                    judge = min(truth + lenient, 5.0)
                place = AnswerPlace(f"{model}/c{c}", 0, t + 1, model, "answer")
                truths[place] = truth
                found.append(JudgedAnswer(place, f"c{c}", c, t, judge, levels=(f"c{c}",)))
    return World(found, truths)


def rate(one: World, metric: Metric, most: int, person: str = "", marks: Marks | None = None) -> tuple[AnnotationSample, Marks]:
    """So many ratings of a person who says what is true, drawn as the app draws them."""
    sample, known = AnnotationSample(one.answers, metric, 0), {} if marks is None else marks
    for _ in range(most):
        drawn = sample.current(known, person)
        if drawn is None:
            break
        place = drawn.answer.place
        said = PersonMark(
            place.item_id, place.repeat, place.turn, place.model, metric.name, round(one.truths[place]), "", place.stage, "",
            person, drawn.chance, drawn.left,
        )  # fmt: skip
        known[said.key] = said
    return sample, known


def beyond(bad: int, n: int, bound: float) -> bool:
    """Whether the 99 % interval of a rate (Wilson) lies wholly above a bound."""
    z, rate = 2.5758, bad / n
    middle, spread = rate + z * z / (2 * n), z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n) > bound


def width(draws: int) -> None:
    """The corrected mean, or rate, plus and minus what is said holds the person's own mean over all answers."""
    for metric, talks, most in ((CORRECT, 30, 60), (RELEVANCE, 20, 30), (CORRECT, 10, 40)):
        rng, missed = random.Random(f"{metric.name} {talks}"), 0
        for _ in range(draws):
            one = world(rng, talks, metric)
            sample, marks = rate(one, metric, most)
            found = progress_of(sample, marks, "", metric)
            ends = interval_of(sample, marks, metric)
            if found.half is None or ends is None:  # five of either truth are not always there
                assert metric is CORRECT and min(found.yes, found.no) < 12
                continue
            (low, high), held = ends, found.after == len(marks)
            assert found.after % 10 == 0 and (not held or found.half == (high - low) / 2 > 0)
            missed += not low - 1e-9 <= one.mean <= high + 1e-9
        assert not beyond(missed, draws, 1 - COVERED), (metric.name, talks, missed, draws)


def of_each(draws: int) -> None:
    """Just as many more yes and no make it enough; so long it is not."""
    rng = random.Random(1)
    for _ in range(max(draws // 20, 3)):
        one = world(rng, rng.randint(12, 40), CORRECT)
        for most in (0, 7, 45, 90):
            sample, marks = rate(one, CORRECT, most)
            found = progress_of(sample, marks, "", CORRECT)
            words = lacking_words(found, CORRECT)
            yes = sum(mark.mark == 1 for mark in marks.values())
            no = sum(mark.mark == 0 for mark in marks.values())
            assert (found.yes, found.no) == (yes, no)
            if len(one.answers) < 2 * LEAST_LABELS:
                assert words == SENTENCES["too_few"].format(least=LEAST_LABELS, n=len(one.answers))
            elif min(yes, no) >= LEAST_LABELS:
                assert words == SENTENCES["enough"].format(least=LEAST_LABELS)
            else:
                lacks = [f"{LEAST_LABELS - n} {name}" for name, n in (("yes", yes), ("no", no)) if n < LEAST_LABELS]
                assert words == SENTENCES["of_each"].format(missing=", ".join(lacks))


def more_marks(draws: int) -> None:
    """With just that many more marks it is what a correction takes, and before that it is not."""
    for talks in (4, 7, 8, 12):
        one = world(random.Random(talks), talks, RELEVANCE)
        for most in (0, 5, 29, 30, 31):
            sample, marks = rate(one, RELEVANCE, most)
            words = lacking_words(progress_of(sample, marks, "", RELEVANCE), RELEVANCE)
            if talks < LEAST_CONVERSATIONS:
                assert words == SENTENCES["too_few_talks"].format(n=talks, conversations=LEAST_CONVERSATIONS)
                continue
            missing = LEAST_MARKS - len(marks)
            wanted = SENTENCES["more_marks"].format(missing=missing) if missing > 0 else SENTENCES["enough_marks"]
            assert words == wanted and len({one.conversation for one in sample.by_place.values()}) == talks
            if missing > 0:
                sample, marks = rate(one, RELEVANCE, missing, marks=marks)
                assert lacking_words(progress_of(sample, marks, "", RELEVANCE), RELEVANCE) == SENTENCES["enough_marks"]


def alike(draws: int) -> None:
    """The share that is said is that of equal marks; two persons are named, and only what both marked counts."""
    one = world(random.Random(3), 10, CORRECT)
    sample, marks = rate(one, CORRECT, 20, "kim")
    rate(one, CORRECT, 12, "ada", marks)
    judged = {answer.place: answer.judge for answer in one.answers}
    own = list(sample.by_person(marks, "kim"))
    share = fmean(judged[place] == one.truths[place] for place in own)
    words = agreement_words(sample, marks, "kim", CORRECT)
    assert words[0].startswith(f"{100 * share:.0f} % alike") and words[0].endswith("over 20 answers")
    assert words[1].startswith("kim and ada: 100 % alike") and words[1].endswith("over 12 answers that both rated")


TRIALS: dict[Sentence, Callable[[int], None]] = {
    "of_each": of_each,
    "enough": of_each,
    "too_few": of_each,
    "more_marks": more_marks,
    "enough_marks": more_marks,
    "too_few_talks": more_marks,
    "width": width,
    "alike": alike,
    "persons": alike,
}


def test_every_sentence_has_a_trial() -> None:
    """One that is added without a trial fails here."""
    assert TRIALS.keys() == SENTENCES.keys()


def trials() -> Iterator[Callable[[int], None]]:
    """Each once."""
    yield from dict.fromkeys(TRIALS.values())


@pytest.mark.parametrize("trial", [*trials()], ids=lambda trial: trial.__name__)
def test_ratings_are_spoken_of_truly(trial: Callable[[int], None]) -> None:
    """In short."""
    trial(60)


@pytest.mark.soak
@pytest.mark.parametrize("trial", [*trials()], ids=lambda trial: trial.__name__)
def test_ratings_are_spoken_of_truly_over_many_draws(trial: Callable[[int], None]) -> None:
    """In full."""
    trial(1_000)


def test_at_four_conversations_no_width_is_told() -> None:
    """A correction takes 8: neither half a width nor anything in its place is said."""
    sample, marks = rate(world(random.Random(0), 4, RELEVANCE), RELEVANCE, 60)
    found = progress_of(sample, marks, "", RELEVANCE)
    assert found.half is None and "±" not in progress_words(found, RELEVANCE)


def test_no_single_mark_moves_the_width() -> None:
    """It stands still between tens: a mark that moved it at once would tell whether the judge said the same."""
    sample, marks = rate(world(random.Random(3), 20, CORRECT), CORRECT, 60)
    keys, widths = list(marks), list[tuple[float | None, int]]()
    for n in range(1, len(keys) + 1):
        found = progress_of(sample, {key: marks[key] for key in keys[:n]}, "", CORRECT)
        widths.append((found.half, found.after))
    assert {after for _, after in widths} == set(range(0, 61, 10))
    assert len({*widths}) == 7 and widths[-1][0] is not None


def test_an_answer_that_persons_differ_on_is_no_label() -> None:
    """Of yes and no it counts as one that nobody marked: contradicted one by one, some change the width."""
    one = world(random.Random(5), 10, CORRECT)
    sample, marks = rate(one, CORRECT, 20, "kim")
    alone = progress_of(sample, marks, "kim", CORRECT).half
    others = [replace(first, person="ada", mark=1 - (first.mark or 0)) for first in marks.values()]
    widths = [progress_of(sample, {**marks, other.key: other}, "kim", CORRECT).half for other in others]
    assert alone is not None and any(width != alone for width in widths)


def test_every_table_of_sentences_has_its_law() -> None:
    """Each module of sentences in results/sums is tried by a file of laws of its own."""
    root = Path(__file__).resolve().parents[2]
    tables = {path.stem.removesuffix("_sentences") for path in (root / "tui_eval/results/sums").glob("*_sentences.py")}
    laws = {path.stem[len("test_true_") : -len("_sentences")] for path in root.glob("tests/laws/test_true_*_sentences.py")}
    assert tables <= laws, f"write tests/laws/test_true_{sorted(tables - laws)}_sentences.py"
