"""Blind ratings of a scorer bench: which reply a person rates next, and what all persons' ratings come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import count_of
from tui_eval.reporting.scorer_bench import BenchAnswer, ScorerBench
from tui_eval.results.sums.scorers.scorer_bench import BenchReply, Ratings
from tui_eval.runs.scorer_ratings import ReplyPlace, ScorerRating, add_rating, remove_rating, scorer_ratings


@dataclass(frozen=True, slots=True)
class RatedReplies:
    """Ratings of a run's replies, one for each, with what does not count."""

    by_place: Ratings = field(default_factory=dict)
    """Whether a reply is right; of several persons by their majority."""
    n: int = 0
    """Replies that persons have looked at, with those that do not count."""
    after: int = 0
    """The first replies that were looked at, whose ratings are not among these."""
    before: Ratings = field(default_factory=dict)
    """Ratings of those."""
    unsure: int = 0
    """Replies of which nobody could tell."""
    split: int = 0
    """Replies of which as many persons say right as wrong."""
    elsewhere: int = 0
    """Ratings that were drawn from other strata, or are about no reply of these."""

    def notes(self) -> list[str]:
        """Say what does not count."""
        reasons = (
            (self.unsure, "of which nobody could tell"),
            (self.split, "of which as many persons say right as wrong"),
        )
        notes = [f"Without {count_of(n, 'reply', 'replies')} {why}." for n, why in reasons if n]
        if self.elsewhere:
            notes.append(f"Without {count_of(self.elsewhere, 'rating')} drawn when the scorers differed on other replies.")
        return notes


def rated_replies(path: Path, bench: ScorerBench, after: int = 0) -> RatedReplies:
    """Return the ratings on file of a run, those of its first replies apart. FolderError where they cannot be read."""
    stored = [*scorer_ratings(path).values()]
    own = [rating for rating in stored if rating.draw == bench.draw and rating.place in bench.answers]
    places = [*gathered((rating.place, rating.right) for rating in own).items()]
    counted: dict[bool, dict[Hashable, bool]] = {True: {}, False: {}}
    outcomes = Counter[str]()
    for n, (place, ratings) in enumerate(places):
        votes = [1 if right else -1 for right in ratings if right is not None]
        if sum(votes):
            counted[n >= after][place] = sum(votes) > 0
        elif n >= after:
            outcomes["split" if votes else "unsure"] += 1
    unsure, split, elsewhere = outcomes["unsure"], outcomes["split"], len(stored) - len(own)
    return RatedReplies(counted[True], len(places), min(after, len(places)), counted[False], unsure, split, elsewhere)


class BlindRating:
    """One person's rating of replies in seeded order: question, target and reply, and no model, verdict or stratum."""

    def __init__(self, path: Path, bench: ScorerBench, person: str) -> None:
        """FolderError where the ratings on file cannot be read."""
        self._path, self._bench, self._person = path, bench, person
        self._order = bench.order()
        self._sizes = Counter(reply.stratum for reply in self._order)
        self._own = {
            rating.place: rating
            for rating in scorer_ratings(path).values()
            if (rating.person, rating.draw) == (person, bench.draw)
        }

    @property
    def n(self) -> int:
        """Replies that the person has said something of."""
        return len(self._own)

    @property
    def person(self) -> str:
        """Name of the person; may be empty."""
        return self._person

    @property
    def left(self) -> int:
        """Replies that the person has not rated."""
        return len(self._order) - len(self._own)

    @property
    def ratings(self) -> Mapping[ReplyPlace, ScorerRating]:
        """The person's ratings, by reply."""
        return self._own

    def current(self) -> tuple[BenchReply, BenchAnswer] | None:
        """The first reply of the order that the person has not rated; None where all are."""
        reply = next((each for each in self._order if each.place not in self._own), None)
        return None if reply is None else (reply, self._bench.answers[place_of(reply)])

    def put(self, reply: BenchReply, right: bool | None) -> None:
        """Write a rating down; None = cannot tell. StorageError or FolderError where that cannot be."""
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        size = self._sizes[reply.stratum]
        rating = ScorerRating(
            *place_of(reply),
            right=None if right is None else int(right),
            at=at,
            person=self._person,
            stratum=reply.stratum,
            weight=size / len(self._order),
            of=size,
            draw=self._bench.draw,
        )
        add_rating(self._path, rating)
        self._own[rating.place] = rating

    def undo(self) -> bool:
        """Remove the last rating, whose reply comes again; whether there was any. Errors as of `put`."""
        if not self._own:
            return False
        remove_rating(self._path, self._own.popitem()[1])
        return True


def place_of(reply: BenchReply) -> ReplyPlace:
    """The place of a reply of a run."""
    assert isinstance(reply.place, ReplyPlace)
    return reply.place
