"""Every sentence about items true: of each in the table draws with a planted truth, through the functions that print it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from soaking import SOAK
from truth_cells import Cell
from truth_items import LEAST_FOUND, MOST_FALSE, DrawnExam, Exam, coverage, drawn_exam, flagged

from tui_eval.results.sums.item_analysis import ItemAnalysis, ModelAnswers, item_analysis, letter_of
from tui_eval.results.sums.item_sentences import ITEM_SENTENCES, ItemSentence

SEED = 20261126
QUICK, MANY = 60, 1_000
SIZES = ((4, 4), (3, 20), (8, 30), (24, 60))
"""Models and questions of small exams."""


def exams(draws: int, sizes: tuple[tuple[int, int], ...] = SIZES) -> Iterator[DrawnExam]:
    """Exams of these sizes, one after the other."""
    random = np.random.default_rng(SEED)
    for place in range(draws):
        models, questions = sizes[place % len(sizes)]
        yield drawn_exam(Exam(models, questions), random)


def held_in_all(draws: int, holds: Callable[[DrawnExam], bool]) -> Cell:
    """How many small exams something held in: it must in all."""
    return Cell(sum(map(holds, exams(draws))), draws, least=1.0)


def said(found: ItemAnalysis) -> str:
    """What is said of all items together."""
    return " ".join(found.sentences("question"))


def separates_nobody(draws: int) -> Cell:
    """Just as many questions are counted as have one column of answers, all right or all wrong."""

    def holds(drawn: DrawnExam) -> bool:
        right = (drawn.chosen == drawn.key).sum(axis=0)
        every, none, n = int((right == len(drawn.chosen)).sum()), int((right == 0).sum()), len(drawn.key)
        words = f"{every + none} of {n} questions separate no two models ({every} all right, {none} all wrong)."
        return words in said(drawn.analysis())

    return held_in_all(draws, holds)


def effective(draws: int) -> Cell:
    """Of n questions of which k are answered alike well, and no other separates anybody, it is k; it is never more than do."""
    random, held = np.random.default_rng(SEED), 0
    for _ in range(draws):
        models, telling, others = (int(random.integers(*ends)) for ends in ((3, 30), (1, 40), (1, 40)))
        right = int(random.integers(1, models))
        columns = [random.permutation([1.0] * right + [0.0] * (models - right)) for _ in range(telling)]
        columns += [np.full(models, float(random.integers(2))) for _ in range(others)]
        answers = [
            ModelAnswers(f"m{n}", f"m{n}", {place: float(column[n]) for place, column in enumerate(columns)})
            for n in range(models)
        ]
        found = item_analysis(answers)
        held += found is not None and f"Effective number of questions: {telling}." in said(found)
    for drawn in exams(20):
        found = drawn.analysis()
        assert found.effective <= sum(item.separates for item in found.items) + 1e-9
    return Cell(held, draws, least=1.0)


def look(draws: int) -> Cell:
    """Of three keys that were moved in an exam of 200 questions and 24 models, two at least are found."""
    flags = flagged(Exam(), np.random.default_rng(SEED), draws)
    return Cell(flags.two_of_three, draws, LEAST_FOUND)


def look_all(draws: int) -> Cell:
    """Said where all chose one other option, with its letter and the key's, and nowhere else."""

    def holds(drawn: DrawnExam) -> bool:
        models, place = len(drawn.chosen), 0
        chosen = drawn.chosen.copy()
        chosen[:, place] = (drawn.key[place] + 1) % 4
        found = replace(drawn, chosen=chosen).analysis()
        words = {item.place: item.doubt.words(int(drawn.key[item.place])) for item in found.items if item.doubt}
        option, key = letter_of(int(chosen[0, place])), letter_of(int(drawn.key[place]))
        alike = {at for at in range(len(drawn.key)) if len({*chosen[:, at]}) == 1 and chosen[0, at] != drawn.key[at]}
        all_chose = {at for at, text in words.items() if text.startswith("all ")}
        return all_chose == (alike if models >= 8 else set()) and (
            models < 8 or words[place] == f"all {models} chose {option}; key {key}"
        )

    return held_in_all(draws, holds)


def few_models(draws: int) -> Cell:
    """Said, and nothing flagged, up to seven models, four among them; not from eight on."""

    def holds(drawn: DrawnExam) -> bool:
        models, found = len(drawn.chosen), drawn.analysis()
        return (f"flags need 8 models, here are {models}" in said(found)) == (models < 8) and not (models < 8 and found.doubted)

    return held_in_all(draws, holds)


def no_options(draws: int) -> Cell:
    """Said where nobody knows what was chosen: then nothing is flagged."""

    def holds(drawn: DrawnExam) -> bool:
        found = item_analysis(drawn.answers())
        return (
            found is not None
            and "flags rest on the options that models chose, and here are none" in said(found)
            and not found.doubted
        )

    return held_in_all(draws, holds)


def flags(draws: int) -> Cell:
    """As many as the rows that say so; each chosen by more than half, with what it says of the better ones."""

    def holds(drawn: DrawnExam) -> bool:
        found, models = drawn.analysis(), len(drawn.chosen)
        if not found.can_flag:
            return True
        n = len(found.doubted)
        right = (drawn.chosen == drawn.key).astype(float)
        for item in found.doubted:
            assert item.doubt is not None
            chose = drawn.chosen[:, item.place] == item.doubt.option
            assert 2 * chose.sum() > models and chose.sum() == item.doubt.n and item.doubt.option != drawn.key[item.place]
            if item.doubt.n < models:
                rest = right.sum(axis=1) - right[:, item.place]
                assert rest[chose].mean() > rest[~chose].mean()
        return f"since the key may be wrong: {n} question{'s' * (n != 1)}." in said(found)

    return held_in_all(draws, holds)


def by_chance(models: int) -> Callable[[int], Cell]:
    """Where all keys are right, between half and twice as many questions are flagged as is said."""

    def trial(draws: int) -> Cell:
        exam = Exam(models, moved=0)
        told = re.search(
            r"chance flags about 1 question in ([\d,]+) at", said(drawn_exam(exam, np.random.default_rng(1)).analysis())
        )
        assert told is not None
        share = 1 / int(told[1].replace(",", ""))
        found = flagged(exam, np.random.default_rng(SEED), draws)
        return Cell(sum(found.false), draws * exam.questions, share / 2, share * 2)

    return trial


def left_out(draws: int) -> Cell:
    """Just the models that answered less than four fifths of the questions, and those whose id another has, too."""
    random, held = np.random.default_rng(SEED), 0
    for _ in range(draws):
        n, sizes = 20, [int(random.integers(12, 21)) for _ in range(6)]
        ids = [f"id{int(random.integers(0, 5))}" for _ in sizes]
        answers = [
            ModelAnswers(f"m{m}", ids[m], {place: float(random.integers(2)) for place in range(size)})
            for m, size in enumerate([n, *sizes[1:]])
        ]
        few = [f"m{m}" for m, size in enumerate([n, *sizes[1:]]) if size < 0.8 * n]
        enough = [m for m in range(6) if f"m{m}" not in few]
        twins = [f"m{m}" for m in enough if ids[m] in [ids[other] for other in enough if other < m]]
        found = item_analysis(answers)
        if found is None:
            held += 6 - len(few) - len(twins) < 3
            continue
        told = [
            f"{len(names)} model{'s' * (len(names) > 1)} left out: {why} ({', '.join(names)})"
            for names, why in (
                (few, "answered less than 80 % of them"),
                (twins, "another of the same model id counts for them"),
            )
            if names
        ]
        held += all(one in said(found) for one in told) and said(found).count("left out") == len(told)
    return Cell(held, draws, least=1.0)


TRIALS: Mapping[ItemSentence, Callable[[int], Cell]] = {
    "nobody": separates_nobody,
    "effective": effective,
    "look": look,
    "look_all": look_all,
    "few_models": few_models,
    "no_options": no_options,
    "flags": flags,
    "left_out": left_out,
    "by_chance": by_chance(8),
}


def test_every_sentence_has_a_trial() -> None:
    """One that is added to the table is tried from then on."""
    assert TRIALS.keys() == ITEM_SENTENCES.keys()


@pytest.mark.parametrize("name", TRIALS)
def test_a_sentence_is_true(name: ItemSentence) -> None:
    """Not beyond what it promises, by a 99 % interval."""
    found = TRIALS[name](QUICK)
    assert not found.beyond, (found.held, found.draws)


@SOAK
@pytest.mark.parametrize("name", TRIALS)
def test_a_sentence_is_true_of_many(name: ItemSentence) -> None:
    """The same with more draws."""
    found = TRIALS[name](MANY)
    assert not found.beyond, (found.held, found.draws)


@pytest.mark.parametrize(
    "models", [12, pytest.param(16, marks=SOAK), pytest.param(24, marks=SOAK), pytest.param(32, marks=SOAK)]
)
def test_chance_flags_as_many_as_is_said(models: int) -> None:
    """At every number of models that the sentence tells apart."""
    found = by_chance(models)(QUICK if models < 16 else 400)
    assert not found.beyond, (found.held, found.draws)


@pytest.mark.parametrize("draws", [QUICK, pytest.param(MANY, marks=SOAK)])
def test_few_right_keys_are_flagged(draws: int) -> None:
    """At 24 models at most one in five exams of 200 questions, on average; of each exam four at most are counted."""
    found = flagged(Exam(), np.random.default_rng(SEED + 1), draws)
    cell = Cell(sum(min(n, 4) for n in found.false), 4 * draws, most=MOST_FALSE / 4)
    assert not cell.beyond, found.false_a_draw


@pytest.mark.parametrize("models", [8, pytest.param(24, marks=SOAK)])
def test_an_interval_of_an_item_rest_correlation_holds_the_truth(models: int) -> None:
    """In 92 of 100 at least; of four models there is none."""
    cell = coverage(models, np.random.default_rng(SEED), 20)
    assert not cell.beyond, cell.rate
    assert all(item.interval is None for drawn in exams(1) for item in drawn.analysis().items)


def test_a_false_sentence_is_caught() -> None:
    """Were every option that most chose in place of the key flagged, too many right keys would be, and the trial says no."""
    random, held = np.random.default_rng(SEED), 0
    for _ in range(QUICK):
        drawn = drawn_exam(Exam(), random)
        wrong = [np.bincount(drawn.chosen[drawn.chosen[:, n] != key, n], minlength=4).max() for n, key in enumerate(drawn.key)]
        held += min(sum(2 * int(n) > len(drawn.chosen) for n in wrong) - len(drawn.moved), 4)
    assert Cell(held, 4 * QUICK, most=MOST_FALSE / 4).beyond
