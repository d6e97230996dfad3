"""Laws of words: what names and first lines begin with, which handlers are answered, which words no text for people has."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import measure
import pytest
from textual.message import Message

import tui_eval.tui

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tui_eval"
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "moved.md")]
MOST_WITH_PRIVATE = 10
"""Names that a public class and private ones, or several private ones, may share."""
DENIED = (
    "taken up again", "told apart", "of two minds", "blotted out", "whosoever", "thereof", "kept back", "brought in",
    "pretended", "sifted",
)  # fmt: skip
"""Words of this house that the field has others for."""
CODE = re.compile(r"```.*?```|`[^`\n]+`|\"[^\"\n]+\"|<[^>]+>|\]\([^)]*\)", re.DOTALL)
"""What a page quotes: code, printed text, addresses."""
TERM = re.compile(r"^\| ([^|]+) \|", re.MULTILINE)
"""A row of the glossary."""
BOLD = re.compile(r"(?<=[a-z,;] )\*\*([a-z][a-z -]{2,40})\*\*")
"""A term in bold within a sentence; what begins a paragraph, an entry or a cell in bold is its lead."""
MOST_WORDS = 3
"""Words of a term; what is longer is emphasis."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield every module outside the simulator, by its path."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "simulator" not in path.parts:
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def openings(name: str, tree: ast.Module) -> list[str]:
    """Find the first lines that begin with a question word."""
    return [f"{name}:{line}: {text}" for _, line, text in measure.first_lines(tree) if measure.opens_with_a_question(text)]


def closed_names(name: str, tree: ast.Module) -> list[str]:
    """Find a module and the classes whose name is a word of the closed list."""
    classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [f"{name}: {each}" for each in (Path(name).stem, *classes) if each.strip("_").lower() in measure.CLOSED]


def shared_names(modules: Mapping[str, ast.Module]) -> tuple[list[str], list[str]]:
    """Find the names that public classes share, and those that only private ones share with others."""
    places = defaultdict[str, list[str]](list)
    for tree in modules.values():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(node.name)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    public = [name for name, found in twice.items() if sum(not each.startswith("_") for each in found) > 1]
    return public, [name for name in twice if name not in public]


def test_no_first_line_begins_with_a_question_word() -> None:
    """A first line says what a thing is, or what a function does."""
    assert [line for name, tree in trees() for line in openings(name, tree)] == []


def test_no_module_or_class_is_named_by_the_closed_list() -> None:
    """A bare participle or pronoun names nothing."""
    assert [line for name, tree in trees() for line in closed_names(name, tree)] == []


def test_no_two_public_classes_share_a_name() -> None:
    """Private ones share a few."""
    public, private = shared_names(dict(trees()))
    assert public == [] and len(private) <= MOST_WITH_PRIVATE, (public, private)


def test_few_names_of_the_whole_tree_are_of_the_closed_list() -> None:
    """At most 2 % of first lines and of names, simulator included."""
    assert max(measure.opening_shares(ROOT).values()) <= 2 and measure.closed_share(ROOT) <= 2


def handlers() -> set[str]:
    """Collect the names of the methods that any message calls."""
    for module in walk_packages(tui_eval.tui.__path__, "tui_eval.tui."):
        import_module(module.name)
    names, waiting = set[str](), [Message]
    while waiting:
        message = waiting.pop()
        names.add(getattr(message, "handler_name", ""))
        waiting += message.__subclasses__()
    return names


def unanswered(tree: ast.Module, answered: Collection[str]) -> list[str]:
    """Find the methods on_* that no message calls."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = [node.name for each in classes for node in each.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [name for name in methods if name.startswith("on_") and name not in answered]


def test_every_handler_is_answered_by_a_message_class() -> None:
    """Textual calls on_<class>_<message> by name: a class that was renamed would leave its handlers behind."""
    answered = handlers()
    found = {name: unanswered(tree, answered) for name, tree in trees() if name.startswith("tui_eval/tui/")}
    assert {name: methods for name, methods in found.items() if methods} == {}
    assert "on_row_table_moved" in answered


def denied(text: str) -> list[str]:
    """Find the denied words in a text, code apart."""
    plain = CODE.sub(" ", text).lower()
    return [word for word in DENIED if re.search(rf"\b{word}\b", " ".join(plain.split()))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_a_denied_word(page: Path) -> None:
    """Code spans and blocks are exempt."""
    assert denied(page.read_text(encoding="utf-8")) == []


def messages(tree: ast.Module) -> list[str]:
    """Collect the texts of a module that are no docstrings."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, *measure.FUNCTIONS))]
    docstrings = {id(line.value) for body in bodies for line in body if isinstance(line, ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [node.value for node in texts if isinstance(node.value, str) and " " in node.value]


def test_no_message_has_a_denied_word() -> None:
    """Help, errors, notes and screens."""
    found = [(name, text, word) for name, tree in trees() for text in messages(tree) for word in denied(text)]
    assert found == []


def terms() -> set[str]:
    """Read the terms of the glossary."""
    rows = TERM.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    return {term.strip().lower() for row in rows for term in row.partition(" (")[0].split(",")}


def unexplained(text: str, known_terms: Collection[str]) -> list[str]:
    """Find the terms in bold that a glossary lacks, in singular or plural."""
    plain = " ".join(CODE.sub("-", text).split())
    bold = [term for term in BOLD.findall(plain) if len(term.split()) <= MOST_WORDS]
    return [term for term in bold if not {term, term.removesuffix("s")} & {*known_terms}]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_term_in_bold_stands_in_the_glossary(page: Path) -> None:
    """Whoever meets it there can look it up."""
    assert unexplained(page.read_text(encoding="utf-8"), terms()) == []


def test_planted_offenders_are_found() -> None:
    """Each law finds what it is against."""
    planted = ast.parse(
        '"""Whether it is."""\nclass Told:\n    """What it is."""\n    def on_nothing_ever(self): ...\nclass _Told: ...\n'
    )
    assert len(openings("x", planted)) == 2 and closed_names("tui_eval/kept.py", planted) == [
        "tui_eval/kept.py: kept", "tui_eval/kept.py: Told", "tui_eval/kept.py: _Told",
    ]  # fmt: skip
    assert shared_names({"a": planted, "b": planted}) == (["Told"], []) and shared_names({"a": planted}) == ([], ["Told"])
    assert unanswered(planted, handlers()) == ["on_nothing_ever"]
    assert denied("They are told\napart by `taken up again`.") == ["told apart"]
    assert messages(ast.parse('"""Kept back."""\nprint("kept back by us", "one")\n')) == ["kept back by us"]
    assert unexplained("It has a **noise floor** and **flux**, an **odd one**.", terms()) == ["flux", "odd one"]
