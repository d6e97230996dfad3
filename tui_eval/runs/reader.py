"""Reading a run folder, whole or as it grows; never writing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from tui_eval.core.calls import NOTHING_PAID, Call, Paid, Reply, paid_of
from tui_eval.core.errors import FolderError
from tui_eval.runs.folder import BATCHES, CONFIG, FILES, INTENTS, LOG, MANIFEST, NEWEST, PROGRESS, WITH_GRANTS, holder
from tui_eval.runs.ledger import Grant, micro_or_none
from tui_eval.runs.log.growing_lines import LogFile
from tui_eval.runs.offsets import OffsetTable
from tui_eval.runs.opening import LONGEST_LINE, MOST_NOTHING, check_files, endless, table, whole
from tui_eval.runs.record import REQUIRED, completed, head_of, is_attempt_id, json_of, record_of, reply_of, usage_of

BITS = 1 << 23


class Mentioned:
    """Names that were added, one bit each. A name that was added is always known; of a million others one in nine is, too."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, name: str) -> None:
        """Remember a name."""
        if not self._bits:
            self._bits = bytearray(BITS // 8)
        place = hash(name) % BITS
        self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, name: str) -> bool:
        """Return whether it may have been added."""
        place = hash(name) % BITS
        return bool(self._bits) and bool(self._bits[place >> 3] & 1 << (place & 7))


CHUNK = 1 << 20
GRANT = b'{"grant": '
"""How the line of a grant begins."""
_NAMED = re.compile(rb'\{"attempt_id": "([0-9A-Za-z_.-]{1,60})"')
"""How the line of an intent begins."""


class RunReader:
    """A run folder seen from outside, live or finished."""

    def __init__(self, path: Path) -> None:
        check_files(path, FILES)
        if not (path / CONFIG).is_file():
            raise FolderError(f"{path}: not a run folder (it has no config.toml); tui-eval status lists all runs")
        self.path = path
        self._check_format()

    def _check_format(self) -> None:
        """FolderError for a run of a version that keeps its files in another way; a run that does not say is of the first."""
        version = table(self.path / MANIFEST).get("format", 1)
        if isinstance(version, int) and version > NEWEST:
            raise FolderError(
                f"{self.path}: was made by a newer tui-eval (format {version}; this one reads up to {NEWEST}); "
                "update tui-eval to open it"
            )

    def heads(self, start: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """(offset, small fields) of each whole attempt line from byte `start`; a line that is no record is left out."""
        for offset, line in lines(self.path / LOG, start):
            try:
                yield offset, head_of(line)
            except ValueError:
                continue

    def records(self, start: int = 0) -> Iterator[dict[str, Any]]:
        """Each whole attempt record from byte `start`, big fields included."""
        for _, line in lines(self.path / LOG, start):
            try:
                yield record_of(line)
            except ValueError:
                continue

    def damaged(self) -> list[int]:
        """Numbers (from 1) of whole log lines that are no attempt record. Reads every line to its end."""
        bad = []
        for number, (_, line) in enumerate(lines(self.path / LOG), start=1):
            try:
                head_of(line)
                record_of(line)
            except ValueError:
                bad.append(number)
        return bad

    def torn(self) -> list[int]:
        """Numbers (from 1) of log lines that are clearly no attempt record: by their ends, heads and zero bytes alone."""
        bad = []
        for number, (_, line) in enumerate(lines(self.path / LOG), start=1):
            try:
                head_of(line)
                whole_line = line.endswith(b"}") and b"\0" not in line
            except ValueError:
                whole_line = False
            if not whole_line:
                bad.append(number)
        return bad

    def would_ask_again(self, damaged: Sequence[int]) -> bool:
        """Return whether a resume would pay again for what stood in damaged lines: no later attempt settled those calls."""
        bad, ended, settled = set(damaged), set[str](), set[str]()
        for number, (_, line) in enumerate(lines(self.path / LOG), start=1):
            if number not in bad:
                head = head_of(line)
                ended.add(head["attempt_id"])
                settled |= {head["call_key"]} if head["final"] else set()
        begun = {intent["attempt_id"]: intent.get("call_key") for intent in self.intents() if intent["attempt_id"] not in ended}
        return bool(bad) and (not begun or any(key not in settled for key in begun.values()))

    def intents(self, ended: Callable[[str], bool] = lambda identity: False) -> Iterator[dict[str, Any]]:
        """Each attempt that was about to be sent; those of which `ended` knows by their id are not read any further."""
        for _, line in lines(self.path / INTENTS):
            match = _NAMED.match(line)
            if match is not None and ended(match[1].decode("ascii")):
                continue
            try:
                intent = json_of(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(intent, dict) and is_attempt_id(intent.get("attempt_id")):
                yield intent

    def grants(self) -> dict[str, Grant]:
        """Return what workers were granted, by the life that names their attempts; what was given back is in none."""
        if self.table(MANIFEST).get("format", 1) < WITH_GRANTS:
            return {}
        grants: dict[str, Grant] = {}
        for _, line in lines(self.path / INTENTS):
            if line.startswith(GRANT):
                try:
                    entry = json_of(line)
                    grants[str(entry["grant"])] = Grant(int(entry["upto"]), micro_or_none(entry["worst_usd"]))
                except (ValueError, RecursionError, KeyError, TypeError):
                    continue
        return grants

    def batches(self) -> dict[str, dict[str, Any]]:
        """By our own name of each batch: all that was written down about it, what came later in place of what came before."""
        batches: dict[str, dict[str, Any]] = {}
        for _, line in lines(self.path / BATCHES):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict) and isinstance(event.get("name"), str):
                batches[event["name"]] = {**batches.get(event["name"], {}), **event}
        return batches

    def json(self, name: str) -> Any:
        """A JSON file of the folder, or None where it is missing or half written. FolderError where it is no such file."""
        content = whole(self.path / name)
        try:
            return None if content is None else json.loads(content)
        except (ValueError, RecursionError):
            return None

    def progress(self) -> dict[str, Any]:
        """The last progress written, or an empty dictionary before the first."""
        return self.table(PROGRESS)

    def table(self, name: str) -> dict[str, Any]:
        """A JSON file that should hold an object; an empty one where it is missing or holds anything else."""
        value = self.json(name)
        return value if isinstance(value, dict) else {}

    def holder(self) -> dict[str, Any] | None:
        """The process that is writing the run right now, or None."""
        return holder(self.path)


class Recorded:
    """The replies that a log holds, by call key: what resume, re-scoring and replay are told instead of asking."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._table = OffsetTable()
        self._retried: dict[str, Paid] = {}
        """Of calls that were tried more than once, what the attempts but the one that counts were charged."""
        self.samples = Mentioned()
        """Those of which an attempt, or why there was none, is on file."""
        self._log = LogFile.at(path / LOG)

    def add(self, head: dict[str, Any], offset: int) -> dict[str, Any] | None:
        """Take an attempt into account: the last one that settles its call wins, else the last one. Return the one that
        counted for its call before; None where there was none."""
        self.samples.add(head["item_id"])
        key = head["call_key"]
        earlier_offset = self._table.get(key)
        before = None if earlier_offset in (None, offset) else self.head_at(earlier_offset)
        settles = before is None or head["final"] or not before["final"]
        if before is not None and (paid := _paid(before if settles else head)) != NOTHING_PAID:
            self._retried[key] = self._retried.get(key, NOTHING_PAID).plus(paid)
        if settles:
            self._table.set(key, offset)
        return before

    def counts(self, key: str, offset: int) -> bool:
        """Return whether the attempt at this offset is the one that counts for its call."""
        return self._table.get(key) == offset

    def head_at(self, offset: int) -> dict[str, Any]:
        """The small fields of the attempt at this offset."""
        return head_of(self._line(offset))

    def record(self, key: str) -> dict[str, Any] | None:
        """The record that counts for a call, or None."""
        offset = self._table.get(key)
        record = None if offset is None else self.record_at(offset)
        return record if record and record["call_key"] == key else None

    def record_at(self, offset: int) -> dict[str, Any] | None:
        """The whole record at this offset, or None where it is damaged."""
        try:
            record = json_of(self._line(offset))
        except (ValueError, RecursionError):
            return None
        return completed(record) if isinstance(record, dict) and record.keys() >= REQUIRED else None

    def paid_before(self, key: str) -> Paid:
        """Return what the attempts of a call but the one that counts were charged."""
        return self._retried.get(key, NOTHING_PAID)

    def reply(self, key: str, call: Call) -> Reply | None:
        """Return the reply a flow is told for a call, or None when the log does not hold it."""
        record = self.record(key)
        return None if record is None else self.reply_of(record, call)

    def reply_of(self, record: dict[str, Any], call: Call) -> Reply:
        """Return the reply that a record of this log tells, with what the call's other attempts cost."""
        reply, retried = reply_of(record, call), self._retried.get(record["call_key"])
        return reply if retried is None else replace(reply, retried=retried)

    def close(self) -> None:
        """Let go of the log."""
        self._log = None

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _line(self, offset: int) -> bytes:
        assert self._log is not None
        return line_at(self._log.descriptor, offset)


def replies_of(path: Path) -> Recorded:
    """The replies of a run folder's whole log, which is open until it is closed. FolderError where it is no run folder."""
    recorded = Recorded(path)
    for offset, head in RunReader(path).heads():
        recorded.add(head, offset)
    return recorded


def line_at(descriptor: int, offset: int) -> bytes:
    """Read the line that begins at an offset, without its newline."""
    parts, size = list[bytes](), 0
    while size <= LONGEST_LINE and (part := os.pread(descriptor, 16_384, offset + size)):
        end = part.find(b"\n")
        parts.append(part if end < 0 else part[:end])
        if end >= 0:
            break
        size += len(part)
    return b"".join(parts)


def _paid(head: dict[str, Any]) -> Paid:
    return paid_of(head["status"], head["error_kind"], head["cached"], usage_of(head).total_usd)


def lines(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """(offset, line) of each line that ends in a newline, split at that byte only; a torn last line is left out.

    FolderError where there is no such file at the path, or a line has no end.
    """
    file = LogFile.at(path)
    if file is not None:
        yield from lines_in(file.descriptor, path, start)


def lines_in(descriptor: int, path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """The same of a file that is open; `path`: what it is called where a line has no end."""
    offset, pending, nothing, parts = start, 0, 0, list[bytes]()
    while part := os.pread(descriptor, CHUNK, offset + pending):
        begin = 0
        while (end := part.find(b"\n", begin)) >= 0:
            line = b"".join((*parts, part[begin:end])) if parts else part[begin:end]
            yield offset, line
            offset, begin, pending = offset + len(line) + 1, end + 1, 0
            parts.clear()
        parts.append(part[begin:] if begin else part)
        pending += len(part) - begin
        nothing = nothing + len(part) if not begin and part.count(0) == len(part) else 0
        if pending > LONGEST_LINE or nothing > MOST_NOTHING:
            raise FolderError(endless(path))
