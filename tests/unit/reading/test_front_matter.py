"""The head of a Markdown file, read as YAML readers do, and refused with its line."""

from __future__ import annotations

import pytest

from tui_eval.reading.front_matter import FrontMatterError, front_matter


def test_keys_and_body() -> None:
    text = (
        "\ufeff---\r\n# a comment\r\nquo: true\r\ntarget: False # not yet\r\n\r\nname: 'it''s #1'\r\n"
        'word: "a \\"b\\"" # c\r\n'
        "empty:\r\n---\r\n\r\n# Body\r\n---\r\nend\r\n"
    )

    head, body = front_matter(text)

    assert head == {
        "quo": (True, 3),
        "target": (False, 4),
        "name": ("it's #1", 6),
        "word": ('a "b"', 7),
        "empty": ("", 8),
    }
    assert body == "# Body\n---\nend"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "must begin"),
        ("Body alone", 1, "must begin"),
        ("---\nquo: true\n", 1, "is not closed"),
        ("---\nquo true\n---\n", 2, "key: value"),
        ("---\nquo: true\n\nquo: false\n---\n", 4, "appears twice; the first is in line 2"),
        ("---\nlist: [a, b]\n---\n", 2, "only single values"),
        ("---\nlist:\n  - a\n---\n", 3, "key: value"),
        ("---\ntext: 'open\n---\n", 2, "only single values"),
    ],
)
def test_what_it_cannot_read_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(FrontMatterError, match=said) as caught:
        front_matter(text)

    assert caught.value.line == line
