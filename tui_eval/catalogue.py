"""Which models a user has on file, and whether the keys they need exist; the values of keys are never read here."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from dotenv import dotenv_values, set_key

from tui_eval.config import ModelTable, TomlFile, read_toml, unknown_key, validate
from tui_eval.errors import ConfigError
from tui_eval.workspace import Workspace


def models_on_file(workspace: Workspace) -> dict[str, tuple[ModelTable, TomlFile]]:
    """The models of .conf/models.toml by name, with the file they stand in; empty where there is none."""
    if not workspace.models_file.is_file():
        return {}
    file = read_toml(workspace.models_file)
    for key in file.content:
        if key != "models":
            raise unknown_key(file, (key,), ["models"])
    return {table.name: (table, file) for table in model_tables(file)}


def model_tables(file: TomlFile) -> list[ModelTable]:
    """The `[[models]]` of a file. ConfigError for a mistake in one, or two of one name."""
    entries = file.content.get("models", [])
    if not isinstance(entries, list):
        raise file.error(("models",), "must be a list of tables: [[models]]")
    tables = [validate(ModelTable, entry, file, ("models", i)) for i, entry in enumerate(entries)]
    seen: set[str] = set()
    for i, table in enumerate(tables):
        if table.name in seen:
            raise file.error(("models", i, "name"), f"a second model named {table.name!r}")
        seen.add(table.name)
    return tables


def check_key_files(files: Sequence[Path]) -> None:
    """Raise ConfigError when a file that may hold keys is not text."""
    for path in files:
        try:
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
        raise ConfigError(f"{name!r}: not the name of a variable; use letters, digits and _, such as OPENAI_API_KEY")
    if not value or not value.isprintable() or "${" in value:
        raise ConfigError(f"{name}: a key is one line of visible characters; nothing was stored")
    file = file.resolve()
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
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


def has_key(name: str, files: Sequence[Path]) -> bool:
    """Whether a key variable is set and not empty, in the environment or in one of the files."""
    return bool(os.environ.get(name)) or any(bool(dotenv_values(path).get(name)) for path in files if path.is_file())
