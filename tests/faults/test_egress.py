"""Egress is one table: nothing is read, and no host asked, that is not in it; its hash is the yes where nobody can be asked."""

from __future__ import annotations

import base64
import io
import json
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Peer, asked, panel, run_here, simulated_by, strict_json, write_config
from foreign_folder import theirs
from kill_scenarios import KEY_VARIABLE, Scenario, written
from kill_tables import TABLES
from own_folder import own
from terminal import Terminal

from tui_eval.cli.command_line import main
from tui_eval.cli.egress_text import ask
from tui_eval.configuring.egress import ALLOWED, EgressError, EgressQuestion
from tui_eval.configuring.loading import Loaded, complete, load
from tui_eval.configuring.preparing import prepare
from tui_eval.configuring.reopening import reopen
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.trust import LOOKS_ONLY, Permit, permit, record_of, trust_host

HOST = "gateway.example"
SHAPES = [(kind, shape) for kind, tables in TABLES.items() for shape in tables]


@pytest.fixture(autouse=True)
def values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for every model, and no hash from outside."""
    monkeypatch.setenv(KEY_VARIABLE, "sk-any")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-persons-own")
    for name in (ALLOWED, LOOKS_ONLY):
        monkeypatch.setenv(name, "")  # so that what a test sets is undone
        monkeypatch.delenv(name)


def config(folder: Path, documents: list[str], **model: Any) -> Path:
    """A panel with one model at a host that is no provider's, shown documents, in a folder of the person's own."""
    table = {"name": "m", "wire": "openai", "model": "m", "base_url": f"https://{HOST}/v1", **model}
    content = panel([table], [asked("m")])
    content["panel"]["documents"] = documents
    return write_config(folder, content)


def small(folder: Path) -> str:
    """A run of one simulated call, whose config lies in a folder of others."""
    folder.mkdir(exist_ok=True)
    content = panel([{"name": "m", "wire": "simulator", "model": "sim-sprinter"}], [asked("m")])
    content["panel"]["questions"] = ["Is it so?"]
    return str(write_config(folder, content, of_others=True))


def wanted(loaded: Loaded, workspace: Workspace) -> set[tuple[str, str, str]]:
    """What a person would be asked about."""
    found = EgressQuestion.of(loaded.egress, loaded.file, workspace).permits
    return {(each.sort, each.what, each.host) for each in found}


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
def test_whatever_is_read_is_in_the_table(kind: str, shape: str, tmp_path: Path) -> None:
    """Of every kind and shape: each file that a run holds, but for those that come with the program or stand in the config, is
    in the table by its path, and each host that a model is asked at, too; files that nothing names are not."""
    path = written(Scenario(kind, "openai", "openai", shape), "http://127.0.0.1:1/v1", tmp_path, max_cost_usd=5.0)
    (tmp_path / "not named.md").write_text("nobody asked for this")
    loaded = load(path, Workspace(tmp_path))

    table = loaded.egress.entry()
    read = {os.path.realpath(file.origin) for file in loaded.provenance if file.origin}
    read = {each for each in read if not each.startswith(os.path.realpath(shipped("")))}
    assert read <= {os.path.realpath(tmp_path / name) for name in table["files"]} | set(table["outside"])
    assert "not named.md" not in json.dumps(table)
    assert {one["host"] for one in table["hosts"]} == {"127.0.0.1:1"} and len(table["hash"]) == 32


async def test_a_host_that_is_not_in_the_table_is_not_asked(tmp_path: Path, peer: Peer) -> None:
    """Whatever makes a model's address another one after the table was made: the call fails, and nothing is sent."""
    from fault_bench import RunOptions, keys_of, run

    loaded = load(write_config(tmp_path, panel([simulated_by(peer.url, "m", "bench")], [asked("m")])), Workspace(tmp_path))
    elsewhere = replace(loaded.egress.hosts[0], host="other.example", reached="other.example")
    loaded = replace(loaded, egress=replace(loaded.egress, hosts=(elsewhere,)))
    prepare(loaded, tmp_path / "run", lambda text: text, [])

    ended = await run(tmp_path / "run", loaded, keys_of(loaded), RunOptions(check_first=False))

    assert ended.exit_code == 3 and not peer.simulator.arrivals
    assert "not in the table of what leaves" in (tmp_path / "run" / "call_logs.jsonl").read_text()


def test_files_from_elsewhere_need_a_yes_for_each_host(tmp_path: Path) -> None:
    """A path, a link and a file of a folder that is named; by the folder's permit all that is in it, links in it that lead out
    excepted."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (there / name).write_text(f"Text {name}.")
    (here / "link.md").symlink_to(there / "b.md")
    workspace = Workspace(here)
    real = os.path.realpath(there)
    named = [str(there / "a.md"), "link.md"]

    planned = load(config(here, named), workspace, sends=False)
    assert wanted(planned, workspace) == {("file", f"{real}/{name}", HOST) for name in ("a.md", "b.md")}
    with pytest.raises(EgressError, match=r"link\.md"):
        load(config(here, named), workspace)
    permit(here, [Permit("file", f"{real}/a.md", HOST), Permit("file", f"{real}/b.md", "other.example")])
    assert wanted(planned, workspace) == {("file", f"{real}/b.md", HOST)}

    with pytest.raises(EgressError, match=r"would be looked through|what lies in"):
        load(config(here, [f"{there}/*.md"]), workspace, sends=False)
    permit(here, [Permit("file", f"{real}/", HOST)])
    loaded = load(config(here, [f"{there}/*.md", "link.md"]), workspace)
    assert len(loaded.evaluation.files) == 4 and [one.real for one in loaded.egress.outside] == [f"{real}/", f"{real}/b.md"]
    (tmp_path / "secret.md").write_text("Not here.")
    (there / "d.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(EgressError, match=r"secret\.md"):
        load(config(here, [f"{there}/*.md"]), workspace)


HOLES: list[tuple[dict[str, str], str, dict[str, str]]] = [
    ({"base_url": "http://${EVIL_HOST}:${DATABASE_URL}/v1"}, "DATABASE_URL", {"EVIL_HOST": "203.0.113.5:8080/x"}),
    ({"base_url": "http://${EVIL_HOST}:${DATABASE_URL}/v1"}, "DATABASE_URL", {"EVIL_HOST": "127.0.0.1:8080/x"}),
    ({"base_url": "http://${EVIL_HOST}:${DATABASE_URL}/v1"}, "DATABASE_URL", {"EVIL_HOST": "203.0.113.5"}),
    ({"base_url": "http://api.openai.com/v1", "api_key_env": "OPENAI_API_KEY"}, "OPENAI_API_KEY", {}),
    (
        {"wire": "azure", "base_url": "https://theirs.openai.azure.com/v1", "api_key_env": "OPENAI_API_KEY"},
        "OPENAI_API_KEY",
        {},
    ),
]
"""Addresses of strangers that a value went to without a question, and what their folder sets."""


@pytest.mark.parametrize(("model", "name", "values_there"), HOLES, ids=[str(one[0]) + str(one[2]) for one in HOLES])
def test_no_value_goes_where_an_address_hides_it(
    model: dict[str, str], name: str, values_there: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as a port, not in clear text to a provider, not to a customer's resource at one."""
    monkeypatch.setenv("DATABASE_URL", "postgres-of-mine/with-a-password")
    (tmp_path / ".env").write_text("".join(f"{key}={value}\n" for key, value in values_there.items()))
    table = {"name": "m", "wire": "openai", "model": "m", **model}
    loaded = load(write_config(tmp_path, panel([table], [asked("m")]), of_others=True), Workspace(tmp_path), sends=False)

    assert name in {what for sort, what, _ in wanted(loaded, Workspace(tmp_path)) if sort == "key"}


@pytest.mark.parametrize("url", ["http://127.0.0.1:9200/containers/create#", "https://\u0430pi.openai.com/v1"])
def test_addresses_that_mislead_are_refused(url: str, tmp_path: Path) -> None:
    """One that swallows the path behind it, and one whose letters only look like a provider's."""
    table = {"name": "m", "wire": "openai", "model": "m", "base_url": url}
    with pytest.raises(ConfigError, match=r"swallow|ASCII"):
        load(write_config(tmp_path, panel([table], [asked("m")])), Workspace(tmp_path), sends=False)


def test_no_file_of_keys_and_no_text_elsewhere_is_read_along(tmp_path: Path) -> None:
    """A .env of any folder; a text that lies behind a link where a run folder keeps what its documents say; a prompt of the
    workspace that is named as a document by a config from elsewhere; what a simulated run copied from elsewhere.
    """
    theirs_, mine = tmp_path / "theirs", tmp_path / "mine"
    (theirs_ / "inputs" / "documents").mkdir(parents=True)
    (mine / "prompts").mkdir(parents=True)
    (theirs_ / ".env").write_text("A=b\n")
    (theirs_ / "inputs" / "documents" / "diary").write_text("harmless")
    (mine / "diary.txt").write_text("private")
    (mine / "prompts" / "mine.md").write_text("private")
    (theirs_ / "inputs" / "text").symlink_to(mine)
    workspace = Workspace(mine)
    with pytest.raises(ConfigError, match="holds your keys"):
        load(config(theirs_, [".env"]), workspace)
    loaded = load(config(theirs_, ["inputs/documents/diary"]), workspace, sends=False)
    assert not any(file.text == "private" for file in loaded.evaluation.files)
    loaded = load(config(theirs_, [str(mine / "prompts" / "mine.md")]), workspace, sends=False)
    assert [one.real for one in loaded.egress.outside] == [os.path.realpath(mine / "prompts" / "mine.md")]

    copied = tmp_path / "stranger"
    (copied / "runs" / "a" / "inputs").mkdir(parents=True)
    (copied / "runs" / "a" / "inputs" / "hosts.yml").write_text("private")
    table = {"name": "m", "wire": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    content = panel([table], [asked("m")])
    content["panel"]["documents"] = ["runs/*/inputs/*"]
    with pytest.raises(EgressError, match=r"hosts\.yml"):
        load(write_config(copied, content, of_others=True), Workspace(copied))


def test_what_a_config_says_of_itself_switches_nothing_off(tmp_path: Path) -> None:
    """`inputs = []` makes no run folder: private keys are looked for all the same."""
    (tmp_path / "key.md").write_bytes(KEY_FILES["openssh"])
    path = config(tmp_path, ["key.md"])
    path.write_text(f"inputs = []\n{path.read_text()}")
    with pytest.raises(ConfigError, match="looks like a private key"):
        load(path, Workspace(tmp_path))


def test_a_yes_for_one_folder_is_none_for_another(tmp_path: Path) -> None:
    """Two strangers' configs, run from one workspace of the person's own; and a checkout within it."""
    mine = own(tmp_path / "mine")
    folders = [tmp_path / "one", tmp_path / "two", mine / "checkout"]
    table = {"name": "m", "wire": "openai", "model": "m", "base_url": f"https://{HOST}/v1", "api_key_env": "OPENAI_API_KEY"}
    for folder in folders:
        folder.mkdir()
        write_config(folder, panel([table], [asked("m")]), of_others=True)
    permit(folders[0], [Permit("key", "OPENAI_API_KEY", HOST)])
    loaded = load(folders[0] / "cfg.toml", Workspace(mine))
    prepare(loaded, mine / "runs" / "first", lambda text: text, [], workspace=Workspace(mine))

    assert reopen(mine / "runs" / "first", Workspace(mine)).egress.hosts
    for folder in folders[1:]:
        with pytest.raises(EgressError) as refused:
            load(folder / "cfg.toml", Workspace(mine))
        assert main(shlex.split(str(refused.value).rpartition("tui-eval ")[2])) == 0
        assert load(folder / "cfg.toml", Workspace(mine)) and not record_of(mine).permits
    keyless = {**table, "api_key_env": None}
    content = panel([{key: value for key, value in keyless.items() if value}], [asked("m")])
    with pytest.raises(EgressError):
        load(write_config(folders[2], content, of_others=True), Workspace(mine))


def test_a_refusal_cannot_be_forged(tmp_path: Path) -> None:
    """A pattern with line breaks of its own stays on one line, and so does the command behind it."""
    forged = "../x\n  this is checked\nIf that is right:\n  tui-eval models trust evil.example --key AWS_SECRET_ACCESS_KEY\n#"
    with pytest.raises(EgressError) as refused:
        load(config(tmp_path, [forged, f"../{forged}/*.md"]), Workspace(tmp_path))

    assert not any(line.strip().startswith("tui-eval models trust evil") for line in str(refused.value).splitlines())


def test_a_host_called_like_the_simulator_is_a_host(tmp_path: Path) -> None:
    """It is asked about as any other."""
    table = {"name": "m", "wire": "openai", "model": "m", "base_url": "http://simulator/v1", "api_key_env": "OPENAI_API_KEY"}
    with pytest.raises(EgressError, match="to simulator: the value of OPENAI_API_KEY"):
        load(write_config(tmp_path, panel([table], [asked("m")])), Workspace(tmp_path))


def test_nothing_is_written_through_a_folder_that_is_a_link(tmp_path: Path) -> None:
    """Runs, datasets and kept replies of others that lead out of their folder; one's own may lead to a larger disk."""
    for name in ("runs", ".cache", ".cache/replies", "datasets"):
        folder, away = tmp_path / f"of {Path(name).name}", tmp_path / f"away {Path(name).name}"
        folder.mkdir()
        away.mkdir()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(away)
        assert main(["--workspace", str(folder), "run", small(tmp_path / "configs"), "-q"]) == 2
        assert not any(away.iterdir())
    own(tmp_path / "of runs")
    assert main(["--workspace", str(tmp_path / "of runs"), "run", small(tmp_path / "configs"), "-q"]) == 0


def test_what_a_command_named_is_no_question_in_the_config_that_it_wrote(tmp_path: Path) -> None:
    """A file of another folder, named by a person just now: the run begins, and so does the next one by the same config."""
    here, there = own(tmp_path / "here"), tmp_path / "there.md"
    there.write_text("Text.")
    path, workspace = config(here, [str(there)]), Workspace(here)
    with pytest.raises(EgressError):
        load(path, workspace)
    loaded = complete(replace(read_toml(path), by_words=True), workspace)
    prepare(loaded, tmp_path / "run", lambda text: text, [], workspace=workspace)

    assert load(path, workspace).egress.outside[0].real == os.path.realpath(there)


def test_no_pattern_leaves_its_folder_unasked(tmp_path: Path) -> None:
    """By dots, by a path from the root, by a folder that is a link, before any of it is listed; in order, as a shell has it."""
    here = tmp_path / "here"
    (here / "docs" / "deep").mkdir(parents=True)
    for name in ("docs/b.md", "docs/a.md", "docs/deep/c.md", "docs/.hidden.md", "docs/d.txt"):
        (here / name).write_text("Text.")
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "x.md").write_text("Away.")
    (here / "up").symlink_to(tmp_path / "away")
    workspace = Workspace(here)

    for pattern in ("../*/x.md", "/**/*.md", "up/*.md", "*/*/../../../away/*.md", f"{tmp_path}/*/x.md", "../away/x.m?"):
        with pytest.raises(EgressError) as refused:
            load(config(here, [pattern]), workspace, sends=False)
        assert refused.value.egress.not_looked_through and "models trust" in str(refused.value), pattern
    found = load(config(here, ["docs/*.md", "**/c.md"]), workspace).egress.files
    assert found == ("docs/a.md", "docs/b.md", "docs/deep/c.md")
    with pytest.raises(ConfigError, match="is not a pattern"):
        load(config(here, ["docs/**x/*.md"]), workspace)
    with pytest.raises(ConfigError, match="nothing matches"):
        load(config(here, ["docs/*.pdf"]), workspace)


def test_prompts_are_not_followed_out_of_their_folder(tmp_path: Path) -> None:
    """The workspace's own, one that a config names, and a link within the folder, which is followed."""
    away = tmp_path / "away.md"
    away.write_text("{question} {document}")
    here = tmp_path / "here"
    folder = here / "prompts" / "panel"
    folder.mkdir(parents=True)
    (here / "a.md").write_text("Text.")
    (folder / "doer_user.md").symlink_to(away)
    workspace = Workspace(here)
    with pytest.raises(ConfigError, match="is a link out of its folder"):
        load(config(here, ["a.md"]), workspace, sends=False)

    (folder / "doer_user.md").unlink()
    (folder / "real.md").write_text("{question} {document}")
    (folder / "doer_user.md").symlink_to("real.md")
    loaded = load(config(here, ["a.md"]), workspace)
    assert "prompts/panel/real.md" in loaded.egress.files

    path = config(here, ["a.md"])
    path.write_text(path.read_text() + '\n[panel.prompts]\ndoer_user = { file = "mine.md" }\n')
    (here / "mine.md").symlink_to(away)
    with pytest.raises(ConfigError, match="is a link out of its folder"):
        load(path, workspace)


def test_the_hash_is_the_yes_where_nobody_can_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It allows that very table: not another host, another variable, another file, nor when a `.env` of the folder names it."""
    (tmp_path / "a.md").write_text("Text.")
    path, workspace = config(tmp_path, ["a.md"], api_key_env="OPENAI_API_KEY"), Workspace(tmp_path)
    words = ["--workspace", str(tmp_path), "run", str(path), "--dry-run", "--egress"]
    assert main([*words, "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["files"] == ["a.md"] and table["hosts"][0]["variables"] == ["OPENAI_API_KEY"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert table["hash"] in said.out and "models trust" in said.err and "sk-the" not in said.out + said.err

    (tmp_path / ".env").write_text(f"{ALLOWED}={table['hash']}\n")
    with pytest.raises(EgressError, match=table["hash"]):
        load(path, workspace)
    monkeypatch.setenv(ALLOWED, f"{'0' * 32} {table['hash']}")
    assert load(path, workspace).egress.hash == table["hash"]
    (tmp_path / "b.md").write_text("More.")
    for changed in (
        config(tmp_path, ["a.md", "b.md"], api_key_env="OPENAI_API_KEY"),
        config(tmp_path, ["a.md"], api_key_env=KEY_VARIABLE),
        config(tmp_path, ["a.md"], api_key_env="OPENAI_API_KEY", base_url="https://other.example/v1"),
    ):
        content = changed.read_text()
        with pytest.raises(EgressError):
            load(changed, workspace)
        assert content != path.read_text() or changed == path
    assert not record_of(tmp_path).permits


async def test_the_hash_stands_in_the_manifest_and_holds_for_a_resume(
    tmp_path: Path, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where home has no yes: a run that was begun by its hash is taken up again by the same."""
    elsewhere = peer.url.replace("127.0.0.1", "127.0.0.2")
    model = {"name": "far", "wire": "openai", "model": "bench", "base_url": elsewhere, "api_key_env": "OPENAI_API_KEY"}
    content = panel([model], [asked("far")])
    path = write_config(tmp_path, content)
    planned = load(path, Workspace(tmp_path), sends=False)
    monkeypatch.setenv(ALLOWED, planned.egress.hash)

    life = await run_here(content, tmp_path)

    assert strict_json((life.path / "manifest.json").read_bytes())["egress"]["hash"] == planned.egress.hash
    assert reopen(life.path, Workspace(tmp_path)).egress.hash == planned.egress.hash
    monkeypatch.delenv(ALLOWED)
    with pytest.raises(EgressError):
        reopen(life.path, Workspace(tmp_path))


def test_a_folder_of_others_asks_for_more(tmp_path: Path) -> None:
    """Keys to this machine, hosts without a key, another variable to a provider; in one's own nothing of it is asked."""
    cases: list[tuple[dict[str, str], set[tuple[str, str, str]]]] = [
        ({"base_url": "http://127.0.0.1:9/v1"}, set()),
        ({"base_url": "http://127.0.0.1:9/v1", "api_key_env": "OPENAI_API_KEY"}, {("key", "OPENAI_API_KEY", "127.0.0.1:9")}),
        ({"base_url": f"https://{HOST}/v1"}, {("host", "", HOST)}),
        ({"base_url": "https://api.openai.com/v1", "api_key_env": "OPENAI_API_KEY"}, set()),
        ({"base_url": "https://api.openai.com/v1", "api_key_env": KEY_VARIABLE}, {("key", KEY_VARIABLE, "api.openai.com")}),
    ]
    for number, (model, asked_for) in enumerate(cases):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        table = {"name": "m", "wire": "openai", "model": "m", **model}
        path = write_config(folder, panel([table], [asked("m")]), of_others=True)
        loaded = load(path, Workspace(folder), sends=False)
        assert wanted(loaded, Workspace(folder)) == asked_for, model
        own(folder)
        assert not wanted(loaded, Workspace(folder)), model


@pytest.mark.parametrize("answer", ["y", "n", ""])
async def test_a_run_of_others_is_asked_about_when_it_is_taken_up(
    answer: str, tmp_path: Path, peer: Peer, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it would send stands there; a yes is put on record, and the run can be taken up; anything else sends nothing."""
    elsewhere = peer.url.replace("127.0.0.1", "127.0.0.2")
    model = {"name": "far", "wire": "openai", "model": "bench", "base_url": elsewhere, "api_key_env": "OPENAI_API_KEY"}
    trust_host(Workspace(tmp_path), elsewhere, ["OPENAI_API_KEY"])
    life = await run_here(panel([model], [asked("far")]), tmp_path)
    Workspace(tmp_path).trust_file.unlink()
    with pytest.raises(EgressError) as refused:
        reopen(life.path, Workspace(tmp_path))

    assert ask(refused.value, Workspace(tmp_path), io.StringIO(f"{answer}\n")) == (answer or "n")

    assert "the value of OPENAI_API_KEY" in capsys.readouterr().err
    if answer == "y":
        assert reopen(life.path, Workspace(tmp_path)).egress.hosts
    else:
        assert not record_of(tmp_path).permits


def test_a_folder_in_which_nothing_lay_is_ones_own(tmp_path: Path) -> None:
    """The first run makes it so; a folder that held something stays one of others, and so does a copy of one's own."""
    empty, full = tmp_path / "empty", tmp_path / "full"
    for folder in (empty, full):
        folder.mkdir()
    (full / "notes.txt").write_text("Somebody's.")
    for folder in (empty, full):
        assert main(["--workspace", str(folder), "run", small(tmp_path / "configs"), "-q"]) == 0
    assert record_of(empty).own and not record_of(full).own
    empty.rename(tmp_path / "moved")
    assert not record_of(tmp_path / "moved").own


KEY_TEXT = "-----BEGIN {}PRIVATE KEY{}-----\nMIIEow\n-----END {}PRIVATE KEY{}-----\n"
KEY_FILES = {
    "pkcs8": KEY_TEXT.format("", "", "", "").encode(),
    "rsa": KEY_TEXT.format("RSA ", "", "RSA ", "").encode(),
    "openssh": KEY_TEXT.format("OPENSSH ", "", "OPENSSH ", "").encode(),
    "encrypted": KEY_TEXT.format("ENCRYPTED ", "", "ENCRYPTED ", "").encode(),
    "pgp": KEY_TEXT.format("PGP ", " BLOCK", "PGP ", " BLOCK").encode(),
    "utf-16": KEY_TEXT.format("EC ", "", "EC ", "").encode("utf-16"),
    "in a long text": b"x" * 3_000_000 + KEY_TEXT.format("RSA ", "", "RSA ", "").encode() + b"y" * 100,
}


@pytest.mark.parametrize("name", KEY_FILES)
def test_private_keys_are_refused_unless_that_very_file_is_named(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is simulated, own or allowed; a folder around the file is not the file."""
    (tmp_path / "docs").mkdir()
    file = tmp_path / "docs" / "key.md"
    file.write_bytes(KEY_FILES[name])
    content = panel([{"name": "m", "wire": "simulator", "model": "sim-scholar"}], [asked("m")])
    content["panel"] |= {"documents": ["docs/*.md"], "max_document_bytes": 10**7, "documents_as": "base64"}
    path = write_config(tmp_path, content)
    words = ["--workspace", str(tmp_path), "run", str(path), "--dry-run"]

    assert main(words) == 2 and "looks like a private key" in capsys.readouterr().err
    assert main([*words, "--allow-secret-file", str(tmp_path / "docs")]) == 2
    assert main(words) == 2
    capsys.readouterr()
    assert main([*words, "--allow-secret-file", str(file)]) == 0
    file.write_bytes(KEY_FILES[name].replace(b"PRIVATE", b"PUBLIC").replace("PRIVATE".encode("utf-16-le"), b""))
    assert main(words) == 0


def test_a_private_key_in_a_config_is_refused(tmp_path: Path) -> None:
    """An inline prompt is a text as any other."""
    content = panel([{"name": "m", "wire": "simulator", "model": "sim-scholar"}], [asked("m")])
    content["panel"]["prompts"] = {"doer_user": KEY_TEXT.format("RSA ", "", "RSA ", "") + "{question}{document}"}
    loaded_or_refused: list[str] = []
    try:
        loaded = load(write_config(tmp_path, content), Workspace(tmp_path))
        prepare(loaded, tmp_path / "run", lambda text: text, [])
    except ConfigError as error:
        loaded_or_refused.append(str(error))
    assert loaded_or_refused and "private key" in loaded_or_refused[0] and not (tmp_path / "run").exists()


def test_who_looks_only_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, peer: Peer) -> None:
    """By no verb, not even what is free; simulated models run."""
    monkeypatch.setenv(LOOKS_ONLY, "1")
    model = {"name": "m", "wire": "openai", "model": "bench", "base_url": peer.url}
    path = write_config(tmp_path, panel([model], [asked("m")]))
    here = ["--workspace", str(tmp_path)]
    assert (
        main([*here, "models", "add", "filed", "--set", "wire=openai", "--set", "model=x", "--set", f"base_url={peer.url}"])
        == 0
    )
    (tmp_path / "q.txt").write_text("Say hi.")

    assert main([*here, "run", str(path)]) == 2
    assert main([*here, "models", "check"]) == 3
    assert main([*here, "call", "filed", "--prompt", str(tmp_path / "q.txt")]) == 2
    assert main([*here, "run", str(path), "--dry-run"]) == 0 and not peer.simulator.arrivals
    assert main([*here, "run", small(tmp_path / "configs"), "-q"]) == 0


def test_a_key_in_base64_is_one_document_and_is_named(tmp_path: Path) -> None:
    """What is coded is not looked into: the refusal is for files as they lie there."""
    (tmp_path / "coded.md").write_bytes(base64.b64encode(KEY_FILES["rsa"]))
    assert load(config(tmp_path, ["coded.md"]), Workspace(tmp_path)).egress.files == ("coded.md",)


def test_the_command_line_asks_the_same(tmp_path: Path, peer: Peer) -> None:
    """What it brings and what would be sent; s plans, n ends with 2, y sends; nothing arrives before."""
    folder = theirs(tmp_path / "theirs", peer.url)
    words = ["--workspace", folder, "run", folder / "cfg.toml", "--no-preflight"]
    for key, code, seen in (("n", 2, "nothing was sent"), ("s", 0, "nothing is sent")):
        with Terminal(words, size=(200, 50)) as terminal:
            terminal.wait_for("[y/s/N]")
            terminal.send(f"{key}\r")
            terminal.wait_for(seen)
            assert terminal.end() == code
        assert not peer.simulator.arrivals
    with Terminal(words, size=(200, 50)) as terminal:
        terminal.wait_for("[y/s/N]")
        terminal.send("y\r")
        terminal.end()
    assert peer.simulator.arrivals and record_of(folder).own
    run = next((folder / "runs").iterdir())
    assert json.loads((run / "manifest.json").read_text())["egress"]["hosts"][0]["variables"] == ["OPENAI_API_KEY"]
