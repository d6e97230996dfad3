"""Files to inputs: read whole, checked before a byte is sent, kept as they are."""

from __future__ import annotations

import base64
import codecs
import hashlib
import io
import mimetypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.datasets.questions import is_set_list
from tui_eval.workspace.lines_by_place import lines_by_place
from tui_eval.workspace.patterns import Walk, has_magic, split_pattern
from tui_eval.workspace.plain_files import ANYWHERE, stream_of, unreadable

HELD_BYTES = PIECE_BYTES = 2**20
"""Of an input: one that is larger is read again where it is wanted, and not kept in memory for as long as the run takes."""

_TEXT_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".toml": "application/toml"}
_TYPES = mimetypes.MimeTypes()
"""The standard library's own table: the type stands in prompts, and must not depend on the machine's."""


def as_is(path: Path, source: Source, name: str) -> InputFile:
    """A file of any type with its bytes as they are: text where it is strict UTF-8, else base64 (spec 003 §7)."""
    with _checked(path, source) as stream:
        data = stream.read(min(os.fstat(stream.fileno()).st_size, source.max_bytes) + 1)
        data += stream.read(source.max_bytes + 1 - len(data))
    _check_size(len(data), path, source)
    described = _described(path, source, name, hashlib.sha256(data).hexdigest(), len(data))
    try:
        return replace(described, held=data.decode("utf-8"))
    except UnicodeDecodeError:
        return replace(described, held=base64.b64encode(data).decode("ascii"), encoding="base64")


def as_list(path: Path, source: Source, name: str) -> InputFile:
    """The same of a file that is read for its lines or records: where it is large, its content is not held beside them."""
    with _checked(path, source) as stream:
        if os.fstat(stream.fileno()).st_size <= HELD_BYTES:
            return as_is(path, source, name)
    sha256, size, is_text = hashlib.sha256(), 0, True
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _checked(path, source) as stream:
        while piece := stream.read(PIECE_BYTES):
            sha256.update(piece)
            size += len(piece)
            _check_size(size, path, source)
            is_text = is_text and _decodes(decoder, piece)
    described = _described(path, source, name, sha256.hexdigest(), size)
    return replace(described, encoding="utf-8" if is_text and _decodes(decoder, b"", final=True) else "base64")


def _decodes(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


def _described(path: Path, source: Source, name: str, sha256: str, size: int) -> InputFile:
    return InputFile(
        role=source.role,
        name=path.name,
        path=name,
        sha256=sha256,
        size=size,
        mime=_TEXT_TYPES.get(path.suffix.lower()) or _TYPES.guess_type(path.name)[0] or "application/octet-stream",
        encoding="utf-8",
        held=None,
        origin=str(path.absolute()),
        again=_read_again,
        by_line=lines_by_place,
    )


def bytes_of(file: InputFile) -> bytes:
    """The bytes of an input that is held, as they were read."""
    return file.content.encode("utf-8") if file.encoding == "utf-8" else base64.b64decode(file.content)


def released(file: InputFile) -> InputFile:
    """A large input without its content, which is read again where it is wanted; a small one as it is."""
    return replace(file, held=None) if file.size > HELD_BYTES and file.again is not None else file


def _read_again(file: InputFile) -> str:
    if file.encoding != "utf-8":
        return base64.b64encode(b"".join(pieces_of(file))).decode("ascii")
    decoder, text = codecs.getincrementaldecoder("utf-8")("replace"), io.StringIO()
    for piece in pieces_of(file):  # so that it is never there both as bytes and as text
        text.write(decoder.decode(piece))
    return text.getvalue()


def pieces_of(file: InputFile) -> Iterator[bytes]:
    """The bytes of an input, piece by piece. ConfigError where it is no longer what was read at first."""
    if file.held is not None:
        yield bytes_of(file)
        return
    sha256 = hashlib.sha256()
    try:
        with stream_of(file.origin, ANYWHERE) as stream:
            while piece := stream.read(PIECE_BYTES):
                sha256.update(piece)
                yield piece
    except OSError as error:
        raise ConfigError(unreadable(file.origin, error)) from None
    if sha256.hexdigest() != file.sha256:
        raise ConfigError(f"{file.origin}: was changed while the run was being prepared; start it again")


def matching(folder: Path, source: Source, walk: Walk) -> Iterator[Path]:
    """The files a config's path, pattern or folder stands for, in order of name. ConfigError where there are none.

    `walk`: how folders are looked through.
    """
    pattern = source.pattern
    if not pattern.strip() or "\0" in pattern:
        raise ConfigError(f"{source.key}: {'an empty path' if not pattern.strip() else f'{pattern!r} is not a path'}")
    path = folder / pattern
    if source.folder:
        yield from _of_folder(path, folder, source)
    elif has_magic(pattern) and not path.exists():
        start, parts = split_pattern(Path(pattern))
        try:
            every = walk.matches(folder / start, parts)
        except ValueError as error:
            raise ConfigError(f"{source.key}: {pattern!r} is not a pattern: {error}") from None
        hidden = path.name.startswith(".")
        matches = [child for child in every if child.is_file() and (hidden or not child.name.startswith("."))]
        if not matches and not walk.refused:
            raise ConfigError(f"{source.key}: nothing matches {pattern!r} (looked in {folder})")
        yield from matches
    else:
        yield path


def _of_folder(path: Path, folder: Path, source: Source) -> list[Path]:
    """The files in it, none hidden; a Questions.md stands for itself."""
    if is_set_list(source.pattern) and path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigError(f"{source.key}: {source.pattern!r} is not a folder (looked in {folder})")
    return sorted(child for child in path.iterdir() if child.is_file() and not child.name.startswith("."))


@contextmanager
def _checked(path: Path, source: Source) -> Iterator[BinaryIO]:
    """A file opened, if it is one that a run may read: regular, not too large, with a name that is text."""
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError(f"{source.key}: {path.name!r}: the file name is not valid text; rename the file") from None
    try:
        stream = stream_of(path, ANYWHERE)
    except OSError as error:
        if path.is_dir():
            raise ConfigError(
                f"{source.key}: {path}: not a regular file: it is a folder; name what is in it, as {path.name}/*.md"
            ) from None
        raise ConfigError(f"{source.key}: {unreadable(path, error)}") from None
    with stream:
        size = os.fstat(stream.fileno()).st_size
        if size > source.max_bytes:
            mend = f"shorten it, or raise {source.raised_by}" if source.raised_by else "divide it into several files"
            raise ConfigError(f"{source.key}: {path}: {size:,} bytes; at most {source.max_bytes:,} are read: {mend}")
        yield stream


def _check_size(size: int, path: Path, source: Source) -> None:
    if size > source.max_bytes:
        raise ConfigError(f"{source.key}: {path}: more than {source.max_bytes:,} bytes")
