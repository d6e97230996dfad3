"""How a panel's models are shown documents: attached, as what they say, or as base64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w
from pdf_files import pdf_of

from tui_eval.configuring import input_files, preparing, reopening
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

MODELS = [{"name": "maker", "wire": "openai", "model": "gpt-5-mini", "base_url": "http://127.0.0.1:9/v1"},
          {"name": "local", "wire": "simulator", "model": "sim-scholar"}]  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n"
FILES = {
    "paper.pdf": pdf_of([["The harbour opens at six."], ["Fees are due on arrival."]]),
    "short.pdf": pdf_of([["Six."]]),
    "page.html": b"<html><head><style>p {}</style></head><body><p>Ships pay by <b>length</b>.</p></body></html>",
    "dot.png": PNG,
    "odd.bin": b"\xff\x00\xfe",
    "note.md": b"# A note\n<b>as it is</b>\n",
}


def panel(folder: Path, *names: str, **table: Any) -> Loaded:
    for name in names:
        (folder / name).write_bytes(FILES[name])
    path = folder / "panel.toml"
    usual = {"questions": ["When?"], "documents": [*names], "doers": [{"model": "maker"}]}
    path.write_text(tomli_w.dumps({"kind": "panel", "run": {"max_calls": 100}, "models": MODELS, "panel": {**usual, **table}}))
    return load(path, Workspace(folder), sends=False)


def shown(run: Loaded) -> dict[str, tuple[str, int]]:
    """By document: the block of text that is sent, and how many attachments."""
    return {one.doc_id: (one.data.block, len(one.data.attachments)) for one in run.evaluation.samples()}


def test_as_text_pdfs_and_web_pages_say_what_they_say(tmp_path: Path) -> None:
    """With a mark at each page, however short; images are attached, and all else stays as it is."""
    found = shown(panel(tmp_path, *FILES, documents_as="text"))
    whole = shown(panel(tmp_path, *FILES))

    block, attached = found["paper"]
    assert "[page 1]\nThe harbour opens at six." in block and "[page 2]\nFees are due on arrival." in block and not attached
    assert "encoding: text" in block and "mime: application/pdf" in block
    assert "content:\nSix." in found["short"][0]
    assert "Ships pay by length." in found["page"][0] and "<b>" not in found["page"][0]
    assert {name: found[name] for name in ("dot", "odd", "note")} == {name: whole[name] for name in ("dot", "odd", "note")}
    assert found["dot"][1] == 1 and "<b>as it is</b>" in found["note"][0]


def test_the_older_key_means_what_it_meant(tmp_path: Path) -> None:
    """attach = true is attach, false is base64; the two keys may not contradict each other."""
    default, attach, base64, old = (
        shown(panel(tmp_path, "paper.pdf", **table))
        for table in ({}, {"documents_as": "attach"}, {"documents_as": "base64"}, {"attach": False})
    )

    assert default == attach and default["paper"][1] == 1
    assert base64 == old and base64["paper"][1] == 0 and "encoding: base64" in base64["paper"][0]
    with pytest.raises(ConfigError, match="leave out attach"):
        panel(tmp_path, "paper.pdf", attach=False, documents_as="text")


def test_a_model_that_takes_no_pdf_is_told_of_the_text(tmp_path: Path) -> None:
    """Base64 of one says nothing to any model."""
    with pytest.raises(ConfigError, match=r'panel\.documents_as = "text"'):
        panel(tmp_path, "paper.pdf", doers=[{"model": "local"}])


def test_a_run_taken_up_again_opens_no_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it said at first stands in the run folder, and is what is asked about then."""
    run = panel(tmp_path, "paper.pdf", "page.html", documents_as="text")
    folder = tmp_path / "runs" / "run"
    preparing.prepare(run, folder, lambda text: text, [])

    def opened(*_: object) -> None:
        raise AssertionError("a document was opened again")

    monkeypatch.setattr(input_files, "read_document", opened)
    again = reopening.reopen(folder, Workspace(tmp_path), sends=False)

    assert shown(again) == shown(run)
    assert sorted(path.name for path in (folder / "inputs" / "text").iterdir()) == ["page.html.txt", "paper.pdf.txt"]


def test_one_that_is_too_large_is_told_the_key(tmp_path: Path) -> None:
    """And what to raise."""
    with pytest.raises(ConfigError, match=r"raise panel\.max_document_bytes"):
        panel(tmp_path, "paper.pdf", documents_as="text", max_document_bytes=100)


def test_a_document_is_named_with_its_suffix_or_without(tmp_path: Path) -> None:
    """In a Questions.md as in a table: the same questions, the same truths, of the same documents; two truths are refused."""
    asked = []
    for n, name in enumerate(("note", "note.md")):
        folder = tmp_path / str(n)
        folder.mkdir()
        for each in ("note.md", "page.html"):
            (folder / each).write_bytes(FILES[each])
        (folder / "Questions.md").write_text(f"1. What?\nAnswer ({name}): A note\nDocuments: {name}\n\n2. Who?\nAnswer: x\n")
        scope = {"question": "What?", "documents": [name], "document_truths": {name: "A note"}}
        for table in (
            {"dataset": ".", "questions": [], "documents": []},
            {"questions": [scope], "documents": ["*.md", "*.html"]},
        ):
            found = [*panel(folder, **table).evaluation.samples()]
            asked.append([(one.doc_id, one.question, one.truth) for one in found])

    assert asked[:2] == asked[2:] and ("note", "What?", "A note") in asked[0]
    assert asked[1] == [("note", "What?", "A note")]
    both = {"question": "What?", "document_truths": {"note": "a", "note.md": "b"}}
    with pytest.raises(ConfigError, match="two expected answers for one document"):
        panel(tmp_path / "0", questions=[both], documents=["note.md"])
