"""Verb `aa`: a run asked again as it is, its noise floor, and what its gate would catch."""

from __future__ import annotations

import argparse

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.workspace.places import Workspace

MORE = """\
Asks 50 answers of each model again, or all there are, within the caps of RUN;
RUN is only read: they lie beside it, in RUN-aa. Of a run with repeats nothing
is asked. A repeat today does not see a provider's drift."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    add.run(parser)
    parser.add_argument("--share", type=float, metavar="S", default=0.0, help="this share of it, where that is more: 0.5")
    parser.add_argument("--yes", action="store_true", help="ask real models without a question")
    parser.add_argument("--dry-run", action="store_true", help="say what it would ask and cost; send nothing")
    parser.add_argument("--again", action="store_true", help="move an old RUN-aa aside and ask anew")
    add.unchecked(parser)
    add.keys_file(parser)
    add.leaving(parser)
    add.json(parser)


def _execute(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli.evidence import repeating

    return repeating.repeat(options, workspace)


VERBS = (
    Verb("aa", "RUN", "ask a run again: its noise floor, what its gate catches", _arguments, _execute, MORE, listed=False),
)
