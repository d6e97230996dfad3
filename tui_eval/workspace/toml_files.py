"""TOML files read within bounds, and where in them each key stands: an error names file, line and key."""

from __future__ import annotations

import errno
import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.core.plaintext import one_line
from tui_eval.workspace.key_aliases import BothGivenError, canonical, without_aliases
from tui_eval.workspace.plain_files import ANYWHERE, read_text_file, unreadable

MAX_TOML_BYTES = 16 * 1024 * 1024
SMALL = 256 * 1024
"""Characters of a TOML text that is kept in memory, parsed."""
MAX_KEY_DEPTH = 20
MAX_BRACKET_DEPTH = 50
_DEPTHS = f"at most {MAX_KEY_DEPTH} keys, {MAX_BRACKET_DEPTH} brackets"
_STRINGS = re.compile(r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*", re.DOTALL)
_HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_][A-Za-z0-9_.\- ]*?)\s*\]\]?\s*(?:\"\"\s*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\- ]+?)\s*=")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A config as read: its content, and where each key stands."""

    path: Path
    content: dict[str, Json]
    lines: Mapping[Place, int]
    given: Mapping[Place, str] = field(default_factory=dict)
    """What the command line set, by the key it set or the table it made: the option, such as --set run.retries."""
    by_words: bool = False
    """Whether the words of a command made it: whatever files it names, a person has just named."""

    def where(self, place: Place) -> str:
        """`file:line` of a key, or of the nearest table around it; of what the command line gave, the option."""
        for end in range(len(place), 0, -1):
            if place[:end] in self.given:
                return self.given[place[:end]]
            if place[:end] in self.lines:
                return f"{self.path}:{self.lines[place[:end]]}"
        return str(self.path)

    def located(self, message: str) -> str:
        """A message that begins with a key's path, with the file and line of that key put before it."""
        return f"{self.where(placed(message)[0])}: {message}"

    def located_error(self, message: str) -> ConfigError:
        """A ConfigError of a message that may begin with a key's path; it names file, line and key."""
        return ConfigError(self.located(message), [placed(message)], self.path)

    def error(self, place: Place, message: str) -> ConfigError:
        """A ConfigError that names file, line and key."""
        return ConfigError(f"{self.where(place)}: {dotted(place)}: {message}", [(place, message)], self.path)


def read_toml(path: Path, within: Path = ANYWHERE) -> TomlFile:
    """Read a TOML file; ConfigError with line and column where it is not TOML.

    `within`: the folder that no link may lead out of, where no person named the file.
    """
    return parse_toml(path, toml_text(path, within))


def toml_text(path: Path, within: Path = ANYWHERE) -> str:
    """The text of a TOML file. ConfigError, with the next step, where it cannot be read or is none."""
    try:
        return read_text_file(path, MAX_TOML_BYTES, within)
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such config file; give the path of a TOML file or an example's name") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigError(
                f"{path}: larger than {MAX_TOML_BYTES // 2**20} MB; move long lists into files of their own"
            ) from None
        raise ConfigError(unreadable(path, error)) from None


def small_table(path: Path, within: Path | None, most: int = SMALL) -> dict[str, Json]:
    """Return the content of one of the program's own small TOML files, such as its settings; nothing where there is none.

    ConfigError, with the file and the next step, for one that cannot be used.
    """
    try:
        return toml_of(read_text_file(path, most, within))
    except FileNotFoundError:
        if os.path.islink(path):
            raise ConfigError(f"{path}: is a link that points nowhere; delete it") from None
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    except ValueError as error:
        raise ConfigError(f"{path}: not valid TOML: {one_line(str(error), 100)}; fix it, or delete it") from None


def toml_of(text: str) -> dict[str, Json]:
    """Return the content of a TOML text. ValueError, in words, where it is none or nested too deeply."""
    line = _deep_line(text)
    if line:
        raise ValueError(f"nested too deeply in line {line} ({_DEPTHS})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"nested too deeply ({_DEPTHS})") from None


def toml_document(text: str) -> Any:
    """A TOML text as a document that keeps comments and order when it is changed. ValueError as of `toml_of`."""
    import tomlkit  # only here: reading needs no more than the standard library

    toml_of(text)
    return tomlkit.parse(text)


def parse_toml(path: Path, text: str) -> TomlFile:
    """The TOML of a file whose text is known; ConfigError with line and column where it is not TOML."""
    if len(text) > SMALL:
        return _parsed(path, text)
    parsed = _parsed_before(path, text)
    return TomlFile(path, copied(parsed.content), parsed.lines)


@lru_cache(maxsize=4)
def _parsed_before(path: Path, text: str) -> TomlFile:
    """The same, not parsed again while the text stays: the app reads the models on file at every change of a form."""
    return _parsed(path, text)


def _parsed(path: Path, text: str) -> TomlFile:
    line = _deep_line(text)
    if line:
        raise ConfigError(f"{path}:{line}: nested too deeply ({_DEPTHS})")
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        end = text.rstrip()
        last = f"line {end.count(chr(10)) + 1}, column {len(end) - end.rfind(chr(10))}, the end of the document"
        message = str(error).replace("at end of document", f"at {last}")
        message += _of_another_form(path)
        raise ConfigError(f"{path}: not valid TOML: {message}", [((), f"not valid TOML: {message}")], path) from None
    lines = key_lines(text)
    try:
        if without_aliases(content):
            lines = {canonical(place): line for place, line in lines.items()}
    except BothGivenError as error:
        raise TomlFile(path, content, lines).error(error.place, str(error)) from None
    return TomlFile(path, content, lines)


def _of_another_form(path: Path) -> str:
    """Return what takes a file that is no TOML, by its name; empty where that says nothing."""
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv", ".jsonl", ".json", ".ndjson"):
        name = shlex.quote(one_line(str(path), 200))
        asks = f"tui-eval qa {name} --models A,B asks models what it has"
        return f". It looks like a table of questions: {asks}, tui-eval datasets import {name} imports it"
    if suffix in (".yaml", ".yml"):
        ours = "tui-eval config KIND prints one of ours, and tests, saved as JSON, are asked by tui-eval qa FILE"
        return f". It looks like a config of another program, such as promptfoo; {ours}"
    return ""


def _deep_line(text: str) -> int:
    """The line in which a TOML text is nested too deeply, from 1; 0 where it is nowhere."""
    depth = dots = 0
    line = 1
    for token in re.finditer(r"[\[\]{},.=\n]", _masked(text)):
        match token.group():
            case ".":
                dots += 1
            case "[" | "{":
                depth, dots = depth + 1, 0
            case "]" | "}":
                depth = max(depth - 1, 0)
            case "\n":
                line, dots = line + 1, 0
            case _:
                dots = 0
        if depth > MAX_BRACKET_DEPTH or dots > MAX_KEY_DEPTH:
            return line
    return 0


def has_comments(text: str) -> bool:
    """Return whether there are comments in a TOML text."""
    return any(match.group().startswith("#") for match in _STRINGS.finditer(text))


def key_lines(text: str) -> dict[Place, int]:
    """The line of each key and table of a TOML text, counted from 1."""
    lines: dict[Place, int] = {}
    table: Place = ()
    counts: dict[Place, int] = {}
    depth = 0
    for number, line in enumerate(_masked(text).split("\n"), start=1):
        header = _HEADER.match(line) if depth == 0 else None
        if header:
            names: list[str] = [part.strip() for part in header.group(2).split(".")]
            table = ()
            for name in names[:-1]:
                table += (name,)
                if table in counts:
                    table += (counts[table] - 1,)
            table += (names[-1],)
            if header.group(1) == "[[":
                counts[table] = counts.get(table, 0) + 1
                table += (counts[table] - 1,)
            lines.setdefault(table, number)
            continue
        key = _KEY.match(line) if depth == 0 else None
        depth = max(depth + sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}"), 0)
        if key:
            lines.setdefault(table + tuple(part.strip() for part in key.group(1).split(".")), number)
    return lines


def _masked(text: str) -> str:
    """The text with strings and comments blanked, line numbers kept."""
    return _STRINGS.sub(lambda match: '""' + "\n" * match.group().count("\n"), text)


def copied(value: Json) -> Json:
    """A copy of tables and lists that can be changed without changing what they were copied from."""
    if isinstance(value, dict):
        return {key: copied(inner) for key, inner in value.items()}
    return [copied(inner) for inner in value] if isinstance(value, list) else value


def placed(message: str) -> tuple[Place, str]:
    """A message that begins with a key's path: that path, and what is said of the key. Without one: (), and the message."""
    key = re.match(r"([A-Za-z_][\w.\[\]-]*):\s*", message)
    if key is None:
        return (), message
    parts = re.findall(r"[^.\[\]]+", key.group(1))
    return tuple(int(part) if part.isdigit() else part for part in parts), message[key.end() :]


def dotted(place: Place) -> str:
    """A key's path as a person writes it: models[0].name."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + str(part)
    return text
