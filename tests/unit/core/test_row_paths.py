"""Files of an item are called by what it is about, and stay where they belong, whatever that is called."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.row_paths import path_of, problem_of

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@few
@given(names, names)
def test_any_names_make_a_path_inside_the_folder(first: str, second: str) -> None:
    """No part is hidden, leads upwards, or holds another part; two pairs of names never share a path."""
    path = path_of("chats", first, f"{second}.md")

    assert problem_of(path) == "" or "bytes" in problem_of(path)
    assert len(PurePosixPath(path).parts) == 3 and ".." not in PurePosixPath(path).parts
    assert path != path_of("chats", second + "x", f"{first}.md")


@pytest.mark.parametrize(
    "path", ["alone.md", "../x/y", "a//b", "/a/b", "a/.b", "inputs/a", "repeats/01/a", "a/b\x1b", "a\\b/c", f"a/{'b' * 300}"]
)
def test_what_would_lie_elsewhere_is_refused(path: str) -> None:
    """Upwards, hidden, among the run's own files, or with a name that no disk holds."""
    assert problem_of(path)
