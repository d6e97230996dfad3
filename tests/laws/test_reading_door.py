"""Files are read through one door: what opens one elsewhere is found in the syntax tree, whoever writes it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "tui_eval"
METHODS = {"read_text", "read_bytes", "open_code"}
"""Attributes that read a file whatever they are taken from, called or handed on."""
FUNCTIONS = {
    "tomllib": {"load", "loads"},
    "tomlkit": {"load", "loads", "parse"},
    "json": {"load"},
    "mmap": {"mmap"},
    "io": {"open", "open_code", "FileIO"},
    "codecs": {"open"},
    "os": {"open", "fdopen", "popen"},
    "posix": {"open"},
    "shutil": {"copy", "copy2", "copyfile", "copytree", "unpack_archive"},
    "linecache": {"getline", "getlines"},
    "fileinput": {"input", "FileInput"},
    "filecmp": {"cmp", "cmpfiles", "dircmp"},
    "sqlite3": {"connect"},
    "zipfile": {"ZipFile", "Path"},
    "tarfile": {"open", "TarFile"},
    "gzip": {"open", "GzipFile"},
    "bz2": {"open", "BZ2File"},
    "lzma": {"open", "LZMAFile"},
    "tokenize": {"open"},
    "pickle": {"load"},
    "dbm": {"open"},
    "shelve": {"open"},
    "netrc": {"netrc"},
    "runpy": {"run_path"},
    "Image": {"open"},
    "dotenv": {"load_dotenv", "get_key", "unset_key"},
}
"""By module (or class): what reads a file that is named, or takes a text as long as it likes."""
WITHOUT_NAME = {"dotenv_values": "stream"}
"""Functions that read no file so long as they are given this word."""
WRITES = ("O_WRONLY", "O_DIRECTORY")
"""Flags of os.open by which nothing is read."""
EXCEPTIONS = {
    ("workspace/plain_files.py", "*"): "the door",
    ("workspace/toml_files.py", "tomllib.loads"): "of texts that the door bounded, after a look at how deep they are",
    ("workspace/toml_files.py", "tomlkit.parse"): "the same",
    ("workspace/private_files.py", "os.open"): "the lock of a private folder: its bytes are never read",
    ("runs/writing.py", "os.open"): "the folder's other door, of what is written",
    ("cluster/spools.py", "os.open"): "the mark that a worker holds while it is at work: its bytes are never read",
    ("reporting/own_code/child.py", "open"): "files of code that the process has just imported, to tell their hash",
    ("reporting/own_code/child.py", "os.fdopen"): "the pipe of jobs, which the supervisor writes",
    ("reporting/own_code/process_usage.py", "open"): "what the system says of a process, of which 4 kB are read",
    ("core/plugins.py", "read_text"): "what a package that is installed says of itself",
    ("simulator/answers/wording.py", "read_text"): "the shipped prompts, from a place below the door",
    ("simulator/__main__.py", "read_text"): "a server of its own, which stands below the door; a person names the file",
}
"""By module and what is called there: why it may."""


class _Openers(ast.NodeVisitor):
    """What in a module reads files: (line, what is called)."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []
        self._allowed: set[ast.AST] = set()
        self._called: set[ast.AST] = set()

    def visit_Call(self, node: ast.Call) -> None:
        name, of = _name(node.func)
        self._called.add(node.func)
        if name in ("readline", "readlines") and not node.args and of != "stdin":
            self.found.append((node.lineno, f"unbounded {name}"))
        if name == "open" and not of and _only_writes(node):
            self._allowed.add(node.func)
        if (of, name) == ("os", "open") and any(flag in ast.unparse(node) for flag in WRITES):
            self._allowed.add(node.func)
        if (of, name) == ("os", "fdopen") and _only_writes(node):
            self._allowed.add(node.func)
        if (of, name) == ("Image", "open") and ast.unparse(node.args[0]) == "stream":
            self._allowed.add(node.func)
        if (name in METHODS or of == "tomllib") and "Path(__file__)" in ast.unparse(node):
            self._allowed.add(node.func)  # a file of the package itself
        if name in WITHOUT_NAME and any(word.arg == WITHOUT_NAME[name] for word in node.keywords) and not node.args:
            self._allowed.add(node.func)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        _, of = _name(node)
        if node not in self._allowed:
            known = node.attr in FUNCTIONS.get(of, ())
            opens = node.attr == "open" and of not in FUNCTIONS and (node in self._called or of == "Path")
            if node.attr in METHODS or node.attr in WITHOUT_NAME or known or opens:
                self.found.append((node.lineno, f"{of}.{node.attr}" if known else node.attr))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if (node.id == "open" or node.id in WITHOUT_NAME) and isinstance(node.ctx, ast.Load) and node not in self._allowed:
            self.found.append((node.lineno, node.id))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name in FUNCTIONS.get((node.module or "").split(".")[-1], ()):
                self.found.append((node.lineno, f"{node.module}.{alias.name}"))


def _name(node: ast.AST) -> tuple[str, str]:
    """The last name of what is called, and the one before it."""
    if isinstance(node, ast.Name):
        return node.id, ""
    if isinstance(node, ast.Attribute):
        return node.attr, _name(node.value)[0] if isinstance(node.value, ast.Name | ast.Attribute) else "?"
    return "", ""


def _only_writes(node: ast.Call) -> bool:
    """Whether a file is opened to be written alone."""
    modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    mode = modes[0].value if modes and isinstance(modes[0], ast.Constant) else None
    return isinstance(mode, str) and mode[:1] in ("w", "x", "a") and "+" not in mode


def openers(package: Path, exceptions: Collection[tuple[str, str]] = frozenset(EXCEPTIONS)) -> Iterator[tuple[str, int, str]]:
    """(module, line, what is called) of whatever reads a file elsewhere than through the door, exceptions left out."""
    for path in sorted(package.rglob("*.py")):
        place = str(path.relative_to(package))
        visitor = _Openers()
        visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
        for line, what in visitor.found:
            if not _excepted(place, what, exceptions):
                yield place, line, what


def _excepted(place: str, what: str, exceptions: Collection[tuple[str, str]]) -> bool:
    return (place, what) in exceptions or (place, "*") in exceptions


def test_no_file_is_read_but_through_the_door() -> None:
    """Nowhere in the program, but for the few exceptions, of which each is still needed."""
    every = list(openers(PACKAGE, exceptions=()))
    found = {(place, what) for place, _, what in every}

    assert [one for one in every if not _excepted(one[0], one[2], EXCEPTIONS)] == []
    for place, what in EXCEPTIONS:
        assert any(place == one and what in ("*", other) for one, other in found), f"{place}: {what} is needed no more"


PLANTED = {
    "session/by_name.py": "def text(path):\n    return open(path).read()\n",
    "session/for_both.py": "def text(path):\n    return open(path, 'r+b').read()\n",
    "session/by_mode.py": "def text(path, mode):\n    return open(path, mode)\n",
    "session/handed_on.py": "import asyncio\n\n\nasync def text(path):\n    return await asyncio.to_thread(open, path, 'rb')\n",
    "tui/by_method.py": "def text(path):\n    return path.read_text()\n",
    "tui/of_several.py": "from pathlib import Path\n\n\ndef texts(paths):\n    return list(map(Path.read_bytes, paths))\n",
    "tui/by_path.py": "def text(path):\n    with path.open('rb') as stream:\n        return stream.read()\n",
    "runs/by_descriptor.py": "import os\n\n\ndef start(path):\n    return os.read(os.open(path, os.O_RDONLY), 9)\n",
    "runs/under_another_name.py": "from os import open as enter\n\n\ndef start(path):\n    return enter(path, 0)\n",
    "runs/by_map.py": "import mmap\n\n\ndef start(descriptor):\n    return mmap.mmap(descriptor, 0)[:9]\n",
    "models/any_toml.py": "import tomllib\n\n\ndef table(text):\n    return tomllib.loads(text)\n",
    "models/any_document.py": "import tomlkit\n\n\ndef table(text):\n    return tomlkit.parse(text)\n",
    "models/keys_of.py": "from dotenv import dotenv_values\n\n\ndef keys(path):\n    return dotenv_values(path)\n",
    "results/json_of_stream.py": "import json\n\n\ndef table(stream):\n    return json.load(stream)\n",
    "tui/by_image.py": "def picture(path):\n    from PIL import Image\n\n    return Image.open(path)\n",
    "datasets/by_copy.py": "import shutil\n\n\ndef keep(path, to):\n    shutil.copyfile(path, to)\n",
    "datasets/by_archive.py": "import zipfile\n\n\ndef names(path):\n    return zipfile.ZipFile(path).namelist()\n",
    "engine/by_line.py": "def first(stream):\n    return stream.readline()\n",
    "engine/by_codec.py": "import codecs\n\n\ndef text(path):\n    return codecs.open(path)\n",
}
"""By place: a module that reads a file by itself."""
SOUND = {
    "session/writes.py": "def keep(path, text):\n    with open(path, 'w') as stream:\n        stream.write(text)\n",
    "session/exclusive.py": "def keep(path):\n    return open(path, mode='xb')\n",
    "runs/appends.py": "import os\n\n\ndef keep(path):\n    return os.open(path, os.O_WRONLY | os.O_APPEND)\n",
    "tui/asks.py": "def is_open(row):\n    return row.open\n",
    "tui/own.py": "from pathlib import Path\n\nTEXT = (Path(__file__).parent / 'own.txt').read_text()\n",
    "runs/door.py": "from tui_eval.workspace.plain_files import stream_of as of\n\n\ndef first(path):\n    return of(path)\n",
}
"""By place: a module that reads none, or its own."""


@pytest.mark.parametrize("place", PLANTED)
def test_whatever_opens_a_file_is_found(tmp_path: Path, place: str) -> None:
    """By whatever name, called or handed on, whole or as a stream."""
    _plant(tmp_path, place, PLANTED[place])

    assert {found for found, _, _ in openers(tmp_path)} == {place}


@pytest.mark.parametrize("place", SOUND)
def test_nothing_else_is(tmp_path: Path, place: str) -> None:
    """What is written, what is only called so, and files of the package itself."""
    _plant(tmp_path, place, SOUND[place])

    assert list(openers(tmp_path)) == []


def _plant(package: Path, place: str, text: str) -> None:
    (package / place).parent.mkdir(parents=True)
    (package / place).write_text(text, encoding="utf-8")
