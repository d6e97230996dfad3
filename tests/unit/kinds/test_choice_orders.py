"""Laws of the order in which options are shown: every order is fair, repeatable, and read back by option, never by letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from choices import LETTERS, choice_question, drive, ended, entry, imported, load_choice, report_on, shown
from hypothesis import assume, given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.choice_table import ChoiceConfig
from tui_eval.kinds.choice.option_orders import names_letters, order
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.results.tables import table_rows

LAST = [
    "All of the above",
    "None of the above",
    "all of these",
    "None of these.",
    "Neither of the above",
    "Both of the above",
    "Any of the above",
    "All the above",
    "None of the other options",
    "All of the above are correct",
]
"""Options that speak of the others: they mean the same only behind them."""
NAMES_LETTERS = [
    "A and B",
    "A and C",
    "Both A and B",
    "Neither A nor B",
    "A or B",
    "A, B and C",
    "All of A, B and C",
    "B & C",
    "(A) and (C)",
    "Options A and B",
    "B and C only",
    "Only A and B",
    "A and B are correct",
    "A and B above",
    "Both (B) and (C).",
    "A only",
]
FREE = [
    "an anticline",
    "Allochthonous salt",
    "Nonetheless porous",
    "x = 1",
    "Vitamin A",
    "A fault and a fold",
    "X and Y",
    "a and b",
    "All sandstones are porous",
]
"""Options that stand for themselves."""

texts = st.lists(st.sampled_from([f"option {n}" for n in range(26)]), min_size=2, max_size=8, unique=True)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


def task(shuffle: bool = False, seed: int = 0) -> ChoiceTask:
    """A task, as far as orders need it."""
    config = ChoiceConfig(benchmark="b", models=["one"], shuffle=shuffle)
    return ChoiceTask(
        config=config, asked={}, benchmark="little", benchmark_size=0, questions=(), imported={}, seed=seed, models={}
    )


def item(choices: Sequence[str], name: str = "q", repeat: int = 0, answer: int = 0) -> Sample:
    """One question to one model."""
    return replace(choice_question(name, answer, choices), id=f"one/{name}", repeat=repeat, queue="one", doc_id=name)


@few
@given(texts, names, st.integers(0, 99), st.booleans(), st.integers(0, 2**31), st.integers(0, 3), st.sampled_from([*LAST, ""]))
def test_every_order_is_a_permutation(
    choices: list[str], name: str, n: int, shuffle: bool, seed: int, repeat: int, last: str
) -> None:
    """Each option stands in each prompt exactly once, whatever the seed, the question and the number of the prompt."""
    whole = [*choices, last] if last else choices

    found = order(task(shuffle, seed), item(whole, name, repeat), n)

    assert sorted(found) == list(range(len(whole)))


@few
@given(texts, names, st.integers(0, 2**31), st.integers(0, 3))
def test_the_first_order_is_the_benchmarks_own(choices: list[str], name: str, seed: int, repeat: int) -> None:
    """Without shuffle, in every repeat."""
    assert order(task(False, seed), item(choices, name, repeat), 0) == tuple(range(len(choices)))


@few
@given(texts, st.booleans(), st.integers(0, 5), st.booleans(), st.integers(0, 3))
def test_over_k_orders_each_free_option_stands_everywhere_once(
    choices: list[str], shuffle: bool, block: int, pinned: bool, seed: int
) -> None:
    """A Latin square in each block of as many orders as there are free options; the pinned one stays last throughout."""
    whole = [*choices, "All of the above"] if pinned else choices
    k = len(choices)

    rows = [order(task(shuffle, seed), item(whole), n) for n in range(block * k, (block + 1) * k)]

    for place in range(k):
        assert sorted(row[place] for row in rows) == list(range(k))
    assert all(row[k:] == ((k,) if pinned else ()) for row in rows)


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("at", [0, 2, 3])
def test_what_speaks_of_the_others_stays_behind_them(last: str, at: int) -> None:
    """Wherever the benchmark has it, in every order but the benchmark's own it is last."""
    choices = ["red", "green", "blue"]
    choices.insert(at, last)
    found = [order(task(True, seed), item(choices), n) for seed in range(5) for n in range(4)]
    found += [order(task(False), item(choices), n) for n in range(1, 9)]

    assert {row[-1] for row in found} == {at}
    assert len(set(found)) > 1


@pytest.mark.parametrize("text", NAMES_LETTERS)
def test_a_question_whose_option_names_letters_keeps_its_order(text: str) -> None:
    """Moved options would make it say something else."""
    choices = ["red", "green", "blue", text]

    assert names_letters(choice_question("q", 0, choices).options)
    assert {order(task(True, seed), item(choices), n) for seed in range(5) for n in range(9)} == {(0, 1, 2, 3)}


@pytest.mark.parametrize("text", FREE)
def test_an_option_that_stands_for_itself_moves(text: str) -> None:
    """Words that look like those are no reason to leave a question as it is, nor to keep an option last."""
    choices = ["red", "green", "blue", text]
    places = {order(task(True, seed), item(choices), n).index(3) for seed in range(5) for n in range(4)}

    assert places == {0, 1, 2, 3}


def test_letters_beyond_the_options_are_no_labels() -> None:
    """`X and Y` of a question of four options names no option."""
    assert not names_letters(choice_question("q", 0, ["1", "2", "X and Y", "E and F"]).options)
    assert names_letters(choice_question("q", 0, ["1", "2", "3", "4", "E and F", "6"]).options)


@few
@given(texts, names, st.integers(0, 2**31), st.integers(0, 9))
def test_the_same_seed_gives_the_same_order(choices: list[str], name: str, seed: int, n: int) -> None:
    """By seed, question, repeat and number of the prompt alone: not by the model, the other questions, or what came before."""
    first = order(task(True, seed), item(choices, name), n)
    order(task(True, seed), item(["a", "b"], "another"), n)
    question = choice_question(name, 1, choices, difficulty="hard")
    other = replace(question, id=f"two/{name}", queue="two", q_index=7, doc_id=name)

    assert order(task(True, seed), item(choices, name), n) == first
    assert order(task(True, seed), other, n) == first


@pytest.mark.parametrize("vary", ["seed", "question", "repeat"])
def test_other_seeds_questions_and_repeats_bring_other_orders(vary: str) -> None:
    """Over 200 of them every place holds every option about equally often: between 25 and 75 times of the 50 expected."""
    choices = ["red", "green", "blue", "grey"]
    found = []
    for n in range(200):
        changed: dict[str, Any] = {"seed": n} if vary == "seed" else {}
        asked = item(choices, f"q{n}" if vary == "question" else "q", n if vary == "repeat" else 0)
        found.append(order(task(True, **changed), asked, 0))

    counts = [sum(row[place] == option for row in found) for place in range(4) for option in range(4)]

    assert min(counts) >= 25 and max(counts) <= 75
    assert len(set(found)) == 24


def test_the_order_of_a_question_does_not_depend_on_what_else_is_asked(tmp_path: Path) -> None:
    """With a filter, other models or --only a question is shown as in the whole run."""
    many = [entry(f"q{n}", n % 4) for n in range(6)]
    loads: list[dict[str, Any]] = [
        {},
        {"choice": 'shuffle = true\nfilter = { ids = ["q3", "q5"] }'},
        {"names": ("two",)},
        {"only": ["q3"]},
    ]
    found = []
    for given_parts in loads:
        parts = {"choice": "shuffle = true", **given_parts}
        rows = drive(load_choice(tmp_path, many, **parts), lambda call: ended(call, "A"))
        found.append({row.sample.doc_id: shown(row.replies[0].call) for row in rows})

    assert len({tuple(orders["q3"]) for orders in found}) == 1
    assert found[0]["q5"] == found[1]["q5"]


# ---------------------------------------------------------------------------------------------------- read back by option

settings_of_a_run = st.tuples(st.booleans(), st.integers(1, 6), st.integers(0, 99))
benchmarks = st.lists(
    st.tuples(st.integers(2, 6), st.integers(0, 5), st.sampled_from(["", "All of the above", "A and B"])),
    min_size=1,
    max_size=4,
)


def bench(shapes: Sequence[tuple[int, int, str]]) -> list[dict[str, Any]]:
    """Questions of these shapes: number of options, which is right, and what the last one says."""
    found = []
    for n, (size, key, last) in enumerate(shapes):
        choices = [f"thing number {n * 10 + i}" for i in range(size)]
        if last:
            choices[-1] = last
        found.append(entry(f"q{n}", key % size, choices))
    return found


@few
@given(benchmarks, settings_of_a_run, st.sampled_from(["letter", "sentence", "text"]))
def test_whoever_picks_the_right_option_is_right_in_every_order(
    tmp_path_factory: pytest.TempPathFactory, shapes: list[tuple[int, int, str]], how: tuple[bool, int, int], style: str
) -> None:
    """By its letter, in a sentence, or by its text: every score is 1, and read by the benchmark's letters."""
    entries = bench(shapes)
    assume(style != "text" or not any(last for _, _, last in shapes))
    shuffle, permutations, seed = how
    loaded = load_choice(
        tmp_path_factory.mktemp("w"),
        entries,
        names=("one",),
        choice=f"shuffle = {str(shuffle).lower()}\npermutations = {permutations}",
        run=f"seed = {seed}\nrepeat = 2",
    )
    keys = {found["id"]: found["answer_index"] for found in entries}
    right = {found["id"]: found["choices"][found["answer_index"]] for found in entries}

    def knows(call: Call) -> Reply:
        name = call.item_id.removeprefix("one/").split("#")[0]
        letter = LETTERS[shown(call).index(right[name])]
        return ended(call, {"letter": letter, "sentence": f"The answer is {letter}.", "text": right[name]}[style])

    scores = [(row.sample.doc_id, score) for row in drive(loaded, knows) for score in row.scores]

    assert {score.value for _, score in scores} == {1}
    assert all(score.read == LETTERS[keys[name]] for name, score in scores)


@few
@given(benchmarks, settings_of_a_run)
def test_whoever_always_says_a_is_right_just_where_the_key_stands_first(
    tmp_path_factory: pytest.TempPathFactory, shapes: list[tuple[int, int, str]], how: tuple[bool, int, int]
) -> None:
    """No more and no less: the letter means what stood behind it."""
    entries = bench(shapes)
    shuffle, permutations, seed = how
    loaded = load_choice(
        tmp_path_factory.mktemp("w"),
        entries,
        names=("one",),
        choice=f"shuffle = {str(shuffle).lower()}\npermutations = {permutations}",
        run=f"seed = {seed}",
    )
    right = {found["id"]: found["choices"][found["answer_index"]] for found in entries}

    for row in drive(loaded, lambda call: ended(call, "A")):
        first = [shown(reply.call)[0] for reply in row.replies]
        assert [score.value for score in row.scores] == [int(text == right[row.sample.doc_id]) for text in first]


def test_always_a_in_four_orders_is_right_once_in_four(tmp_path: Path) -> None:
    """And never twice the same option: what the orders are for. One who knows is consistent, and lean towards no letter."""
    entries = [entry(f"q{n}", n % 4, [f"thing {n}{i}" for i in range(4)]) for n in range(8)]
    loaded = load_choice(tmp_path, entries, choice="permutations = 4")
    right = {found["id"]: found["choices"][found["answer_index"]] for found in entries}
    reporter = loaded.evaluation.reporter()

    def answer(call: Call) -> Reply:
        name = call.item_id.removeprefix(f"{call.model}/")
        return ended(call, "A" if call.model == "one" else LETTERS[shown(call).index(right[name])])

    for row in drive(loaded, answer):
        reporter.add(row)
    summary = reporter
    rates = [summary.rate(sheet) for sheet in summary.sheets]
    places = [summary.biases[name].position for name in ("two", "one")]

    assert [sheet.label for sheet in summary.sheets] == ["two", "one"] and [a.value for a in rates] == [1.0, 0.25]
    assert [row["n_same"] for row in repeated(summary)] == [8, 0]
    assert [(row["n_items"], row["k"], row["pass_at_k"], row["pass_hat_k"]) for row in repeated(summary)] == [
        (8, 4, 1.0, 1.0), (8, 4, 1.0, 0.0),
    ]  # fmt: skip
    assert [place.chosen_share for place in places] == [(0.25, 0.25, 0.25, 0.25), (1.0, 0.0, 0.0, 0.0)]
    assert [place.level for place in places] == ["low", "high"]
    assert [(a.n, a.scored) for a in rates] == [(8, 32), (8, 32)]


def repeated(summary: SheetReport) -> Sequence[dict[str, Any]]:
    """What several replies to a question have in common, a row for each model."""
    return table_rows(summary.tables()["consistency"]) if "consistency" in summary.tables() else []


def test_consistency_is_by_content_and_over_questions_with_several_replies() -> None:
    """A question with one reply left has nothing to agree with; replies without a letter agree in nothing."""
    (found,) = repeated(report_on("AAAAA", {"one": "AA AB BB ?? A."}))

    assert (found["n_items"], found["n_same"], found["consistency"]) == (4, 2, 0.5)
    assert (found["k"], found["pass_at_k"], found["pass_hat_k"]) == (2, 0.5, 0.25)
    assert not repeated(report_on("AA", {"one": "AB"}))


# ---------------------------------------------------------------------------------------------------- imported answers


@pytest.mark.parametrize("setting", ["choice.shuffle=true", "choice.permutations=3", "run.repeat=2"])
def test_imported_answers_are_not_put_into_another_order(tmp_path: Path, setting: str) -> None:
    """A table has one answer per question, to the benchmark's own order: another order misreads it, a repeat counts twice."""
    answers = [{"question_id": f"q{n}", "model": "one", "raw_response": "A"} for n in range(1, 5)]

    with pytest.raises(ConfigError, match=setting.split("=")[0]):
        imported(tmp_path, "answers", answers, settings=[setting])
