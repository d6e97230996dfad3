"""A run folder made from a config: everything a run needs, and no attempts yet."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import tomli_w

from tui_eval import __version__
from tui_eval.configuring.egress import check_answers, is_run_config, remember_egress
from tui_eval.configuring.evaluation import check_row_files
from tui_eval.configuring.input_files import DOCUMENTS, described
from tui_eval.configuring.judge_identity import copies_for, write_copies
from tui_eval.configuring.loading import Loaded, resolved
from tui_eval.configuring.plugin_manifest import as_written
from tui_eval.configuring.prompt_files import prompts_in, with_prompts
from tui_eval.configuring.scorer_settings import manifest_entry
from tui_eval.configuring.taken_answers import write_taken
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.documents import pieces_of
from tui_eval.results.tables import json_parts, json_text
from tui_eval.runs.folder import CONFIG, FORMAT, MANIFEST, create_folder, holder, this_moment
from tui_eval.runs.steering import Started, resume
from tui_eval.runs.writing import Inside, write_file, write_pieces
from tui_eval.workspace.key_files import has_key
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_keys import holds_private_key, is_named, refusal
from tui_eval.workspace.trust import check_written_inside, make_own
from tui_eval.workspace.validation import written_out

Redact = Callable[[str], str]
LONGEST_SLUG = 38
"""Letters of names that an id has room for."""
LONGEST_NAME = 255
"""Bytes that the name of a file has at most, on nearly every disk."""
OVERLAP_BYTES = 64 * 1024
"""Of a piece of a file, looked at again with the next: more than any spelling of a key takes, and an even number."""


def prepare(
    loaded: Loaded,
    path: Path,
    redact: Redact,
    command_line: Sequence[str],
    force: bool = False,
    workspace: Workspace | None = None,
) -> None:
    """Make a run folder with everything a run needs and no attempts yet.

    `workspace`: where what it may send is put on record, so that it can be taken up again; `force` moves an old folder aside.
    ConfigError when an input holds the value of a key; FolderError when the folder exists.
    """
    for file in loaded.provenance:
        if _holds_key(pieces_of(file), redact):
            raise ConfigError(f"{file.name}: holds the value of one of your keys; remove it before it is sent and stored")
    check_row_files(loaded.evaluation)
    if loaded.evaluation.task.recorded and loaded.answers is None:
        raise ConfigError("the earlier run that the replies come from is gone; without it there is nothing to judge")
    config = tomli_w.dumps(resolved(loaded))
    if redact(config) != config or redact(str(path)) != str(path):
        raise ConfigError(
            "the config, or the name of the run folder, holds the value of one of your keys; remove it before it is stored"
        )
    if holds_private_key([config.encode("utf-8")]) and not is_named(loaded.file.path):
        raise ConfigError(refusal("the config", loaded.file.path))
    _check_names(loaded.provenance)
    if force and path.exists():
        _move_aside(path)
    if workspace is not None:
        if isinstance(loaded.answers, Path) and is_run_config(loaded.file):
            check_answers(loaded.egress, loaded.answers, loaded.file, workspace)
        make_own(workspace.root)
        for name in ("runs", ".cache", ".cache/replies", "datasets"):
            check_written_inside(workspace, workspace.root / name)
    create_folder(path)
    try:
        _fill(path, loaded, config, [redact(word) for word in command_line])
        if workspace is not None:
            write_copies(Inside(path), copies_for(loaded.evaluation, workspace))
            remember_egress(loaded.egress, loaded.file, workspace, path)
            if loaded.evaluation.task.scorers.by_code:
                from tui_eval.configuring.own_code.own_scorers import remember_code  # only for those whose code is run

                remember_code(loaded.evaluation.task.scorers, loaded.file, workspace, path)
        write_file(Inside(path) / CONFIG, config)  # last: with it the folder is a run, which may be taken up again
    except Exception:
        shutil.rmtree(path, ignore_errors=True)  # made just now, and nothing was asked: a part of a run is none
        raise


def _check_names(files: Sequence[InputFile]) -> None:
    """ConfigError where the copy of an input, or what is kept beside it, would have a name that no disk can hold."""
    for file in files:
        name = max(file.path.split("/"), key=lambda part: len(os.fsencode(part)))
        if (n := len(os.fsencode(name))) > LONGEST_NAME:
            raise ConfigError(
                f"{one_line(file.name, 60)}: in a run folder, the name {one_line('…' + name[-40:])} would have {n} bytes, "
                f"of at most {LONGEST_NAME}; give the file a shorter name"
            )


def _fill(path: Path, loaded: Loaded, config: str, command_line: list[str]) -> None:
    """Put everything into a new run folder that it begins with, but for its config."""
    run = Inside(path)
    for file in loaded.provenance:
        write_pieces(run / file.path, pieces_of(file))
    write_pieces(run / "resolved_config.json", chain(json_parts(_in_full(loaded)), "\n"))
    write_file(run / "plan.json", json_text(loaded.plan))
    manifest = _manifest(loaded, path, config, command_line)
    if loaded.answers is not None:
        manifest["taken"] = write_taken(path, loaded.evaluation, loaded.answers)
    write_file(run / MANIFEST, json_text(manifest))


def start(loaded: Loaded, workspace: Workspace, command_line: Sequence[str]) -> tuple[Path, Started]:
    """Make a new run folder in the workspace, and have a process of its own work on it; the folder, and that process.

    ConfigError where the config or an input holds the value of a key; FolderError where the folder cannot be made.
    """
    path = workspace.runs / workspace.new_run_id(slug_of(loaded))
    prepare(loaded, path, keys_of(loaded).redact, command_line, workspace=workspace)
    return path, resume(path, workspace)


def slug_of(loaded: Loaded) -> str:
    """Return what the id of a run says of it: its name, and what its kind adds to that."""
    evaluation = loaded.evaluation
    more = "" if evaluation.kind.task_form.id_suffix is None else evaluation.kind.task_form.id_suffix(evaluation.task)
    return f"{evaluation.name[: max(LONGEST_SLUG - len(more), 0)]} {more}" if more else evaluation.name


def keys_of(loaded: Loaded) -> Keys:
    """The values of the keys that a run needs, so far as they are there."""
    specs = loaded.evaluation.models.values()
    names = [name for spec in specs for name in (spec.api_key_env, spec.organization_env) if name]
    return Keys([name for name in names if has_key(name, loaded.key_files)], loaded.key_files)


def _move_aside(path: Path) -> None:
    if holder(path) is not None:
        raise FolderError(f"{path}: is being written by a live process; --force does not replace it")
    aside = path.with_name(f"{path.name}.old-{time.strftime('%Y%m%d_%H%M%S')}-{os.getpid()}")
    path.rename(aside)
    print(f"the old folder was moved to {aside}", file=sys.stderr)


def _in_full(loaded: Loaded) -> dict[str, object]:
    """The resolved config with what files came to: all of a run's setup in one file (spec 003 §12.2), made as it is written.

    A list of many questions is not in it a second time: it is in inputs/.
    """
    kind, table = loaded.evaluation.kind, resolved(loaded)
    models = [written_out(entry) for entry in loaded.tables]
    whole: dict[str, object] = {**table, "models": models, "inputs": map(_with_content, loaded.provenance)}
    evaluation, form = loaded.evaluation, kind.task_form
    own = written_out(evaluation.config) if form.table is None else form.table(evaluation.task)
    whole[kind.name] = with_prompts(kind, own, prompts_in(kind, table[kind.name]))
    return whole


def _with_content(file: InputFile) -> Mapping[str, Json]:
    """An input's entry with its content. A large one that was read for its lines or records is left where it lies."""
    if file.held is not None or file.path.startswith(DOCUMENTS):
        return {**described(file), ("text" if file.encoding == "utf-8" else "bytes_b64"): file.content}
    return described(file)


def _manifest(loaded: Loaded, path: Path, config: str, command_line: list[str]) -> dict[str, Json]:
    evaluation = loaded.evaluation
    return {
        "format": FORMAT,
        "run_id": path.name,
        "uid": secrets.token_hex(8),
        "kind": evaluation.kind.name,
        "name": evaluation.name,
        "simulated": any(spec.wire == "simulator" for spec in evaluation.models.values()),
        "started_at": this_moment(),
        "tool_version": __version__,
        "git_commit": _git_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "command_line": command_line,
        "units": evaluation.kind.units.words,
        **evaluation.kind.judged(evaluation.task),
        "planned_calls": loaded.plan["total_calls"],
        **({"max_calls_derived": True} if loaded.cap_is_derived else {}),
        "config_sha256": hashlib.sha256(config.encode("utf-8")).hexdigest(),
        "inputs_sha256": {file.path: file.sha256 for file in loaded.provenance},
        **_workspace_commit(path),
        **manifest_entry(evaluation.task),
        **as_written(evaluation),
        **({"egress": loaded.egress.entry()} if loaded.egress.hosts else {}),
    }


def _workspace_commit(path: Path) -> dict[str, Json]:
    """The commit of the checkout that a run folder lies in, if any."""
    root = next((parent for parent in path.resolve().parents if (parent / ".git").exists()), None)
    commit = None if root is None else _commit_of(root)
    return {} if commit is None else {"workspace_commit": commit}


def _git_commit() -> str | None:
    """The commit of the program's own checkout, or None when it is installed."""
    root = Path(__file__).resolve().parents[2]
    return _commit_of(root) if (root / ".git").exists() else None


def _commit_of(root: Path) -> str | None:
    """The commit that a checkout is at; None where git cannot tell."""
    try:
        command = ["git", "-C", str(root), "rev-parse", "HEAD"]
        completed = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return completed.stdout.strip() or None


def _holds_key(pieces: Iterable[bytes], redact: Redact) -> bool:
    """Return whether a file holds a key, as text in one of the usual encodings or in base64, within a piece or across two."""
    before = b""
    for piece in pieces:
        data = before + piece
        if _has_key(data, redact):
            return True
        before = data[-OVERLAP_BYTES:] if len(data) > OVERLAP_BYTES else data
    return False


def _has_key(data: bytes, redact: Redact) -> bool:
    texts = [data.decode("latin-1")]
    if b"\0" in data:  # as every key has in UTF-16
        texts += [data[at:].decode(encoding, "replace") for encoding in ("utf-16-le", "utf-16-be") for at in (0, 1)]
    return any(redact(text) != text for text in texts)
