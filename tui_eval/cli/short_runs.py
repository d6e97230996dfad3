"""The short form of a kind, such as a set and the models to ask: a config of a few words, written down and run."""

from __future__ import annotations

from tui_eval.cli import commands, running
from tui_eval.cli.named_config import words_in
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.cli.verb import Options
from tui_eval.configuring.drafting.new_configs import check_free, write_config
from tui_eval.configuring.drafting.short_configs import ShortForm, short_config
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace


def run_short(options: Options, workspace: Workspace) -> int:
    """Write the config of the kind that the verb is called after and run it, or with --dry-run say what that would cost;
    returns the exit code."""
    models, judges = words_in("--models", options.models), words_in("--judge", options.judge)
    form = ShortForm(options.what, models, judges, options.name or "", options.set)
    file, left_out = short_config(workspace, KINDS[options.verb], form)
    for words in left_out:
        tell(f"left out: {words}")
    check_free(file.path, file.content)
    loaded = complete(file, workspace, keys_file=options.keys_file, sends=not options.dry_run)
    if options.dry_run:
        return commands.show_plan(options, workspace, loaded)
    return written_and_run(options, workspace, loaded)


def written_and_run(options: Options, workspace: Workspace, loaded: Loaded) -> int:
    """Put a config that was made for this run into the workspace, say where it is, and run it."""
    path = loaded.file.path
    made = write_config(loaded.file, loaded.key_files)
    narrate(f"config: {path}{'' if made else ', as it was written before'}")
    options.run, options.set, options.models = str(path), [], None
    return running.run_config(options, workspace)
