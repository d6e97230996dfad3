"""Documents of one name in several folders: each is kept, shown and named for itself, and a run folder has all of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tomli_w

from tui_eval.configuring.loading import Loaded, load
from tui_eval.configuring.preparing import prepare
from tui_eval.workspace.places import Workspace

MODELS = [{"name": "m", "wire": "simulator", "model": "sim-scholar"}]


def loaded(folder: Path, files: dict[str, str], inputs: list[str]) -> Loaded:
    """A pipeline that transcribes these files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    table = {"inputs": inputs, "process": {"models": ["m"], "runs": 1}}
    config = {"kind": "pipeline", "name": "scans", "run": {"max_calls": 99}, "models": MODELS, "pipeline": table}
    (folder / "scans.toml").write_text(tomli_w.dumps(config), encoding="utf-8")
    return load(folder / "scans.toml", Workspace(folder))


def materials(run: Loaded) -> dict[str, tuple[str, str]]:
    """By the names of the files: their texts, and what was written down beside them."""
    return {one.filename: (one.text.strip(), one.reference.strip()) for one in run.evaluation.task.materials}


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["2023/p.md", "2024/p.md"], ["2023+p.md", "2024+p.md"]),
        (["x/2023/1/p.md", "x/2024/1/p.md"], ["2023+1+p.md", "2024+1+p.md"]),
        (["p.md", "a/p.md"], ["p.md", "a+p.md"]),
        (["a/p.md", "b/P.md", "b/q.md"], ["a+p.md", "b+P.md", "q.md"]),
        (["a/p.md", "b/p.md", "a+p.md"], ["a+p.md", "b+p.md", "a%2Bp.md"]),
        (["a+b/p.md", "c/50%.md", "d/50%.md", "e/p.md"], ["a%2Bb+p.md", "c+50%25.md", "d+50%25.md", "e+p.md"]),
        (["größe/p.md", ".b/p.md"], ["größe+p.md", "%2Eb+p.md"]),
        ([f"{'long ' * 30}{n}/p.md" for n in "ab"], None),
    ],
)
def test_the_path_below_the_common_folder_tells_them_apart(files: list[str], names: list[str] | None, tmp_path: Path) -> None:
    """Names that do not clash stay; no two are the same, whatever folders and files are called."""
    found = materials(loaded(tmp_path, {path: f"text of {path}" for path in files}, files))

    assert [text for text, _ in found.values()] == [f"text of {path}" for path in files]
    assert names is None or list(found) == names
    assert all(len(name.encode()) < 200 for name in found)


def test_what_is_written_down_goes_with_its_file(tmp_path: Path) -> None:
    """Also where only these clash: a reference of another folder is another's."""
    files = {
        f"{folder}/{name}": f"{folder} {name}"
        for folder, name in (("a", "1.md"), ("b", "1.txt"), ("a", "1.ref.txt"), ("b", "1.ref.txt"))
    }
    found = materials(loaded(tmp_path, files, ["a/1.md", "b/1.txt"]))

    assert found == {"a+1.md": ("a 1.md", "a 1.ref.txt"), "b+1.txt": ("b 1.txt", "b 1.ref.txt")}


def test_one_file_by_two_ways_is_one(tmp_path: Path) -> None:
    """However its path is written."""
    assert list(materials(loaded(tmp_path, {"a/p.md": "x"}, ["a/p.md", "a/../a/p.md", "a/*.md"]))) == ["p.md"]


def test_a_run_folder_has_all_of_them_and_reads_the_same(tmp_path: Path) -> None:
    """What it is prepared with comes back under the same names."""
    files = {"2023/p.md": "one", "2024/p.md": "two", "2023/p.ref.txt": "1", "2024/p.ref.txt": "2"}
    run = loaded(tmp_path, files, ["2023/p.md", "2024/p.md"])
    prepare(run, tmp_path / "run", lambda text: text, [])

    assert materials(load(tmp_path / "run" / "config.toml", Workspace(tmp_path))) == materials(run)
    assert len({one.name for one in run.evaluation.task.materials}) == 2


@pytest.mark.parametrize("seed", range(20))
def test_any_tree_is_kept_apart(seed: int, tmp_path: Path) -> None:
    """Every file once, every name once."""
    dice = random.Random(seed)
    parts = ["a", "b", "a+b", "%2B", "c d"]
    files = {
        "/".join([*dice.choices(parts, k=dice.randint(0, 3)), dice.choice(["p", "a+p", "q"]) + ".md"]): "" for _ in range(8)
    }
    texts = {path: f"text of {path}" for path in files}
    found = materials(loaded(tmp_path, texts, list(texts)))

    assert [text for text, _ in found.values()] == list(texts.values())
