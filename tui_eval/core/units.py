"""Units of a kind's numbers: the items of its means and pairs, what these share, and which metrics are tested."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import NO_DOCUMENT, Sample, source_of

LEAST_CLUSTERS = 4
"""Values that a level must take for an interval to speak of others than these."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*")
_PARTS = 16
"""So many parts of a large number of hashes are put in order one after the other, so that they take little memory."""
_LONGEST = 30
"""Characters of a word of units that a file may bring: it stands in sentences, headings and names of columns."""


class Unit(NamedTuple):
    """Unit of a sample's scores."""

    item: str
    """The same in every run that asks it: a digest of what the data bring, whatever prompts, models and parameters are."""
    clusters: tuple[str, ...]
    """What it shares with other items, coarse to fine, at the levels that its kind declares; its own name in the run last."""
    variant: str = ""
    """What of the asking belongs to the side, such as a version of the prompt; sides of two variants are two sides."""


def digest(*parts: object) -> str:
    """32 hexadecimal digits of texts, numbers and sequences of these, kept apart."""
    hasher = blake2b(digest_size=16)
    for part in parts:
        data = (repr(tuple(part)) if isinstance(part, tuple | list) else str(part)).encode("utf-8", "surrogatepass")
        hasher.update(b"%d:" % len(data) + data)
    return hasher.hexdigest()


def unit_of(task: Any, sample: Sample) -> Unit:
    """The unit of a sample of which its kind says nothing else: a question, of the document that it is about."""
    source = source_of(sample.doc_id, sample.groups)
    truths = tuple(sorted(sample.document_truths.items()))
    about = source if source != sample.doc_id else ""
    item = digest(sample.question, sample.options, sample.answer, sample.truth, truths, about)
    own = f"{sample.doc_id}/{sample.q_index}"
    return Unit(item, (own,) if source == NO_DOCUMENT else (source, own))


@dataclass(frozen=True, slots=True)
class Units:
    """A kind's declaration of what its means are over, what two sides are paired on, and what is independent."""

    item: str = "question"
    """What a mean is over, in a word."""
    answer: str = "answer"
    """What an item may have several of: repeats, turns, questions about a file."""
    levels: tuple[str, ...] = ("document",)
    """What items may share, in words, coarse to fine."""
    variant: str = ""
    """What tells two sides of one model apart, in a word; empty = nothing."""
    headline: tuple[str, ...] = ()
    """The metrics that pairs are tested on, the first of them the one that ranks; the others are shown without a p. Empty =
    every metric of the kind."""
    of: Callable[[Any, Sample], Unit] = unit_of
    """Of a task and one of its samples: what its scores are about."""
    variants_of: Callable[[Any], Sequence[str]] | None = None
    """Of a task, its variants in the order of its config. None = they have no order."""
    variants: tuple[str, ...] = ()
    """Those of a task; a verdict speaks of the first."""

    def unit(self, task: Any, sample: Sample) -> Unit:
        """Return the unit of a sample's scores; a sample that finds out about judges is its own."""
        return unit_of(task, sample) if sample.checks_judge else self.of(task, sample)

    def of_task(self, task: Any) -> Units:
        """The same with the variants of a task."""
        return self if self.variants_of is None else replace(self, variants_of=None, variants=tuple(self.variants_of(task)))

    def tests(self, metric: str) -> bool:
        """Return whether pairs are tested on a metric."""
        return not self.headline or metric in self.headline

    def counted(self, n: int, answers: int | None = None) -> str:
        """6 conversations (23 answers); the answers only where there are others than items."""
        text = count_of(n, self.item)
        return text if answers in (None, n) else f"{text} ({count_of(answers or 0, self.answer)})"

    @property
    def words(self) -> dict[str, Any]:
        """The same as a file has it, for whoever reads the run's scores."""
        names = ("item", "answer", "levels", "variant", "headline", *(["variants"] if len(self.variants) > 1 else []))
        return {name: list(value) if isinstance(value := getattr(self, name), tuple) else value for name in names}


QUESTIONS = Units()
"""What a kind has that says nothing else."""


def units_of(entry: Any) -> Units:
    """Units as a file has them, which a stranger may have written; those of a question where it has none.

    What is to be read is a short plain word, letters first, or it is left out; metrics and variants are only compared
    with names.
    """
    content = entry if isinstance(entry, dict) else {}
    texts = {name: content[name] for name in ("item", "answer", "variant") if _is_word(content.get(name))}
    lists = {
        name: tuple(value for value in content[name] if holds(value))
        for name, holds in (("levels", _is_word), ("headline", _is_text), ("variants", _is_text))
        if isinstance(content.get(name), list)
    }
    return Units(**texts, **lists)  # type: ignore[arg-type]


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST and _WORD.fullmatch(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def all_differ(texts: Iterable[str]) -> bool:
    """Return whether no two of many texts have the same hash, so that no two are the same: none of them is held for that."""
    hashes = array("q", map(hash, texts))
    for part in range(_PARTS):
        numbers = sorted([number for number in hashes if number % _PARTS == part])
        if any(one == other for one, other in pairwise(numbers)):
            return False
    return True


def clusters_of(units: Sequence[Unit]) -> tuple[list[str] | None, int]:
    """The cluster of each item, and its level: the coarsest with LEAST_CLUSTERS values or more.

    None where each item is its own; then the level is that of the coarsest that some share, or -1 where none do.
    """
    shared = -1
    for level in range(max((len(unit.clusters) for unit in units), default=1) - 1):
        if all_differ(unit.clusters[min(level, len(unit.clusters) - 1)] for unit in units):
            break
        clusters = [unit.clusters[min(level, len(unit.clusters) - 1)] for unit in units]
        values = len(set(clusters))
        if LEAST_CLUSTERS <= values < len(clusters):
            return clusters, level
        if values < len(clusters) and shared < 0:
            shared = level
        if values == len(clusters):
            break
    return None, shared
