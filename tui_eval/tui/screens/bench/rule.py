"""The rule for letters on the scorer bench: which one, its patterns, and how the command line and a config are told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.kinds import ReadingRules
from tui_eval.reading.letters.own import MOST_PATTERNS, problem_of
from tui_eval.runs.folder import CONFIG
from tui_eval.tui.sanitize import safe_line
from tui_eval.workspace.toml_files import read_toml

UNREAD = "none"
"""The fallback that reads nothing."""
NOTE = (
    "One regular expression per line, one group around the letter, as in (?i)answer is ([A-Z]). "
    "The first to find a letter decides."
)


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """A rule by which letters are read."""

    name: str
    patterns: tuple[str, ...] = ()
    fallback: str = UNREAD


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a kind, and how the command line and a config are told of one."""

    kind: str
    """Which is the name of its table, too."""
    declared: ReadingRules

    @property
    def names(self) -> Sequence[str]:
        """The shipped ones, and last the own one."""
        return (*self.declared.shipped, self.declared.own)

    @property
    def fallbacks(self) -> Sequence[str]:
        """Rules that may read a reply in which the own patterns find nothing."""
        return (UNREAD, *self.declared.shipped)

    def usual(self) -> ReadingRule:
        """The one that a config means which names none."""
        return ReadingRule(self.names[0])

    def settings(self, rule: ReadingRule) -> list[str]:
        """A rule as arguments of --set: key=value, the patterns as TOML."""
        keys = self.declared
        arguments = [f"{self.kind}.{keys.key}={rule.name}"]
        if rule.name == keys.own:
            arguments.append(f"{self.kind}.{keys.patterns}={toml_value(list(rule.patterns))}")
            arguments.append(f"{self.kind}.{keys.fallback}={rule.fallback}")
        return arguments

    def toml(self, rule: ReadingRule) -> str:
        """A rule as lines of a config."""
        keys = self.declared
        table: dict[str, Any] = {keys.key: rule.name}
        if rule.name == keys.own:
            table |= {keys.patterns: list(rule.patterns), keys.fallback: rule.fallback}
        return tomli_w.dumps({self.kind: table})

    def of_run(self, path: Path) -> ReadingRule:
        """The rule in a run's config; the usual one where that cannot be read, as the command will say why."""
        try:
            table = read_toml(path / CONFIG, path).content.get(self.kind)
        except TuiEvalError:
            table = None
        keys, entries = self.declared, table if isinstance(table, dict) else {}
        patterns, fallback = entries.get(keys.patterns), entries.get(keys.fallback)
        own_patterns = tuple(p for p in patterns if isinstance(p, str)) if isinstance(patterns, list) else ()
        name = next((name for name in self.names if name == entries.get(keys.key)), self.names[0])
        return ReadingRule(name, own_patterns, next((name for name in self.fallbacks if name == fallback), UNREAD))

    def words(self, rule: ReadingRule) -> tuple[str, str]:
        """Return the name of a rule, and its description."""
        shipped = self.declared.shipped.get(rule.name)
        return ("own patterns", own_words(rule)) if shipped is None else (rule.name, shipped)


def toml_value(value: Any) -> str:
    """A value as TOML writes it behind the sign of equality."""
    return tomli_w.dumps({"x": value}).partition("=")[2].strip()


def patterns_of(text: str) -> tuple[str, ...]:
    """A pattern from each line that is not empty."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def text_problem(text: str) -> str:
    """Return the problem of the first line that is no pattern; empty if there is none."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and (problem := problem_of(line.strip())):
            return f"line {number} {problem}"
    n = len(patterns_of(text))
    return f"{n} patterns; {MOST_PATTERNS} are the most" if n > MOST_PATTERNS else ""


def own_words(rule: ReadingRule) -> str:
    """Describe the own patterns of a rule."""
    if not rule.patterns:
        return "your own regular expressions: e writes"
    n = len(rule.patterns)
    return f"{n} pattern{'s' if n > 1 else ''}, else {rule.fallback} (f): {safe_line(' · '.join(rule.patterns), 300)}"
