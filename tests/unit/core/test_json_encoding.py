"""An encoder that is made once writes what the standard one writes, and refuses what that refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder as standard
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.json_encoding import json_encoder, rows_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ASKED: list[dict[str, bool]] = [{}, {"ensure_ascii": False}, {"sort_keys": True, "compact": True, "strict": False}]


def standard_of(asked: dict[str, bool]) -> Callable[[Any], str]:
    """The standard library's way to the same."""
    separators = (",", ":") if asked.get("compact") else None
    own = {name: value for name, value in asked.items() if name not in ("compact", "strict")}
    return lambda value: json.dumps(value, separators=separators, **own)  # type: ignore[arg-type]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@given(value=VALUES)
def test_it_writes_what_the_standard_encoder_writes(asked: dict[str, bool], value: Any) -> None:
    """Whatever JSON has: halves of characters, huge numbers, keys in any order, nested lists."""
    assert json_encoder(**asked)(value) == standard_of(asked)(value)


@pytest.mark.parametrize("in_c", [True, False])
def test_what_is_no_json_is_refused(in_c: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the part written in C: no NaN unless asked for, no foreign object, no ring, no endless depth."""
    if not in_c:
        monkeypatch.setattr(standard, "c_make_encoder", None)
    ring: list[Any] = []
    ring.append(ring)
    deep: Any = None
    for _ in range(200_000):
        deep = [deep]

    encode = json_encoder()
    assert encode({"a": [1, "ä", None, True, 0.1]}) == '{"a": [1, "\\u00e4", null, true, 0.1]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode({"a": float("nan")})
    assert json_encoder(strict=False)(float("inf")) == "Infinity"
    with pytest.raises(TypeError, match="object"):
        encode([object()])
    for endless in (ring, deep):
        with pytest.raises(RecursionError):
            encode(endless)


SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.lists(st.dictionaries(st.text(), SIMPLE, max_size=4), max_size=5))
def test_rows_are_indented_as_the_standard_library_indents_them(rows: list[dict[str, Any]]) -> None:
    """Prompts hold them: each byte counts."""
    assert rows_json(rows) == json.dumps(rows, ensure_ascii=False, indent=1)
