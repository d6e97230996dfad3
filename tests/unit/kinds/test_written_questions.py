"""Laws of written questions before they are looked at: how replies are read, what is sifted out, what plans rest on."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from makers import any_text, few
from soaking import quick_first

from tui_eval.core.document_text import LeftOut, without_running
from tui_eval.kinds.question_writing.filtering import BUILDS_ON_DROPPED, Sifted, example_reply, sift_questions, sift_turns
from tui_eval.kinds.question_writing.material import Category, MaterialPiece, QuestionSchema
from tui_eval.kinds.question_writing.question_replies import read_answers, read_opinions, read_questions, read_turns

TEXT = "The mill of Ardle grinds rye on Mondays. Its wheel was built in 1874 and turns nine times. The miller keeps 40 weights."
FIRST = {"question": "When does the mill of Ardle grind rye?", "answer": "on Mondays", "quote": "grinds rye on Mondays"}
LATER = {"question": "And when was its wheel built?", "answer": "in 1874", "quote": "wheel was built in 1874", "depends_on": 1}
LAST = {"question": "And who paid for it?", "answer": "It does not tell.", "type": "unanswerable", "depends_on": 2}


def conversation(*turns: dict[str, Any]) -> str:
    return json.dumps({"turns": turns})


def test_a_conversation_is_read_however_it_is_wrapped() -> None:
    """Bare, as a list, in a fence, in prose, as Python has it: the same turns; one that follows follows the one before."""
    plain = conversation(FIRST, LATER, LAST)
    forms = [plain, json.dumps([FIRST, LATER, LAST]), f"```json\n{plain}\n```", f"Here it is:\n{plain}\nI hope it helps."]
    forms += [repr(json.loads(plain)), f"So:\n{json.loads(plain)!r}\nDone."]

    read = [read_turns(form) for form in forms]

    assert all(found == read[0] for found in read)
    assert [(one.type, one.depends_on, one.answerable) for one in read[0] or ()] == [
        ("fact", None, True), ("follow-up", 0, True), ("unanswerable", 1, False),
    ]  # fmt: skip
    follows = read_turns(conversation(FIRST, {**LATER, "depends_on": None, "type": "Follow up"}))
    assert follows is not None and (follows[1].type, follows[1].depends_on) == ("follow-up", 0)


@pytest.mark.parametrize(
    "text",
    [
        None, "", "No questions come to mind.", "{}", '{"turns": []}', '{"turns": {}}', '{"turns": ["one"]}',
        conversation({"question": "Why?"}), conversation({"answer": "So."}), conversation(FIRST, {**FIRST, "answer": True}),
    ],
)  # fmt: skip
def test_what_is_no_conversation_is_not_read(text: str | None) -> None:
    """A turn without its question or answer makes the reply unreadable: nothing is made up for it."""
    assert read_turns(text) is None
    assert read_questions(text) is None


@pytest.mark.parametrize("earlier", [0, 2, 3, -1, True, "1", 1.0, None])
def test_a_turn_builds_on_an_earlier_one_alone(earlier: object) -> None:
    """Its own number, a later one or none at all: it stands alone."""
    found = read_turns(conversation(FIRST, {**LATER, "type": "fact", "depends_on": earlier}))

    assert found is not None and found[1].depends_on is None


def test_single_questions_have_categories_and_build_on_nothing() -> None:
    """Numbers are answers, too."""
    entry = {"question": "How many weights?", "reference_answer": 40, "category": "easy", "depends_on": 1, "answerable": True}

    found = read_questions(json.dumps({"questions": [entry, entry]}))

    assert found is not None and [(one.answer, one.type, one.depends_on) for one in found] == [("40", "easy", None)] * 2


def test_answers_and_opinions_go_by_number_and_never_by_place() -> None:
    """Out of order they are the same; a number twice, one not asked, none: unreadable. What it leaves out is not there."""
    said = {"own_answer": "x", "agrees": True}
    swapped = json.dumps({"checks": [{"number": 2, **said, "agrees": False}, {"number": 1, **said}]})
    found = read_opinions(swapped, 2)

    assert found is not None and [found[n].agrees for n in range(2)] == [True, False]
    assert [*(read_opinions(json.dumps({"checks": [{"number": 2, **said}, {"number": 1, "agrees": "?"}]}), 2) or ())] == [1]
    for numbers in ([], [1, 1], [1, 3], [0, 1], ["1", 2], [True, 2], [None, 2]):
        assert read_opinions(json.dumps({"checks": [{"number": n, **said} for n in numbers]}), 2) is None
    assert read_opinions(json.dumps({"checks": [{"number": 1, "agrees": "yes"}]}), 1) is None
    known = json.dumps({"answers": [{"number": 2, "answer": "port"}, {"number": 1, "answer": "Unknown."}]})
    assert read_answers(known, 3) == {1: "port"}
    assert read_answers(known, 1) is None


@few
@given(any_text)
def test_no_text_crashes_the_reading(text: str) -> None:
    """Whatever a model writes is questions, or None."""
    for wrapped in (text, f'{{"turns": [{text}]}}', json.dumps({"turns": [{"question": text, "answer": text}]})):
        read_turns(wrapped)
        read_questions(wrapped)


# ------------------------------------------------------------------------------------------------------------------- sifting


def sifted(*turns: dict[str, Any], wanted: int = 3, text: str = TEXT) -> list[Sifted]:
    drafts = read_turns(conversation(*turns))
    assert drafts is not None
    return sift_turns(drafts, MaterialPiece(text, 0, text, turns=wanted))


def test_a_sound_conversation_is_kept() -> None:
    """Its quotes are the text's own words."""
    found = sifted(FIRST, LATER, LAST)

    assert [one.why for one in found] == ["", "", ""]
    assert all(one.quote in TEXT for one in found)


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ({**FIRST, "quote": "grinds oats on Sundays"}, "its quote is not in the text"),
        ({**FIRST, "quote": ""}, "it has no quote"),
        ({**FIRST, "quote": "x" * 301}, "its quote has 301 characters"),
        ({**FIRST, "answer": "on 17 Mondays"}, "the number 17 of its answer is not in the text"),
        ({**FIRST, "question": "Does the mill of Ardle grind rye on Mondays?"}, "the question says its answer"),
        ({**FIRST, "question": "What does this section say about the mill?"}, "it does not stand alone"),
        ({**FIRST, "question": "Когда мельница мелет рожь?"}, "it is written in Cyrillic letters"),
        ({**FIRST, "type": "unanswerable"}, "cannot be answered, and is not the last"),
    ],
)
def test_what_does_not_hold_is_dropped_with_its_reason(turn: dict[str, Any], why: str) -> None:
    """And what builds on it falls with it."""
    found = sifted(turn, LATER, {**LAST, "depends_on": None})

    assert found[0].why.startswith(why)
    assert found[1].why == BUILDS_ON_DROPPED


def test_a_conversation_goes_on_asks_each_thing_once_and_no_more_than_was_wanted() -> None:
    """What repeats another question, what is too much, and turns of which none builds on another."""
    again = {**FIRST, "type": "follow-up", "depends_on": 1}
    alone = [FIRST, {**LATER, "question": "When was the wheel of Ardle's mill built?", "depends_on": None, "type": "fact"}]

    assert [one.why for one in sifted(FIRST, again, LATER)] == ["", "asks what another question asks", ""]
    assert [one.why for one in sifted(FIRST, LATER, LAST, wanted=2)][2] == "more than were asked for"
    assert {one.why for one in sifted(*alone)} == {"no question of its conversation builds on another"}
    assert [one.why for one in sifted(FIRST)] == [""]


def test_of_each_category_no_more_are_kept_than_wanted() -> None:
    """Nor one that nobody asked for; those of earlier rounds count."""
    schema = QuestionSchema(categories=(Category(name="when", count=1), Category(name="what", count=1)))
    piece = MaterialPiece(TEXT, 0, TEXT, schema=schema)
    entries = [
        ("when", FIRST), ("when", {**LATER, "question": "When was the wheel of Ardle's mill built?"}),
        ("how", {"question": "How many weights does the miller of Ardle keep?", "answer": "40", "quote": "keeps 40 weights"}),
    ]  # fmt: skip
    said = json.dumps({"questions": [{**one, "category": c, "reference_answer": one["answer"]} for c, one in entries]})
    drafts = read_questions(said)
    assert drafts is not None

    first = sift_questions(drafts, piece, [])
    later = sift_questions(drafts[:1], piece, first)

    assert [one.why.partition(":")[0] for one in first] == ["", "more than were asked for", "of no category that was asked for"]
    assert later[0].why == "asks what another question asks" and later[0].place == 3
    assert [one["name"] for one in piece.lacking([one.draft.type for one in first if not one.why])] == ["what"]


# ------------------------------------------------------------------------------------------------------------------ the example

SCRIPTS = [
    "abcdefg hij klm. nop",
    "äöüß ÄÖ. abc de",
    "где что как. рожь",
    "日本語文書港船。税関は",
    "0123456789 ,.-",
    "!?… “”\f\n abc.",
    "مرحبا. كيف",
]


@pytest.mark.parametrize("seed", quick_first(range(60), 6))
def test_the_example_of_any_text_is_kept(seed: int) -> None:
    """Plans rest on it: each of its questions is read and passes every rule, in every script, with pages or without."""
    dice = random.Random(seed)
    letters = SCRIPTS[seed % len(SCRIPTS)]
    text = "".join(dice.choice(letters) for _ in range(dice.randint(200, 1500)))
    schema = QuestionSchema(categories=tuple(Category(name=f"sort {n}", count=dice.randint(1, 4)) for n in range(4)))
    talk, single = MaterialPiece(text, 0, text, turns=dice.randint(1, 6)), MaterialPiece(text, 0, text, schema=schema)

    turns, questions = read_turns(example_reply(talk)), read_questions(example_reply(single))

    assert turns is not None and [one.why for one in sift_turns(turns, talk)] == [""] * talk.turns
    assert questions is not None and [one.why for one in sift_questions(questions, single, [])] == [""] * single.wanted


OVER = "The mill of Ardle grinds rye\nMill Report\fPage 2\non Mondays. Its wheel was built in 1874."
RUNNING = tuple(
    LeftOut(page, OVER.index(words), OVER.index(words) + len(words)) for page, words in ((1, "Mill Report"), (2, "Page 2"))
)
LEAN = without_running(OVER, RUNNING).text


@pytest.mark.parametrize("shown", ["whole", "passage"])
@pytest.mark.parametrize(
    ("quote", "parts"),
    [
        ("mill of Ardle grinds rye on Mondays", ["mill of Ardle grinds rye", "on Mondays"]),
        ("grinds rye Mill Report Page 2 on Mondays", ["grinds rye\nMill Report\fPage 2\non Mondays"]),
        ("wheel was built in 1874", []),
        ("grinds rye Page 2 on Mondays", None),
        ("grinds rye on Tuesdays", None),
    ],
)
def test_a_quote_may_run_over_a_pages_end(quote: str, parts: list[str] | None, shown: str) -> None:
    """With or without the running lines between, whichever of the two was shown; by its offsets it is found again."""
    whole = MaterialPiece(OVER, 0, OVER, paged=True, turns=1, left_out=RUNNING)
    piece = whole if shown == "whole" else MaterialPiece(LEAN, 0, OVER, paged=True, turns=1, end=len(OVER), left_out=RUNNING)
    (draft,) = read_turns(conversation({**FIRST, "answer": "x", "quote": quote})) or ()
    (found,) = sift_turns([draft], piece)

    if parts is None:
        assert found.why == "its quote is not in the text"
        return
    assert found.why == "" and [OVER[start:end] for start, end in found.quote_at] == parts
    assert found.page == (2 if not parts else 1)
    assert "".join(found.quote.split()) == "".join(quote.split())


def test_without_running_lines_on_file_a_quote_may_not_leap_over_them() -> None:
    """Of an older run it is not known what they are: a quote that could not be found again is refused."""
    piece = MaterialPiece(OVER, 0, OVER, paged=True, turns=1)
    (draft,) = read_turns(conversation({**FIRST, "answer": "x", "quote": "mill of Ardle grinds rye on Mondays"})) or ()

    assert [one.why for one in sift_turns([draft], piece)] == ["its quote is not in the text"]


@given(any_text)
def test_a_passage_is_read_in_the_whole(text: str) -> None:
    """Whatever lines are left out of it, the first reading of a passage is what is shown, and its places are the document's."""
    lines = text.split("\n")
    places = [
        (sum(map(len, lines[:n])) + n, line) for n, line in enumerate(lines) if line and len(line) % 3 == 0 and "\f" not in line
    ]
    out = tuple(LeftOut(1, at, at + len(line)) for at, line in places)
    lean = without_running(text, out)
    shown = lean.text.strip()
    if not shown:
        return
    first = lean.text.index(shown)
    start, end = lean.span(first, first + len(shown))
    piece = MaterialPiece(shown, start, text, end=end, left_out=out)

    assert piece.readings[0].text == shown
    assert all(text[start + one.place(at)] == sign for one in piece.readings for at, sign in enumerate(one.text))
