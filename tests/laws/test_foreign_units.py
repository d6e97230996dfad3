"""What a stranger's run says its numbers are about: words of it stand in headings, sentences and names of columns."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from compared import items, write_run, written
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.plaintext import readable
from tui_eval.core.units import QUESTIONS, Units, units_of
from tui_eval.results.comparison import files
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.exporting.exported_run import means, opened_run
from tui_eval.results.tables import rows_csv

WORDS = ("item", "answer", "variant")
HOSTILE = st.sampled_from(
    ["\x1b[31mEVIL", "\n", "| x |", "[link](http://evil)", "=HYPER(1)", "+1", "@", "\u202e", "\r", "<b>", "`"]
)
texts = st.lists(HOSTILE | st.text(max_size=8) | st.sampled_from(["file", "model", "stage"]), max_size=4).map("".join)
anything = texts | st.integers() | st.none() | st.lists(texts, max_size=3)
foreign = st.fixed_dictionaries({}, optional=dict.fromkeys(("item", "answer", "levels", "variant", "headline"), anything))
_LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(|(?<!\\)<\w")


def stored(path: Path, said: dict[str, Any]) -> Path:
    """A run of two models and two versions of the prompt whose manifest, report and lines say this of its units."""
    scores = {"a": [1.0, 0.0, 1.0, 1.0, 0.0], "b": [1.0, 1.0, None, 0.0, 0.0]}
    lines = []
    for version in ("v1", "v2"):
        for line in items(scores):
            unit = {**line["unit"], "variant": f"{said.get('variant') or ''}{version}"}
            lines.append({**line, "item_id": f"{line['item_id']}/{version}", "unit": unit})
    write_run(path, lines)
    manifest = json.loads((path / "manifest.json").read_text())
    for name, content in (("manifest.json", manifest), ("report.json", {"kind": "choice", "tables": {}})):
        (path / name).write_text(json.dumps({**content, "units": said}))
    return path


def cells(text: str) -> list[int]:
    """Of each line of Markdown how many signs part cells."""
    return [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()]


@settings(few, max_examples=60)
@given(foreign)
def test_no_word_of_stored_units_acts_in_a_file(said: dict[str, Any]) -> None:
    """No sign that steers a terminal, no link, no cell or line that is not ours; names of columns are plain words."""
    with tempfile.TemporaryDirectory() as folder:
        plain = compare_runs([stored(Path(folder, "plain"), QUESTIONS.words)])
        run = stored(Path(folder, "run"), said)
        found = compare_runs([run])
        told = {**written(found, Path(folder, "out")), "text": files.text(found)}
        with opened_run(run) as exported:
            told["means.csv"] = rows_csv(means(exported))
        ours = written(plain, Path(folder, "ours"))
    for name, text in told.items():
        assert readable(text) == text, name
    assert not _LINK.search(told["compare.md"])
    assert cells(told["compare.md"]) == cells(ours["compare.md"])
    for name in (name for name in told if name.endswith(".csv")):
        header = next(csv.reader(told[name].splitlines()))
        assert all(re.fullmatch(r"[A-Za-z][\w -]*", column) for column in header) and len(set(header)) == len(header)


@few
@given(foreign)
def test_stored_units_are_short_plain_words(said: dict[str, Any]) -> None:
    """Or those of a question; and what is read is what was written of it."""
    units = units_of(said)
    for word in (*(getattr(units, name) for name in WORDS), *units.levels):
        assert not word or re.fullmatch(r"[A-Za-z][A-Za-z0-9 -]{0,29}", word)
    assert units_of(units.words) == units and isinstance(units, Units)
