"""The command line: arguments in, exit code out."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from tui_eval import __version__
from tui_eval.core.errors import ConfigError, CrashError, StorageError, TuiEvalError
from tui_eval.core.plaintext import visible
from tui_eval.workspace.places import Workspace

EXIT_CODES = """\
exit codes:
  0    done
  1    done, but the results do not hold a gate of the config ([gate])
  2    bad usage, config or input; nothing was sent
  3    incomplete: budget spent, calls failed for good, run aborted, disk full
  70   a bug of tui-eval; the traceback is in run.log
  130  stopped (Ctrl-C, SIGTERM, --stop); --resume finishes it
  143  the full-screen app was told to end, or its terminal is gone; runs go on

examples:
  tui-eval                              the full-screen app
  tui-eval --attach RUN                 the app, opened on one run
  tui-eval --run quickstart             a panel of simulated models; no key
  tui-eval --run choice                 a multiple-choice exam, likewise
  tui-eval --run panel.toml --dry-run   calls, tokens and cost; sends nothing
  tui-eval --run panel.toml --set run.max_calls=500 --models mini,flash
  tui-eval --run panel.toml --set run.mode=batch      at half the price
  tui-eval --resume runs/20260101_120000_ab12_wells --failed
  tui-eval --rescore RUN --set choice.extraction=formationeval-v0.1 --dry-run
  tui-eval --leaderboard RUN RUN --out boards/mine
  tui-eval --compare RUN RUN            or one run: its models; sends nothing
  tui-eval --export RUN --format junit --out results.xml         for CI
  tui-eval --add-model mini --set model=gpt-5-mini    then: tui-eval --check
  tui-eval --discover --add all         models of the servers on this machine
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Mistakes a person can mend end with one message and no traceback."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if len(_verbs(options)) > 1:
        parser.error("give at most one of " + ", ".join("--" + verb.replace("_", "-") for verb in VERBS))
    misplaced = _misplaced(options)
    if misplaced:
        print(f"error: {misplaced}", file=sys.stderr)
        return 2
    os.umask(0o077)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would load them from the current folder, too
    from tui_eval.core import plugins  # only here: --help needs neither plug-ins nor keys
    from tui_eval.workspace.keys import guard_screen

    plugins.switch(not options.no_plugins)
    guard_screen([path for path in (options.keys_file, Workspace(options.workspace).env_file) if path is not None])
    try:
        code = _execute(options)
        _flush()
        return code
    except StorageError as error:
        print(f"error: {visible(str(error))}", file=sys.stderr)
        return 3
    except TuiEvalError as error:
        print(f"error: {visible(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _flush()
        return 0
    except KeyboardInterrupt:
        print("interrupted; what was answered is on file. --resume goes on, --rescore rebuilds reports", file=sys.stderr)
        return 130
    except Exception as error:
        print(visible(str(error) if isinstance(error, CrashError) else traceback.format_exc()), file=sys.stderr)
        print("this is a bug of tui-eval; what was answered is on file, and --resume goes on", file=sys.stderr)
        return 70


def _flush() -> None:
    """Write out what was printed; where nobody reads it any more, forget it, so that the exit code stays what it is."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _execute(options: argparse.Namespace) -> int:
    """Through the door that was asked for; only asking models loads the engine and its HTTP client."""
    if _verbs(options) in ([], ["attach"]):
        return _app(options)
    if options.resume is not None or (options.run is not None and not options.dry_run):
        from tui_eval.cli import running

        return running.execute(options)
    if any(getattr(options, verb) is not None for verb in MODEL_VERBS):
        from tui_eval.cli import model_commands

        return model_commands.execute(options)
    if any(getattr(options, verb) is not None for verb in CHECKS):
        from tui_eval.cli import checking

        return checking.execute(options)
    if options.export is not None:
        from tui_eval.cli import exporting

        return exporting.execute(options)
    from tui_eval.cli import commands

    return commands.execute(options)


def _app(options: argparse.Namespace) -> int:
    """The full-screen app, where there is a terminal that can show it."""
    workspace = Workspace(options.workspace)
    attached = None if options.attach is None else workspace.run(options.attach)
    lacking = no_terminal((sys.stdin, sys.stdout, sys.stderr), os.environ)
    if lacking:
        raise ConfigError(f"{lacking}: the full-screen app needs a terminal; without one: {HEADLESS}")
    if "NO_COLOR" in os.environ:
        os.environ.setdefault("TEXTUAL_THEME", "ansi-dark")  # any other theme would be shown in greys; read at import
    os.environ.setdefault("TEXTUAL_FPS", "120")  # what changed is drawn after 8 ms, not 16; read at import, too
    from tui_eval.tui import start

    return start.main(workspace.root, attached)


def no_terminal(streams: Iterable[TextIO | None], environment: Mapping[str, str]) -> str:
    """Why no full-screen app can be shown; empty where it can. The app paints on the last stream, standard error."""
    for name, stream in zip(("standard input", "standard output", "standard error"), streams, strict=True):
        if stream is None or not stream.isatty():
            return f"{name} is no terminal"
    term = environment.get("TERM", "")
    return f"TERM={term} cannot move its cursor" if term in ("dumb", "unknown") else "" if term else "TERM is not set"


HEADLESS = "tui-eval --run CONFIG, tui-eval --status, tui-eval --help"
CHECKS = ("check", "discover")
MODEL_VERBS = (
    "list_models",
    "add_model",
    "edit_model",
    "copy_model",
    "enable_model",
    "disable_model",
    "delete_model",
    "import_models",
    "trust_host",
)
VERBS = (
    "run",
    "resume",
    "rescore",
    "leaderboard",
    "compare",
    "export",
    "import_answers",
    "store_key",
    "status",
    "stop",
    "pause",
    "continue",
    "attach",
    *MODEL_VERBS,
    *CHECKS,
)


GOES_WITH: dict[str, tuple[str, ...]] = {
    "out": ("run", "leaderboard", "compare", "export", "import_answers"),
    "format": ("export",),
    "dataset": ("import_answers",),
    "dry_run": ("run", "rescore"),
    "set": ("run", "resume", "rescore", "leaderboard", "import_answers", "add_model", "edit_model", "check"),
    "unset": ("edit_model",),
    "models": ("run", "compare", "export", "check"),
    "metric": ("compare",),
    "only": ("run",),
    "repeat": ("run",),
    "force": ("run", "import_answers"),
    "flips": ("compare",),
    "failed": ("resume",),
    "offline": ("run", "resume"),
    "no_preflight": ("run", "resume"),
    "keys_file": ("run", "resume", "check", "store_key", "list_models", "add_model", "edit_model", "import_models"),
    "add": ("discover",),
    "ports": ("discover",),
    "json_lines": ("check",),
    "json": ("status", "rescore", "compare", "list_models", "check", "discover"),
}
"""Which options mean something to which commands: one that is passed over in silence would be taken for obeyed."""


def _misplaced(options: argparse.Namespace) -> str:
    """What is wrong where an option does not go with the command; empty where all do."""
    verb = next(iter(_verbs(options)), None)
    for option, verbs in GOES_WITH.items():
        if getattr(options, option) not in (None, False, "", []) and verb not in verbs:
            given = "the full-screen app" if verb is None else _flag(verb)
            return f"{_flag(option)} does not go with {given}; it goes with {', '.join(map(_flag, verbs))}"
    return ""


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _verbs(options: argparse.Namespace) -> list[str]:
    return [verb for verb in VERBS if getattr(options, verb) is not None]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tui-eval",
        usage="tui-eval [--workspace DIR] [COMMAND] [OPTIONS]",
        description="Evaluate language models from the terminal:\nhard budgets, every call on file, numbers that say their n.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tui-eval {__version__}")
    parser.add_argument("--workspace", type=Path, default=Path("."), metavar="DIR", help="where runs/, prompts/ and .env are")
    parser.add_argument("--no-plugins", action="store_true", help="use no kinds, wires and exporters of other packages")
    what = parser.add_argument_group("what to do (one of these; without, the full-screen app opens)")
    what.add_argument("--attach", metavar="RUN", help="open the app on one run, live or finished")
    what.add_argument("--run", metavar="CONFIG", help="run a TOML config, or a shipped example by name")
    what.add_argument("--resume", metavar="RUN", help="finish an interrupted run; what is answered is not asked again")
    what.add_argument("--rescore", metavar="RUN", help="rebuild results and reports from the log; sends nothing")
    what.add_argument(
        "--leaderboard", metavar="RUN", nargs="+", help="merge multiple-choice runs into the leaderboard in --out"
    )
    what.add_argument("--compare", metavar="RUN", nargs="+", help="runs, or the models of one, on their common questions")
    what.add_argument("--export", metavar="RUN", nargs="+", help="runs as csv, json, md, junit or jsonl, to --out or stdout")
    what.add_argument("--import-answers", type=Path, metavar="FILE", help="make a run of answers made elsewhere; sends nothing")
    what.add_argument("--store-key", metavar="NAME", help="put an API key, read from standard input, into .env")
    what.add_argument("--status", metavar="RUN", nargs="?", const="", help="where a run stands; without RUN, all runs")
    what.add_argument("--stop", metavar="RUN", help="ask a live run to stop; calls in flight finish")
    what.add_argument("--pause", metavar="RUN", help="ask a live run to wait")
    what.add_argument("--continue", metavar="RUN", help="take a pause back")
    _add_model_verbs(parser)
    how = parser.add_argument_group("how")
    how.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: runs/<run id>); the file of --export")
    how.add_argument("--format", default="", metavar="F", help="with --export: its format; without, by the suffix of --out")
    how.add_argument("--dataset", type=Path, metavar="BENCH", help="with --import-answers: the benchmark that was answered")
    how.add_argument("--dry-run", action="store_true", help="with --run, --rescore: say what it would do; do nothing")
    how.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a config key, e.g. run.seed=7")
    how.add_argument("--unset", action="append", default=[], metavar="KEY", help="with --edit-model: drop a key")
    how.add_argument(
        "--models", default="", metavar="A,B", help="these models alone (who judges stays): with --run, --compare, --export"
    )
    how.add_argument("--metric", default="", metavar="NAME", help="with --compare: only scores of this metric")
    how.add_argument(
        "--flips",
        action="append",
        default=[],
        metavar="A,B",
        help="with --compare: where these two differ; again for more",
    )
    how.add_argument("--only", default="", metavar="IDS", help="with --run: only these items, comma-separated")
    how.add_argument("--repeat", type=int, metavar="N", help="with --run: ask everything N times, report mean and median")
    how.add_argument("--force", action="store_true", help="with --run --out: move an old folder of that name aside")
    how.add_argument("--failed", action="store_true", help="with --resume: ask calls again that failed or timed out")
    how.add_argument("--offline", action="store_true", help="with --run or --resume: answer from the log, send nothing")
    how.add_argument("--no-preflight", action="store_true", help="with --run, --resume: no tiny question to each model first")
    how.add_argument("--keys-file", type=Path, metavar="FILE", help="a .env file that holds the API keys")
    how.add_argument("--add", default="", metavar="IDS", help="with --discover: models to put on file, comma-separated, or all")
    how.add_argument("--ports", default="", metavar="N,N", help="with --discover: other ports to look at")
    how.add_argument("--json-lines", action="store_true", help="with --check: a line of JSON per model, as it is found out")
    how.add_argument("--json", action="store_true", help="with commands that show something: as JSON, for programs")
    return parser


def _add_model_verbs(parser: argparse.ArgumentParser) -> None:
    models = parser.add_argument_group("models (one of these)")
    models.add_argument(
        "--check", nargs="?", const="", metavar="CONFIG", help="ask each model, of a config or on file, a few tiny questions"
    )
    models.add_argument("--discover", action="store_const", const=True, help="look for model servers on this machine")
    models.add_argument("--list-models", action="store_const", const=True, help="the models of .conf/models.toml")
    models.add_argument("--add-model", metavar="NAME", help="with --set model=gpt-5-mini, --set KEY=VALUE")
    models.add_argument("--edit-model", metavar="NAME", help="with --set KEY=VALUE and --unset KEY")
    models.add_argument("--copy-model", nargs=2, metavar=("NAME", "NEW"), help="a second one that differs in its name")
    models.add_argument("--enable-model", metavar="NAME", help="let runs use it")
    models.add_argument("--disable-model", metavar="NAME", help="refuse runs that name it")
    models.add_argument("--delete-model", metavar="NAME", help="take it from the file")
    models.add_argument("--trust-host", metavar="HOST", help="let wires of other packages send prompts and keys to it")
    models.add_argument(
        "--import-models", type=Path, nargs="+", metavar="FILE", help="JSON registries, price tables, model files; or folders"
    )
