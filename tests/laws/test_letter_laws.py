"""Laws of reading letters on generated replies: never a wrong letter, seldom an unread one, whatever stands around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

import pytest
from letter_replies.building import DECLARING, FAMILIES, generate
from letter_replies.laws import LAWS, Outcome, Violation
from letter_replies.model import Half, Reply
from letter_replies.seen import HALF
from letter_replies.table import BY_OTHERS, load_half, shipped_rule, tally, verdict_of

AIM = 0.02
"""Share of declared letters that may be unread, by ending and by letter, A apart; none may be wrong."""
LEFT: dict[str, int] = {}
"""Replies on which a law does not hold yet, of those that the suite tries."""
SOAKED_SHARE_LEFT = 0.001
"""Share of longer runs' replies on which a law may not hold: cuts in places where a stop and a mention look alike."""
HALVES = tuple(load_half(name) for name in ("aside", "third", "kept", *BY_OTHERS))
"""Halves by which the rule was not made: other questions, endings, sentences and languages, the last ones by other hands."""
OTHERS_LEFT = {
    "cut_anywhere": 0.02,
    **dict.fromkeys(("sentence_added", "labels_swapped", "unfinished_import", "wrapped", "cut_behind"), 0.005),
}
"""Shares of their replies on which a law does not hold yet, where more than of the seen half; they may only fall."""
PER_ENDING = 52
ASKED_OF = {"bare_letter_noted": ("bare",), "joined_ambiguous": ("joined",), "cut_behind": ("after", "around")}
"""The families that a law speaks of, where not all."""
READINGS = {"bare_letter_noted": 20}
"""How many readings a law is tried on in the suite, where not `MANY`."""
MANY = 600
SOAKED = 1_600

SOAKED_OTHERS = 30
"""How many replies of each family; all laws on all of them are the benchmark's (`benchmarks/letters.py`)."""

_rule = shipped_rule("robust")


class CountedRule:
    """The robust rule, and how often it was asked."""

    def __init__(self) -> None:
        self.n_readings = 0

    def __call__(self, text: str, n_options: int, texts: Sequence[str], finished: bool | None) -> Outcome:
        self.n_readings += 1
        return _rule(text, n_options, texts, finished)


def _declarations(ending: int, n: int) -> list[Reply]:
    """Replies with one ending, from all families that declare, mostly short."""
    rows = range(ending, ending + n * len(HALF.endings), len(HALF.endings))
    families = [family for family in DECLARING if family != "chain"]
    return [generate(HALF, "chain" if at % 14 == 13 else families[at % 7], index) for at, index in enumerate(rows)]


def _listed(violations: Sequence[Violation]) -> str:
    return "\n".join([f"{len(violations)} violations", *map(str, violations[:8])])


def _short_of_aim(counts: dict[str, Counter[str]]) -> list[str]:
    return [name for name, row in counts.items() if row["wrong"] or row["unread"] > AIM * sum(row.values())]


def test_the_generators_have_the_breadth_that_the_bounds_ask_for() -> None:
    """At least 40 endings and 8 option sets; replies hardly repeat; the same index builds the same reply."""
    assert len({ending.name for ending in HALF.endings}) == len(HALF.endings) >= 40
    assert len(HALF.option_sets) >= 8
    texts = [generate(HALF, "before", index).text for index in range(600)]
    assert len(set(texts)) > 560
    assert texts == [generate(HALF, "before", index).text for index in range(600)]


def test_what_an_ending_declares_is_read() -> None:
    """By ending, A apart."""
    replies = [reply for ending in range(len(HALF.endings)) for reply in _declarations(ending, PER_ENDING)]
    _, endings, _, _ = tally(_rule, replies)

    assert not _short_of_aim(endings), _short_of_aim(endings)


def test_what_a_reply_declares_is_read_whatever_the_letter() -> None:
    """By letter, A apart."""
    replies = [reply for ending in range(len(HALF.endings)) for reply in _declarations(ending, 14)]
    _, _, letters, _ = tally(_rule, replies)
    letters.pop("A")

    assert not _short_of_aim(letters), _short_of_aim(letters)


@pytest.mark.parametrize("name", LAWS)
def test_law(name: str) -> None:
    """Every law holds on replies of all families, but for as many as are left of it."""
    rule, violations = CountedRule(), []
    for index in count():
        for family in ASKED_OF.get(name, FAMILIES):
            broken = LAWS[name](rule, HALF, generate(HALF, family, index * 7))
            violations += [broken] if broken else []
        if rule.n_readings >= READINGS.get(name, MANY):
            break
    assert len(violations) <= LEFT.get(name, 0), _listed(violations)


@pytest.mark.soak
@pytest.mark.parametrize("name", LAWS)
def test_law_on_thousands_of_replies(name: str) -> None:
    """Every law holds on replies that the suite does not try, but for a share that may only fall."""
    replies = [generate(HALF, family, index) for family in FAMILIES for index in range(SOAKED // len(FAMILIES))]
    violations = [broken for reply in replies if (broken := LAWS[name](_rule, HALF, reply))]
    assert len(violations) <= SOAKED_SHARE_LEFT * len(replies), _listed(violations)


@pytest.mark.soak
def test_thousands_of_declarations_are_read() -> None:
    """By letter, and over all endings."""
    replies = [generate(HALF, family, index) for family in DECLARING for index in range(SOAKED // len(DECLARING))]
    _, endings, letters, _ = tally(_rule, replies)
    letters.pop("A")

    assert not _short_of_aim(letters), letters
    assert sum(row["wrong"] for row in endings.values()) == 0
    assert sum(row["unread"] for row in endings.values()) <= AIM * len(replies)


@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
def test_no_letter_is_wrong_in_other_halves(half: Half) -> None:
    """Replies of other questions, endings, sentences and languages than those that the rule was made with."""
    replies = [generate(half, family, index) for family in FAMILIES for index in range(40)]
    families, _, letters, _ = tally(_rule, replies)
    letters.pop("A")

    assert sum(row["wrong"] for row in families.values()) == 0, families
    assert sum(row["unread"] for row in letters.values()) <= AIM * sum(sum(row.values()) for row in letters.values())


@pytest.mark.soak
@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
@pytest.mark.parametrize("name", LAWS)
def test_law_on_other_halves(name: str, half: Half) -> None:
    """Every law holds on the halves that the rule was not made with, but for the share that may be left of the seen one."""
    replies = [generate(half, family, index) for family in FAMILIES for index in range(SOAKED_OTHERS)]
    violations = [broken for reply in replies if (broken := LAWS[name](_rule, half, reply))]
    left = max(SOAKED_SHARE_LEFT, OTHERS_LEFT.get(name, 0))
    assert len(violations) <= left * len(replies), _listed(violations)


def test_a_verdict_tells_right_from_unread_from_wrong() -> None:
    """A table that called everything right would hide what the laws look for."""
    reply = generate(HALF, "bare", 7)
    wrong = next(label for label in reply.options.labels if label != reply.reading)
    assert [verdict_of(reply, letter, "") for letter in (reply.reading, None, wrong)] == ["right", "unread", "wrong"]
