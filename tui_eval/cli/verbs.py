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
    parser.add_argument("--dry-run", action="store_true", help="say what it would do and cost; send nothing")
    parser.add_argument("--egress", action="store_true", help=argparse.SUPPRESS)
    add.out(parser)
    add.models(parser, "these models alone; who judges stays")
    parser.add_argument("--only", metavar="IDS", help="only these samples, comma-separated")
    parser.add_argument("--repeat", type=int, metavar="N", help="ask everything N times, report mean and median")
    add.asking(parser)
    parser.set_defaults(failed=False)


def _short_arguments(metavar: str, about: str, judged: bool = True, columns: bool = False) -> Callable[[Arguments], None]:
    """Return the arguments of a verb that runs a kind on something; `judged`: judges are asked; `columns`: of a set, any."""

    def take(parser: Arguments) -> None:
        parser.add_argument("what", metavar=metavar, nargs=1 if metavar == "SET" else "+", help=about)
        add.models(parser, "who answers: on file, simulated, or an API's own ids", required=True)
        parser.set_defaults(judge=None, target="", prompt=[], scorers=None)
        if judged:
            parser.add_argument("--judge", metavar="J,K", required=True, help="who judges; better none of those that answer")
        if columns:
            parser.add_argument("--target", metavar="COLUMN", default="", help="the right answers; else chosen by the columns")
            parser.add_argument("--prompt", metavar="TEXT", action="append", default=[], help="what is asked; may be repeated")
            parser.add_argument("--scorers", metavar="S,T", help="what scores the replies, such as number,contains")
            parser.add_argument("--judge", metavar="J", help="the model that the scorer llm asks")
        parser.add_argument("--name", metavar="NAME", help="what to call config and run (default: as what it is about)")
        parser.add_argument("--dry-run", action="store_true", help="say what it would do and cost; write and send nothing")
        add.out(parser)
        add.set(parser)
        add.unchecked(parser)
        add.keys_file(parser)
        add.leaving(parser)
        add.json(parser, "at the end one JSON object on standard output")
        parser.set_defaults(only=None, repeat=None, offline=False, failed=False)

    return take


def _short_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import short_runs

    return short_runs.run_short(options, workspace)


def _resume_arguments(parser: Arguments) -> None:
    add.run(parser)
    parser.add_argument("--failed", action="store_true", help="ask again what failed or could not be read")
    parser.add_argument("--ask-again", action="store_true", help="pay again for calls whose lines of the log are destroyed")
    parser.add_argument("--dry-run", action="store_true", help="say what it would ask and cost; send nothing")
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
    parser.add_argument("--dry-run", action="store_true", help="say what the settings would change; write nothing")
    add.json(parser)


def _rescore_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.rescore(options, workspace)


def _status_arguments(parser: Arguments) -> None:
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="", help="a run folder, or the id of a run; without, all of runs/"
    )
    add.json(parser)


def _steer_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import run_status

    return run_status.execute(options, workspace)


# results

FORMATS = add.either(EXPORTERS)
"""Export formats that are shipped, for help texts: to list their names loads none of them."""


def _compare_arguments(parser: Arguments) -> None:
    add.runs(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where its files go (default: comparisons/<id>)")
    add.models(parser, "these models alone")
    parser.add_argument("--metric", default="", metavar="NAME", help="only scores of this metric")
    parser.add_argument("--flips", action="append", default=[], metavar="A,B", help="where these two differ; again for more")
    add.json(parser)


def _compare_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.compare(options, workspace)


def _leaderboard_arguments(parser: Arguments) -> None:
    add.runs(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="the leaderboard's folder; it grows")
    add.set(parser)
    add.json(parser)


def _leaderboard_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import commands

    return commands.leaderboard(options, workspace)


def _export_arguments(parser: Arguments) -> None:
    add.runs(parser)
    parser.add_argument("--format", default="", metavar="F", help=f"{FORMATS} (default: by --out's suffix)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (default: standard output)")
    add.models(parser, "these models alone")


def _export_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import exporting

    return exporting.execute(options, workspace)


def _import_arguments(parser: Arguments) -> None:
    parser.add_argument("answers", type=Path, metavar="ANSWERS", help="a table of answers: JSON, JSONL or CSV")
    parser.add_argument("--dataset", type=Path, metavar="BENCH", required=True, help="the benchmark that was answered")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: runs/<run id>)")
    parser.add_argument("--force", action="store_true", help="move an old folder of that name aside")
    add.set(parser)
    add.json(parser, "at the end one JSON object on standard output")


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
    parser.add_argument("name", metavar="NAME", help="what the model is to be called")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="model=gpt-5-mini, base_url=..., ...")
    add.keys_file(parser)


def _edit_arguments(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="price.input=0.25, ...")
    parser.add_argument("--unset", action="append", default=[], metavar="KEY", help="drop a key")
    add.keys_file(parser)


def _copy_arguments(parser: Arguments) -> None:
    _name(parser)
    parser.add_argument("new", metavar="NEW", help="what the second one is to be called")


def _files_arguments(parser: Arguments) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="registries, price tables, model files; or folders")
    add.keys_file(parser)


def _template_arguments(parser: Arguments) -> None:
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="where to (default: models/_template.json)")


def _check_arguments(parser: Arguments) -> None:
    parser.add_argument("config", metavar="CONFIG", nargs="?", default="", help="whose models (default: those on file)")
    add.models(parser, "these models alone")
    add.set(parser)
    add.keys_file(parser)
    add.json(parser)
    parser.add_argument("--json-lines", action="store_true", help="a line of JSON per model, as it is found out")


def _discover_arguments(parser: Arguments) -> None:
    parser.add_argument("--ports", metavar="N,N", help="other ports to look at")
    parser.add_argument("--add", metavar="IDS", help="models to put on file, comma-separated, or all")
    add.json(parser)


def _host_arguments(parser: Arguments) -> None:
    parser.add_argument("host", metavar="HOST", nargs="?", default="", help="such as api.example.com or 10.0.0.5:8000")
    words = "the value of this variable may go there (again for others); without key and file: prompts and documents"
    parser.add_argument("--key", metavar="VARIABLE", action="append", default=[], help=words)
    words = "this file of another folder may go there, or all of a folder"
    parser.add_argument("--file", metavar="PATH", action="append", default=[], type=Path, help=words)
    parser.add_argument("--plug-in", metavar="NAME", action="append", default=[], help="this plug-in may be used here")


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
    parser.add_argument("words", metavar="MODEL", nargs="*", help="whom to ask; behind -m: TEXT (- = standard input)")
    parser.add_argument("-m", dest="model", metavar="MODEL", action="append", default=[], help="whom to ask; may be repeated")
    parser.add_argument("--prompt", metavar="FILE", help="a file with what is asked; - for standard input")
    parser.add_argument("--input", type=Path, metavar="FILE", help="an image, a text or a PDF that goes with it")
    parser.add_argument("--attach", action="store_true", help="a PDF as it is, not as the text in it")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the reply goes (default: standard output)")
    parser.add_argument("--metadata", type=Path, metavar="FILE", help="tokens, latency and cost, as JSON")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the run folder there (default: nowhere)")
    parser.add_argument("--force", action="store_true", help="move an old folder of that name aside")
    add.keys_file(parser)
    add.leaving(parser)
    add.json(parser, "the same with the reply as one JSON object")


def _call_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import one_call

    return one_call.call(options, workspace)


def _costs_arguments(parser: Arguments) -> None:
    parser.add_argument("folders", type=Path, metavar="FOLDER", nargs="+", help="runs, or folders with _token_usage*.json")
    parser.add_argument("--pricing", type=Path, metavar="FILE", help="prices as JSON, which win in this sum")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it there as JSON")
    add.json(parser)


def _costs_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli import costs

    return costs.costs(options, workspace)


def _config_arguments(parser: Arguments) -> None:
    parser.add_argument("kind", metavar="KIND", nargs="?", default="", help="a kind of evaluation (default: a list of them)")
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
    parser.add_argument("page", metavar="PAGE", nargs="?", default="", help="such as scoring, or scoring#passing; without, all")


def _docs_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli.manual import docs_verb

    return docs_verb.show(options, workspace)


COMPLETES = """\
bash: tui-eval completion bash > FILE, and: source FILE, in .bashrc
zsh:  tui-eval completion zsh > a folder of $fpath, as _tui-eval
fish: tui-eval completion fish > ~/.config/fish/completions/tui-eval.fish"""
CALLS = """\
tui-eval call -m sim-scholar "What does porosity measure?"
tui-eval call -m sim-scholar -m sim-sprinter -          standard input, to both
tui-eval call sim-scholar --prompt examples/call/question.md --json"""
ASKS = "Ctrl-C or tui-eval stop RUN ends it; tui-eval resume RUN finishes it."
EXAMPLES = (
    """\
tui-eval run exam.toml --dry-run         calls, tokens and cost
"""
    + ASKS
)
ABOUT_SET = "conversations: a set of the workspace by its name, or a file"
ABOUT_FILE = "a table, a JSON or JSONL file, or a set by its name"
ABOUT_FOLDER = "folders, or files: each that can be read is sent"
WRITTEN = "Its config, {}-NAME.toml in the workspace, is written and run."
STAGES = (
    WRITTEN.format("pipeline")
    + """
A,B process the files and answer; the judges mark, and the first of them writes
the questions. Other stages: --set pipeline.answers.models='["a"]'"""
)
VERBS = {
    verb.name: verb
    for verb in (
        Verb("run", "CONFIG", "run a TOML config, or a shipped example by name", _run_arguments, _run_it, EXAMPLES),
        Verb(
            "qa",
            "SET",
            "models on questions with answers (choice SET: with options)",
            _short_arguments("SET", ABOUT_FILE, judged=False, columns=True),
            _short_it,
        ),
        Verb(
            "choice",
            "SET",
            "models on questions with lettered options",
            _short_arguments("SET", ABOUT_FILE, judged=False),
            _short_it,
            WRITTEN.format("choice"),
            listed=False,
        ),
        Verb(
            "chat",
            "SET",
            "judge models on a set (pipeline FOLDER: on files)",
            _short_arguments("SET", ABOUT_SET),
            _short_it,
            WRITTEN.format("chat"),
        ),
        Verb(
            "pipeline",
            "FOLDER...",
            "files processed, asked about, answered, judged",
            _short_arguments("FOLDER", ABOUT_FOLDER),
            _short_it,
            STAGES,
            listed=False,
        ),
        Verb("resume", "RUN", "finish a run (aa RUN: ask it again, for its noise)", _resume_arguments, _resume_it, ASKS),
        Verb("rescore", "RUN", "rebuild results from the log (items RUN: its questions)", _rescore_arguments, _rescore_it),
        Verb("status", "[RUN]", "where a run stands, or all (stop, pause, continue RUN)", _status_arguments, _steer_it),
        Verb("stop", "RUN", "stop a live run", add.run, _steer_it, listed=False),
        Verb("pause", "RUN", "ask a live run to wait", add.run, _steer_it, listed=False),
        Verb("continue", "RUN", "take a pause back", add.run, _steer_it, listed=False),
        Verb("compare", "RUN...", "runs or models on common questions (leaderboard: exams)", _compare_arguments, _compare_it),
        Verb("leaderboard", "RUN...", "exams in one leaderboard", _leaderboard_arguments, _leaderboard_it, listed=False),
        Verb("export", "RUN...", f"runs as {FORMATS}", _export_arguments, _export_it),
        Verb("import", "ANSWERS", "make a run of answers made elsewhere; sends nothing", _import_arguments, _import_it),
        Verb("call", "[-m] MODEL...", "one prompt to a model, with a file or without", _call_arguments, _call_it, CALLS),
        Verb("costs", "FOLDER...", "tokens and cost of runs, by model and stage", _costs_arguments, _costs_it),
        Verb("config", "[KIND]", "a config with every key (completion SHELL: for Tab)", _config_arguments, _config_it),
        Verb("docs", "[PAGE]", "the documentation: its pages, or one as text", _docs_arguments, _docs_it),
        Verb(
            "completion",
            "SHELL",
            "what Tab completes in a shell",
            _completion_arguments,
            _completion_it,
            COMPLETES,
            listed=False,
        ),
        Verb("models list", "", "the models of .conf/models.toml", _list_arguments, _models_it),
        Verb("models add", "NAME", "put a model on file", _add_arguments, _models_it),
        Verb("models edit", "NAME", "change a model", _edit_arguments, _models_it),
        Verb("models copy", "NAME NEW", "a second model that differs in its name", _copy_arguments, _models_it),
        Verb("models enable", "NAME", "let runs use a model", _name, _models_it),
        Verb("models disable", "NAME", "refuse runs that name a model", _name, _models_it),
        Verb("models delete", "NAME", "take a model from the file", _name, _models_it),
        Verb("models import", "FILE...", "models and prices from files of others", _files_arguments, _models_it),
        Verb("models template", "[FILE]", "write a model file to fill in", _template_arguments, _models_it),
        Verb("models check", "[CONFIG]", "ask each model a few tiny questions", _check_arguments, _check_it),
        Verb("models discover", "", "look for model servers on this machine", _discover_arguments, _discover_it),
        Verb("models trust", "HOST", "let a host be sent a key, a file or prompts", _host_arguments, _models_it),
        Verb("keys set", "NAME", "put an API key from standard input into .env", _key_arguments, _key_it),
        *EVIDENCE,
        *DATASETS,
    )
}
