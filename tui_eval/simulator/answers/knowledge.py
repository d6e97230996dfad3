"""The answer keys: the only questions that the simulator knows by itself, with their right and some wrong answers."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Matter:
    """One known question."""

    question: str
    right: str
    wrong: tuple[str, ...]
    """Plausible answers that are not right, for any document; none for multiple choice, where the prompt offers them."""
    by_document: Mapping[str, str]
    """The right answer for a document, by that document's name, where it differs from document to document."""

    def right_for(self, documents: Iterable[str]) -> str:
        """The right answer when these documents (by name) come with the question."""
        return next((self.by_document[name] for name in documents if name in self.by_document), self.right)

    def wrong_for(self, right: str) -> tuple[str, ...]:
        """Every answer that is wrong where `right` is right; another document's answer is wrong here."""
        known = dict.fromkeys((*self.wrong, self.right, *self.by_document.values()))
        return tuple(answer for answer in known if answer != right)

    def answers(self) -> tuple[str, ...]:
        """Every answer of the key, right or wrong."""
        return tuple(dict.fromkeys((self.right, *self.by_document.values(), *self.wrong)))


@lru_cache(maxsize=2048)
def fold(text: str) -> str:
    """The text without capitals, punctuation and extra blanks, so that two spellings of one thing are equal."""
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def contains(text: str, answer: str) -> bool:
    """Return whether the answer stands in the text as whole words, whatever the capitals, blanks and punctuation."""
    wanted = fold(answer)
    return bool(wanted) and f" {wanted} " in f" {fold(text)} "


def without(text: str, question: str) -> str:
    """The text without a question that stands in it, in whatever spelling."""
    return re.sub(r"[\W_]+".join(map(re.escape, fold(question).split())), "", text, flags=re.I)


def find(text: str) -> Matter | None:
    """The longest known question that stands in the text, or None."""
    folded = f" {fold(text)} "
    return next((matter for key, matter in _known("answers.toml") if f" {key} " in folded), None)


def find_choice(text: str) -> Matter | None:
    """The known multiple-choice question that stands last in the text (solved samples may stand before it), or None."""
    folded = f" {fold(text)} "
    places = [(folded.rfind(f" {key} "), matter) for key, matter in _known("choices.toml")]
    last, matter = max(places, key=lambda place: place[0])
    return matter if last >= 0 else None


@cache
def _known(file: str) -> tuple[tuple[str, Matter], ...]:
    """An answer key as (folded question, matter), longest question first."""
    table = tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))
    matters = [
        Matter(row["text"], row["right"], tuple(row.get("wrong", ())), row.get("by_document", {})) for row in table["question"]
    ]
    pairs = [(fold(matter.question), matter) for matter in matters]
    return tuple(sorted(pairs, key=lambda pair: len(pair[0]), reverse=True))
