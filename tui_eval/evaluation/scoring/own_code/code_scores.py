"""Scores that own scorers gave, as scores.jsonl has them: looked up by call, what the function was told, and scorer hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tui_eval.core.calls import Call, Json, ModelSpec
from tui_eval.core.key import call_key
from tui_eval.core.plaintext import one_line

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
    from tui_eval.evaluation.scoring.rule import Outcome, Rule

NOT_SCORED = "not scored yet"
CODE = " code "
"""In the version of a score, what stands between that of the rule and the hash of the code."""
LONGEST_REASON = 400
_MOST_KEYS = 1_024
Value = float | str | dict[str, float | str]
"""Number, dict of numbers, or the reason for none; reasons stand in dicts, too."""


@dataclass(slots=True)
class ScorerEntry:
    """State of a function: its latest hash, the files that this is of, and why it scores no more, where it was stopped."""

    hash: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    """Each file that it imported from its folder, with its SHA-256."""
    former: tuple[str, ...] = ()
    """Hashes of the same code, told before all of its files were known."""
    stopped: str = ""


class CodeScores:
    """Records of one run. Of a record that is there twice the later one counts."""

    def __init__(self, models: Mapping[str, ModelSpec]) -> None:
        self._models = models
        self._entries: dict[str, ScorerEntry] = {}
        """By function."""
        self._values: dict[bytes, Value] = {}
        self._call_keys: dict[int, tuple[Call, str]] = {}
        """By the identity of a call, with the call, so that no other takes its place."""
        self._again: set[bytes] = set()
        """Those that a limit left without a value: another try may end otherwise."""

    def take(self, entry: Any) -> None:
        """Take in a line of the file. What is none of ours is passed over: anybody may have written it."""
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("scorer", "hash")):
            return
        scorer, code = entry["scorer"], entry["hash"]
        if "call_key" not in entry:
            self._take_scorer(scorer, code, entry)
            return
        value = _value(entry)
        if value is None or not all(isinstance(entry.get(key), str) for key in ("call_key", "input")):
            return
        key = _key(scorer, code, entry["call_key"], entry["input"])
        self._values[key] = value
        (self._again.add if entry.get("again") is True else self._again.discard)(key)

    def _take_scorer(self, scorer: str, code: str, entry: Mapping[str, Any]) -> None:
        before = self._entries.get(scorer, ScorerEntry())
        files = entry.get("files", {})
        former: tuple[str, ...] = before.former if before.hash == code else ()
        if entry.get("replaces") == before.hash != "":
            former = (before.hash, *before.former)
        sound = isinstance(files, dict) and all(isinstance(each, str) for each in files.values())
        reason = entry.get("stopped", "")
        stopped = one_line(reason, LONGEST_REASON) if isinstance(reason, str) else ""
        self._entries[scorer] = ScorerEntry(code, files if sound else {}, former, stopped)

    def entry_of(self, scorer: str) -> ScorerEntry:
        """The state of a function; an empty one where nothing is known of it."""
        return self._entries.get(scorer, ScorerEntry())

    def hash_of(self, scorer: str) -> str:
        """The hash of the code whose scores count; empty where there is none."""
        return self.entry_of(scorer).hash

    def call_key(self, call: Call) -> str:
        """The key of a call of the run; that of a call that was looked up lately is kept."""
        entry = self._call_keys.get(id(call))
        if entry is None or entry[0] is not call:
            if len(self._call_keys) >= _MOST_KEYS:
                self._call_keys.clear()
            entry = self._call_keys[id(call)] = call, call_key(call, self._models[call.model])
        return entry[1]

    def is_settled(self, scorer: str, call: Call, digest: str) -> bool:
        """Return whether a function gave a reply its score, or an error that it would give again."""
        return any(key in self._values and key not in self._again for key in self._keys(scorer, call, digest))

    def outcome(self, row: PythonRow, rule: Rule, call: Call, digest: str) -> Outcome:
        """The outcome of a row for a reply: missing, with the reason, where its function gave no value on its scale."""
        from tui_eval.evaluation.scoring.rule import Outcome

        value = next((self._values[key] for key in self._keys(row.python, call, digest) if key in self._values), None)
        if value is None:
            return Outcome(None, self.entry_of(row.python).stopped or NOT_SCORED)
        number, why = _number(row, value)
        return Outcome(None, why) if number is None else _on_scale(rule, number)

    def _keys(self, scorer: str, call: Call, digest: str) -> list[bytes]:
        entry, of_call = self.entry_of(scorer), self.call_key(call)
        return [_key(scorer, code, of_call, digest) for code in (entry.hash, *entry.former)]


def _key(scorer: str, code: str, of_call: str, digest: str) -> bytes:
    text = f"{scorer}\0{code}\0{of_call}\0{digest}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _value(entry: Mapping[str, Any]) -> Value | None:
    """The content of a record: a number, a dict, or a reason; None where it says nothing."""
    why, value = entry.get("why"), entry.get("value")
    if isinstance(why, str):
        return one_line(why, LONGEST_REASON)
    if isinstance(value, dict):
        parts = {str(name): _plain(each) for name, each in value.items()}
        return {name: each for name, each in parts.items() if each is not None}
    number = _plain(value)
    return None if isinstance(number, str) else number


def _plain(value: Json) -> float | str | None:
    if isinstance(value, str):
        return one_line(value, LONGEST_REASON)
    try:
        return float(value) if isinstance(value, bool | int | float) else None
    except OverflowError:
        return None


def _number(row: PythonRow, value: Value) -> tuple[float | None, str]:
    """The number that a row speaks of, or why there is none."""
    if isinstance(value, str):
        return None, value
    if isinstance(value, dict):
        names = ", ".join(list(value)[:10])
        if row.metric is None:
            return None, one_line(f"returned a dict; name one of its entries by the key metric: {names}", LONGEST_REASON)
        part = value.get(row.metric)
        if part is None:
            return None, one_line(f"returned a dict without {row.metric!r}: {names}", LONGEST_REASON)
        return (None, part) if isinstance(part, str) else (part, "")
    return (value, "") if row.metric is None else (None, f"returned no dict, so nothing is called {row.metric!r}")


def _on_scale(rule: Rule, number: float) -> Outcome:
    from tui_eval.evaluation.scoring.rule import Outcome

    low, high = rule.scale
    if rule.is_rate and number not in (0.0, 1.0):
        return Outcome(None, f"returned {number:g}, which is neither True nor False")
    if not low <= number <= high:
        return Outcome(None, f"returned {number:g}, which is off its scale, {low:g} to {high:g}")
    return Outcome(number)
