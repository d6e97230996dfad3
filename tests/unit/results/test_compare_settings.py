"""A comparison says in which settings its runs differ, and nothing of what is asked or called."""

from __future__ import annotations

import json
from pathlib import Path

import tomli_w

from tui_eval.results.comparison.run_differences import changes, differing, settings_of
from tui_eval.runs.folder import CONFIG, MANIFEST


def run(folder: Path, name: str, **changes: object) -> Path:
    """A run folder with a config in it."""
    path = folder / name
    path.mkdir()
    choice = {"benchmark": f"{name}.json", "shuffle": False, "models": ["a"], **changes}
    content = {
        "kind": "choice",
        "name": name,
        "run": {"seed": 0},
        "models": [{"name": "a", "wire": "openai"}],
        "choice": choice,
    }
    (path / CONFIG).write_bytes(tomli_w.dumps(content).encode())
    return path


def test_only_settings_that_differ_are_named(tmp_path: Path) -> None:
    """Each with its values in the order of the runs; names and files are no settings."""
    one, two = run(tmp_path, "one"), run(tmp_path, "two", shuffle=True, permutations=2)
    assert differing([one, two]) == "The runs differ in choice.shuffle (False, True), choice.permutations (not set, 2)."
    assert differing([one, one]) == ""
    assert differing([one]) == ""


def test_a_later_run_says_what_it_has_otherwise(tmp_path: Path) -> None:
    """Settings with both values, and inputs that are new, gone or have another content; nothing of what is the same."""
    one, two = run(tmp_path, "one"), run(tmp_path, "two", shuffle=True, permutations=2)
    before = {"inputs/prompts/user.md": "aa", "inputs/q.md": "bb", "inputs/old.md": "cc"}
    after = {"inputs/prompts/user.md": "ab", "inputs/q.md": "bb", "inputs/new.md": "cc"}
    for path, inputs in ((one, before), (two, after)):
        (path / MANIFEST).write_text(json.dumps({"inputs_sha256": inputs}), encoding="utf-8")

    assert changes(one, two) == [
        "choice.shuffle False → True", "choice.permutations not set → 2", "user.md changed", "old.md is gone", "new.md is new",
    ]  # fmt: skip
    assert changes(one, one) == []


def test_a_config_that_is_none_tells_nothing(tmp_path: Path) -> None:
    """What cannot be read differs in nothing that one could name."""
    one, two = run(tmp_path, "one"), run(tmp_path, "two", shuffle=True)
    (two / CONFIG).write_bytes(b"\xff = nonsense")
    assert settings_of(two) == {}
    assert differing([one, two]) == ""


def test_hostile_names_and_values_are_one_line(tmp_path: Path) -> None:
    """No escape, no line end and no length of a stranger's config gets into the sentence."""
    one = run(tmp_path, "one")
    two = run(tmp_path, "two", **{"x\x1b[2J\n" + "y" * 500: "\x07" * 500})
    said = differing([one, two])
    assert "\x1b" not in said
    assert "\n" not in said
    assert len(said) < 400
