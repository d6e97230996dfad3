"""A press in the benchmark of the app is measured until its effect is on the screen, and one without an effect fails loudly."""

from __future__ import annotations

from collections.abc import Iterator

import pyte
import pytest
from key_effects import (
    EffectError,
    Step,
    another_entry,
    another_question,
    another_row,
    changed,
    filtered,
    page,
    pictured,
    press,
    require_calm,
    says,
    stepped,
    typed,
)
from terminal import Terminal

TOY = """
import os, sys, time, tty
tty.setraw(0)
def write(text):
    os.write(1, text.encode())
write("\\x1b[2J\\x1b[1;1Hready")
while (key := os.read(0, 1)) != b"q":
    write("\\x1b[24;1H.")
    time.sleep(0.1)
    if key == b"e":
        write("\\x1b[3;1Heffect")
    if key == b"t":
        write("\\x1b[5;1Htorn \\x1b[")
        time.sleep(0.1)
        write("6;1Hwhole")
"""


@pytest.fixture
def toy() -> Iterator[Terminal]:
    """A program that answers each key with a byte at once, and some of them with an effect a tenth of a second later."""
    with Terminal([], program=["-c", TOY]) as terminal:
        terminal.wait_for("ready")
        yield terminal
        terminal.send("q")
        terminal.end()


def test_a_press_is_measured_until_its_effect(toy: Terminal) -> None:
    measured = press(toy, Step("e", "effect", says(2, "effect")))
    assert measured.action == "effect"
    assert 100 <= measured.effect < 2000
    assert measured.first <= measured.effect - 50
    assert 0 <= measured.alone <= measured.effect


def test_an_effect_in_several_pieces_counts_from_its_last(toy: Terminal) -> None:
    assert press(toy, Step("t", "torn", says(5, "whole"))).effect >= 200


def test_a_press_without_its_effect_fails_with_the_screen(toy: Terminal) -> None:
    with pytest.raises(EffectError, match=r"nothing \('n'\): no effect within 0.5 s; on the screen stands\nready"):
        press(toy, Step("n", "nothing", says(2, "effect")), patience_s=0.5)


def test_an_effect_that_stands_already_is_none(toy: Terminal) -> None:
    with pytest.raises(EffectError, match="stood before the key"):
        press(toy, Step("e", "effect", says(0, "ready")))


def test_an_effect_that_comes_without_its_key_is_none(toy: Terminal) -> None:
    require_calm(toy, [Step("e", "effect", changed())])
    toy.send("e")
    with pytest.raises(EffectError, match="came without the key"):
        require_calm(toy, [Step("e", "effect", changed())])


def test_a_program_that_ends_has_no_effect(toy: Terminal) -> None:
    with pytest.raises(EffectError, match="no effect"):
        press(toy, Step("q", "end", says(2, "effect")))


# predicates


def screen_of(*lines: str) -> pyte.Screen:
    """A screen with these lines; `[..]` in the first one is highlighted."""
    screen = pyte.Screen(60, 8)
    first, *others = lines
    text = "\r\n".join([first.replace("[", "\x1b[7m").replace("]", "\x1b[m"), *others])
    pyte.Stream(screen).feed(text)
    return screen


HEAD = "tui-eval  1 Models [ 3 Run ] 6 Log"


def test_a_cursor_that_steps_is_told_from_a_text_that_changes() -> None:
    before = screen_of(HEAD, "run", " a 1", "›b 2", " c 3")
    down, up, row = stepped(1)(before), stepped(-1)(before), another_row(before)
    ticked = screen_of(HEAD, "run", " a 7", "›b 2", " c 9")
    lower = screen_of(HEAD, "run", " a 1", " b 2", "›c 3")
    assert [holds(ticked) for holds in (down, up, row)] == [False, False, False]
    assert [holds(lower) for holds in (down, up, row)] == [True, False, True]
    assert not row(screen_of(HEAD, "run", " a 1", " b 2", " c 3"))


def test_a_page_stands_when_its_tab_first_row_and_keys_do() -> None:
    holds = page("3 Run", "running", "Stop")(screen_of("x"))
    assert holds(screen_of(HEAD, "▶ running", "", "", "", "", "", "x Stop"))
    assert not holds(screen_of(HEAD, "▶ running", "", "", "", "", "", "f Follow"))
    assert not holds(screen_of(HEAD.replace("[ 3 Run ]", "3 Run"), "▶ running", "", "", "", "", "", "x Stop"))


@pytest.mark.parametrize(
    ("head", "text", "applied"),
    [
        ("20 of 100 lines", "sc", True),
        ("20 of 100 lines", "s", False),
        ("90 of 100 lines", "sc", False),
        ("0 of 100 lines, 0 % looked at", "sc", False),
        ("3 of 100 lines, 3 % looked at", "sc", False),
        ("38 of 100 lines, 40 % looked at", "sc", False),
        ("1,990 of 9,980 lines, 40 % looked at", "sc", True),
    ],
)
def test_a_filter_is_applied_when_it_is_typed_and_lets_less_through(head: str, text: str, applied: bool) -> None:
    before = screen_of(HEAD, "run  100 of 100 lines", "", "", "", "s", "status", "keys")
    after = screen_of(HEAD, f"run  {head}", "", "", "", text, "status", "keys")
    assert filtered("sc", narrower=True)(before)(after) is applied
    assert typed(text)(before)(after)


def test_a_filter_that_loses_a_letter_lets_more_through() -> None:
    before = screen_of(HEAD, "run  20 of 100 lines", "", "", "", "sc", "status", "keys")
    assert not filtered("s", narrower=False)(before)(screen_of(HEAD, "run  20 of 100 lines", "", "", "", "s"))
    assert filtered("s", narrower=False)(before)(screen_of(HEAD, "run  90 of 100 lines", "", "", "", "s"))


def test_an_inspector_has_another_entry_by_its_heading_whatever_the_number_of_entries() -> None:
    holds = another_entry(screen_of(HEAD, "simulated  run", "list │ ok  simulated  q2 · 1.2 s  4 of 5,047 │"))
    assert not holds(screen_of(HEAD, "simulated  running", "list │ ok  simulated  q2 · 1.2 s  4 of 5,1… │"))
    assert not holds(screen_of(HEAD, "simulated  running", "list"))
    assert holds(screen_of(HEAD, "simulated  run", "list │ ok  simulated  q2 · 1.2 s  5 of 5,047 │"))
    assert holds(screen_of(HEAD, "simulated  run", "list │ ok  simulated  q3 · 1.…"))


def test_an_inspector_has_another_question_by_its_number() -> None:
    holds = another_question(screen_of(HEAD, "run", "list │ Q 2  What?"))
    assert not holds(screen_of(HEAD, "run", "list │ Q 2  What?"))
    assert holds(screen_of(HEAD, "run", "list │ Q 3  Where?"))


def test_a_picture_is_told_by_its_half_blocks() -> None:
    holds = pictured(screen_of(HEAD))
    assert holds(screen_of(HEAD, "run", "── cargo.png", "▀▀▀▀"))
    assert not holds(screen_of(HEAD, "run", "── cargo.png"))
