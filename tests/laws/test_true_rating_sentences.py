"""Every sentence of a rating that goes on true: of each draws with a planted truth, through the functions that print it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.results.annotation_sample import AnnotationSample, AnswerPlace, DrawnAnswer, JudgedAnswer
from tui_eval.results.rating_progress import agreement_words, lacking_words, progress_of, progress_words
from tui_eval.results.sums.rating_sentences import LEAST_CONVERSATIONS, LEAST_MARKS, LEAST_OF_EACH, SENTENCES, Sentence
from tui_eval.runs.person_marks import MarkKey, PersonMark
from tui_eval.statistics.estimates import wilson

MARK, YES_NO = Metric("relevance", 1, 5, threshold=3), Metric("correct", threshold=1.0)
SEED = 20261127
Marks = dict[MarkKey, PersonMark]


@dataclass(frozen=True, slots=True)
class Trial:
    """What was drawn for a sentence: in how many draws what it promises held, and between which shares it must."""

    held: int
    draws: int
    least: float
    most: float = 1.0

    @property
    def true(self) -> bool:
        """False only where a 99 % interval of the share lies wholly beyond what is promised."""
        low, high = wilson(self.held, self.draws, 0.99) or (0.0, 1.0)
        return self.draws > 0 and high >= self.least and low <= self.most


def exact(held: Sequence[bool]) -> Trial:
    """Of what must hold each time."""
    return Trial(sum(held), len(held), 1.0)


def answers(talks: int, turns: int = 1, judge: Callable[[int, int], float] = lambda c, t: 1.0) -> list[JudgedAnswer]:
    """Of one model, so many turns of each conversation."""
    return [
        JudgedAnswer(AnswerPlace(f"c{c}", 0, t + 1, "a", "answer"), f"c{c}", c, t, judge(c, t), levels=(f"c{c}",))
        for c in range(talks)
        for t in range(turns)
    ]


def put(marks: Marks, drawn: DrawnAnswer, metric: Metric, mark: float | None, person: str = "") -> None:
    """What a person said of an answer, as the app writes it."""
    place, said = drawn.answer.place, None if mark is None else round(mark)
    line = PersonMark(
        place.item_id, place.repeat, place.turn, place.model, metric.name, said, "", place.stage, "", person, drawn.chance,
        drawn.left,
    )  # fmt: skip
    marks[line.key] = line


def rated(
    sample: AnnotationSample, metric: Metric, says: Callable[[AnswerPlace], float | None], n: int, person: str = ""
) -> Marks:
    """The marks of a person who says so of each answer that is shown, of so many."""
    marks: Marks = {}
    for _ in range(n):
        drawn = sample.current(marks, person)
        if drawn is None:
            break
        put(marks, drawn, metric, says(drawn.answer.place), person)
    return marks


def in_turn(said: Sequence[float | None]) -> Callable[[AnswerPlace], float | None]:
    """Marks one after the other, whatever is shown; "cannot tell" of what comes behind them."""
    line = iter(said)
    return lambda place: next(line, None)


def by_table(table: Mapping[tuple[int, int], float]) -> Callable[[AnswerPlace], float | None]:
    """Marks by conversation and turn, from 0."""
    return lambda place: table[int(place.item_id[1:]), place.turn - 1]


def words_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> str:
    """What is said of what is lacking."""
    return lacking_words(progress_of(sample, marks, "", metric), metric)


def of_each(_: int) -> Trial:
    """With just what is missing of each the other sentence comes, with one fewer not; at 4 marks as at 39."""
    held = []
    for yes, no in ((0, 0), (3, 1), (19, 20), (20, 5), (19, 19)):
        said = [1.0] * yes + [0.0] * no
        sample = AnnotationSample(answers(60), YES_NO, 1)

        def after(more_yes: int, more_no: int, said: list[float] = said, sample: AnnotationSample = sample) -> str:
            every = [*said, *[1.0] * more_yes, *[0.0] * more_no]
            return words_of(sample, rated(sample, YES_NO, in_turn(every), len(every)), YES_NO)

        found = {kind: int(n) for n, kind in re.findall(r"(\d+) (yes|no)", after(0, 0))}
        assert after(0, 0).endswith(" more for a certificate")
        more_yes, more_no = found.get("yes", 0), found.get("no", 0)
        held.append("of each are there" in after(more_yes, more_no))
        held.append("of each are there" not in after(max(more_yes - 1, 0), more_no - (more_yes == 0)))
    return exact(held)


def enough(_: int) -> Trial:
    """Said just where 20 of either truth are marked; "cannot tell" counts for none."""
    held = []
    for yes, no, unsure in ((20, 20, 0), (20, 19, 5), (25, 20, 9), (0, 40, 0)):
        sample = AnnotationSample(answers(80), YES_NO, 2)
        words = words_of(sample, rated(sample, YES_NO, in_turn([*[1.0] * yes, *[0.0] * no, *[None] * unsure]), 80), YES_NO)
        held.append(("of each are there" in words) == (min(yes, no) >= LEAST_OF_EACH))
    return exact(held)


def too_few(_: int) -> Trial:
    """Of 4 answers as of 39: no marks of theirs can ever be 20 of each; of 40 it is not said."""
    return exact(
        [
            ("a certificate takes 20 of each" in words_of(AnnotationSample(answers(n), YES_NO, 0), {}, YES_NO)) == (n < 40)
            for n in (4, 39, 40)
        ]
    )


def more_marks(_: int) -> Trial:
    """With just so many more a correction's marks are there, with one fewer not."""
    held = []
    for n in (0, 4, 7, 29):
        sample = AnnotationSample(answers(40), MARK, 0)

        def after(more: int, n: int = n, sample: AnnotationSample = sample) -> str:
            return words_of(sample, rated(sample, MARK, lambda place: 3.0, n + more), MARK)

        more = int(re.match(r"(\d+) more for a correction", after(0))[1])  # type: ignore[index]
        held += [after(more) == SENTENCES["enough_marks"], after(more - 1) != SENTENCES["enough_marks"]]
    return exact(held)


def enough_marks(_: int) -> Trial:
    """Said from 30 marks over 8 conversations on, and never before; the interval of a corrected mean is then printed."""
    held = []
    for talks, turns, n in ((8, 4, 30), (8, 4, 29), (40, 1, 30), (12, 3, 31)):
        sample = AnnotationSample(answers(talks, turns, lambda c, t: 3.0), MARK, 0)
        marks = rated(sample, MARK, lambda place: 4.0, n)
        found = progress_of(sample, marks, "", MARK)
        is_enough = lacking_words(found, MARK) == SENTENCES["enough_marks"]
        held.append(is_enough == (n >= LEAST_MARKS) and (not is_enough or "corrected mean ±" in progress_words(found, MARK)))
    return exact(held)


def too_few_talks(_: int) -> Trial:
    """Of 4 conversations as of 7: said however many marks there are; of 8 never."""
    held = []
    for talks in (4, 7, 8):
        sample = AnnotationSample(answers(talks, 9), MARK, 0)
        for n in (0, 10, 9 * talks):
            words = words_of(sample, rated(sample, MARK, lambda place: 3.0, n), MARK)
            held.append((f"a correction takes {LEAST_CONVERSATIONS}" in words) == (talks < LEAST_CONVERSATIONS))
    return exact(held)


def width(draws: int) -> Trial:
    """The half width that is printed, around the corrected mean, reaches the person's mean over all answers; its length by
    conversation goes with the judge's error."""
    random, held = Random(SEED), 0
    for draw in range(draws):
        talks = (8, 12, 20, 40)[draw % 4]
        turns = [random.choice((1, 6)) for _ in range(talks)]
        person = {(c, t): random.choice((2, 3, 3, 4)) for c in range(talks) for t in range(turns[c])}
        found = [
            replace(one, judge=min(person[one.row, one.call_index] + (turns[one.row] > 1), 5))
            for one in answers(talks, 6)
            if one.call_index < turns[one.row]
        ]
        sample = AnnotationSample(found, MARK, draw)
        marks = rated(sample, MARK, by_table(person), min(LEAST_MARKS, len(found) - 1))
        progress = progress_of(sample, marks, "", MARK)
        assert progress.half is not None
        half = float(re.search(r"corrected mean ±(\d\.\d\d)", progress_words(progress, MARK))[1])  # type: ignore[index]
        means = [[person[c, t] for t in range(turns[c])] for c in range(talks)]
        truth = sum(sum(own) / len(own) for own in means) / talks
        held += abs(_middle(sample, marks) - truth) <= half + 0.005
    return Trial(held, draws, 0.92)


def _middle(sample: AnnotationSample, marks: Marks) -> float:
    """The corrected mean that the half width is of: the judge's mean over conversations and the labels' mean error."""
    by_talk: dict[str, list[float]] = {}
    for one in sample.by_place.values():
        by_talk.setdefault(one.conversation, []).append(one.judge or 0.0)
    errors: dict[str, list[float]] = {}
    for drawn in sample.drawn(marks):
        said = next(mark.mark for key, mark in marks.items() if sample.answer_of(key) is drawn.answer)
        errors.setdefault(drawn.answer.conversation, []).append((said or 0) - (drawn.answer.judge or 0.0))
    raw = sum(sum(own) / len(own) for own in by_talk.values()) / len(by_talk)
    return raw + sum(sum(own) / len(own) for own in errors.values()) / len(errors)


def alike(draws: int) -> Trial:
    """The share is that of the marks that are the same; the interval of kappa holds the planted one."""
    random, held = Random(SEED), 0
    for draw in range(draws):
        truth = {(c, 0): float(random.random() < 0.5) for c in range(60)}
        errs = {place: value if random.random() < 0.8 else 1 - value for place, value in truth.items()}
        sample = AnnotationSample([replace(one, judge=errs[one.row, 0]) for one in answers(60)], YES_NO, draw)
        marks = rated(sample, YES_NO, by_table(truth), 60)
        (line,) = agreement_words(sample, marks, "", YES_NO)
        share, low, high = re.match(r"(\d+) % alike, kappa [\d.-]+ \[([\d.-]+), ([\d.-]+)\] over 60 answers$", line).groups()  # type: ignore[union-attr]
        assert int(share) == round(100 * sum(errs[c] == truth[c] for c in truth) / 60)
        held += float(low) - 0.005 <= 0.6 <= float(high) + 0.005
    return Trial(held, draws, 0.88)


def persons(_: int) -> Trial:
    """Of two persons, and of those answers alone that both marked; of 4 common answers as of 20. Nothing of none."""
    held = []
    for common in (0, 4, 20):
        sample = AnnotationSample(answers(30), YES_NO, 5)
        marks = rated(sample, YES_NO, lambda place: 1.0, 20, "kim")
        for place, drawn in enumerate(sample.drawn(marks)[:common]):
            put(marks, drawn, YES_NO, float(place % 2), "ada")
        said = [line for line in agreement_words(sample, marks, "kim", YES_NO) if "both marked" in line]
        wanted = f"kim and ada: {50 if common else 0} % alike"
        held.append(not said if not common else said[0].startswith(wanted) and f"over {common} answers that both" in said[0])
    return exact(held)


TRIALS: dict[Sentence, Callable[[int], Trial]] = {
    "of_each": of_each,
    "enough": enough,
    "too_few": too_few,
    "more_marks": more_marks,
    "enough_marks": enough_marks,
    "too_few_talks": too_few_talks,
    "width": width,
    "alike": alike,
    "persons": persons,
}


def test_every_sentence_has_a_trial() -> None:
    """A sentence without one is not printed."""
    assert TRIALS.keys() == SENTENCES.keys(), "add the trial of the new sentence here"


def test_every_table_of_sentences_has_its_law() -> None:
    """Each module of sentences in results/sums is tried by a file of laws of its own."""
    root = Path(__file__).resolve().parents[2]
    tables = {path.stem.removesuffix("_sentences") for path in (root / "tui_eval/results/sums").glob("*_sentences.py")}
    laws = {
        path.stem[len("test_true_") :].removesuffix("_sentences") for path in root.glob("tests/laws/test_true_*_sentences.py")
    }
    assert tables <= laws, f"write tests/laws/test_true_{sorted(tables - laws)}_sentences.py"


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_is_true(name: Sentence) -> None:
    """Within what it promises, by the 99 % rule."""
    trial = TRIALS[name](120)
    assert trial.true, trial


@pytest.mark.soak
@pytest.mark.parametrize("name", ["width", "alike"])
def test_a_sentence_is_true_in_many_draws(name: Sentence) -> None:
    """The same, drawn 2,000 times."""
    trial = TRIALS[name](2_000)
    assert trial.true, trial
