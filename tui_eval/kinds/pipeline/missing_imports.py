"""The gaps in files of an earlier run: what it was to make and has not, counted and named where they are brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tui_eval.core.plaintext import one_line

NAMED = 10
"""So many sources are named that lack something."""
WHAT = {"processed": "processed texts", "written": "sets of questions", "answered": "answered texts"}


def wanted_by(config: Mapping[str, Any], role: str) -> Counter[str]:
    """By the file name of each source, how many files (of answers, runs) a run with this `_config__` was to make; nothing where
    it does not say."""
    found: Counter[str] = Counter()
    for table in config.values():
        if isinstance(table, dict) and isinstance(table.get("inputs"), list):
            each = _of_each(table, role)
            found.update({str(path).rpartition("/")[2]: each for path in table["inputs"] if each})
    return found


def _of_each(table: Mapping[str, Any], role: str) -> int:
    """How many of a role are made of each source."""
    texts = _models(table, "process") * _whole(_stage(table, "process").get("runs", 1))
    if role == "written":
        return bool(_stage(table, "questions").get("model"))
    return texts if role == "processed" else texts * _models(table, "answers")


def _stage(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name)
    return found if isinstance(found, dict) else {}


def _models(table: Mapping[str, Any], stage: str) -> int:
    found = _stage(table, stage).get("models")
    return len(found) if isinstance(found, list) else 0


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def missing(
    wanted: Mapping[str, Counter[str]], there: Mapping[str, Mapping[str, int]], about: Collection[str], keys: Mapping[str, str]
) -> Iterator[str]:
    """A sentence for each role of which something is missing. `wanted`: by role and file name; `there`: by role and source;
    `about`: the sources and file names that count, all where there are none."""
    for role, names in wanted.items():
        found = there.get(role, {})
        lacks: dict[str, int] = {}
        n = have = 0
        for name, most in names.items():
            source = name if name in found else name.rpartition(".")[0] or name
            if about and name not in about and source not in about:
                continue
            n += most
            have += min(found.get(source, 0), most)
            if found.get(source, 0) < most:
                lacks[source] = most - found.get(source, 0)
        if lacks:
            told = [f"{one_line(source, 60)} ({less})" for source, less in [*lacks.items()][:NAMED]]
            rest = f" and {len(lacks) - NAMED} more" if len(lacks) > NAMED else ""
            yield f"{keys.get(role, role)}: {have} of {n} {WHAT[role]} are there; missing: {', '.join(told)}{rest}"
