"""Files that may hold keys: whether a key is there, and how one gets there; never what it is."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from dotenv import dotenv_values, set_key

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.private_files import temporary_name

MOST_BYTES = 1024 * 1024
"""A file that holds keys is not longer."""


def check_key_files(files: Sequence[Path]) -> None:
    """Raise ConfigError when a file that may hold keys is not text."""
    for path in files:
        try:
            if path.is_file() and path.stat().st_size > MOST_BYTES:
                raise ConfigError(f"{path}: is larger than {MOST_BYTES // 1024} KB, so no file of keys; move it away")
            if path.is_file():
                path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def store_key(name: str, value: str, file: Path) -> None:
    """Put a key into a .env file, beside what stands there: private, in one step, and never to be shown again.

    ConfigError for a name or a value that such a file cannot hold, or a file that cannot be written.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ConfigError("keys set takes the name of a variable: letters, digits and _, such as OPENAI_API_KEY; no key")
    if not value or not value.isprintable() or "${" in value or any(sign in value for sign in " \"'\\"):
        raise ConfigError(f"{name}: a key is one line without spaces, quotes and backslashes; nothing was stored")
    file = file.resolve()
    temporary = file.with_name(temporary_name())
    try:
        before = file.read_bytes() if file.exists() else b""
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as stream:
            stream.write(before)
        set_key(temporary, name, value, quote_mode="always")
        if dotenv_values(temporary).get(name) != value:
            raise ConfigError(f"{name}: cannot be written into {file} so that it is read back as it is")
        os.chmod(temporary, 0o600)
        os.replace(temporary, file)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def has_key(name: str, files: Sequence[Path], environment: bool = True) -> bool:
    """Whether a key variable is set and not empty, in the environment (if that is to count) or in one of the files."""
    return (environment and bool(os.environ.get(name))) or any(
        bool(dotenv_values(path).get(name)) for path in files if path.is_file()
    )


def keys_in(files: Sequence[Path]) -> frozenset[str]:
    """The variables that are set and not empty, in the environment or in one of the files."""
    found = {name for name, value in os.environ.items() if value}
    for path in files:
        if path.is_file():
            found |= {name for name, value in dotenv_values(path).items() if value}
    return frozenset(found)
