"""Laws of the pages: whatever strangers write stays text, in its cell, on its line, and can be read as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from choices import HOSTILE, LETTERS, ended, entry, imported, load_choice, question_of, record, shown
from hypothesis import assume, example, given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.core.calls import Call, Reply
from tui_eval.core.plaintext import markdown_lines, markdown_rows, markdown_table, markdown_text, one_line, visible
from tui_eval.reporting.derive import derive
from tui_eval.reporting.leaderboard import merge
from tui_eval.workspace.places import Workspace

SIGNS = "\\`*_{}[]()<>#+-.!|~&$=:;/'\"1a \t\n\r\x00\u200b\u202e\ud83d"
signs = st.text(st.sampled_from(SIGNS), max_size=40) | st.sampled_from(HOSTILE) | any_text
BLOCKS = {"heading_open", "bullet_list_open", "ordered_list_open", "fence", "code_block", "html_block", "blockquote_open", "hr",
          "table_open"}  # fmt: skip
INLINE = {"link_open", "image", "code_inline", "html_inline", "em_open", "strong_open", "s_open"}


def parser() -> Any:
    """GitHub's Markdown with HTML, tables and strikethrough; skipped where the package is not there: it is no dependency."""
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not among the project's own dependencies")
    return markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(text: str) -> Iterator[Any]:
    """Every token, those inside paragraphs too."""
    for token in parser().parse(text):
        yield token
        yield from token.children or ()


def words(text: str) -> str:
    """What a reader sees of inline tokens: text, line breaks as newlines."""
    return "".join(
        "\n" if token.type in ("softbreak", "hardbreak") else token.content
        for token in tokens(text)
        if not token.children and token.type != "inline"
    )


@few
@given(signs)
def test_foreign_text_is_seen_as_it_was_written(text: str) -> None:
    """In a paragraph of its own, at its beginning, where lists and headings start: one paragraph of nothing but that text."""
    line = one_line(text, 2000)
    assume(line != "-")  # our own mark for nothing
    found = [token.type for token in tokens(markdown_text(text))]

    assert set(found) <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
    assert words(markdown_text(text)) == line


@few
@given(signs, st.sampled_from(["- {}", "# {}", "**Question:** {}", "- A) {}", "x {} y", "({})"]))
def test_foreign_text_changes_nothing_around_it(text: str, frame: str) -> None:
    """In a list item, a heading, behind bold words: the same blocks as with a plain word, and the text to the letter."""
    framed, bare = frame.format(markdown_text(text)), frame.format("plain")
    line = one_line(text, 2000)
    assume(line not in ("", "-"))

    assert [t.type for t in tokens(framed) if t.type not in ("text", "text_special")] == [
        t.type for t in tokens(bare) if t.type not in ("text", "text_special")
    ]
    assert words(framed) == words(bare).replace("plain", line)


@few
@given(st.lists(st.lists(signs, min_size=3, max_size=3), min_size=1, max_size=4), st.lists(signs, min_size=3, max_size=3))
def test_foreign_text_stays_in_its_cell(rows: list[list[str]], columns: list[str]) -> None:
    """As many rows and cells as were put in, each with its own text."""
    page = markdown_table([markdown_text(c) for c in columns], [[markdown_text(cell) for cell in row] for row in rows])
    found = [token.content for token in parser().parse(page) if token.type == "inline"]

    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in page.split("\n")} == {4}
    assert len(page.split("\n")) == 2 + len(rows)
    said = [cell if cell == "-" else words(cell) for cell in found]  # by itself, a hyphen would be read as a list
    assert said == [one_line(text, 2000) for row in [columns, *rows] for text in row]


@few
@given(signs)
@example("one\n-\ntwo")
@example("one\n-")
@example("one\n=\n***\n1.")
def test_text_of_several_lines_keeps_its_lines(text: str) -> None:
    """Each line that says something is a line of its own, of one paragraph."""
    page = markdown_lines(text)
    expected = [one_line(line, 2000) for line in visible(text).split("\n") if line.strip()]

    assert {token.type for token in tokens("**Question:** " + page)} & (BLOCKS | INLINE) <= {"strong_open"}
    assert words("**Question:** " + page).strip() == ("Question: " + "\n".join(expected)).strip()


def test_long_text_is_cut_with_a_mark() -> None:
    """At the limit, before signs are escaped: never in the middle of an escape."""
    assert markdown_text("|" * 30, 10) == "\\|" * 9 + "…"
    assert markdown_text("|" * 10, 10) == "\\|" * 10
    assert markdown_lines("x y\n" * 2000).endswith("…")


def test_a_long_line_is_whole_below_the_limit() -> None:
    """A question of 3,000 characters is shown in full, on one line as on several; beyond the limit there is one mark."""
    assert markdown_lines("x" * 3000) == "x" * 3000
    assert markdown_lines("x" * 5000) == "x" * 4000 + "…"


def test_plain_words_stay_plain() -> None:
    """Names, numbers and sentences are not littered with backslashes."""
    for text in (
        "gpt-4o-mini",
        "Llama 3.1 (70B)",
        "a_b_c",
        "-",
        "50 %",
        "What is it, then?",
        "2026-01-01T00:00:00Z",
        "x: y; z",
    ):
        assert markdown_text(text) == text


def test_numbers_are_on_the_right() -> None:
    """Where a column is numeric its ruler says so."""
    assert markdown_table(["a", "b"], [["x", "1"]], [False, True]).split("\n") == ["| a | b |", "| --- | ---: |", "| x | 1 |"]


# ---------------------------------------------------------------------------------------------------- whole pages


def test_rows_that_name_their_columns_are_the_same_table() -> None:
    """Two columns of one name stay two; what is no word is on the right; without rows there is nothing."""
    rows = [[("Model", "one"), ("n", "1"), ("n", "2")], [("Model", "two"), ("n", "3"), ("n", "4")]]

    assert markdown_rows(rows, ("Model",)) == markdown_table(
        ["Model", "n", "n"], [["one", "1", "2"], ["two", "3", "4"]], [False, True, True]
    )
    assert markdown_rows([]) == ""


def written(folder: Path, say: list[str]) -> dict[str, str]:
    """The pages of a run, of an import and of both merged, in which strangers say these texts wherever they can."""
    names = [one_line(text, 60) for text in say]
    entries = [
        entry(
            f"{names[n]} {n}",
            n % 3,
            [f"{text} {i}" for i in range(3)],
            question=text + "?",
            difficulty=f"{names[n % 4]} level",
            domains=[f"{names[n % 6]} domain"],
            topics=[f"{names[n % 5]} topic"],
            version=names[5],
        )
        for n, text in enumerate(say)
    ]
    models = [f"{name} {n}" for n, name in enumerate(names)][::6]

    def answer(call: Call) -> Reply:
        n, m = int(call.item_id.split(" ")[-1]), models.index(call.model)
        if (n + m) % 5 == 0:
            return ended(call, "!timeout")
        return Reply(call, "ok", text=LETTERS[(n + m) % 3] if (n + m) % 2 else f"{say[(n * 3 + m) % len(say)]} ...")

    record(folder / "run", load_choice(folder, entries, names=models), answer)
    rows = [
        {"question_id": question["id"], "model": f"{names[i]} x", "raw_response": say[(n + i) % len(say)] + " Answer: A",
         "letter": "B", "pattern": names[i]}
        for n, question in enumerate(entries)
        for i in (0, 21, 36)
    ]  # fmt: skip
    imported(folder, "import", rows, entries)
    folders = {"run": folder / "run", "import": folder / "runs" / "import", "board": folder / "board"}
    merge([folders["run"], folders["import"]], folders["board"], Workspace(folder))
    return {
        f"{name}/{page}": (path / page).read_text()
        for name, path in folders.items()
        for page in ("leaderboard.md", "analysis.md")
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """By page: as it is where everything that strangers say is hostile, and where they say plain words instead."""
    hostile = [text for text in HOSTILE if text.strip() and "\ud83d" not in text]
    worlds = [
        written(tmp_path_factory.mktemp("pages"), say) for say in (hostile, [f"word {n} word" for n in range(len(hostile))])
    ]
    return {name: (worlds[0][name], worlds[1][name]) for name in worlds[0]}


PAGES = [f"{name}/{page}" for name in ("run", "import", "board") for page in ("leaderboard.md", "analysis.md")]


@pytest.mark.parametrize("page", PAGES)
def test_every_table_row_has_as_many_cells_as_its_header(pages: dict[str, tuple[str, str]], page: str) -> None:
    """By counting pipes that are not escaped, in every run of lines that begin with one."""
    for block in re.split(r"\n(?!\|)", pages[page][0]):
        lines = [line for line in block.split("\n") if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}) <= 1


@pytest.mark.parametrize("page", PAGES)
def test_no_foreign_text_adds_a_block_a_link_or_a_tag(pages: dict[str, tuple[str, str]], page: str) -> None:
    """A hostile page has the blocks of the plain one, and no HTML, link, image, code or emphasis but our own bold words."""
    hostile, plain = (list(tokens(text)) for text in pages[page])

    def blocks(found: list[Any]) -> list[str]:
        return [t.type for t in found if t.type in ("heading_open", "bullet_list_open", "list_item_open", "table_open")]

    assert {t.type for t in hostile} & (BLOCKS | INLINE) <= {"heading_open", "bullet_list_open", "table_open", "strong_open"}
    if page.startswith("run/leaderboard"):
        assert blocks(hostile) == blocks(plain)
    assert {t.content for t in hostile if t.type == "html_inline"} == set()


@pytest.mark.parametrize("page", PAGES)
def test_no_page_holds_a_control_character(pages: dict[str, tuple[str, str]], page: str) -> None:
    """Shown in a terminal, a page steers nothing."""
    assert visible(pages[page][0]) == pages[page][0]


def test_questions_options_and_names_can_be_read_on_the_page(tmp_path: Path) -> None:
    """An example of a hard question shows question, options, key and every model's answer as they are."""
    entries = [entry("q|1 <b>", 1, ["a | b", "*c*", "[d](e)", "`f`"], question="Which?\n\n# This | one\n- or *that*")]
    loaded = load_choice(tmp_path, entries, names=("m|1", "_m2_"))
    record(
        tmp_path / "run", loaded, lambda call: ended(call, "A" if call.model == "m|1" else LETTERS[shown(call).index("*c*")])
    )
    derive(tmp_path / "run", loaded.evaluation)
    text = words((tmp_path / "run" / "analysis.md").read_text())

    for part in (
        "q|1 <b>",
        "Which?\n# This | one\n- or *that*",
        "A) a | b",
        "B) *c*",
        "C) [d](e)",
        "D) `f`",
        "m|1: A (wrong)",
        "_m2_: B (right)",
    ):
        assert part in text, part
    assert question_of(Call("answer", "m|1/q|1 <b>", "m|1", ())) == "q|1 <b>"
