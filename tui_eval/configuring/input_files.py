"""Input files of a config: search, reading, names for documents that share one, and comparison on resume."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from tui_eval.configuring.named_paths import beside
from tui_eval.core.calls import Json
from tui_eval.core.conversations import ConversationSet
from tui_eval.core.document_text import LeftOut, left_out_entry
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.datasets.attachments import PDF
from tui_eval.datasets.conversation_files import written_conversations
from tui_eval.datasets.document_text.attached_documents import conversations_at
from tui_eval.datasets.document_text.document_reader import ReadingLimits, read_document
from tui_eval.datasets.document_text.file_sorts import HTML, mime_of_name, sort_of_file
from tui_eval.datasets.document_text.reading_ahead import read_ahead
from tui_eval.datasets.documents import as_is, as_list, bytes_of, pieces_of
from tui_eval.datasets.questions import is_set_list
from tui_eval.datasets.set_list import MAX_BENCHMARK_BYTES
from tui_eval.evaluation.config_references import BESIDE, MAX_BYTES
from tui_eval.reading.document_body import left_out_of
from tui_eval.runs.folder import MANIFEST
from tui_eval.workspace.plain_files import read_file, read_json_file, read_text_file, stream_of, unreadable
from tui_eval.workspace.private_keys import holds_private_key, is_named
from tui_eval.workspace.toml_files import TomlFile

BETWEEN = "+"
"""What stands between a folder and what is in it, in a name."""
LONGEST = 180
"""Bytes of a name; of a longer one the folders are a hash."""
_SAFE = " !#$&'(),-;=@[]^_`{}~"


@dataclass(slots=True)
class ReadDocument:
    """A document where it lies, with the file that was read along with it, if there is one."""

    path: Path
    file: InputFile
    beside: InputFile | None = None
    beside_path: Path | None = None


def apart(documents: Sequence[ReadDocument]) -> list[tuple[InputFile, InputFile | None]]:
    """The documents, each with what was read along with it, by names that differ: those of which two would be called the same
    have the path below the folder that they all are in, `2023+page.png`. One that only another case tells apart stays.
    """
    places = [os.path.normpath(doc.path.absolute()) for doc in documents]
    clashing: set[int] = set()
    while True:
        common = os.path.commonpath([os.path.dirname(places[n]) for n in clashing]) if clashing else ""
        files = [
            _renamed(doc, places[n], common) if n in clashing else (doc.file, doc.beside) for n, doc in enumerate(documents)
        ]
        more = _clashing(documents, places, files) - clashing
        if not more:
            return files
        clashing |= more


def _clashing(
    documents: Sequence[ReadDocument], places: Sequence[str], files: Sequence[tuple[InputFile, InputFile | None]]
) -> set[int]:  # fmt: skip
    """Return the numbers of documents that share a name with another, or what was read along with them does."""
    whose: dict[str, dict[str, list[int]]] = {}
    for n, (file, beside_it) in enumerate(files):
        whose.setdefault(file.path.casefold(), {}).setdefault(places[n], []).append(n)
        if beside_it is not None:
            place = os.path.normpath((documents[n].beside_path or documents[n].path).absolute())
            whose.setdefault(beside_it.path.casefold(), {}).setdefault(place, []).append(n)
    return {n for places_of in whose.values() if len(places_of) > 1 for each in places_of.values() for n in each}


def _renamed(doc: ReadDocument, place: str, common: str) -> tuple[InputFile, InputFile | None]:
    folders = Path(os.path.relpath(os.path.dirname(place), common)).parts
    before = "".join(f"{_encoded(folder)}{BETWEEN}" for folder in folders)
    if len(f"{before}{_encoded(doc.path.name)}".encode()) > LONGEST:
        before = f"{hashlib.sha256(before.encode()).hexdigest()[:8]}{BETWEEN}"
    return _with_name(doc.file, before), None if doc.beside is None else _with_name(doc.beside, before)


def _with_name(file: InputFile, before: str) -> InputFile:
    name = f"{before}{_encoded(file.name)}"
    notes = tuple(f"{name}{note.removeprefix(file.name)}" if note.startswith(file.name) else note for note in file.notes)
    return replace(file, name=name, path=f"{file.path.removesuffix(file.name)}{name}", notes=notes)


def _encoded(part: str) -> str:
    """A part of a path as names may have it: what divides parts, and a dot in front, are percent-encoded; letters stay."""
    encoded = "".join(sign if not sign.isascii() else quote(sign, safe=_SAFE) for sign in part)
    return f"%2E{encoded[1:]}" if encoded.startswith(".") else encoded


_DOCUMENTS = "documents"
DOCUMENTS = f"inputs/{_DOCUMENTS}/"
"""Where in a run folder what is asked about is kept; what is read for its lines or records is kept elsewhere."""


TEXTS = "text"
"""The folder of a run folder's inputs/ with what its documents say, so that none is opened a second time."""
LEFT_OUT = ".left_out.json"
"""Behind a document's name there: what of its text no passage for questions has."""
HIDDEN = ".hidden.json"
"""The same of a web page: what it hides, which its text has not."""
MOST_TEXT_BYTES = 64 * 1024 * 1024
MOST_LEFT_OUT_BYTES = 64 * 1024 * 1024


def text_input(role: str, name: str, path: str, text: str) -> InputFile:
    """A text as an input of the run."""
    data = text.encode("utf-8")
    return InputFile(role, name, path, hashlib.sha256(data).hexdigest(), len(data), "text/markdown", "utf-8", text)


def check_inputs(file: TomlFile) -> None:
    """Raise ConfigError when a file that a resolved config lists is gone or has changed since the run was prepared."""
    entries = file.content.get("inputs", [])
    if not isinstance(entries, list):
        raise file.error(("inputs",), "must be a list of tables")
    for i, entry in enumerate(entries):
        is_valid = isinstance(entry, dict) and isinstance(entry.get("path"), str) and isinstance(entry.get("sha256"), str)
        if not is_valid or Path(entry["path"]).is_absolute() or ".." in Path(entry["path"]).parts:
            raise file.error(("inputs", i), "must have a path inside the folder, and its sha256")
        path = file.path.parent / entry["path"]
        try:
            with stream_of(path, file.path.parent) as stream:
                size = os.fstat(stream.fileno()).st_size
                if size != entry.get("size", size):
                    raise ConfigError(f"{path}: has changed since the run was prepared (its size differs); restore it")
                if hashlib.file_digest(stream, "sha256").hexdigest() != entry["sha256"]:
                    raise ConfigError(f"{path}: has changed since the run was prepared (its sha256 differs); restore it")
        except FileNotFoundError:
            raise ConfigError(f"{path}: is gone; the run was prepared with it") from None
        except OSError as error:
            raise ConfigError(unreadable(path, error)) from None


def input_files(
    paths: Sequence[tuple[Source, Path]], read_file: Callable[[Path, Source], InputFile], pdf_tokens: int | None
) -> dict[str, list[InputFile]]:
    """Every file that a config names, read, by the key that names it; one that several keys name is one, documents of one
    name are not.

    `paths`: as `named_paths` finds them; `pdf_tokens`: the most that one comes to where it is a PDF.
    """

    def document_at(entry: tuple[Source, Path]) -> tuple[Source, ReadDocument]:
        source, path = entry
        document = ReadDocument(path, replace(read_file(path, source), most_tokens=pdf_tokens))
        for path_beside in beside(path, source):
            document.beside_path = path_beside
            document.beside = read_file(path_beside, replace(source, role=f"{source.role}{BESIDE}", as_text=False))
        return source, document

    read = list(read_ahead(document_at, paths))
    documents = [document for source, document in read if source.place == _DOCUMENTS]
    distinct_files = iter(apart(documents))
    files_by_key: dict[str, list[InputFile]] = {}
    first_by_name: dict[str, tuple[Path, InputFile]] = {}
    for source, document in read:
        whole, beside_it = next(distinct_files) if source.place == _DOCUMENTS else (document.file, document.beside)
        first, file = first_by_name.setdefault(whole.path.casefold(), (document.path, whole))
        if os.path.normpath(first.absolute()) != os.path.normpath(document.path.absolute()):
            raise ConfigError(f"{source.key}: {first} and {document.path} have the same name; rename one")
        files_by_key.setdefault(source.key, []).append(file)
        if beside_it is not None and document.beside_path is not None:
            _, file = first_by_name.setdefault(beside_it.path.casefold(), (document.beside_path, beside_it))
            files_by_key.setdefault(f"{source.key}{BESIDE}", []).append(file)
    return files_by_key


def read_input(path: Path, source: Source) -> InputFile:
    """An input file under the path that it gets in a run folder. ConfigError where it cannot be read, or is too large."""
    if source.attaches and (with_documents := _with_documents(path, source)) is not None:
        return with_documents
    is_list = source.role == "dataset" and is_set_list(path.name)
    wide = replace(source, max_bytes=max(source.max_bytes, MAX_BYTES), raised_by="") if is_list else source
    name = f"inputs/{'lists' if is_list else source.place}/{path.name}"
    file = as_is(path, wide, name) if name.startswith(DOCUMENTS) else as_list(path, wide, name)
    return _with_text(file, path, source) if source.as_text else file


def _with_documents(path: Path, source: Source) -> InputFile | None:
    """A set of conversations with the documents beside it, as its own file would hold it; None where it has them."""
    if path.parent.parent.name == "inputs" and (path.parent.parent.parent / MANIFEST).is_file():
        return None
    try:
        conversation_set = conversations_at(path)
    except ConfigError as error:
        raise ConfigError(f"{source.key}: {error}") from None
    if conversation_set is None:
        return None
    name = f"{path.name if path.is_dir() else path.stem}.json"
    file = text_input(source.role, name, f"inputs/{source.place}/{name}", written_conversations(conversation_set))
    return replace(file, mime="application/json", origin=str(_origin_of(path, file, conversation_set)))


def _origin_of(path: Path, file: InputFile, conversation_set: ConversationSet) -> Path:
    """The file that a person is told of what is wrong with such a set: where a private key is in it the one that holds it, and
    that nobody named; else the set's own."""
    if not holds_private_key(pieces_of(file)):
        return path
    folder, own = (path, sorted(path.iterdir())) if path.is_dir() else (path.parent, [path])
    holding = [each for each in own if each.is_file() and holds_private_key([read_file(each, MAX_BENCHMARK_BYTES, folder)])]
    texts = [doc.filename for doc in conversation_set.documents if holds_private_key([doc.text.encode("utf-8", "replace")])]
    holding += [folder / name if (folder / name).is_file() else path for name in texts]
    return next((each for each in holding if not is_named(each)), [*holding, path][0])


def _with_text(file: InputFile, path: Path, source: Source) -> InputFile:
    """The file with what it says; an image, which says nothing, as it is. In a run folder the text that was read at first."""
    text_path = path.parent.parent / TEXTS / f"{file.name}.txt"
    run = path.parent.parent.parent
    if path.parent.parent.name == "inputs" and (run / MANIFEST).is_file() and text_path.is_file():
        text = _text_kept(text_path, run)
        left_out = _left_out(text_path.with_name(f"{file.name}{LEFT_OUT}"), len(text), run)
        return replace(file, text=text, left_out=left_out, hidden=_hidden(text_path.with_name(f"{file.name}{HIDDEN}"), run))
    if sort_of_file(file.name) == "image" or (source.others_as_is and mime_of_name(file.name) not in (PDF, HTML)):
        return file
    limits = ReadingLimits(source.key, source.max_bytes, shown_by=source.shown_by, keep_hidden=source.keep_hidden)
    limits = replace(limits, min_letters=1) if source.others_as_is else limits
    document = read_document(bytes_of(file), file.name, limits)
    left_out = left_out_of(document.text, document.running) if source.asked_about else None
    notes = tuple(f"{file.name}: {note}" for note in document.notes)
    return replace(file, text=document.text, left_out=left_out, hidden=document.hidden, notes=notes)


def _hidden(path: Path, run: Path) -> tuple[str, ...]:
    """Return what a page hides and its text has not, as its run wrote it down; nothing where it did not."""
    try:
        return tuple(str(entry["text"]) for entry in read_json_file(path, MOST_LEFT_OUT_BYTES, run))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def _text_kept(path: Path, run: Path) -> str:
    """Return the text of a document, as its run kept it."""
    try:
        return read_text_file(path, MOST_TEXT_BYTES, run)
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not the text that the run kept; restore it") from None


def _left_out(path: Path, size: int, run: Path) -> tuple[LeftOut, ...] | None:
    """Return what passages leave out of a text of so many characters, as its run wrote it down; an older version did not."""
    if not path.is_file():
        return None
    try:
        listed = read_json_file(path, MOST_LEFT_OUT_BYTES, run)
        parts = tuple(LeftOut(entry["page"], entry["start"], entry["end"], entry["what"]) for entry in listed)
        is_valid = all(0 <= part.start < part.end <= size and isinstance(part.what, str) for part in parts)
    except (OSError, ValueError, KeyError, TypeError):
        is_valid = False
    if not is_valid:
        raise ConfigError(f"{path}: does not say which parts of the text passages leave out; restore it")
    return parts


def texts_of(files: Sequence[InputFile]) -> list[InputFile]:
    """Return the files' texts as inputs of their own, beside them, and what passages for questions leave out, page by page."""
    inputs = []
    for file in files:
        pieces = [(".txt", file.text, "text/plain")] if file.text is not None else []
        if file.text is not None and file.left_out is not None:
            listed = [left_out_entry(file.text, part) for part in file.left_out]
            pieces.append((LEFT_OUT, json.dumps(listed, ensure_ascii=False, indent=1) + "\n", "application/json"))
        if file.hidden:
            hidden = [{"what": "hidden", "text": passage} for passage in file.hidden]
            pieces.append((HIDDEN, json.dumps(hidden, ensure_ascii=True, indent=1) + "\n", "application/json"))
        for end, text, mime in pieces:
            name = f"{file.name}{end}"
            inputs.append(replace(text_input(file.role, name, f"inputs/{TEXTS}/{name}", text), mime=mime))
    return inputs


def described(file: InputFile) -> Mapping[str, Json]:
    """An input's entry in the resolved config: everything but its content."""
    return {
        "role": file.role,
        "name": file.name,
        "path": file.path,
        "sha256": file.sha256,
        "size": file.size,
        "mime": file.mime,
        "encoding": file.encoding,
    }
