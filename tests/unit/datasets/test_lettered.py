"""Laws of benchmark files: what is meant is what is read, and what could mean two things is refused by place and field."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHARED, any_text, few
from soaking import quick_first

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, calc_required_of, difficulty_of, groups_named
from tui_eval.datasets.lettered.imported_answers import ImportedAnswer, read_answers
from tui_eval.datasets.lettered.lettered_questions import ChoiceBenchmark, read_benchmark

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TWO = (Sample("q0001", "What is one?", ("1.0", "two"), 0), Sample("q0002", "What, now?", ("x", "y", "z"), 2))
"""Two questions without ids, one with a comma in it, with different numbers of options."""


def shared(path: str) -> str:
    """A file of the shared data as it is, line ends included; skip where it is not on this machine."""
    file = SHARED / "data" / path
    if not file.is_file():
        pytest.skip("the shared data are not on this machine")
    return file.read_bytes().decode("utf-8")


def read(text: str) -> tuple[Sample, ...]:
    """The questions of a text."""
    return read_benchmark(text, "bench.txt").questions


def refusal(text: str, reader: Callable[[str, str], object] = read_benchmark) -> str:
    """What is said about a text that is not usable."""
    with pytest.raises(ConfigError) as caught:
        reader(text, "bench.txt")
    return str(caught.value)


def one(**fields: Any) -> str:
    """A benchmark of one question as a JSON list, with changes; None takes a field away."""
    item = {"question": "Which?", "choices": ["one", "two", "three"], "answer": "B", **fields}
    return json.dumps([{key: value for key, value in item.items() if value is not None}])


def table(rows: list[list[str]], separator: str = ",") -> str:
    """Rows as a CSV text."""
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator).writerows(rows)
    return written.getvalue()


# Files people have


@pytest.mark.parametrize(
    ("path", "name", "count", "first", "last"),
    [
        ("formationeval/benchmark.json", "formationeval_v0.1", 505, (4, 3), (4, 1)),
        ("datasets/bbh_date_understanding.json", "bbh_date_understanding", 250, (6, 1), (6, 5)),
        ("datasets/inspect_test_samples-mcq.csv", "inspect_test_samples-mcq", 1, (10, 0), (10, 0)),
        ("datasets/mmlu_anatomy_test.csv", "mmlu_anatomy_test", 135, (4, 0), (4, 3)),
        ("datasets/mmlu_anatomy_test_ABCD_header.csv", "mmlu_anatomy_test_ABCD_header", 135, (4, 0), (4, 3)),
        ("datasets/openbookqa.jsonl", "openbookqa", 500, (4, 1), (4, 2)),
    ],
)
def test_real_benchmarks_are_read(path: str, name: str, count: int, first: tuple[int, int], last: tuple[int, int]) -> None:
    """Every question of the file, and the first and the last with their options and answers."""
    found = read_benchmark(shared(path), Path(path).name)

    assert (found.name, len(found.questions)) == (name, count)
    ends = [(len(question.options), question.answer) for question in (found.questions[0], found.questions[-1])]
    assert ends == [first, last]


def test_the_fields_of_a_real_benchmark_arrive() -> None:
    """Id, domains, topics, difficulty and the flag inside the metadata."""
    question = read_benchmark(shared("formationeval/benchmark.json"), "benchmark.json").questions[0]

    assert question.id == "formationeval_v0.1_petrophysics_logging_principles_001"
    assert question.answer_text.startswith("It provided a continuous record")
    assert (question.group(DOMAIN), question.group(TOPIC)) == (
        ("Petrophysics", "Petroleum Geology"),
        ("Well Logging History", "Measurement Principles"),
    )
    assert (difficulty_of(question), calc_required_of(question)) == ("easy", False)


def test_options_are_taken_out_of_a_real_text() -> None:
    """The question ends where its options begin."""
    question = read_benchmark(shared("datasets/bbh_date_understanding.json"), "b.json").questions[0]

    assert question.question == "Today is Christmas Eve of 1937. What is the date tomorrow in MM/DD/YYYY?"
    assert question.answer_text == "12/25/1937"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("SOURCE.txt", r":1: not recognised"),
        ("TruthfulQA.csv", r":2: no options: .*Correct Answers"),
        ("evals_chess_match_LFS_POINTER.jsonl", r":1: a Git LFS pointer, not the data itself; run `git lfs pull`"),
        ("evals_logic-riddles.jsonl", r":1: no options: .*input, ideal"),
        ("gsm8k_test.jsonl", r":1: no options: .*question, answer"),
        ("inspect_biology_qa.jsonl", r":1: no options"),
        ("mt_bench_question.jsonl", r":1: no options: .*turns"),
    ],
)
def test_real_files_that_are_no_such_benchmarks_are_refused_with_the_reason(path: str, said: str) -> None:
    """A person learns which file it is, what it lacks and what it has instead."""
    text = shared(f"datasets/{path}")

    with pytest.raises(ConfigError, match=re.escape(path) + said):
        read_benchmark(text, path)


def test_real_answers_are_read_as_they_are() -> None:
    """All 6,060 with their line ends, 150 of them cut, 15 of them without a letter."""
    text = shared("formationeval/answers.csv")
    found = read_answers(text, "answers.csv")

    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [answer.raw_response for answer in found] == [row["raw_response"] for row in rows]
    assert [answer.letter or "" for answer in found] == [row["published_letter"] for row in rows]
    assert (len(found), sum(answer.truncated for answer in found), sum(answer.letter is None for answer in found)) == (
        6060,
        150,
        15,
    )
    assert (found[0].model, found[0].pattern, found[0].row) == ("gpt-4o", "first_char", 2)


# One benchmark in every format

FORMATS = {
    "list": '[{"question": "What is one?", "choices": [1.0, "two"], "answer": 0}, '
    '{"question": "What, now?", "choices": ["x", "y", "z"], "answer": 2}]',
    "object with data": '{"note": "x", "data": [{"Question": "What is one?", "Options": ["1.0", "two"], "answer": "(A)"},'
    ' {"prompt": "What, now?", "choices": ["x", "y", "z"], "gold": "z"}]}',
    "MMLU-Pro": '[{"question": "What is one?", "options": ["1.0", "two"], "answer": "A", "answer_index": 0},\n'
    '{"question": "What, now?", "options": ["x", "y", "z"], "answer": "C", "answer_index": 2}]',
    "JSONL": '\ufeff{"input": "What is one?", "choices": ["1.0", "two"], "target": "A"}\r\n\r\n'
    '{"input": "What, now?", "choices": ["x", "y", "z"], "target": "z"}\r\n',
    "ARC": '{"question": "What is one?", "choices": {"text": ["1.0", "two"], "label": ["1", "2"]}, "answerKey": "1"}\n'
    '{"question": "What, now?", "choices": {"text": ["x", "y", "z"], "label": ["A", "B", "C"]}, "answerKey": "C"}\n',
    "OpenBookQA": '{"question": {"stem": "What is one?", "choices": [{"text": "1.0", "label": "A"},'
    ' {"text": "two", "label": "B"}]}, "answerKey": "A"}\n'
    '{"question": {"stem": "What, now?", "choices": [{"text": "x", "label": "A"}, {"text": "y", "label": "B"},'
    ' {"text": "z", "label": "C"}]}, "answerKey": "C"}',
    "options by letter": '{"question": "What is one?", "options": {"B": "two", "A": "1.0"}, "label": 0}\n'
    '{"question": "What, now?", "options": {"A": "x", "B": "y", "C": "z"}, "correct_answer": "c"}',
    "letters as fields": '{"question": "What is one?", "A": "1.0", "B": "two", "C": null, "answer": "A"}\n'
    '{"question": "What, now?", "A": "x", "B": "y", "C": "z", "answer": "C"}',
    "BIG-Bench Hard": json.dumps(
        {
            "canary": "x",
            "examples": [
                {"input": "What is one?\nOptions:\n(A) 1.0\n(B) two", "target": "(A)"},
                {"input": "What, now?\nOptions:\n- x\n- y\n- z", "target": "z"},
            ],
        }
    ),
    "MMLU without a header": 'What is one?,1.0,two,,A\r\n"What, now?",x,y,z,C\r\n',
    "MMLU with choice0": 'question,choice0,choice1,choice2,answer\nWhat is one?,1.0,two,,0\n"What, now?",x,y,z,2\n',
    "MMLU with letters": 'question,A,B,C,answer\nWhat is one?,1.0,two,,0\n"What, now?",x,y,z,2\n',
    "choice_a": 'question,choice_a,choice_b,choice_c,correct_answer\nWhat is one?,1.0,two, ,A\n"What, now?",x,y,z,C\n',
    "option_a and semicolons": "\ufeffquestion;option_a;option_b;option_c;answer\n"
    "What is one?;1.0;two;;a\nWhat, now?;x;y;z;(C)\n",
    "option 1 and tabs": "question\toption 1\toption 2\toption 3\tanswer\n"
    "What is one?\t1.0\ttwo\t\t0\nWhat, now?\tx\ty\tz\t2\n",
    "lists in cells": 'question,choices,answer\nWhat is one?,"[1.0, ""two""]",0\n"What, now?","[""x"", ""y"", ""z""]",2\n',
    "inspect_ai": 'input,target,choices\n"What is one?",A,"1.0,two"\n"What, now?",C,"x, y, z"\n',
    "the question export": "question_text,choice_a,choice_b,choice_c,correct_answer,gpt-4o_answer,gpt-4o_correct,gpt-4o_raw\n"
    'What is one?,1.0,two,,A,B,false,"B\n"\n"What, now?",x,y,z,C,C,true,C\n',
}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
def test_every_format_says_the_same(text: str) -> None:
    """The same two questions, whatever they are written in."""
    assert read(text) == TWO


def test_one_question_may_stand_alone() -> None:
    """An object by itself is a benchmark of one question, on one line or on several."""
    item = {"id": 7, "question": "Which?", "choices": [True, False], "answer": True, "options": None}

    assert read(json.dumps(item)) == read(json.dumps(item, indent=1)) == (Sample("7", "Which?", ("true", "false"), 0),)


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp", "Cf")), max_size=8).map(
    lambda text: f"w{text}w".replace("Options", "")
)
plain_words = words.map(lambda word: re.sub(r"[;,\[\]{}]", "", word))


@st.composite
def questions(draw: st.DrawFn) -> Sample:
    """A question with 2 to 26 different options and everything else that a file can say."""
    choices = tuple(draw(st.lists(words, min_size=2, max_size=26, unique=True)))
    values = st.lists(plain_words, max_size=3, unique=True).map(tuple)
    return Sample(
        "",
        draw(st.lists(words, min_size=1, max_size=3).map("\n".join)),
        choices,
        draw(st.integers(0, len(choices) - 1)),
        groups=groups_named(draw(st.just("") | words), draw(values), draw(values), draw(st.none() | st.booleans())),
    )


benchmarks = st.lists(st.tuples(words, questions()), min_size=1, max_size=4, unique_by=lambda pair: pair[0]).map(
    lambda pairs: tuple(replace(question, id=name) for name, question in pairs)
)


def as_items(written: tuple[Sample, ...], choices: Callable[[Sample], object]) -> list[dict[str, object]]:
    """Questions as JSON objects, with options in the form that is asked for."""
    return [
        {
            "id": question.id,
            "question": question.question,
            "choices": choices(question),
            "answer_index": question.answer,
            "answer_key": question.letter,
            "difficulty": difficulty_of(question),
            "domains": question.group(DOMAIN),
            "topics": question.group(TOPIC),
            "metadata": {"calc_required": calc_required_of(question)},
        }
        for question in written
    ]


def as_rows(written: tuple[Sample, ...], names: list[str], answer: Callable[[Sample], str]) -> list[list[str]]:
    """Questions as rows below a header, with each option in a column of its own."""
    widest = max(len(question.options) for question in written)
    rows = [["id", "question", *names[:widest], "answer", "difficulty", "domains", "topics", "calc_required"]]
    for question in written:
        cells = [*question.options, *[""] * (widest - len(question.options))]
        flag = "" if calc_required_of(question) is None else str(calc_required_of(question))
        values = [";".join(question.group(DOMAIN)), ",".join(question.group(TOPIC)), flag]
        rows.append([question.id, question.question, *cells, answer(question), difficulty_of(question), *values])
    return rows


WRITERS: dict[str, Callable[[tuple[Sample, ...]], str]] = {
    "list": lambda q: json.dumps(as_items(q, lambda each: each.options), indent=1),
    "JSONL": lambda q: "\n".join(map(json.dumps, as_items(q, lambda each: each.options))),
    "JSONL as it is": lambda q: "\n".join(
        json.dumps(item, ensure_ascii=False) for item in as_items(q, lambda each: each.options)
    ),
    "by letter": lambda q: json.dumps({"items": as_items(q, lambda each: dict(zip(LETTERS, each.options, strict=False)))}),
    "two lists": lambda q: json.dumps(
        as_items(q, lambda each: {"text": each.options, "label": list(LETTERS[: len(each.options)])})
    ),
    "objects": lambda q: json.dumps(
        as_items(q, lambda each: [{"text": text, "label": f"{i + 1}."} for i, text in enumerate(each.options)])
    ),
    "letters": lambda q: table(as_rows(q, list(LETTERS), lambda each: each.letter)),
    "numbers": lambda q: table(as_rows(q, [f"choice{i}" for i in range(26)], lambda each: str(each.answer)), "\t"),
    "texts": lambda q: table(as_rows(q, [f"option_{i}" for i in LETTERS.lower()], lambda each: each.answer_text), ";"),
}


@pytest.mark.parametrize("writer", quick_first(WRITERS.values(), 2), ids=WRITERS.keys())
@few
@given(benchmarks)
def test_what_is_written_is_what_is_read(writer: Callable[[tuple[Sample, ...]], str], written: tuple[Sample, ...]) -> None:
    """Every field of every question comes back, whatever the format and the characters."""
    assert read(writer(written)) == written


# Answers


@pytest.mark.parametrize("answer", [1, "1", "B", "b", "(B)", "B.", "B)", " two ", "two"])
def test_an_answer_may_be_a_position_a_letter_or_the_text(answer: object) -> None:
    """All of these mean the second option."""
    assert read(one(answer=answer))[0].answer == 1


@pytest.mark.parametrize(
    "name", ["answer", "target", "answerKey", "answer_key", "answer_index", "correct", "correct_answer", "label", "gold"]
)
def test_an_answer_may_stand_under_many_names(name: str) -> None:
    """Each of them is enough."""
    assert read(one(**{"answer": None, name: "C"}))[0].answer == 2


@pytest.mark.parametrize(
    ("choices", "answer", "options"),
    [
        (["O", "A", "B"], "A", "A ('O') or option B ('A')"),
        (["x", "x", "y"], "x", "A ('x') or option B ('x')"),
        (["1", "0"], "0", "A"),
    ],
)
def test_an_answer_that_can_mean_two_options_is_refused(choices: list[str], answer: str, options: str) -> None:
    """A letter that is also another option's text, a text that two options have, digits that are both."""
    said = refusal(one(choices=choices, answer=answer))

    assert f"bench.txt: question 1: answer: {answer!r} is ambiguous, it may mean option {options}" in said


def test_a_second_field_settles_what_is_ambiguous() -> None:
    """A position beside a letter leaves one option."""
    assert read(one(choices=["O", "A", "B"], answer="A", answer_index=0))[0].answer == 0
    assert read(one(choices=["O", "A", "B"], answer="A", answer_index=1))[0].answer == 1
    assert read(one(choices=["O", "A", "B"], answer=None, answer_index=1, correct="A"))[0].answer == 1


def test_an_answer_may_be_the_name_of_its_column() -> None:
    """The column is the option's label."""
    assert read("question,option1,option2,answer\na?,x,y,option2\n")[0].answer == 1


def test_a_letter_that_is_its_own_option_is_no_riddle() -> None:
    """Both readings name the same option."""
    assert read(one(choices=["A", "B", "AB"], answer="B"))[0].answer == 1


def test_digits_mean_the_same_in_the_whole_file() -> None:
    """Positions where only positions fit every row, texts where only texts do."""
    positions = "question,A,B,C,answer\na?,0,1,3,1\nb?,2,0,5,1\nc?,7,8,9,2\n"
    texts = "question,A,B,C,answer\na?,0,1,3,1\nb?,2,0,5,2\nc?,7,8,9,7\n"

    assert [question.answer for question in read(positions)] == [1, 1, 2]
    assert [question.answer for question in read(texts)] == [1, 0, 0]


def test_numbers_beside_options_numbered_from_one_need_a_zero() -> None:
    """Nobody can tell whether 1 is the first or the second, unless a 0 stands somewhere."""
    head = "question,option1,option2,option3,answer\na?,x,y,z,1\n"

    assert "bench.txt: it is not clear which options the answers mean" in refusal(head)
    assert [question.answer for question in read(head + "b?,x,y,z,0\n")] == [1, 0]


# Other fields


def test_domains_and_topics_are_divided_only_where_the_name_is_plural() -> None:
    """At semicolons where there are any, else at commas; a singular name holds one value."""
    head = "question,A,B,answer,domains,topics,subject\n"
    found = read(head + 'a?,x,y,A,"P, with a comma; Q","R,S","T, U"\nb?,x,y,B,,,\n')

    assert (found[0].group(DOMAIN), found[0].group(TOPIC)) == (("P, with a comma", "Q", "T, U"), ("R", "S"))
    assert (found[1].group(DOMAIN), found[1].group(TOPIC)) == ((), ())


def test_numbers_in_texts_become_text() -> None:
    """As JSON writes them, a decimal point and zeros after it included."""
    text = one(id=12, choices=[12, True, 1.5], difficulty=3, domains="one", topic=["a", "b"]).replace("1.5", "1.50")

    assert read(text) == (Sample("12", "Which?", ("12", "true", "1.50"), 1, groups=groups_named("3", ("one",), ("a", "b"))),)


@pytest.mark.parametrize(("cell", "meant"), [("TRUE", True), ("no", False), ("1", True), ("0", False), ("", None)])
def test_flags_are_read_in_the_forms_people_write(cell: str, meant: bool | None) -> None:
    """In any case; an empty one says nothing."""
    assert calc_required_of(read(f"question,A,B,answer,calc_required\na?,x,y,A,{cell}\n")[0]) is meant


@pytest.mark.parametrize(("versions", "name"), [(["v1", "v1"], "v1"), (["v1", "v2"], "bench.v3"), (["v1", None], "bench.v3")])
def test_a_benchmark_is_named_by_its_common_version_or_its_file(versions: list[str | None], name: str) -> None:
    """One version for all questions, or else the file's name without its last suffix."""
    items = [{"question": "Which?", "choices": ["x", "y"], "answer": "A", "version": version} for version in versions]

    assert read_benchmark(json.dumps(items), "some/folder/bench.v3.json").name == name


# Refusals


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "bench.txt: is empty"),
        ("[]", "bench.txt: holds no questions"),
        ("question,A,B,answer\n", "bench.txt: holds no questions"),
        ("{}", "expected a list of questions"),
        ('{"data": [], "items": []}', "bench.txt: data, items are both lists"),
        ('[{"question": "a?"', "bench.txt: not JSON"),
        ('[{"question": NaN}]', "bench.txt: not usable JSON: NaN"),
        ("[" * 100_000, "bench.txt: not usable JSON: nested too deeply"),
        (f'[{{"answer": {"9" * 5000}}}]', "bench.txt: not usable JSON: a number of thousands of digits"),
        ('[{"answer": "A", "answer": "B"}]', "the key 'answer' appears twice"),
        (one(id="x", answer="E"), "bench.txt: question 1 (id x): answer: 'E' is neither a letter from A to C"),
        (one(answer=3), "question 1: answer: '3' is one too many: numbers count from 0, here to 2; letters (A to C) are safer"),
        (one(answer="3"), "question 1: answer: '3' is one too many: numbers count from 0"),
        (one(answer=-1), "question 1: answer: '-1' is not an option"),
        (one(answer=10**30), "question 1: answer: '1000"),
        (one(answer=["A"]), "question 1: answer: a list is neither"),
        (one(answer=None), "question 1: answer: no such field"),
        (one(answer=" "), "question 1: answer: answer is empty"),
        (one(answer_index=2, answer=None, answer_key="B"), "question 1: answer_index: 2 contradicts answer_key 'B'"),
        (one(question=" "), "question 1: question: question is empty"),
        (one(question=["a"]), "question 1: question: a list, not text"),
        (one(prompt="Other?"), "question 1: question: 'Which?' and prompt 'Other?' contradict each other"),
        (one(question="x" * 70 + "1", prompt="x" * 70 + "2"), "contradict each other"),
        (one(question="\ud800"), "question 1: question: '�' holds half a character"),
        (one(choices=["one"]), "question 1: choices: 1 option; a question has 2 to 26"),
        (one(choices=["one"] * 27), "question 1: choices: 27 options; a question has 2 to 26"),
        (one(choices=["one", " "]), "question 1: choices[1]: empty"),
        (one(choices=["one", None]), "question 1: choices[1]: null, not text"),
        (one(choices={"A": "one", "C": "two"}), "question 1: choices: the letters A, C have a gap"),
        (one(choices={"text": ["a", "b"], "label": ["A"]}), "question 1: choices: 'text' and 'label' are not lists"),
        (one(choices=[{"text": "a", "label": 1}, {"text": "b", "label": "1"}]), "choices: two options with the same label"),
        (one(choices=[{"text": "a"}, "b"]), "question 1: choices[1]: not an object"),
        (one(choices="['a', 'b']"), "question 1: choices: not JSON"),
        (one(A="x", B="y"), "question 1: choices: options are here and under A, B"),
        (one(choices="a, b,c"), "question 1: choices: some commas are followed by a space"),
        (one(id="a\nb"), "question 1 (id a b): id: 'a b' holds control characters"),
        (one(id="a\x1b"), "id: 'a␛' holds control characters"),
        (one(id=True), "id: true or false"),
        (one(id=1, qid=2), "id: 1 and qid 2 contradict each other"),
        (one(calc_required="maybe"), "question 1: calc_required: 'maybe' is neither true nor false"),
        (one(calc_required=True, metadata={"calc_required": 0}), "calc_required, metadata.calc_required: contradict"),
        (one(choices=None, question="Which?\nOptions:\n(A) x\n(C) y"), "the options below 'Options:' are not lettered"),
        (one(choices=None, question="Which?\nOptions:\n(A) x\nor y"), "question: 'or y' below 'Options:' is not like"),
        ("[1, 2]\n", "bench.txt:1: not recognised"),
        ("[[], {}]", "bench.txt: question 2: no options"),
        ("qestion,A,B,answer\na?,x,y,A\n", "bench.txt:1: no column 'question' or 'input'"),
        ("question,A,B,answer,answer\na?,x,y,A,B\n", "bench.txt:1: column 'answer' appears twice"),
        ('question,A,B,answer\n\n"a\n?",x,y,A\nb?,x,y\n', "bench.txt:5: 3 cells, but 4 columns"),
        ("question,A,B,answer\na?,x,y,A,more\n", "bench.txt:2: 5 cells, but 4 columns"),
        ("question,A,B,C,answer\na?,x,,z,A\n", "bench.txt:2: B: an empty option before C"),
        ("question,A,B,D,answer\na?,x,y,z,A\n", "bench.txt:2: A, B, D: the columns of the options have a gap"),
        ("question,A,choice_b,answer\na?,x,y,A\n", "bench.txt:2: A and choice_b: options have two kinds"),
        ('question,A,B,answer\na?,x,y,A\nb?,"x,y,A\n', "bench.txt:3: not a table"),
        ("a?,x,y,A\nb?,x,y,C\n", "bench.txt:2: answer: 'C' is neither a letter from A to B"),
        ('{"question": "a?", "choices": ["x", "y"], "answer": "A"}\n{"question"\n', "bench.txt:2: not JSON"),
        ('{"question": "a?", "choices": ["x", "y"], "answer": "A"}\n{"question": "b?"}\n[]\n', ":3: a list, not an object"),
    ],
)
def test_a_mistake_is_told_by_place_and_field(text: str, said: str) -> None:
    """File, line or question, field, and what is wrong there."""
    assert said in refusal(text)


def test_an_id_stands_once() -> None:
    """Both places are named; a question without an id among others with one is refused, too."""
    head = "id,question,A,B,answer\nq1,a?,x,y,A\n"

    assert "bench.txt:3: id: 'q1' already appears at bench.txt:2" in refusal(head + "q1,b?,x,y,A\n")
    assert "bench.txt:3: id: id is empty" in refusal(head + ",b?,x,y,A\n")


def test_five_problems_are_told_at_once_in_order() -> None:
    """One a line, of whatever sort, then how many more there are."""
    rows = [["question", "A", "B", "answer"], *[[f"{number}?", "x", "y", "Z"] for number in range(7)], ["x?", "", "y", "A"]]
    rows[1][1:3] = ["", "y"]
    lines = refusal(table(rows)).split("\n")

    assert [line.partition(": ")[0] for line in lines] == [*(f"bench.txt:{number}" for number in range(2, 7)), "and 3 more"]


def assert_read_or_refused(text: str) -> None:
    """Both readers take the text, and then every word of it can be written to a file, or refuse it by the file's name."""
    said = []
    for reader in (read_benchmark, read_answers):
        try:
            found = json.dumps(reader(text, "any"), default=asdict, ensure_ascii=False)
        except ConfigError as error:
            said.append(str(error))
        else:
            said.append("any" if found.encode("utf-8") else "")
    assert all("any" in words for words in said)


@few
@given(any_text | st.text('{}[]",:;\n\tABquestion01answerchoices', max_size=80))
def test_no_text_brings_a_traceback(text: str) -> None:
    """Any text is read or refused, as a benchmark and as answers."""
    for prefix in ("", "question,A,B,answer\n", "question_id,model,raw_response\n", "[", '{"question": "a?", "choices": '):
        assert_read_or_refused(prefix + text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["text", "label", "A", "B", "stem", "choices"]), inner)
    ),
    max_leaves=8,
)
names = st.sampled_from(
    [
        "id",
        "question",
        "choices",
        "options",
        "answer",
        "answer_index",
        "A",
        "B",
        "choice1",
        "domains",
        "metadata",
        "version",
        "model",
        "raw_response",
        "letter",
        "pattern",
        "truncated",
        "calc_required",
        "difficulty",
        "topic",
    ]
)


@few
@given(st.lists(st.dictionaries(names, json_values), max_size=3), st.sampled_from(["[{}]", "{}"]))
def test_no_json_brings_a_traceback(items: list[dict[str, object]], form: str) -> None:
    """Known names with values of any kind are read or refused, and what is read can be written down."""
    usable = {"question": "a?", "choices": ["x", "y"], "answer": "A", "model": "m", "raw_response": ""}
    written = [{**usable, **item} for item in items] + items
    assert_read_or_refused("\n".join(map(json.dumps, written)) if form == "{}" else json.dumps(written))
    for item in items:
        assert_read_or_refused(json.dumps([{**usable, "id": 1, **item}]))


def test_deep_values_are_refused() -> None:
    """Two of them side by side, of every depth about where the reader of JSON, or what compares them, gives up."""
    for depth in [200, *range(800, 1001)]:
        deep = "[" * depth + "]" * depth

        assert "bench.txt" in refusal(f'[{{"question": "a?", "choices": {deep}, "options": {deep}, "version": {deep}}}]')


# Answers given elsewhere


def test_answers_keep_their_spaces_and_line_ends() -> None:
    """Not a character of a response is touched, however long it is."""
    raw = ' \r\n"A", said\nthe model \t' + "x" * 200_000
    rows = table([["question_id", "model", "raw_response"], ["q1", "m", raw]])

    assert read_answers(rows, "a.csv") == (ImportedAnswer("q1", "m", raw, row=2),)
    assert read_answers(json.dumps([{"qid": "q1", "model": "m", "output": raw}]), "a.json") == (
        ImportedAnswer("q1", "m", raw, row=1),
    )


def test_half_a_character_at_the_end_of_a_cut_answer_becomes_one_that_can_be_written() -> None:
    """Whoever cut it in the middle of an emoji left what no file can hold."""
    found = read_answers('[{"id": "q1", "model": "m", "raw": "B \\ud83d"}]', "a.json")

    assert found[0].raw_response == "B \ufffd"


@pytest.mark.parametrize(
    ("letter", "pattern", "meant"),
    [
        ("b", "x", ("B", "x")),
        ("(C)", "", ("C", "")),
        ("", "x", (None, "x")),
        ("None", "x", (None, "x")),
        ("", "None", (None, "failed")),
        ("A", "failed", (None, "failed")),
    ],
)
def test_what_was_read_from_an_answer_may_be_told(letter: str, pattern: str, meant: tuple[str | None, str]) -> None:
    """A letter in its plain form, or none where none was read."""
    found = read_answers(f"id,model,response,predicted,extraction_pattern\nq1,m,hm,{letter},{pattern}\n", "a.csv")

    assert [(answer.letter, answer.pattern) for answer in found] == [meant]


@pytest.mark.parametrize("name", ["truncated", "truncated_at_500", "truncated_at_2000"])
def test_a_cut_answer_may_be_told(name: str) -> None:
    """In any of the forms of true and false."""
    found = read_answers(f"id,model,raw,{name}\nq1,m,,Yes\nq2,m,,0\nq3,m,,\n", "a.csv")

    assert [(answer.raw_response, answer.truncated) for answer in found] == [("", True), ("", False), ("", False)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,model\nq1,m\n", "bench.txt:1: no column 'raw_response' or 'response'"),
        ("q1,m,A\n", "bench.txt:1: not recognised"),
        ("id,model,raw\nq1,m,A\n\nq1,m,B\n", "bench.txt:4: question_id and model: 'q1', 'm' already appears at bench.txt:2"),
        ("id,model,raw,letter\nq1,m,x,AB\n", "bench.txt:2: letter: 'AB' is not a letter"),
        ("id,model,raw,truncated\nq1,m,x,maybe\n", "bench.txt:2: truncated: 'maybe' is neither true nor false"),
        ("id,model,raw\n,m,x\n", "bench.txt:2: question_id: id is empty"),
        ("id,model,raw\nq1, ,x\n", "bench.txt:2: model: model is empty"),
        ("id,model,raw,output\nq1,m,x,y\n", "bench.txt:2: output: 'y' and raw 'x' contradict each other"),
        ('{"id": "q1", "model": "m", "raw": null}', "bench.txt:1: raw_response: raw is empty"),
        ('[{"id": "q1", "model": "m", "raw": ["x"]}]', "bench.txt: answer 1 (id q1): raw: a list, not text"),
        ('[{"id": "q1", "model": "m"}]', "bench.txt: answer 1 (id q1): raw_response: no such field"),
        ("version https://git-lfs.github.com/spec/v1\noid x\n", "bench.txt:1: a Git LFS pointer"),
    ],
)
def test_a_mistake_among_answers_is_told_by_place_and_field(text: str, said: str) -> None:
    """File, line or answer, field, and what is wrong there."""
    assert said in refusal(text, read_answers)


def test_large_tables_are_read_at_once() -> None:
    """14,000 questions take about half a second of this process; the bound allows for a machine busy with other things."""
    rows = [["question", "choice0", "choice1", "choice2", "choice3", "answer"]]
    rows += [
        [f"Question {number}, of many?", "one, two", "three", "four é", "five", str(number % 4)] for number in range(14_000)
    ]
    text = table(rows)
    begun = time.process_time()

    found = read_benchmark(text, "large.csv")

    assert time.process_time() - begun < 8
    assert found == ChoiceBenchmark("large", found.questions) and len(found.questions) == 14_000
