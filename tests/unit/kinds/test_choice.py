"""Laws of a multiple-choice run: what a config may say, what is asked, and what each kind of reply is worth."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from choices import answer_of as answered_by
from choices import choice_question, config_text, drive, ended, entry, items, load_choice, question_of, refused, report_of
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.kinds.choice.option_orders import order
from tui_eval.kinds.choice.sheets import PlacedAnswers, Sheet
from tui_eval.results.sums.means import Estimate

# ---------------------------------------------------------------------------------------------------- config

WRONG = {
    "unknown difficulty": (
        'filter = { difficulty = ["eazy"] }',
        ["choice.filter.difficulty", "'eazy'", "did you mean 'easy'?"],
    ),
    "unknown domain": ('filter = { domain = ["Paritty"] }', ["choice.filter.domain", "'Paritty'", "did you mean 'Parity'?"]),
    "unknown id": ('filter = { ids = ["q1", "q9"] }', ["choice.filter.ids", "'q9'", "known are q1, q2, q3, q4"]),
    "no question is left": (
        'filter = { difficulty = ["easy"], domain = ["Parity"] }',
        ["choice.filter", "none of the 4 questions is left"],
    ),
    "the first none": ("filter = { first = 0 }", ["choice.filter.first", "1"]),
    "unknown filter": ('filter = { topic = ["Truth"] }', ["choice.filter.topic"]),
    "no orders": ("permutations = 0", ["choice.permutations", "1"]),
    "too many orders": ("permutations = 101", ["choice.permutations", "100"]),
    "misspelt rule": ('extraction = "formationeval-v1.0"', ["choice.extraction", "robust", "formationeval-v0.1"]),
    "misspelt key": ("permutation = 3", ["choice.permutation", "did you mean 'permutations'?"]),
    "too hot": ("temperature = 2.5", ["choice.temperature", "2"]),
}


@pytest.mark.parametrize(("line", "said"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_setting_is_told_with_file_line_and_key(tmp_path: Path, line: str, said: list[str]) -> None:
    """One line names the config, the line the setting stands on, its key, and what would do."""
    text = config_text(choice=line)
    number = text.split("\n").index(line) + 1

    found = refused(tmp_path, text=text)

    assert found.startswith(f"{tmp_path / 'choice.toml'}:{number}: ")
    assert [part for part in said if part not in found] == []
    assert "\n" not in found


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ('["one", "one"]', ["choice.models: 'one' is named twice", "repeat = N"]),
        ('["one", "twoo"]', ["no model named 'twoo'; did you mean 'two'?"]),
        ("[]", ["choice.models"]),
    ],
)
def test_the_models_are_names_of_models_each_once(tmp_path: Path, models: str, said: list[str]) -> None:
    """A model that is named twice, that is not there, or none at all: refused, with the place."""
    text = config_text().replace('models = ["one", "two"]', f"models = {models}")

    found = refused(tmp_path, text=text)

    assert found.startswith(f"{tmp_path / 'choice.toml'}:")
    assert [part for part in said if part not in found] == []


def test_a_model_asked_for_on_the_command_line_is_one_of_the_configs(tmp_path: Path) -> None:
    """--models takes some of them; another name is refused with the nearest."""
    assert "--models twoo: choice asks no model of that name; did you mean 'two'?" in refused(tmp_path, models=["twoo"])
    assert {item.queue for item in items(load_choice(tmp_path, models=["two"]))} == {"two"}


def test_a_recorded_model_needs_answers(tmp_path: Path) -> None:
    """Nothing can be sent to it: without a table of answers it is refused, with the command that makes such runs."""
    found = refused(tmp_path, text=config_text().replace('wire = "simulator"', 'wire = "recorded"', 1))

    assert "choice.toml:" in found and "models[0].wire" in found and "import" in found


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"


@pytest.mark.parametrize(
    ("files", "pattern", "said"),
    [
        ({}, "gone.json", ["choice.benchmark", "gone.json", "cannot be read"]),
        ({"a.json": b"[]", "b.json": b"[]"}, "[ab].json", ["choice.benchmark", "must name one file", "2"]),
        ({}, "x*.json", ["choice.benchmark", "nothing matches", "x*.json"]),
        ({"a.json": b"[\xff]"}, "a.json", ["choice.benchmark", "a.json", "UTF-8"]),
        ({"a.json": POINTER}, "a.json", ["a.json:1", "Git LFS pointer", "git lfs pull"]),
        ({"a.json": b""}, "a.json", ["a.json", "empty"]),
        ({"a.json": b"[]"}, "a.json", ["a.json", "no questions"]),
        ({"a.json": b"hello"}, "a.json", ["a.json:1", "not recognised"]),
        ({}, "", ["choice.benchmark", "an empty path"]),
        ({}, ".", ["choice.benchmark", "not a regular file"]),
    ],
)
def test_the_benchmark_is_one_readable_file(tmp_path: Path, files: dict[str, bytes], pattern: str, said: list[str]) -> None:
    """Missing, several, no UTF-8, a pointer to the data, empty or no benchmark: told by config and file."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    text = config_text().replace('benchmark = "bench.json"', f'benchmark = "{pattern}"')

    found = refused(tmp_path, text=text)

    assert str(tmp_path / "choice.toml") in found
    assert [part for part in said if part not in found] == []


# ---------------------------------------------------------------------------------------------------- what is asked


def asked_ids(loaded: Loaded) -> list[str]:
    """The questions of the first model, in order."""
    return [item.doc_id for item in items(loaded) if item.queue == "one"]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("", "q1 q2 q3 q4"),
        ("filter = {}", "q1 q2 q3 q4"),
        ('filter = { difficulty = ["hard"] }', "q3 q4"),
        ('filter = { difficulty = ["hard", "easy"] }', "q1 q3 q4"),
        ('filter = { domain = ["Parity"] }', "q2 q3"),
        ('filter = { domain = ["Parity", "Numbers"] }', "q1 q2 q3"),
        ('filter = { domain = ["Parity"], difficulty = ["hard"] }', "q3"),
        ('filter = { ids = ["q4", "q1"] }', "q1 q4"),
        ('filter = { ids = ["q4", "q1", "q2"], difficulty = ["hard", "medium"] }', "q2 q4"),
        ("filter = { first = 2 }", "q1 q2"),
        ("filter = { first = 99 }", "q1 q2 q3 q4"),
        ('filter = { difficulty = ["hard"], first = 1 }', "q3"),
        ('filter = { domain = ["Parity"], ids = ["q3", "q4"], first = 5 }', "q3"),
    ],
)
def test_filters_hold_together_and_the_first_n_come_last(tmp_path: Path, choice: str, expected: str) -> None:
    """Values of one filter are alternatives, filters hold together, `first` takes what the others leave; no filter asks all."""
    loaded = load_choice(tmp_path, choice=choice)

    assert asked_ids(loaded) == expected.split()
    assert loaded.plan["total_calls"] == 2 * len(expected.split())


def test_every_question_is_asked_of_every_model(tmp_path: Path) -> None:
    """By a plain product: questions x models x permutations x repeat."""
    loaded = load_choice(tmp_path, names=("one", "two", "three"), choice="permutations = 3", run="repeat = 2")

    asked = Counter((reply.call.model, question_of(reply.call)) for row in drive(loaded, one_letter) for reply in row.replies)

    assert set(asked.values()) == {6}
    assert len(asked) == 12
    assert asked.total() == loaded.plan["total_calls"] == 72


def one_letter(call: Call) -> Reply:
    """The letter A."""
    return ended(call, "A")


def test_only_a_question_asks_it_of_every_model(tmp_path: Path) -> None:
    """--only takes a question's id, or an item's for one model; another is refused with the nearest."""
    both = load_choice(tmp_path, only=["q3"])
    one = load_choice(tmp_path, only=["two/q3"])

    assert [(item.queue, item.doc_id) for item in items(both)] == [("one", "q3"), ("two", "q3")]
    assert [(item.queue, item.doc_id) for item in items(one)] == [("two", "q3")]
    assert both.plan["total_calls"] == 2 and one.plan["total_calls"] == 1
    assert "--only: run.only: no such sample 'two/q33'; did you mean 'two/q3'?" in refused(tmp_path, only=["two/q33"])


def test_a_prompt_shows_the_question_and_its_options_and_never_the_key(tmp_path: Path) -> None:
    """Lettered options, the letters that may be answered, and the same prompt whatever the key is."""
    prompts = []
    for answer in (0, 3):
        loaded = load_choice(tmp_path / str(answer), [entry("q1", answer)])
        prompts.append([(m.role, m.content) for m in drive(loaded, one_letter)[0].replies[0].call.messages])

    assert prompts[0] == prompts[1]
    assert [role for role, _ in prompts[0]] == ["system", "user"]
    assert "A, B, C or D" in prompts[0][0][1]
    assert "What is q1?\n\nA) north\nB) east\nC) south\nD) west" in prompts[0][1][1]
    assert prompts[0][1][1].endswith("Answer:")


def test_slots_in_questions_are_not_filled(tmp_path: Path) -> None:
    """A question that holds the name of a slot is asked as it is."""
    loaded = load_choice(tmp_path, [entry("q1", question="What is {options}?", choices=["{question}", "{letters}"])])

    text = drive(loaded, one_letter)[0].replies[0].call.messages[-1].content

    assert "What is {options}?" in text and "A) {question}\nB) {letters}" in text


@pytest.mark.parametrize(
    ("choice", "more", "expected"),
    [
        ("", "", 0.0),
        ("temperature = 0.3", "", 0.3),
        ("temperature = 0.3", "temperature = 0.9", 0.9),
        ("use_temperature = false", "temperature = 0.9", None),
    ],
)
def test_the_temperature_is_zero_unless_told_otherwise(tmp_path: Path, choice: str, more: str, expected: float | None) -> None:
    """The model's own, else the run's, else 0; none at all where it is not to be sent."""
    loaded = load_choice(tmp_path, choice=choice, more=more)

    assert {reply.call.temperature for row in drive(loaded, one_letter) for reply in row.replies} == {expected}


def test_the_defaults_are_the_specifications(tmp_path: Path) -> None:
    """Concurrency 20, 30 seconds, no token limit, replies kept over runs."""
    loaded = load_choice(tmp_path)
    call = drive(loaded, one_letter)[0].replies[0].call

    assert (loaded.run.max_concurrency, loaded.run.timeout_s, loaded.run.cache) == (20, 30.0, True)
    assert (call.timeout_s, call.max_output_tokens) == (30.0, None)


# ---------------------------------------------------------------------------------------------------- scores

OUTCOMES: dict[str, tuple[dict[str, Any], float | None, str]] = {
    "right": ({"text": "B"}, 1, ""),
    "right, in a sentence": ({"text": "The answer is B"}, 1, ""),
    "wrong": ({"text": "C"}, 0, ""),
    "no letter": ({"text": "See the explanation above"}, 0, "no_letter"),
    "a letter out of range": ({"text": "E"}, 0, "no_letter"),
    "ambiguous": ({"text": "Both A and C could be correct"}, 0, "ambiguous"),
    "refusal in words": ({"text": "I'm sorry, but I can't help with that."}, 0, "refusal"),
    "an open thought": ({"text": "<think>B or C, let me see"}, 0, "truncated_reasoning"),
    "a reply of white space": ({"text": " \n\t"}, 0, "empty"),
    "refused by the API": ({"status": "error", "error_kind": "refused"}, 0, "refusal"),
    "empty": ({"status": "error", "error_kind": "empty"}, 0, "empty"),
    "cut before any text": ({"status": "error", "error_kind": "truncated"}, 0, "truncated"),
    "cut, no letter yet": ({"text": "Let us look at the options", "finish_reason": "length"}, 0, "truncated"),
    "cut, undecided": ({"text": "It may be A or C", "finish_reason": "length"}, 0, "truncated"),
    "cut after the letter": ({"text": "Answer: B. The reason is th", "finish_reason": "length"}, 1, ""),
    "timeout": ({"status": "timeout"}, None, "no reply: timeout"),
    "over budget": ({"status": "skipped_budget"}, None, "no reply: skipped_budget"),
    **{
        kind: ({"status": "error", "error_kind": kind}, None, f"no reply: {kind}")
        for kind in ("transient", "rate_limit", "permanent", "protocol", "cancelled", "not_sent", "internal")
    },
}


@pytest.mark.parametrize(("reply", "value", "why"), OUTCOMES.values(), ids=list(OUTCOMES))
def test_what_each_end_of_a_call_is_worth(tmp_path: Path, reply: dict[str, Any], value: float | None, why: str) -> None:
    """A reply is right or wrong, and wrong without a letter says why; no reply is no value, and says why."""
    loaded = load_choice(tmp_path, [entry("q2", 1)], names=("one",))

    scores = drive(loaded, lambda call: Reply(call, **{"status": "ok", **reply}))[0].scores

    assert [(score.value, score.why) for score in scores] == [(value, why)]
    assert (scores[0].read is None) == bool(why)
    assert scores[0].version == "robust/3"


def test_a_score_names_the_rule_that_read_it(tmp_path: Path) -> None:
    """The literal rule reads another letter from the same reply, and says so."""
    robust = load_choice(tmp_path, [entry("q2", 2)], names=("one",))
    literal = load_choice(tmp_path, names=("one",), choice='extraction = "formationeval-v0.1"')

    found = [
        (score.version, score.read, score.value)
        for loaded in (robust, literal)
        for score in drive(loaded, lambda call: ended(call, "Answer: C"))[0].scores
    ]

    assert found == [("robust/3", "C", 1), ("formationeval-v0.1/1", "A", 0)]


# ---------------------------------------------------------------------------------------------------- the headline

marks = st.lists(st.text(st.sampled_from("AABCD?!."), min_size=0, max_size=3), min_size=1, max_size=12)


def counted(words: list[str], extra: str = "") -> Estimate:
    """What a sheet of these marks comes to, over as many questions whose key is A."""
    questions = [choice_question(f"q{i}") for i in range(len(words))]
    answers = {n: tuple(answered_by(questions[n], mark) for mark in word + extra) for n, word in enumerate(words)}
    report = report_of([Sheet("one", answers=PlacedAnswers(answers))], questions)
    return report.rate(report.sheets[0])


@few
@given(marks)
def test_the_headline_is_over_replies_between_its_bounds(words: list[str]) -> None:
    """The mean over questions of right / replied; strict <= accuracy <= best case; and the counts add up."""
    found = counted(words)
    whole = "".join(words)

    assert (found.asked, found.missing, found.right) == (len(whole), whole.count("."), whole.count("A"))
    assert found.asked == found.scored + found.missing
    shares = [word.count("A") / n for word in words if (n := len(word) - word.count("."))]
    if found.value is None:
        assert found.scored == 0 == len(shares) and found.low is None and found.high is None
    else:
        assert found.value == pytest.approx(sum(shares) / len(shares)) and found.n == len(shares)
        assert found.strict is not None and found.best_case is not None and found.low is not None and found.high is not None
        assert found.strict - 1e-12 <= found.value <= found.best_case + 1e-12
        assert found.low - 1e-12 <= found.value <= found.high + 1e-12


@few
@given(marks, st.integers(1, 3))
def test_a_missing_reply_never_changes_the_headline(words: list[str], n: int) -> None:
    """Nor its interval; it only widens the bounds."""
    before, after = counted(words), counted(words, "." * n)

    assert (after.value, after.low, after.high, after.scored) == (before.value, before.low, before.high, before.scored)
    assert after.missing == before.missing + n * len(words)
    if before.strict is not None and before.best_case is not None:
        assert after.strict is not None and after.best_case is not None
        assert after.strict <= before.strict and after.best_case >= before.best_case


@few
@given(marks, st.randoms(use_true_random=False))
def test_the_order_of_questions_changes_no_number(words: list[str], random: Any) -> None:
    """The same marks in another order of questions come to the same accuracy."""
    mixed = list(words)
    random.shuffle(mixed)

    assert counted(mixed) == counted(words)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("A", "A"),
        ("The answer is B, since the tide", "B"),
        ("C) because", "C"),
        ("Let me consider each option. Option B says the tide", None),
        ("The moon is far, so east", None),
    ],
)
def test_a_cut_reply_counts_only_where_it_declares_a_letter(tmp_path: Path, text: str, letter: str | None) -> None:
    """What an unfinished sentence happens to end in is no answer."""
    loaded = load_choice(tmp_path, [entry("q1", 0)], names=("one",))
    evaluation = loaded.evaluation
    item = next(iter(evaluation.samples()))

    row = evaluation.driven(item, lambda call: Reply(call, "ok", text=text, finish_reason="length"))

    assert row.scores[0].read == letter
    assert letter or row.scores[0].why == "truncated"


@pytest.mark.parametrize(
    ("option", "stays"),
    [
        ("All of the above", True),
        ("None of these options is correct", True),
        ("Both of the above are true.", True),
        ("Neither of the others", True),
        ("All of these reactions release heat because of entropy", False),
        ("Neither of these two laws holds at that scale", False),
        ("Each of the following layers is thinner", False),
        ("Some other process", False),
    ],
)
def test_only_options_that_speak_of_the_others_stay_last(tmp_path: Path, option: str, stays: bool) -> None:
    """An ordinary option that begins in such words is moved like any other."""
    choices = ["one", "two", "three", option]
    record_ = {**entry("q1", 0), "choices": choices}
    loaded = load_choice(tmp_path, [record_], names=("one",), choice="permutations = 4")
    evaluation = loaded.evaluation
    item = next(iter(evaluation.samples()))

    places = {order(evaluation.task, item, n).index(3) for n in range(4)}

    assert (places == {3}) is stays
