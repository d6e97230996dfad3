"""Laws of the keymap: what a workspace's file says holds where it can be used, each trouble is told in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.tui.keymap import KEYS, bind, own_keys


def _read(folder: Path, text: str | bytes) -> tuple[dict[str, str], list[str]]:
    file = folder / "keymap.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return own_keys(file)


def _with(folder: Path, name: str, value: str) -> tuple[dict[str, str], list[str]]:
    return _read(folder, f'[keys]\n"{name}" = {value}\n"log.follow" = "F"\n')


def test_no_file_is_no_trouble(tmp_path: Path) -> None:
    """Without a file the shipped keys hold, and nothing is said."""
    assert own_keys(tmp_path / "keymap.toml") == ({}, [])


def test_shipped_keys_are_all_keys(tmp_path: Path) -> None:
    """A file that repeats the shipped one is a good one: every name and key in it is known."""
    keys, wrong = _read(tmp_path, "[keys]\n" + "".join(f'"{name}" = "{key}"\n' for name, key in KEYS.items()))
    assert not wrong
    assert keys == KEYS


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"\x00" * 1000, "keys = ", "[keys", "keys = 3", "", "[[keys]]\n", "a = " + "[" * 100_000, "a = 1\na = 2"],
    ids=["bytes", "zeros", "torn", "bracket", "number", "empty", "list", "deep", "twice"],
)
def test_a_file_that_cannot_be_used_is_one_sentence(content: str | bytes, tmp_path: Path) -> None:
    """Garbage: the shipped keys hold, and one sentence names the file."""
    keys, wrong = _read(tmp_path, content)
    assert not keys
    assert len(wrong) == 1 and str(tmp_path / "keymap.toml") in wrong[0]
    assert "\n" not in wrong[0] and "\x00" not in wrong[0]


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    """A folder of that name is told, too."""
    (tmp_path / "keymap.toml").mkdir()
    assert len(own_keys(tmp_path / "keymap.toml")[1]) == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("log.folow", '"x"', "'log.follow'"),
        ("\\u001b[2J", '"x"', "nothing is called"),
        ("log.sort", "3", "one text"),
        ("log.sort", '""', "one text"),
        ("log.sort", '"ctrl+shft+a"', "no key is called"),
        ("log.sort", '"a,,b"', "no key is called"),
        ("log.sort", '"nokey"', "no key is called"),
        ("log.sort", '"\\u001b"', "no key is called"),
        ("log.sort", '["a"]', "one text"),
        ("log.sort", '"ctrl+q"', "always quits"),
        ("log.sort", '"a, ctrl+q"', "always quits"),
        ("app.always_leave", '"x"', "nothing is called"),
    ],
)
def test_one_bad_line_leaves_the_others(name: str, value: str, said: str, tmp_path: Path) -> None:
    """What cannot be used is told with what to do instead, without a control character; the other lines hold."""
    keys, wrong = _with(tmp_path, name, value)
    assert keys == {"log.follow": "F"}
    assert len(wrong) == 1 and said in wrong[0] and "\x1b" not in wrong[0]


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("/", "slash"),
        (" x , down ", "x,down"),
        ("?", "question_mark"),
        ("ctrl+a", "ctrl+a"),
        ("G", "G"),
        ("ä", "ä"),
        ("f5", "f5"),
    ],
)
def test_keys_are_named_as_the_terminal_names_them(value: str, key: str, tmp_path: Path) -> None:
    """A sign is as good as its name: "/" works as "slash" does."""
    assert _with(tmp_path, "log.sort", f'"{value}"')[0]["log.sort"] == key


@few
@given(st.dictionaries(st.one_of(any_text, st.sampled_from(sorted(KEYS))), st.one_of(any_text, st.integers(), st.booleans())))
def test_each_line_is_taken_or_told(tmp_path: Path, table: dict[str, str | int]) -> None:
    """Whatever the lines of a file say, each is either taken or told, and nothing else is taken."""
    plain = {_writable(name): _writable(value) for name, value in table.items()}
    keys, wrong = _read(tmp_path, tomli_w.dumps({"keys": plain}))
    assert len(keys) + len(wrong) == len(plain)
    assert set(keys) <= set(KEYS)


def _writable(value: Any) -> Any:
    return "".join(letter for letter in value if not "\ud800" <= letter <= "\udfff") if isinstance(value, str) else value


def test_a_binding_has_the_shipped_key_and_its_name() -> None:
    """What is bound under a name has its keys, and can be found by it when a workspace changes them."""
    binding = bind("log.follow", "follow", "Follow")
    assert (binding.key, binding.id) == (KEYS["log.follow"], "log.follow")
