"""One grammar for the filters of all lists, in one table."""

from __future__ import annotations

import random

import pytest

from tui_eval.reading.queries.list_query import ListQuery, Value

ROW: dict[str, Value] = {
    "model": "GPT-mini", "state": "done", "score": 0.5, "cost": "$0.0429 sim", "right": "90.0 %", "n": "1,024", "why": None,
    "name": "word problems",
}  # fmt: skip
ANYWHERE = "\n".join(str(value) for value in ROW.values()).casefold() + "\nhttp://127.0.0.1:8000/v1"


def shown(name: str) -> str:
    """What stands on the screen."""
    return str("-" if ROW[name] is None else ROW[name]).casefold() if name else ANYWHERE


FOUND = {
    "": True,
    "mini": True,
    "MINI done": True,
    "mini failed": False,
    '"word problems"': True,
    '"word problem': True,
    "model:mini": True,
    "model:MINI": True,
    "model:done": False,
    "model=gpt-mini": True,
    "model=mini": False,
    'name="Word Problems"': True,
    "!model:mini": False,
    "!flash": True,
    "!": True,
    "model:": True,
    "score<0.6": True,
    "score<0.5": False,
    "score<=0.5": True,
    "score>=0.5": True,
    "score>0.5": False,
    "score=0.5": True,
    "score=.50": True,
    "!score<0.6": False,
    "!score>0.6": True,
    "score<": True,
    "score<high": True,
    "cost<0.05": True,
    "cost>$0.05": False,
    "right>=90": True,
    "right>90": False,
    "n>1000": True,
    "n=1024": True,
    "why<5": False,
    "why>5": False,
    "!why<5": False,
    "why=-": True,
    "!why=-": False,
    "score=-": False,
    "http://127.0.0.1:8000": True,
    "8000/v1": True,
    "mdoel:mini": False,
}
"""By query: whether the row is asked for."""

HINTS = {
    "mdoel:mini": "no field mdoel; did you mean model?",
    "Scor<0.5": "no field Scor; did you mean score?",
    "zzz:1": "no field zzz; fields are cost, model, n, name, right, score, state, why",
    "http://x": "",
    "mini": "",
    "model:mini": "",
    "zzz:": "",
}


@pytest.mark.parametrize("text", FOUND)
def test_what_a_query_finds(text: str) -> None:
    assert ListQuery.parse(text, ROW).matches(ROW.get, shown) is FOUND[text]


@pytest.mark.parametrize("text", HINTS)
def test_a_field_that_is_none_names_the_nearest(text: str) -> None:
    assert ListQuery.parse(text, ROW).hint == HINTS[text]


def test_any_text_is_a_query_and_more_terms_never_find_more() -> None:
    """Of texts at random: none fails, each with a term more asks for no row that it did not ask for without."""
    chance = random.Random(40)
    pieces = [*FOUND, "!", '"', "<", ">=", ":", "=", "é", "\x1b[2J", "0", "model", "score"]
    for _ in range(4_000):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 5)))
        more = f"{text} {chance.choice([*FOUND])}"
        assert (
            ListQuery.parse(text, ROW).matches(ROW.get, shown)
            or text.count('"') % 2
            or not ListQuery.parse(more, ROW).matches(ROW.get, shown)
        )


def test_a_term_and_its_opposite_share_no_row() -> None:
    """And only a comparison leaves out rows of both: those without a number."""
    for text in FOUND:
        (term, *rest), *_ = [ListQuery.parse(text, ROW).terms or (None,)]
        if term is None or rest or text.startswith("!"):
            continue
        both = [ListQuery.parse(each, ROW).matches(ROW.get, shown) for each in (text, f"!{text}")]
        assert sum(both) == 1 or (text.startswith("why") and sum(both) == 0), text
