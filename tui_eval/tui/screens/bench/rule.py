"""The rule on the extraction bench: which one, its patterns, and how the command line and a config are told of it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.reading.letters import EXTRACTIONS, PATTERNS
from tui_eval.reading.letters.own import MOST_PATTERNS, problem_of
from tui_eval.runs.folder import CONFIG
from tui_eval.tui.safe import safe_line

RULES = (*EXTRACTIONS, PATTERNS)
FALLBACKS = ("none", *EXTRACTIONS)
WORDS = {
    "robust": ("robust", "as a careful reader; none where in doubt"),
    "formationeval-v0.1": ("formationeval-v0.1", "as its code does, misreadings included"),
}
NOTE = (
    "One regular expression per line, one group around the letter, as in (?i)answer is ([A-Z]). "
    "The first to find a letter decides."
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by which letters are read."""

    name: str
    patterns: tuple[str, ...] = ()
    fallback: str = "none"

    def settings(self) -> list[str]:
        """As arguments of --set: key=value, the values as TOML."""
        found = [f"choice.extraction={self.name}"]
        if self.name == PATTERNS:
            found.append(f"choice.patterns={toml_value(list(self.patterns))}")
            found.append(f"choice.patterns_fallback={self.fallback}")
        return found

    def toml(self) -> str:
        """As lines of a config."""
        table: dict[str, Any] = {"extraction": self.name}
        if self.name == PATTERNS:
            table |= {"patterns": list(self.patterns), "patterns_fallback": self.fallback}
        return tomli_w.dumps({"choice": table})


def toml_value(value: Any) -> str:
    """A value as TOML writes it behind the sign of equality."""
    return tomli_w.dumps({"x": value}).partition("=")[2].strip()


def rule_of_run(path: Path) -> Rule:
    """The rule in a run's config; robust where that cannot be read, as the command will say why."""
    try:
        table = tomllib.loads((path / CONFIG).read_bytes().decode("utf-8")).get("choice")
    except (OSError, ValueError, RecursionError):
        table = None
    found = table if isinstance(table, dict) else {}
    name, patterns, fallback = found.get("extraction"), found.get("patterns"), found.get("patterns_fallback")
    known = tuple(p for p in patterns if isinstance(p, str)) if isinstance(patterns, list) else ()
    return Rule(name if name in RULES else RULES[0], known, fallback if fallback in FALLBACKS else "none")


def patterns_of(text: str) -> tuple[str, ...]:
    """A pattern from each line that is not empty."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def text_problem(text: str) -> str:
    """What is wrong with the first line that is no pattern; empty where nothing is."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and (problem := problem_of(line.strip())):
            return f"line {number} {problem}"
    n = len(patterns_of(text))
    return f"{n} patterns; {MOST_PATTERNS} are the most" if n > MOST_PATTERNS else ""


def own_words(rule: Rule) -> str:
    """What own patterns there are."""
    if not rule.patterns:
        return "your own regular expressions: e writes"
    n = len(rule.patterns)
    return f"{n} pattern{'s' if n > 1 else ''}, else {rule.fallback} (f): {safe_line(' · '.join(rule.patterns), 300)}"
