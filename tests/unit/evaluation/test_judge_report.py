"""What a run says of its judges: noise beside every mark, several judges and how far they agree; times and saved tokens."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from chats import conversations, driven, good, loaded
from oracles import gaffke

from tui_eval.core.calls import Call, Json, Price, Reply, Usage
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import Table
from tui_eval.evaluation.judging.answer_outcomes import AnswerTimes, CachingSums, saved_usd
from tui_eval.evaluation.judging.judge_checks import AnswerMarks
from tui_eval.evaluation.judging.judge_report import ladder_of, ladder_verdict
from tui_eval.kinds.chat import chat_report
from tui_eval.kinds.chat.dialogue_report import DialogueReport

Answer = Callable[[Call], Reply]
ONE = {"claims": False, "metrics": ["fluency"]}


def report(folder: Path, answer: Answer, judge: Mapping[str, Json], models: int = 2, talks: int = 8) -> DialogueReport:
    """What dialogues of two turns come to, driven by this."""
    found = loaded(folder, conversations([2] * talks), {**ONE, **judge}, models=models)
    made = chat_report(found.evaluation.task)
    for row in driven(found, answer):
        made.add(row)
    return made


def rows(table: Table) -> list[dict[str, Json]]:
    """Its rows by column."""
    return [dict(zip(table.columns, (cell.value for cell in row), strict=True)) for row in table.rows]


def marking(mark: Callable[[Call], int]) -> Answer:
    """A judge that marks by this; the models give their examples."""

    def answer(call: Call) -> Reply:
        said = f'{{"reason": "So.", "score": {mark(call)}}}'
        return Reply(call, "ok", text=said) if call.stage == "judge" else good(call)

    return answer


def test_conversations_of_the_vectors(tmp_path: Path, vectors: dict[str, Any]) -> None:
    """A model's mean is of its conversations' means, with Gaffke's interval of these; a turn's of those that have a mark."""
    for number, case in enumerate(vectors["numeric"]["multi_turn_aggregate"]["cases"]):
        turns, wanted = case["inputs"]["turns"], case["expected"]

        def answer(call: Call, turns: list[list[int | None]] = turns) -> Reply:
            mark = turns[int(call.item_id[-1]) - 1][call.call_index]
            unread = call.stage == "judge" and mark is None
            return Reply(call, "ok", text="Well said.") if unread else marking(lambda _: mark or 0)(call)

        folder = tmp_path / str(number)
        folder.mkdir()
        found = loaded(folder, conversations([len(one) for one in turns]), {**ONE, "duplicates": 0})
        made = chat_report(found.evaluation.task)
        for row in driven(found, answer):
            made.add(row)
        tables = made.tables()

        (mean,) = rows(tables["metrics"])
        marks = [mark for one in turns for mark in one if mark is not None]
        read_of = [[mark for mark in one if mark is not None] for one in turns]
        ends = gaffke([fmean(one) for one in read_of if one], 1, 5)
        assert mean["mean"] == pytest.approx(wanted["macro"], abs=1e-6), case["id"]
        assert (mean["ci_low"], mean["ci_high"]) == pytest.approx(ends, abs=1e-3), case["id"]
        assert (mean["n_scored"], mean["n_total"]) == (len(marks), sum(map(len, turns)))
        assert tables["scores"].rows[0][tables["scores"].columns.index("n_items")].value == sum(map(bool, read_of))
        by_turn = [[one[place] for one in turns if len(one) > place] for place in range(max(map(len, turns)))]
        read = [[mark for mark in found if mark is not None] for found in by_turn]
        told = [(row["turn"], row["n_total"], row["n_scored"], row["mean"]) for row in rows(tables["turn_scores"])]
        assert told == [
            (n, len(every), len(marked), pytest.approx(fmean(marked), abs=1e-6))
            for n, (every, marked) in enumerate(zip(by_turn, read, strict=True), start=1)
        ]


def test_noise_stands_beside_every_judged_number(tmp_path: Path) -> None:
    """Marks 4 and then 2: a standard deviation of √2, in the tables of marks, and as a sentence."""
    found = report(tmp_path, marking(lambda call: 2 if call.about.endswith("twice") else 4), {"duplicates": 0.5})

    tables = found.tables()
    for name in ("metrics", "scores", "turn_scores"):
        assert {row["judge_noise"] for row in rows(tables[name])} == {1.414214}, name
    (noise,) = rows(tables["judge_noise"])
    assert (noise["n_twice"], noise["noise"], noise["n_flips"]) == (16, 1.414214, 16)
    assert any("noise 1.41 scale points (16 answers judged twice" in table.note for table in found.headline())


def test_each_of_several_judges_stands_beside_their_mean_with_their_agreement(tmp_path: Path) -> None:
    def mark(call: Call) -> int:
        strict = call.model == "x"
        return 1 + (int(call.item_id[-1]) + call.call_index) % 4 + (0 if strict else 1)

    tables = report(tmp_path, marking(mark), {"models": ["x", "y"], "duplicates": 0}).tables()

    judges = rows(tables["judges"])
    assert [(row["model"], row["judge"]) for row in judges] == [(m, j) for m in "ab" for j in ("judge", "x", "y")]
    assert all(row["n_scored"] == 16 for row in judges)
    means = {(row["judge"], row["model"]): row["mean"] for row in judges}
    assert means["judge", "a"] == means["y", "a"] == pytest.approx(means["x", "a"] + 1)
    (score,) = [row["mean"] for row in rows(tables["metrics"]) if row["model"] == "a"]
    assert [row["mean_of_judges"] for row in judges if row["model"] == "a"] == [pytest.approx(score, abs=1e-6)] * 3
    checks = {(row["check"], row["judge"]): row for row in rows(tables["judge_checks"])}
    assert checks["agreement", "judge / y"]["figure"] == 1.0
    assert 0 < checks["agreement", "judge / x"]["figure"] < 1
    alpha = checks["alpha", "judge / x / y"]
    assert 0 < alpha["low"] < alpha["figure"] < alpha["high"] < 1


def test_marks_of_fewer_judges_than_were_asked_are_counted(tmp_path: Path) -> None:
    """A judge that cannot be read, or was not asked any more, leaves the other's mark alone: that is said, and of whom."""

    def answer(call: Call) -> Reply:
        if call.stage == "judge" and call.model == "y" and call.item_id.startswith("b/c1"):
            return Reply(call, "skipped_budget", error_message="no money", final=False)
        return marking(lambda call: 4)(call)

    found = report(tmp_path, answer, {"models": ["x", "y"], "duplicates": 0})
    whole = report(tmp_path, marking(lambda call: 4), {"models": ["x", "y"], "duplicates": 0})

    said = "fluency: 2 of 32 scores rest on fewer judges than were asked (b 2)."
    assert any(said in table.note for table in found.headline())
    assert not any("fewer judges" in table.note for table in whole.headline())


def test_means_that_rest_on_few_marks_say_so_where_they_are_read(tmp_path: Path) -> None:
    """Two of sixteen marks of b are missing: said once under the metrics, under the scores and in the headline, of that model
    alone. Of forty, two are 5 %: not a word."""

    def answer(call: Call) -> Reply:
        is_lost = (call.stage, call.item_id) == ("judge", "b/c1")
        return Reply(call, "ok", text="Well said.") if is_lost else marking(lambda call: 4)(call)

    few = report(tmp_path, answer, {"duplicates": 0})
    enough = report(tmp_path, answer, {"duplicates": 0}, talks=20)

    said = "Fewer than 95 % have a score, the others may be of another sort: fluency: b 14 of 16 (87.5 %)."
    notes = [few.tables()["metrics"].note, few.tables()["scores"].note, "\n".join(table.note for table in few.headline())]
    assert [note.count(said) for note in notes] == [note.count("Fewer than") for note in notes] == [1, 1, 1]
    assert not any("Fewer than" in table.note for table in (*enough.tables().values(), *enough.headline()))


def test_an_answer_without_claims_is_no_missing_mark(tmp_path: Path) -> None:
    """It was looked at, and holds nothing to mark: that lowers no coverage."""

    def answer(call: Call) -> Reply:
        is_empty = call.stage == "judge" and call.about.startswith("claims")
        return Reply(call, "ok", text='{"claims": []}') if is_empty else marking(lambda call: 4)(call)

    made = report(tmp_path, answer, {"duplicates": 0, "claims": True})

    assert {row["n_no_claims"] for row in rows(made.tables()["scores"]) if row["metric"] == "claims"} == {16}
    assert not any("Fewer than" in table.note for table in made.headline())


def test_a_judge_that_agrees_less_than_the_others_is_named_with_alpha_without_it(tmp_path: Path) -> None:
    """x marks by something else; the two that agree have a better alpha without it, and only x is said to be odd."""

    def mark(call: Call) -> int:
        place = int(call.item_id.partition("/c")[2]) + call.call_index
        return 1 + (hash_of(call.item_id, call.call_index) if call.model == "x" else place) % 5

    made = report(tmp_path, marking(mark), {"models": ["x", "y"], "duplicates": 0}, models=1, talks=24)
    checks = {(row["check"], row["judge"]): row for row in rows(made.tables()["judge_checks"])}

    assert [checks["others", judge]["found"] for judge in ("x", "y", "judge")] == ["yes", "no", "no"]
    alphas = [checks["without it", judge]["figure"] for judge in ("x", "y")]
    assert alphas[0] == 1.0 > checks["alpha", "judge / x / y"]["figure"] > alphas[1]
    said = "x agrees less with the others than they with each other: rank correlation "
    assert any(said in table.note and "1.00 without it (48 answers)" in table.note for table in made.headline())
    assert not any("y agrees less" in table.note for table in made.headline())


def hash_of(*words: object) -> int:
    """A number that has nothing to do with the order of conversations."""
    return zlib.crc32(repr(words).encode())


def test_who_leads_by_each_judge_stands_in_a_table_and_is_said_where_it_differs(tmp_path: Path) -> None:
    """By x model a leads, by y none does; without x nobody leads, without y it is a."""

    def mark(call: Call) -> int:
        return 5 if call.model == "x" and call.item_id.startswith("a") else 2 if call.model == "x" else 3 + call.call_index

    made = report(tmp_path, marking(mark), {"models": ["x", "y"], "duplicates": 0}, talks=12)
    found = {row["judge"]: row for row in rows(made.tables()["judge_results"])}

    assert {name: row["leader"] for name, row in found.items()} == {
        "all": "a", "judge": "", "x": "a", "y": "", "without judge": "a", "without x": "", "without y": "a",
    }  # fmt: skip
    assert list(found) == ["all", "judge", "x", "y", "without judge", "without x", "without y"]
    assert found["x"]["verdict"] == (
        "a (fluency 5.00 on 1 to 5) leads over 12 conversations (24 answers), significantly better than the other."
    )
    assert found["x"]["ranks"] == "a 1, b 2" and found["y"]["ranks"] == "a 1-2, b 1-2"
    assert "no leader" in found["without x"]["verdict"].casefold() and found["y"]["metric"] == "fluency"
    said = "By judge or y alone no leader is shown; by all a leads."
    assert any(said in table.note for table in made.headline())


def test_all_models_of_a_judges_family_are_its_own(tmp_path: Path) -> None:
    """gpt-5-mini and gpt-5-nano answer and the judges gpt-5 and o4-mini like both by one mark, which claude does not (T16)."""
    found = loaded(tmp_path, conversations([2] * 8), {**ONE, "models": ["x", "y"], "duplicates": 0}, models=3)
    task = found.evaluation.task
    ids = {"a": "gpt-5-mini", "b": "openai/gpt-5-nano", "c": "mistral-large", "judge": "gpt-5", "x": "o4-mini", "y": "claude-x"}
    asked = {stage: [replace(model, model_id=ids[model.name]) for model in models] for stage, models in task.asked.items()}
    made = chat_report(replace(task, asked=asked))

    def mark(call: Call) -> int:
        return 3 + (int(call.item_id[-1]) + call.call_index) % 2 + (call.model != "y" and not call.item_id.startswith("c"))

    for row in driven(found, marking(mark)):
        made.add(row)

    checks = {row["judge"]: row for row in rows(made.tables()["judge_checks"]) if row["check"] == "own answers"}
    assert {name: (row["figure"], row["found"]) for name, row in checks.items()} == {"judge": (1.0, "yes"), "x": (1.0, "yes")}
    assert checks["x"]["in_words"].startswith("x likes answers of its own family (a, b) more: +1.00 [+")
    assert checks["x"]["in_words"].endswith("scale points (16 questions, beside 1 judge of another family)")


def test_length_is_held_against_a_persons_marks_where_there_are_enough(tmp_path: Path) -> None:
    """A judge that gives what a person gives, to answers of which the good ones are long: the plain lean is no finding then."""
    good_of = {f"{model}/c{n}": 1 + (n + 2 * (model == "b")) % 4 for model in "ab" for n in range(1, 25)}

    def answer(call: Call) -> Reply:
        if call.stage == "answer":
            return Reply(call, "ok", text="word " * (20 * good_of[call.item_id] + hash_of(call.item_id) % 40))
        return marking(lambda call: good_of[call.item_id] + hash_of("judge", call.item_id) % 2)(call)

    made = report(tmp_path, answer, {"duplicates": 0}, talks=24)
    before = {row["check"]: row for row in rows(made.tables()["judge_checks"])}
    made.check([HumanRating(item, 0, 1, item[0], "fluency", good) for item, good in good_of.items()])
    after = {row["check"]: row for row in rows(made.tables()["judge_checks"])}

    assert before["length"]["found"] == "yes" and "length beside a person" not in before
    assert after["length"]["figure"] == before["length"]["figure"] and after["length"]["found"] == "no"
    assert after["length beside a person"]["found"] == "no" and after["length beside a person"]["n"] == 48
    assert -0.3 < after["length beside a person"]["figure"] < 0.3


@pytest.mark.parametrize(
    ("marks", "verdict", "passed", "said"),
    [
        ([5, 4, 3, 2, 1], "PASS", True, "judge is usable: orders 100 % ["),
        ([3, 3, 3, 3, 3], "FAIL", False, "judge is not usable: orders 50 % ["),
        ([4, 1, 1, 1, 1], "INCONCLUSIVE", False, "judge is undecided: orders 70 % ["),
        ([5, 1, 1, 1, 1], "PASS", True, "usable for yes/no questions: every whole text got 5, every other less"),
    ],
)
def test_the_ladder_as_a_gate(marks: list[int], verdict: str, passed: bool, said: str) -> None:
    """An undecided judge does not pass; one that knows whole texts passes with its clause."""
    answers = [
        AnswerMarks("texts", (f"c{text}", 0, n), f"c{text}", 9, {"judge": mark}, {}, key=(f"c{text}", 0, n + 1, "texts", "g"))
        for text in range(10)
        for n, mark in enumerate(marks)
    ]
    found = ladder_verdict(ladder_of(answers, "judge", 5), "judge", "g")

    assert (found["verdict"], found["passed"], found["threshold"], found["n"]) == (verdict, passed, 0.8, 50)
    assert said in str(found["text"]) and found["wanted"] == "orders 80 % of steps"
    assert found["found"] == f"orders {100 * float(str(found['value'])):.0f} % of steps"
    low, value, high = (float(str(found[name])) for name in ("low", "value", "high"))
    assert low <= value <= high and high - low > 0.1


def test_one_judge_has_no_table_of_several(tmp_path: Path) -> None:
    tables = report(tmp_path, marking(lambda call: 4), {"duplicates": 0}).tables()

    assert not {"judges", "judge_results", "judge_noise"} & tables.keys()
    assert {row["check"] for row in rows(tables["judge_checks"])} == {"length", "own answers"}


# ------------------------------------------------------------------------------------------------- ratings of a person


def person_said(made: DialogueReport, said: Callable[[int, int], int | None], talks: int) -> list[dict[str, Json]]:
    """person_checks where a person marked model a's first answer of so many conversations; said of conversation and mark."""
    marks = [HumanRating(f"a/c{n}", 0, 1, "a", "fluency", said(n, 1 + n % 4)) for n in range(1, talks + 1)]
    made.check([replace(mark, person="kim", chance=0.5, left=2) for mark in marks])
    return rows(made.tables()["person_checks"])


def lenient(call: Call) -> int:
    """A judge whose marks are one too high: those of `person_said`, more by one."""
    return 2 + int(call.item_id.partition("/c")[2]) % 4


def test_a_lenient_judge_is_corrected_by_a_persons_marks(tmp_path: Path) -> None:
    """One mark too high throughout: the corrected mean is one less, of all models and of the one that was marked."""
    made = report(tmp_path, marking(lenient), {"duplicates": 0}, talks=40)

    every, one = person_said(made, lambda n, mark: mark, 40)

    assert (every["model"], one["model"]) == ("", "a")
    for row in (every, one):
        assert (row["n_shown"], row["n_marked"], row["n_used"], row["n_missing"], row["bias"]) == (40, 40, 40, 0, 1.0)
        assert row["corrected"] == pytest.approx(row["judge_mean"] - 1)
        assert row["percent"] == 0 and 0 < row["low"] < row["weighted_kappa"] < row["high"] < 1
    metrics = {row["model"]: row for row in rows(made.tables()["metrics"])}
    assert metrics["a"]["corrected"] == one["corrected"] and metrics["a"]["n_person"] == 40
    assert metrics["b"]["corrected"] is None
    assert any("by 40 ratings of a person" in table.note for table in made.headline())


def test_below_thirty_marks_nothing_is_corrected_and_it_says_how_many_are_missing(tmp_path: Path) -> None:
    """What a person could not tell is shown, and no mark; marks of answers that the run does not have say nothing."""
    made = report(tmp_path, marking(lenient), {"duplicates": 0}, talks=12)

    every, _ = person_said(made, lambda n, mark: None if n > 8 else mark, 99)

    assert (every["n_shown"], every["n_marked"], every["n_cannot_tell"]) == (12, 8, 4)
    assert every["corrected"] is None and every["n_missing"] == 22
    assert "22 more ratings are missing" in every["in_words"]


def test_marks_that_no_lot_decided_correct_nothing(tmp_path: Path) -> None:
    """They say how far judge and person agree, and are counted as not drawn; a chance that none can be is none either."""
    made = report(tmp_path, marking(lenient), {"duplicates": 0}, talks=40)
    marks = [HumanRating(f"a/c{n}", 0, 1, "a", "fluency", 1 + n % 4, "kim", chance=0.1, left=2) for n in range(1, 41)]
    made.check(marks)

    every = rows(made.tables()["person_checks"])[0]
    assert (every["n_used"], every["n_not_drawn"], every["n_marked"], every["bias"]) == (0, 40, 40, 1.0)
    assert every["corrected"] is None and "without the 40 ratings that were not drawn by lot" in every["in_words"]
    assert (made.judge_sentences() and "corrected" not in made.tables()["metrics"].columns) or every["n_missing"] == 30


def test_each_of_several_judges_is_held_against_the_person(tmp_path: Path) -> None:
    made = report(
        tmp_path, marking(lambda call: lenient(call) - (call.model == "x")), {"models": ["x"], "duplicates": 0}, 1, 16
    )

    found = {row["judge"]: row for row in person_said(made, lambda n, mark: mark, 16) if not row["model"]}

    assert found["x"]["weighted_kappa"] == 1.0 and found["x"]["bias"] == 0
    assert found["judge"]["bias"] == 1.0 and found[""]["bias"] == 0.5 and found[""]["kappa"] is None


def test_without_a_persons_marks_nothing_is_said_of_one(tmp_path: Path) -> None:
    tables = report(tmp_path, marking(lenient), {"duplicates": 0}).tables()

    assert "person_checks" not in tables and "corrected" not in tables["metrics"].columns


# ------------------------------------------------------------------------------------------------ times and caches


def call(model: str, timeout_s: float = 60.0) -> Call:
    """A call to a model."""
    return Call("answer", "i", model, (), timeout_s=timeout_s)


def test_times_that_ran_out_count_at_their_limit_among_all_and_nowhere_else() -> None:
    times = AnswerTimes(10)
    for n in range(1, 301):
        times.add(Reply(call("a"), "ok", text="x", latency_ms=n, ttft_ms=n // 2))
    for _ in range(10):
        times.add(Reply(call("a"), "timeout", latency_ms=60_000))
    times.add(Reply(call("b"), "error", error_kind="transient", latency_ms=5))

    a, b = rows(times.table())

    assert (a["n"], a["p50"], a["p90"], a["p99"], a["max"], a["first_token_p50"]) == (300, 150, 270, 297, 300, 75)
    assert (a["n_timed_out"], a["p99_all"]) == (10, 60_000.0)
    assert (b["n"], b["mean"], b["p50"]) == (0, None, None)
    assert "at most 10 calls in flight" in times.table().note


def test_what_was_on_file_is_counted_beside_n_and_in_no_time_or_saving() -> None:
    """Whatever it took when another run asked: a reply of the cache, one that ran out of time, one of a model never asked."""
    times, sums, usage = AnswerTimes(), CachingSums({}), Usage(prompt_tokens=1000, cached_tokens=900)
    mine = Reply(call("a"), "ok", text="x", latency_ms=10, ttft_ms=1, usage=Usage(prompt_tokens=1000, cached_tokens=0))
    earlier = Reply(call("a"), "ok", text="x", latency_ms=9_000, ttft_ms=900, usage=usage, cached=True)
    for reply in (mine, earlier, replace(earlier, status="timeout"), replace(earlier, call=call("b"))):
        times.add(reply)
        sums.add(reply)

    a, b = rows(times.table())
    assert (a["n"], a["mean"], a["max"], a["n_first_token"], a["n_timed_out"], a["n_on_file"]) == (1, 10, 10, 1, 0, 2)
    assert (b["n"], b["mean"], b["n_on_file"]) == (0, None, 1)
    assert "n_on_file" in times.in_short().columns and "not timed" in times.in_short().note
    (row,) = rows(sums.table())
    assert (row["n"], row["n_told"], row["prompt_tokens"], row["cached_tokens"], row["n_on_file"]) == (1, 1, 1000, 0, 2)
    assert sums.in_words() == ""


def test_a_percentile_that_no_value_bounds_is_left_out() -> None:
    times = AnswerTimes()
    for n in range(28):
        times.add(Reply(call("a"), "ok", text="x", latency_ms=n))

    (row,) = rows(times.table())

    assert (row["p50"], row["p90"], row["p99"], row["max"]) == (13, None, None, 27)


def test_what_caches_saved_is_what_the_same_prompt_would_have_cost_less_what_it_cost() -> None:
    price = Price(3.0, 15.0, cached_input=0.3, cache_write=3.75)
    usage = Usage(prompt_tokens=1000, completion_tokens=10, cached_tokens=800)

    assert saved_usd(usage, price) == pytest.approx(800 * 2.7e-6)
    assert saved_usd(replace(usage, cached_tokens=0, cache_write_tokens=800), price) == pytest.approx(-800 * 0.75e-6)
    assert saved_usd(usage, None) is None and saved_usd(usage, Price(3.0, 15.0)) is None
    assert saved_usd(Usage(prompt_tokens=9), None) == 0.0

    sums = CachingSums({"a": price, "b": None})
    sums.add(Reply(call("a"), "ok", usage=usage))
    sums.add(Reply(call("a"), "ok", usage=Usage(prompt_tokens=1000)))
    (row,) = rows(sums.table())
    assert (row["n"], row["n_told"], row["cached_tokens"], row["saved_usd"]) == (2, 1, 800, 0.00216)
    assert sums.in_words() == "800 of 2,000 prompt tokens came from servers' caches, $0.0022 saved."
    sums.add(Reply(call("b"), "ok", usage=usage))
    assert "saving unknown" in sums.in_words()
