"""Scorer bench as another process printed it: verdicts in memory, texts read when they are looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tui_eval.core.errors import FolderError
from tui_eval.reporting.scorer_bench import BenchAnswer, ScorerBench, ScorerLine
from tui_eval.results.sums.scorers.scorer_bench import BenchReply
from tui_eval.runs.scorer_ratings import ReplyPlace

LONGEST = 1 << 28
"""Bytes of a line; a longer one is no line of ours."""


class PrintedAnswers(Mapping[ReplyPlace, BenchAnswer]):
    """Replies by their places, each parsed anew from its line."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._offsets: dict[ReplyPlace, int] = {}

    def put(self, place: ReplyPlace, offset: int) -> None:
        """Note where the line of a reply begins."""
        self._offsets[place] = offset

    def __getitem__(self, place: ReplyPlace) -> BenchAnswer:
        self._stream.seek(self._offsets[place])
        entry = json.loads(self._stream.readline(LONGEST))
        return BenchAnswer(str(entry["question"]), tuple(map(str, entry["targets"])), str(entry["text"]))

    def __contains__(self, place: object) -> bool:
        return place in self._offsets

    def __iter__(self) -> Iterator[ReplyPlace]:
        return iter(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets)


def printed_bench(stream: BinaryIO) -> ScorerBench:
    """Return the bench of the lines of `bench_lines`, whose stream stays open for the texts.

    FolderError where these are other lines.
    """
    answers = PrintedAnswers(stream)
    replies: list[BenchReply] = []
    try:
        stream.seek(0)
        head = json.loads(stream.readline(LONGEST))
        lines = [ScorerLine(**line) for line in head["scorers"]]
        names: list[str] = []
        offset = stream.tell()
        while text := stream.readline(LONGEST):
            entry = json.loads(text)
            place = ReplyPlace(*(entry[name] for name in ReplyPlace._fields))
            names = names or [*entry["accepts"]]
            replies.append(BenchReply(place, place.model, dict(zip(names, entry["accepts"].values(), strict=True))))
            answers.put(place, offset)
            offset += len(text)
        return ScorerBench(
            run_id=head["run_id"],
            simulated=tuple(head["simulated"]),
            reference=head["reference"],
            lines=lines,
            replies=replies,
            alike=head["alike"],
            answers=answers,
            seed=head["seed"],
            draw=head["draw"],
            left_out=head["left_out"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FolderError(f"the output of tui-eval bench cannot be read: {error}") from None
