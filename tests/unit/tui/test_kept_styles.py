"""Laws of styles that are read once: the same variables bring the very same rules, others bring new ones."""

from __future__ import annotations

import pytest
from textual.css.errors import StyleValueError
from textual.css.stylesheet import Stylesheet, StylesheetParseError

from tui_eval.tui.background.ordered_keys import KeptStylesheet

CSS = "Static { color: $tone; height: 1; }"


def kept(tone: str) -> KeptStylesheet:
    """A stylesheet that has read one source."""
    found = KeptStylesheet(variables={"tone": tone})
    found.add_source(CSS, read_from=("a", "b"))
    return found


def test_what_was_read_is_not_read_again() -> None:
    """When a screen comes, with a source of its own: the rules of the others are those that stood there."""
    styles = kept("red")
    before = styles.rules
    styles.set_variables({"tone": "red"})
    styles.add_source("Button { height: 2; }", read_from=("a", "c"))
    styles.reparse()

    assert styles.rules[0] is before[0] and len(styles.rules) == 2


def test_another_theme_is_read_as_textual_reads_it() -> None:
    """Other values, the same rules as without anything kept."""
    styles = kept("red")
    before = styles.css
    styles.set_variables({"tone": "blue"})
    styles.reparse()
    plain = Stylesheet(variables={"tone": "blue"})
    plain.add_source(CSS, read_from=("a", "b"))

    assert styles.css == plain.css != before


def test_what_cannot_be_read_leaves_what_stood_there() -> None:
    """A value that is no colour is refused; the rules before it are still in force."""
    styles = kept("red")
    before = styles.rules
    styles.set_variables({"tone": "no such colour"})
    with pytest.raises((StylesheetParseError, StyleValueError)):
        styles.reparse()

    assert styles.rules is before
