"""Laws of reading a letter: what a reply says and no more; the published rule to the letter; never long over it."""

from __future__ import annotations

import csv
import json
import re
import time
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHARED, any_text, few
from soaking import quick_first

from tui_eval.reading.letters import EXTRACTIONS, LetterReading, read_letter

LITERAL = "formationeval-v0.1"
ROCKS = (
    "Porosity decreases with depth",
    "Permeability increases",
    "The resistivity of the formation water",
    "A mixture of clay and sand",
)
PRESSURES = ("10 MPa", "15 MPa", "20 MPa", "25 MPa")

choices = st.integers(2, 26).flatmap(lambda n: st.tuples(st.just(n), st.sampled_from(ascii_uppercase[:n])))
PIECES = [
    "the answer is",
    "Answer:",
    "A",
    "B",
    "(C)",
    "D.",
    "I",
    "or",
    "and",
    "not",
    "is correct",
    "option",
    "<think>",
    "</think>",
]
PIECES += [
    "\\boxed{",
    "}",
    "*",
    "\n",
    "a",
    "{'answer': '",
    "'",
    "go with",
    "A) x",
    "?",
    "\u200b",
    "答案",
    "\ud800",
    "E",
    "/",
    "It is",
]
words = st.sampled_from(PIECES)
replies = st.one_of(any_text, st.lists(words, max_size=12).map(" ".join))


@pytest.fixture(scope="module")
def published() -> list[dict[str, str]]:
    """The answers that the authors of FormationEval published, without those that they cut before publishing."""
    path = SHARED / "data" / "formationeval" / "answers.csv"
    if not path.is_file():
        pytest.skip("the published answers are not on this machine")
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["truncated_at_500"] == "False"]


def test_the_reference_replies_are_read_as_a_careful_reader_would(vectors: dict[str, Any]) -> None:
    """Each of the reference replies has its letter, or none for the reason that the reference gives."""
    for case in vectors["mcq_extraction"]:
        reason = case["reference_rule"] if case["expected"] is None else ""

        found = read_letter(case["response"], len(case["letters"]), case["options"] or ())

        assert (found.letter, found.reason) == (case["expected"], reason), case["id"]


def test_the_documented_table_holds(vectors: dict[str, Any]) -> None:
    """The examples that FormationEval documents have the letter and the pattern that it promises."""
    for case in vectors["mcq_seed004_documented_table"]:
        found = read_letter(case["response"], 4)

        assert (found.letter, found.pattern) == (case["expected"], case["documented_pattern"]), case["response"]


def test_the_literal_rule_does_what_the_published_code_does(vectors: dict[str, Any]) -> None:
    """Its letters and patterns are those of the code, mistakes included."""
    for case in vectors["mcq_extraction"] + vectors["mcq_seed004_documented_table"]:
        if case.get("letters", "ABCD") != "ABCD":
            continue

        found = read_letter(case["response"], 4, rule=LITERAL)

        assert [found.letter, found.pattern] == case.get("seed004", case.get("seed_code")), case["response"]


def test_the_literal_rule_gives_what_was_published(published: list[dict[str, str]]) -> None:
    """Every uncut reply of the published run has its published letter and pattern."""
    found = [read_letter(row["raw_response"], 4, rule=LITERAL) for row in published]

    assert [(each.letter or "", each.pattern) for each in found] == [
        (row["published_letter"], row["published_pattern"]) for row in published
    ]


def test_the_robust_rule_departs_from_what_was_published_only_at_its_misreadings(published: list[dict[str, str]]) -> None:
    """The letter changes only where the published one is the first of the word `Answer`."""
    changed = [
        (row["raw_response"], found)
        for row in published
        if (found := read_letter(row["raw_response"], 4).letter or "") != row["published_letter"]
    ]

    assert changed
    assert all(reply.strip() == f"Answer: {letter}" for reply, letter in changed)


@pytest.mark.parametrize(
    ("reply", "letter", "pattern"),
    [
        ("**Answer: (C)** because it is", "C", "answer_colon"),
        ("Answer: **C) some text**", "C", "answer_colon"),
        ("ANSWER: C", "C", "answer_colon"),
        ("The correct option is C.", "C", "option"),
        ("<answer>\nC\n</answer>", "C", "answer_colon"),
        ("The final answer is $\\boxed{\\text{C}}$.", "C", "boxed"),
        ('```json\n{"answer": "c"}\n```', "C", "json"),
        ("C. text\n\nExplanation: A is wrong, and so is B.", "C", "letter_period"),
        ("C)text", "C", "letter_paren"),
        ("C) 4", "C", "letter_paren"),
        ("(C) text", "C", "parentheses"),
        ("C, since it is denser", "C", "letter_comma"),
        ("C\nIt is denser.", "C", "first_char"),
        ("I choose option (c)", "C", "choose"),
        ("I would select C because", "C", "select"),
        ("Option C is the best", "C", "option"),
        ("Therefore, option (c) is correct.", "C", "option"),
        ("Two steps.\nThat leaves us here.\n\nC", "C", "end_of_string"),
        ("Neither A nor B is correct; C is correct.", "C", "standalone"),
        ("Die richtige Antwort ist C.", "C", "answer_is"),
        ("La respuesta correcta es la C.", "C", "answer_is"),
        ("正确答案是C。", "C", "answer_is"),
        ("【答案】C", "C", "answer_colon"),
        ("Ответ: C", "C", "answer_colon"),
        ("Ｃ", "C", "first_char"),
        ("[THINK]B? no[/THINK]C", "C", "first_char"),
        ("The answer is B or C, so I go with C", "C", "go_with"),
    ],
)
def test_models_answer_in_many_ways(reply: str, letter: str, pattern: str) -> None:
    """Each usual way to answer is understood and named by the words that announce the letter."""
    assert read_letter(reply, 4) == LetterReading(letter, pattern, "")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (None, "empty"),
        ("<think>B</think>", "empty"),
        ("<think>B", "truncated_reasoning"),
        ("Answer: B <think> or", "truncated_reasoning"),
        ("I don't think the answer is B.", "no_letter"),
        ("If the answer is B, porosity rises.", "no_letter"),
        ("The answer is not C.", "no_letter"),
        ("B is incorrect.", "no_letter"),
        ("Is the answer C?", "no_letter"),
        ("Answer: None of the above", "no_letter"),
        ("The answer is the A horizon.", "no_letter"),
        ("The answer is E, not C", "no_letter"),
        ('{"answer": "E"}', "no_letter"),
        ("Vitamin C is essential.", "no_letter"),
        ("Carbon (C) is light.", "no_letter"),
        ("B cells are lymphocytes", "no_letter"),
        ("A.M. Smith", "no_letter"),
        ("Let me see. Option A says that it is denser.", "no_letter"),
        ("First, I recall what each of these words means in the field. The options are:\n\nA)", "no_letter"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("A and B are wrong.", "ambiguous"),
        ("B/C", "ambiguous"),
        ("It can be only B/C", "ambiguous"),
        ("A\nC", "ambiguous"),
        ("Answer: B & D", "ambiguous"),
        ("A: C", "ambiguous"),
        ("\\boxed{A, C}", "ambiguous"),
        ('{"answer": ["A", "B"]}', "ambiguous"),
    ],
)
def test_what_picks_no_option_has_no_letter(reply: str | None, reason: str) -> None:
    """No letter rather than a wrong one: not from a name, a doubt, a denial, another range or half a list."""
    assert read_letter(reply, 4) == LetterReading(None, "failed", reason)


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ("15 MPa", PRESSURES, "B"),
        ("The answer is 15 MPa because 10 MPa is too low", PRESSURES, "B"),
        ("The pressure is 15 MPa, not 10 MPa.", PRESSURES, "B"),
        ("It is not 15 MPa.", PRESSURES, None),
        ("A. 10 MPa\nB. 15 MPa\nC. 20 MPa\nD. 25 MPa\n\nB. 15 MPa", PRESSURES, "B"),
        ("A. 10 MPa\nB. 15 MPa\nC. 20 MPa\nD. 25 MPa", PRESSURES, None),
        ("Answer: the resistivity of the formation water", ROCKS, "C"),
        ("The answer is A mixture of clay and sand", ROCKS, "D"),
        ("same", ("same", "same", "other"), None),
        ("-5 m", ("5 m", "-5 m", "0 m"), "B"),
    ],
)
def test_the_words_of_an_option_stand_for_its_letter(reply: str, options: tuple[str, ...], letter: str | None) -> None:
    """Known options are recognised when one of them is given, and not taken for an answer when all are repeated."""
    assert read_letter(reply, len(options), options).letter == letter


def test_an_unknown_rule_is_a_bug_of_the_caller() -> None:
    """There are two rules, by name."""
    with pytest.raises(ValueError, match=r"unknown rule 'strict'"):
        read_letter("B", 4, rule="strict")


@few
@given(replies, st.integers(2, 26), st.lists(any_text, max_size=5), st.sampled_from(EXTRACTIONS))
def test_any_reply_has_a_letter_of_the_question_or_a_reason(reply: str, n: int, options: list[str], rule: str) -> None:
    """Nothing crashes a reader; a letter comes with a pattern, and none with a reason."""
    found = read_letter(reply, n, options, rule)

    assert found.letter is None or found.letter in ascii_uppercase[:n]
    assert (found.pattern == "failed") == (found.letter is None) == bool(found.reason)
    assert found.reason in ("", "empty", "ambiguous", "refusal", "truncated_reasoning", "no_letter")


@few
@given(choices, st.sampled_from(["", "*", "**", "`", "_", "***"]), *[st.text(" \t\r\n\u200b", max_size=4)] * 2)
def test_a_bare_letter_may_be_dressed(choice: tuple[int, str], mark: str, before: str, after: str) -> None:
    """White space, emphasis and case do not change what a reply of one letter says."""
    n, letter = choice
    found = {read_letter(f"{before}{mark}{text}{mark}{after}", n) for text in (letter, letter.lower())}

    assert found == {LetterReading(letter, "first_char", "")}


@pytest.mark.parametrize("n", range(2, 27))
def test_every_label_can_be_declared_and_no_other(n: int) -> None:
    """A sentence that declares a label is read for each label of the question, the article and the pronoun included."""
    forms = [
        "The answer is {}",
        "The answer is {} because it is.",
        "Answer: {}",
        "({}) text",
        "I would choose {}.",
        "\\boxed{{{}}}",
    ]
    for form in forms:
        found = "".join(read_letter(form.format(letter), n).letter or "-" for letter in ascii_uppercase)

        assert found == ascii_uppercase[:n].ljust(26, "-"), form


@pytest.mark.parametrize("letter", ascii_lowercase)
def test_small_letters_in_prose_are_no_labels(letter: str) -> None:
    """Only a capital is a label inside a sentence."""
    found = [read_letter(f"The answer depends on {letter} few things", 26), read_letter(f"It is {letter} thing", 26)]

    assert {each.letter for each in found} == {None}


@few
@given(choices, choices)
def test_the_last_declaration_wins(first: tuple[int, str], second: tuple[int, str]) -> None:
    """Who corrects himself means what he says last."""
    n = max(first[0], second[0])
    reply = f"Answer: {first[1]}\n\nLet me check that again.\n\nAnswer: {second[1]}"

    assert read_letter(reply, n).letter == second[1]


@few
@given(
    st.text(max_size=40).filter(lambda text: not re.search("[<◁\\[]", text)), choices, st.sampled_from(["think", "thinking"])
)
def test_thoughts_are_no_answer(thought: str, choice: tuple[int, str], tag: str) -> None:
    """What stands between the tags does not count, nor what stands before a closing tag alone."""
    n, letter = choice
    found = [read_letter(f"{opening}{thought}</{tag}>{letter}", n) for opening in (f"<{tag}>", "")]

    assert found == [LetterReading(letter, "first_char", "")] * 2


def test_a_long_reply_is_read_at_its_end() -> None:
    """The answer below pages of reasoning counts."""
    reasoning = "It follows that the pressure rises with depth. " * 2000

    assert read_letter(f"{reasoning}\n\nThe answer is C.", 4).letter == "C"


UNITS = [" ", "<think>", "*", "A ", "(", "answer is ", "\\boxed{", '{"answer":', "A or ", "\n", "A) x\n", "</think>", "_", "a_"]
UNITS += [
    "é",
    "\ufdfa",
    "\u200b",
    "answer ",
    "B is correct. ",
    "option A is ",
    "- ",
    "it's B, ",
    "A, ",
    "I ",
    "*A",
    "A\n",
    "答案",
    "C.C ",
    "A is wrong, ",
    "no, B. ",
    "[x] A\n",
    "A ✗ ",
    "die Antwort A ",
    "的答案是",
    "❌ A\n",
    "~~A",
    "the one ",
    "if it were ",
]


@pytest.mark.parametrize("form", quick_first(["x {text}\nThe answer is B", "{text}"]), ids=["declared", "alone"])
@pytest.mark.parametrize("rule", quick_first(EXTRACTIONS))
def test_no_reply_keeps_a_reader_long(rule: str, form: str) -> None:
    """200,000 characters of anything take a moment, not minutes: the work grows with the length and no faster."""
    for unit in UNITS:
        reply = form.replace("{text}", unit * (200_000 // len(unit)))
        started = time.process_time()
        read_letter(reply, 26, ROCKS, rule)

        assert time.process_time() - started < 15, json.dumps(reply[:20])


def literal_by_the_book(text: str, letters: str) -> str:
    """The two clean-ups whose obvious form is slow, in their obvious form."""
    for name in ("thinking", "think"):
        text = re.sub(f"(?s)<{name}>.*?</{name}>", "", text)
    return " ".join(re.sub(rf"\*+([{letters}])\*+", r"\1", text.upper()).split())


@few
@given(
    st.lists(
        st.sampled_from(["*", "**", "B", "b", "E", "<think>", "</think>", "<thinking>", "</thinking>", " ", "x"]), max_size=9
    )
)
def test_the_fast_clean_up_of_the_literal_rule_is_the_slow_one(parts: list[str]) -> None:
    """A reply cleaned by the book beforehand has the same letter, by the same pattern."""
    reply = "Q: " + "".join(parts)
    cleaned = literal_by_the_book(reply, "ABCD")

    assert read_letter(reply, 4, rule=LITERAL) == read_letter(cleaned, 4, rule=LITERAL)
