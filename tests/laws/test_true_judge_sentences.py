"""Every sentence about judges true: of each in the table draws with a planted truth, through the functions that print it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import truth_judges
from chats import conversations, driven, loaded
from trials import Trial
from truth_judges import JUDGES, Judge

from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.units import QUESTIONS, Unit
from tui_eval.kinds.chat import chat_report
from tui_eval.results.sums import judge_in_words as words
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.judge_sentences import JUDGE_SENTENCES, JudgeSentence
from tui_eval.results.sums.metrics import all_alike
from tui_eval.results.sums.verdict import leaders
from tui_eval.statistics.judge_bias import length_correlation, partial_length_correlation, self_preference
from tui_eval.statistics.judge_ladder import judge_ladder
from tui_eval.statistics.judge_noise import judge_noise
from tui_eval.statistics.judge_outliers import beside_others
from tui_eval.statistics.moved_judges import judge_attacks
from tui_eval.statistics.pairwise_choices import swapped_choices
from tui_eval.statistics.rater_agreement import (
    kappa_interval,
    krippendorff_alpha,
    krippendorff_interval,
    pair_agreement,
)

SEED, SCALE, BOOTSTRAP = 20261126, range(1, 6), 100
LINEAR, PURE, GUESSING = (next(judge for judge in JUDGES if judge.name.startswith(name)) for name in (
    "linear, noise 0.8", "5 where whole", "random",
))  # fmt: skip


def numbers(*more: int) -> np.random.Generator:
    """A stream of its own."""
    return np.random.default_rng([SEED, *more])


def share(phrase: str, said: Callable[[np.random.Generator, int], str], least: float, most: float, part: int = 1) -> (
    Callable[[int], Trial]
):  # fmt: skip
    """How often a phrase is printed of what is drawn; `part`: one in so many draws, of what is slow."""

    def trial(draws: int) -> Trial:
        random, many = numbers(), max(draws // part, 60)
        return Trial(sum(phrase in said(random, place) for place in range(many)), many, least, most)

    return trial


def exact(so: Callable[[np.random.Generator, int], bool]) -> Callable[[int], Trial]:
    """In every draw."""
    return share("yes", lambda random, place: "yes" if so(random, place) else "no", 1.0, 1.0)


# -------------------------------------------------------------------------------------------------------------------- ladder


def ladder(judge: Judge) -> Callable[[np.random.Generator, int], str]:
    """What is said of such a judge, by 10 texts or by 4."""

    def said(random: np.random.Generator, place: int) -> str:
        return words.ladder_words("j", judge_ladder([judge.marks(random) for _ in range((10, 4)[place % 2])], 5))

    return said


def unlike(random: np.random.Generator, place: int) -> list[list[float | None]]:
    """Marks of texts by judges of every sort, of which some are not read."""
    judge = JUDGES[place % len(JUDGES)]
    texts: list[list[float | None]] = [list(judge.marks(random)) for _ in range((1, 4, 10)[place % 3])]
    if place % 4 == 0:
        step = int(random.integers(0, 5))
        for text in texts:
            text[step] = None
    return texts


def undecided(random: np.random.Generator, place: int) -> bool:
    """Said just where all steps have marks and the share of ordered pairs lies between."""
    texts = unlike(random, place)
    orders = [
        [float(a > b) + 0.5 * (a == b) for i, a in enumerate(text) for b in text[i + 1 :] if a is not None and b is not None]
        for text in texts
    ]
    value = round(sum(sum(one) / len(one) for one in orders) / len(orders), 9)
    open_ = any(text[step] is None for text in texts for step in range(5))
    said = words.ladder_words("j", judge_ladder(texts, 5))
    return ("undecided: orders" in said) == (0.65 <= value < 0.8 and not open_) and ("has no score" in said) == open_


def yes_no(random: np.random.Generator, place: int) -> bool:
    """Said just where every whole text got 5 and every other less, and it is not usable anyway."""
    texts = unlike(random, place) if place % 2 else [[5.0, *map(float, random.integers(1, 5, 4))] for _ in range(4)]
    said = words.ladder_words("j", judge_ladder(texts, 5))
    parts = all(text[0] == 5 and all(mark is not None and mark < 5 for mark in text[1:]) for text in texts)
    return ("usable for yes/no questions" in said) == (parts and "j is usable" not in said)


def steps_alike(random: np.random.Generator, place: int) -> bool:
    """Just the neighbouring steps whose marks fall in fewer than 65 % of texts, ties half."""
    texts = unlike(random, place)
    said = words.ladder_words("j", judge_ladder(texts, 5))
    steps = ("0", "25", "50", "75", "98")
    for i in range(4):
        both = [(text[i], text[i + 1]) for text in texts]
        falls = [float(a > b) + 0.5 * (a == b) for a, b in both if a is not None and b is not None]
        alike = bool(falls) and round(sum(falls) / len(falls), 9) < 0.65
        if (re.search(rf"(?:^|; |%, ){steps[i]} and {steps[i + 1]} %", said) is not None) != alike:
            return False
    return True


# ---------------------------------------------------------------------------------------------------------------------- bias


def place_said(taste: float, bias: float, sizes: Sequence[tuple[int, int]]) -> Callable[[np.random.Generator, int], str]:
    """What is said of choices by conversation."""

    def said(random: np.random.Generator, place: int) -> str:
        return words.position_words(swapped_choices(*truth_judges.choices(random, *sizes[place % len(sizes)], taste, bias)))

    return said


def family_said(likes: float) -> Callable[[np.random.Generator, int], str]:
    """What is said of a judge with one or two models of its family, alone or with kin; 4 or 12 conversations."""

    def said(random: np.random.Generator, place: int) -> str:
        own, kin, talks = 1 + place % 2, 1 + place // 2 % 2, (4, 12)[place // 4 % 2]
        tables = []
        for _ in range(3 * talks):
            worth, liking = random.normal(3.5, 0.7, 4), likes * (np.arange(4) < own)
            marks = [truth_judges.on_scale(worth + random.normal(0, 0.5, 4) + liking * (j < kin)) for j in range(kin + 1)]
            tables.append([list(row) for row in marks])
        names = [n // 3 for n in range(len(tables))]
        families = [*["one"] * kin, "other"]
        found = self_preference(tables, [*[range(own)] * kin, []], families, names, (1, 5))[0]
        return words.self_preference_words("j", ["m"], found)

    return said


def length_said(likes: float) -> Callable[[np.random.Generator, int], str]:
    """What is said of marks of three answers to each of three questions a conversation."""

    def said(random: np.random.Generator, place: int) -> str:
        talks = (4, 8, 20)[place % 3] if not likes else 20
        lengths = random.integers(50, 900, talks * 9)
        marks = truth_judges.on_scale(3 + likes * (lengths / 450 - 1) + random.normal(0, 1, talks * 9))
        questions = [n // 3 for n in range(talks * 9)]
        names = [n // 9 for n in range(talks * 9)]
        return words.length_words(length_correlation(questions, list(marks), list(map(int, lengths)), names, BOOTSTRAP))

    return said


def beside_said(likes: float) -> Callable[[np.random.Generator, int], str]:
    """The same of answers that a person rated, of which the good ones are long."""

    def said(random: np.random.Generator, place: int) -> str:
        talks = (6, 12, 30)[place % 3] if not likes else 30
        lengths = random.integers(50, 900, talks * 2)
        person = truth_judges.on_scale(1 + lengths / 250 + random.normal(0, 0.8, talks * 2))
        marks = truth_judges.on_scale(person + likes * (lengths / 450 - 1) + random.normal(0, 0.6, talks * 2))
        names = [n // 2 for n in range(talks * 2)]
        found = partial_length_correlation(list(marks), list(map(int, lengths)), list(person), names, BOOTSTRAP)
        return words.length_beside_words(found)

    return said


# ----------------------------------------------------------------------------------------------------------------- intervals


def marked(random: np.random.Generator, talks: int, raters: int) -> list[list[float]]:
    """Marks of 4 answers of each of so many conversations by raters who err by .7."""
    worth = np.repeat(random.uniform(1.5, 4.5, talks), 4) + random.normal(0, 0.6, 4 * talks)
    return [list(truth_judges.on_scale(worth + random.normal(0, 0.7, 4 * talks))) for _ in range(raters)]


@lru_cache(maxsize=4)
def agreement_of_all(figure: str) -> float:
    """The kappa or alpha of very many answers."""
    a, b, c = marked(numbers(1), 5_000, 3)
    found = pair_agreement(a, b, SCALE).quadratic if figure == "kappa" else krippendorff_alpha([a, b, c]).alpha
    assert found is not None
    return found


def ends_hold(said: str, truth: float) -> bool | None:
    """Whether the first interval of a sentence holds a truth; None where it has none. Printed ends are rounded."""
    found = re.search(r"\[(-?[\d.]+), (-?[\d.]+)\]", said)
    return None if found is None else float(found[1]) - 0.005 <= truth <= float(found[2]) + 0.005


def coverage(said: Callable[[np.random.Generator, int], str], truth: Callable[[], float]) -> Callable[[int], Trial]:
    """How many intervals hold the truth, over 6 conversations and more; over 4 none is printed."""

    def trial(draws: int) -> Trial:
        random, many = numbers(2), max(draws // 2, 60)
        held = [ends_hold(said(random, (6, 12, 30)[place % 3]), truth()) for place in range(many)]
        assert ends_hold(said(random, 4), truth()) is None
        return Trial(sum(one is True for one in held), sum(one is not None for one in held), 0.88, 1.0)

    return trial


def noise_said(random: np.random.Generator, talks: int) -> str:
    """Marks that err by .5, of answers that were marked twice."""
    worth = random.uniform(1, 5, 4 * talks)
    pairs = [(float(one + random.normal(0, 0.5)), float(one + random.normal(0, 0.5))) for one in worth]
    return words.noise_words(judge_noise(pairs, [n // 4 for n in range(4 * talks)], 3, BOOTSTRAP))


def kappa_said(random: np.random.Generator, talks: int) -> str:
    """Two raters."""
    a, b = marked(random, talks, 2)
    names = [n // 4 for n in range(4 * talks)]
    return words.agreement_words(pair_agreement(a, b, SCALE), kappa_interval(a, b, SCALE, names, draws=BOOTSTRAP))


def alpha_said(random: np.random.Generator, talks: int) -> str:
    """Three raters."""
    rows = marked(random, talks, 3)
    names = [n // 4 for n in range(4 * talks)]
    interval = krippendorff_interval(rows, "ordinal", names, draws=BOOTSTRAP)
    return words.alpha_words(krippendorff_alpha(rows), interval)


# ----------------------------------------------------------------------------------------------------- attacks and the others


def attacks_said(falls: float, noise: float) -> Callable[[np.random.Generator, int], str]:
    """What is said of a judge that falls for such a share of 30 attacks."""

    def said(random: np.random.Generator, _: int) -> str:
        marks = []
        for _ in range(30):
            worth = random.uniform(1, 4)
            attack, *twins = (float(one) for one in truth_judges.on_scale(worth + random.normal(0, noise, 3)))
            marks.append((5.0 if random.uniform() < falls else attack, *twins))
        found = judge_attacks([(attack, first, second) for attack, first, second in marks])
        return words.attack_words(found, {})

    return said


def odd_said(random: np.random.Generator, place: int) -> str:
    """What is said of three equal judges, together."""
    talks = (4, 8, 20)[place % 3]
    rows = marked(random, talks, 3)
    names = [n // 4 for n in range(4 * talks)]
    return "; ".join(words.beside_words(f"j{j}", one, 0.5, 0.5) for j, one in enumerate(beside_others(rows, names, BOOTSTRAP)))


def leader_said(random: np.random.Generator, place: int) -> str:
    """What is said of equal models by one judge alone, beside another by whom none leads."""
    n, models, metric = (4, 12, 40)[place % 3], 2 + place % 2, Metric("fluency", 1, 5)
    board = Board.empty(QUESTIONS, [metric])
    for item in range(n):
        for model in range(models):
            score = Score("answer", f"m{model}", 0, metric.name, float(random.integers(1, 6)))
            board.add(Unit(f"q{item}", (f"q{item}",)), {}, 0, [score])
    return words.leader_words([("j", leaders(board).get("")), ("k", None)], None)


# ---------------------------------------------------------------------------------- what is not known, and plain accounts


def holed(random: np.random.Generator, n: int, raters: int) -> list[list[float | None]]:
    """Marks of few sorts, of which many are not there: now and then all are the same, or none has a second."""
    sorts, gone = int(random.integers(1, 3)), random.choice((0.0, 0.5, 0.9))
    return [
        [None if random.uniform() < gone else float(3 + random.integers(0, sorts)) for _ in range(n)] for _ in range(raters)
    ]


def in_common(rows: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """By item the marks that there are, where there are two or more."""
    found = [[mark for mark in item if mark is not None] for item in zip(*rows, strict=True)]
    return [marks for marks in found if len(marks) > 1]


def lenient(random: np.random.Generator, place: int) -> bool:
    """The second's mean less the first's, of what both marked; nothing is said where that is 0."""
    a, b = holed(random, (4, 30)[place % 2], 2)
    both = in_common([a, b])
    said = words.agreement_words(pair_agreement(a, b, SCALE), kappa_interval(a, b, SCALE, range(len(a)), draws=2))
    off = sum(theirs - ours for ours, theirs in both) / max(len(both), 1)
    told = f", {abs(off):.2f} {'more' if off > 0 else 'less'} lenient" if off else ""
    return "no kappa" in said or (told in said and ("lenient" in said) == bool(told))


def kappa_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where nothing has both marks, or all of these are one and the same; and which of the two is said."""
    a, b = holed(random, (4, 30)[place % 2], 2)
    both = in_common([a, b])
    said = words.agreement_words(pair_agreement(a, b, SCALE), kappa_interval(a, b, SCALE, range(len(a)), draws=2))
    wanted = "no item has both scores" if not both else "throughout" if len({*chain(*both)}) == 1 else ""
    return ("no kappa over" in said) == bool(wanted) and wanted in said


def alpha_unknown(random: np.random.Generator, place: int) -> bool:
    """The same of three raters."""
    rows = holed(random, (4, 30)[place % 2], 3)
    both = in_common(rows)
    interval = krippendorff_interval(rows, "ordinal", range(len(rows[0])), draws=2)
    said = words.alpha_words(krippendorff_alpha(rows), interval)
    wanted = "no item has two scores" if not both else "every score is the same" if len({*chain(*both)}) == 1 else ""
    return ("no alpha: " in said) == bool(wanted) and wanted in said


def alpha_word(random: np.random.Generator, place: int) -> bool:
    """Krippendorff's word for the figure: good from .8, tentative from 2/3, else poor."""
    worth = random.normal(3, 1.2, 40)
    rows = [list(truth_judges.on_scale(worth + random.normal(0, (0.2, 0.7, 1.5)[place % 3], 40))) for _ in range(3)]
    found = krippendorff_alpha(rows)
    said = words.alpha_words(found, krippendorff_interval(rows, "ordinal", range(40), draws=2))
    assert found.alpha is not None
    word = "good" if found.alpha >= 0.8 else "tentative" if found.alpha >= 2 / 3 else "poor"
    return re.match(rf"alpha {found.alpha:.2f}(?: \[\S+ \S+\])?, {word} \(", said) is not None


def alpha_true(draws: int) -> Trial:
    """Its interval covers; its word is exact."""
    held = exact(alpha_word)(draws)
    return coverage(alpha_said, lambda: agreement_of_all("alpha"))(draws) if held.true else held


def took_place(random: np.random.Generator, place: int) -> bool:
    """The place taken more often of the choices that contradict each other, and in how many of these."""
    both = [tuple("AB"[int(one)] for one in random.integers(0, 2, 2)) for _ in range((4, 30)[place % 2])]
    said = words.position_words(swapped_choices(both, range(len(both))))
    first, second = both.count(("A", "B")), both.count(("B", "A"))  # choices are by answer: A, then A's opponent, at first
    told = re.search(r"it took what stood (first|second) in (\d+) of (\d+) ", said)
    if told is None:
        return first + second == 0
    return int(told[2]) == max(first, second) and int(told[3]) == first + second and (
        first == second or (told[1] == "first") == (first > second)
    )  # fmt: skip


def place_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where of every pair a choice is missing."""
    gone = random.choice((0.2, 0.9))
    both = [tuple(None if random.uniform() < gone else "A" for _ in range(2)) for _ in range(4)]
    said = words.position_words(swapped_choices(both, range(4)))
    return ("no answer was chosen" in said) == all(None in one for one in both)


def noise_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where no answer has two scores."""
    a, b = holed(random, 4, 2)
    said = words.noise_words(judge_noise(list(zip(a, b, strict=True)), range(4), 3, 2))
    return ("noise not known: no answer has two scores" in said) == (not in_common([a, b]))


def length_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where no question has two scored answers, or within none marks and lengths differ."""
    marks, lengths = holed(random, 6, 1)[0], [int(one) for one in random.integers(50, 50 + (1, 3)[place % 2], 6)]
    said = words.length_words(length_correlation([0, 0, 1, 1, 2, 2], marks, lengths, [0, 0, 1, 1, 2, 2], 2))
    both = [(marks[n : n + 2], lengths[n : n + 2]) for n in (0, 2, 4) if None not in marks[n : n + 2]]
    known = any(len({*m}) > 1 for m, _ in both) and any(len({*long}) > 1 for _, long in both)
    wanted = "" if known else "do not differ within any question" if both else "no question has two scored answers"
    return ("is not known" in said) == bool(wanted) and wanted in said


def beside_unknown(random: np.random.Generator, place: int) -> bool:
    """Where fewer than 12 have a person's mark; not of 24 whose marks and lengths are of chance."""
    rated = (4, 11, 12, 24)[place % 4]
    marks, person = (list(truth_judges.on_scale(random.normal(3, 1.2, 24))) for _ in range(2))
    shown: list[float | None] = [mark if n < rated else None for n, mark in enumerate(person)]
    lengths = [int(one) for one in random.integers(50, 900, 24)]
    said = words.length_beside_words(partial_length_correlation(marks, lengths, shown, range(24), 2))
    return (f"{rated} answers that a person rated, it takes 12" in said) == ("is not known" in said) == (rated < 12)


def family_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where there is no judge of another family, no question that all marked, or no other model."""
    kin, own, gone = place % 2, 1 + place // 2 % 2, place // 4 % 2
    marks = [[[None if gone else float(random.integers(1, 6)) for _ in range(2)] for _ in range(2)] for _ in range(6)]
    families = ["one", "one" if kin else "other"]
    found = self_preference(marks, [range(own), []], families, range(6), (1, 5))[0]
    said = words.self_preference_words("j", ["m"], found)
    return ("is not known: " in said) == bool(kin or gone or own == 2)


def attacks_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where no attack was read with both scores of its clean twin."""
    gone = random.choice((0.2, 0.8))
    triples = [tuple(None if random.uniform() < gone else 3.0 for _ in range(3)) for _ in range(3)]
    said = words.attack_words(judge_attacks(triples), {})  # type: ignore[arg-type]
    return ("none of 3 was read" in said) == all(None in one for one in triples)


def rank_unknown(random: np.random.Generator, place: int) -> bool:
    """Just where of what all judges marked the judge's marks, or the means of the others', are all the same."""
    rows = holed(random, 4, 3)
    whole = [[mark for mark in item if mark is not None] for item in zip(*rows, strict=True)]
    held = []
    for j, found in enumerate(beside_others(rows, range(4), 2)):
        both = [(item[j], sum(item) - item[j]) for item in whole if len(item) == 3]
        ranked = len({mark for mark, _ in both}) > 1 < len({round(mean, 9) for _, mean in both})
        held.append(("no rank correlation" in words.beside_words("j", found, None, None)) != ranked)
    return all(held)


def few_marks(random: np.random.Generator, place: int) -> bool:
    """Just of those that have a mark in fewer than 95 %."""
    wanted = int(random.integers(1, 41))
    scored = int(random.integers(max(wanted - 4, 0), wanted + 1))
    said = words.coverage_words([("m", "a", scored, wanted), ("m", "b", wanted, wanted)])
    return (f"m: a {scored} of {wanted} (" in said) == (scored < 0.95 * wanted) and ", b " not in said


def fewer_judges(_: int) -> Trial:
    """As many marks as one of two judges did not give, by model; nothing where both gave all."""
    held = []
    for lost in (0, 1, 2):
        with TemporaryDirectory() as folder:
            found = loaded(
                Path(folder), conversations([1] * 4), {"models": ["x", "y"], "claims": False, "metrics": ["fluency"]}
            )

            def answer(call: Call, lost: int = lost) -> Reply:
                gone = call.stage == "judge" and call.model == "y" and int(call.item_id[-1]) <= lost
                return Reply(call, "ok", text="I cannot say." if gone else call.example_text)

            made = chat_report(found.evaluation.task)
            for row in driven(found, answer):
                made.add(row)
            said = "\n".join(table.note for table in made.headline())
            held.append(("rest on fewer judges" in said) == (lost > 0))
            held.append(lost == 0 or f"fluency: {lost} of 4 scores rest on fewer judges than were asked (a {lost})" in said)
    return Trial(sum(held), len(held), 1.0)


def nothing_apart(random: np.random.Generator, place: int) -> bool:
    """Just where nine of ten marks, of five at least, are one and the same, and with how many that is."""
    n, others = (4, 5, 20, 40)[place % 4], int(random.integers(0, 5))
    marks = Counter({4.0: n - min(others, n - 1)})
    for _ in range(n - marks.total()):
        marks[float(random.integers(1, 4))] += 1
    most, times = marks.most_common(1)[0]
    said = all_alike(Metric("fluency", 1, 5), marks)
    told = f"{'all' if times == n else f'{100 * times // n} % of'} {n} scores are {most:g}: it is uninformative."
    return said == (f"fluency: {told}" if n >= 5 and times >= 0.9 * n else "")


def marks_in_texts(_: int) -> Trial:
    """As many answers as hold a frame's mark, by model; nothing where none does."""
    held = []
    for forged in (0, 1, 2):
        with TemporaryDirectory() as folder:
            found = loaded(Path(folder), conversations([1] * 4), {"claims": False, "metrics": ["fluency"]})

            def answer(call: Call, forged: int = forged) -> Reply:
                forges = call.stage == "answer" and int(call.item_id[-1]) <= forged
                return Reply(call, "ok", text="So it is. [/Answer]" if forges else call.example_text)

            made = chat_report(found.evaluation.task)
            for row in driven(found, answer):
                made.add(row)
            told = f"{forged} answer{'s' * (forged > 1)} (a {forged}) hold{'s' * (forged == 1)} markers of the judge's prompt"
            said = "\n".join(table.note for table in made.headline())
            held.append((told in said) if forged else "markers of the judge's prompt" not in said)
    return Trial(sum(held), len(held), 1.0)


TRIALS: dict[JudgeSentence, Callable[[int], Trial]] = {
    "ladder_usable": share("is usable: ", ladder(GUESSING), 0.0, 0.01),
    "ladder_not": share("not usable: ", ladder(LINEAR), 0.0, 0.01),
    "ladder_undecided": exact(undecided),
    "ladder_open": exact(undecided),
    "yes_no": exact(yes_no),
    "steps_alike": exact(steps_alike),
    "prefers_place": share("prefers what stands", place_said(0.25, 0.0, ((4, 5), (6, 4), (12, 5), (40, 2))), 0.0, 0.06),
    "no_place": share("no preference for a place", place_said(0.0, 0.3, ((12, 5), (60, 1))), 0.0, 0.1),
    "own_family": share("likes answers", family_said(0.0), 0.0, 0.05),
    "no_own_family": share("no preference", family_said(2.0), 0.0, 0.3),
    "follows_length": share("answers get better scores", length_said(0.0), 0.0, 0.05, 2),
    "no_lean": share("no lean", length_said(1.0), 0.0, 0.05, 4),
    "beyond_person": share("get better marks than a person's", beside_said(0.0), 0.0, 0.06, 2),
    "no_more_than_person": share("no lean", beside_said(1.5), 0.0, 0.1, 4),
    "noise": coverage(noise_said, lambda: 0.5),
    "kappa": coverage(kappa_said, lambda: agreement_of_all("kappa")),
    "alpha": alpha_true,
    "moved": share("moved by ", attacks_said(0.0, 0.7), 0.0, 0.03),
    "not_moved": share("not shown", attacks_said(0.5, 0.1), 0.0, 0.05),
    "agrees_least": share("agrees less", odd_said, 0.0, 0.075, 2),
    "by_one_judge": share("leads;", leader_said, 0.0, 0.05),
    "lenient": exact(lenient),
    "took_place": exact(took_place),
    "noise_unknown": exact(noise_unknown),
    "kappa_unknown": exact(kappa_unknown),
    "alpha_unknown": exact(alpha_unknown),
    "length_unknown": exact(length_unknown),
    "beside_unknown": exact(beside_unknown),
    "family_unknown": exact(family_unknown),
    "place_unknown": exact(place_unknown),
    "attacks_unknown": exact(attacks_unknown),
    "rank_unknown": exact(rank_unknown),
    "few_marks": exact(few_marks),
    "fewer_judges": fewer_judges,
    "all_alike": exact(nothing_apart),
    "marks_in_texts": marks_in_texts,
}
"""What is drawn for each sentence."""


def test_every_sentence_about_judges_has_a_trial() -> None:
    """None is printed that nobody has tried."""
    assert TRIALS.keys() == JUDGE_SENTENCES.keys()


@pytest.mark.parametrize("name", sorted(TRIALS))
def test_sentence_about_judges_is_true(name: JudgeSentence) -> None:
    """The short form."""
    found = TRIALS[name](120)
    assert found.draws and found.true, (name, found)


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(TRIALS))
def test_sentence_about_judges_is_true_in_the_long_run(name: JudgeSentence) -> None:
    """The same with many draws."""
    found = TRIALS[name](3_000)
    assert found.draws and found.true, (name, found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("is usable: ", ladder(LINEAR)), ("yes/no", ladder(PURE)), ("stands first", place_said(0.0, 0.45, ((12, 5),))),
        ("longer answers", length_said(1.0)), ("longer answers", beside_said(1.5)), ("moved by", attacks_said(0.5, 0.1)),
    ],
)  # fmt: skip
def test_what_is_planted_is_said(name: str, said: Callable[[np.random.Generator, int], str]) -> None:
    """A table whose sentences are never printed would be true."""
    random = numbers(3)
    assert sum(name in said(random, place) for place in range(40)) >= 34


def test_a_lean_that_is_none_would_be_caught() -> None:
    """Were every cluster of choices taken for items of their own, a taste by conversation would be said to be a preference."""
    random, held = numbers(4), 0
    for _ in range(400):
        choices, _ = truth_judges.choices(random, 6, 20, 0.25, 0.0)
        held += "prefers what stands" in words.position_words(swapped_choices(choices))
    assert not Trial(held, 400, 0.0, 0.06).true


def test_few_of_a_few_conversations_still_say_their_numbers() -> None:
    """Nothing of what is said of four conversations or texts breaks."""
    random = Random(SEED)
    four = [[float(random.randint(1, 5)) for _ in range(4)] for _ in range(3)]
    said = [
        words.position_words(swapped_choices([("A", "B")] * 4, range(4))),
        words.length_words(length_correlation(range(4), four[0], [5, 9, 2, 4], range(4), BOOTSTRAP)),
        words.beside_words("j", beside_others(four, range(4), BOOTSTRAP)[0], None, None),
        words.ladder_words("j", judge_ladder([[5, 4, 3, 2, 1]] * 4, 5)),
    ]
    assert all("4" in one for one in (said[0], said[2], said[3])) and "not known" in said[1]
