"""Replies that break off, tokens that a server left on, options that are letters, and two answers in one breath."""

from __future__ import annotations

import pytest

from tui_eval.reading.letters import SHARED, read_letter
from tui_eval.reading.letters.next_question import without_chat_tokens

METALS = ("Iron", "Copper", "Zinc", "Lead")
GRADES = ("B", "C", "D", "A")


@pytest.mark.parametrize(
    ("reply", "unknown", "cut"),
    [
        ("C", "C", "C"),
        ("C) Zinc", "C", "C"),
        ("Option C: Zinc", "C", None),
        ("The answer is C, because the", "C", "C"),
        ("Zinc", "C", None),
        ("I'd say zinc", "C", None),
        ("Option A is about iron, which", None, None),
        ("Option A: Iron is", None, None),
        ("Iron is a metal that corrodes, and", None, None),
        ("Let's look at the options. Option A", None, None),
        ("C) Zinc - inc", "C", None),
        ("It is C", "C", None),
        ("A is wrong, B is wrong, and D", None, None),
    ],
)
def test_a_reply_that_stops_in_the_middle_keeps_what_it_declares(reply: str, unknown: str | None, cut: str | None) -> None:
    """Of an import nobody knows whether it was cut: its end tells. Known to be cut, only a declared letter stands."""
    assert read_letter(reply, 4, METALS).letter == unknown
    assert read_letter(reply, 4, METALS, finished=False).letter == cut


def test_a_declared_letter_may_be_the_first_of_a_word() -> None:
    """`The answer is C|opper`: cut there, it says nothing; with a stop behind it, or where no text begins so, it does."""
    assert read_letter("The answer is C", 4, METALS, finished=False).reason == "truncated"
    assert read_letter("The answer is C.", 4, METALS, finished=False).letter == "C"
    assert read_letter("The answer is B", 4, METALS, finished=False).letter == "B"


@pytest.mark.parametrize(
    "reply",
    [
        "C<|im_end|>", "C</s>", "<|eot_id|>C", "C<end_of_turn>\n", "C<|endoftext|><|endoftext|>", "C[/INST]", "<s> C",
        "<|start_header_id|>assistant<|end_header_id|>\n\nC<|eot_id|>", "<start_of_turn>model\nC<end_of_turn>",
        "C<｜end▁of▁sentence｜>", "[|assistant|] C[|endofturn|]", "C<|END_OF_TURN_TOKEN|>", "C<extra_id_1>",
        "C<|im_end|>\n<|im_start|>user\nNext: which of B and D?<|im_end|>\n<|im_start|>assistant\nD",
        "C<|user|>\nAnd why not D?",
        "<|channel|>analysis<|message|>D?<|end|><|start|>assistant<|channel|>final<|message|>C<|return|>",
        "<|begin_of_thought|>D?<|end_of_thought|><|begin_of_solution|>C<|end_of_solution|>",
    ],
)  # fmt: skip
def test_tokens_of_chat_templates_are_no_part_of_a_reply(reply: str) -> None:
    """At either end, around it, and before the turn of somebody else, which the model made up."""
    assert read_letter(reply, 4).letter == "C"
    assert read_letter(reply, 4, METALS).letter == "C"


@pytest.mark.parametrize(
    "text", ["", "C", "a < b and b > c", "<b>C</b>", "x[0] | y", "$p < |q|$", "<|begin_of_box|>C<|end_of_box|>"]
)
def test_what_is_no_token_stays(text: str) -> None:
    """Mark-up, formulas and the tokens around a box."""
    assert without_chat_tokens(text) == text


@pytest.mark.parametrize("reply", ["C) D", "C: D", "C. D", "**C) D**", "C (D)", "C - D", "Option C: D", "The answer is C) D."])
def test_a_label_with_its_own_letter_behind_it_is_one_answer(reply: str) -> None:
    """D is the text of option C."""
    assert (read_letter(reply, 4, GRADES).letter, read_letter(reply, 4, GRADES).note) == ("C", "")


@pytest.mark.parametrize("reply", ["C", "Answer: C", "The answer is C."])
def test_a_bare_letter_that_is_also_a_text_is_the_label_and_noted(reply: str) -> None:
    """C is the text of option B."""
    assert (read_letter(reply, 4, GRADES).letter, read_letter(reply, 4, GRADES).note) == ("C", SHARED)


@pytest.mark.parametrize(
    "reply",
    [
        "Option A and Option C", "A) Iron and C) Zinc", "A) Iron\nC) Zinc", "A: Iron, C: Zinc", "- A) Iron\n- C) Zinc", "A/C",
        "Answer: A) Iron and C) Zinc", "Both A and C", "A, C",
    ],
)  # fmt: skip
def test_two_in_one_breath_are_ambiguous(reply: str) -> None:
    """Labels with and without their texts, joined by words, signs or lines."""
    assert read_letter(reply, 4, METALS).reason == "ambiguous"


@pytest.mark.parametrize("finished", [None, False])
def test_dots_of_who_cut_a_reply_are_no_end(finished: bool | None) -> None:
    """Within the first of options that are gone through nothing is declared; a letter that is, and one that leads, stand."""
    cut = [
        'Let us evaluate each option:\n\n**Option A:** "Iron is a metal that...',
        "Each in turn:\n\nA) Iron: this metal rusts and…",
    ]

    assert [read_letter(text, 4, METALS, finished=finished).letter for text in cut] == [None, None]
    assert read_letter("Answer: B...", 4, METALS, finished=finished).letter == "B"
    assert read_letter(cut[0], 4, METALS, finished=True).letter == "A"


METALS = ("Iron", "Copper", "Zinc", "Lead")
