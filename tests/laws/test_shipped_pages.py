"""Laws of the pages that come with the program: whoever installs a wheel has all of them, by the names that texts give."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from next_steps import check_none_missing

from tui_eval.cli.command_line import main
from tui_eval.cli.manual.doc_pages import FENCED, page_named, page_names
from tui_eval.cli.verb import PAGES, Parser, page_of
from tui_eval.cli.verbs import VERBS
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import shipped

ROOT = Path(__file__).resolve().parents[2]
PAGE_FILES = sorted((ROOT / "docs").glob("*.md"))
NAMED = re.compile(r"tui-eval docs ([a-z][\w-]*(?:#[\w-]+)?)")
"""A command that shows a page, as texts name it."""


def shown(page: str, capsys: pytest.CaptureFixture[str], columns: int = 80) -> str:
    """What the verb prints of a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        assert main(["docs", page]) == 0
    return capsys.readouterr().out


def test_every_page_is_listed_with_its_heading(capsys: pytest.CaptureFixture[str]) -> None:
    """By the folder alone: a page that is added is listed, a line each within 80 columns."""
    assert main(["docs"]) == 0
    listed = dict(re.findall(r"^(\S+) +(.+)$", capsys.readouterr().out, re.MULTILINE))

    assert listed == {path.stem: path.read_text().partition("\n")[0].removeprefix("# ") for path in PAGE_FILES}
    assert max(len(title) for title in listed.values()) <= 60, "shorten the heading of the page: it is its line in the list"


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_nothing_of_a_page_is_lost(path: Path, columns: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Every word of it is shown at any width, every block of code to the letter, and prose fits between the margins."""
    text, told = path.read_text(), shown(path.stem, capsys, columns)
    code = [line.strip() for block in FENCED.finditer(text) for line in block[0].splitlines()[1:-1] if line.strip()]
    words = Counter(re.findall(r"\w+", re.sub(r"\]\([^)\s]+\)|^ *```\w*$", "", text, flags=re.MULTILINE).lower()))

    assert words - Counter(re.findall(r"\w+", told.lower())) == Counter()
    assert [line for line in code if line not in told] == []
    prose = [line for line in told.splitlines() if not line.startswith("    ")]
    assert [line for line in prose if len(line) > columns and " " in line.strip("- ")[columns // 2 :]] == []


def test_a_link_becomes_what_is_typed_to_follow_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Each page and heading that a shown page names is there, under this very name; none is left as a link of Markdown."""
    told = " ".join(" ".join(shown(path.stem, capsys).split()) for path in PAGE_FILES)
    named = {*NAMED.findall(told)}

    assert len(named) > 50 and all(page_named(name).startswith("#") for name in named)
    assert "](" not in re.sub(r"`[^`]*`", "", told)


def test_texts_name_pages_that_are_there() -> None:
    """What README, pages and messages call `tui-eval docs NAME` is shown by that; no message names a file of docs/."""
    sources = [*(ROOT / "tui_eval").rglob("*.py"), *(ROOT / "examples").rglob("*.toml"), ROOT / "README.md", *PAGE_FILES]
    named = {name for path in sources for name in NAMED.findall(path.read_text(encoding="utf-8"))}
    files = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in (ROOT / "tui_eval").rglob("*.py")
        for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
        if re.search(r"docs/[\w-]+\.md", text)
    }

    assert len(named) > 3 and all(page_named(name) for name in named)
    assert files == set(), "whoever has the program and no checkout has no docs/ there: say tui-eval docs NAME"


def _texts(tree: ast.Module) -> list[str]:
    """Every text of a module that is no docstring."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    return [node.value for node in found if isinstance(node.value, str)]


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_names_its_page(name: str) -> None:
    """A page that is there; `docs VERB` shows the same one. Those about no page name the list."""
    page, told = page_of(VERBS[name]), Parser(VERBS[name]).epilog or ""

    assert told.endswith(f"see tui-eval docs {page}".rstrip())
    step = "give PAGES in tui_eval/cli/verb.py the page about '{name}'"
    check_none_missing({name} if page and page not in page_names() else set(), step)
    assert not page or page_named(name.split()[0]) == page_named(page)
    assert {*PAGES} <= {verb.split()[0] for verb in VERBS}


def test_the_wheel_has_every_page() -> None:
    """What is shipped lies where the program looks for it, in a checkout, a wheel and a source archive: docs as the rest."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    wheel, archive = build["wheel"]["force-include"], build["sdist"]["include"]

    assert wheel == {name: f"tui_eval/shipped/{name}" for name in wheel} and "docs" in wheel
    assert {f"/{name}" for name in wheel} <= {*archive}
    assert {name: shipped(name) for name in wheel} == {name: ROOT / name for name in wheel}
    assert [path.stem for path in PAGE_FILES] == page_names()


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("scorin", "did you mean scoring?"),
        ("xyzzy", "there are after-a-crash, "),
        ("../README", "there are after-a-crash, "),
        ("scoring#pasing", "did you mean scoring#passing?"),
        ("config#nothing-like-it-at-all", "has no heading"),
    ],
)
def test_a_page_that_is_not_there_is_told_the_nearest(word: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, by its heading; what leads out of the folder is no page."""
    assert main(["docs", word]) == 2
    said = capsys.readouterr()

    assert told in said.err and said.out == ""
    with pytest.raises(ConfigError):
        page_named(word)


def test_a_part_of_a_page_is_all_below_its_heading() -> None:
    """To the next heading of its own level; the parts of a page, in order, are the page."""
    for path in PAGE_FILES:
        text = path.read_text()
        heads = [line for line in FENCED.sub("", text).splitlines() if line.startswith("## ")]
        parts = [page_named(f"{path.stem}#{head[3:]}") for head in heads]

        assert all(part.startswith(head) for head, part in zip(heads, parts, strict=True))
        assert text.endswith("".join(parts))


def test_a_page_is_called_as_one_likes() -> None:
    """As its file, by its path, in capitals, or by the verb that it is about."""
    assert page_named("docs/scoring.md") == page_named("Scoring") == page_named("scoring")
    assert page_named("choice") == page_named("multiple-choice")
