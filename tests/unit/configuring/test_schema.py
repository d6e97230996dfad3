"""What a form knows of a config: every field with its help, and what is typed as what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from configs import values, words
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few, panel_text, toml

from tui_eval.configuring.drafting.fields import Field, read_text, typed_text
from tui_eval.configuring.drafting.schema import _table, field_at, model_schema, schema
from tui_eval.configuring.loading import complete
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.validation import Strict


def every(field: Field, place: str = "") -> Iterator[tuple[str, Field]]:
    """A field and all that are in it, with their paths."""
    path = f"{place}.{field.key}".strip(".")
    yield path, field
    for inner in field.fields:
        yield from every(inner, path)


FIELDS = {path: field for kind in KINDS for path, field in every(schema(kind)) if path}
LEAVES = {replace(field, key="", help="", default=None): path for path, field in FIELDS.items() if not field.fields}
"""A path to each of the different fields: many are alike in all but name."""


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_says_what_it_is(path: str) -> None:
    """A person who fills in a form is told of every field, in whole sentences."""
    help_text = FIELDS[path].help

    assert len(help_text.split()) >= 3, f"{path} needs a docstring under its field"
    assert help_text.endswith((".", "!", ")"))


def test_a_field_that_no_form_can_show_is_no_field_that_vanishes() -> None:
    """A setting of a type that forms do not know ends loudly where it is added, not in a form without it."""

    class Bytes(Strict):
        data: bytes | int

    class Numbers(Strict):
        many: list[int]

    with pytest.raises(TypeError, match=r"Bytes\.data"):
        _table("bytes", Bytes)
    with pytest.raises(TypeError, match=r"Numbers\.many"):
        _table("numbers", Numbers)


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_shows_every_key_of_the_settings(kind: str) -> None:
    """What a config may say, a form can say: the kind's own table has a field for each of its settings."""

    assert {field.key for field in schema(kind).field(kind).fields} == set(KINDS[kind].Config.model_fields)


def test_shown_defaults_are_those_that_hold(tmp_path: Any) -> None:
    """The default beside a field of [run] is what a config that is silent gets."""
    run = complete(toml(tmp_path, panel_text(run="")), Workspace(tmp_path)).run

    for field in schema("panel").field("run").fields:
        assert field.key == "max_calls" or getattr(run, field.key) == (field.default or type(getattr(run, field.key))())


@pytest.mark.parametrize("path", LEAVES.values())
@settings(few, max_examples=12)
@given(data=st.data())
def test_what_a_form_shows_is_what_it_reads(path: str, data: st.DataObject) -> None:
    """A value shown in a form and taken from it untouched is the same value, of the same type."""
    field = FIELDS[path]
    value = data.draw(values(field))

    found = read_text(field, typed_text(field, value))

    assert found == value
    assert repr(found) == repr(value)


ODD = ["{x} is what?", "[]", '"a', '"a"', "{}", "'a'", "# a", "", " a", "a\nb", "[[a]]", '{ question = "a" }', "a\u00a0b"]


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_are_texts(text: str) -> None:
    """A text that looks like a table, a list, a comment or nothing is still that text, alone, among others, and as a prompt."""
    for field in (Field("name", "text"), Field("doer_user", "text", names="prompt")):
        assert read_text(field, typed_text(field, text)) == text
    questions = Field("questions", "texts")
    assert read_text(questions, typed_text(questions, [text, "b"])) == [text, "b"]
    assert read_text(questions, typed_text(questions, [text])) == [text]


@few
@given(value=st.lists(words, max_size=5))
def test_a_list_is_one_line_an_entry(value: list[str]) -> None:
    """Entries keep to their lines: there are as many lines as entries, whatever stands in them."""
    field = Field("questions", "texts")

    assert len(typed_text(field, value).splitlines()) == max(len(value), 1)


INTEGER = Field("calls", "integer", least=1, most=10_000)
NUMBER = Field("timeout_s", "number", least=0, most=86_400, above=True)
TYPED: list[tuple[Field, str, Any]] = [
    (INTEGER, " 12 ", 12),
    (INTEGER, "10_000", 10_000),
    (INTEGER, "", None),
    (NUMBER, "0.5", 0.5),
    (NUMBER, "5", 5),
    (NUMBER, ".5", 0.5),
    (Field("cache", "boolean"), "Yes", True),
    (Field("cache", "boolean"), "off", False),
    (Field("name", "text"), "", None),
    (Field("name", "text"), '"', '"'),
    (Field("name", "text"), '""', ""),
    (Field("questions", "texts"), "one\n\n  two  \n", ["one", "two"]),
    (Field("questions", "texts"), '"To be": who says so?', ['"To be": who says so?']),
    (Field("questions", "texts"), '{ question = "a" }', [{"question": "a"}]),
    (Field("questions", "texts"), " \n", None),
    (Field("user", "text", names="prompt"), "{question} Answer!", "{question} Answer!"),
    (Field("user", "text", names="prompt"), '{ file = "a.md" }', {"file": "a.md"}),
    (Field("extra", "free"), "{ top_k = 3 }", {"top_k": 3}),
]
MISTYPED = [
    (INTEGER, "x", "whole number"),
    (INTEGER, "1.5", "whole number"),
    (INTEGER, "0", "from 1 to 10,000"),
    (INTEGER, "9" * 400, "too large"),
    (NUMBER, "0", "more than 0, at most 86,400"),
    (NUMBER, "0,5", "point"),
    (NUMBER, "nan", "number"),
    (NUMBER, "1e999", "too large"),
    (Field("cache", "boolean"), "maybe", "true or false"),
    (Field("mode", "choice", choices=("live", "batch")), "live?", "one of live, batch"),
    (Field("questions", "texts"), "fine\n{x}", "line 2 begins with a brace"),
    (Field("extra", "free"), "top_k = 3", "TOML"),
    (Field("extra", "free"), "3", "key = value"),
    (Field("extra", "free"), "[" * 5000, "TOML|nested"),
]


@pytest.mark.parametrize(("field", "text", "value"), TYPED)
def test_what_is_typed_is_read_as_meant(field: Field, text: str, value: Any) -> None:
    """Words as people type them; an empty line is no value."""

    assert read_text(field, text) == value


@pytest.mark.parametrize(("field", "text", "told"), MISTYPED)
def test_what_is_mistyped_is_told_in_words(field: Field, text: str, told: str) -> None:
    """A mistake is said in a sentence a person can act on, and is never taken for a value."""

    with pytest.raises(ValueError, match=told):
        read_text(field, text)


def test_a_place_finds_its_field() -> None:
    """A problem's place leads to the field that explains it; a place of nothing leads to none."""

    found = field_at("panel", ("panel", "doers", 3, "calls"))

    assert found is not None and found.bounds == "from 1 to 10,000"
    assert field_at("panel", ("models", 0, "price", "input")) == model_schema().field("price").field("input")
    assert field_at("panel", ("panel", "nothing")) is None
    assert field_at("nothing", ("name",)) is None
