"""Laws of thoughts inside a text: what stands before the answer is taken off, and nothing else ever is."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.providers.body import split_thinking

TAGS = [("<think>", "</think>"), ("<thinking>", "</thinking>")]
words = st.text(st.sampled_from("ab <>/\n"), max_size=12).filter(lambda text: "think" not in text)
pieces = st.lists(
    st.sampled_from(["<think>", "</think>", "<thinking>", "</thinking>", " ", "\n", "a", "<", "think>"]), max_size=8
)


@pytest.mark.parametrize(
    ("said", "text", "reasoning"),
    [
        ("two", "two", None),
        ("", "", None),
        (" \n", " \n", None),
        ("<think>hm</think>two", "two", "hm"),
        ("\n <think>\nhm\n</think>\n\ntwo\n", "two\n", "hm"),
        ("<thinking>hm</thinking> two", "two", "hm"),
        ("<think></think>two", "two", None),
        ("<think>\n\n</think>\n\ntwo", "two", None),
        ("<think>hm</think>", "", "hm"),
        ("<think>hm", None, "hm"),
        ("<thinking>hm</think>two", None, "hm</think>two"),
        ("<think>", None, None),
        ("hm\n</think>\n\ntwo", "two", "hm"),
        ("</think>two", "two", None),
        ("<think>a</think>two </think> three", "two </think> three", "a"),
        ("Write <think>hm</think> first.", "Write <think>hm</think> first.", None),
        ("Write <think> first.", "Write <think> first.", None),
        ("It ends with </thinking>.", "It ends with </thinking>.", None),
        ("<thinker>hm</thinker>two", "<thinker>hm</thinker>two", None),
    ],
)
def test_thoughts_before_an_answer_are_split_from_it(said: str, text: str | None, reasoning: str | None) -> None:
    """At the start between tags, or before a closing one that was never opened; elsewhere tags are words."""
    assert split_thinking(said) == (text, reasoning)


@few
@given(words, words, st.sampled_from(TAGS), st.sampled_from(["", " ", "\n\n"]))
def test_thoughts_and_answer_come_back(thoughts: str, answer: str, tags: tuple[str, str], space: str) -> None:
    """Whatever both say."""
    opening, closing = tags

    expected = answer.lstrip(), thoughts.strip() or None
    assert split_thinking(space + opening + thoughts + closing + space + answer) == expected
    assert split_thinking(space + opening + thoughts) == (None, thoughts.strip() or None)
    if closing == "</think>":
        assert split_thinking(thoughts + closing + space + answer) == expected


@few
@given(words, pieces)
def test_a_text_without_thoughts_is_left_as_it_is(beginning: str, rest: list[str]) -> None:
    """Once an opening tag stands behind other words, no tag that follows means anything."""
    text = f"a{beginning}<think>{''.join(rest)}"

    assert split_thinking(text) == (text, None)


@few
@given(pieces)
def test_nothing_is_invented_and_nothing_but_tags_and_space_is_lost(parts: list[str]) -> None:
    """Thoughts and text are pieces of what was said, in that order."""
    said = "".join(parts)

    text, reasoning = split_thinking(said)

    assert said.endswith(text or "")
    assert (reasoning or "") in said
    lost = said[: len(said) - len(text or "")].replace(reasoning or "\0", "", 1)
    assert not re.sub(r"</?think(?:ing)?>|\s", "", lost)


@pytest.mark.parametrize("unit", ["<think>", "</think", " ", "<thinking>", "<", "a</thinking>"])
def test_a_hostile_text_takes_no_more_time_than_its_length_asks_for(unit: str) -> None:
    """Megabytes of half a tag."""
    began = time.process_time()

    split_thinking(unit * 300_000)

    assert time.process_time() - began < 10
