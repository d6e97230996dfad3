"""Files that may hold keys: whether a key is there, and how one gets there; never what it is."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.plain_files import ANYWHERE, lies_within, read_file, read_text_file, unreadable
from tui_eval.workspace.private_files import temporary_name

OWN_NAME = ".env"
"""What the file is called that lies in a workspace."""
MOST_BYTES = 1024 * 1024
"""A file that holds keys is not longer."""


def check_key_files(files: Sequence[Path]) -> None:
    """Raise ConfigError when a file that may hold keys is not text."""
    for path in files:
        try:
            if not path.is_dir():  # a folder called .env is an environment of Python's
                _text_of(path)
        except FileNotFoundError:
            continue
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
        except OSError as error:
            if error.errno == errno.EFBIG:
                raise ConfigError(
                    f"{path}: is larger than {MOST_BYTES // 1024} KB, so it is not a file of keys; move it away"
                ) from None
            raise ConfigError(unreadable(path, error)) from None


def _text_of(path: Path) -> str:
    """A file's text. No link of a workspace's own file leads out of its folder: --keys-file names one that lies elsewhere."""
    return read_text_file(path, MOST_BYTES, path.parent if path.name == OWN_NAME else ANYWHERE)


def values_in(path: Path) -> dict[str, str]:
    """The variables that a file sets, with their values; none where it cannot be read, which `check_key_files` tells."""
    try:
        text = _text_of(path)
    except (OSError, ValueError):
        return {}
    from dotenv import dotenv_values  # only here: it loads logging, and most folders have no file of keys

    variables = dotenv_values(stream=StringIO(text))
    return {name: value for name, value in variables.items() if value}


def store_key(name: str, value: str, file: Path) -> None:
    """Put a key into a .env file, beside what stands there: private, in one step, and never to be shown again.

    ConfigError for a name or a value that such a file cannot hold, or a file that cannot be written.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ConfigError("keys set takes the name of a variable: letters, digits and _, such as OPENAI_API_KEY; not a key")
    if not value or not value.isprintable() or "${" in value or any(sign in value for sign in " \"'\\"):
        raise ConfigError(f"{name}: a key is one line without spaces, quotes and backslashes; nothing was stored")
    if file.name == OWN_NAME and not lies_within(file, file.parent):
        raise ConfigError(f"{file}: is a link out of its folder, so nothing is written there; --keys-file names another file")
    from dotenv import set_key

    file = file.resolve()
    temporary = file.with_name(temporary_name())
    try:
        before = read_file(file, MOST_BYTES, ANYWHERE) if os.path.lexists(file) else b""
        before.decode("utf-8")  # nothing is added to what no file of keys holds
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as stream:
            stream.write(before)
        set_key(temporary, name, value, quote_mode="always")
        if values_in(temporary).get(name) != value:
            raise ConfigError(f"{name}: cannot be written into {file} so that it is read back as it is")
        os.chmod(temporary, 0o600)
        os.replace(temporary, file)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 at byte {error.start}; move it away, nothing was stored") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}; nothing was stored") from None
    finally:
        temporary.unlink(missing_ok=True)


def has_key(name: str, files: Sequence[Path], environment: bool = True) -> bool:
    """Return whether a key variable is set and not empty, in the environment (if that is to count) or in one of the files."""
    return (environment and bool(os.environ.get(name))) or any(name in values_in(path) for path in files)


def keys_in(files: Sequence[Path]) -> frozenset[str]:
    """The variables that are set and not empty, in the environment or in one of the files."""
    names = {name for name, value in os.environ.items() if value}
    for path in files:
        names |= values_in(path).keys()
    return frozenset(names)
