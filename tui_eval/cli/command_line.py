"""The command line: words in, exit code out."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
import textwrap
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from tui_eval import __version__
from tui_eval.cli.standard_error import narration_off, tell
from tui_eval.cli.verb import Options, Parser, UsageError, Verb, near
from tui_eval.cli.verbs import VERBS
from tui_eval.core.errors import ConfigError, CrashError, FolderError, StorageError, TuiEvalError
from tui_eval.core.plaintext import one_line, visible, without_long_words
from tui_eval.workspace.memory_limits import lacks_memory, memory_words
from tui_eval.workspace.places import Workspace

HEAD = """\
usage: tui-eval VERB ...    tui-eval [RUN]: the app    tui-eval VERB --help
Evaluate language models. Try: tui-eval run quickstart (simulated, without keys)
"""
TAIL = """\
everywhere: --workspace DIR (where runs/ is), -q (no narration), --no-plugins
exit: 0 done  1 a gate fails  2 bad usage or config, nothing sent  3 incomplete
      70 a bug, see run.log  130 stopped, tui-eval resume finishes it
"""
COLLECTED_AFTER = (20_000, 20, 50)
"""Objects made between two looks for garbage. As Python has it, the looks are an eighth of what a command takes to load. The
app has its own."""
ON_FILE = "all answers so far are stored; tui-eval resume RUN continues"
HEADLESS = "tui-eval run CONFIG, tui-eval status, tui-eval --help"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the words say; returns the exit code. What a person can mend ends with one message and no traceback."""
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except UsageError as error:
        _tell(error)
        return 2


def _main(words: list[str]) -> int:
    before, verb, after = split(with_run_as_verb(words))
    if "--version" in before:
        print(f"tui-eval {__version__}")
        return 0
    if verb is None and ({"-h", "--help"} & set(before)):
        print(help_text())
        return 0
    options = Parser(verb or APP).read([*before, *after])
    options.verb = "" if verb is None else verb.name
    return _guarded(options, verb or APP)


def with_run_as_verb(words: Sequence[str]) -> list[str]:
    """The words with `run CONFIG` in place of `--run CONFIG`, which is the same wherever it stands."""
    for place, word in enumerate(words):
        if word == "--run":
            return ["run", *words[:place], *words[place + 1 :]]
        if word.startswith("--run="):
            return ["run", word.removeprefix("--run="), *words[:place], *words[place + 1 :]]
    return list(words)


def split(words: Sequence[str]) -> tuple[list[str], Verb | None, list[str]]:
    """(options before the verb, the verb, what stands behind it); no verb = the app, with the run it is to be opened on.

    UsageError for a word that is no verb and no run, with the nearest.
    """
    place = 0
    while place < len(words) and words[place].startswith("-") and words[place] != "-":
        name = words[place].partition("=")[0]
        if name not in COMMON:
            raise UsageError(f"no option {name}{_instead_of(name)}; tui-eval --help lists the verbs")
        place += 2 if words[place] == "--workspace" else 1
    before, rest = list(words[:place]), words[place:]
    for length in (2, 1):
        verb = VERBS.get(" ".join(rest[:length]))
        if verb is not None:
            return before, verb, list(rest[length:])
    if not rest:
        return before, None, []
    if rest[0] in GROUPS:
        if len(rest) == 1 or {"-h", "--help"} & set(rest[1:2]):
            print(group_help(rest[0]), file=sys.stdout if len(rest) > 1 else sys.stderr)
            raise SystemExit(0 if len(rest) > 1 else 2)
        names = [name for name in VERBS if name.startswith(f"{rest[0]} ")]
        choices = ", ".join(name.split()[1] for name in names)
        raise UsageError(f"no verb {' '.join(rest[:2])}{near(' '.join(rest[:2]), names)}; there are {choices}")
    if rest[1:] and rest[1].partition("=")[0] not in COMMON:
        raise _no_verb(rest[0], "no verb", ())
    return before, None, list(rest)


def _no_verb(word: str, none: str, runs: Iterable[str]) -> UsageError:
    """Return the error for a word that is none of the verbs, groups and runs: it names the nearest that is."""
    if word.endswith(".toml"):
        return UsageError(f"{word}: a config is run with: tui-eval run {word}")
    candidates = [*(name for name in VERBS if " " not in name), *GROUPS, *runs]
    return UsageError(f"{word}: {none}{near(word, candidates)}; tui-eval --help lists the verbs")


def _instead_of(option: str) -> str:
    """The verb that an action was before it was one, the verb that an option belongs to, or the nearest option."""
    verb_name = next((verb.name for verb in VERBS.values() if option in Parser(verb).option_names), "")
    if verb_name:
        return f" here: put it behind a verb that takes it, as in tui-eval {verb_name} ... {option}"
    words = option.strip("-").split("-")
    stems = {word.removesuffix("s") for word in words}
    verbs = [name for name in VERBS if {word.removesuffix("s") for word in name.split()} == stems]
    verbs += [name for name in VERBS if [name.split()[-1]] == words]
    return f": it is a verb, tui-eval {verbs[0]}" if verbs else near(option, sorted(COMMON))


COMMON = {"-h", "--help", "--version", "--workspace", "-q", "--quiet", "--no-plugins"}
GROUPS = tuple(dict.fromkeys(name.split()[0] for name in VERBS if " " in name))


def help_text() -> str:
    """Every verb on a line, those of a group on one."""
    rows = [(f"{verb.name} {verb.usage}", verb.about) for verb in VERBS.values() if " " not in verb.name and verb.listed]
    for group in GROUPS:
        rows.append((f"{group} ...", ", ".join(name.split()[1] for name in VERBS if name.startswith(f"{group} "))))
    lines = (textwrap.fill(about, 80, initial_indent=f"  {usage:<17} ", subsequent_indent=" " * 20) for usage, about in rows)
    return HEAD + "\n" + "\n".join(lines) + "\n" + TAIL.rstrip()


def group_help(group: str) -> str:
    """The verbs of a group."""
    rows = [(f"{v.name} {v.usage}", v.about) for v in VERBS.values() if v.name.startswith(f"{group} ")]
    lines = "\n".join(f"  tui-eval {usage:<24} {about}" for usage, about in rows)
    return f"{lines}\n\ntui-eval {group} VERB --help lists what a verb takes"


def _guarded(options: Options, verb: Verb) -> int:
    """Do it with keys kept off the screen, and turn what is raised into a message and an exit code."""
    os.umask(0o077)
    gc.set_threshold(*COLLECTED_AFTER)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would load them from the current folder, too
    from tui_eval.core import plugins  # only here: --help looks up no plug-ins and needs no keys
    from tui_eval.workspace.keys import guard_screen

    workspace = Workspace(options.workspace)
    plugins.switch(not options.no_plugins)
    guard_screen([path for path in (getattr(options, "keys_file", None), workspace.env_file) if path is not None])
    try:
        if not workspace.root.is_dir():
            raise ConfigError(f"--workspace {workspace.root}: there is no such folder")
        with narration_off(options.quiet):
            code = _executed(options, verb, workspace)
        _flush()
        return code
    except StorageError as error:
        _tell(error)
        return 2 if isinstance(error, FolderError) else 3
    except TuiEvalError as error:
        _tell(error)
        return 2
    except BrokenPipeError:
        _flush()
        return 0
    except KeyboardInterrupt:
        print("interrupted; all answers so far are stored: tui-eval resume RUN continues", file=sys.stderr)
        return 130
    except Exception as error:
        if lacks_memory(error):
            _tell(memory_words(ON_FILE))
            return 3
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            _tell(f"{one_line(str(error.filename))}: longer than the name of any file; give the path of a file, or a run's id")
            return 2
        print(visible(str(error) if isinstance(error, CrashError) else traceback.format_exc()), file=sys.stderr)
        print(f"this is a bug of tui-eval; {ON_FILE}", file=sys.stderr)
        return 70


def _executed(options: Options, verb: Verb, workspace: Workspace) -> int:
    """Do what a verb does. What would leave for the first time is asked about where a person sits before a terminal."""
    if not hasattr(options, "allow_egress"):
        return verb.execute(options, workspace)
    from tui_eval.cli import egress_text  # only here: other verbs send nothing
    from tui_eval.configuring.egress import EgressError, allow_hash
    from tui_eval.workspace.private_keys import name_secret_files
    from tui_eval.workspace.trust import look_only

    allow_hash(options.allow_egress)
    name_secret_files(options.allow_secret_file)
    try:
        return verb.execute(options, workspace)
    except EgressError as error:
        if not egress_text.can_ask():
            raise
        answer = egress_text.ask(error, workspace, sys.stdin)
        if answer == "y":
            return _executed(options, verb, workspace)
        if answer == "s" and hasattr(options, "dry_run"):
            look_only()
            options.dry_run = True
            return verb.execute(options, workspace)
        tell(egress_text.egress_text(error.egress) if answer == "s" else "nothing was sent")
        return 2


def _tell(error: object) -> None:
    """Say what is wrong; of a long value that it names, the beginning."""
    print(f"error: {without_long_words(visible(str(error)))}", file=sys.stderr)


def _flush() -> None:
    """Write out what was printed; where nobody reads it any more, forget it, so that the exit code stays what it is."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# the app


def _app_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", default="", help="a run folder, or the id of a run")


def _app(options: Options, workspace: Workspace) -> int:
    """The full-screen app, on a run if one is named, where there is a terminal that can show it."""
    attached = _attached(options.run, workspace) if options.run else None
    lacking = no_terminal((sys.stdin, sys.stdout, sys.stderr), os.environ)
    if lacking:
        raise ConfigError(f"{lacking}: the full-screen app needs a terminal; without one: {HEADLESS}")
    if "NO_COLOR" in os.environ:
        os.environ.setdefault("TEXTUAL_THEME", "ansi-dark")  # any other theme would be shown in greys; read at import
    os.environ.setdefault("TEXTUAL_FPS", "120")  # what changed is drawn after 8 ms, not 16; read at import, too
    from tui_eval.tui import start

    return start.main(workspace.root, attached)


def _attached(word: str, workspace: Workspace) -> Path:
    """The run that a lone word means. UsageError where it means none: with the verb, or the run, that is nearest."""
    try:
        return workspace.run(word)
    except TuiEvalError:
        raise _no_verb(word, "no verb and no run", (path.name for path in workspace.all_runs())) from None


APP = Verb("", "[RUN]", "open the full-screen app, on a run if one is named", _app_arguments, _app)


def no_terminal(streams: Iterable[TextIO | None], environment: Mapping[str, str]) -> str:
    """Why no full-screen app can be shown; empty where it can. The app paints on the last stream, standard error."""
    for name, stream in zip(("standard input", "standard output", "standard error"), streams, strict=True):
        if stream is None or not stream.isatty():
            return f"{name} is not a terminal"
    term = environment.get("TERM", "")
    return f"TERM={term} cannot move its cursor" if term in ("dumb", "unknown") else "" if term else "TERM is not set"
