"""Table of what a rule reads, by family, ending and letter, and the violations of the laws.

PYTHONPATH=tests/support python -m letter_replies.table seen
PYTHONPATH=tests/support python -m letter_replies.table aside --count 600 --laws --samples 5
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from letter_replies.building import DECLARING, FAMILIES, generate
from letter_replies.laws import LAWS, Rule, Violation
from letter_replies.model import AMBIGUOUS, DECLARES, MIDDLE, Half, Reply
from tui_eval.reading.letters import EXTRACTIONS, LetterReading, read_letter

Counts = dict[str, Counter[str]]
BY_OTHERS = ("fourth", "fifth", "sixth", "seventh", "eighth")
"""Halves in modules of their own, by other hands that had seen neither the rule nor the other halves."""


def shipped_rule(name: str) -> Rule:
    """A shipped rule, as laws call it."""

    def rule(text: str, n_options: int, texts: Sequence[str], finished: bool | None) -> LetterReading:
        return read_letter(text, n_options, texts, name, finished=finished)

    return rule


def load_half(name: str) -> Half:
    """The half of this name, or the `HALF` of the module at this path."""
    if name == "seen":
        from letter_replies.seen import HALF

        return HALF
    if name == "aside":
        import aside_replies

        return aside_replies.HALF
    if name in ("third", "kept"):
        import third_replies

        return third_replies.HALF if name == "third" else third_replies.KEPT
    if name in BY_OTHERS:
        half: Half = importlib.import_module(f"{name}_replies").HALF
        return half
    path = Path(name)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"no module at {name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    loaded: Half = module.HALF
    return loaded


def verdict_of(reply: Reply, letter: str | None, reason: str) -> str:
    """Whether a reading is right, unread or wrong."""
    if reply.reading is None:
        return "right" if letter is None else "wrong"
    if reply.reading == AMBIGUOUS:
        return "wrong" if letter is not None else "right" if reason == AMBIGUOUS else "unread"
    return "right" if letter == reply.reading else "unread" if letter is None else "wrong"


def tally(rule: Rule, replies: Iterable[Reply]) -> tuple[Counts, Counts, Counts, dict[str, list[tuple[Reply, str]]]]:
    """Count right, unread and wrong readings by family, and of declarations by ending and by letter; and the replies."""
    families: Counts = defaultdict(Counter)
    endings: Counts = defaultdict(Counter)
    letters: Counts = defaultdict(Counter)
    samples: dict[str, list[tuple[Reply, str]]] = defaultdict(list)
    for reply in replies:
        finished = None if MIDDLE in reply.flags else True
        reading = rule(reply.text, len(reply.options.texts), reply.options.texts, finished)
        verdict = verdict_of(reply, reading.letter, reading.reason)
        families[reply.family][verdict] += 1
        if verdict != "right":
            samples[verdict].append((reply, reading.letter or reading.reason))
        if reply.declares and DECLARES in reply.flags:
            letters[reply.reading or ""][verdict] += 1
            if reply.reading != "A" and reply.family in DECLARING:
                endings[reply.ending][verdict] += 1
    return families, endings, letters, samples


def _print(title: str, counts: Counts, keep: Callable[[Counter[str]], bool] = bool) -> None:
    print(f"\n{title:44} {'right':>7} {'unread':>7} {'wrong':>7}")
    for name, row in counts.items():
        if keep(row):
            print(f"{name[:44]:44} {row['right']:7} {row['unread']:7} {row['wrong']:7}")
    total = sum(counts.values(), Counter())
    print(f"{'all':44} {total['right']:7} {total['unread']:7} {total['wrong']:7}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", help="seen, aside, third, fourth, or the path of a module with a HALF")
    parser.add_argument("--rule", default="robust", choices=EXTRACTIONS)
    parser.add_argument("--count", type=int, default=600, help="replies of each family")
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append", help="only this family")
    parser.add_argument("--laws", action="store_true", help="check every law, too")
    parser.add_argument("--samples", type=int, default=0, help="print so many replies of each fault")
    options = parser.parse_args()
    if options.half == "kept":
        parser.error("kept is counted, never shown: python benchmarks/letters.py --half kept")
    half, rule = load_half(options.half), shipped_rule(options.rule)
    families = options.family or list(FAMILIES)
    replies = [generate(half, family, index) for family in families for index in range(options.count)]
    by_family, endings, letters, samples = tally(rule, replies)
    print(f"{options.rule} on {len(replies)} replies of the half {half.name}")
    _print("family", by_family)
    _print("letter (declared)", dict(sorted(letters.items())))
    _print("ending (declared, A apart), not all right", endings, lambda row: row["unread"] + row["wrong"] > 0)
    for verdict, pairs in samples.items():
        step = max(len(pairs) // options.samples, 1) if options.samples else len(pairs) + 1
        for reply, actual in pairs[::step][: options.samples]:
            print(f"\n{verdict}: {reply.seed} [{reply.ending}] is {reply.reading}, read {actual}")
            print(reply.text, reply.options.texts, sep="\n")
    if options.laws:
        _print_laws(rule, half, replies, options.samples)


def _print_laws(rule: Rule, half: Half, replies: Sequence[Reply], n_samples: int) -> None:
    print(f"\n{'law':28} {'replies':>8} {'violations':>11}")
    for name, law in LAWS.items():
        violations: list[Violation] = [broken for reply in replies if (broken := law(rule, half, reply))]
        print(f"{name:28} {len(replies):8} {len(violations):11}")
        step = max(len(violations) // n_samples, 1) if n_samples else 1
        for broken in violations[::step][:n_samples]:
            print("   ", broken)


if __name__ == "__main__":
    main()
