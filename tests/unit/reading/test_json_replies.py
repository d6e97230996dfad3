"""Laws of reading JSON out of replies: the first step that serves is named, the value is strict, and nothing takes long."""

from __future__ import annotations

import json
import math
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.reading.json_replies import DEEPEST, LONGEST, read_json

ONE = '{"turns": [{"question": "Why?", "page": 3}]}'
VALUE = json.loads(ONE)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=6), values, min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (ONE, "whole text"),
        (f"\ufeff \n{ONE}\n", "whole text"),
        (f"<think>Is it {{}}? {{'a'}}</think>{ONE}", "whole text"),
        (f"```json\n{ONE}\n```", "fenced block"),
        (f"Here it is:\n\n```\n{ONE}\n```\nDone [1].", "fenced block"),
        (f"```JSON {ONE}```", "fenced block"),
        (f"As [1] and [2, 3] say:\n```json\n{ONE}", "fenced block"),
        (f"```python\nprint('x')\n```\n```json\n{ONE}\n```", "fenced block"),
        (f"Sure! {ONE} I hope it helps.", "in prose"),
        (f"As [1] says (see {{}} and []): {ONE} {{'other': 1}}", "in prose"),
        (f'He said "the set {{a, b}}" and then {ONE}', "in prose"),
        (f"It isn't 5\" [or so. {ONE}", "in prose"),
        (f"[sic {ONE}", "in prose"),
        ('{"turns": [{"question": "Why?", "page": 3,},],}', "repaired"),
        ('// the set\n{"turns": [ /* one { */ {"question": "Why?", # first "\n "page": 3}]}', "repaired"),
        ('Of course:\n{"turns": [{"question": "Why?", // "why"\n "page": 3}, ]} Done.', "repaired"),
        ('```json\n{"turns": [{"question": "Why?", "page": 3}],}\n```', "repaired"),
    ],
)
def test_each_step_finds_what_the_one_before_cannot(text: str, step: str) -> None:
    """The same value, whatever stands around it, and the name of the step."""
    reading = read_json(text)

    assert (reading.value, reading.step, reading.reason) == (VALUE, step, "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'b', 'n': None, 't': [True, False, 1.5]}", {"a": "b", "n": None, "t": [True, False, 1.5]}),
        ("Here:\n```python\n{'a': \"it's\", 'b': 'it\\'s'}\n```", {"a": "it's", "b": "it's"}),
        ("So: {'a': 'it's the mill's', 'b': 1}", {"a": "it's the mill's", "b": 1}),
        ("{'a': 'say \"no\"', 'b': '}', 'c': '[x'} done", {"a": 'say "no"', "b": "}", "c": "[x"}),
        ("{'a': 'x\\xe9\\n\\d'}", {"a": "x\u00e9\n\\d"}),
        ("{\"a\": 'True', 'b': \"None, 'x'\", /* so */}", {"a": "True", "b": "None, 'x'"}),
        ("[{'a': 1}, {'a': 2}]", [{"a": 1}, {"a": 2}]),
    ],
)
def test_what_stands_there_as_python_writes_it_is_read(text: str, value: Any) -> None:
    """Single quotes, True, False and None; what stands in strings stays as it is, apostrophes too."""
    assert (read_json(text).value, read_json(text).step) == (value, "repaired")


@few
@given(objects)
def test_any_value_of_python_is_read(value: Any) -> None:
    """As repr writes it, in prose too; what comes out is what JSON has of it."""
    for text in (repr(value), f"Well: {value!r} So."):
        read = read_json(text)
        assert read.value == value or read.value == json.loads(json.dumps(value))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty"),
        (" \n", "empty"),
        ("<think>{}</think>", "but for its thinking"),
        ('<think>{"a": 1}', "thinking"),
        ("I cannot answer this.", "no JSON object or array"),
        ("As [1] says.", "no JSON"),
        ('"a text"', "no JSON"),
        ("17", "no JSON"),
        ('{"a": [1, 2', "ends inside its JSON, at line 1"),
        ('Here:\n{"a": [1, 2', "ends inside its JSON, at line 2"),
        ('Here: [{"a": [1, 2]}, {"a', "ends inside"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "too large"),
        ("{'a' 1}", "line 1, column 2"),
        ("{a: 1}", "line 1, column 2"),
        ('So: {"a": [{"b": 1}, {"c": ', "ends inside"),
        ('So: {"a" [{"b": 1}], }', "column 6"),
        ('{"a": ' + "9" * 5_000 + "}", "refused"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), "nested"),
        (" " * 10 + "{" + "x" * LONGEST, "most that are read"),
    ],
)
def test_what_is_no_json_has_a_reason(text: str | None, reason: str) -> None:
    """Never a value that was not said, and a sentence for a person."""
    reading = read_json(text)

    assert reading.value is None and reading.step is None
    assert reason in reading.reason


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('{"a": [1, 2', True),
        ('Here: {"a": "// [1", "b": [1, 2', True),
        ('{"a": 1, // one {\n "b": [', True),
        ("<think>hm", True),
        ('{"a": 1, // one {\n "b" 2}', False),
        ("{'a' 1}", False),
        ("{'a': 1, 'b': ['c", True),
        ('{"a" 1} Bye', False),
        ("No JSON at all", False),
        ('{"a": 1} and then {"b', False),
        (ONE, False),
    ],
)
def test_a_cut_reply_is_told_from_broken_json(text: str, cut: bool) -> None:
    """It is cut where its text ends inside the JSON that would have been read, and then nothing is called broken."""
    reading = read_json(text)

    assert reading.cut == cut
    assert not (cut and ("broken" in reading.reason or reading.step))


def test_only_what_is_wanted_is_read() -> None:
    """Where an object is wanted, an array before it is passed over, and alone it is none; what stands within is not it."""
    assert read_json('["first", "second"] and {"a": 1}', (dict,)).value == {"a": 1}
    assert read_json('[{"a": 1}]', (list,)).value == [{"a": 1}]
    assert read_json('Here: {"a": [1, "b"]}', (list,)).value is None
    assert read_json('["a"]', (dict,)).reason == "an array, not an object"


def test_thinking_within_a_string_is_part_of_it() -> None:
    """A value that speaks of thinking tags is read as it stands."""
    assert read_json('{"a": "the tag <think> begins it"}').value == {"a": "the tag <think> begins it"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "two\nlines",}', {"a": "two\nlines"}),
        (
            '{"a": "// no comment", "b": "x, ]", "c": "# no", "d": "/* no */",}',
            {"a": "// no comment", "b": "x, ]", "c": "# no", "d": "/* no */"},
        ),
        ('{"a": "\\ud83d\\ude00 \\ud800"}', {"a": "\U0001f600 \ufffd"}),
        ('{"a": "say \\"{\\" and }",}', {"a": 'say "{" and }'}),
    ],
)
def test_strings_stay_as_they_are(text: str, value: Any) -> None:
    """Mending touches no string; half a character becomes the sign for an unknown one."""
    assert read_json(text).value == value


@few
@given(
    objects,
    st.sampled_from(["{}", "Well, here it is: {} Bye.", "```json\n{}\n```", "<think>hm {{</think>\n{}", "a [1] b {} c"]),
)
def test_what_was_written_is_read(value: Any, around: str) -> None:
    """Any object that is written is read again, within any of the usual surroundings."""
    text = (
        around.replace("{}", json.dumps(value, indent=1)) if "{{" not in around else "<think>hm {</think>\n" + json.dumps(value)
    )

    assert read_json(text).value == json.loads(json.dumps(value))


@few
@given(objects)
def test_mending_changes_no_value(value: Any) -> None:
    """With a comma before every closing bracket and a comment at every line's end, the value is the same."""
    lines = json.dumps(value, indent=1).splitlines()
    closes = [following.strip()[:1] in ("]", "}") and line[-1] not in "[{" for line, following in pairwise([*lines, ""])]
    loose = "\n".join(f"{line}{',' * comma} // or {{" for line, comma in zip(lines, closes, strict=True))

    assert read_json(loose).value == json.loads(json.dumps(value))


@few
@given(any_text)
def test_any_text_is_read_or_has_a_reason(text: str) -> None:
    """One of the two, and what is read is strict JSON that a file can hold."""
    for said in (text, f"{{{text}}}", f'{{"a": "{text}",}}', f"```{text}```", f"[{text}, {{{text}"):
        reading = read_json(said)

        assert bool(reading.reason) != bool(reading.step)
        json.dumps(reading.value, allow_nan=False, ensure_ascii=False).encode()


HOSTILE = {
    "opening brackets": "[",
    "opening braces": '{"a":',
    "empty arrays": "[] ",
    "broken arrays": "[x] ",
    "broken objects": '{"a" 1} ',
    "nested broken": "[[[[x]]]] ",
    "quotation marks": '"',
    "an open string": '{"',
    "backslashes": '{"\\',
    "fences": "```{",
    "open fences": "```json\n[1",
    "comments": "{/*",
    "line comments": "{//",
    "commas": "{,   ",
    "blanks": "{ ",
    "crossed": "[}{]",
    "closing": "]}",
    "thinking": "<think>{</think>",
    "numbers": "[1,2,3],",
    "strings": '["a","b"',
    "single quotes": "'",
    "an open single quote": "{'",
    "strings in single quotes": "['a', 'b'",
    "apostrophes": "{'a': 'it's so",
    "constants": "[True, None ",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "size", [100_000, pytest.param(1_000_000, marks=pytest.mark.soak), pytest.param(10_000_000, marks=pytest.mark.soak)]
)
def test_nothing_takes_long(name: str, size: int) -> None:
    """A hundred thousand characters of any of these, and up to ten million where there is time, end quickly."""
    unit = HOSTILE[name]
    text = (unit * (size // len(unit) + 1))[:size]
    start = time.process_time()
    for said in (text, f"Well: {text}", f'{text}"}}]'):
        read_json(said[:LONGEST])

    assert time.process_time() - start < (3 if size < 1_000_000 else 15)


@pytest.mark.soak
def test_ten_million_characters_of_json_are_read() -> None:
    """A large value is read, its numbers too."""
    value = [{"a": [1.5, "x" * 90]}] * 90_000
    reading = read_json(json.dumps(value)[:LONGEST])

    assert reading.step == "whole text" and len(reading.value) == 90_000
    assert math.isfinite(reading.value[0]["a"][0])
