"""Packages as pip leaves them behind: installed into a folder of packages of this process, or of an interpreter of its own."""

from __future__ import annotations

import base64
import hashlib
import os
import site
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import agree
import pytest
from samples import AGREE_PROMPTS, AGREES

from tui_eval.configuring.drafting.schema import schema
from tui_eval.core.plugins import switch

ROOT = Path(__file__).resolve().parents[2]
TOY = Path(agree.__file__).read_text(encoding="utf-8")
TOY_PROMPTS = {
    "system": "Answer in a word.",
    "judge": "QUESTION: {question}\n\nGROUND TRUTH: {first}\n\nCANDIDATE: {answer}\n\nReply with 1 or 0.",
    "reminder": "Reply with 1 or 0 alone.",
}
TOY_FILES = {"agree_kind.py": TOY, **{f"prompts/agree/{name}.md": text for name, text in TOY_PROMPTS.items()}}
TOY_ENTRIES = {"tui_eval.kinds": {"agree": "agree_kind:AGREE"}}
TOY_TABLE = AGREES["agree, by text"].replace(AGREE_PROMPTS, "")
"""Its table without prompts: those that it brings are used."""

Entries = Mapping[str, Mapping[str, str]]


def install(
    folder: Path, name: str, files: Mapping[str, str], entries: Entries, version: str = "1.0", editable: Path | None = None
) -> Path:
    """A package as pip leaves it behind in a folder of packages; its dist-info. `editable`: where the project lies instead."""
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    points = "\n".join(
        f"[{group}]\n" + "".join(f"{n} = {target}\n" for n, target in of.items()) for group, of in entries.items()
    )
    inside = {
        f"{about.name}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about.name}/entry_points.txt": points,
    }
    if editable is None:
        inside |= files
    else:
        write(editable, files)
        inside |= {f"__editable__.{about.stem}.pth": f"{editable}\n"}
        inside |= {f"{about.name}/direct_url.json": f'{{"url": "{editable.as_uri()}", "dir_info": {{"editable": true}}}}'}
    write(folder, inside)
    lines = [f"{path},sha256={_digest(text)},{len(text.encode())}" for path, text in inside.items()]
    (about / "RECORD").write_text("\n".join([*lines, f"{about.name}/RECORD,,", ""]), encoding="utf-8")
    return about


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Files by their paths in a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def uninstall(about: Path) -> None:
    """Take away what was installed."""
    for line in (about / "RECORD").read_text(encoding="utf-8").splitlines():
        (about.parent / line.split(",")[0]).unlink(missing_ok=True)


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@contextmanager
def packages_in(folder: Path, *more_paths: Path | str) -> Iterator[Path]:
    """For a while, a folder is one of this process's folders of packages; `more_paths` stand on its path only, in front."""
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "getsitepackages", lambda: [str(folder)])
        patch.setattr(sys, "path", [*map(str, more_paths), *sys.path, str(folder)])
        before = set(sys.modules)
        _forget()
        try:
            yield folder
        finally:
            for name in set(sys.modules) - before:
                if not name.startswith("tui_eval"):
                    del sys.modules[name]
            _forget()


def _forget() -> None:
    switch(True)
    schema.cache_clear()


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python of its own with this program, everything that it needs, and a folder of packages that is empty so far."""

    python: Path
    packages: Path

    def tui_eval(self, *arguments: str, cwd: Path, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run the program as `python -m tui_eval` in a folder, which Python looks for modules in."""
        return self.run("-m", "tui_eval", *arguments, cwd=cwd, code=code)

    def run(self, *arguments: str, cwd: Path, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run Python; its exit code must be this one, unless None."""
        command: Sequence[str] = [str(self.python), *arguments]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=240, check=False)
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done


def interpreter(folder: Path) -> Interpreter:
    """Made in a moment: no pip, and what we have is reached by a .pth file."""
    venv.create(folder, symlinks=os.name == "posix", with_pip=False)
    packages = next(folder.glob("lib/python*/site-packages"))
    ours = [path for path in site.getsitepackages() if Path(path).is_dir()]
    (packages / "ours.pth").write_text("".join(f"import site; site.addsitedir({path!r})\n" for path in ours) + f"{ROOT}\n")
    return Interpreter(folder / "bin" / "python", packages)
