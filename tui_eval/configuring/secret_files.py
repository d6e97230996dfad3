"""Inputs that look like private keys: refused, whatever config, link or yes names them."""

from __future__ import annotations

from collections.abc import Iterable

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.datasets.documents import pieces_of
from tui_eval.workspace.private_keys import holds_private_key, is_named, refusal

MOST_KNOWN = 10_000
_SOUND: dict[str, None] = {}
"""Hashes of files that hold none: a draft is looked at again with every key that is pressed."""


def check_private_keys(files: Iterable[InputFile]) -> None:
    """Raise ConfigError for a file, or what it says, in which a private key seems to be. Files that a person named are sent."""
    for file in files:
        if file.sha256 in _SOUND:
            continue
        if is_named(file.origin):
            continue
        if holds_private_key(pieces_of(file)) or (file.text is not None and holds_private_key([file.text.encode("utf-8")])):
            raise ConfigError(refusal(file.role or file.name, file.origin))
        if len(_SOUND) > MOST_KNOWN:
            _SOUND.clear()
        _SOUND[file.sha256] = None
