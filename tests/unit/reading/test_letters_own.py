"""Laws of a person's own patterns: the first that finds a letter decides, mistakes are told, none runs for ever."""

from __future__ import annotations

import re
import time
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase

import pytest
from choices import drive, ended, entry, load_choice, record, refused
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.core.calls import Call, Reply
from tui_eval.reading.letters import read_letter
from tui_eval.reading.letters.own import (
    HEAD,
    LONGEST_PATTERN,
    TAIL,
    place_of,
    problem_of,
    read_by_patterns,
    searched_text,
    version_of,
)
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

ANSWER, BRACKET, ANY = r"(?i)answer is:? (\S+)", r"\(([A-Za-z])\)", r"([A-Za-z]+)"
READ = {
    "the first pattern that finds one": ("The answer is B, not (C)", [ANSWER, BRACKET], "B", "patterns[0]"),
    "a later one where the first finds none": ("It is (C)", [ANSWER, BRACKET], "C", "patterns[1]"),
    "the last place of the pattern": ("The answer is A. No, the answer is D.", [ANSWER], "D", "patterns[0]"),
    "signs around the letter": ('The answer is "B".', [ANSWER], "B", "patterns[0]"),
    "a small letter alone": ("so (c)", [BRACKET], "C", "patterns[0]"),
    "no small letter with signs": ("The answer is b.", [ANSWER], None, "no_letter"),
    "no letter of another option": ("The answer is E", [ANSWER], None, "no_letter"),
    "another place where a letter is none": ("The answer is A. The answer is unclear", [ANSWER], "A", "patterns[0]"),
    "a word is no letter": ("Because", [ANY], None, "no_letter"),
    "mark-up is left out": ("The **answer** is `B`", [ANSWER], "B", "patterns[0]"),
    "thinking is left out": ("<think>The answer is A</think>The answer is B", [ANSWER], "B", "patterns[0]"),
    "thinking that never ends": ("<think>The answer is A", [ANSWER], None, "truncated_reasoning"),
    "nothing": (" \n", [ANSWER], None, "empty"),
    "a group that took no part": ("yes", [r"(?:yes|answer ([A-D]))"], None, "no_letter"),
}
WRONG = {
    "": "is empty",
    "(a": "not a regular expression at character 1",
    "x(*)": "not a regular expression at character 3",
    "answer": "has no group",
    "(a)(b)": "has 2 groups",
    "[[a]([A-D])": "nested set",
    r"(a{9999999999999})": "too large",
    "(" + "a" * LONGEST_PATTERN + ")": "are the most",
    "(?x) ([A-D]) # letter": "flag x",
    r"^(?:\w+\s*)*([A-D])$": "for ever",
    r"(?:(?:a+)b)*([A-D])": "for ever",
    r"((?:a|b+){2,}c)": "for ever",
    r"(?:x*){11}([A-D])": "for ever",
    r"(?:a|a)*([A-D])": "for ever",
    r"(?:a?b?)*([A-D])": "for ever",
    r"\w*\w*([A-D])": "for ever",
    r"(?:(?:(?:a|b){1,99}){1,99}){1,99}([A-D])": "for ever",
    r".*answer.*([A-D])": "for ever",
    r"(?:\w*\w*\w*!)*+([A-D])": "for ever",
    r"(?=.*x.*y)([A-D])": "for ever",
    r".*(?>\w*!)([A-D])": "for ever",
}
SOUND = (
    *(ANSWER, BRACKET, ANY, r"([A-D])\W*$", r"(?:the |my )*answer: ([A-Z])", r"(?:\w++ )*([A-D])", r"^\W*([A-D])\W*$"),
    *(r"(?:\w+\s*)*+([A-D])", r"(?>a+b)*([A-D])", r"(?:\w++ ){0,5}([A-D])", r"[(+*]+\(([A-D])\)", r"\(+([A-D])(?#x+)"),
    *(r"(?P<letter>[A-Z])(?=\.|$)", r"(?:\d{4} )*([A-D])", r"(?i)answer\s*(?:is|:)?\s*:?\s*[(*]*\s*([A-D])\b"),
    *(
        r"(?s)answer.*?([A-D])",
        r"(?i).{0,40}answer.{0,40}([A-D])",
        r".*answer.{0,30}([A-D])",
        r"x{}([A-D]){,2}",
        r"\(?x[(?x]([A-D])",
    ),
)


@pytest.mark.parametrize(("text", "patterns", "letter", "how"), READ.values(), ids=list(READ))
def test_what_patterns_read(text: str, patterns: list[str], letter: str | None, how: str) -> None:
    """Which letter, by which pattern; or none, and why."""
    reading = read_by_patterns(text, 4, patterns)

    assert (reading.letter, reading.pattern if letter else reading.reason) == (letter, how)


@few
@given(st.lists(st.tuples(st.sampled_from(["answer is ", "(", "or "]), st.sampled_from(ascii_letters)), max_size=6), any_text)
def test_the_marked_place_is_the_letter_that_was_read(parts: list[tuple[str, str]], more: str) -> None:
    """Where a pattern found its letter stands that letter, and no later place of the pattern holds an option's letter."""
    text = " ".join(cue + letter + (")" if cue == "(" else "") for cue, letter in parts) + f"\n{more}"
    reading = read_by_patterns(text, 4, [BRACKET])
    place, searched = place_of(text, reading.letter or "", BRACKET), searched_text(text) or ""

    assert (place is None) == (reading.letter is None)
    if place is not None:
        start, end = place
        assert searched[start:end].upper() == reading.letter
        assert not [m for m in re.finditer(BRACKET, searched[end:]) if m[1].upper() in "ABCD"]


@few
@given(any_text, st.integers(2, 26))
def test_no_letter_beyond_the_options(text: str, n: int) -> None:
    """Whatever a reply says, only the letters of its options are read."""
    for patterns in ([ANY, r"(\S+)"], [r"(?s)(.)"]):
        reading = read_by_patterns(text, n, patterns)
        assert reading.letter is None or reading.letter in ascii_uppercase[:n]
        assert bool(reading.reason) == (reading.letter is None)


@pytest.mark.parametrize("fallback", ["robust", "formationeval-v0.1"])
def test_what_no_pattern_reads_is_left_to_the_fallback(fallback: str) -> None:
    """Where no pattern finds a letter the fallback's reading stands, letter and pattern; where one does, its own."""
    for text in ("Answer: C", "I would go with B", "", "The answer is D"):
        own = read_by_patterns(text, 4, [ANSWER])
        expected = own if own.letter else read_letter(text, 4, (), fallback)
        assert read_letter(text, 4, (), "patterns", [ANSWER], fallback) == expected


@pytest.mark.parametrize(("pattern", "words"), WRONG.items())
def test_a_mistake_is_told_with_its_place(pattern: str, words: str) -> None:
    """What is no regular expression, has not one group, or could run for ever is told before anything is read."""
    assert words in problem_of(pattern)


@pytest.mark.parametrize("pattern", SOUND)
def test_what_is_sound_is_taken(pattern: str) -> None:
    """Nothing is said against patterns that people write."""
    assert problem_of(pattern) == ""


@few
@given(st.one_of(any_text, st.text(st.sampled_from("ab()[]{}?*+|\\,:^$.=!<>#-1P"), max_size=30)))
def test_no_text_is_too_odd_to_be_judged(pattern: str) -> None:
    """Any text is either told what is wrong with it, or is a pattern that can be searched with."""
    if problem_of(pattern) == "":
        assert re.compile(pattern).groups == 1
        read_by_patterns("The answer is (A)", 4, [pattern])


def test_long_replies_are_searched_at_both_ends() -> None:
    """At most so many characters are searched, the first and the last; what stands in between is not."""
    middle = f"{'x ' * 3000}The answer is C{' x' * 3000}"

    assert len(searched_text(middle) or "") <= HEAD + TAIL + 3
    assert read_by_patterns(middle, 4, [ANSWER]).letter is None
    assert read_by_patterns(f"The answer is A {middle}", 4, [ANSWER]).letter == "A"
    assert read_by_patterns(f"{middle} The answer is B", 4, [ANSWER]).letter == "B"


SLOWEST = {
    "what begins everywhere": (r"\w*\w{0,9}!([A-D])", "a" * 200_000),
    "what is found again and again": (r"(?i).*answer.{0,30}([A-D])\.", "answer is " * 20_000),
    "what begins once": (r"^.*.*!(A)", "(" * 200_000),
}


@pytest.mark.parametrize(("pattern", "text"), SLOWEST.values(), ids=list(SLOWEST))
def test_the_most_work_that_may_be_made_is_done_in_time(pattern: str, text: str) -> None:
    """Of patterns that are taken, those that make the most of it are done with the worst of replies within seconds."""
    assert problem_of(pattern) == ""
    began = time.process_time()

    read_by_patterns(text, 4, [pattern])

    assert time.process_time() - began < 40.0


def test_two_lists_are_two_rules() -> None:
    """The version tells lists, orders and fallbacks apart, and is the same for the same ones."""
    versions = [
        version_of(*each)
        for each in (([ANSWER], "none"), ([ANSWER], "robust"), ([ANSWER, ANY], "none"), ([ANY, ANSWER], "none"))
    ]

    assert len(set(versions)) == len(versions)
    assert version_of((ANSWER,), "none") == versions[0]
    assert all(re.fullmatch(r"[0-9a-f]{8}", version) for version in versions)


# ---------------------------------------------------------------------------------------------------- in a run


def own(*patterns: str, fallback: str = "none") -> str:
    """Lines of the choice table."""
    listed = ", ".join(f"'{pattern}'" for pattern in patterns)
    return f'extraction = "patterns"\npatterns = [{listed}]\npatterns_fallback = "{fallback}"'


def test_scores_name_the_pattern_and_the_list(tmp_path: Path) -> None:
    """A score says which pattern read its letter, and which list that pattern stands in."""
    loaded = load_choice(tmp_path, [entry("q1", 1)], names=("one",), choice=own(ANSWER, BRACKET))

    score = drive(loaded, lambda call: ended(call, "It is (b)"))[0].scores[0]

    assert (score.read, score.value, score.pattern) == ("B", 1, "patterns[1]")
    assert score.version == f"patterns-{version_of([ANSWER, BRACKET], 'none')}/1"


@pytest.mark.parametrize(
    ("fallback", "text", "read", "why"),
    [
        ("none", "The answer is B, beca", "B", ""),
        ("none", "Consider option B", None, "truncated"),
        ("robust", "Consider option B", None, "truncated"),
        ("robust", "Answer: B\nThat is beca", "B", ""),
        ("formationeval-v0.1", "Take option B", "B", ""),
    ],
)
def test_a_reply_that_was_cut(tmp_path: Path, fallback: str, text: str, read: str | None, why: str) -> None:
    """What a pattern matched stands; what the careful rule only guesses in a reply that breaks off does not."""
    loaded = load_choice(tmp_path, [entry("q1", 1)], names=("one",), choice=own(r"(?i)answer is (\w)\b", fallback=fallback))

    score = drive(loaded, lambda call: Reply(call, "ok", text=text, finish_reason="length"))[0].scores[0]

    assert (score.read, score.why) == (read, why)


def test_mistakes_name_their_place_in_the_config(tmp_path: Path) -> None:
    """A pattern that is none, and none at all, are refused with file, line and key."""
    said = refused(tmp_path, choice=own(ANSWER, "([A-D]"))
    assert "choice.toml:" in said and "choice.patterns[1]: is not a regular expression at character 1" in said
    assert "choice.patterns: extraction" in refused(tmp_path, choice='extraction = "patterns"')
    assert "choice.patterns" in refused(tmp_path, choice=own(*[f"(a{n})" for n in range(51)]))


def test_own_patterns_read_stored_replies(tmp_path: Path) -> None:
    """A run is re-scored by patterns that the command line gives; its own config has none."""
    record(tmp_path / "run", load_choice(tmp_path, names=("one",)), lambda call: ended(call, _says(call)))

    outcome, _, _ = rescoring.rescore(
        tmp_path / "run", Workspace(tmp_path), ["choice.extraction=patterns", f"choice.patterns=['{BRACKET}']"]
    )

    assert outcome.changes is not None
    assert {(row["read_before"], row["read_after"], row["pattern_after"]) for row in outcome.changes.rows} == {
        ("C", "D", "patterns[0]")
    }


def _says(call: Call) -> str:
    return f"Answer: C, though (d) was near. {ascii_lowercase}"
