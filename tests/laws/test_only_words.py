"""Law: `scripts/only-words` finds every change of a generated file that is more than the words of its sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from only_words import compare_files, compare_texts, main

OLD = {"model": "a", "mean": 0.5, "n": [1, 2], "note": "4 of 20 answers have no score", "ok": True, "verdict": "PASS"}


@pytest.mark.parametrize(
    ("changed", "finds"),
    [
        ({"note": "no score: 4 of 20 answers"}, ""),
        ({"note": "5 of 20 answers have no score"}, ".note"),
        ({"note": "20 answers, 4 without a score"}, ".note"),
        ({"note": ""}, ".note"),
        ({"mean": 0.25}, ".mean"),
        ({"n": [1]}, ".n"),
        ({"n": [1, 2.0]}, ".n[1]"),
        ({"model": "b"}, ".model"),
        ({"verdict": "FAIL"}, ".verdict"),
        ({"ok": False}, ".ok"),
        ({"more": 1}, "keys changed"),
    ],
)
def test_more_than_words_is_found_in_json(changed: dict[str, object], finds: str) -> None:
    """Words of a sentence may change; its numbers, ids, closed values, keys and lengths may not."""
    new = {**OLD, **changed}
    for name, texts in (("x.json", (json.dumps(OLD), json.dumps(new))), ("x.jsonl", (json.dumps(OLD), json.dumps(new)))):
        changes = list(compare_texts(name, *texts))
        assert (finds in changes[0]) if finds else changes == []


def test_the_order_of_keys_counts() -> None:
    """A file whose keys stand in another order is another."""
    assert list(compare_texts("x.json", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}'))


@pytest.mark.parametrize(
    ("new", "finds"),
    [
        ("model,why\na,no reply in 3 s\n", ""),
        ("model,reason\na,reply took 3 s\n", "header"),
        ("model,why\nb,reply took 3 s\n", "row 2"),
        ("model,why\na,reply took 4 s\n", "row 2"),
        ("model,why\n", "number"),
    ],
)
def test_more_than_words_is_found_in_csv(new: str, finds: str) -> None:
    """Headers and cells that are no sentences stay."""
    changes = list(compare_texts("x.csv", "model,why\na,reply took 3 s\n", new))
    assert (finds in changes[0]) if finds else changes == []


def test_files_that_come_or_go_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In folders, too; exit code 1 then, 0 where words alone changed, 2 for wrong arguments."""
    assert [*compare_files({"a.txt": b"x"}, {"b.txt": b"x"})] == ["a.txt: is gone", "b.txt: is new"]
    for name, text in (("old", "4 answers were lost"), ("new", "lost: 4 answers"), ("other", "lost: 5 answers")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(text)
    assert main([str(tmp_path / "old"), str(tmp_path / "new")]) == 0
    assert main([str(tmp_path / "old"), str(tmp_path / "other")]) == 1
    assert main([]) == 2
    assert "note.txt: line 1" in capsys.readouterr().out
