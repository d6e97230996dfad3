"""Laws of prompts: what is filled in is never filled again, and no other brace is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.core.errors import ConfigError
from tui_eval.reading.prompts import check_slots, fill

HOSTILE = "{answer} {0} {question.__class__} {question!r} {question:>9} {{question}} \\1 \\g<0> $question %s"


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{question}", "Q"),
        ("{question}{question}", "QQ"),
        ("{question} {answer}", "Q A"),
        ("{{question}}", "{Q}"),
        ('{"key": {question}}', '{"key": Q}'),
        ("{other} {} {0} {Question} { question }", "{other} {} {0} {Question} { question }"),
        ("{question.upper} {question!r} {question:>99}", "{question.upper} {question!r} {question:>99}"),
        ("{question", "{question"),
        ("question}", "question}"),
        ("", ""),
    ],
)
def test_only_declared_names_in_braces_are_slots(template: str, filled: str) -> None:
    """Everything but {question} and {answer} stays as it is written: no formatting, no attributes, no doubling."""
    assert fill(template, {"question": "Q", "answer": "A"}) == filled


def test_what_is_filled_in_is_not_filled_again() -> None:
    """A question that speaks of {answer} does not get the answer, in whatever order the slots are declared."""
    slots = {"question": HOSTILE, "answer": "{question}"}

    for order in (slots, dict(reversed(slots.items()))):
        assert fill("<{question}|{answer}>", order) == f"<{HOSTILE}|{{question}}>"


@few
@given(st.lists(st.sampled_from(["{a}", "{b}", "{c}", "{", "}", "x", "{a", "ab}"]), max_size=12), any_text, any_text)
def test_filling_is_one_pass_over_the_template(parts: list[str], a: str, b: str) -> None:
    """The result is the template's own pieces in their order, with the two slots' texts in their places, unread."""
    template = "".join(parts)
    pieces = template.replace("{a}", "\x00A\x00").replace("{b}", "\x00B\x00").split("\x00")

    filled = fill(template, {"a": a, "b": b})

    assert filled == "".join({"A": a, "B": b}.get(piece, piece) for piece in pieces)


def test_without_slots_nothing_changes() -> None:
    """A prompt that has no slots is used as it stands."""
    assert fill(HOSTILE, {}) == HOSTILE


def test_a_slot_name_is_no_pattern() -> None:
    """A name is matched letter by letter."""
    assert fill("{a.b} {axb} {a+}", {"a.b": "1", "a+": "2"}) == "1 {axb} 2"


def test_a_prompt_must_have_its_slots() -> None:
    """A prompt without a slot it needs is refused, with the prompt's name and every slot that is missing."""
    with pytest.raises(ConfigError) as caught:
        check_slots("judge_user", "{question} {document", ["question", "document", "answers"])

    assert "'judge_user'" in str(caught.value)
    assert "{document}, {answers}" in str(caught.value)
    assert "{question}" not in str(caught.value)


def test_a_prompt_with_all_its_slots_is_accepted() -> None:
    """Slots may stand anywhere, more than once, beside others."""
    check_slots("judge_user", "{{question}} {x} {answers}{answers}", ["question", "answers"])

    assert fill("{{question}}", {"question": "?"}) == "{?}"
