"""What a web page says, as text: its words on lines as it shows them, nothing of its scripts and styles."""

from __future__ import annotations

import random

import pytest

from tui_eval.datasets.document_text.html_text import text_of_page

PAGE = """<!DOCTYPE html><html><head><title>Harbour &amp; Port</title><meta charset=utf-8>
<script>document.write("never")</script><style>p { color: never }</style></head>
<body onload="never()"><nav><a href="#">Home</a></nav><h1>Fees
 for  ships</h1><p>Up to <b>40&nbsp;m</b>: 12&euro;,<br>else more.</p>
<script type="text/x">if (a < b) { "</p>never" }</script>
<table><caption>Fees</caption><tr><th>Length</th><th>Fee</th></tr><tr><td><p>40</p></td><td>12<br>crowns</td></tr>
<tr><td></td><td>free</td></tr></table>
<ul><li>one<li>two</ul><pre>a
   b</pre><noscript>never</noscript><!-- never --><template><p>never</p></template><p>&#x1F600; &lt;b&gt;</body></html>"""


def test_a_page_is_read_as_it_is_shown() -> None:
    """Headings marked as in Markdown, rows of tables on a line, entities as letters, blanks as in a browser."""
    assert text_of_page(PAGE).split("\n") == [
        "Harbour & Port", "Home", "", "# Fees for ships", "", "Up to 40\u00a0m: 12€,", "else more.", "", "Fees", "Length | Fee",
        "40 | 12 crowns", "free", "", "- one", "- two", "", "a", "   b", "", "😀 <b>",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "html",
    [
        "<script>never",
        "<style>never</p>",
        "<p>a<script><script>never</script>",
        "<head><title></title><script>never",
        "<svg><svg>never</svg>",
    ],
)
def test_what_is_never_closed_is_never_shown(html: str) -> None:
    """Scripts and styles that are cut off, or in one another, show nothing."""
    assert "never" not in text_of_page(html)


def test_a_head_that_is_never_closed_ends_with_the_body() -> None:
    """Closing it is optional in HTML."""
    assert text_of_page("<html><head><title>A</title><body><p>words") == "A\nwords"


@pytest.mark.parametrize("seed", range(40))
def test_no_soup_of_tags_is_too_much(seed: int) -> None:
    """Any order of pieces gives a text, with every word that is outside of what is never shown."""
    chance = random.Random(seed)
    pieces = [
        "<p>",
        "</p>",
        "<td>",
        "</tr>",
        "<table>",
        "<h2>",
        "</h3>",
        "<br>",
        "<pre>",
        "</pre>",
        "word ",
        "&amp;",
        "&#0;",
        "<",
        "<li>",
    ]
    chosen = chance.choices(pieces, k=60)
    text = text_of_page(" ".join(chosen))

    assert text.count("word") == chosen.count("word ")


def test_a_deep_page_costs_no_more_than_a_long_one() -> None:
    """A hundred thousand open tags are no hundred thousand levels of anything."""
    assert text_of_page("<div>" * 100_000 + "<b>deep") == "deep"
