"""Laws of the models on file: a change touches what it is about and nothing else, and no key ever gets in."""

from __future__ import annotations

import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHIPPED, few, none_on_file

from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import (
    HEAD,
    add_model,
    copy_model,
    delete_model,
    edit_model,
    models_on_file,
    put_models,
    set_enabled,
)
from tui_eval.models.listing import listed_models
from tui_eval.models.model_selection import wire_problem
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file

BY_HAND = """\
# my models
# (two lines)

# the quick one
[[models]]  # first
name = "quick"   # as I call it
model = 'gpt-5-mini'
price = { input = 0.25, output = 2 }  # a guess
# temperature = 0

# ------------------------------------- others

[[models]]
name = "slow"
wire = "openai"
model = "gpt-5"
    timeout_s   =   300     # it thinks
[models.limits]
max_in_flight = 2

# ends here
[[models]]
name = "third"
model = "claude-opus-5"
extra_body = { note = \"\"\"
[[models]]
# no comment
\"\"\" }
# the last word
"""
PIECES = {
    "quick": BY_HAND[BY_HAND.index("# the quick") : BY_HAND.index("# -----")],
    "slow": BY_HAND[BY_HAND.index('[[models]]\nname = "slow"') : BY_HAND.index("# ends here")],
    "third": BY_HAND[BY_HAND.index("# ends here") :],
}


def by_hand(folder: Path, text: str = BY_HAND) -> Workspace:
    """A workspace with a models.toml that a person wrote."""
    workspace = Workspace(folder)
    workspace.models_file.parent.mkdir(parents=True)
    workspace.models_file.write_text(text)
    return workspace


def names(workspace: Workspace) -> list[str]:
    return [*models_on_file(workspace)]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# ----------------------------------------------------------------------------------------------------------- one change


def test_the_first_model_makes_a_private_folder_out_of_version_control(tmp_path: Path) -> None:
    """Folder 0700, files 0600, whatever the umask; and a .gitignore that ignores everything in it."""
    workspace = Workspace(tmp_path)

    table = add_model(workspace, "mini", {"model": "gpt-5-mini", "price.input": 0.25, "price.output": 2})

    folder = workspace.models_file.parent
    assert (table.name, table.model, table.price and table.price.input) == ("mini", "gpt-5-mini", 0.25)
    assert mode(folder) == 0o700
    assert {path.name: mode(path) for path in folder.iterdir()} == dict.fromkeys((".gitignore", ".lock", "models.toml"), 0o600)
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*"
    assert names(workspace) == [*SHIPPED, "mini"]


def test_a_new_workspace_has_the_models_that_come_with_the_program(tmp_path: Path) -> None:
    """Specification 003 names two (§21). They can be listed without a key, and nothing is written for it; with the first change
    they are written, and are models like any other: one that is deleted stays away."""
    workspace = Workspace(tmp_path)
    entries = listed_models(workspace).entries

    assert [(entry.name, entry.model, entry.wire, entry.key) for entry in entries] == [
        ("gemini-3-flash", "google/gemini-3-flash-preview", "openrouter", "OPENROUTER_API_KEY"),
        ("gpt-5-mini", "openai/gpt-5-mini", "openrouter", "OPENROUTER_API_KEY"),
    ]
    assert all(entry.price is not None and not entry.problem for entry in entries)
    assert [*tmp_path.iterdir()] == []

    for name in SHIPPED:
        delete_model(workspace, name)

    assert names(workspace) == [] and [entry.name for entry in listed_models(workspace).entries] == []
    assert workspace.models_file.read_text().startswith(HEAD)


def test_a_change_closes_what_stood_open(tmp_path: Path) -> None:
    """A file and a folder that others could read are private afterwards."""
    workspace = by_hand(tmp_path)
    workspace.models_file.chmod(0o644)
    workspace.models_file.parent.chmod(0o755)

    set_enabled(workspace, "quick", False)

    assert (mode(workspace.models_file), mode(workspace.models_file.parent)) == (0o600, 0o700)


@pytest.mark.parametrize("name", [*PIECES])
def test_deleting_takes_a_model_and_its_comments_and_nothing_else(tmp_path: Path, name: str) -> None:
    """Byte for byte."""
    workspace = by_hand(tmp_path)

    delete_model(workspace, name)

    assert workspace.models_file.read_text() == BY_HAND.replace(PIECES[name], "")


@pytest.mark.parametrize("name", [*PIECES])
def test_editing_leaves_the_rest_byte_for_byte(tmp_path: Path, name: str) -> None:
    """All that stands around the model; and of its own lines, every one that says something else."""
    workspace = by_hand(tmp_path)
    before, after = BY_HAND.split(PIECES[name])

    edit_model(workspace, name, {"temperature": 0.5})
    edited = workspace.models_file.read_text()
    edit_model(workspace, name, {}, ["temperature"])
    restored = workspace.models_file.read_text()

    for text in (edited, restored):
        assert text.startswith(before) and text.endswith(after)
    assert [line for line in restored.split("\n") if line] == [line for line in BY_HAND.split("\n") if line]
    assert {*edited.split("\n")} - {*BY_HAND.split("\n")} == {"temperature = 0.5"}


@pytest.mark.parametrize("name", [*PIECES])
def test_a_copy_comes_last_and_differs_in_its_name(tmp_path: Path, name: str) -> None:
    """What was there is the beginning of what is there now."""
    workspace = by_hand(tmp_path)

    table = copy_model(workspace, name, "new")

    assert workspace.models_file.read_text().startswith(BY_HAND)
    assert names(workspace) == [*PIECES, "new"]
    assert table.model_copy(update={"name": name}) == models_on_file(workspace)[name][0]


def test_values_change_in_their_place(tmp_path: Path) -> None:
    """Inline tables, sub-tables and comments behind a value included; a renamed model keeps its place."""
    workspace = by_hand(tmp_path)

    edit_model(workspace, "quick", {"price.input": 0.5, "name": "fast"})
    table = edit_model(workspace, "slow", {"limits.requests_per_minute": 60, "timeout_s": 10}, ["wire"])

    text = workspace.models_file.read_text()
    assert 'name = "fast"   # as I call it' in text and "# a guess" in text and "# it thinks" in text
    assert names(workspace) == ["fast", "slow", "third"]
    assert (table.limits and table.limits.requests_per_minute, table.timeout_s, table.wire) == (60, 10, "")


@pytest.mark.parametrize(
    "body",
    [
        "limits.max_in_flight = 2",
        "limits = { max_in_flight = 2 }",
        "[models.limits]\nmax_in_flight = 2",
        "[models.limits]\n# how many\nmax_in_flight = 2 # at once\n",
    ],
)
def test_a_table_goes_with_its_last_key(tmp_path: Path, body: str) -> None:
    """However it is written."""
    workspace = by_hand(tmp_path, f'[[models]]\nname = "a"\nmodel = "m"\n{body}\n')

    table = edit_model(workspace, "a", {}, ["limits.max_in_flight"])

    assert table.limits is None
    assert tomllib.loads(workspace.models_file.read_text()) == {"models": [{"name": "a", "model": "m"}]}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file that a link leads to is changed, in its own folder."""
    workspace = by_hand(tmp_path / "work")
    real = tmp_path / "work" / "real.toml"
    workspace.models_file.rename(real)
    workspace.models_file.symlink_to(real)

    add_model(workspace, "new", {"model": "gpt-5"})

    assert workspace.models_file.is_symlink()
    assert real.read_text().startswith(BY_HAND) and 'name = "new"' in real.read_text()


def test_no_link_leads_out_of_the_workspace(tmp_path: Path) -> None:
    """Whoever made the folder would have another file read, and changed."""
    workspace = by_hand(tmp_path / "work")
    workspace.models_file.rename(tmp_path / "real.toml")
    workspace.models_file.symlink_to(tmp_path / "real.toml")

    with pytest.raises(ConfigError, match=r"models\.toml: leads out of .*work by a link; put a copy of the file in its place"):
        add_model(workspace, "new", {"model": "gpt-5"})
    assert (tmp_path / "real.toml").read_text() == BY_HAND


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[models]]\nname = "a"\nmodel = "m"\n[[models]\n', "models.toml: not valid TOML"),
        ('[[models]]\nname = "a"\nmodel = 5\n', "models.toml:3"),
        ('[[models]]\nname = "a"\nmodel = "m"\nmodell = "n"\n', "models.toml:4"),
        ('[[models]]\nname = "a"\nmodel = "m"\n[[models]]\nname = "a"\nmodel = "m"\n', "models.toml:5"),
        ("names = 1\n", "models.toml:1"),
        ('models = [{ name = "a", model = "m" }]\n', "edit it by hand"),
        ('[["models"]]\nname = "a"\nmodel = "m"\n', "edit it by hand"),
    ],
)
@pytest.mark.parametrize("change", ["add", "edit", "copy", "delete", "put"])
def test_a_damaged_file_is_never_overwritten(tmp_path: Path, text: str, said: str, change: str) -> None:
    """It is refused with file and line, and stays as it is, byte for byte."""
    workspace = by_hand(tmp_path, text)
    changes = {
        "add": lambda: add_model(workspace, "b", {"model": "m"}),
        "edit": lambda: edit_model(workspace, "a", {"timeout_s": 5}),
        "copy": lambda: copy_model(workspace, "a", "b"),
        "delete": lambda: delete_model(workspace, "a"),
        "put": lambda: put_models(workspace, {"b": {"model": "m"}}),
    }

    with pytest.raises(ConfigError, match=said.replace(".", r"\.")):
        changes[change]()

    assert workspace.models_file.read_text() == text
    assert {path.name for path in workspace.models_file.parent.iterdir()} == {".gitignore", ".lock", "models.toml"}


def test_what_would_be_cut_wrongly_is_not_changed(tmp_path: Path) -> None:
    """Where a text looks like a comment on the next model, say: the new file is read before it takes its place."""
    text = '[[models]]\nname = "a"\nmodel = "m"\nreasoning_effort = """\n# q"""\n[[models]]\nname = "b"\nmodel = "m"\n'
    workspace = by_hand(tmp_path, text)

    with pytest.raises(ConfigError, match="edit it by hand"):
        delete_model(workspace, "b")

    assert workspace.models_file.read_text() == text


KEY = "sk-proj-" + "a1B2" * 8


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key_env": KEY},
        {"api_key_env": "a1b2c3d4" * 4},
        {"api_key": "anything"},
        {"organization_env": KEY},
        {"extra_body.api_key": "short"},
        {"extra_body": {"headers": {"Authorization": "Bearer x"}}},
        {"extra_body": {"a": [{"x-api-key": "x"}]}},
        {"extra_body.note": f"Bearer {KEY}"},
        {"routing.token": "x"},
        {"headers": {"a": "b"}},
        {"base_url": f"https://me:{KEY}@host/v1"},
        {"base_url": f"https://{KEY}@host/v1"},
        {"base_url": f"https://host/v1?api-key={KEY}"},
        {"base_url": f"https://host/v1?code={KEY}"},
        {"price.source": KEY},
        {"target_mode": f" {KEY} "},
    ],
)
def test_a_key_is_refused_and_not_repeated(tmp_path: Path, settings: dict[str, Any]) -> None:
    """Keys belong into .env: what looks like one, or is a place for one, never reaches the file, nor the message."""
    workspace = by_hand(tmp_path)

    for change in (
        lambda: add_model(workspace, "new", {"model": "m"} | settings),
        lambda: edit_model(workspace, "slow", settings),
    ):
        with pytest.raises(ConfigError, match="tui-eval keys set") as refused:
            change()
        assert KEY not in str(refused.value) and "a1b2c3d4" not in str(refused.value)

    assert workspace.models_file.read_text() == BY_HAND


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "https://host/v1?api-version=2024-10-21"},
        {"base_url": "https://${HOST}/v1?key=${MY_KEY}"},
        {"extra_body.max_thinking_tokens": 5, "limits.tokens_per_minute": 5},
        {"api_key_env": "MY_VERY_LONG_NAME_OF_A_VARIABLE_THAT_HOLDS_2_KEYS"},
        {"model": "ft:gpt-4o:me::" + "a1b2" * 9},
        {"price.source": "openai_api_docs_2026-03"},
    ],
)
def test_what_only_resembles_a_key_is_kept(tmp_path: Path, settings: dict[str, Any]) -> None:
    """Limits in tokens, names of variables, ids of models."""
    if "price.source" in settings:
        settings = {**settings, "price.input": 1, "price.output": 2}

    add_model(Workspace(tmp_path), "new", {"model": "m"} | settings)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda w: add_model(w, "quick", {"model": "m"}), "already"),
        (lambda w: copy_model(w, "slow", "quick"), "already"),
        (lambda w: edit_model(w, "slow", {"name": "quick"}), "already"),
        (lambda w: copy_model(w, "slwo", "x"), "did you mean 'slow'"),
        (lambda w: edit_model(w, "slwo", {"timeout_s": 1}), "did you mean 'slow'"),
        (lambda w: delete_model(w, "slwo"), "did you mean 'slow'"),
        (lambda w: add_model(w, "a,b", {"model": "m"}), "no comma"),
        (lambda w: add_model(w, "a\x1b[2J", {"model": "m"}), "visible"),
        (lambda w: add_model(w, " ", {"model": "m"}), "visible"),
        (lambda w: add_model(w, "new", {}), "model: is missing"),
        (lambda w: add_model(w, "new", {"model": "m", "wier": "x"}), "did you mean 'wire'"),
        (lambda w: add_model(w, "new", {"model": "m", "wire": "opena"}, wire_problem), "did you mean 'openai'"),
        (lambda w: add_model(w, "new", {"model": "m"}, wire_problem), "cannot be guessed"),
        (lambda w: edit_model(w, "slow", {"status": "gone"}), "status"),
        (lambda w: edit_model(w, "slow", {"timeout_s.x": 1}), "is a value, not a table"),
        (lambda w: edit_model(w, "slow", {"price.input": 1}), "price.output: is missing"),
        (lambda w: edit_model(w, "slow", {}, ["temperature"]), "no such key"),
        (lambda w: edit_model(w, "slow", {}, ["model"]), "model: is missing"),
        (lambda w: edit_model(w, "slow", {"base_url": "localhost:80"}), "https://host"),
        (lambda w: put_models(w, {"new": {"model": "gpt-5"}, "slow": {"status": "gone"}}), "status"),
    ],
)
def test_what_cannot_be_is_refused_whole(tmp_path: Path, change: Any, said: str) -> None:
    """With what to do about it; the file is as before."""
    workspace = by_hand(tmp_path)

    with pytest.raises(ConfigError) as refused:
        change(workspace)

    assert said in str(refused.value)
    assert workspace.models_file.read_text() == BY_HAND


def test_a_file_that_cannot_be_replaced_is_named(tmp_path: Path) -> None:
    """A folder in its place, for example; nothing is left behind."""
    (tmp_path / "x.toml").mkdir()

    with pytest.raises(ConfigError, match="cannot be written"):
        replace_file(tmp_path / "x.toml", "a = 1\n")

    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


# ------------------------------------------------------------------------------------------------------------ any changes

some_names = st.sampled_from(["quick", "slow", "third", "new", "a b", 'q"uote', "ünï", "x.y"])
some_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
some_settings = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["gpt-5", "o'3", "a\\b", '"""', "#"]),
        "wire": st.sampled_from(["openai", "gemini"]),
        "temperature": st.sampled_from([0, 0.5, 1e-3]),
        "price": st.just({"input": 1, "output": 2.5}),
        "price.cached_input": st.just(0.1),
        "limits.max_in_flight": st.integers(1, 9),
        "reasoning_effort": some_text,
        "extra_body.note": some_text,
        "extra_body": st.dictionaries(some_text.filter(bool), st.lists(st.booleans() | some_text, max_size=2), max_size=2),
        "name": some_names,
    },
)
some_changes = st.lists(
    st.tuples(st.just("add"), some_names, some_settings)
    | st.tuples(st.just("edit"), some_names, some_settings)
    | st.tuples(st.just("unset"), some_names, st.sampled_from(["price", "price.input", "extra_body.note", "limits", "wire"]))
    | st.tuples(st.just("copy"), some_names, some_names)
    | st.tuples(st.just("enable"), some_names, st.booleans())
    | st.tuples(st.just("delete"), some_names, st.none()),
    max_size=12,
)


def changed(workspace: Workspace, what: str, name: str, detail: Any) -> None:
    {
        "add": lambda: add_model(workspace, name, {"model": "m"} | detail),
        "edit": lambda: edit_model(workspace, name, detail),
        "unset": lambda: edit_model(workspace, name, {}, [detail]),
        "copy": lambda: copy_model(workspace, name, detail),
        "enable": lambda: set_enabled(workspace, name, detail),
        "delete": lambda: delete_model(workspace, name),
    }[what]()


@few
@given(some_changes)
def test_any_changes_leave_a_file_that_loads(tmp_path_factory: pytest.TempPathFactory, changes: list[Any]) -> None:
    """Whatever is done, in whatever order: the file loads, the models not named are as they were, and so is their text."""
    workspace = by_hand(tmp_path_factory.mktemp("models"))
    for what, name, detail in changes:
        before, models = workspace.models_file.read_text(), tomllib.loads(workspace.models_file.read_text()).get("models", [])
        try:
            changed(workspace, what, name, detail)
        except ConfigError:
            assert workspace.models_file.read_text() == before
            continue
        after = tomllib.loads(workspace.models_file.read_text()).get("models", [])
        others = [model for model in models if model["name"] != name]
        assert [model for model in after if model in others] == others
        assert models_on_file(workspace) is not None
    untouched = set(PIECES) - {name for _, name, _ in changes}
    assert all(PIECES[name].strip() in workspace.models_file.read_text() for name in untouched)
    assert "# my models\n# (two lines)\n" in workspace.models_file.read_text()


def test_crlf_files_can_be_changed(tmp_path: Path) -> None:
    """A file written on Windows."""
    workspace = by_hand(tmp_path)
    workspace.models_file.write_bytes(BY_HAND.replace("\n", "\r\n").encode())

    edit_model(workspace, "slow", {"timeout_s": 5})
    delete_model(workspace, "quick")
    copy_model(workspace, "third", "fourth")

    assert names(workspace) == ["slow", "third", "fourth"]


# ---------------------------------------------------------------------------------------------------------- two processes

ADD = """
import sys, tomlkit
from pathlib import Path
from tui_eval.models.catalogue import add_model
from tui_eval.workspace.places import Workspace
print("ready", flush=True)
sys.stdin.readline()
for i in range(15):
    add_model(Workspace(Path(sys.argv[1])), f"{sys.argv[2]}{i}", {"model": "gpt-5"})
"""


@pytest.mark.soak
def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    """Each adds its own models to one file at the same time; all are there in the end."""
    none_on_file(tmp_path)
    commands = [[sys.executable, "-c", ADD, str(tmp_path), name] for name in "abc"]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for command in commands]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)

    assert [process.returncode for process in processes] == [0, 0, 0]

    assert sorted(names(Workspace(tmp_path))) == sorted(f"{name}{i}" for name in "abc" for i in range(15))
    assert sorted(path.name for path in (tmp_path / ".conf").iterdir()) == [".gitignore", ".lock", "models.toml"]


def test_a_gitignore_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    """The tool writes one where there is none."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / ".gitignore").write_text("models.toml\n")

    with private_folder(Workspace(tmp_path)) as folder:
        assert (folder / ".gitignore").read_text() == "models.toml\n"


@pytest.mark.soak
def test_tomlkit_is_loaded_by_changes_alone() -> None:
    """Commands that change no model start without it."""
    code = "import sys, tui_eval.cli.model_commands, tui_eval.cli.running; sys.exit('tomlkit' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
