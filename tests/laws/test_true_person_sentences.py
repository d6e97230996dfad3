"""Every sentence of persons and certificates true: of each draws with a planted truth, through the functions that print it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from chats import conversations
from rated_runs import rate
from soaking import SOAK
from trials import Trial

from tui_eval.cli.command_line import main
from tui_eval.core.kinds import Metric
from tui_eval.reporting.certifying import certify
from tui_eval.results.sums.human_agreement import RatedAnswer, annotator_test, persons_beside
from tui_eval.results.sums.judge_certificates import (
    CertificateCopy,
    CertificateOrigin,
    Identity,
    JudgeCertificate,
    Telling,
    certificate_words,
    other_models,
    telling_of,
    void_reason,
)
from tui_eval.results.sums.person_checks import CheckedAnswer, person_check, person_words
from tui_eval.results.sums.person_sentences import PERSON_SENTENCES, PersonSentence, say_of_persons
from tui_eval.workspace.places import Workspace

MARK, YES_NO = Metric("relevance", 1, 5, threshold=3), Metric("correct", threshold=1.0)
SEED = 20261127
MADE = CertificateOrigin("2026-11-27T10:31:00Z", "r", "u", "panel", ("kim",), (("one", "id-1"),))
IDENTITY = Identity({"name": "judge", "model": "m"}, {"files": {"a": "1"}}, {"name": "correct"}, {"sha256": "2"})


def exact(held: Sequence[bool]) -> Trial:
    """Of what must hold each time."""
    return Trial(sum(held), len(held), 1.0)


# --------------------------------------------------------------------------------------------------------- a correction


def talks(random: Random, conversations: int, labels: int) -> list[CheckedAnswer]:
    """Conversations of one or nine turns; the judge gives one more in the long ones. The mean of a fair person is 3.

    Labels come in rounds over the conversations, each of an answer that is drawn uniformly.
    """
    rows: list[list[CheckedAnswer]] = []
    for name in range(conversations):
        own, turns = random.uniform(-0.8, 0.8), random.choice((1, 9))
        marks = [min(max(3 + own + random.uniform(-1, 1), 1), 5) for _ in range(turns)]
        rows.append([CheckedAnswer(name, min(mark + (turns > 1), 5), None) for mark in marks])
        for place, mark in enumerate(marks):
            rows[-1][place] = replace(rows[-1][place], person=mark)
    order, shown = random.sample(range(conversations), conversations), set[tuple[int, int]]()
    while len(shown) < min(labels, sum(map(len, rows))):
        for name in order:
            left = [place for place in range(len(rows[name])) if (name, place) not in shown]
            if left and len(shown) < labels:
                shown.add((name, random.choice(left)))
    return [
        one if (name, place) in shown else replace(one, person=None)
        for name, own in enumerate(rows)
        for place, one in enumerate(own)
    ]


def corrected(draws: int) -> Trial:
    """The interval that is printed holds the mean that persons would have given, also of 8 conversations."""
    random, held, tried = Random(SEED), 0, 0
    while tried < draws:
        conversations = (8, 12, 20, 40)[tried % 4]
        found = person_check(talks(random, conversations, 30), MARK)
        if found.corrected is None:
            assert "corrected " not in person_words(found).replace("not corrected: ", "")
            if "every answer" in found.why or found.why.startswith("this set has"):
                continue
            raise AssertionError(found.why)
        tried += 1
        ends = re.search(r"; corrected \d\.\d\d \[(\d\.\d\d), (\d\.\d\d)\] by 30 ratings of a person over", person_words(found))
        assert ends is not None
        held += float(ends[1]) - 0.005 <= 3 <= float(ends[2]) + 0.005
    return Trial(held, draws, 0.92)


def alone(n: int, labelled: int, turns: int = 1, is_drawn: bool = True) -> list[CheckedAnswer]:
    """So many answers, of conversations of so many turns, of which the first are labelled."""
    return [
        CheckedAnswer(place // turns, 4.0, 3.0 if place < labelled else None, is_drawn=is_drawn or place >= labelled)
        for place in range(n)
    ]


def set_too_small(_: int) -> Trial:
    """Of 4 conversations as of 7, and of 29 answers: said however many are labelled, and nothing is ever corrected."""
    held = []
    for n, turns in ((4, 1), (4 * 20, 20), (7 * 9, 9), (29, 1), (8, 1)):
        for labelled in {0, 1, n // 2, n - 1, n}:
            found = person_check(alone(n, labelled, turns), MARK)
            held.append("a correction is not possible with it" in person_words(found) and found.corrected is None)
    return exact(held)


def more_marks(_: int) -> Trial:
    """With just so many more labels (of others, where it says so) a correction is there, with one fewer none."""
    held = []
    for labelled in (0, 4, 7, 8, 22, 29):
        found = person_check(alone(60, labelled), MARK)
        more = int(re.search(r"not corrected: (\d+) more ratings? (?:is|are) missing", person_words(found))[1])  # type: ignore[index]
        held.append(person_check(alone(60, labelled + more), MARK).corrected is not None)
        held.append(person_check(alone(60, labelled + more - 1), MARK).corrected is None)
    rows = [CheckedAnswer(place % 20, 4.0, 3.0 if place % 20 < 5 else None) for place in range(200)]
    found = person_check(rows, MARK)
    held.append("3 more ratings are missing, 3 of them of other conversations (30 over 8" in person_words(found))
    for more in (2, 3):
        fresh = [replace(row, person=3.0) if 5 <= place < 5 + more else row for place, row in enumerate(rows)]
        held.append((person_check(fresh, MARK).corrected is not None) == (more == 3))
    return exact(held)


def all_marked(_: int) -> Trial:
    """Said just where no answer of the judge is without a label."""
    words = [(person_words(person_check(alone(40, labelled), MARK)), labelled) for labelled in (30, 39, 40)]
    return exact([("rated every answer" in said) == (labelled == 40) for said, labelled in words])


def not_drawn(_: int) -> Trial:
    """Labels that no lot decided are counted, and correct nothing however many they are."""
    held = []
    for n in (1, 30, 59):
        found = person_check(alone(90, n, is_drawn=False), MARK)
        said = person_words(found)
        held.append(f"without the {n} rating" in said and found.corrected is None and found.not_drawn == n and found.used == 0)
    return exact(held)


# -------------------------------------------------------------------------------------------------------- a certificate


def labels(random: Random, theta: float, sensitivity: float, specificity: float, n: int) -> list[CheckedAnswer]:
    """So many labelled answers of a judge."""
    found = []
    for place in range(n):
        yes = random.random() < theta
        judge = random.random() < (sensitivity if yes else 1 - specificity)
        found.append(CheckedAnswer(place, float(judge), float(yes)))
    return found


def certified(draws: int) -> Trial:
    """The interval that is printed holds the true rate of another run, of the same judge and of other answers."""
    random, held, tried = Random(SEED), 0, 0
    while tried < draws:
        theta, sensitivity, specificity = ((0.3, 0.9, 0.85), (0.5, 0.8, 0.75), (0.8, 0.9, 0.7), (0.95, 0.95, 0.9))[tried % 4]
        telling = telling_of(labels(random, 0.5, sensitivity, specificity, 60))
        if isinstance(telling, str):
            continue
        chance = theta * sensitivity + (1 - theta) * (1 - specificity)
        n = (60, 200)[tried // 4 % 2]
        rate = sum(random.random() < chance for _ in range(n)) / n
        said = certificate_words(JudgeCertificate(IDENTITY, MADE, telling), telling.corrected(rate, n))
        ends = re.match(r"corrected \d+ % \[(\d+), (\d+)\] by the certificate of 2026-11-27 \(sensitivity", said)
        assert ends is not None, said
        tried += 1
        held += float(ends[1]) - 0.5 <= 100 * theta <= float(ends[2]) + 0.5
    return Trial(held, draws, 0.92)


def of_each(yes: int, no: int, others: int = 100) -> list[CheckedAnswer]:
    """A judge without a fault, and answers without a label."""
    rows = [CheckedAnswer(place, float(place < yes), float(place < yes)) for place in range(yes + no)]
    return [*rows, *(CheckedAnswer(1_000 + place, 1.0) for place in range(others))]


def too_few_labels(_: int) -> Trial:
    """With just so many more of each there is one; with one fewer of either there is none."""
    held = []
    for yes, no in ((0, 0), (4, 0), (19, 20), (20, 7), (3, 30)):
        said = telling_of(of_each(yes, no))
        assert isinstance(said, str)
        more = {name: int(n) for n, name in re.findall(r"(\d+) more (yes|no)", said)}
        enough = yes + more.get("yes", 0), no + more.get("no", 0)
        held.append(isinstance(telling_of(of_each(*enough)), Telling))
        held += [isinstance(telling_of(of_each(enough[0] - one, enough[1] - other)), str)
                 for one, other in ((1, 0), (0, 1)) if min(enough[0] - one, enough[1] - other) < 20]  # fmt: skip
    return exact(held)


def few_answers(_: int) -> Trial:
    """Of sets of 4 to 39 answers: none can ever be certified, whatever is said of them."""
    found = [telling_of(of_each(yes, n - yes, 0)) for n in (4, 20, 39) for yes in range(n + 1)]
    return exact([isinstance(said, str) and "20 yes and 20 no are needed" in said for said in found])


def tells_too_little(_: int) -> Trial:
    """Said just where both are together at most 1.2; the figure that is printed is never above it."""
    held = []
    for missed in range(21):
        for wrong in range(21):
            errs = [place % 20 < (missed if place < 20 else wrong) for place in range(40)]
            rows = [CheckedAnswer(n, float((n < 20) != err), float(n < 20)) for n, err in enumerate(errs)]
            said = telling_of(rows)
            total = (40 - missed - wrong) / 20
            printed = re.search(r"are (\d\.\d\d) together; it takes more than 1\.2", said) if isinstance(said, str) else None
            held.append((printed is not None and float(printed[1]) <= 1.2) == (total <= 1.2 + 1e-9))
    return exact(held)


def nothing_drawn(_: int) -> Trial:
    """Said where there are labels, and no lot decided any; not where one was drawn."""
    rows = [replace(row, is_drawn=False) for row in of_each(30, 30)]
    one = [replace(rows[0], is_drawn=True), *rows[1:]]
    return exact([telling_of(rows) == say_of_persons("nothing_drawn"), telling_of(one) != say_of_persons("nothing_drawn")])


def void(_: int) -> Trial:
    """Said just where a part differs."""
    telling = telling_of(of_each(30, 30))
    assert isinstance(telling, Telling)
    certificate = JudgeCertificate(IDENTITY, MADE, telling)
    others: dict[str, dict[str, object]] = {
        "judge": {"model": "n"}, "prompt": {"files": {"a": "2"}}, "metric": {"name": "other"}, "dataset": {"sha256": "3"},
    }  # fmt: skip
    held = [bool(void_reason(certificate, replace(IDENTITY, **{part: table}))) for part, table in others.items()]
    return exact([*held, void_reason(certificate, IDENTITY) == "", CertificateCopy(certificate).why == ""])


def of_other_models(_: int) -> Trial:
    """Said just of those whose API's id is none of the certificate's."""
    telling = telling_of(of_each(30, 30))
    assert isinstance(telling, Telling)
    certificate = JudgeCertificate(IDENTITY, MADE, telling)
    return exact(
        [other_models(certificate, {"any": "id-1"}) == "", other_models(certificate, {"one": "id-2"}).startswith("one is")]
    )


def labels_weigh(_: int) -> Trial:
    """Just where shares are none of whole labels: of conversations of unequal sizes, or of draws that were not uniform."""
    plain, uneven = of_each(20, 20), of_each(20, 20)
    uneven[0], uneven[1] = replace(uneven[0], weight=1.5, conversation=1), replace(uneven[1], weight=0.5)
    found = [telling_of(rows) for rows in (plain, uneven)]
    assert all(isinstance(one, Telling) for one in found)
    return exact([isinstance(one, Telling) and one.is_weighted == (n == 1) for n, one in enumerate(found)])


# ------------------------------------------------------------------------------------------------------ several persons


def rated(random: Random, persons: int, n: int, errs: float, judge: float, turns: int = 1) -> list[RatedAnswer]:
    """Answers of yes and no, half and half, with persons and a judge that err independently."""
    found = []
    for place in range(n):
        truth = random.random() < 0.5
        said = {f"p{name}": float(truth != (random.random() < errs)) for name in range(persons)}
        mark = float(truth != (random.random() < judge))
        found.append(RatedAnswer(place // turns, "m", {"judge": mark}, mark, said))
    return found


def bracket_holds(words: str, truth: float) -> bool:
    """Whether the interval in a sentence holds a figure, as it is rounded there."""
    ends = re.search(r"\[(-?\d\.\d\d), (-?\d\.\d\d)\]", words)
    return ends is not None and float(ends[1]) - 0.005 <= truth <= float(ends[2]) + 0.005


def persons_agree(draws: int) -> Trial:
    """Kappa of two persons who err in one of ten: 2·(.81 + .01) - 1, over 30 and 60 conversations."""
    random, held, many = Random(SEED), 0, max(draws // 10, 20)
    for number in range(many):
        (found,) = persons_beside(rated(random, 2, (30, 60)[number % 2], 0.1, 0.2), YES_NO)
        assert found.words.startswith("persons agree with each other: p0 and p1 ")
        held += bracket_holds(found.words, 0.64)
    return Trial(held, many, 0.88)


def no_persons_kappa(_: int) -> Trial:
    """Where both say the same throughout, also of 4 answers: no kappa is made up."""
    held = []
    for n in (1, 4, 40):
        rows = [RatedAnswer(place, "m", {}, 1.0, {"a": 1.0, "b": 1.0}) for place in range(n)]
        (found,) = persons_beside(rows, YES_NO)
        held.append(", no kappa over " in found.words and "[" not in found.words)
    return exact(held)


def persons_alpha(draws: int) -> Trial:
    """Alpha of three such persons is the same figure; its word is Krippendorff's."""
    random, held, many = Random(SEED), 0, max(draws // 20, 12)
    for _ in range(many):
        *_, found = persons_beside(rated(random, 3, 40, 0.1, 0.2), YES_NO)
        value = float(re.match(r"all 3 persons: alpha (-?\d\.\d\d)", found.words)[1])  # type: ignore[index]
        word = "good" if value >= 0.8 else "tentative" if value >= 2 / 3 else "poor"
        held += bracket_holds(found.words, 0.64) and word in found.words
    return Trial(held, many, 0.88)


def wins(draws: int) -> Trial:
    """A judge that is worse than persons by epsilon wins against each in at most 5 of 100."""
    random, held, tried = Random(SEED), 0, 0
    for number in range(draws):
        found = annotator_test(rated(random, 2, 60, 0.1, 0.225, (1, 4)[number % 2]), YES_NO, "judge")
        assert found is not None
        won = int(re.match(r"alternative annotator test: judge wins against (\d) of 2 persons", found.words)[1])  # type: ignore[index]
        held, tried = held + won, tried + 2
    return Trial(held, tried, 0.0, 0.05)


def few_common(_: int) -> Trial:
    """Below 50 answers that all marked there is no test, and it says how many are there; of 4 as of 49."""
    held = []
    for n in (4, 49, 50):
        found = annotator_test(rated(Random(n), 2, n, 0.1, 0.1), YES_NO, "judge")
        assert found is not None
        held.append((f"50 answers that all 2 persons rated are needed, {n} are there" in found.words) == (n < 50))
    return exact(held)


def no_persons_alpha(_: int) -> Trial:
    """Where all say the same throughout, also of 4 answers; not where they differ once."""
    held = []
    for n in (1, 4, 40):
        for other in (1.0, 0.0):
            rows = [
                RatedAnswer(place, "m", {}, 1.0, {"a": 1.0, "b": 1.0, "c": other if place == 0 else 1.0}) for place in range(n)
            ]
            *_, found = persons_beside(rows, YES_NO)
            held.append(("no alpha of all 3 persons: every score is the same" in found.words) == (other == 1.0))
    return exact(held)


# ----------------------------------------------------------------------------------------------- what certifying a run says


METRICS = {"fluency": Metric("fluency", 1, 5, threshold=3), "correct": YES_NO}


@cache
def certified_lines(kind: str, rates: bool) -> str:
    """What `judge certify` says of a run of two samples, with one rating or none."""
    judged = {
        "marks": ("fluency", '[chat]\ndataset = "canal.json"\njudge = { model = "m", metrics = ["fluency"] }\n'),
        "yes": ("correct", '[panel]\nquestions = ["One?", "Two?"]\ntruths = ["1", "2"]\n[[panel.doers]]\nmodel = "m"\n'
                '[panel.benchmark]\nmode = "llm"\nscorer = { model = "m" }\n'),
        "none": ("correct", '[panel]\nquestions = ["One?", "Two?"]\ntruths = ["1", "2"]\n[[panel.doers]]\nmodel = "m"\n'
                 '[panel.benchmark]\nmode = "exact"\n'),
    }  # fmt: skip
    metric, table = judged[kind]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "canal.json").write_text(json.dumps(conversations([1, 1])), encoding="utf-8")
        models = '[[models]]\nname = "m"\nwire = "simulator"\nmodel = "sim-scholar"\n'
        text = f'kind = "{"chat" if kind == "marks" else "panel"}"\nname = "n"\n[run]\nmax_calls = 50\n{models}{table}'
        (folder / "c.toml").write_text(text.replace('"canal.json"\n', '"canal.json"\nmodels = ["m"]\n'), encoding="utf-8")
        assert main(["run", str(folder / "c.toml"), "--workspace", name, "--out", str(folder / "run"), "-q"]) == 0
        if rates:
            rate(folder / "run", METRICS[metric], lambda *_: 1, 1)
        return "\n".join(line for outcome in certify(folder / "run", Workspace(folder)) for line in outcome.lines)


def not_yes_or_no(_: int) -> Trial:
    """Said of a rating from 1 to 5, not of one of yes and no."""
    held = [(say_of_persons("not_yes_or_no", low=1, high=5) in certified_lines(kind, True)) == (kind == "marks")
            for kind in ("marks", "yes")]  # fmt: skip
    return exact(held)


def nothing_marked(_: int) -> Trial:
    """Said of a judged run without a rating, not of one with one, nor where no model judged."""
    cases = (("yes", False), ("yes", True), ("marks", False), ("none", False))
    return exact(
        [(say_of_persons("nothing_marked") in certified_lines(*case)) == (case[0] != "none" and not case[1]) for case in cases]
    )


def nothing_judged(_: int) -> Trial:
    """Said just where no model judged answers."""
    return exact(
        [(say_of_persons("nothing_judged") in certified_lines(kind, False)) == (kind == "none") for kind in ("none", "yes")]
    )


TRIALS: dict[PersonSentence, Callable[[int], Trial]] = {
    "corrected": corrected,
    "set_too_small": set_too_small,
    "more_marks": more_marks,
    "all_marked": all_marked,
    "not_drawn": not_drawn,
    "certified": certified,
    "few_answers": few_answers,
    "too_few_labels": too_few_labels,
    "tells_too_little": tells_too_little,
    "nothing_drawn": nothing_drawn,
    "void": void,
    "other_models": of_other_models,
    "persons_agree": persons_agree,
    "no_persons_kappa": no_persons_kappa,
    "persons_alpha": persons_alpha,
    "wins": wins,
    "few_common": few_common,
    "no_persons_alpha": no_persons_alpha,
    "void_when": void,
    "not_yes_or_no": not_yes_or_no,
    "nothing_marked": nothing_marked,
    "nothing_judged": nothing_judged,
    "labels_weigh": labels_weigh,
}


def test_every_sentence_has_a_trial() -> None:
    """A new one needs its own."""
    assert TRIALS.keys() == PERSON_SENTENCES.keys()


RUNS = {"not_yes_or_no", "nothing_marked", "nothing_judged"}
"""Tried by runs of their own, which take seconds."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=SOAK) if name in RUNS else name for name in TRIALS])
def test_a_sentence_is_true(name: PersonSentence) -> None:
    """In 240 draws of a planted truth, or exactly."""
    found = TRIALS[name](240)
    assert found.true, f"{name}: {found.held} of {found.draws}, to lie in {found.least} to {found.most}"


@pytest.mark.soak
@pytest.mark.parametrize("name", TRIALS)
def test_a_sentence_is_true_in_many_draws(name: PersonSentence) -> None:
    """The same in 3,000."""
    found = TRIALS[name](3_000)
    assert found.true, f"{name}: {found.held} of {found.draws}, to lie in {found.least} to {found.most}"


def test_what_is_false_would_be_found() -> None:
    """A share that is surely beyond what is promised fails; nothing drawn is no proof."""
    assert not Trial(80, 100, 0.92).true and not Trial(30, 100, 0.0, 0.05).true and not Trial(0, 0, 0.0).true
    assert Trial(90, 100, 0.92).true
