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
It reads lettered questions (JSON, JSONL, CSV), open ones (the same, or text),
folders of documents with a Questions.md, conversations (turns, messages, a row
per turn), promptfoo tests with their assertions, and EvalQuestions. SQuAD,
TruthfulQA and sets with a context become samples for kind qa. Your files stay
unchanged. If one file cannot be used, nothing is imported."""
EXPORT = """\
By default the dataset goes to stdout in the form that the workspace keeps.
--format or the suffix of --out chooses another: json, jsonl or csv; md for open
questions; for conversations also eval-questions (spec 000: by document, each
question alone). A form that could not give the dataset back exactly is refused."""
SELECT = """\
At first all questions are selected. The selection is kept beside the dataset,
never in its file. Runs ask only the selection, whether they are set up in the
app or by a config that names the dataset. export --selected writes it out."""
DESELECT = """\
The questions stay in the dataset. An export has them, except with --selected.
The reason is kept until they are selected again; datasets show prints it."""
GENERATE = """\
It writes and runs generate-NAME.toml. Then review the questions: datasets show."""
MAP = f"the column of a role: {', '.join(ROLES)}; at least question or turns; options once for each column"
WHERE = (
    "difficulty, domain, topic, calc_required, conversation, turn, type or document; all groups must match, any value of each"
)


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of questions, such as 20")
    return int(text)


def _json(parser: Arguments) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def _name(parser: Arguments) -> None:
    parser.add_argument("name", metavar="NAME", help="the name of a dataset, or of its file")


def _show(parser: Arguments) -> None:
    _name(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--question", metavar="ID", help="show this question in full, with options and answer")
    which.add_argument("--limit", type=_count, metavar="N", help="show at most N questions")
    _json(parser)


def _import(parser: Arguments) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="a JSON, JSONL, CSV or text file, or a folder")
    parser.add_argument("--name", metavar="NAME", help="the name of the dataset (default: that of its file)")
    parser.add_argument("--force", action="store_true", help="replace the dataset of that name; .originals keeps it")
    parser.add_argument("--map", action="append", default=[], metavar="ROLE=COLUMN", help=MAP)
    parser.add_argument("--cut-after", default="", metavar="TEXT", help="answers begin after this text, such as #### in GSM8K")
    parser.add_argument("--seed", type=int, metavar="N", help="seed to mix options with the right one first (default: 0)")
    parser.add_argument("--skip-unscored", action="store_true", help="leave out promptfoo tests that no rule here can score")
    _json(parser)


def _export(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("--format", default="", metavar="F", help="json, jsonl or csv; md; eval-questions (see below)")
    parser.add_argument("--selected", action="store_true", help="export only the selected questions")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file (default: stdout); with documents, a folder")
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def _which(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("ids", nargs="*", metavar="ID", help="ids of questions, as datasets show prints them")
    parser.add_argument("--all", action="store_true", help="all questions of the dataset")
    parser.add_argument("--where", action="append", default=[], metavar="GROUP=VALUE", help=WHERE)


def _deselect(parser: Arguments) -> None:
    _which(parser)
    words = "questions whose key may be wrong in this run (see items RUN)"
    parser.add_argument("--flagged", default="", metavar="RUN", help=words)
    parser.add_argument("--reason", default="", metavar="TEXT", help="the reason, for later readers of the dataset")


def _select(parser: Arguments) -> None:
    _which(parser)
    parser.add_argument("--only", nargs="*", metavar="ID", help="select these and leave out all others")


def _generate(parser: Arguments) -> None:
    parser.add_argument("file", nargs="+", metavar="FILE", help="PDFs, texts, web pages, tables, code, images")
    parser.add_argument("--model", metavar="MODEL", required=True, help="the model that writes the questions")
    parser.add_argument("--name", metavar="NAME", help="name of the dataset (default: that of the first file)")
    parser.add_argument("--form", choices=("conversations", "questions"), help="questions: single questions, by category")
    parser.add_argument("--conversations", type=_count, metavar="N", help="their number (default: one per 4 pages, 4 to 60)")
    parser.add_argument("--turns", type=_count, metavar="T", help="questions per conversation (default: 3)")
    parser.add_argument("--schema", metavar="FILE", help="the categories of single questions, as JSON")
    check = parser.add_mutually_exclusive_group()
    check.add_argument("--checker", metavar="MODEL", help="the model for a second opinion (default: the writer)")
    check.add_argument("--no-check", action="store_true", help="skip the second opinion")
    parser.add_argument("--dry-run", action="store_true", help="show the plan and its cost; send nothing")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a config key: run.seed=7")
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
    Verb("datasets list", "", "list the datasets of the workspace", _json, _execute, LISTED),
    Verb("datasets show", "NAME", "show a dataset's questions, or one in full", _show, _execute, "✓: selected."),
    Verb("datasets import", "FILE...", "import questions into the workspace", _import, _execute, IMPORT),
    Verb("datasets generate", "FILE...", "let a model write questions about documents", _generate, _generate_them, GENERATE),
    Verb("datasets export", "NAME", "export a dataset as a file that import reads", _export, _execute, EXPORT),
    Verb("datasets select", "NAME ID...", "add these questions to the selection", _select, _execute, SELECT),
    Verb("datasets deselect", "NAME ID...", "leave these questions out of runs", _deselect, _execute, DESELECT),
)
