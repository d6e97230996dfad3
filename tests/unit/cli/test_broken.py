"""What an evaluation itself raised is told at the end, apart from what the models failed at."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

from tui_eval.cli.next_step import broken_lines


def test_items_that_broke_off_are_counted_by_what_was_raised() -> None:
    """One sentence for each error, with how many items it cost; none where nothing was raised."""
    broken = Counter({"KeyError: 'oops'": 3, "ValueError: 7 is off\nits scale": 1})
    ended: Any = SimpleNamespace(outcome=SimpleNamespace(broken=broken))

    lines = broken_lines(cast("Any", ended))

    assert lines[0].startswith("3 samples stopped at an error: KeyError: 'oops' (a bug of the evaluation; see run.log")
    assert lines[1].startswith("1 sample stopped at an error: ValueError: 7 is off its scale")
    assert broken_lines(cast("Any", SimpleNamespace(outcome=None))) == []
