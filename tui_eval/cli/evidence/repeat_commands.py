"""Verb `aa`: a run asked again as it is, its noise floor, and what its gate would catch."""

from __future__ import annotations

import argparse

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.workspace.places import Workspace

MORE = """\
It asks each model for 50 answers again, or for all if there are fewer, within
the caps of RUN. RUN is only read; the new answers are beside it, in RUN-aa.
If RUN has repeats, nothing is asked. A repeat today does not see a provider's
drift."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    add.run(parser)
    parser.add_argument(
        "--share", type=float, metavar="S", default=0.0, help="ask this share of the questions, if that is more: 0.5"
    )
    parser.add_argument("--yes", action="store_true", help="skip the confirmation before real models are asked")
    parser.add_argument("--dry-run", action="store_true", help="show what it would ask and cost; send nothing")
    parser.add_argument("--again", action="store_true", help="move an old RUN-aa aside and ask anew")
    add.unchecked(parser)
    add.keys_file(parser)
    add.leaving(parser)
    add.json(parser)


def _execute(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli.evidence import repeating

    return repeating.repeat(options, workspace)


VERBS = (
    Verb("aa", "RUN", "repeat a run: its noise floor, and what its gate catches", _arguments, _execute, MORE, listed=False),
)
