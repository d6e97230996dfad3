"""The verbs of datasets: what each takes, and its help."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.core.field_roles import ROLES
from tui_eval.workspace.places import Workspace

Arguments = argparse.ArgumentParser
IMPORT = """\
Lettered questions as JSON, JSONL or CSV, open ones as such or as text, a folder
of documents with a Questions.md, conversations (turns, messages, a row a turn),
tests of promptfoo with their assertions, EvalQuestions; SQuAD, TruthfulQA and
sets with a context as samples for kind qa. The files stay as they are; where
one of them cannot be used, nothing is brought in."""
EXPORT = """\
On stdout as the workspace keeps it, unless --format or the end of --out says
otherwise: json, jsonl or csv; md of open questions; of conversations also
eval-questions (spec 000: by document, each question alone). What a form could
not give back exactly is refused."""
SELECT = """\
At first all are selected. What is, is kept beside the dataset, never in its
file. A run that is set up in the app asks it; for a config: export --selected."""
DESELECT = """\
They stay in the dataset, and are exported unless it is with --selected. The
reason is kept until they are selected again; datasets show has it."""
GENERATE = """\
generate-NAME.toml is written and run. Then look at them: datasets show."""
MAP = f"which column is {', '.join(ROLES)}; question or turns at least, options once for each column"
WHERE = "difficulty, domain, topic, calc_required, conversation, turn, type or document; of several all must hold, of one any"


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of questions, such as 20")
    return int(text)


def _json(parser: Arguments) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON, for programs")


def _name(parser: Arguments) -> None:
    parser.add_argument("name", metavar="NAME", help="a dataset, by its name or that of its file")


def _show(parser: Arguments) -> None:
    _name(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--question", metavar="ID", help="this one in full, with its options and its answer")
    which.add_argument("--limit", type=_count, metavar="N", help="at most N questions")
    _json(parser)


def _import(parser: Arguments) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="a JSON, JSONL, CSV or text file, or a folder")
    parser.add_argument("--name", metavar="NAME", help="what to call the dataset (default: as its file)")
    parser.add_argument("--force", action="store_true", help="replace a dataset of that name; .originals keeps it")
    parser.add_argument("--map", action="append", default=[], metavar="ROLE=COLUMN", help=MAP)
    parser.add_argument("--cut-after", default="", metavar="TEXT", help="answers begin behind it, as behind #### in GSM8K")
    parser.add_argument("--seed", type=int, metavar="N", help="mixes options whose right one comes first (0)")
    parser.add_argument("--skip-unscored", action="store_true", help="leave out tests of promptfoo that no rule here can score")
    _json(parser)


def _export(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("--format", default="", metavar="F", help="json, jsonl or csv; md; eval-questions (see below)")
    parser.add_argument("--selected", action="store_true", help="only the selected questions")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (default: stdout); with documents, a folder")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")


def _which(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("ids", nargs="*", metavar="ID", help="questions, as show has them")
    parser.add_argument("--all", action="store_true", help="all questions of the dataset")
    parser.add_argument("--where", action="append", default=[], metavar="GROUP=VALUE", help=WHERE)


def _deselect(parser: Arguments) -> None:
    _which(parser)
    words = "the questions whose key may be wrong by this run (tui-eval items RUN)"
    parser.add_argument("--flagged", default="", metavar="RUN", help=words)
    parser.add_argument("--reason", default="", metavar="TEXT", help="why, for whoever looks at the dataset later")


def _select(parser: Arguments) -> None:
    _which(parser)
    parser.add_argument("--only", nargs="*", metavar="ID", help="these, and leave out all the others")


def _generate(parser: Arguments) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="PDFs, texts, web pages, tables, code, images")
    parser.add_argument("--model", metavar="MODEL", required=True, help="who writes the questions")
    parser.add_argument("--name", metavar="NAME", help="what to call the dataset (default: as the first file)")
    parser.add_argument("--form", choices=("conversations", "questions"), help="questions: single ones, by categories")
    parser.add_argument("--conversations", type=_count, metavar="N", help="how many (default: one for 4 pages, 4 to 60)")
    parser.add_argument("--turns", type=_count, metavar="T", help="questions of each (default: 3)")
    parser.add_argument("--schema", metavar="FILE", help="categories of single questions, as JSON")
    check = parser.add_mutually_exclusive_group()
    check.add_argument("--checker", metavar="MODEL", help="who gives a second opinion (default: who writes)")
    check.add_argument("--no-check", action="store_true", help="no second opinion")
    parser.add_argument("--dry-run", action="store_true", help="say what it would do and cost; send nothing")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the config: run.seed=7")
    add.keys_file(parser)
    add.leaving(parser)
    parser.set_defaults(
        json=False,
        models=None,
        only=None,
        repeat=None,
        offline=False,
        out=None,
        force=False,
        failed=False,
        no_preflight=False,
        no_lock=False,
    )


def _generate_them(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import short_runs  # only here: --help loads no engine

    return short_runs.generate(options, workspace)


def _execute(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import dataset_commands  # only here: --help reads no sets

    return dataset_commands.execute(options, workspace)


LISTED = "A file that cannot be used is listed with its reason."
VERBS = (
    Verb("datasets list", "", "the datasets of the workspace", _json, _execute, LISTED),
    Verb("datasets show", "NAME", "the questions of a dataset, or one in full", _show, _execute, "✓: selected."),
    Verb("datasets import", "FILE...", "bring questions into the workspace", _import, _execute, IMPORT),
    Verb("datasets generate", "FILE...", "have questions written about documents", _generate, _generate_them, GENERATE),
    Verb("datasets export", "NAME", "a dataset as a file that import reads", _export, _execute, EXPORT),
    Verb("datasets select", "NAME ID...", "let runs ask these questions, too", _select, _execute, SELECT),
    Verb("datasets deselect", "NAME ID...", "let runs leave these questions out", _deselect, _execute, DESELECT),
)
