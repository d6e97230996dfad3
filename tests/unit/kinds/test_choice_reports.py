"""Laws of what a multiple-choice board comes to: figures by hand, files that hold all and run nothing."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
import shutil
import unicodedata
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from choices import (
    HOSTILE,
    LETTERS,
    choice_question,
    csv_rows,
    derived_files,
    drive,
    ended,
    entry,
    items,
    load_choice,
    question_of,
    record,
    report_of,
    report_on,
    sheet_of,
    shown,
    usage,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few, strict_json
from on_demand import report_file

from tui_eval.core.calls import Call, Reply
from tui_eval.core.plaintext import csv_cell, visible
from tui_eval.core.results import SampleResult
from tui_eval.kinds.choice.pages import analysis_md, files, leaderboard_md
from tui_eval.kinds.choice.sheet_file import all_results, answers_json, answers_of, questions_rows, restored
from tui_eval.kinds.choice.sheet_report import SheetReport, agreement
from tui_eval.reporting import rescoring
from tui_eval.reporting.derive import derive
from tui_eval.results.sums.pair_words import pairs_words
from tui_eval.results.sums.verdict import verdict_of
from tui_eval.results.tables import content_text, json_text, rows_csv, table_rows
from tui_eval.workspace.places import Workspace

# ---------------------------------------------------------------------------------------------------- figures by hand

QUESTIONS = [
    choice_question("q1", 0, difficulty="easy", domains=("Rock", "Fluid"), topics=("Pore",), calc_required=False),
    choice_question("q2", 1, difficulty="hard", domains=("Rock",), topics=("Pore", "Salt"), calc_required=True),
    choice_question("q3", 2, difficulty="hard", domains=("Fluid",), calc_required=True),
    choice_question("q4", 3, difficulty="odd"),
]
BOARD = {"one": "ABCD", "two": "ABAA", "three": "B.?!"}


def board() -> SheetReport:
    """Three models: all right; the first two right; one wrong, one missing, one undecided, one refused."""
    return report_on("ABCD", BOARD, QUESTIONS)


def told(report: SheetReport) -> str:
    """What is said of who leads, and of which pairs differ."""
    return " ".join([verdict_of(report.board), *pairs_words(report.board.pairs, report.units)])


def test_accuracies_come_out_as_counted() -> None:
    """asked, replied, right, missing, share, strict and best case of each model."""
    rates = [board().rate(sheet) for sheet in board().whole.sheets]
    found = [(a.asked, a.scored, a.right, a.missing, a.value, a.strict, a.best_case, a.n) for a in rates]

    assert found == [
        (4, 4, 4, 0, 1.0, 1.0, 1.0, 4),
        (4, 4, 2, 0, 0.5, 0.5, 0.5, 4),
        (4, 3, 0, 1, 0.0, 0.0, 0.25, 3),
    ]


def test_groups_hold_every_question_that_belongs_to_them() -> None:
    """A question of two domains counts in both; one that names none in none; known difficulties in their order."""
    figures = board()

    assert [(g.by, g.value, tuple(g.indexes)) for g in figures.every_group] == [
        ("difficulty", "easy", (0,)),
        ("difficulty", "hard", (1, 2)),
        ("difficulty", "odd", (3,)),
        ("domain", "Fluid", (0, 2)),
        ("domain", "Rock", (0, 1)),
        ("calc_required", "yes", (1, 2)),
        ("calc_required", "no", (0,)),
        ("topic", "Pore", (0, 1)),
        ("topic", "Salt", (1,)),
    ]
    rows = figures.breakdown(figures.every_group)
    two = {(r["by"], r["value"]): (r["n_asked"], r["n_replies"], r["n_correct"]) for r in rows if r["model"] == "two"}
    three = {(r["by"], r["value"]): (r["n_asked"], r["n_replies"], r["n_missing"]) for r in rows if r["model"] == "three"}

    assert two["domain", "Rock"] == (2, 2, 2) and two["domain", "Fluid"] == (2, 2, 1) and two["difficulty", "hard"] == (2, 2, 1)
    assert three["domain", "Rock"] == (2, 1, 1) and three["calc_required", "yes"] == (2, 1, 1)
    assert {row["by"] for row in table_rows(figures.tables()["groups"])} == {"difficulty", "domain", "calc_required"}


def test_agreement_is_over_questions_that_all_replied_to() -> None:
    """Without the third model: two of four all right, none all wrong; with it, one question is left out."""
    two = report_on("ABCD", {name: BOARD[name] for name in ("one", "two")}, QUESTIONS)

    assert in_common(two) == {"all_right": 2, "mixed": 2}
    assert in_common(board()) == {"mixed": 3, "left_out": 1}
    assert in_common(report_on("AB", {"one": "BB", "two": "C?"})) == {"mixed": 1, "all_wrong": 1}


def in_common(report: SheetReport) -> dict[str, int]:
    """How many questions all have right, none, or some."""
    return dict(agreement([*report.board.series.values()], len(report.whole.questions)))


def test_hard_and_easy_questions_and_their_wrong_answers() -> None:
    """By share of failing models, of those that replied; the commonest wrong option, the first letter on a tie."""
    figures = board()
    by_id = {q.question_id: q for q in figures.questions}

    page = analysis_md(figures, "about").split("## Easiest questions")
    shown = [re.findall(r"\| (q\d) \| [^|]+ \| (\S+)/(\S+) \|", part) for part in page]

    assert shown[0] == [("q3", "2", "3"), ("q4", "2", "3"), ("q1", "1", "3")]
    assert shown[1][:4] == [("q2", "2", "2"), ("q1", "2", "3"), ("q3", "1", "3"), ("q4", "1", "3")]
    assert {name: (q.most_common_wrong, *q[-1:], q.n_without_letter, q.n_missing) for name, q in by_id.items()} == {
        "q1": ("B", 1, 0, 0), "q2": (None, 0, 0, 1), "q3": ("A", 1, 1, 0), "q4": ("A", 1, 1, 0),
    }  # fmt: skip
    tie = report_on("A", {"one": "C", "two": "B", "three": "C", "four": "B", "five": "D"}).questions[0]
    assert (tie.most_common_wrong, tie.n_most_common_wrong) == ("B", 2)


def test_patterns_count_every_reply_once() -> None:
    """Those without a letter under their reason; missing ones not at all."""
    figures = board()

    assert counts_by_pattern(figures) == {
        "one": {"first_char": 4},
        "two": {"first_char": 4},
        "three": {"first_char": 1, "ambiguous": 1, "refusal": 1},
    }


def counts_by_pattern(report: SheetReport) -> dict[str, dict[str, int]]:
    """Of each model, how many replies were read by what."""
    found: dict[str, dict[str, int]] = {}
    for row in table_rows(report.tables()["patterns"]) if "patterns" in report.tables() else ():
        found.setdefault(row["model"], {})[row["pattern"]] = row["n"]
    return found


def test_pairs_count_only_common_questions() -> None:
    """b and c by hand, exact p by hand, Holm over all three pairs."""
    pairs = board().board.pairs

    assert [(p.a.model, p.b.model, p.found.n, p.found.a_higher, p.found.b_higher, p.found.value) for p in pairs] == [
        ("one", "two", 4, 2, 0, 0.5),
        ("one", "three", 3, 3, 0, 1.0),
        ("two", "three", 3, 1, 0, 1 / 3),
    ]
    assert [p.found.p for p in pairs] == pytest.approx([0.5, 0.25, 1.0])
    assert [p.p_holm for p in pairs] == pytest.approx([1.0, 0.75, 1.0])


def test_a_clear_difference_is_told_apart_and_a_tie_is_not() -> None:
    """20 questions that only one has right: p = 2 * 2**-20; nothing but ties: p = 1."""
    clear = report_on("A" * 20, {"good": "A" * 20, "bad": "B" * 20, "worse": "C" * 20})
    found = {(p.a.model, p.b.model): p for p in clear.board.pairs}

    assert math.isclose(found["good", "bad"].found.p, 2 * 2.0**-20)
    assert math.isclose(found["good", "bad"].p_holm, 3 * 2 * 2.0**-20)
    assert found["bad", "worse"].found.p == 1.0
    assert [p.significant for p in clear.board.pairs] == [True, True, False]
    assert ranks(clear) == {"good": (1, 1), "bad": (2, 3), "worse": (2, 3)}


def ranks(report: SheetReport) -> dict[str, Any]:
    """The ranks that are open to each, the best first."""
    return {side.model: report.board.ranks.get(side) for side in report.board.series}


def test_ranks_span_what_the_intervals_leave_open() -> None:
    """Wilson of 10/10 is [.722, 1], of 8/10 [.490, .943], of 1/10 [.018, .404]; of no reply there is no rank."""
    figures = report_on("A" * 10, {"low": "A" + "B" * 9, "none": "." * 10, "high": "A" * 10, "middle": "A" * 8 + "BB"})

    assert [*ranks(figures).items()] == [("high", (1, 2)), ("middle", (1, 2)), ("low", (3, 3)), ("none", None)]


def test_biases_come_out_as_worked_out_by_hand() -> None:
    """Twelve questions of four options whose last is the longest; the key is A, B, C, D in turn; the model always says D."""
    questions = [choice_question(f"q{i}", i % 4, ("1", "22 never", "333", "the longest of all of them")) for i in range(12)]
    found = report_on("", {"one": "D" * 12}, questions).biases["one"]

    assert found.position is not None and found.longest is not None and found.qualifier is not None
    assert found.position.chosen_share == (0, 0, 0, 1) and found.position.key_share == (0.25, 0.25, 0.25, 0.25)
    assert (found.position.n, found.position.max_deviation, found.position.chi_square) == (12, 0.75, 36.0)
    assert (found.position.recalls, found.position.level) == ((0, 0, 0, 1), "high")
    assert (found.longest.n, found.longest.picked, found.longest.key, found.longest.excess) == (12, 1.0, 0.25, 0.75)
    assert (found.longest.wrong_n, found.longest.wrong_longest, found.longest.expected) == (9, 9, pytest.approx(1 / 3))
    assert found.longest.p == pytest.approx(3.0**-9)
    # "all of them" holds an absolute word, too: of four options two do, and D is one of them
    assert (found.qualifier.n, found.qualifier.picked, found.qualifier.key) == (12, 1.0, 0.5)
    assert (found.qualifier.wrong_n, found.qualifier.wrong_with, found.qualifier.expected) == (6, 6, pytest.approx(2 / 3))


def test_no_letters_no_bias() -> None:
    """Where nothing was chosen nothing is measured."""
    found = report_on("AB", {"one": "?."}).biases["one"]

    assert (found.position, found.longest, found.qualifier) == (None, None, None)


def test_a_tie_for_the_longest_option_is_left_out() -> None:
    """Two longest options say nothing about a lean towards the longest."""
    questions = [choice_question("q1", 0, ("11", "22", "3")), choice_question("q2", 0, ("11", "2", "3"))]
    found = report_on("", {"one": "AA"}, questions).biases["one"].longest

    assert found is not None and found.n == 1


# ---------------------------------------------------------------------------------------------------- laws of any board

boards = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.text("ABCD", min_size=n, max_size=n),
        st.lists(st.text("AABBCD?!._", min_size=n, max_size=n), min_size=1, max_size=5),
    )
)


def named(rows: list[str]) -> dict[str, str]:
    """Sheets by name."""
    return {f"model {i}": marks for i, marks in enumerate(rows)}


def numbers(figures: SheetReport) -> dict[str, Any]:
    """Everything a board comes to, without regard to the order of its questions and models."""
    pairs = {}
    for p in figures.board.pairs:
        flip = p.a.model > p.b.model
        values = (
            p.found.n,
            *((p.found.b_higher, p.found.a_higher) if flip else (p.found.a_higher, p.found.b_higher)),
            -p.found.value if flip else p.found.value,
        )
        ends = (-p.found.high, -p.found.low) if flip else (p.found.low, p.found.high)
        pairs[frozenset((p.a.model, p.b.model))] = (*values, *(v and round(v, 7) for v in (*ends, p.found.p, p.p_holm)))
    return {
        "accuracy": {sheet.model: figures.rate(sheet) for sheet in figures.sheets},
        "ranks": ranks(figures),
        "groups": {(g.by, g.value): len(g.indexes) for g in figures.every_group},
        "agreement": in_common(figures),
        "questions": {q.question_id: q for q in figures.questions},
        "pairs": pairs,
        "patterns": counts_by_pattern(figures),
        "biases": {name: (b.position and b.position.chosen_share, b.longest and b.longest.excess)
                   for name, b in figures.biases.items()},
    }  # fmt: skip


@few
@given(boards, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_models_changes_no_number(made: tuple[str, list[str]], mixer: random.Random) -> None:
    """Questions and models in another order come to the same figures; two models swapped flip the signs of their pair."""
    keys, rows = made
    figures = report_on(keys, named(rows))
    order = list(range(len(keys)))
    mixer.shuffle(order)
    questions = [figures.whole.questions[place] for place in order]
    new_places = {place: n for n, place in enumerate(order)}
    sheets = [replace(sheet, answers=sheet.answers.moved(new_places)) for sheet in figures.whole.sheets]
    mixer.shuffle(sheets)

    assert numbers(report_of(sheets, questions)) == numbers(figures)


@few
@given(boards)
def test_every_n_adds_up(made: tuple[str, list[str]]) -> None:
    """Replies are right, wrong with a letter, or without one; every pair stands once, Holm is no less than p."""
    keys, rows = made
    figures = report_on(keys, named(rows))

    counts = counts_by_pattern(figures)
    for sheet, marks in zip(figures.whole.sheets, rows, strict=True):
        accuracy = figures.rate(sheet)
        wrong = sum(mark in "ABCD" and mark != key for mark, key in zip(marks, keys, strict=True))
        without = sum(mark in "?!" for mark in marks)
        assert accuracy.scored == accuracy.right + wrong + without == sum(counts.get(sheet.label, {}).values())
        assert accuracy.asked == len(marks.replace("_", "")) == accuracy.scored + accuracy.missing
    assert all(0 <= question.right <= question.n_models <= len(rows) for question in figures.questions)
    assert sum(in_common(figures).values()) == len(keys)
    common = [
        frozenset((f"model {i}", f"model {j}"))
        for (i, a), (j, b) in combinations(enumerate(rows), 2)
        if any(x not in "._" and y not in "._" for x, y in zip(a, b, strict=True))
    ]
    pairs = figures.board.pairs
    assert {frozenset((p.a.model, p.b.model)) for p in pairs} == set(common)
    assert len(pairs) == len(common)
    tested = [p for p in pairs if p.found.n > 1]
    assert [p for p in pairs if p.found.p is not None] == tested
    assert all(p.found.p <= p.p_holm <= min(1.0, p.found.p * len(tested)) + 1e-12 for p in tested)
    assert all(
        p.found.low - 1e-6 <= p.found.value <= p.found.high + 1e-6 and p.found.a_higher + p.found.b_higher <= p.found.n
        for p in pairs
    )
    assert all(r is None or 1 <= r[0] <= r[1] <= len(rows) for r in ranks(figures).values())


@few
@given(boards)
def test_a_sheet_survives_its_json(made: tuple[str, list[str]]) -> None:
    """What all_results.json holds of the answers is all of them: read back, they are the same."""
    keys, rows = made
    words = {name: " ".join(f"{mark}{mark if mark != '_' else ''}" for mark in marks) for name, marks in named(rows).items()}
    for sheets in (named(rows), words):
        if len(keys) == 1 and sheets is words:
            continue
        report = report_on(keys, sheets)
        for sheet in report.sheets:
            ids = report.whole.asked.ids
            written = json.dumps(dict(answers_json(sheet, ids)))
            assert answers_of(strict_json(written)) == {ids[place]: own for place, own in sheet.answers.items()}


def test_the_first_is_not_called_better_than_one_it_loses_to() -> None:
    """Over common questions only: ten that only the second answers well outweigh easy ones that the second never saw."""
    figures = report_on("A" * 100, {"wide": "B" * 10 + "A" * 90, "narrow": "A" * 8 + "BB" + "_" * 90})
    pair = figures.board.pairs[0]

    assert pair.found.value * (1 if pair.a.model == "wide" else -1) == -0.8 and pair.significant
    assert "leads" not in told(figures) and "not differ significantly" not in told(figures)
    words = (
        "narrow (80.0 % right) is significantly better than the other over 10 common questions; wide (90.0 % right) has the"
        " best own mean"
    )
    assert words in told(figures)


def test_a_model_without_common_questions_is_not_beaten() -> None:
    """Who shares no question with the first is not compared with it, and not called worse."""
    figures = report_on("A" * 16, {"one": "A" * 8 + "_" * 8, "two": "B" * 8 + "_" * 8, "three": "_" * 8 + "A" * 7 + "B"})

    assert [(p.a.model, p.b.model) for p in figures.board.pairs] == [("one", "two")]
    assert "leads" not in told(figures)


def test_the_most_common_wrong_answer_is_counted_out_of_replies(tmp_path: Path) -> None:
    """Asked in several orders, a model may be wrong more often than there are models."""
    loaded = load_choice(tmp_path, [entry("q1", 0)], choice="permutations = 4")

    def wrong(call: Call) -> Reply:
        return ended(call, LETTERS[shown(call).index("west")])

    out = tmp_path / "run"
    record(out, loaded, wrong)
    section = (out / "analysis.md").read_text().split("### Most common wrong answers")[1]
    count = section.split("| q1 | A | D | ")[1].split(" ")[0]
    over, under = map(int, count.split("/"))

    assert over <= under


# ---------------------------------------------------------------------------------------------------- cost


@pytest.mark.parametrize(
    ("costs", "expected"),
    [([0.5, 0.5], "$0.500000"), ([0.5, None], "-"), ([None, None], "-"), ([0.0, 0.0], "$0.000000")],
)
def test_a_cost_that_is_not_known_is_a_dash(tmp_path: Path, costs: list[float | None], expected: str) -> None:
    """total / right where the cost of every reply is known, and never 0 for unknown. Both replies are right."""
    loaded = load_choice(tmp_path, [entry("q1", 0), entry("q2", 0)], names=("one",))

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text="A", usage=usage(costs[int(question_of(call)[1]) - 1]))

    out = tmp_path / "run"
    record(out, loaded, answer)
    page = (out / "leaderboard.md").read_text()
    row = next(line for line in page.split("\n") if "USD per right answer" in line)
    cells = [cell.strip() for cell in page.split(row)[1].split("\n")[2].split("|")[1:-1]]
    table = json.loads((out / "accuracy.json").read_text())["rows"][0]
    known = [cost for cost in costs if cost is not None]

    assert cells[-1] == expected
    assert table["usd_per_correct"] == (None if expected == "-" else sum(known) / 2)
    assert table["cost_usd"] == (sum(known) if known else None) and table["n_cost_known"] == len(known)


def test_no_right_answer_no_cost_per_right_answer(tmp_path: Path) -> None:
    """Nothing is divided by nothing."""
    loaded = load_choice(tmp_path, [entry("q1", 0)], names=("one",))
    record(tmp_path / "run", loaded, lambda call: Reply(call, "ok", text="B", usage=usage(1.0)))

    row = strict_json((tmp_path / "run" / "accuracy.json").read_bytes())["rows"][0]

    assert row["usd_per_correct"] is None and row["cost_usd"] == 1.0


def test_attempts_that_failed_cost_what_they_cost(tmp_path: Path) -> None:
    """cost_usd is that of statistics, by all attempts; a right answer costs all of them, and the last ones alone beside it."""
    loaded = load_choice(tmp_path, [entry("q1", 0), entry("q2", 0)])
    out = tmp_path / "run"
    record(out, loaded, lambda call: Reply(call, "ok", text="A", usage=usage(0.25)))
    lines = (out / "call_logs.jsonl").read_text().splitlines(keepends=True)
    failed = [json.loads(line) for line in lines if json.loads(line)["item_id"] in ("one/q1", "two/q1")]
    for n, attempt in enumerate(failed):
        cut = {"status": "error", "error_kind": "truncated", "final": False, "response_text": None}
        costs = {**attempt["usage"], "cost_usd": None if attempt["model"] == "two" else 0.5}
        failed[n] = attempt | cut | {"attempt_id": f"life-{n + 900:06d}", "usage": costs}
    (out / "call_logs.jsonl").write_text("".join([*(json.dumps(one) + "\n" for one in failed), *lines]))
    derive(out, loaded.evaluation)
    one, two = json.loads((out / "accuracy.json").read_text())["rows"]
    stats = {row["model"]: row for row in json.loads((out / "stats.json").read_text())["buckets"] if row["model"]}
    entries = strict_json((out / "all_results.json").read_bytes())["runs"]

    assert (one["cost_usd"], one["final_cost_usd"]) == (1.0, 0.5)
    assert (one["usd_per_correct"], one["usd_per_correct_final"]) == (0.5, 0.25)
    assert (two["cost_usd"], two["n_cost_known"], two["n_cost_unknown"], two["usd_per_correct"]) == (0.5, 2, 1, 0.25)
    for row, run in zip((one, two), entries, strict=True):
        told = (row["cost_usd"], row["n_cost_known"], row["n_cost_unknown"])
        assert told == tuple(stats[row["model"]][name] for name in ("sum_cost_usd", "n_cost_known", "n_cost_unknown"))
        assert told == (run["cost_usd"], run["n_cost_known"], run["n_cost_unknown"])
    assert [sheet.costs.each(2, 2) for sheet in restored(strict_json((out / "all_results.json").read_bytes())).sheets] == [
        0.5,
        0.25,
    ]


# ---------------------------------------------------------------------------------------------------- questions.csv


def runs_in_a_spreadsheet(cell: str) -> bool:
    """Whether a spreadsheet may take the cell for a formula, after leaving out what it cannot show."""
    seen = cell.lstrip("\u200b\u200c\u200d\u2060\ufeff\u00ad\u00a0\u3000 ")
    seen = seen.lstrip("".join(c for c in seen[:3] if unicodedata.category(c) in ("Cf", "Zs")))
    return seen.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"))


def plain(cell: str) -> bool:
    """A number or a dash-led number that our own code wrote."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_questions_csv_holds_every_cell(tmp_path: Path) -> None:
    """Question, metadata, and of each model letter, correct, pattern, why, raw text cut at 500; empty where unknown."""
    long = "C, " + 'x, "y"\n' * 200
    replies = {("one", "q1"): "A", ("one", "q2"): long, ("two", "q1"): "!timeout", ("two", "q3"): "!refused",
               ("two", "q4"): "I cannot say"}  # fmt: skip
    loaded = load_choice(tmp_path)
    record(tmp_path / "run", loaded, lambda call: ended(call, replies.get((call.model, question_of(call)), "D")))

    rows = {row["question_id"]: row for row in csv_rows((tmp_path / "run" / "questions.csv").read_text())}

    assert list(rows) == ["q1", "q2", "q3", "q4"]
    assert list(rows["q1"]) == [
        "question_id", "question_text", "choice_a", "choice_b", "choice_c", "choice_d", "correct_answer", "difficulty",
        "domains", "topics", "calc_required",
        *(f"{m}_{c}" for m in ("one", "two") for c in ("answer", "correct", "pattern", "why", "raw")),
    ]  # fmt: skip
    names = ("question_text", "choice_d", "correct_answer", "difficulty", "domains", "topics")
    assert [rows["q2"][name] for name in names] == [
        "What is q2?", "west", "B", "medium", "Numbers,Parity", "Counting",
    ]  # fmt: skip
    assert [row["calc_required"] for row in rows.values()] == ["false", "true", "false", ""]
    assert [row["one_correct"] for row in rows.values()] == ["true", "false", "false", "true"]
    assert [row["two_correct"] for row in rows.values()] == ["", "false", "false", "false"]
    assert [row["two_answer"] for row in rows.values()] == ["", "D", "", ""]
    assert [row["two_why"] for row in rows.values()] == ["no reply: timeout", "", "refusal", "no_letter"]
    assert rows["q2"]["one_raw"] == long[:500]


def test_questions_with_fewer_options_leave_cells_empty() -> None:
    """The columns are those of the question with the most options; a reply per row where there are several."""
    questions = [choice_question("q1", 0, ("a", "b")), choice_question("q2", 4, tuple("vwxyz"))]
    rows = csv_rows(rows_csv(questions_rows(report_on("", {"one": "AB E"}, questions).whole)))

    assert [row["choice_e"] for row in rows] == ["", "", "z"]
    assert [(row["question_id"], row["reply"], row["one_answer"]) for row in rows] == [
        ("q1", "1", "A"),
        ("q1", "2", "B"),
        ("q2", "1", "E"),
    ]


@pytest.mark.parametrize("name", ["correct", "question_text", "choice", "two"])
def test_no_models_columns_take_the_place_of_others(name: str) -> None:
    """Whatever a model is called, the key, the question and every other model keep their columns."""
    questions = [choice_question("q1", 2)]
    rows = questions_rows(report_on("", {name: "A", "one": "B"}, questions).whole)
    plain_rows = questions_rows(report_on("", {"x": "A", "one": "B"}, questions).whole)

    assert len(rows[0]) == len(plain_rows[0])
    assert "C" in rows[0].values() and rows[0]["question_text"] == "What is q1?"


def test_two_labels_are_never_the_same() -> None:
    """A model whose own name looks like another's name with its run keeps its own label."""
    questions = [choice_question("q1")]
    sheets = [
        sheet_of("m", "A", questions, run_id="r1"),
        sheet_of("m", "B", questions, run_id="r2"),
        sheet_of("m (r1)", "C", questions, run_id="r3"),
    ]
    assert len({sheet.label for sheet in report_of(sheets, questions).sheets}) == 3


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which everything that strangers write is hostile: questions, options, ids, domains, topics, replies, names."""
    folder = tmp_path_factory.mktemp("hostile")
    texts = [text.encode("utf-8", "replace").decode() for text in HOSTILE if text.strip()]
    names = [visible(text).replace("\n", " ").replace("\t", " ") for text in texts]
    entries = []
    for n, text in enumerate(texts):
        entries.append(
            entry(
                f"{names[n]} {n}",
                n % 3,
                [f"{text} {i}" for i in range(3)],
                question=text + "?",
                domains=[text, f"{names[n]} d"],
                topics=[text],
                difficulty=text.strip(),
                version=names[5],
            )
        )
    models = (*(f"{name} {n}" for n, name in enumerate(names[:8])), "a|b", "<b>", "../../x", "[l](u)", "x" * 150)
    loaded = load_choice(folder, entries, names=models, choice="permutations = 2")
    failures = ("!refused", "!timeout", "!not_sent")
    sayings = [*HOSTILE, "A", "B", "C", *failures]
    count = iter(range(10**9))

    def answer(call: Call) -> Reply:
        said = sayings[next(count) * 7 % len(sayings)]
        return ended(call, said) if said in failures else Reply(call, "ok", text=said)

    record(folder / "run", loaded, answer)
    return folder / "run"


def test_no_cell_of_any_csv_runs_in_a_spreadsheet(hostile: Path) -> None:
    """Every CSV of the run parses back whole, and no cell of it, header included, begins like a formula."""
    found = []
    for path in sorted(hostile.rglob("*.csv")):
        rows = list(csv.reader(io.StringIO(path.read_text(), newline=""), strict=True))
        assert {len(row) for row in rows} <= {len(rows[0])} if rows else True
        found += [(path.name, cell) for row in rows for cell in row if runs_in_a_spreadsheet(cell) and not plain(cell)]

    assert found == []


def test_a_hostile_csv_holds_what_was_said(hostile: Path) -> None:
    """Apart from pictures for controls and an apostrophe before formulas, every raw reply stands in its cell."""
    rows = csv_rows((hostile / "questions.csv").read_text())
    logged = [json.loads(line) for line in (hostile / "results.jsonl").read_text().splitlines()]
    expected = {
        (reply["model"], line["doc_id"], reply["call_index"]): str(csv_cell(reply["text"]))
        for line in logged
        for reply in line["replies"]
        if reply["text"] is not None
    }
    names = {str(csv_cell(model)): model for model, _, _ in expected}
    ids = {str(csv_cell(name)): name for _, name, _ in expected}
    found = {
        (names[column.removesuffix("_raw")], ids[row["question_id"]], int(row["reply"]) - 1): cell
        for row in rows
        for column, cell in row.items()
        if column.endswith("_raw") and cell
    }

    assert found == {place: text for place, text in expected.items() if text}


def test_every_json_of_a_hostile_run_is_strict(hostile: Path) -> None:
    """Every .json and .jsonl parses as the standard has it, and is valid UTF-8."""
    for path in sorted(hostile.rglob("*.json")):
        strict_json(path.read_bytes().decode("utf-8"))
    for line in (hostile / "results.jsonl").read_bytes().decode("utf-8").splitlines():
        strict_json(line)


# ---------------------------------------------------------------------------------------------------- all_results.json

NUMBER = (int, float)
SHAPE: dict[str, Any] = {
    "run_id": str, "run_timestamp": str, "model": str, "model_info": dict, "accuracy": NUMBER, "correct": int, "total": int,
    "failed_extractions": int, "ci_lower": NUMBER, "ci_upper": NUMBER, "by_difficulty": dict, "by_domain": dict,
    "answer_distribution": dict, "bias_analysis": dict, "answers": dict,
}  # fmt: skip
"""An entry of `runs` (spec 004)."""


def test_all_results_have_the_shape_of_the_specification(tmp_path: Path) -> None:
    """Keys and types of spec 004, one entry per model, and numbers that hold together."""
    loaded = load_choice(tmp_path)
    texts = {"q1": "A", "q2": "The answer is C", "q3": "who knows", "q4": "!timeout"}
    record(tmp_path / "run", loaded, lambda call: ended(call, texts[question_of(call)]))

    whole = strict_json((tmp_path / "run" / "all_results.json").read_bytes())

    assert (whole["benchmark"], whole["total_questions"]) == ("little_v1", 4)
    assert [run["model"] for run in whole["runs"]] == ["one", "two"]
    for run in whole["runs"]:
        assert {name: type(run.get(name)) for name, kind in SHAPE.items() if not isinstance(run.get(name), kind)} == {}
        assert run["run_id"] == "run" and run["run_timestamp"].endswith("Z")
        assert {"provider", "deployment", "model_version", "api_version"} <= set(run["model_info"])
        assert (run["correct"], run["total"], run["failed_extractions"], run["asked"]) == (1, 3, 1, 4)
        assert run["accuracy"] == round(1 / 3, 6) and run["ci_lower"] < run["accuracy"] < run["ci_upper"]
        assert run["missing"] == {"timeout": 1}
        assert run["by_difficulty"]["easy"]["correct"] == run["by_difficulty"]["easy"]["total"] == 1
        assert {name: found["total"] for name, found in run["by_domain"].items()} == {"Numbers": 2, "Parity": 2}
        assert math.isclose(sum(run["answer_distribution"].values()), 1) and set(run["answer_distribution"]) == set("ABCD")
        assert {"position_bias", "length_bias", "length_bias_level"} <= set(run["bias_analysis"])
        assert list(run["answers"]) == ["q1", "q2", "q3", "q4"]
        for found in run["answers"].values():
            assert {"predicted", "correct", "raw_response", "extraction_pattern"} <= set(found)
        assert [found["predicted"] for found in run["answers"].values()] == ["A", "C", None, None]
        assert [found["correct"] for found in run["answers"].values()] == [True, False, False, None]
        assert run["answers"]["q2"]["raw_response"] == "The answer is C"
        assert run["answers"]["q2"]["extraction_pattern"] == "answer_is"


def test_the_distribution_of_letters_counts_questions_with_any_number_of_options(tmp_path: Path) -> None:
    """None is left out without a word: the field beside it says how many replies it is of; the bias is of the usual number."""
    loaded = load_choice(tmp_path, [entry("q1"), entry("q2"), entry("q3", choices=["1", "2", "3", "4", "5"])])
    texts = {"q1": "A", "q2": "C", "q3": "E"}
    record(tmp_path / "run", loaded, lambda call: ended(call, texts[question_of(call)]))

    for run in strict_json((tmp_path / "run" / "all_results.json").read_bytes())["runs"]:
        shares = {"A": 0.333333, "B": 0.0, "C": 0.333333, "D": 0.0, "E": 0.333333}
        assert (run["answer_distribution"], run["answer_distribution_n"]) == (shares, 3)
        assert run["bias_analysis"]["position_bias_n"] == 2


def test_results_and_report_are_strict_json_and_complete(tmp_path: Path) -> None:
    """results.json has every item with each answer in the benchmark's letters; report.json the tables with n and interval."""
    loaded = load_choice(tmp_path, choice="shuffle = true")
    texts = {"q1": "A", "q2": "who knows", "q3": "!refused", "q4": "!timeout"}
    record(tmp_path / "run", loaded, lambda call: ended(call, texts[question_of(call)]))
    results = strict_json(report_file(tmp_path / "run"))
    report = strict_json((tmp_path / "run" / "report.json").read_bytes())

    assert [(item["model"], item["question_id"]) for item in results["items"]] == [
        (model, f"q{n}") for n in range(1, 5) for model in ("one", "two")
    ]
    first = results["items"][0]["answers"][0]
    assert first["predicted"] == first["order"][0] and sorted(first["order"]) == list("ABCD")
    assert (results["simulated"], report["simulated"]) == (True, True)
    assert set(report["tables"]) >= {"accuracy", "groups", "patterns", "letters", "bias", "agreement", "pairs"}
    cell = report["tables"]["accuracy"]["rows"][0][report["tables"]["accuracy"]["columns"].index("accuracy")]
    assert cell["n"] == 3 and len(cell["interval"]) == 2 and "mean of the questions' means" in cell["formula"]


def test_simulated_answers_are_called_so(tmp_path: Path) -> None:
    """On the first lines of both pages, and in all_results.json."""
    loaded = load_choice(tmp_path, [entry("q1")])
    record(tmp_path / "run", loaded, lambda call: ended(call, "A"))

    for name in ("leaderboard.md", "analysis.md"):
        assert "simulated" in "\n".join((tmp_path / "run" / name).read_text().split("\n")[:4])
    assert all(run["simulated"] for run in strict_json((tmp_path / "run" / "all_results.json").read_bytes())["runs"])


def test_an_answer_in_words() -> None:
    """Right, wrong, none with its reason, missing with its reason."""
    (sheet,) = report_on("AAAA", {"one": "AB!."}).sheets

    assert [answer.verdict for answers in sheet.answers.values() for answer in answers] == [
        "A (right)",
        "B (wrong)",
        "none (refusal)",
        "missing (timeout)",
    ]


def test_the_short_table_tells_runs_of_one_model_apart() -> None:
    """Two sheets never look the same to a reader, however long the model's name."""
    questions = [choice_question("q1"), choice_question("q2")]
    sheets = [sheet_of("a-model-of-a-long-name-2026", "AA", questions, run_id=run) for run in ("20260101_ab", "20260102_cd")]
    table = report_of(sheets, questions).headline()[0]
    names = [row[1].value for row in table.rows]
    long = [replace(sheet, model="m" * 150) for sheet in sheets]

    assert table.columns[1] == "model" and len(set(names)) == 2
    assert len({str(row[1].value)[:60] for row in report_of(long, questions).headline()[0].rows}) == 2


def test_files_of_one_model_one_question_and_of_no_reply_at_all() -> None:
    """The smallest boards bring every file, too."""
    for marks in ("A", ".", "?", "_"):
        made = files(report_on("A", {"one": marks}), "about")
        assert set(made) == {"leaderboard.md", "analysis.md", "questions.csv", "breakdown.csv", "all_results.json"}
        assert all(content_text(name, content) for name, content in made.items() if name != "breakdown.csv")
        strict_json(json_text(all_results(report_on("A", {"one": marks}))))


def test_rank_and_interval_stand_beside_every_accuracy() -> None:
    """`50.0 % [15.0, 85.0]` with n, and the ranks that are open."""
    page = leaderboard_md(board(), "about")
    rows = {
        line.split("|")[2].strip(): [cell.strip() for cell in line.split("|")[1:-1]]
        for line in page.split("\n")
        if line.startswith("| ")
    }

    assert rows["one"][:5] == ["1-3", "one", "100.0 %", "[51.0, 100.0]", "4"]
    assert rows["two"][:5] == ["1-3", "two", "50.0 %", "[15.0, 85.0]", "4"]
    assert rows["three"][:5] == ["1-3", "three", "0.0 %", "[0.0, 56.1]", "3"]


# ---------------------------------------------------------------------------------------------------- again, for nothing

SAYINGS = [
    "Answer: C",
    "C",
    "A. north",
    "Both A and C could be correct",
    "I believe B is correct",
    "!refused",
    "!timeout",
    "nothing",
]


def test_scoring_again_brings_the_same_bytes(tmp_path: Path) -> None:
    """With every derived file deleted, the log alone brings each of them back as it was."""
    count = iter(range(1000))
    loaded = load_choice(tmp_path, choice="shuffle = true\npermutations = 2", run="repeat = 2")
    out = tmp_path / "run"
    record(out, loaded, lambda call: ended(call, SAYINGS[next(count) % len(SAYINGS)]))
    before = derived_files(out)
    log = (out / "call_logs.jsonl").read_bytes()
    for name in before:
        (out / name).unlink()
    shutil.rmtree(out / "repeats")

    rescoring.rescore(out, Workspace(tmp_path))

    assert len(before) > 30
    assert {name for name, content in derived_files(out).items() if before.get(name) != content} == set()
    assert derived_files(out) == before
    assert (out / "call_logs.jsonl").read_bytes() == log


def test_the_order_of_the_log_changes_nothing(tmp_path: Path) -> None:
    """Calls end in any order: the same attempts, written down in another one, bring the same files."""
    count = iter(range(1000))
    loaded = load_choice(tmp_path, choice="permutations = 2")
    out = tmp_path / "run"
    record(out, loaded, lambda call: ended(call, SAYINGS[next(count) % len(SAYINGS)]))
    before = derived_files(out)
    lines = (out / "call_logs.jsonl").read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    (out / "call_logs.jsonl").write_bytes(b"".join(lines))

    rescoring.rescore(out, Workspace(tmp_path))

    assert derived_files(out) == before


def test_a_run_of_some_items_speaks_of_these(tmp_path: Path) -> None:
    """--only one question: the pages count one question, not those that nobody was asked."""
    loaded = load_choice(tmp_path, only=["q3"])
    record(tmp_path / "run", loaded, lambda call: ended(call, "C"))
    page, analysis = ((tmp_path / "run" / name).read_text() for name in ("leaderboard.md", "analysis.md"))

    assert "1 of the benchmark's 4 questions" in page
    assert "since some model has no reply" not in analysis
    assert [row["question_id"] for row in csv_rows((tmp_path / "run" / "questions.csv").read_text())] == ["q3"]


def test_aggregates_over_repeats_keep_rows_apart(tmp_path: Path) -> None:
    """A row of an aggregate is one row of every repeat: never easy and hard, or two models, added up to one."""
    loaded = load_choice(tmp_path, run="repeat = 2")
    letters = {0: "A", 1: "C"}
    record(tmp_path / "run", loaded, lambda call: ended(call, letters[call.item_id.count("#")]))
    found = {path.name: strict_json(path.read_bytes()) for path in (tmp_path / "run").glob("aggregate_*.json")}
    groups = {(row["by"], row["value"], row["model"]): row for row in found["aggregate_groups.json"]["rows"]}

    assert {row["n_repeats"] for whole in found.values() for row in whole.get("rows", whole.get("buckets", []))} == {2}
    assert len(groups) == len(csv_rows((tmp_path / "run" / "groups.csv").read_text()))
    assert (
        groups["difficulty", "easy", "one"]["accuracy_mean"] == 0.5
        and groups["difficulty", "hard", "one"]["accuracy_mean"] == 0.25
    )
    assert groups["domain", "Parity", "two"]["accuracy_mean"] == 0.25


def test_another_rule_lists_just_what_it_changes(tmp_path: Path) -> None:
    """changes.csv: every answer whose letter or value is another, with both readings, and no other; the run stays as it was."""
    replies = {"q1": "Answer: C", "q2": "C", "q3": "Both A and C could be right", "q4": "!timeout"}
    loaded = load_choice(tmp_path)
    out = tmp_path / "run"
    record(out, loaded, lambda call: ended(call, "D" if call.model == "two" else replies[question_of(call)]))
    before = derived_files(out)

    outcome, _, where = rescoring.rescore(out, Workspace(tmp_path), ["choice.extraction=formationeval-v0.1"])
    rows = csv_rows((where / "changes.csv").read_text())

    assert [(r["item_id"], r["read_before"], r["read_after"], r["value_before"], r["value_after"]) for r in rows] == [
        ("one/q1", "C", "A", "0", "1"),
        ("one/q3", "", "B", "0", "0"),
    ]
    assert [(r["pattern_before"], r["why_before"], r["pattern_after"], r["raw"]) for r in rows] == [
        ("answer_colon", "", "first_char", "Answer: C"),
        ("failed", "ambiguous", "first_char", "Both A and C could be right"),
    ]
    assert outcome.changes is not None and outcome.changes.sums.compared == 8
    assert where.is_relative_to(out / "rescored") and derived_files(out) == before
    assert {run["extraction"] for run in strict_json((where / "all_results.json").read_bytes())["runs"]} == {
        "formationeval-v0.1/1"
    }


@settings(few, max_examples=15)
@given(st.lists(st.sampled_from([*SAYINGS, "D) west", "**B**", "Option D", ""]), min_size=4, max_size=4), st.integers(1, 2))
def test_changes_are_the_difference_of_two_scorings(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], permutations: int
) -> None:
    """By driving both rules over the same replies apart from each other."""
    folder = tmp_path_factory.mktemp("w")
    loaded = load_choice(folder, names=("one",), choice=f"permutations = {permutations}")

    def answer(call: Call) -> Reply:
        return ended(call, said[int(question_of(call)[1]) - 1])

    record(folder / "run", loaded, answer)
    literal = load_choice(folder, names=("one",), choice=f'permutations = {permutations}\nextraction = "formationeval-v0.1"')
    first, second = ([score for row in drive(each, answer) for score in row.scores] for each in (loaded, literal))
    expected = sum((a.read, a.value) != (b.read, b.value) for a, b in zip(first, second, strict=True))

    _, _, where = rescoring.rescore(folder / "run", Workspace(folder), ["choice.extraction=formationeval-v0.1"])

    assert len(csv_rows((where / "changes.csv").read_text())) == expected


def test_the_same_rule_changes_nothing(tmp_path: Path) -> None:
    """A setting that is what it was brings an empty list with its columns, and the same files."""
    loaded = load_choice(tmp_path)
    record(tmp_path / "run", loaded, lambda call: ended(call, "Answer: C"))

    _, _, where = rescoring.rescore(tmp_path / "run", Workspace(tmp_path), ["choice.extraction=robust"])

    assert (where / "changes.csv").read_text().startswith("item_id,model,") and csv_rows(
        (where / "changes.csv").read_text()
    ) == []
    for name in ("leaderboard.md", "analysis.md", "questions.csv", "all_results.json"):
        assert (where / name).read_bytes() == (tmp_path / "run" / name).read_bytes()


def test_names_with_slashes_lose_no_change(tmp_path: Path) -> None:
    """Model `a` with question `b/c` and model `a/b` with question `c` are two answers."""
    entries = [entry("b/c", 2), entry("c", 2)]
    loaded = load_choice(tmp_path, entries, names=("a", "a/b"))
    record(tmp_path / "run", loaded, lambda call: ended(call, "Answer: C"))

    _, _, where = rescoring.rescore(tmp_path / "run", Workspace(tmp_path), ["choice.extraction=formationeval-v0.1"])

    assert len(csv_rows((where / "changes.csv").read_text())) == 4


def test_a_derived_run_names_each_file_it_promises(tmp_path: Path) -> None:
    """The files of issue 3 lie in the run folder."""
    loaded = load_choice(tmp_path)
    record(tmp_path / "run", loaded, lambda call: ended(call, "A"))
    derive(tmp_path / "run", loaded.evaluation)

    assert {"leaderboard.md", "analysis.md", "questions.csv", "breakdown.csv", "all_results.json",
            "report.json", "pairs.csv", "accuracy.csv"} <= set(derived_files(tmp_path / "run"))  # fmt: skip


def test_half_a_character_in_a_reply_spoils_no_file(tmp_path: Path) -> None:
    """A lone surrogate, as a server can send it, ends as a mark in every file."""
    loaded = load_choice(tmp_path, [entry("q1")], names=("one",))

    record(tmp_path / "run", loaded, lambda call: ended(call, "A) half \ud83d a pair"))

    for name, content in derived_files(tmp_path / "run").items():
        assert "\ud83d" not in content.decode("utf-8"), name


def test_a_question_whose_evaluation_failed_is_missing_and_not_left_out(tmp_path: Path) -> None:
    """A flow that raises before it asks anything costs its question a reply, not its place among those asked."""
    loaded = load_choice(tmp_path, names=("one",))
    evaluation = loaded.evaluation
    reporter = evaluation.reporter()
    rows = [evaluation.driven(item, lambda call: ended(call, "A")) for item in items(loaded)]

    for row in (SampleResult(rows[0].sample, (), (), error="KeyError: 'x'"), *rows[1:]):
        reporter.add(row)

    found = table_rows(reporter.tables()["accuracy"])[0]
    assert (found["n_total"], found["n_replies"], found["n_missing"]) == (4, 3, 1)


def test_levels_of_absolute_words_are_corrected_for_every_model() -> None:
    """One model of ten seeks such words as one of twenty would by chance: those that do not are of the family, too."""
    asked = [choice_question(f"q{i}", 3, ("It always is", "It is", "It was", "It will be")) for i in range(40)]
    seeks, even = "A" * 20 + "B" * 20, "A" * 13 + "B" * 14 + "C" * 13
    alone, *_ = report_on("", {"seeks": seeks}, asked).biases.values()
    beside, *others = report_on("", {"seeks": seeks, **{f"even {i}": even for i in range(9)}}, asked).biases.values()

    assert alone.qualifier is not None and beside.qualifier is not None and alone.qualifier.p == beside.qualifier.p
    assert 0.05 / 10 < (alone.qualifier.p or 0) < 0.05 and alone.qualifier.level == "high"
    assert {one.qualifier and one.qualifier.level for one in (beside, *others)} == {"low (noise)"}


def test_no_number_of_questions_is_named_that_was_asked_already() -> None:
    """Five of five: the exact test wants more than the formula, which would say that four are enough."""
    figures = report_on("AAAAA", {"one": "AAAAA", "two": "BBBBB"})

    assert not figures.board.pairs[0].significant
    assert "5 common questions cannot show any difference; it takes 6." in told(figures)
