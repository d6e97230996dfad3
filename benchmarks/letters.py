"""How the rule that reads letters does on generated replies, by family, and how often it breaks each law; no call.

python benchmarks/letters.py [--half third] [--half fifth] [--count 60] [--faults FILE]

Each half is material of its own: `seen` (the rule was made with it), `aside`, and all others by other hands that had seen
neither the rule nor the other halves.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from letter_replies.building import FAMILIES, generate
from letter_replies.laws import LAWS, Rule, Violation
from letter_replies.model import Half, Reply
from letter_replies.table import BY_OTHERS, Counts, load_half, shipped_rule, tally, verdict_of

HALVES = ("seen", "aside", "third", "kept", *BY_OTHERS)
HIDDEN: set[str] = set()
"""Halves of which figures alone are shown, so that they stay first sight."""
COLUMNS = ("right", "unread", "wrong")
Broken = dict[str, list[Violation]]


def broken_laws(rule: Rule, half: Half, replies: Sequence[Reply]) -> Broken:
    """What breaks each law, by the law's name."""
    return {name: [broken for reply in replies if (broken := law(rule, half, reply))] for name, law in LAWS.items()}


def table(half: Half, families: Counts, letters: Counts, violations: Broken, n_replies: int) -> str:
    """The figures of one half as a table of Markdown."""
    declared = sum((row for letter, row in letters.items() if letter != "A"), Counter[str]())
    n_declared = sum(declared.values())
    lines = [f"## {half.name}: {n_replies:,} replies", "", "| family | right | unread | wrong |", "|---|--:|--:|--:|"]
    every = {**families, "all": sum(families.values(), Counter())}
    lines += [f"| {name} | " + " | ".join(str(row[column]) for column in COLUMNS) + " |" for name, row in every.items()]
    lines += ["", f"Declared letters, A apart: {n_declared}; unread {declared['unread'] / max(n_declared, 1):.2%}"]
    lines += [f"wrong {declared['wrong'] / max(n_declared, 1):.2%}.", "", "| law | violations |", "|---|--:|"]
    lines += [f"| {name} | {len(found)} |" for name, found in violations.items()]
    return "\n".join(lines)


def faults(half: Half, rule: Rule, replies: Sequence[Reply], violations: Broken, n_each: int) -> str:
    """Examples of faults, grouped by family and what was read, and by law; the first of each kind of ending."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for reply in replies:
        reading = rule(reply.text, len(reply.options.texts), reply.options.texts, None if reply.family == "middle" else True)
        verdict = verdict_of(reply, reading.letter, reading.reason)
        if verdict != "right":
            actual = reading.letter or reading.reason
            groups[f"{reply.family}: {verdict}"].setdefault(
                reply.ending, f"- is {reply.reading}, read {actual} [{reply.seed}]: `{reply.text!r}` of {reply.options.texts}"
            )
    for name, found in violations.items():
        for broken in found:
            groups[f"law {name}"].setdefault(f"{broken.law} {broken.ending}", f"- {broken}")
    lines = [f"# Faults on the half {half.name}"]
    for title, examples in groups.items():
        lines += ["", f"## {title} ({len(examples)} endings)", "", *list(examples.values())[:n_each]]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table of each half, and write the faults of those that may be looked at."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, action="append", help="this half only; may be given again")
    parser.add_argument("--count", type=int, default=60, help="replies of each family")
    parser.add_argument("--faults", type=Path, help="write grouped examples here")
    parser.add_argument("--each", type=int, default=20, help="examples of each group")
    options = parser.parse_args()
    rule, examples = shipped_rule("robust"), []
    for name in options.half or HALVES:
        half = load_half(name)
        replies = [generate(half, family, index) for family in FAMILIES for index in range(options.count)]
        families, _, letters, _ = tally(rule, replies)
        violations = broken_laws(rule, half, replies)
        print(table(half, families, letters, violations, len(replies)), end="\n\n", flush=True)
        if name not in HIDDEN:
            examples.append(faults(half, rule, replies, violations, options.each))
    if options.faults:
        options.faults.write_text("\n".join(examples))


if __name__ == "__main__":
    main()
