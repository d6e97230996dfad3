"""Replies of many forms and languages, each with the letter that a careful reader takes, or none; and laws over made ones."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from makers import DATA, SHARED

from tui_eval.reading.letters import CONTRADICTED, LetterReading, read_letter

REPLIES = Path(__file__).parent / "replies"
"""open.jsonl: looked at while the rule was made. aside.jsonl: written before, kept aside until it was done. stranger.jsonl: by
a stranger, 130 before reading the rule (117 right at first sight, one wrong letter), 30 after a first mending (25, one)."""
ROCKS = ("Granite", "Basalt", "Limestone", "Sandstone")
READ_AT_FIRST_SIGHT = 122
"""Of the 126 replies kept aside, none of the others with another option's letter."""


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The entries of a JSONL file; the test is skipped where shared data is not on this machine."""
    if not path.is_file() and SHARED in path.parents:
        pytest.skip("the shared replies are not on this machine")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def letter_of(reply: dict[str, Any]) -> str | None:
    """What is read from an entry."""
    return read_letter(reply["text"], reply["n_options"], reply["options"] or ()).letter


def others(replies: list[dict[str, Any]]) -> list[tuple[str, str | None, str | None]]:
    """Replies that are read otherwise than a careful reader would: text, letter wanted, letter read."""
    return [(reply["text"], reply["letter"], letter_of(reply)) for reply in replies if letter_of(reply) != reply["letter"]]


def test_every_reply_that_the_rule_was_made_with_is_read() -> None:
    """Letters said twice, in lower case, by elimination, option by option, corrected, in other languages; and traps."""
    assert others(lines_of(REPLIES / "open.jsonl")) == []


def test_replies_kept_aside_have_no_letter_of_another_option() -> None:
    """As many as at first sight are read right; where one is wanted, none is read as another."""
    replies = lines_of(REPLIES / "aside.jsonl")
    found = others(replies)

    assert len(replies) - len(found) >= READ_AT_FIRST_SIGHT
    assert [each for each in found if each[1] and each[2]] == []


def test_replies_of_a_stranger_are_read() -> None:
    """At least 154 of 160; where a letter is wanted, none is read as another."""
    replies = lines_of(REPLIES / "stranger.jsonl")
    found = others(replies)

    assert len(replies) - len(found) >= 154
    assert [each for each in found if each[1] and each[2]] == []


@pytest.mark.parametrize("letter", "ABCD")
def test_the_same_is_said_in_other_ways(letter: str) -> None:
    """By position or number, in a final channel, after a denial of another option's text, by what is left of a sentence; and
    what would be so on a condition, before or behind, is no answer."""
    at, other = "ABCD".index(letter), "BCDA"["ABCD".index(letter)]
    place, rest = ("first", "second", "third", "fourth")[at], [each for each in "ABCD" if each != letter]
    ways = [
        f"The {place} option.",
        f"Option {at + 1} is right.",
        f"<|channel|>analysis<|message|>{other}?<|end|><|start|>assistant<|channel|>final<|message|>{letter}<|return|>",
        f"It is not {ROCKS['ABCD'.index(other)].lower()}; it is {ROCKS[at].lower()}.",
        f"{rest[0]} is wrong, and so are {rest[1]} and {rest[2]}.",
        f"Statement {letter} holds while the others fail.",
        f"Is it {rest[0]}? No. Is it {rest[1]}? No. Is it {letter}? Yes.",
        f"{letter} is the only option in which depth counts.",
        f"The answer would be {other} if it were porous, so {letter}.",
        "\n".join(f"{a}) {rock} -> {'matches' if a == letter else 'too hard'}" for a, rock in zip("ABCD", ROCKS, strict=True)),
        f"What counts is depth -> {letter}.",
    ]
    none = [f"<|channel|>analysis<|message|>I think {letter}", f"The answer would be {letter} if it were porous.",
            f"{letter} and the others are wrong.", f"From {other} -> {letter}"]  # fmt: skip

    assert {text: read_letter(text, 4, ROCKS).letter for text in ways} == dict.fromkeys(ways, letter)
    assert {text: read_letter(text, 4, ROCKS).letter for text in none} == dict.fromkeys(none)


def test_shared_replies_are_read() -> None:
    """At least 124 of the 128, and none with another letter."""
    replies = lines_of(DATA / "extraction" / "letters.jsonl")
    found = others(replies)

    assert len(replies) - len(found) >= 124
    assert [each for each in found if each[2]] == []


def test_a_verdict_said_twice_is_read_in_all_replies_of_a_model() -> None:
    """Of 505 published replies, 116 of them one letter said twice, each has a letter, and 468 are right."""
    place = SHARED / "data" / "formationeval"
    if not place.is_dir():
        pytest.skip("the published answers are not on this machine")
    with (place / "answers_gpt_oss_120b.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = {q["id"]: q for q in json.loads((place / "benchmark.json").read_text(encoding="utf-8"))}
    found = [(keys[row["question_id"]], read_letter(row["raw_response"], 4).letter) for row in rows]

    assert len(found) == 505 and all(letter for _, letter in found)
    assert sum(letter == "ABCD"[question["answer_index"]] for question, letter in found) == 468


TALK = [
    "Option {y} looks tempting.", "{y} is wrong because it ignores depth.", "At first I thought of {y}.",
    "{y} describes pores.",
    "One might choose {y}, but that is a trap.", "It is not {y}.", "{y} can be excluded.", "Some would say {y}.",
    "{y} would be right only if the well were dry.", "Between {y} and {z} there is little difference.", "I considered {y}.",
    "{y} and {z} are both about density.", "If the rock were wet, {y} would be correct.", "{y}: this contradicts the text.",
    "({y}) is about gamma rays.", "We can rule out {y} and {z}.", "Neither {y} nor {z} fits.", "Is it {y}? No.", "{y}? No.",
    "{y} is true in general, but not here.", "Nicht {y}, da der Druck steigt.", "{y}是错误的。", "La opción {y} es incorrecta.",
    "La réponse {y} est fausse.",
]  # fmt: skip
"""What a reply says of an option that it does not pick."""
ENDS = [
    "Answer: {x}", "The answer is {x}.", "So the correct answer is {x}.", "I would go with {x}.", "Therefore {x}.",
    "Final answer: ({x})", "\\boxed{{{x}}}", "Die Antwort ist {x}.", "答案是{x}。", "La respuesta correcta es {x}.",
    "Réponse : {x}", "I pick {x}.",
    "Ответ: {x}", "So {x} it is.", "{x} is correct.", "Hence the best option is {x}.", "That leaves {x}.", "\n{x}", "\n**{x}**",
]  # fmt: skip
"""How it ends with the one that it does."""


def made(seed: int, n: int) -> list[tuple[str, str, str]]:
    """Talk of options, the same with an end that picks another one, and that one's letter."""
    chance = random.Random(seed)
    found = []
    for _ in range(n):
        x, *rest = chance.sample("ABCD", 4)
        talk = " ".join(
            chance.choice(TALK).format(y=chance.choice(rest), z=chance.choice(rest)) for _ in range(chance.randint(1, 3))
        )
        found.append((talk, talk + chance.choice(" \n") + chance.choice(ENDS).format(x=x), x))
    return found


def test_what_is_said_of_other_options_never_becomes_the_answer() -> None:
    """Whatever a reply says of options before it picks one: that one is read, or now and then none, and never another."""
    read = [(reply, letter, read_letter(reply, 4).letter) for _, reply, letter in made(16, 1200)]

    assert [each for each in read if each[2] not in (None, each[1])] == []
    assert sum(found == letter for _, letter, found in read) > 0.98 * len(read)


def test_talk_about_options_without_an_end_picks_none() -> None:
    """One sentence about an option that is not picked is no answer, unless it rules out all others."""
    for sentence in TALK:
        assert read_letter(sentence.format(y="B", z="D"), 4).letter is None, sentence


@pytest.mark.parametrize("between", [".", '".', ". ", ", ", "/", " - ", "\n", ") ", "! "])
def test_a_label_said_twice_is_that_label(between: str) -> None:
    """For each label, with marks between; of two labels the second is never taken, nor the first right beside it."""
    for letter, other in zip("ABCDEFGH", "BCDEFGHA", strict=True):
        two = read_letter(f"{letter}{between}{other}", 8).letter

        assert read_letter(f"{letter}{between}{letter}", 8).letter == letter
        assert two is None or (two == letter and between not in (".", "/", ", "))


@pytest.mark.parametrize("ending", ["proportional.{}", "of the rock.{}", 'the "log".{}', "depth)\n{}"])
def test_a_label_at_the_very_end_counts(ending: str) -> None:
    """Glued to the full stop, too; an abbreviation before it makes it a name."""
    assert {read_letter("It is inversely " + ending.format(letter), 4).letter for letter in "ABCD"} == set("ABCD")
    assert read_letter("It is shown in Fig.B", 4).letter is None


@pytest.mark.parametrize(
    ("reply", "noted"),
    [
        ("B) Limestone", True),
        ("Answer: B. Limestone is a carbonate.", True),
        ("B) Basalt", False),
        ("B", False),
        ("B) because limestone is a carbonate", False),
        ("A) Granite\nB) Basalt\nC) Limestone\nD) Sandstone\n\nAnswer: B) Basalt", False),
        ("A) Granite\nB) Basalt\nC) Limestone\nD) Sandstone\n\nAnswer: B) Limestone", True),
    ],
)
def test_a_label_beside_the_text_of_another_option_counts_and_is_noted(reply: str, noted: bool) -> None:
    """The letter decides; what contradicts it is said."""
    found = read_letter(reply, 4, ROCKS)

    assert (found.letter, found.note) == ("B", CONTRADICTED if noted else "")
    assert read_letter(reply, 4).note == ""


def test_a_note_is_no_reason() -> None:
    """What is noted stands apart from why there is no letter."""
    assert read_letter("B) Limestone", 4, ROCKS) == LetterReading("B", "letter_paren", "", CONTRADICTED)


@pytest.mark.parametrize("label", ["{}: {}", "({}) {}", "{} - {}", "{}. {}", "{}: **{}**"])
@pytest.mark.parametrize("between", [" ", ", ", "; ", " / ", " | ", "\n"])
@pytest.mark.parametrize(
    ("ratings", "letter"),
    [
        ("✗ ✓ ✗ ✗", "B"),
        ("no yes no no", "B"),
        ("falsch falsch richtig falsch", "C"),
        ("错 错 错 对", "D"),
        ("👎 👍 👎 👎", "B"),
        ("✗ ✓ ✓ ✗", None),
        ("✗ ✗ ✗ ✗", None),
        ("falsch richtig richtig falsch", None),
        ("fel rätt rätt fel", None),
        ("10% 70% 10% 10%", None),
        ("0 1 0 0", None),
        ("2/10 8/10 3/10 1/10", None),
        ("unlikely likely likely unlikely", None),
    ],
)
def test_of_options_rated_in_a_row_exactly_one_tick_declares(
    label: str, between: str, ratings: str, letter: str | None
) -> None:
    """Several ticks, crosses alone and numbers declare none, whatever stands between; what is declared below them counts."""
    row = between.join(label.format(*each) for each in zip("ABCD", ratings.split(), strict=True))

    assert {read_letter(row, 4, options).letter for options in ((), ROCKS)} == {letter}
    assert read_letter(f"{row}\n\nAnswer: C", 4).letter == "C"
    assert letter or read_letter(f"{row}\n\nC", 4).letter == "C"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A\nA: 90% B: 10% C: 0% D: 0%", "A"),
        ("A: 10% porosity is too low for B: 70%", "A"),
        ("A: true, since B: false", "A"),
        ("A - 80%", "A"),
        ("B: 70%, A: 10%, C: 10%, D: 10%", "B"),
        ("D: 10%, C: 10%, B: 70%, A: 10%", None),
        ("A: Granite ✗ B: Basalt ✓ C: Limestone ✓ D: Sandstone ✗", None),
        ("A: ✗, B: ✗, C: ✗", "D"),
    ],
)
def test_a_label_with_a_number_behind_it_is_no_row(reply: str, letter: str | None) -> None:
    """Only options that are rated one behind the other, and then only where the best does not stand in front."""
    assert read_letter(reply, 4).letter == letter


@pytest.mark.parametrize(
    ("reply", "letter", "noted"),
    [
        ("Answer: B\nLimestone", "B", True),
        ("The answer is B, Limestone.", "B", True),
        ("The answer is B, limestone. It is soft.", "B", True),
        ("Answer: B Limestone", "B", True),
        ("Final answer: Limestone (B)", "B", True),
        ("The answer is Limestone (B).", "B", True),
        ("B Limestone", "B", True),
        ("Answer: B\nBasalt", "B", False),
        ("Final answer: Basalt (B)", "B", False),
        ("B, because limestone is a carbonate", "B", False),
        ("B, limestone is too soft", "B", False),
        ("Answer: B\nLimestone is too soft.", "B", False),
        ("Answer: B\nGranite\nBasalt\nLimestone\nSandstone", "B", False),
        ("Final answer: Limestone (L)", "C", False),
        ("A limestone", "C", False),
    ],
)
def test_a_label_beside_nothing_but_another_text_counts_and_is_noted(reply: str, letter: str, noted: bool) -> None:
    """Exactly the text of another option, not words about it; an article is no label, nor is the sign of what is named."""
    found = read_letter(reply, 4, ROCKS)

    assert (found.letter, found.note) == (letter, CONTRADICTED if noted else "")


def test_the_sign_of_what_is_named_is_no_label() -> None:
    """C is carbon, and the text of option A."""
    assert read_letter("Final answer: Carbon (C)", 3, ("Carbon", "Iron", "Nitrogen")) == LetterReading("A", "option_text", "")
