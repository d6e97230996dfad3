"""Verb `bench`: every scorer on a run's stored replies, side by side and beside persons' ratings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.workspace.places import Workspace

if TYPE_CHECKING:
    from tui_eval.reporting.scorer_bench import ScorerBench

KEYS = "Is the reply right? y = yes, n = no, 0 = cannot tell, b = back, q = quit"
VALUES = {"y": True, "n": False, "0": None}
MORE = """\
It tries the run's scorers, and every rule that needs no option, on each stored
reply with a target. Nothing is sent. Your ratings go to scorer_ratings.jsonl;
--rate hides who answered, and what the scorers say. The last line is the
command that takes the best scorer.
shuffled: how often it accepts replies with the target of another sample.
differs: from the scorer that the run's verdict speaks of.
$ per 1,000: what scoring 1,000 replies costs, by the calls of this run."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    add.run(parser)
    parser.add_argument("--rate", type=int, metavar="N", default=0, help="rate N more replies first, blind: 20")
    parser.add_argument("--person", metavar="NAME", default="", help="whose ratings these are; initials are enough")
    parser.add_argument("--after", type=int, metavar="N", default=0, help="count no ratings of the first N replies rated")
    parser.add_argument("--replies", action="store_true", help="print each reply with what every scorer says, as lines of JSON")
    add.json(parser)


def _execute(options: Options, workspace: Workspace) -> int:
    from tui_eval.core.plaintext import visible, visible_json  # only here: --help reads no runs
    from tui_eval.reporting.bench_ratings import rated_replies
    from tui_eval.reporting.bench_reading import read_bench
    from tui_eval.reporting.bench_report import bench_entry, bench_lines, bench_text
    from tui_eval.results.tables import json_text

    path = workspace.run(options.run)
    bench = read_bench(path, workspace)
    if options.replies:
        for line in bench_lines(bench):
            print(visible_json(line))
        return 0
    if options.rate > 0:
        _rate(path, bench, options.rate, options.person)
    rated = rated_replies(path, bench, max(options.after, 0))
    if options.json:
        print(visible_json(json_text(bench_entry(bench, rated, path))), end="")
    else:
        print(visible(bench_text(bench, rated, path)))
    return 0


def _rate(path: Path, bench: ScorerBench, n: int, name: str) -> None:
    """Ask for ratings on standard error, one after the other, until there are n more or the input ends."""
    from tui_eval.cli.standard_error import tell
    from tui_eval.reporting.bench_ratings import BlindRating
    from tui_eval.runs.person_marks import name_of_person

    rating = BlindRating(path, bench, name_of_person(name))
    last = rating.n + n
    while rating.n < last and (current := rating.current()) is not None:
        reply, answer = current
        targets = "\nor: ".join(answer.targets) or "no answer"
        tell(f"\n{rating.n + 1} of {last}\n\nQuestion: {answer.question}\n\nTarget: {targets}\n\nReply: {answer.text}\n")
        tell(KEYS)
        line = sys.stdin.readline()
        key = line.strip().lower()[:1]
        if not line or key == "q":
            return
        if key == "b":
            rating.undo()
        elif key in VALUES:
            rating.put(reply, VALUES[key])


VERBS = (Verb("bench", "RUN", "compare scorers on the stored replies of a run", _arguments, _execute, MORE, listed=False),)
