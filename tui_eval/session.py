"""What a person can do to a run's content: prepare one, take it up again, change its limits, re-score it."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tomli_w

from tui_eval import __version__
from tui_eval.config import read_toml
from tui_eval.derive import Evaluation, Outcome, asks_otherwise, derive
from tui_eval.documents import bytes_of
from tui_eval.errors import ConfigError, FolderError
from tui_eval.key_files import has_key
from tui_eval.keys import Keys
from tui_eval.letters import EXTRACTIONS
from tui_eval.loading import Loaded, load, resolved
from tui_eval.run_entry import CONFIG, MANIFEST
from tui_eval.runs import Started, resume
from tui_eval.store.folder import create_folder, holder, write_file
from tui_eval.store.reader import RunReader
from tui_eval.store.report import json_text
from tui_eval.trial import Trial, tried
from tui_eval.types import Json
from tui_eval.workspace import Workspace

Redact = Callable[[str], str]


def prepare(loaded: Loaded, path: Path, redact: Redact, command_line: Sequence[str], force: bool = False) -> None:
    """Make a run folder with everything a run needs and no attempts yet.

    ConfigError when an input holds the value of a key; FolderError when the folder exists (unless `force`, which moves
    an old one aside).
    """
    for file in loaded.provenance:
        if _holds_key(bytes_of(file), redact):
            raise ConfigError(f"{file.name}: holds the value of one of your keys; remove it before it is sent and stored")
    config = tomli_w.dumps(resolved(loaded))
    if redact(config) != config or redact(str(path)) != str(path):
        raise ConfigError(
            "the config, or the name of the run folder, holds the value of one of your keys; remove it before it is stored"
        )
    if force and path.exists():
        _move_aside(path)
    create_folder(path)
    for file in loaded.provenance:
        write_file(path / file.path, bytes_of(file))
    write_file(path / "resolved_config.json", json_text(_with_contents(loaded)))
    write_file(path / "plan.json", json_text(loaded.plan))
    write_file(path / MANIFEST, json_text(_manifest(loaded, path, config, [redact(word) for word in command_line])))
    write_file(path / CONFIG, config)


def start(loaded: Loaded, workspace: Workspace, command_line: Sequence[str]) -> tuple[Path, Started]:
    """Make a new run folder in the workspace, and have a process of its own work on it; the folder, and that process.

    ConfigError where the config or an input holds the value of a key; FolderError where the folder cannot be made.
    """
    path = workspace.runs / workspace.new_run_id(loaded.evaluation.name)
    prepare(loaded, path, keys_of(loaded).redact, command_line)
    return path, resume(path, workspace)


def keys_of(loaded: Loaded) -> Keys:
    """The values of the keys that a run needs, so far as they are there."""
    specs = loaded.evaluation.models.values()
    names = [name for spec in specs for name in (spec.api_key_env, spec.organization_env) if name]
    return Keys([name for name in names if has_key(name, loaded.key_files)], loaded.key_files)


def reopen(
    path: Path, workspace: Workspace, settings: Sequence[str] = (), keys_file: Path | None = None, sends: bool = True
) -> Loaded:
    """Load a run folder's own config again. FolderError when it was edited since the run was prepared.

    `sends`: whether calls are to be sent; without, no key needs to be there.
    """
    manifest = RunReader(path).json(MANIFEST)
    if not isinstance(manifest, dict):
        raise FolderError(f"{path / MANIFEST}: missing or damaged; the run cannot be taken up again")
    found = hashlib.sha256((path / CONFIG).read_bytes()).hexdigest()
    if found not in (manifest.get("config_sha256"), manifest.get("config_sha256_before")):
        raise FolderError(
            f"{path / CONFIG}: was changed after the run was prepared; undo that, or start a new run with --run {path / CONFIG}"
        )
    return load(path / CONFIG, workspace, settings, keys_file=keys_file, sends=sends)


def change_limits(path: Path, loaded: Loaded, settings: Sequence[str]) -> None:
    """Write changed `[run]` limits into a run that is taken up again. ConfigError for any other setting.

    The manifest knows both configs before the new one is written, so that a crash in between does no harm.
    """
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live run; stop it with --stop {path} before its limits change")
    for setting in settings:
        key = setting.partition("=")[0].strip()
        if not key.startswith("run.") or key in ("run.seed", "run.repeat", "run.only", "run.max_output_tokens"):
            raise ConfigError(f"--set {setting}: a run that has begun can only change limits, such as run.max_calls")
    content = {**read_toml(path / CONFIG).content, "run": loaded.run.model_dump(exclude_none=True)}
    config = tomli_w.dumps(content)
    manifest = RunReader(path).json(MANIFEST)
    manifest["config_sha256_before"] = hashlib.sha256((path / CONFIG).read_bytes()).hexdigest()
    manifest["config_sha256"] = hashlib.sha256(config.encode("utf-8")).hexdigest()
    manifest.setdefault("changes", []).append({"at": _now(), "set": list(settings)})
    write_file(path / MANIFEST, json_text(manifest))
    write_file(path / CONFIG, config)


def rescore(path: Path, workspace: Workspace, settings: Sequence[str] = ()) -> tuple[Outcome, Loaded, Path]:
    """Rebuild every derived file from the log; nothing is sent.

    With settings, into rescored/<name>/ beside, with a list of every score that is another under them.
    """
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live run; wait for it, or stop it with --stop {path}")
    loaded = reopen(path, workspace, settings, sends=False)
    if not settings:
        return derive(path, loaded.evaluation), loaded, path
    before = _as_asked(path, workspace, loaded, settings)
    out = path / "rescored" / _slug(settings)
    return derive(path, loaded.evaluation, out, before.evaluation), loaded, out


def try_rescore(path: Path, workspace: Workspace, settings: Sequence[str]) -> Trial:
    """What a re-score with these settings would change. Nothing is written, nothing is sent; the run may be live."""
    if not settings:
        raise ConfigError("--rescore --dry-run: say what to try, for example --set choice.extraction=formationeval-v0.1")
    loaded = reopen(path, workspace, settings, sends=False)
    before = _as_asked(path, workspace, loaded, settings)
    others: dict[str, Evaluation] = {}
    if loaded.evaluation.kind.name == "choice":
        known = {loaded.evaluation.config.extraction, before.evaluation.config.extraction}
        for rule in sorted(set(EXTRACTIONS) - known):
            others[rule] = reopen(path, workspace, [f"choice.extraction={rule}"], sends=False).evaluation
    return tried(path, before.evaluation, loaded.evaluation, others)


def _as_asked(path: Path, workspace: Workspace, loaded: Loaded, settings: Sequence[str]) -> Loaded:
    """The run's own evaluation. ConfigError where the changed one would ask anything else."""
    before = reopen(path, workspace, sends=False)
    if asks_otherwise(before.evaluation, loaded.evaluation):
        raise ConfigError(
            f"--set {' --set '.join(settings)}: changes what is asked, so the stored replies are no answers to it; "
            f"ask anew with --run {path / CONFIG} and the same --set"
        )
    return before


def _move_aside(path: Path) -> None:
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live process; --force does not replace it")
    aside = path.with_name(f"{path.name}.old-{time.strftime('%Y%m%d_%H%M%S')}-{os.getpid()}")
    path.rename(aside)
    print(f"the old folder was moved to {aside}", file=sys.stderr)


def _with_contents(loaded: Loaded) -> dict[str, Json]:
    """The resolved config with each input's content: all of a run's setup in one file (spec 003 §12.2)."""
    whole = resolved(loaded)
    contents = [{("text" if f.encoding == "utf-8" else "bytes_b64"): f.content} for f in loaded.provenance]
    whole["inputs"] = [{**entry, **content} for entry, content in zip(whole["inputs"], contents, strict=True)]
    return whole


def _manifest(loaded: Loaded, path: Path, config: str, command_line: list[str]) -> dict[str, Json]:
    evaluation = loaded.evaluation
    return {
        "run_id": path.name,
        "uid": secrets.token_hex(8),
        "kind": evaluation.kind.name,
        "name": evaluation.name,
        "simulated": any(spec.wire == "simulator" for spec in evaluation.models.values()),
        "started_at": _now(),
        "tool_version": __version__,
        "git_commit": _git_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "command_line": command_line,
        "planned_calls": loaded.plan["total_calls"],
        "config_sha256": hashlib.sha256(config.encode("utf-8")).hexdigest(),
        "inputs_sha256": {file.path: file.sha256 for file in loaded.provenance},
    }


def _git_commit() -> str | None:
    """The commit of the program's own checkout, or None when it is installed."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return None
    try:
        command = ["git", "-C", str(root), "rev-parse", "HEAD"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _holds_key(data: bytes, redact: Redact) -> bool:
    """Whether a file holds a key, as text in one of the usual encodings or in base64."""
    texts = [data.decode(encoding, "replace") for encoding in ("latin-1", "utf-16-le", "utf-16-be")]
    texts.append(data[1:].decode("utf-16-le", "replace"))
    return any(redact(text) != text for text in texts)


def _slug(settings: Sequence[str]) -> str:
    text = "_".join(settings)
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-=") else "-" for c in text)
    return safe[:80] + "-" + hashlib.sha256(text.encode()).hexdigest()[:6]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
