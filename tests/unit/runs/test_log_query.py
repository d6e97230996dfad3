"""Laws of the log's filter: what is found in the bytes of a line is what a person would find in the record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import BIG_FIELDS, attempt, few

from tui_eval.runs.log.query import LogQuery, Term, bytes_needed, line_holds
from tui_eval.runs.record import line_of, record_of


def alike(text: str, needle: str) -> bool:
    """Whether two texts of one length are the same but for capitals."""
    return all(letter in (other, other.lower(), other.upper()) for letter, other in zip(text, needle, strict=True))


def within(text: str | None, needle: str) -> bool:
    """Whether a text has the needle in it, letter by letter."""
    text = text or ""
    return any(alike(text[at : at + len(needle)], needle) for at in range(len(text) - len(needle) + 1))


def leaves(value: Any) -> Iterator[str]:
    """Every value in a piece of JSON as text, names of fields left out."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def in_text(record: dict[str, Any], needle: str) -> bool:
    """What `text:` means."""
    texts = [text for name in BIG_FIELDS for text in leaves(record.get(name))]
    return any(within(text, needle) for text in [*texts, record["error_message"] or ""])


def holds(record: dict[str, Any], name: str, needle: str) -> bool:
    """What a term means."""
    failed = record["status"] in ("error", "timeout") and within("failed", needle)
    meanings = {
        "status": lambda: within(record["status"], needle) or failed,
        "kind": lambda: within(record["error_kind"], needle),
        "stage": lambda: within(record["stage"], needle),
        "model": lambda: within(record["model"], needle),
        "item": lambda: within(record["item_id"], needle),
        "doc": lambda: within(record["doc_id"], needle),
        "call": lambda: record["call_key"].startswith(needle.lower()),
        "text": lambda: in_text(record, needle),
    }
    if name:
        return bool(meanings[name]())
    return any(bool(meanings[other]()) for other in ("status", "kind", "stage", "model", "item", "text"))


def found(text: str, line: bytes, record: dict[str, Any] | None) -> bool:
    """Whether a query finds a line; without a record the line is a damaged one."""
    query = LogQuery.parse(text)
    early = [record[name] or "" for name in ("status", "error_kind", "stage", "model")] if record else [None, "", "", ""]
    left = query.left(early[0], early[1] or "", early[2] or "", early[3] or "")
    return left is not None and line_holds(left, line[: bytes_needed(left)], record is None)


letters = 'aAbnNu0eEéÉ\\"/\n\t\x01\x7fßſσςΣİıK\U0001f600\U00010400\U00010428\ud83d\u4e2d'
words = st.text(st.sampled_from(letters), max_size=8)
values = st.recursive(
    words | st.none() | st.integers(0, 9), lambda inner: st.lists(inner) | st.dictionaries(words, inner), max_leaves=4
)
lines = st.builds(
    lambda request, **fields: line_of(attempt(**fields), json.dumps(request)).rstrip("\n").encode(),
    values,
    status=st.sampled_from(["ok", "timeout", "error"]),
    error_kind=st.none() | words,
    stage=words,
    model=words,
    item_id=words,
    doc_id=words,
    error_message=st.none() | words,
    response_text=st.none() | words,
    response_json=values,
)
needles = st.text(st.sampled_from([letter for letter in letters if letter not in ' "\n\t\ud83d']), min_size=1, max_size=3)
fields = st.sampled_from(["", "status", "kind", "stage", "model", "item", "doc", "call", "text"])


@few
@given(lines, st.lists(st.tuples(st.booleans(), fields, needles), max_size=2), st.booleans())
def test_what_is_found_in_a_line_is_what_is_in_the_record(
    line: bytes, asked: list[tuple[bool, str, str]], quoted: bool
) -> None:
    """Any letters, escapes and emoji; any field; opposites; several words: the bytes say what the parsed record says."""
    record = record_of(line)
    quote = '"' if quoted else ""
    typed = [f"{'!' * negated}{name}{':' * bool(name)}{quote}{needle}{quote}" for negated, name, needle in asked]
    query = " ".join(typed)

    assert found(query, line, record) == all(holds(record, name, needle) != negated for negated, name, needle in asked)


pieces = st.lists(st.sampled_from([*letters, '"\n', "\\u", "00e9", "\\n"]), min_size=1, max_size=12).map("".join)


@few
@given(pieces, st.data())
def test_every_piece_of_a_text_is_found(text: str, data: st.DataObject) -> None:
    """What stands in a reply is found by any piece of it, and nothing is found by a letter that is not there."""
    line = line_of(attempt(response_text=text), "null").encode()
    at = data.draw(st.integers(0, len(text) - 1))
    piece = text[at : at + data.draw(st.integers(1, 4))]

    assert line_holds((Term.of("text", piece, False),), line, False)
    assert not line_holds((Term.of("text", piece + "☃", False),), line, False)


@pytest.mark.parametrize("text", ["a\\u00e9b", "\\\\u4e2d\\n", "é\\é\n9", "\U0001f600\\\\\\n"])
def test_what_looks_like_an_escape_is_letters(text: str) -> None:
    """A reply that speaks of escapes is searched by its letters: each of them is found, and no other letter or digit."""
    line = line_of(attempt(response_text=text), "null").encode()
    asked = set("0123456789abcdefnuéÉ\\")
    in_null = set("nu")

    assert {n for n in asked if line_holds((Term.of("text", n, False),), line, False)} == {
        n for n in asked if within(text, n)
    } | in_null


LINE = line_of(
    attempt(
        status="error",
        error_kind="transient",
        error_message="Überlast at http://x",
        stage="judge",
        response_text='He said "Go on"',
    ),
    '{"model": "gpt", "messages": [{"content": "404 error"}]}',
).encode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", True),
        ("status:err", True),
        ("STATUS:failed", True),
        ("failed", True),
        ("!status:failed", False),
        ("kind:trans model:mini", True),
        ("kind:trans model:maxi", False),
        ("überlast", True),
        ("text:ÜBER", True),
        ("http://x", True),
        ("foo:bar", False),
        ('said "go on', True),
        ('said "on go', False),
        ('"he said', True),
        ('said text:"error"', True),
        ('"404 error"', True),
        ('"error 404"', False),
        ("model: ! item: \"\"", True),
        ("messages", False),
        ("text:messages", False),
        ("content", False),
        ("item:d/q0 doc:D", True),
        ("item:=d/q0 model:=mini", True),
        ("item:=d/q", False),
        ("item:=D/q0", False),
        ("model:=min", False),
        ('item:="d/q0', True),
        ('!item:="d/q0"', False),
        ("item:= model:=", True),
        ("call:0123456789ABCDEF0", True),
        ("call:123", False),
        ('said\\', False),
        ('"Go', True),
    ],
)  # fmt: skip
def test_what_is_typed_means_this(query: str, expected: bool) -> None:
    """Words, phrases, fields, opposites, addresses with a colon, names of fields, and what is not finished yet."""
    assert found(query, LINE, record_of(LINE)) == expected


def test_a_damaged_line_is_text_without_fields() -> None:
    """All of it is looked at, and no field of it is known."""
    torn = LINE[:-40]

    assert found("said", torn, None) and found("text:messages", b"messages", None)
    assert not found("status:error", torn, None) and not found("item:q0", torn, None)
    assert found("!status:error", torn, None)


def test_fields_known_early_need_no_line() -> None:
    """Status, kind, stage and model are decided without a line; the rest asks for as much of it as it looks at."""
    query = LogQuery.parse("status:ok model:a item:x !text:y")
    left = query.left("ok", "", "doer", "abc") or ()

    assert query.left("error", "", "doer", "abc") is None
    assert [term.name for term in left] == ["item", "text"]
    assert bytes_needed(left[:1]) < bytes_needed(left)


def test_the_whole_value_is_that_item_alone() -> None:
    """Of q1, q10 and q11 the first: also where its name holds quotation marks."""
    names = ["harbour/q1", "harbour/q10", 'harbour/q"1"', "xharbour/q1", "Harbour/q1"]
    lines = [line_of(attempt(item_id=name), None).encode() for name in names]
    for name, line in zip(names, lines, strict=True):
        doubled = name.replace('"', '""')
        query = LogQuery.parse(f'item:="{doubled}"')
        assert query.item == name
        assert [line_holds(query.terms, other, damaged=False) for other in lines] == [other is line for other in lines]
    assert not LogQuery.parse('item:"q1" !item:=q2').item


@few
@given(st.text(max_size=20))
def test_any_text_is_a_query(text: str) -> None:
    """Nothing that can be typed raises."""
    assert found(text, LINE, record_of(LINE)) in (True, False)
