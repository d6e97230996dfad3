"""The verb `datasets`: what can be done with the questions of a workspace, and the help."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui_eval.workspace.places import Workspace


def arguments(parser: argparse.ArgumentParser) -> None:
    """The verbs below `datasets`, each with what it takes."""
    verbs = parser.add_subparsers(dest="datasets_verb", metavar="VERB", required=True)

    def verb(name: str, about: str, more: str) -> argparse.ArgumentParser:
        style = argparse.RawDescriptionHelpFormatter
        added = verbs.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.\n{more}", formatter_class=style, allow_abbrev=False
        )
        if name != "list" and name != "import":
            added.add_argument("name", metavar="NAME", help="a dataset, by its name or that of its file")
        return added

    listing = verb("list", "the datasets of the workspace", "A file that cannot be used is listed with its reason.")
    show = verb("show", "the questions of a dataset, or one of them in full", "✓ stands before those that are selected.")
    which = show.add_mutually_exclusive_group()
    which.add_argument("--question", metavar="ID", help="this one in full, with its options and its answer")
    which.add_argument("--limit", type=_count, metavar="N", help="at most N questions")
    bring = verb("import", "bring questions into the workspace, as a dataset", IMPORT)
    bring.add_argument("file", nargs="+", metavar="FILE", help="a JSON, JSONL, CSV or text file, or a folder")
    bring.add_argument("--name", metavar="NAME", help="what to call the dataset (default: as its file)")
    bring.add_argument("--force", action="store_true", help="replace a dataset of that name; .originals keeps it")
    for one in (listing, show, bring):
        one.add_argument("--json", action="store_true", help="as JSON, for programs")
    out = verb("export", "the questions of a dataset as a file that import reads", EXPORT)
    out.add_argument("--format", default="", metavar="F", help="json, jsonl or csv; md, of open questions")
    out.add_argument("--selected", action="store_true", help="only the selected questions")
    out.add_argument("--out", type=Path, metavar="FILE", help="where to (default: stdout); with documents, a folder")
    out.add_argument("--force", action="store_true", help="replace a file that is there already")
    for name, about, more in (
        ("select", "let runs ask these questions, too", SELECT),
        ("deselect", "let runs leave these questions out", DESELECT),
    ):
        choose = verb(name, about, more)
        choose.add_argument("ids", nargs="*", metavar="ID", help="questions, as show has them")
        choose.add_argument("--all", action="store_true", help="all questions of the dataset")
        choose.add_argument("--where", action="append", default=[], metavar="GROUP=VALUE", help=WHERE)
        if name == "select":
            choose.add_argument("--only", nargs="*", metavar="ID", help="these, and leave out all the others")


IMPORT = """\
Lettered questions as JSON, JSONL or CSV, open ones as text, or a folder of
documents with a Questions.md. The files stay as they are; where one of them
cannot be used, nothing is brought in."""
EXPORT = """\
On stdout as the workspace keeps it, unless --format or the end of --out says
otherwise. What a form could not give back exactly is refused."""
SELECT = """\
At first all are selected. What is, is kept beside the dataset, never in its
file. A run that is set up in the app asks it; for a config: export --selected."""
DESELECT = "They stay in the dataset, and are exported unless it is with --selected."
WHERE = "difficulty, domain, topic or calc_required; of several all must hold, of one any"


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of questions, such as 20")
    return int(text)


def execute(options: argparse.Namespace, workspace: Workspace) -> int:
    """Do what was asked; returns the exit code."""
    from tui_eval.cli import dataset_commands  # only here: --help reads no sets

    return dataset_commands.execute(options, workspace)
