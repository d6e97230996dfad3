"""Runs of a few words: short forms of kinds, and `datasets generate`; each writes its config down and runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui_eval.cli import commands, running
from tui_eval.cli.named_config import words_in
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.cli.verb import Options
from tui_eval.configuring.drafting.from_columns import ColumnChoices
from tui_eval.configuring.drafting.new_configs import check_free, generating_config, short_config, write_config
from tui_eval.configuring.generated_sets import check_set
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace

LLM = "llm"
"""The scorer that asks a model."""
OTHERWISE = "--target COLUMN, --prompt TEXT, --scorers S,T"
"""How a person chooses otherwise than by the columns of a set."""


def generate(options: Options, workspace: Workspace) -> int:
    """Write the config and run it, or with --dry-run say what that would cost; returns the exit code."""
    if not workspace.root.is_dir():
        raise ConfigError(f"--workspace {workspace.root}: there is no such folder")
    file = generating_config(workspace, options.file, options.name or "", _table(options), options.set, options.keys_file)
    loaded = complete(file, workspace, keys_file=options.keys_file, sends=not options.dry_run)
    check_set(loaded, workspace)
    if options.dry_run:
        return commands.show_plan(options, workspace, loaded)
    return written_and_run(options, workspace, loaded)


def _table(options: Options) -> dict[str, Any]:
    """Return [generate] as the options set it."""
    form = options.form or ("questions" if options.schema else "conversations")
    if form == "conversations" and options.schema:
        raise ConfigError("--schema: categories are for single questions; leave out --form conversations")
    if form == "questions" and (options.conversations or options.turns):
        raise ConfigError("--conversations and --turns do not apply to single questions; the schema sets their number")
    settings = {"conversations": options.conversations, "turns": options.turns, "schema_file": options.schema}
    check: Any = False if options.no_check else {"model": options.checker} if options.checker else None
    settings |= {} if check is None else {"check": check}
    return {"model": options.model, "form": form, **{key: value for key, value in settings.items() if value is not None}}


def run_short(options: Options, workspace: Workspace) -> int:
    """Write the config of the kind that the verb is called after and run it, or with --dry-run say what that would cost;
    returns the exit code."""
    models, judges = words_in("--models", options.models), words_in("--judge", options.judge)
    kind = KINDS[options.verb]
    scorers: tuple[Json, ...] = tuple(words_in("--scorers", options.scorers))
    if kind.starts.columns is not None and (judges or LLM in scorers):
        scorers = _asking(scorers, judges)
    arguments = ColumnChoices(options.target, tuple(options.prompt), scorers)
    config = short_config(workspace, kind, options.what, models, judges, options.name or "", options.set, arguments)
    file = config.file
    for words in config.left_out:
        tell(f"left out: {words}")
    if config.chosen:
        scored = any(word.startswith("scorers") for word in options.set)  # then these are not the columns' choice
        choice = config.chosen.partition(", scored by ")[0] if scored else config.chosen
        edited = "" if options.dry_run else f", or edit {file.path.name} and run it"
        narrate(f"chosen by the columns: {choice} (otherwise: {OTHERWISE}{edited})")
    try:
        check_free(file.path, file.content)
    except ConfigError as error:
        if not options.dry_run:
            raise
        tell(f"note: a run is refused: {error}")
    loaded = complete(file, workspace, keys_file=options.keys_file, sends=not options.dry_run)
    if options.dry_run:
        return commands.show_plan(options, workspace, loaded)
    return written_and_run(options, workspace, loaded)


def _asking(scorers: Sequence[Json], judges: Sequence[str]) -> tuple[Json, ...]:
    """The scorers, of which the one that asks a model asks this one. ConfigError where none does, or not one is named."""
    if not judges:
        raise ConfigError(f"--scorers {LLM}: it asks a model; name one by --judge MODEL, preferably none of those that answer")
    if LLM not in scorers:
        by_rubric = f"for a rubric of your own, name the judge by --set 'qa.judge.models=[\"{judges[0]}\"]' instead"
        raise ConfigError(
            f"--judge {judges[0]}: no scorer asks it; name {LLM} among --scorers, as in --scorers number,{LLM}; {by_rubric}"
        )
    if len(judges) > 1:
        raise ConfigError(f"--judge: the scorer {LLM} asks one model; for more, write one [[scorers]] for each in the config")
    return tuple({"use": LLM, "model": judges[0]} if each == LLM else each for each in scorers)


def written_and_run(options: Options, workspace: Workspace, loaded: Loaded) -> int:
    """Put a config that was made for this run into the workspace, say where it is, and run it."""
    path = loaded.file.path
    is_new = write_config(loaded.file, loaded.key_files)
    narrate(f"config: {path}{'' if is_new else ', as it was written before'}")
    options.run, options.set, options.models = str(path), [], None
    return running.run_config(options, workspace)
