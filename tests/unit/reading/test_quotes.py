"""Laws of finding quotes: at their place however they are set, one letter mended, never with another word or number."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from makers import any_text, few

from tui_eval.reading.folding import folded
from tui_eval.reading.numerals import numerals_in
from tui_eval.reading.quotes import LONGEST_QUOTE, QuotePlace, find_quote

WRITTEN = json.loads((Path(__file__).parent / "quotes_with_faults.json").read_text(encoding="utf-8"))
"""Forty quotes as models write them, each with what is to be found."""
SYLLABLES = ("ka", "lo", "mi", "ter", "stru", "en", "va", "bor", "sil", "u", "pra", "dex")
RUNS = range(40)


def words(chance: random.Random, number: int) -> list[str]:
    """Made-up words of Latin letters, none of which is likely to come twice."""
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(number)]


def prose(chance: random.Random, number: int = 400) -> str:
    """Sentences with a number here and there."""
    made = words(chance, number)
    for i in range(5, number, 9):
        made[i] = f"{chance.randint(1, 9_999):,}" if chance.random() < 0.5 else f"{chance.uniform(0, 100):.2f}"
    return " ".join(f"{word}." if i % 12 == 11 else word for i, word in enumerate(made))


def cut(chance: random.Random, text: str) -> tuple[int, int]:
    """Where a quote of whole words begins and ends."""
    blanks = [i for i, sign in enumerate(text) if sign == " "]
    first = chance.randrange(len(blanks) - 20)
    return blanks[first] + 1, blanks[first + chance.randint(6, 16)]


@pytest.mark.parametrize("case", WRITTEN["quotes"], ids=[case["fault"] for case in WRITTEN["quotes"]])
def test_quotes_as_models_write_them(case: dict[str, str]) -> None:
    """Small faults of setting are none, a letter is mended, other words, spellings and numbers are nowhere."""
    found = find_quote(case["quote"], WRITTEN["texts"][case["text"]])

    assert (found.how if found else "none") == case["found"]


@pytest.mark.parametrize("seed", RUNS)
def test_a_quote_set_otherwise_is_found_at_its_place(seed: int) -> None:
    """Other white space, case, dashes, quotation marks, hyphenation, soft hyphens: exact, from its first letter to its last."""
    chance = random.Random(seed)
    text = prose(chance).replace("ka", "Kā-").replace("mi", "mi’").replace(" va", " – va")
    start, end = cut(chance, text)
    quote = text[start:end].strip("–- ’.,")
    start = text.index(quote, start)
    set_otherwise = quote.translate({ord("’"): "'", ord("-"): "\u2010"}).replace(" – ", chance.choice([" - ", "—", " -- "]))
    set_otherwise = set_otherwise.replace(" ", chance.choice([" ", "  ", "\n", "\u00a0", " \t "]))
    set_otherwise = "".join(sign.upper() if chance.random() < 0.3 else sign for sign in set_otherwise)
    set_otherwise = set_otherwise.replace("ter", "t\u00ader").replace("bor", "bo-\n  r")

    found = find_quote(f"“{set_otherwise}…”", text)

    assert found == QuotePlace(start, start + len(quote), "exact", 1.0)


@pytest.mark.parametrize("seed", RUNS)
def test_one_wrong_letter_is_mended_and_no_second(seed: int) -> None:
    """Inside a long word changed, left out or added: found at its place, and said to be mended; two of them: nowhere."""
    chance = random.Random(seed)
    text = prose(chance)
    start, end = cut(chance, text)
    words = list(re.finditer(r"[a-z]{6,}", text[start:end]))
    first, second = chance.sample(words, 2)
    slipped = slip(chance, text[start:end], first)
    twice = slip(chance, text[start:end], max(first, second, key=lambda one: one.start()))
    twice = slip(chance, twice, min(first, second, key=lambda one: one.start()))

    found = find_quote(slipped, text)

    assert found is not None and found.how == "repaired" and found.similarity < 1
    assert (found.start, found.end) == (start, start + len(text[start:end].rstrip("."))) or found.end == end
    assert find_quote(twice, text) is None
    assert find_quote(slipped, text, mend=False) is None


def slip(chance: random.Random, quote: str, word: re.Match[str]) -> str:
    """A quote with one letter inside a word changed, left out or added."""
    at = chance.randrange(word.start() + 1, word.end() - 1)
    return quote[:at] + chance.choice(["q", "q" + quote[at], ""]) + quote[at + 1 :]


@pytest.mark.parametrize("seed", RUNS)
def test_a_quote_with_another_number_is_nowhere(seed: int) -> None:
    """A digit changed, added or left out, a point moved, a minus put in front: neither exact nor mended."""
    chance = random.Random(seed)
    text = prose(chance)
    while not (numbers := numerals_in(quote := text[slice(*cut(chance, text))])):
        pass
    number = chance.choice(numbers)
    said = quote[number.start : number.end]
    digit = chance.choice([i for i, sign in enumerate(said) if sign.isdigit()])
    other = chance.choice(
        [
            said[:digit] + str((int(said[digit]) + chance.randint(1, 9)) % 10) + said[digit + 1 :],
            said + chance.choice("123456789"),
            f"{said}.7",
            f"−{said}",
            chance.choice("123456789") + said,
        ]
    )
    altered = quote[: number.start] + other + quote[number.end :]
    if [one.value for one in numerals_in(altered)] == [one.value for one in numbers]:
        pytest.skip("the same number, written otherwise")

    assert find_quote(altered, text) is None


@pytest.mark.parametrize("seed", RUNS)
def test_no_number_is_cut_off(seed: int) -> None:
    """A quote that begins or ends within a number is nowhere, wherever the cut goes through."""
    chance = random.Random(seed)
    text = prose(chance)
    number = chance.choice(
        [one for one in numerals_in(text)[2:-2] if one.end - one.start > 1 and not one.value.startswith("0")]
    )
    within = chance.randrange(number.start + 1, number.end)
    if number.value in {one.value for one in numerals_in(text[number.start : within])}:
        pytest.skip("2.3 is 2.30")
    before, after = text[number.start - 40 : within], text[within : number.end + 40]

    assert find_quote(before.split(" ", 1)[1], text) is None
    assert find_quote(after.rsplit(" ", 1)[0], text) is None


def test_what_is_found_is_the_texts_own() -> None:
    """Pages and white space do not matter; a quote over a page's end is found, and its first character tells the page."""
    text = "One page ends in the\fmiddle of a sentence; an\u00adother goes on."
    found = find_quote("ends in the middle of a sentence", text)

    assert found and text[found.start : found.end] == "ends in the\fmiddle of a sentence"


@pytest.mark.parametrize("quote", ["", " ", "…", '""', "***", "\u200b", "\u00ad", "-", "x" * (LONGEST_QUOTE + 1)])
def test_what_is_no_quote_is_nowhere(quote: str) -> None:
    """Nothing, marks alone, and what is too long, even if the text has it."""
    assert find_quote(quote, f"Text with {quote} in it") is None


def test_long_enough_is_not_too_long() -> None:
    """What stands around a quote is not counted."""
    text = "lorem " * 50

    assert find_quote(f' "{text.strip()}" ', text) is not None


@few
@example("A\u00ad", "", "")
@given(any_text, any_text, any_text)
def test_what_stands_between_anything_is_found(before: str, quote: str, after: str) -> None:
    """Any text is folded; what is found lies within it; and letters between blanks are found whatever stands around them."""
    text = f"{before} {quote} {after}"
    found = find_quote(quote, text)

    assert found is None or 0 <= found.start < found.end <= len(text)
    assert find_quote("plain letters", f"{before} plain letters {after}") is not None


@few
@given(any_text)
def test_a_fold_knows_where_it_came_from(text: str) -> None:
    """One place for each character, in order, and no white space at the ends."""
    made = folded(text)

    assert len(made.fold) == len(made.places)
    assert list(made.places) == sorted(made.places) and all(0 <= place < len(text) for place in made.places)
    assert not made.fold[:1].isspace() and not made.fold[-1:].isspace()


LONG = {
    "Cyrillic": "".join(chr(0x430 + i % 32) + " " * (i % 7 == 6) for i in range(1_000)),
    "one letter": "a",
    "hyphens": "- ",
    "digits": "1",
    "numbers": "1,",
    "rows": "Pump 3 delivers 40 l a minute at 5 bar.\n",
    "marks": "e\u0301",
}


@pytest.mark.soak
@pytest.mark.parametrize("name", [*LONG, "prose"])
def test_a_long_text_is_searched_in_time(name: str) -> None:
    """A million characters are folded and searched for quotes that are there, nearly there and not there, within seconds."""
    unit = LONG.get(name) or prose(random.Random(7), 150_000)
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    start = time.process_time()
    page, quote = folded(text), text[500_000:500_280]
    for said in (quote, quote[:100] + "zq" + quote[103:], f"{quote[:100]} 77 {quote[104:]}", "qqq " * 60):
        find_quote(said, page)

    assert time.process_time() - start < 15
