"""Egress of a run, in one table: hosts, values of variables, files; and what of it a person has yet to allow."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tui_eval.configuring.named_paths import NamedPaths, Outside
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.models.destinations import Destination, allowing, permit_words, to_ask
from tui_eval.runs.folder import CONFIG, MANIFEST
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.places import Workspace, shipped_path
from tui_eval.workspace.plain_files import is_inside
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.trust import Permit, TrustRecord, check_may_send, formerly_said, permit, record_of

ALLOWED = "TUI_EVAL_ALLOW_EGRESS"
"""The variable whose value is the hash of a table that may leave: of the process's environment alone, never of a `.env`."""


@dataclass(frozen=True, slots=True)
class Egress:
    """The table of what leaves. Nothing is sent to a host, and no file, that is not in it."""

    hosts: tuple[Destination, ...]
    """Proxies that the config names are hosts, too."""
    files: tuple[str, ...]
    """Of the config's folder, by their paths from it; of a run folder as they lay where it was prepared."""
    outside: tuple[Outside, ...]
    """Files elsewhere; of a folder there that is looked through, the folder."""
    plug_ins: tuple[str, ...] = ()
    once_outside: tuple[str, ...] = ()
    """Of a run folder: what lay elsewhere when it was prepared, and lies in it now."""
    not_looked_through: tuple[Outside, ...] = ()
    """Folders elsewhere that nobody has said may be looked through: what lies there is not in the table."""

    def entry(self) -> dict[str, Json]:
        """The table for programs, with its hash where anything leaves."""
        return {"hash": self.hash, **self._content()} if self.hosts and self.is_complete else self._content()

    def _content(self) -> dict[str, Json]:
        hosts: list[dict[str, Json]] = [
            {"host": host.host, "proxy": host.is_proxy, "models": list(host.models), "variables": list(host.keys)}
            for host in self.hosts
        ]
        outside = [*(entry.real for entry in (*self.outside, *self.not_looked_through)), *self.once_outside]
        return {"hosts": hosts, "files": list(self.files), "outside": sorted(set(outside)), "plug_ins": list(self.plug_ins)}

    @property
    def hash(self) -> str:
        """Of the whole table: 32 hexadecimal digits of its SHA-256."""
        text = json.dumps(self._content(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]

    @property
    def reached(self) -> frozenset[str]:
        """The hosts that models are asked at, with their variables replaced: to be compared, never shown."""
        return frozenset(host.reached for host in self.hosts if not host.is_proxy)

    @property
    def is_complete(self) -> bool:
        """Return whether all that is in it is known."""
        return not self.not_looked_through


class EgressError(ConfigError):
    """Something would leave, or be looked through, that a person has yet to allow."""

    def __init__(self, message: str, file: TomlFile, egress: Egress, permits: Sequence[Permit]) -> None:
        super().__init__(message, [((), message)], file.path)
        self.config = file
        self.egress = egress
        self.permits = tuple(permits)
        """What a yes puts on record."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Records of the folders that a run is made of: the workspace, and the config's where that lies elsewhere."""

    folders: tuple[Path, ...]
    """The first is the one that a yes is put on record for."""
    records: tuple[TrustRecord, ...]
    own: bool
    """Whether all of it is the person's."""

    def missing_permits(self, egress: Egress) -> list[Permit]:
        """Return the permits of a table that a person has yet to allow."""
        needed = to_ask(egress.hosts, self.records, self.own)
        hosts = [host.host for host in egress.hosts if not host.is_proxy] or [SIMULATED]
        outside = [*egress.not_looked_through, *(egress.outside if egress.hosts else ())]
        permits = [Permit("file", entry.real, host) for entry in outside for host in hosts]
        if egress.hosts and not self.own:
            permits += [Permit("plug-in", name, "") for name in egress.plug_ins]
        return [*needed, *(each for each in dict.fromkeys(permits) if not any(record.allows(each) for record in self.records))]

    def allow(self, permits: Iterable[Permit], own: bool = False) -> None:
        """Put consent on record. `own`: the folders are the person's from now on. ConfigError where home cannot be written."""
        permit(self.folders[0], permits, own)
        for folder in self.folders[1:] if own else ():
            permit(folder, (), own)


MOST_NAMED = 12
"""Things that a refusal names; how many more there are is said."""
SIMULATED = ""
"""In place of a host, where a folder is looked through and all models are simulated."""


def trust_of(file: TomlFile, workspace: Workspace) -> Trust:
    """Return the trust on record for a config: of the workspace, and of the config's folder where that is another one, be
    it within the workspace, where somebody's checkout may lie.

    A run folder is never the person's own by where it lies, since runs are handed on: what its run may send is on record since
    it was prepared here.
    """
    folders, folder, is_run = [workspace.root], file.path.parent, is_run_config(file)
    real = os.path.realpath(folder)
    is_apart = real != os.path.realpath(workspace.root) and not file.by_words and not shipped_path(f"{real}/")
    if is_apart and not (is_run and is_inside(real, os.path.realpath(workspace.root))):
        folders.insert(0, folder)
    records = tuple(map(record_of, (*folders, folder) if is_run else folders))
    return Trust(tuple(folders), records, all(record.own for record in records) and not is_run)


def is_run_config(file: TomlFile) -> bool:
    """Return whether a config is that of a run folder, by what lies there; anybody may have made it."""
    return "inputs" in file.content and file.path.name == CONFIG and (file.path.parent / MANIFEST).is_file()


def egress_of(file: TomlFile, hosts: Sequence[Destination], paths: NamedPaths, plug_ins: Iterable[str] = ()) -> Egress:
    """The table of a config's run. Of a run folder's own config its files are those that its manifest names."""
    as_prepared = _as_prepared(file.path.parent) if is_run_config(file) else None
    files, once = as_prepared or (tuple(sorted(paths.inside)), ())
    outside, unknown = (tuple(sorted(entries)) for entries in (paths.outside, paths.not_looked_through))
    return Egress(tuple(hosts), files, outside, tuple(sorted(set(plug_ins))), once, unknown)


def _as_prepared(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The files of the run's table as it was prepared, and those that lay elsewhere: all of them lie in the run folder now."""
    table = RunReader(folder).table(MANIFEST).get("egress")
    files, outside = (table.get("files"), table.get("outside")) if isinstance(table, dict) else (None, None)
    if not isinstance(files, list) or not isinstance(outside, list):
        return None
    return tuple(map(str, files)), tuple(map(str, outside))


@dataclass(frozen=True, slots=True)
class EgressQuestion:
    """Question to a person before something leaves for the first time."""

    egress: Egress
    permits: tuple[Permit, ...]

    @classmethod
    def of(cls, egress: Egress, file: TomlFile, workspace: Workspace) -> EgressQuestion:
        """Return the question about a table; nothing is asked where all is allowed.

        ConfigError for a mistake in a record, and where a person chose to look only.
        """
        if egress.hosts:
            check_may_send()
        return cls(egress, tuple(_unallowed(egress, trust_of(file, workspace))))

    @property
    def words(self) -> list[str]:
        """Everything that would leave for the first time, in words."""
        return [words_of(each, self.egress) for each in self.permits]

    def entry(self) -> dict[str, Json]:
        """The question for programs: where everything goes, what of it is asked about, and the table's hash."""
        permits = [[each.sort, each.what, each.host] for each in self.permits]
        host_words = [host.words for host in self.egress.hosts]
        return {"asked": host_words, "first": self.words, "wanted": permits, "hash": self.egress.hash}


def _unallowed(egress: Egress, trust: Trust, sends: bool = True) -> list[Permit]:
    """Return the permits of a table that neither a record nor a hash allows. `sends`: whether anything is to leave."""
    if egress.hosts and egress.is_complete and egress.hash in os.environ.get(ALLOWED, "").replace(",", " ").split():
        return []
    return trust.missing_permits(egress if sends else replace(egress, hosts=()))


def check_egress(egress: Egress, file: TomlFile, workspace: Workspace, sends: bool = True) -> None:
    """Raise EgressError where something would leave, or be looked through, that nobody has allowed. `sends`: whether anything
    is to leave at all.
    """
    if sends and egress.hosts:
        check_may_send()
    problem = egress_problem(egress, file, workspace, sends)
    if problem is not None:
        raise problem


def check_answers(egress: Egress, answers: Path, file: TomlFile, workspace: Workspace) -> None:
    """The same where a run folder's config makes a new run, which takes answers of an earlier one: wherever that lies."""
    answers_source = Outside(os.path.realpath(answers), "answers")
    if not is_inside(answers_source.real, os.path.realpath(workspace.runs)) or not record_of(workspace.root).own:
        check_egress(replace(egress, outside=(*egress.outside, answers_source)), file, workspace)


def egress_problem(egress: Egress, file: TomlFile, workspace: Workspace, sends: bool = True) -> EgressError | None:
    """The same, not raised."""
    trust = trust_of(file, workspace)
    permits = _unallowed(egress, trust, sends)
    if not permits:
        return None
    return EgressError(_refusal(egress, permits, trust, file, workspace, sends), file, egress, permits)


def _refusal(egress: Egress, permits: Sequence[Permit], trust: Trust, file: TomlFile, workspace: Workspace, sends: bool) -> str:
    """List what is refused, why, and the commands that allow it; each thing on a line of its own, whatever is in its name."""
    keys = {entry.real: f" ({one_line(entry.key, 200)})" for entry in (*egress.outside, *egress.not_looked_through)}
    phrases = [f"{words_of(each, egress)}{keys.get(each.what, '')}{formerly_said(workspace, each.host)}" for each in permits]
    safe_lines = [one_line(words, 1000) for words in phrases]
    where = f"{file.where(('run', 'proxy'))}: run.proxy" if _only_proxies(permits, egress) else f"{file.path}"
    leaves = any(each.host != SIMULATED or each.sort != "file" for each in permits)
    by_hash = _by_hash(egress, leaves) if egress.is_complete and sends else ""
    apart = trust.folders[0] if len(trust.folders) > 1 else None
    commands = allowing(permits, apart) or ["first change the names that no line can show"]
    action = "would be sent" if leaves else "would be looked through"
    if len(safe_lines) == 1:
        there = f"{action} there" if leaves else action
        return f"{where}: {safe_lines[0]}: {there} for the first time. {by_hash}If that is right: {commands[0]}"
    lines = [f"{where}: {action} for the first time:", *safe_lines[:MOST_NAMED]]
    lines += [f"and {len(safe_lines) - MOST_NAMED} more"] if len(safe_lines) > MOST_NAMED else []
    return "\n  ".join([*lines, f"{by_hash}If that is right:", *commands])


def _by_hash(egress: Egress, leaves: bool) -> str:
    hint = "The given hash belongs to another table. " if os.environ.get(ALLOWED) and leaves else ""
    return f"{hint}Where nobody can be asked, {ALLOWED}={egress.hash} allows it. "


def words_of(permit: Permit, egress: Egress) -> str:
    """Describe a permit as a person reads it."""
    if permit.sort == "file" and permit.host == SIMULATED:
        return permit.what
    return permit_words(permit, egress.hosts)


def _only_proxies(permits: Sequence[Permit], egress: Egress) -> bool:
    proxies = {host.host for host in egress.hosts if host.is_proxy}
    return bool(permits) and all(each.host in proxies for each in permits)


def allow_hash(table_hash: str) -> None:
    """Let the table of this hash leave, in this process and those that it starts."""
    if table_hash:
        os.environ[ALLOWED] = f"{os.environ.get(ALLOWED, '')} {table_hash}".strip()


def remember_egress(egress: Egress, file: TomlFile, workspace: Workspace, run: Path) -> None:
    """Put on record what a run that was prepared may send, so that it can be taken up again wherever it was allowed to begin
    without a question: of a folder of one's own, or by words of a command. What a hash allowed stays with the hash.

    For a config of the workspace itself that is the workspace's record; else the run's own, so that no other config has it.
    """
    trust = trust_of(file, workspace)
    if egress.hosts and not trust.missing_permits(egress):
        hosts = [host.host for host in egress.hosts if not host.is_proxy]
        paths = [name for name in egress.files if os.path.isabs(name)]  # by the words of a command, which wrote this config
        with suppress(ConfigError):
            permits = Trust(trust.folders, (), own=False).missing_permits(egress)
            folder = run if len(trust.folders) > 1 else workspace.root
            permit(folder, [*permits, *(Permit("file", name, host) for name in paths for host in hosts)])
