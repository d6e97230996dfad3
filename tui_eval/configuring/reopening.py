"""A run folder's own config, loaded again: its real models, and changes of its limits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import tomli_w

from tui_eval.configuring.loading import Loaded, load, used_models
from tui_eval.configuring.plugin_manifest import check_there, differences
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.models.catalogue import model_tables
from tui_eval.providers import WIRES
from tui_eval.results.tables import json_text
from tui_eval.runs.folder import CONFIG, MANIFEST, holder, this_moment
from tui_eval.runs.opening import whole
from tui_eval.runs.reader import RunReader
from tui_eval.runs.writing import Inside, write_file
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import MAX_TOML_BYTES, read_toml


def real_models(path: Path) -> list[str]:
    """Names of the models of a run folder that its config does not have as simulated or imported ones. ConfigError where it
    cannot be read.

    What the folder's other files say of that is left aside: anybody may have written them.
    """
    file = read_toml(path / CONFIG)
    wires = {table.name: WIRES[table.wire] for table in model_tables(file) if table.wire in WIRES}
    pretended = {name for name, wire in wires.items() if wire.simulated or wire.recorded}
    return [name for name in used_models(file) if name not in pretended]


TOKEN_LIMIT = "run.max_output_tokens"
FIXED = frozenset({"run.seed", "run.repeat", "run.only", "run.longer_when_cut"})
"""Settings of `[run]` that make other calls: they stay as they are once a run has begun."""


def reopen(
    path: Path, workspace: Workspace, settings: Sequence[str] = (), keys_file: Path | None = None, sends: bool = True
) -> Loaded:
    """Load a run folder's own config again. FolderError when it was edited since the run was prepared.

    `sends`: whether calls are to be sent; without, no key needs to be there.
    """
    manifest = RunReader(path).json(MANIFEST)
    if not isinstance(manifest, dict):
        raise FolderError(f"{path / MANIFEST}: missing or damaged; the run cannot be resumed")
    digest = hashlib.sha256(whole(path / CONFIG, MAX_TOML_BYTES) or b"").hexdigest()
    if digest not in (manifest.get("config_sha256"), manifest.get("config_sha256_before")):
        raise FolderError(
            f"{path / CONFIG}: was changed after the run was prepared; undo that, or start a new run: "
            f"tui-eval run {path / CONFIG}"
        )
    check_there(path, manifest)
    again = _for_calls_asked_again(path, settings)
    loaded = load(path / CONFIG, workspace, again, keys_file=keys_file, sends=sends)
    if again != list(settings) and not _limits_sent(loaded):
        raise ConfigError(f"--set {TOKEN_LIMIT}: there is nothing to raise: the run sends no token limit")
    return replace(loaded, warnings=(*loaded.warnings, *differences(manifest)))


def _limits_sent(loaded: Loaded) -> bool:
    """Return whether any call has a token limit, be it the run's, a model's or a row's."""
    return any(model.max_output_tokens is not None for models in loaded.evaluation.task.asked.values() for model in models)


def _for_calls_asked_again(path: Path, settings: Sequence[str]) -> list[str]:
    """Return settings with a raised token limit as that of calls asked again: another limit for all would be other calls.

    ConfigError where it is no raise.
    """
    run = read_toml(path / CONFIG).content.get("run", {})
    before = max(run.get("max_output_tokens", 0), run.get("max_output_tokens_again", 0)) if isinstance(run, dict) else 0
    adapted = []
    for setting in settings:
        key, _, value = setting.partition("=")
        if key.strip() != TOKEN_LIMIT:
            adapted.append(setting)
        elif not value.strip().isdecimal() or not before < int(value):
            raise ConfigError(
                f"--set {setting}: a run that has begun may only raise its token limit, here to more than {before:,}"
            )
        else:
            adapted.append(f"{TOKEN_LIMIT}_again={int(value)}")
    return adapted


def cap_is_derived(path: Path, settings: Sequence[str]) -> bool:
    """Return whether nobody set the run's cap on calls: neither its config, nor --set, now or in an earlier session."""
    manifest = RunReader(path).table(MANIFEST)
    changes = [setting for change in manifest.get("changes", []) for setting in change.get("set", [])]
    set_since = any(setting.partition("=")[0].strip() == "run.max_calls" for setting in [*changes, *settings])
    return manifest.get("max_calls_derived") is True and not set_since


def change_limits(path: Path, loaded: Loaded, settings: Sequence[str]) -> None:
    """Write changed `[run]` limits into a run that is taken up again. ConfigError for any other setting.

    The manifest knows both configs before the new one is written, so that a crash in between does no harm.
    """
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live run; stop it with tui-eval stop {path} before its limits change")
    for setting in settings:
        key = setting.partition("=")[0].strip()
        if not key.startswith("run.") or key in FIXED:
            raise ConfigError(f"--set {setting}: a run that has begun can only change limits, such as run.max_calls")
    content = {**read_toml(path / CONFIG).content, "run": loaded.run.model_dump(exclude_none=True)}
    config = tomli_w.dumps(content)
    manifest = RunReader(path).json(MANIFEST)
    manifest["config_sha256_before"] = hashlib.sha256(whole(path / CONFIG, MAX_TOML_BYTES) or b"").hexdigest()
    manifest["config_sha256"] = hashlib.sha256(config.encode("utf-8")).hexdigest()
    change: dict[str, Json] = {"at": this_moment(), "set": list(settings)}
    if loaded.run.max_output_tokens_again is not None:
        change["token_limits"] = {"first": loaded.run.max_output_tokens, "asked_again": loaded.run.max_output_tokens_again}
    manifest.setdefault("changes", []).append(change)
    write_file(Inside(path) / MANIFEST, json_text(manifest))
    write_file(Inside(path) / CONFIG, config)
