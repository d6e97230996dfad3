"""Laws of ratings by which scorers are compared: each is there at once, the latest counts, and only one's own is removed."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tui_eval.runs.scorer_ratings import SCORER_RATINGS, ReplyPlace, ScorerRating, add_rating, remove_rating, scorer_ratings

FIRST = ScorerRating("q1", 0, "answer", "one", 0, 0, 1, "2026-01-02T03:04:05Z", "kim", "agree", 0.75, 90, "0a1b2c3d")


def test_ratings_are_added_removed_and_read_again(tmp_path: Path) -> None:
    """A line for each, in the agreed form; the latest of a person counts, and others' stay."""
    assert scorer_ratings(tmp_path) == {}
    lines = (FIRST, replace(FIRST, person="ada", right=None), replace(FIRST, right=0), replace(FIRST, part=1))
    for rating in lines:
        add_rating(tmp_path, rating)
    assert [json.loads(line) for line in (tmp_path / SCORER_RATINGS).read_text().splitlines()] == [*map(asdict, lines)]
    assert [*scorer_ratings(tmp_path).values()] == [lines[2], lines[1], lines[3]]
    assert FIRST.place == ReplyPlace("q1", 0, "answer", "one", 0)
    remove_rating(tmp_path, FIRST)
    assert [*scorer_ratings(tmp_path).values()] == [lines[1], lines[3]]


@pytest.mark.parametrize(
    "change",
    [{"right": 2}, {"right": True}, {"right": "1"}, {"weight": 0}, {"weight": None}, {"of": -1}, {"repeat": 1.5}, {"person": 7},
     {"stratum": None}],
)  # fmt: skip
def test_what_is_no_rating_is_in_nobodys_way(change: dict[str, object], tmp_path: Path) -> None:
    """Nor is a torn line, or anything else but an object."""
    lines = ["{", "[]", "[" * 100_000, json.dumps({**asdict(FIRST), **change}), json.dumps({"item_id": "q1"})]
    (tmp_path / SCORER_RATINGS).write_text("\n".join(lines))
    assert scorer_ratings(tmp_path) == {}
    add_rating(tmp_path, FIRST)
    assert scorer_ratings(tmp_path) == {FIRST.key: FIRST}
