"""The verbs of the command line: what each takes, and where it is done. Everything heavy is loaded by the verb itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tui_eval.cli import options as add
from tui_eval.cli.datasets import VERBS as DATASETS
from tui_eval.cli.evidence import VERBS as EVIDENCE
from tui_eval.cli.verb import Options, Verb
from tui_eval.results.exporting import EXPORTERS
from tui_eval.workspace.places import Workspace

Arguments = argparse.ArgumentParser


# runs


def _run_arguments(parser: Arguments) -> None:
    parser.add_argument("run", metavar="CONFIG", help="a TOML file, an example, or - for standard input")
    parser.add_argument("--dry-run", action="store_true", help="show the plan and its cost; send nothing")
    parser.add_argument("--egress", action="store_true", help=argparse.SUPPRESS)
    add.out(parser)
    add.models(parser, "ask only these models; the judges stay")
    parser.add_argument("--only", metavar="IDS", help="ask only these samples, comma-separated")
    parser.add_argument("--repeat", type=int, metavar="N", help="ask everything N times; report mean and median")
    add.asking(parser)
    parser.set_defaults(failed=False)


def _short_arguments(metavar: str, about: str, judged: bool = True, columns: bool = False) -> Callable[[Arguments], None]:
    """Return the arguments of a verb that runs a kind on something; `judged`: judges are asked; `columns`: of a set, any."""

    def take(parser: Arguments) -> None:
        parser.add_argument("what", metavar=metavar, nargs=1 if metavar == "SET" else "+", help=about)
        add.models(parser, "the models that answer: on file, simulated, or API ids", required=True)
        parser.set_defaults(judge=None, target="", prompt=[], scorers=None)
        if judged:
            parser.add_argument("--judge", metavar="J,K", required=True, help="judges; preferably none of those that answer")
        if columns:
            parser.add_argument("--target", metavar="COLUMN", default="", help="expected answers (default: chosen by columns)")
            parser.add_argument("--prompt", metavar="TEXT", action="append", default=[], help="a text to ask; may be repeated")
            parser.add_argument("--scorers", metavar="S,T", help="the scorers of the replies, such as number,contains")
            parser.add_argument("--judge", metavar="J", help="the model that the scorer llm asks")
        parser.add_argument("--name", metavar="NAME", help="the name of config and run (default: that of the input)")
        parser.add_argument("--dry-run", action="store_true", help="show the plan and its cost; write and send nothing")
        add.out(parser)
        add.set(parser)
        add.unchecked(parser)
        add.keys_file(parser)
        add.leaving(parser)
        add.json(parser, "print one JSON object on standard output at the end")
        parser.set_defaults(only=None, repeat=None, offline=False, failed=False)

    return take


def _short_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import short_runs

    return short_runs.run_short(options, workspace)


def _resume_arguments(parser: Arguments) -> None:
    add.run(parser)
    parser.add_argument("--failed", action="store_true", help="ask again for failed calls and unparsed replies")
    parser.add_argument("--ask-again", action="store_true", help="pay again for calls whose lines in the log are destroyed")
    parser.add_argument("--dry-run", action="store_true", help="show what it would ask and cost; send nothing")
    add.asking(parser)


def _run_it(options: Options, workspace: Workspace) -> int:
    if options.dry_run:
        from tui_eval.cli import commands

        return commands.plan(options, workspace)
    from tui_eval.cli import running

    return running.run_config(options, workspace)


def _resume_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import running

    return running.resume(options, workspace)


def _rescore_arguments(parser: Arguments) -> None:
    add.run(parser)
    add.set(parser)
    parser.add_argument("--scorers", metavar="S,T|FILE", help="score by these, or by [[scorers]] and [scoring] of a TOML file")
    parser.add_argument("--dry-run", action="store_true", help="show what the settings would change; write nothing")
    add.json(parser)


def _rescore_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.rescore(options, workspace)


def _status_arguments(parser: Arguments) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", default="", help="a run folder, or a run id (default: all of runs/)")
    add.json(parser)


def _steer_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import run_status

    return run_status.execute(options, workspace)


# results

FORMATS = add.either(EXPORTERS)
"""Export formats that are shipped, for help texts: to list their names loads none of them."""


def _compare_arguments(parser: Arguments) -> None:
    add.runs(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="the folder of its files (default: comparisons/<id>)")
    add.models(parser, "compare only these models")
    parser.add_argument("--metric", default="", metavar="NAME", help="compare only scores of this metric")
    parser.add_argument("--flips", action="append", default=[], metavar="A,B", help="where these two differ; may be repeated")
    add.json(parser)


def _compare_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.compare(options, workspace)


def _leaderboard_arguments(parser: Arguments) -> None:
    add.runs(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="the leaderboard's folder; later calls add runs")
    add.set(parser)
    add.json(parser)


def _leaderboard_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.leaderboard(options, workspace)


def _export_arguments(parser: Arguments) -> None:
    add.runs(parser)
    parser.add_argument("--format", default="", metavar="F", help=f"{FORMATS} (default: by --out's suffix)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default: standard output)")
    add.models(parser, "export only these models")
    parser.add_argument("--file", default="", metavar="NAME", help="a file of the run's reports that is made on demand")


def _export_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import exporting

    return exporting.execute_file(options, workspace) if options.file else exporting.execute(options, workspace)


def _import_arguments(parser: Arguments) -> None:
    parser.add_argument("answers", type=Path, metavar="ANSWERS", help="a table of answers: JSON, JSONL or CSV")
    parser.add_argument("--dataset", type=Path, metavar="BENCH", required=True, help="the benchmark that was answered")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: runs/<run id>)")
    parser.add_argument("--force", action="store_true", help="move an old folder of that name aside")
    add.set(parser)
    add.json(parser, "print one JSON object on standard output at the end")


def _import_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.import_table(options, workspace)


# models, datasets, keys


def _name(parser: Arguments) -> None:
    parser.add_argument("name", metavar="NAME", help="a model of .conf/models.toml")


def _list_arguments(parser: Arguments) -> None:
    add.json(parser)
    add.keys_file(parser)


def _add_arguments(parser: Arguments) -> None:
    parser.add_argument("name", metavar="NAME", help="the name of the model")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="keys: model=gpt-5-mini, base_url=...")
    add.keys_file(parser)


def _edit_arguments(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="keys: price.input=0.25, ...")
    parser.add_argument("--unset", action="append", default=[], metavar="KEY", help="remove a key")
    add.keys_file(parser)


def _copy_arguments(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("new", metavar="NEW", help="the name of the copy")


def _files_arguments(parser: Arguments) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="registries, price tables, model files; or folders")
    add.keys_file(parser)


def _template_arguments(parser: Arguments) -> None:
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the file to write (default: models/_template.json)")


def _check_arguments(parser: Arguments) -> None:
    parser.add_argument("config", metavar="CONFIG", nargs="?", default="", help="a config with models (default: those on file)")
    add.models(parser, "check only these models")
    add.set(parser)
    add.keys_file(parser)
    add.json(parser)
    parser.add_argument("--json-lines", action="store_true", help="print a line of JSON per model, as soon as it is checked")


def _discover_arguments(parser: Arguments) -> None:
    parser.add_argument("--ports", metavar="N,N", help="look at these ports instead of the usual ones")
    parser.add_argument("--add", metavar="IDS", help="add these models to the file, comma-separated, or all")
    add.json(parser)


def _host_arguments(parser: Arguments) -> None:
    parser.add_argument("host", metavar="HOST", nargs="?", default="", help="such as api.example.com or 10.0.0.5:8000")
    words = "allow the value of this variable; may be repeated (without --key and --file: prompts and documents)"
    parser.add_argument("--key", metavar="VARIABLE", action="append", default=[], help=words)
    words = "allow this file of another folder, or all files of a folder"
    parser.add_argument("--file", metavar="PATH", action="append", default=[], type=Path, help=words)
    parser.add_argument("--plug-in", metavar="NAME", action="append", default=[], help="allow the use of this plug-in here")


def _models_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import model_commands

    return model_commands.execute(options, workspace)


def _check_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import checking

    return checking.check_models(options, workspace)


def _discover_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import checking

    return checking.discover_servers(options, workspace)


def _key_arguments(parser: Arguments) -> None:
    parser.add_argument("name", metavar="NAME", help="the variable, such as OPENAI_API_KEY")
    add.keys_file(parser)


def _key_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.set_key(options, workspace)


def _call_arguments(parser: Arguments) -> None:
    parser.add_argument("words", metavar="MODEL", nargs="*", help="the model to ask; with -m: TEXT (- = standard input)")
    parser.add_argument("-m", dest="model", metavar="MODEL", action="append", default=[], help="a model; may be repeated")
    parser.add_argument("--prompt", metavar="FILE", help="a file with the prompt; - for standard input")
    parser.add_argument("--input", type=Path, metavar="FILE", help="an image, a text or a PDF to send with the prompt")
    parser.add_argument("--attach", action="store_true", help="send a PDF as it is, not as the text in it")
    parser.add_argument("--rubric", type=Path, metavar="FILE", help="judge the prompt, a reply, by it (--slot NAME=TEXT)")
    parser.add_argument("--slot", metavar="NAME=TEXT", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the reply to this file (default: standard output)")
    parser.add_argument("--metadata", type=Path, metavar="FILE", help="write tokens, latency and cost to this file as JSON")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the run folder there (default: nowhere)")
    parser.add_argument("--force", action="store_true", help="move an old folder of that name aside")
    add.keys_file(parser)
    add.leaving(parser)
    add.json(parser, "print the reply and the metadata as one JSON object")


def _call_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import one_call

    return one_call.call(options, workspace)


def _costs_arguments(parser: Arguments) -> None:
    parser.add_argument("folders", type=Path, metavar="FOLDER", nargs="+", help="runs, or folders with _token_usage*.json")
    parser.add_argument("--pricing", type=Path, metavar="FILE", help="prices as JSON, which take precedence in this sum")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result to this file as JSON")
    add.json(parser)


def _costs_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import costs

    return costs.costs(options, workspace)


def _config_arguments(parser: Arguments) -> None:
    parser.add_argument("kind", metavar="KIND", nargs="?", default="", help="an evaluation type (default: list all of them)")
    add.json(parser)


def _config_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.config(options, workspace)


SHELLS = ("bash", "zsh", "fish")
WORDS = ("runs", "configs", "models", "sets", "pages")


def _completion_arguments(parser: Arguments) -> None:
    parser.add_argument("shell", metavar="SHELL", nargs="?", choices=SHELLS, default="bash", help=", ".join(SHELLS))
    parser.add_argument("--words", choices=WORDS, default="", help=argparse.SUPPRESS)


def _completion_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import completing

    output = "\n".join(completing.words(options.words, workspace)) if options.words else completing.script(options.shell, VERBS)
    print(output)
    return 0


def _docs_arguments(parser: Arguments) -> None:
    parser.add_argument("page", metavar="PAGE", nargs="?", default="", help="such as scoring or scoring#passing (default: all)")


def _docs_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli.manual import docs_verb

    return docs_verb.show(options, workspace)


COMPLETES = """\
bash: tui-eval completion bash > FILE, then add to .bashrc: source FILE
zsh:  tui-eval completion zsh > a folder of $fpath, as _tui-eval
fish: tui-eval completion fish > ~/.config/fish/completions/tui-eval.fish"""
CALLS = """\
tui-eval call -m sim-scholar "What does porosity measure?"
tui-eval call sim-scholar --prompt examples/call/question.md --json"""
ASKS = "Ctrl-C or tui-eval stop RUN stops the run; tui-eval resume RUN finishes it."
EXAMPLES = (
    """\
tui-eval run exam.toml --dry-run         calls, tokens and cost
"""
    + ASKS
)
ABOUT_SET = "conversations: a file, or a set of the workspace by name"
ABOUT_FILE = "a table, a JSON or JSONL file, or the name of a set"
ABOUT_FOLDER = "folders or files; every file that can be read is sent"
WRITTEN = "It writes a config, {}-NAME.toml in the workspace, and runs it."
STAGES = (
    WRITTEN.format("pipeline")
    + """
A,B process the files and answer. The judges score; the first judge writes the
questions. Other models of a stage: --set pipeline.answers.models='["a"]'"""
)
VERBS = {
    verb.name: verb
    for verb in (
        Verb("run", "CONFIG", "run a TOML config, or a shipped example by name", _run_arguments, _run_it, EXAMPLES),
        Verb(
            "qa",
            "SET",
            "score models on questions with answers (choice SET: options)",
            _short_arguments("SET", ABOUT_FILE, judged=False, columns=True),
            _short_it,
        ),
        Verb(
            "choice",
            "SET",
            "score models on questions with lettered options",
            _short_arguments("SET", ABOUT_FILE, judged=False),
            _short_it,
            WRITTEN.format("choice"),
            listed=False,
        ),
        Verb(
            "chat",
            "SET",
            "judge models on conversations (pipeline FOLDER: on files)",
            _short_arguments("SET", ABOUT_SET),
            _short_it,
            WRITTEN.format("chat"),
        ),
        Verb(
            "pipeline",
            "FOLDER...",
            "process files, ask about them, judge the answers",
            _short_arguments("FOLDER", ABOUT_FOLDER),
            _short_it,
            STAGES,
            listed=False,
        ),
        Verb("resume", "RUN", "finish a run (aa RUN: repeat it to measure its noise)", _resume_arguments, _resume_it, ASKS),
        Verb("rescore", "RUN", "rebuild results from the log (items, bench RUN: look inside)", _rescore_arguments, _rescore_it),
        Verb("status", "[RUN]", "show the state of a run or all (stop, pause, continue RUN)", _status_arguments, _steer_it),
        Verb("stop", "RUN", "stop a live run", add.run, _steer_it, listed=False),
        Verb("pause", "RUN", "pause a live run", add.run, _steer_it, listed=False),
        Verb("continue", "RUN", "continue a paused run", add.run, _steer_it, listed=False),
        Verb(
            "compare", "RUN...", "compare runs or models on shared items (leaderboard: exams)", _compare_arguments, _compare_it
        ),
        Verb(
            "leaderboard", "RUN...", "merge exams into one leaderboard", _leaderboard_arguments, _leaderboard_it, listed=False
        ),
        Verb("export", "RUN...", f"export runs as {FORMATS}", _export_arguments, _export_it),
        Verb("import", "ANSWERS", "make a run of answers from elsewhere; send nothing", _import_arguments, _import_it),
        Verb("call", "[-m] MODEL...", "send one prompt to models, with or without a file", _call_arguments, _call_it, CALLS),
        Verb("costs", "FOLDER...", "show tokens and cost of runs, by model and stage", _costs_arguments, _costs_it),
        Verb("config", "[KIND]", "print a config with every key (completion SHELL: for Tab)", _config_arguments, _config_it),
        Verb("docs", "[PAGE]", "list the pages of documentation, or show one as text", _docs_arguments, _docs_it),
        Verb(
            "completion",
            "SHELL",
            "print the script for Tab completion in a shell",
            _completion_arguments,
            _completion_it,
            COMPLETES,
            listed=False,
        ),
        Verb("models list", "", "list the models of .conf/models.toml", _list_arguments, _models_it),
        Verb("models add", "NAME", "add a model to .conf/models.toml", _add_arguments, _models_it),
        Verb("models edit", "NAME", "change a model", _edit_arguments, _models_it),
        Verb("models copy", "NAME NEW", "copy a model under another name", _copy_arguments, _models_it),
        Verb("models enable", "NAME", "let runs use a model", _name, _models_it),
        Verb("models disable", "NAME", "refuse runs that name a model", _name, _models_it),
        Verb("models delete", "NAME", "delete a model from .conf/models.toml", _name, _models_it),
        Verb("models import", "FILE...", "import models and prices from files", _files_arguments, _models_it),
        Verb("models template", "[FILE]", "write a model file to fill in", _template_arguments, _models_it),
        Verb("models check", "[CONFIG]", "ask each model a few tiny questions", _check_arguments, _check_it),
        Verb("models discover", "", "look for model servers on this machine", _discover_arguments, _discover_it),
        Verb("models trust", "HOST", "let a host receive a key, a file or prompts", _host_arguments, _models_it),
        Verb("keys set", "NAME", "store an API key from standard input in .env", _key_arguments, _key_it),
        *EVIDENCE,
        *DATASETS,
    )
}
