"""Laws of comparisons: only what is common is compared, nothing missing is zero, who stands first changes only signs."""

from __future__ import annotations

import json
import math
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from compared import item, items, lettered, of_two, older, only, restated, write_run, written
from hypothesis import example, given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.units import QUESTIONS, Units
from tui_eval.results.comparison.comparing import compare, compare_runs
from tui_eval.results.comparison.sides import read_run, read_runs
from tui_eval.results.comparison.text import left_out, needed, verdict
from tui_eval.results.exporting.exported_run import means, opened_run
from tui_eval.results.sums.differences import difference_of
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.statistics.estimates import student_t, student_t_tail, wilson
from tui_eval.statistics.paired import clustered_mean, unpaired

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
NO, YES = 0.0, 1.0
answers = st.lists(st.tuples(st.sampled_from([NO, YES]), st.sampled_from([NO, YES])), min_size=2, max_size=25)
MIXES: list[tuple[Units | None, Units | None]] = [(QUESTIONS, QUESTIONS), (None, None), (QUESTIONS, None), (None, QUESTIONS)]
"""Two runs of which either states what its lines are about, as they do today, or does not, as older ones."""


def test_scores_have_the_reference_intervals(vectors: dict[str, Any], tmp_path: Path) -> None:
    """Marks: the paired t of every reference case, its variance and a hundredth of a unit at either end of the scale."""
    for number, case in enumerate(vectors["numeric"]["paired_diff"]["cases"][1:]):
        a, b, wanted = case["inputs"]["a"], case["inputs"]["b"], case["expected"]
        low, high = (1, 5) if max(a) > 1 else (0, 1)
        scale = {"low": low, "high": high, "better": "higher", "threshold": None}
        found = of_two(tmp_path / str(number), a, b, metrics={"correct": scale}).found

        mean, n, span = wanted["mean_diff"], wanted["n"], high - low
        share = (n * (mean + span) / (2 * span) + 0.01) / (n + 0.02)
        floor = (2 * span) ** 2 * 0.01 * (share**2 + (1 - share) ** 2) / (n * (n - 1))
        error = math.sqrt(wanted["se"] ** 2 + floor)
        ends = [mean + sign * student_t(0.975, n - 1) * error for sign in (-1, 1)]
        assert (found.value, found.low, found.high) == pytest.approx((mean, *ends), abs=1e-6)
        assert found.p == pytest.approx(student_t_tail(mean / error, n - 1), abs=1e-6) and found.p > wanted["p_t"]


def test_clusters_have_the_reference_errors(vectors: dict[str, Any]) -> None:
    """Mean, CR1 and t interval of every reference case, wider of unequal clusters; fewer than two have no interval."""
    for case in vectors["numeric"]["clustered_se"]["cases"]:
        found = clustered_mean(case["inputs"]["x"], case["inputs"]["cluster"])

        assert (found.mean, found.se) == pytest.approx((case["expected"]["mean"], case["expected"]["cr1"]), abs=1e-6)
        low, high = case["expected"]["ci_t"]
        if len(set(Counter(case["inputs"]["cluster"]).values())) == 1:
            assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)
        else:
            assert (found.low or low) < low and (found.high or high) > high
    assert clustered_mean([1.0, 0.0], ["a", "a"]).low is None
    with pytest.raises(ValueError):
        clustered_mean([], [])


@settings(few, max_examples=20)
@given(answers, st.randoms(use_true_random=False))
def test_who_stands_first_changes_only_signs(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]], chance: random.Random
) -> None:
    """Swapped sides have the opposite difference and interval and the same p; the order of the lines changes nothing."""
    path = tmp_path_factory.mktemp("runs")
    one, other = [a for a, _ in rows], [b for _, b in rows]
    lines = items({"a": one, "b": other})
    whole = only(compare_runs([write_run(path / "run", lines)]))
    pair, turned = whole.found, of_two(path / "turned", other, one).found
    mixed = [line for line in lines if line["lane"] == "a"] + [line for line in lines if line["lane"] == "b"]
    chance.shuffle(mixed)
    mixed.sort(key=lambda line: line["lane"])  # the models stay in their order, the questions do not
    again = only(compare_runs([write_run(path / "mixed", mixed)])).found

    assert pair.value is not None and pair.low is not None and pair.high is not None and pair.p is not None
    assert (turned.value, turned.low, turned.high) == pytest.approx((-pair.value, -pair.high, -pair.low))
    assert (turned.p, turned.a_higher, turned.b_higher) == (pair.p, pair.b_higher, pair.a_higher)
    assert (again.value, again.low, again.high, again.p) == pytest.approx((pair.value, pair.low, pair.high, pair.p))
    assert pair.low <= pair.value <= pair.high and whole.p_holm == pair.p


@settings(few, max_examples=20)
@given(answers, st.integers(1, 5))
def test_what_is_missing_is_counted_and_never_zero(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]], missing: int
) -> None:
    """Questions without a score of one side leave the pair as it was, and are counted with that side alone."""
    path = tmp_path_factory.mktemp("runs")
    one, other = [a for a, _ in rows], [b for _, b in rows]
    pair = of_two(path / "whole", one, other)
    found = of_two(path / "missing", one + [YES] * missing, other + [None] * missing)

    assert (found.n, found.found.value, found.found.low, found.found.p) == (
        pair.n, pair.found.value, pair.found.low, pair.found.p,
    )  # fmt: skip
    assert (found.missing_a, found.missing_b, found.b.missing) == (0, missing, missing)
    assert found.b.score.value == pair.b.score.value
    n = len(rows)
    assert f"{missing} question" in left_out(found) and f"over {n} common questions of {n + missing} and {n}" in left_out(found)


def test_repeats_are_one_mean(tmp_path: Path) -> None:
    """A question asked several times counts once, by its mean; a pair rests on the repeats that both have a score for."""
    pair = of_two(tmp_path / "run", [[YES, NO], [YES, YES, None], YES], [NO, [NO, NO], [None, YES]])

    assert (pair.a.score.n, pair.a.score.value, pair.a.score.scored) == (3, pytest.approx(2.5 / 3), 5)
    assert (pair.n, pair.found.value, pair.found.answers) == (2, 1.0, 3)
    assert (pair.found.mean_a, pair.found.mean_b) == (1.0, 0.0) and (pair.a_better, pair.b_better) == (2, 0)
    assert (pair.found.of_a, pair.found.of_b) == (3, 3)


def test_answers_without_a_score_are_counted_and_told(tmp_path: Path) -> None:
    """Failed repeats behind a mean are counted with their side and told in a note; without repeats the pairs tell enough."""
    lines = items({"a": [[YES, None, None]] * 19 + [[None] * 3], "b": [[NO, NO, YES]] * 20})
    comparison = compare_runs([write_run(tmp_path / "run", lines)])
    a, b = comparison.standings
    single = compare_runs([write_run(tmp_path / "single", items({"a": [YES, None], "b": [NO, YES]}))])

    assert (a.score.asked, a.score.missing, a.missing) == (60, 41, 1)
    assert (b.score.asked, b.score.missing) == (60, 0)
    assert [note for note in comparison.notes if "have no score" in note] == [
        "a: 41 of 60 answers have no score: a question's mean rests on its other answers."
    ]
    assert single.standings[0].score.missing == 1 and not any("no score" in note for note in single.notes)


@settings(few, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([NO, YES, -1.0]), st.integers(0, 5)), min_size=2, max_size=20))
@example([(d, c) for d, c in zip([YES] * 4 + [-1.0] * 5, (3, 1, 4, 3, 4, 1, 2, 4, 1), strict=True)])
def test_every_disagreement_of_documents_has_an_interval(rows: list[tuple[float, int]]) -> None:
    """However rounding falls, as where all questions differ, there is an interval within -1..1, the difference in it."""
    differences = [difference for difference, _ in rows]
    found = difference_of(differences, [str(document) for _, document in rows], RIGHT_OR_WRONG, 1.0)

    assert found.low is not None and found.high is not None
    assert -1 <= found.low <= fmean(differences) + 1e-9 and fmean(differences) - 1e-9 <= found.high <= 1


def test_questions_of_one_document_are_no_independent_evidence(tmp_path: Path) -> None:
    """Four documents or more: the interval is theirs, and wider; of fewer it speaks of these alone, and that is said."""
    a, b = [YES] * 12, [NO] * 8 + [YES] * 4
    plain = of_two(tmp_path / "plain", a, b).found
    lines = [restated(line, doc_id=f"d{line['q_index'] // 3}") for line in items({"a": a, "b": b})]
    by_document = compare_runs([write_run(tmp_path / "shared", lines)])
    shared = only(by_document).found
    alike = compare_runs([write_run(tmp_path / "alike", items({"a": a, "b": b}, doc_id="d"))])

    assert shared.value == plain.value and "4 clusters" in shared.method
    assert shared.low is not None and shared.high is not None and plain.low is not None and plain.high is not None
    assert shared.high - shared.low > plain.high - plain.low and (shared.p or 0) > (plain.p or 0)
    assert shared.low >= -1 and shared.high <= 1
    assert any("Intervals go by document" in note and "4 documents" in note for note in by_document.notes)
    found = only(alike).found
    assert (found.low, found.high, found.p) == (plain.low, plain.high, plain.p)
    assert "Intervals speak of questions about this document, not about others." in alike.notes


def test_scores_have_wilsons_interval(tmp_path: Path) -> None:
    """Right and wrong: Wilson over questions, of a single one, too; nothing can be said of a pair of one."""
    comparison = compare_runs([write_run(tmp_path / "run", items({"a": [YES, NO, YES, YES], "b": [YES]}))])
    several, single = (standing.score for standing in comparison.standings)

    assert (several.low, several.high) == wilson(3, 4)
    assert (single.n, single.value, (single.low, single.high)) == (1, 1.0, wilson(1, 1))
    assert "nothing can be said: 1 question in common" in verdict(only(comparison)) and only(comparison).tests == 0


def test_without_common_questions_the_difference_is_unpaired_and_called_so(vectors: dict[str, Any], tmp_path: Path) -> None:
    """Newcombe's interval of every reference case; in a comparison no p, no flip, and the word in what is told."""
    for case in vectors["numeric"]["two_prop_independent"]["cases"]:
        k1, n1, k2, n2 = (case["inputs"][name] for name in ("k1", "n1", "k2", "n2"))
        a, b = ((k / n, *(wilson(k, n) or ())) for k, n in ((k1, n1), (k2, n2)))

        assert unpaired(a, b) == pytest.approx(case["expected"]["newcombe"], abs=1e-6)
    one = items({"a": [YES, YES, YES, NO]})
    other = [item("a", 10 + number, NO) for number in range(3)]
    comparison = compare_runs([write_run(tmp_path / "one", one), write_run(tmp_path / "other", other)])
    pair = only(comparison)

    found = pair.found
    assert (pair.n, found.value, found.p, pair.p_holm, pair.only_a, pair.only_b) == (0, 0.75, None, None, 4, 3)
    assert (found.low, found.high) == pytest.approx(unpaired((0.75, *(wilson(3, 4) or ())), (0.0, *(wilson(0, 3) or ()))))
    assert "unpaired" in verdict(pair) and "unpaired" in found.method and comparison.flips(pair) == []


def test_how_many_questions_it_takes_is_told(tmp_path: Path) -> None:
    """As many as half and four fifths of futures take, where the two are not told apart; nothing where they agree or are."""
    pair = of_two(tmp_path / "near", [YES] * 5 + [NO] * 15, [YES] + [NO] * 19)
    far = of_two(tmp_path / "far", [YES] * 41 + [NO] * 40, [YES] * 30 + [NO] * 21 + [YES] * 10 + [NO] * 20)
    apart = of_two(tmp_path / "apart", [YES] * 20, [NO] * 20)

    half, most = pair.found.more() or (0, None)
    assert most is not None and 2 <= half < most < 20 * 20  # one more would be five of five at best, p .0625
    assert needed(pair) == f"about {half:,} to {most:,} more questions would tell, in 50 to 80 of 100 futures"
    assert far.found.value == pytest.approx(1 / 81) and "far more questions than is practical would be needed" in needed(far)
    assert needed(apart) == needed(of_two(tmp_path / "alike", [YES] * 9, [YES] * 9)) == ""


def test_one_run_compares_its_models_and_several_compare_theirs(tmp_path: Path) -> None:
    """One run: every two models. Two: each model that is in both, with itself. No shared model: everyone across."""
    first = write_run(tmp_path / "first", items({"a": [YES, NO], "b": [NO, NO], "c": [YES, YES]}))
    second = write_run(tmp_path / "second", items({"b": [YES, NO], "c": [NO, NO], "d": [YES, YES]}))
    third = write_run(tmp_path / "third", items({"x": [YES, NO]}))

    def pairs(paths: list[Path], models: Sequence[str] = ()) -> list[str]:
        return [f"{pair.a.label} {pair.b.label}" for pair in compare_runs(paths, models).pairs]

    assert pairs([first]) == ["a b", "a c", "b c"]
    assert pairs([first], ["a", "c"]) == ["a c"]
    assert pairs([first, second]) == ["b @1 b @2", "c @1 c @2"]
    assert pairs([first, second], ["a", "d"]) == ["a @1 d @2"]
    assert pairs([first, third]) == ["a @1 x @2", "b @1 x @2", "c @1 x @2"]
    assert len(compare(read_runs([first])).pairs) == 3


def test_where_nothing_can_be_compared_it_is_told_what_to_do(tmp_path: Path) -> None:
    """No scores, one model alone, an unknown model, no shared stage, the same run twice, no run at all."""
    empty = write_run(tmp_path / "empty", [item("a", 0, YES, scores=[])])
    single = write_run(tmp_path / "single", items({"a": [YES]}))
    panel = write_run(
        tmp_path / "panel", [item("a", 0, YES, scores=[{"stage": "doer", "model": "a", "name": "correct", "value": 1}])]
    )
    for paths, models, words in (
        ([empty], [], "no scores yet"),
        ([single], [], "give a second run"),
        ([single], ["b"], "no scores of 'b'; the runs have scores of a"),
        ([single, panel], [], "no stage has scores in two of the runs"),
    ):
        with pytest.raises(ConfigError, match=words):
            compare_runs(paths, models)
    with pytest.raises(FolderError, match="named twice"):
        compare_runs([single, tmp_path / "panel" / ".." / "single"])
    with pytest.raises(FolderError, match="not a run folder"):
        compare_runs([single, tmp_path / "nowhere"])


@pytest.mark.parametrize(("first", "other"), MIXES)
def test_only_the_same_question_is_common(first: Units | None, other: Units | None, tmp_path: Path) -> None:
    """Options in another order are the same question and told; another truth or option is not; the rest is counted by side."""
    question, truth = lettered(0, (3, 2, 1, 0))
    again, wrong = lettered(1)
    second = [
        item("a", 0, NO, question=question, truth=f"{truth} (B in the benchmark's own order)"),
        item("a", 1, NO, truth=wrong.replace("pores", "grains")),
        item("a", 2, NO, question=lettered(2)[0].replace("no part", "nothing")),
        item("a", 3, NO, question=f"  {lettered(3)[0].replace('What of', 'What  of')}"),
        item("a", 8, NO),
    ]
    one = write_run(tmp_path / "one", items({"a": [YES] * 7}), units=first)
    comparison = compare_runs([one, write_run(tmp_path / "two", second, units=other)])
    pair = only(comparison)

    assert sum("written by an older version" in note for note in comparison.notes) == [first, other].count(None)
    assert (pair.n, pair.changed, pair.only_a, pair.only_b) == (2, 2, 3, 1)
    assert any("different orders" in note for note in comparison.notes)
    assert any("another truth or other options" in note for note in comparison.notes)
    assert left_out(pair) == (
        "3 questions only in a @1, 1 question only in a @2, 2 questions with another truth or other options, over 2 common"
        " questions of 7 and 5"
    )
    assert again != question


def test_runs_that_do_not_note_what_was_asked_are_told_by_place(tmp_path: Path) -> None:
    """An old run without question and truth is compared with a new one by the places of its items, and that is said."""
    lines = older(items({"a": [YES, NO, YES]}))
    old = [{name: value for name, value in line.items() if name not in ("question", "truth", "groups")} for line in lines]
    new = items({"a": [NO, NO, NO, NO]})
    comparison = compare_runs([write_run(tmp_path / "old", old, units=None), write_run(tmp_path / "new", new)])
    pair = only(comparison)

    assert (pair.n, pair.a_better, pair.only_b, pair.changed) == (3, 2, 1, 0)
    assert any("by their place" in note for note in comparison.notes)
    assert [flip.question for flip in comparison.flips(pair)] == [lettered(0)[0], lettered(2)[0]]


def test_flips_go_both_ways_with_what_was_said(tmp_path: Path) -> None:
    """Every question on which two differ, first those that A has right, with both answers, reasons and places."""
    run = write_run(tmp_path / "run", items({"a": [YES, NO, YES, NO, YES], "b": [YES, YES, NO, NO, None]}))
    comparison = compare_runs([run])
    flips = comparison.flips(only(comparison))

    assert [(flip.question, flip.a_better) for flip in flips] == [(lettered(2)[0], True), (lettered(1)[0], False)]
    assert [answer.text for answer in flips[0].answers_a + flips[0].answers_b] == ["a on 2", "b on 2"]
    assert flips[1].answers_b[0].item_id == "b/q1" and flips[1].truth == "B) the pores"
    (run / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in items({"z": [YES] * 9})))
    assert [flip.answers_a for flip in comparison.flips(only(comparison))] == [(), ()]


def test_judges_and_scorers_are_heard_of_a_doer() -> None:
    """A flip of two doers has the scorer's reply about each, and what the judges of the item said."""
    comparison = compare_runs([GOLDEN / "panel"])
    pair = next(pair for pair in comparison.pairs if comparison.flips(pair))
    told = [dict(answer.judged) for flip in comparison.flips(pair) for answer in flip.answers_a + flip.answers_b]

    assert {stage for stage, *_ in (name.split() for said in told for name in said)} == {"judge", "scorer"}
    assert {said["scorer scorer"] for said in told} == {"0", "1"}


@pytest.mark.parametrize(
    ("changes", "heard"),
    [
        ({"primary": [3, 4]}, {"weigh w": "both alike", "rate r": "of a"}),  # the answers that are kept come after its stage
        ({"primary": [0, 1]}, {"weigh w": "both alike", "close a": "c a", "close b": "c b", "rate r": "of a"}),
        # a line that does not say which are the answers: those of the first stage are
        ({"primary": None}, {"weigh w": "both alike", "close a": "c a", "close b": "c b", "rate r": "of a"}),
    ],
)
def test_who_is_heard_of_an_answer_does_not_hang_on_names(
    tmp_path: Path, changes: dict[str, Any], heard: dict[str, str]
) -> None:
    """Replies about it alone, and those of later stages unless they are answers: whatever the stages are called."""

    def reply(stage: str, model: str, text: str, about: str = "") -> dict[str, Any]:
        return {"stage": stage, "model": model, "call_index": 0, "about": about, "status": "ok", "text": text}

    replies = [reply("ask", "a", "it is a"), reply("ask", "b", "it is b"), reply("weigh", "w", "both alike")]
    replies += [reply("close", "a", "c a"), reply("close", "b", "c b")]
    replies += [reply("rate", "r", f"of {name}", f"ask:{name}#0") for name in ("a", "b")]
    scores = [{"stage": "ask", "model": name, "call_index": 0, "name": "correct", "value": value} for name, value in
              (("a", YES), ("b", NO))]  # fmt: skip
    line = {**item("x", 0, YES), "item_id": "q0", "lane": "", "replies": replies, "scores": scores, **changes}
    comparison = compare_runs([write_run(tmp_path / "run", [line])])
    (flip,) = comparison.flips(only(comparison))

    assert dict(flip.answers_a[0].judged) == heard


def test_a_run_under_way_is_compared_as_far_as_it_is(tmp_path: Path) -> None:
    """Not finished, asked again, torn or foreign lines: the last answer counts, what is no item is told, nothing is raised."""
    lines = items({"a": [YES, NO, YES], "b": [NO, NO, NO]})
    lines += [item("b", 1, YES), item("b", 3, None, finished=False, scores=[])]
    run = write_run(tmp_path / "run", lines)
    (run / "progress.json").write_text(json.dumps({"state": "stopped"}))
    with (run / "results.jsonl").open("a") as file:
        file.write(
            '[1]\n{"item_id": 3}\n' + "[" * 5000 + '\n{"item_id": "x", "finished": true, "scores": [{"value": Infinity,'
            ' "model": 3}, 7]}\n{"torn'
        )
    comparison = compare_runs([run])

    assert (comparison.pairs[0].n, comparison.pairs[0].a_better, comparison.pairs[0].b_better) == (3, 2, 1)
    assert any("is stopped; 1 of 8 samples are not finished" in note for note in comparison.notes)
    assert any("3 lines of results.jsonl are no samples" in note for note in comparison.notes)


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat": -1},
        {"repeat": 2**70},
        {"call_index": -5},
        {"call_index": 2**60},
        {"value": 1e299},
        {"unit": {"item": "x", "clusters": [], "variant": ""}},
        {"unit": {"item": "x", "clusters": [3, None], "variant": "\x1b[2J"}},
        {"unit": {"item": "x", "clusters": ["a"] * 400, "variant": "v" * 9000}},
    ],
    ids=str,
)
def test_what_no_run_writes_is_compared_all_the_same(changes: dict[str, Any], tmp_path: Path) -> None:
    """A stranger's numbers and units are of any size: no line of them ends a comparison, and nothing of them acts."""
    lines = items({"a": [YES, NO, YES], "b": [NO, NO, NO]})
    for line in lines:
        line.update({name: value for name, value in changes.items() if name in ("repeat", "unit")})
        line["scores"][0].update({name: value for name, value in changes.items() if name in ("call_index", "value")})
    comparison = compare_runs([write_run(tmp_path / "run", lines)])
    said = written(comparison, tmp_path / "out")["compare.md"] + comparison.verdict

    assert len(comparison.pairs) == 1 and comparison.pairs[0].n in (1, 3)
    assert "\x1b" not in said and len(comparison.verdict) <= 1_200
    with opened_run(tmp_path / "run") as run:
        assert len(means(run)) == 2


def test_a_pipe_in_a_strangers_folder_makes_nobody_wait(tmp_path: Path) -> None:
    """Results and log that are pipes are not read, but named."""
    for name in ("results.jsonl", "call_logs.jsonl"):
        run = write_run(tmp_path / name, [])
        (run / name).unlink()
        os.mkfifo(run / name)

        with pytest.raises(FolderError, match=f"{name}: is a named pipe"):
            read_run(run)


def test_reading_ends_when_nobody_wants_it(tmp_path: Path) -> None:
    """A screen that is left stops the reading behind it."""
    assert read_run(write_run(tmp_path / "run", items({"a": [YES]})), wanted=lambda: False).sides == {}


def test_what_differs_besides_the_models_is_told(tmp_path: Path) -> None:
    """Other rules, prompts or models behind one name are named; so is the simulator."""
    rule = [{**line, "scores": [{**line["scores"][0], "version": "literal/1"}]} for line in items({"a": [YES, NO]})]
    one, other = write_run(tmp_path / "one", items({"a": [YES, NO]}), {"a": (2, 0.1)}), write_run(tmp_path / "other", rule)
    manifest = json.loads((other / "manifest.json").read_text())
    manifest |= {"simulated": True, "inputs_sha256": {"inputs/prompts/user.md": "77"}}
    (other / "manifest.json").write_text(json.dumps(manifest))
    notes = "\n".join(compare_runs([one, other]).notes)

    assert "literal/1, robust/1" in notes and "different prompts" in notes
    assert compare_runs([one, other]).verdict.startswith("a @2 is simulated. ")
    assert "no model was asked" not in notes


def test_no_model_was_asked_is_said_only_where_none_was(tmp_path: Path) -> None:
    """Each side by the heads of its own calls: one simulated side of two is named, also where both are of one run."""
    run = write_run(tmp_path / "run", items({"a": [YES, NO], "b": [NO, NO]}), {"a": (2, 0.1), "b": (2, 0.1)})
    every, one = "Simulated: no model was asked.", "Simulated, not real models: a."
    for made_up, words in ((("a",), one), (("a", "b"), every), ((), None)):
        lines = (run / "call_logs.jsonl").read_text().splitlines()
        heads = [json.loads(line) for line in lines]
        log = [json.dumps({**head, "simulated": head["model"] in made_up}) for head in heads]
        (run / "call_logs.jsonl").write_text("".join(line + "\n" for line in log))
        comparison = compare_runs([run])
        pair = only(comparison)

        assert comparison.verdict.startswith(words or "No leader") and ("imulated" in comparison.verdict) == bool(words)
        assert (pair.a.side.simulated, pair.b.side.simulated) == ("a" in made_up, "b" in made_up)
        assert pair.simulated == comparison.simulated == bool(made_up)
