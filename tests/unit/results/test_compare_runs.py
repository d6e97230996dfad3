"""Laws of comparisons: only what is common is compared, nothing missing is zero, who stands first changes only signs."""

from __future__ import annotations

import csv
import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from compared import item, items, lettered, write_run
from hypothesis import example, given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.results.comparison.comparing import Comparison, Pair, compare, compare_runs, sides_of
from tui_eval.results.comparison.sides import read_run
from tui_eval.results.comparison.wording import left_out, needed, verdict
from tui_eval.results.sums.differences import difference_of
from tui_eval.statistics.estimates import wilson
from tui_eval.statistics.paired import clustered_mean, questions_needed, sign_flip, sign_flip_drawn, unpaired

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
NO, YES = 0.0, 1.0
answers = st.lists(st.tuples(st.sampled_from([NO, YES]), st.sampled_from([NO, YES])), min_size=2, max_size=25)


def only(comparison: Comparison) -> Pair:
    """The one pair of a comparison."""
    assert len(comparison.pairs) == 1
    return comparison.pairs[0]


def of_two(path: Path, a: Sequence[Any], b: Sequence[Any], **changes: Any) -> Pair:
    """A run of two models with these scores, compared."""
    return only(compare_runs([write_run(path, items({"a": a, "b": b}, **changes))]))


def test_a_run_compared_with_itself_shows_its_own_pairs() -> None:
    """The pairs of the golden exam are those that its own report has: difference, interval, p and Holm's p."""
    with (GOLDEN / "choice" / "pairs.csv").open(newline="") as file:
        wanted = list(csv.DictReader(file))
    found = compare_runs([GOLDEN / "choice"]).pairs

    assert [(pair.a.label, pair.b.label) for pair in found] == [(row["model_a"], row["model_b"]) for row in wanted]
    for pair, row in zip(found, wanted, strict=True):
        names = ("n", "a_only", "b_only", "difference", "low", "high", "p", "p_holm")
        figures = [pair.n, pair.a_better, pair.b_better, pair.difference, pair.low, pair.high, pair.p, pair.p_holm]
        assert figures == pytest.approx([float(row[name]) for name in names], abs=1e-9)


def test_scores_have_the_reference_intervals(vectors: dict[str, Any], tmp_path: Path) -> None:
    """Scores between right and wrong: difference and paired t interval of every reference case, as far as two can differ."""
    for number, case in enumerate(vectors["numeric"]["paired_diff"]["cases"][1:]):
        pair = of_two(tmp_path / str(number), case["inputs"]["a"], case["inputs"]["b"])

        assert pair.difference == pytest.approx(case["expected"]["mean_diff"], abs=1e-6)
        assert (pair.low, pair.high) == pytest.approx([min(max(end, -1), 1) for end in case["expected"]["ci_t"]], abs=1e-6)
        assert pair.p == sign_flip([x - y for x, y in zip(case["inputs"]["a"], case["inputs"]["b"], strict=True)])


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


def test_drawn_signs_come_near_all_of_them() -> None:
    """Ten thousand drawn patterns give nearly the p of every pattern, the same one each time, and never 0."""
    chance = random.Random(5)
    for shift in (0.0, 0.4, 0.9):
        differences = [chance.gauss(shift, 1) for _ in range(14)]
        found = sign_flip_drawn(differences)

        assert found == pytest.approx(sign_flip(differences), abs=0.02)
        assert found == sign_flip_drawn([-d for d in reversed(differences)])
    assert sign_flip_drawn([1.0] * 40) == pytest.approx(1 / 10_001)
    assert sign_flip_drawn([]) == sign_flip_drawn([1.0, -1.0]) == 1.0


@settings(few, max_examples=20)
@given(answers, st.randoms(use_true_random=False))
def test_who_stands_first_changes_only_signs(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]], chance: random.Random
) -> None:
    """Swapped sides have the opposite difference and interval and the same p; the order of the lines changes nothing."""
    path = tmp_path_factory.mktemp("runs")
    one, other = [a for a, _ in rows], [b for _, b in rows]
    lines = items({"a": one, "b": other})
    pair = only(compare_runs([write_run(path / "run", lines)]))
    turned = of_two(path / "turned", other, one)
    mixed = [line for line in lines if line["lane"] == "a"] + [line for line in lines if line["lane"] == "b"]
    chance.shuffle(mixed)
    mixed.sort(key=lambda line: line["lane"])  # the models stay in their order, the questions do not
    again = only(compare_runs([write_run(path / "mixed", mixed)]))

    assert (turned.difference, turned.low, turned.high) == pytest.approx((-pair.difference, -pair.high, -pair.low))
    assert (turned.p, turned.a_better, turned.b_better) == (pair.p, pair.b_better, pair.a_better)
    assert (again.difference, again.low, again.high, again.p) == pytest.approx((pair.difference, pair.low, pair.high, pair.p))
    assert pair.low <= pair.difference <= pair.high and pair.p <= pair.p_holm


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

    assert (found.n, found.difference, found.low, found.p) == (pair.n, pair.difference, pair.low, pair.p)
    assert (found.missing_a, found.missing_b, found.b.missing) == (0, missing, missing)
    assert found.b.score.value == pair.b.score.value
    assert f"{missing} question" in left_out(found)


def test_repeats_are_one_mean(tmp_path: Path) -> None:
    """A question that was asked several times counts once, by its mean; what has no score is left out of that."""
    pair = of_two(tmp_path / "run", [[YES, NO], [YES, YES, None], YES], [NO, [NO, NO], [None, YES]])

    assert (pair.n, pair.difference, pair.score_a.value) == (3, pytest.approx(0.5), pytest.approx(2.5 / 3))
    assert (pair.a_better, pair.b_better) == (2, 0)
    assert "sign-flip" in pair.method


def test_answers_without_a_score_are_counted_and_told(tmp_path: Path) -> None:
    """Failed repeats behind a mean are counted with their side and told in a note; without repeats the pairs tell enough."""
    lines = items({"a": [[YES, None, None]] * 19 + [[None] * 3], "b": [[NO, NO, YES]] * 20})
    comparison = compare_runs([write_run(tmp_path / "run", lines)])
    a, b = comparison.standings
    single = compare_runs([write_run(tmp_path / "single", items({"a": [YES, None], "b": [NO, YES]}))])

    assert (a.side.answers, a.side.unscored, a.missing) == (60, 41, 1)
    assert (b.side.answers, b.side.unscored) == (60, 0)
    assert [note for note in comparison.notes if "have no score" in note] == [
        "a: 41 of 60 answers have no score: a question's mean rests on its other answers."
    ]
    assert single.standings[0].side.unscored == 1 and not any("no score" in note for note in single.notes)


@settings(few, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([NO, YES, -1.0]), st.integers(0, 5)), min_size=2, max_size=20))
@example([(d, c) for d, c in zip([YES] * 4 + [-1.0] * 5, (3, 1, 4, 3, 4, 1, 2, 4, 1), strict=True)])
def test_every_disagreement_of_documents_has_an_interval(rows: list[tuple[float, int]]) -> None:
    """However rounding falls, as where all questions differ, there is an interval within -1..1, the difference in it."""
    differences = [difference for difference, _ in rows]
    found = difference_of(differences, [[str(document) for _, document in rows]], whole=True)

    assert found.low is not None and found.high is not None
    assert -1 <= found.low <= fmean(differences) + 1e-9 and fmean(differences) - 1e-9 <= found.high <= 1


def test_questions_of_one_document_are_no_independent_evidence(tmp_path: Path) -> None:
    """Where documents repeat, the interval is that of documents and wider; where all are of one, they tell nothing apart."""
    a, b = [YES] * 12, [NO] * 8 + [YES] * 4
    plain = of_two(tmp_path / "plain", a, b)
    lines = [{**line, "doc_id": f"d{line['q_index'] // 4}"} for line in items({"a": a, "b": b})]
    shared = only(compare_runs([write_run(tmp_path / "shared", lines)]))
    alike = of_two(tmp_path / "alike", a, b, doc_id="d")

    assert shared.difference == plain.difference and "3 clusters" in shared.method
    assert shared.high - shared.low > plain.high - plain.low and shared.p > plain.p
    assert shared.low >= -1 and shared.high <= 1
    assert (alike.low, alike.high, alike.p) == (plain.low, plain.high, plain.p)


def test_scores_have_wilsons_interval(tmp_path: Path) -> None:
    """Right and wrong: Wilson over questions; a single question has no interval."""
    comparison = compare_runs([write_run(tmp_path / "run", items({"a": [YES, NO, YES, YES], "b": [YES]}))])
    several, single = (standing.score for standing in comparison.standings)

    assert (several.low, several.high) == wilson(3, 4)
    assert (single.n, single.value, single.low) == (1, 1.0, None)
    assert "nothing can be said: 1 question in common" in verdict(only(comparison))


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

    assert (pair.n, pair.difference, pair.p, pair.p_holm, pair.only_a, pair.only_b) == (0, 0.75, None, None, 4, 3)
    assert "unpaired" in verdict(pair) and "unpaired" in pair.method and comparison.flips(pair) == []


def test_how_many_questions_it_takes_is_told(tmp_path: Path) -> None:
    """As many as the formula says, where the two are not told apart; nothing where they agree or are told apart."""
    pair = of_two(tmp_path / "near", [YES] * 5 + [NO] * 15, [YES] * 2 + [NO] * 17 + [YES])
    apart = of_two(tmp_path / "apart", [YES] * 20, [NO] * 20)

    assert pair.needed is not None and pair.needed - 1 < questions_needed(3 / 20, 1 / 20) <= pair.needed
    assert f"about {pair.needed:,} such questions" in needed(pair)
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
    assert len(compare(sides_of(first)).pairs) == 3


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
    with pytest.raises(FolderError, match="no run folder"):
        compare_runs([single, tmp_path / "nowhere"])


def test_only_the_same_question_is_common(tmp_path: Path) -> None:
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
    comparison = compare_runs([write_run(tmp_path / "one", items({"a": [YES] * 7})), write_run(tmp_path / "two", second)])
    pair = only(comparison)

    assert (pair.n, pair.changed, pair.only_a, pair.only_b) == (2, 2, 3, 1)
    assert any("different orders" in note for note in comparison.notes)
    assert any("another truth or other options" in note for note in comparison.notes)
    assert left_out(pair) == (
        "3 questions only in a @1, 1 question only in a @2, 2 questions with another truth or other options"
    )
    assert again != question


def test_runs_that_do_not_note_what_was_asked_are_told_by_place(tmp_path: Path) -> None:
    """An old run without question and truth is compared with a new one by the places of its items, and that is said."""
    old = [{k: v for k, v in line.items() if k not in ("question", "truth", "groups")} for line in items({"a": [YES, NO, YES]})]
    new = items({"a": [NO, NO, NO, NO]})
    comparison = compare_runs([write_run(tmp_path / "old", old), write_run(tmp_path / "new", new)])
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
        ({"primary": None}, {"rate r": "of a"}),  # a line that does not say which are the answers
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
            '[1]\n{"item_id": 3}\n' + "[" * 5000 + '\n{"item_id": "x", "scores": [{"value": Infinity, "model": 3}, 7]}\n{"torn'
        )
    comparison = compare_runs([run])

    assert (comparison.pairs[0].n, comparison.pairs[0].a_better, comparison.pairs[0].b_better) == (3, 2, 1)
    assert any("is stopped; 1 of 8 items are not finished" in note for note in comparison.notes)
    assert any("3 lines of results.jsonl are no items" in note for note in comparison.notes)


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
    assert read_run(write_run(tmp_path / "run", items({"a": [YES]})), wanted=lambda: False).sides == []


def test_what_differs_besides_the_models_is_told(tmp_path: Path) -> None:
    """Other rules, prompts or models behind one name are named; so is the simulator."""
    rule = [{**line, "scores": [{**line["scores"][0], "version": "literal/1"}]} for line in items({"a": [YES, NO]})]
    one, other = write_run(tmp_path / "one", items({"a": [YES, NO]}), {"a": (2, 0.1)}), write_run(tmp_path / "other", rule)
    manifest = json.loads((other / "manifest.json").read_text())
    manifest |= {"simulated": True, "inputs_sha256": {"inputs/prompts/user.md": "77"}}
    (other / "manifest.json").write_text(json.dumps(manifest))
    notes = "\n".join(compare_runs([one, other]).notes)

    assert "literal/1, robust/1" in notes and "different prompts" in notes and "a @2 is simulated." in notes
    assert "no model was asked" not in notes


def test_no_model_was_asked_is_said_only_where_none_was(tmp_path: Path) -> None:
    """Each side by the heads of its own calls: one simulated side of two is named, also where both are of one run."""
    run = write_run(tmp_path / "run", items({"a": [YES, NO], "b": [NO, NO]}), {"a": (2, 0.1), "b": (2, 0.1)})
    for made_up, words in ((("a",), "a is simulated."), (("a", "b"), "Simulated: no model was asked."), ((), None)):
        lines = (run / "call_logs.jsonl").read_text().splitlines()
        heads = [json.loads(line) for line in lines]
        log = [json.dumps({**head, "simulated": head["model"] in made_up}) for head in heads]
        (run / "call_logs.jsonl").write_text("".join(line + "\n" for line in log))
        comparison = compare_runs([run])
        pair = only(comparison)

        assert [note for note in comparison.notes if "imulated" in note] == [words] * bool(words)
        assert (pair.a.side.simulated, pair.b.side.simulated) == ("a" in made_up, "b" in made_up)
        assert pair.simulated == comparison.simulated == bool(made_up)
