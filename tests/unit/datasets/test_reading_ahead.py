"""Documents read several at a time: their order, their first error, and an end that waits for none."""

from __future__ import annotations

import os
import random
import time

import pytest
from hostile_pdfs import operators
from pdf_files import pdf_of

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text import reader_process
from tui_eval.datasets.document_text.document_reader import ReadingLimits, read_document
from tui_eval.datasets.document_text.reading_ahead import read_ahead

LIMITS = ReadingLimits(key="generate.documents", min_letters=1)
CASES = 6
"""Lists of files, each of sound ones and broken ones in some order."""
Entry = tuple[bytes, str]


def text_at(entry: Entry) -> str:
    """The text of a file."""
    data, name = entry
    return read_document(data, name, LIMITS).text


def one_by_one(entries: list[Entry]) -> tuple[list[str], str]:
    """The texts up to the first file that has none, and the sentence on that one."""
    texts: list[str] = []
    for entry in entries:
        try:
            texts.append(text_at(entry))
        except ConfigError as error:
            return texts, str(error)
    return texts, ""


def ahead(entries: list[Entry]) -> tuple[list[str], str]:
    """The same, several at a time."""
    texts: list[str] = []
    try:
        texts.extend(read_ahead(text_at, entries))
    except ConfigError as error:
        return texts, str(error)
    return texts, ""


@pytest.mark.parametrize("seed", range(CASES))
def test_it_is_as_one_by_one(seed: int) -> None:
    """Texts, their order, and the first file that is refused."""
    dice = random.Random(seed)
    entries: list[Entry] = []
    for n in range(dice.randint(0, 5)):
        words = [f"Document {n} of {seed}. " + "Ships wait at the buoy. " * dice.randint(1, 40)]
        sound = [(pdf_of([words]), f"{n}.pdf"), ("\n".join(words).encode(), f"{n}.md")]
        broken = [(b"%PDF-1.7 and no more", f"{n}.pdf"), (b"  \n", f"{n}.txt")]
        entries.append(dice.choice(sound if dice.random() < 0.85 else broken))
    assert ahead(entries) == one_by_one(entries)


def test_an_error_waits_for_no_other_file() -> None:
    """What is read in vain is ended, and its process is gone."""
    slow = [(operators(), f"{n}.pdf") for n in range(2 * reader_process.AT_ONCE)]
    began = time.monotonic()
    with pytest.raises(ConfigError, match=r"broken\.pdf"):
        list(read_ahead(text_at, [(b"%PDF-1.7 and no more", "broken.pdf"), *slow]))
    took = time.monotonic() - began

    began = time.monotonic()
    text_at(slow[0])
    assert took < 0.75 * (time.monotonic() - began) * len(slow) / reader_process.AT_ONCE


def test_who_takes_no_more_ends_it() -> None:
    """Nobody need take all of them."""
    files = [(f"Document {n}.".encode(), f"{n}.txt") for n in range(20)]
    texts = read_ahead(text_at, files)
    assert next(texts) == "Document 0."
    texts.close()  # type: ignore[attr-defined]


def test_there_are_places_for_all_cores() -> None:
    """As far as there is memory for so many; never fewer than two."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    assert 2 <= reader_process.AT_ONCE <= max(cores, 2)
