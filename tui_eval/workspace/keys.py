"""The only file that reads a key's value, and the one function that blots values out of whatever is written or shown."""

from __future__ import annotations

import base64
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote, quote_plus

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.key_files import values_in
from tui_eval.workspace.secret_looks import secret_parts

BLOT = "[redacted]"
SHORTEST_SECRET = 8
Redact = Callable[[str], str]
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_NAMED_AS_KEY = re.compile(r"(key|token|secret|password|credentials?|organization)$", re.IGNORECASE)
_PLACE = re.compile(r"https?://.*|([a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}(:[0-9]{1,5})?(/.*)?", re.DOTALL)
"""A value that is an address and no token: tokens with dots, such as JWTs, have capitals."""


class Keys:
    """The values of the key variables a run needs, and the function that blots them out of any text."""

    def __init__(self, names: Sequence[str], files: Sequence[Path]) -> None:
        self._values = {name: _value_of(name, files) for name in dict.fromkeys(names)}
        self._files = files
        self._secrets: set[str] = set()
        self._open_words: set[str] = set()
        self._hide(self._values.values())

    def _hide(self, values: Iterable[str]) -> None:
        """Blot these values out from now on, those that are long enough to be told from other words."""
        self._secrets |= {value for value in values if len(value) >= SHORTEST_SECRET}
        spellings = {spelling for value in self._secrets for spelling in _spellings(value)}
        self._spellings = tuple(sorted(spellings, key=len, reverse=True))
        self._telling = tuple(
            spelling for spelling in self._spellings if not any(o in spelling for o in self._spellings if o != spelling)
        )
        """Where none of these stands, none of the others does, which contain them."""
        self._beginnings = _beginnings(self._telling)
        """Where none of these stands, no spelling does: to look for a handful takes a third of the time."""
        self._coded_beginnings = tuple(beginning.encode("ascii") for beginning in self._beginnings)
        self._coded = tuple(spelling.encode("ascii") for spelling in self._telling)
        self._pattern = re.compile("|".join(map(re.escape, self._spellings)))
        cased = {spelling for value in self._secrets for spelling in (value, value.upper(), value.lower())}
        longest_first = sorted(cased, key=len, reverse=True)
        self._escaped = re.compile("|".join(map(_with_escapes, longest_first)))

    @property
    def files(self) -> Sequence[Path]:
        """The files that keys are read from."""
        return self._files

    def value(self, name: str) -> str:
        """A key's value."""
        return self._values[name]

    def redact(self, text: str) -> str:
        """The text with every key value blotted out, in each of the `_spellings` that servers and libraries give it."""
        for beginning in self._beginnings:
            if beginning in text:
                break
        else:
            return text
        return self._pattern.sub(BLOT, text) if any(spelling in text for spelling in self._telling) else text

    def redact_bytes(self, data: bytes) -> bytes:
        """The same for bytes, before anything is read from them: in JSON, each character may stand there as an escape."""
        if b"\\u00" in data and self._secrets:
            data = self._escaped.sub(BLOT, data.decode("latin-1")).encode("latin-1")
        for beginning in self._coded_beginnings:
            if beginning in data:
                break
        else:
            return data
        if not any(spelling in data for spelling in self._coded):
            return data
        return self._pattern.sub(BLOT, data.decode("latin-1")).encode("latin-1")

    def hide(self, values: Iterable[str]) -> None:
        """Blot out these values, too, from now on: what is secret about a proxy."""
        self._hide(values)

    def leave(self, words: Iterable[str]) -> None:
        """Leave these words as they are where they are parts of an address: names of models, words of providers' paths."""
        self._open_words |= {word.casefold() for word in words}

    def variables(self, urls: Iterable[str]) -> dict[str, str]:
        """The values of all that is needed to ask: the keys, and the variables that base URLs and proxies name."""
        named = {name: _value_of(name, self._files) for url in urls for name in variables_in(url)}
        return {**named, **self._values}

    def expanded(self, url: str) -> str:
        """A base URL with each `${VAR}` replaced by its value; what is no address is a secret from then on."""
        values = {name: _value_of(name, self._files) for name in variables_in(url)}
        tokens = [part for value in values.values() for part in _secret_parts(value, self._open_words)]
        if tokens:
            self._hide(tokens)
        return _VARIABLE.sub(lambda match: values[match.group(1)], url)


def variables_in(url: str) -> list[str]:
    """The variables that a base URL names as `${VAR}`, in its order."""
    return _VARIABLE.findall(url)


def address_behind(url: str, files: Sequence[Path]) -> str:
    """A base URL with its variables replaced, so far as they are set: to be judged alone, never shown, kept or sent."""

    def value(match: re.Match[str]) -> str:
        try:
            return _value_of(match.group(1), files)
        except ConfigError:
            return match.group()

    return _VARIABLE.sub(value, url)


class KnownKeys(Keys):
    """Every key there is: all values of key files, and of those environment variables that are named like keys.

    For the screen and for files outside of runs, which have to do with keys that no run has asked for. A value that no key
    can have is left out, since nobody is told of it here.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        super().__init__([], files)
        secrets = {value for name, value in os.environ.items() if _NAMED_AS_KEY.search(name)}
        for path in files:
            secrets |= set(values_in(path).values())  # none of one that cannot be read: the command that needs it says why
        self._hide(value.strip() for value in secrets if value.isascii() and not _PLACE.fullmatch(value.strip()))


class Screen:
    """A text stream through which no key passes."""

    def __init__(self, stream: TextIO, redact: Redact) -> None:
        self._stream = stream
        self._redact = redact

    def write(self, text: str) -> int:
        """Write a text without keys."""
        self._stream.write(self._redact(text))
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        """Write several texts without keys."""
        self.write("".join(texts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guard_screen(files: Sequence[Path]) -> None:
    """Let no key of these files, nor of the environment, be printed by this process from now on, whoever prints it."""
    redact = KnownKeys(files).redact
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        setattr(sys, name, Screen(stream._stream if isinstance(stream, Screen) else stream, redact))


def _value_of(name: str, files: Sequence[Path]) -> str:
    """A variable's value: the environment's, else that of the first file that has it."""
    value = os.environ.get(name, "")
    for path in files:
        if not value:
            value = values_in(path).get(name, "")
    value = value.strip()
    if not value:
        raise ConfigError(f"{name} is not set; put it into the environment or into {' or '.join(map(str, files))}")
    if not value.isascii() or not value.isprintable() or any(sign in value for sign in " \"'\\"):
        raise ConfigError(f"{name}: its value holds a space, quote, backslash or a character no key has; check the line")
    return value


def _secret_parts(value: str, open_words: Collection[str]) -> list[str]:
    """Return what is hidden of a value that stands in an address: all of it, or of an address the parts that may be keys."""
    return list(secret_parts(value, open_words)) if _PLACE.fullmatch(value) else [value]


def _spellings(value: str) -> set[str]:
    """Return the ways a value may be written: as it is, quoted for a URL once or twice, with escaped slashes, each of these in
    capitals or none; in base64, or coded whole."""
    spellings = {value, quote(value), quote_plus(value), value.replace("/", "\\/"), value.replace("/", "\\\\/")}
    spellings |= {quote(value, safe=safe) for safe in ("", "+", "=", "/+", "/=", "+=", "/+=")}
    spellings |= {quote(spelling, safe="/") for spelling in list(spellings) if "%" in spelling}
    spellings |= {re.sub("%[0-9A-F]{2}", lambda match: match.group().lower(), spelling) for spelling in list(spellings)}
    spellings |= {cased for spelling in list(spellings) for cased in (spelling.upper(), spelling.lower())}
    for offset in range(3):
        coded = base64.b64encode(b"\0" * offset + value.encode("ascii")).decode("ascii").rstrip("=")
        core = coded[(0, 2, 3)[offset] : len(coded) - 1 if (len(value) + offset) % 3 else len(coded)]
        if len(core) >= SHORTEST_SECRET:
            spellings |= {core, core.replace("+", "-").replace("/", "_")}
    return spellings | set(_coded_whole(value))


def _beginnings(spellings: Iterable[str]) -> tuple[str, ...]:
    """Return beginnings such that each spelling has one of them: the longest that all with the same first characters share."""
    groups: dict[str, list[str]] = {}
    for spelling in spellings:
        groups.setdefault(spelling[:4], []).append(spelling)
    return tuple(os.path.commonprefix(group) for group in groups.values())  # noqa: RUF071 (characters, no folders)


def _coded_whole(value: str) -> Iterator[str]:
    """In hexadecimal or base32, in base64 twice; and with each character as an escape or a reference."""
    data = value.encode("ascii")
    yield from (data.hex(), data.hex().upper())
    yield base64.b32encode(data).decode("ascii").rstrip("=")
    yield base64.b64encode(base64.b64encode(data)).decode("ascii").rstrip("=")
    for digits in ("x", "X"):
        for before, width, after in (("%", 2, ""), ("\\u", 4, ""), ("\\x", 2, ""), ("&#x", 2, ";")):
            yield "".join(f"{before}{code:0{width}{digits}}{after}" for code in data)
    yield "".join(f"&#{code};" for code in data)


def _with_escapes(value: str) -> str:
    r"""A pattern for a value in JSON text, where each character may be written as \u00XX."""
    return "".join(rf"(?:{re.escape(sign)}|\\u00(?i:{ord(sign):02x}))" for sign in value)
