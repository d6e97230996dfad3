"""Laws of loading a config: everything a person has to mend is one clear error, told before anything is sent."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from makers import load_panel, panel_text, priced, refusal

from tui_eval.configuring.loading import Loaded, check_caps, load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "kind: is missing"),
        ('name = "x"\n[panel]\n', "kind: is missing"),
        ('kind = ["panel"]\n', "kind: "),
        ('\nkind = "panle"\n', "panel.toml:2: kind: no kind 'panle'; did you mean 'panel'?"),
        ('kind = "panel"\n', "the table [panel] is missing"),
        ('kind = "panel"\npanel = 3\n', "the table [panel] is missing"),
        ('kind = "panel"\n[pannel]\n', "panel.toml:2: pannel: unknown key; did you mean 'panel'?"),
        ('kind = "panel"\nrun = 3\n[panel]\n', "panel.toml:2: run: must be a table"),
        (
            'kind = "panel"\nmodels = 5\n[panel]\nquestions = ["a"]\ndoers = [{ model = "x" }]\n',
            "panel.toml:2: models: must be a list",
        ),
        (
            'kind = "panel"\n[models]\n[panel]\nquestions = ["a"]\ndoers = [{ model = "x" }]\n',
            "panel.toml:2: models: must be a list",
        ),
    ],
)
def test_the_frame_of_a_config_is_checked_first(tmp_path: Path, text: str, said: str) -> None:
    """A config without a kind, or with tables that are none, is refused in one line that names the key."""
    found = refusal(tmp_path, text=text)

    assert said in found
    assert "\n" not in found


BAD = {
    "unknown wire": (
        {"models": priced().replace('"openai"', '"openrouterr"')},
        ["models", "'openrouterr'", "did you mean 'openrouter'?"],
    ),
    "unknown model": ({"doers": '[[panel.doers]]\nmodel = "onee"\n'}, ["panel", "'onee'", "did you mean 'one'?"]),
    "duplicate model": (
        {"models": '[[models]]\nname = "one"\nwire = "simulator"\nmodel = "a"\n' * 2},
        [":12:", "models[1].name", "a second model named 'one'"],
    ),
    "no questions": ({"questions": ""}, ["questions", "none"]),
    "empty questions": ({"questions": 'questions = ["  ", ""]'}, ["panel.questions", "no questions"]),
    "two kinds of questions": (
        {"questions": 'questions = ["a"]\nquestions_file = "b.txt"'},
        ["questions and questions_file", "exactly one"],
    ),
    "no doers": ({"doers": "doers = []"}, ["panel.doers", "at least 1"]),
    "unequal truths": (
        {"questions": 'questions = ["What is one?", "What is two?"]\ntruths = ["1", "2", "3"]'},
        ["panel.truths", "3 given for 2 questions", "'What is one?'", "'3'"],
    ),
    "truths twice": (
        {"questions": 'questions = ["a"]\ntruths = ["b"]\ntruths_file = "t.txt"'},
        ["truths or truths_file"],
    ),
    "benchmark without truths": ({"rest": '[panel.benchmark]\nmode = "exact"'}, ["panel.benchmark", "needs expected answers"]),
    "scorer missing": (
        {"panel": 'truths = ["1", "2"]', "rest": '[panel.benchmark]\nmode = "llm"'},
        ["benchmark", "scorer"],
    ),
    "eleven doers": ({"doers": '[[panel.doers]]\nmodel = "one"\n' * 11}, ["11 doers", "at most 10", "max_rows"]),
    "eleven judges": ({"rest": '[[panel.judges]]\nmodel = "one"\n' * 11}, ["11 judges", "at most 10", "max_rows"]),
    "missing document": ({"panel": 'documents = ["nowhere.txt"]'}, ["panel.documents[0]", "nowhere.txt", "No such file"]),
    "pattern without match": ({"panel": 'documents = ["*.nothing"]'}, ["panel.documents[0]", "'*.nothing'"]),
    "impossible pattern": ({"panel": 'documents = ["a**b.txt"]'}, ["panel.documents[0]", "a**b.txt"]),
    "empty path": ({"panel": 'documents = ["  "]'}, ["panel.documents[0]", "empty path"]),
    "path with a NUL": ({"panel": 'documents = ["a\\u0000b"]'}, ["panel.documents[0]"]),
    "dataset that is no folder": ({"questions": 'dataset = "nowhere"'}, ["panel.dataset", "neither a dataset"]),
    "dataset and documents": (
        {"questions": 'dataset = "nowhere"', "panel": 'documents = ["a.txt"]'},
        ["dataset", "documents"],
    ),
    "name and password in the address": (
        {"models": priced().replace("http://", "http://me:pass@")},
        ["base_url", "name or password", "one"],
    ),
    "name and password before a variable": (
        {"models": priced().replace("http://127.0.0.1:9", "http://me:pass@${HOME}")},
        ["base_url", "name or password"],
    ),
    "no address": ({"models": priced().replace("http://127.0.0.1:9/v1", "localhost:9")}, ["base_url", "http"]),
    "broken address": ({"models": priced().replace("127.0.0.1:9", "[::1")}, ["base_url"]),
    "port that is none": ({"models": priced().replace(":9/", ":none/")}, ["base_url"]),
    "wrong name": ({"name": "5"}, [":2: name", "text"]),
    "unknown prompt": ({"rest": '[panel.prompts]\ndoer_usr = "x"'}, ["panel.prompts.doer_usr", "'doer_user'"]),
    "prompt of a wrong type": ({"rest": "[panel.prompts]\ndoer_user = 3"}, ["panel.prompts.doer_user", "file"]),
    "prompt without a slot": (
        {"rest": '[panel.prompts]\njudge_user = "{question} {document}"'},
        ["panel.prompts.judge_user", "{doer_responses}"],
    ),
    "missing prompt file": ({"rest": '[panel.prompts]\ndoer_user = { file = "no.md" }'}, ["panel.prompts.doer_user", "no.md"]),
    "USD cap without a token limit": (
        {"run": "max_cost_usd = 1\nmax_output_tokens = 0", "models": priced("price = { input = 1, output = 1 }")},
        ["run.max_cost_usd", "'one' has no max_output_tokens"],
    ),
    "USD cap below the estimate": (
        {"run": "max_cost_usd = 0.000001", "models": priced("price = { input = 100, output = 100 }")},
        ["run.max_cost_usd", "estimated", "cap"],
    ),
    "call cap below the plan": ({"run": "max_calls = 1"}, ["run.max_calls", "needs 2 calls", "cap is 1"]),
}


@pytest.mark.parametrize(("parts", "said"), BAD.values(), ids=BAD.keys())
def test_a_config_that_cannot_work_is_one_clear_error(tmp_path: Path, parts: dict[str, str], said: list[str]) -> None:
    """Each mistake is a single line that names the key at fault and what is wrong with it."""
    found = refusal(tmp_path, **parts)

    assert [word for word in said if word not in found] == []
    assert "\n" not in found


def test_a_document_that_is_too_large_is_refused_with_both_sizes(tmp_path: Path) -> None:
    """200 KB are sent and not a byte more; the message says how large it is and how large it may be."""
    (tmp_path / "fits.txt").write_bytes(b"x" * 204_800)
    (tmp_path / "long.txt").write_bytes(b"x" * 204_801)

    fits = load_panel(tmp_path, panel='documents = ["fits.txt"]')
    found = refusal(tmp_path, panel='documents = ["fits.txt", "long.txt"]')

    assert len(fits.evaluation.files) == 1
    assert "panel.documents[1]" in found and "204,801" in found and "204,800" in found


@pytest.mark.parametrize("kind", ["folder", "pipe", "unreadable", "device"])
def test_what_cannot_be_read_as_a_document_is_refused_without_waiting(tmp_path: Path, kind: str) -> None:
    """A folder, a named pipe, a device or a file without permission is refused by key and path; nothing hangs."""
    path = tmp_path / "odd.txt"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            if os.geteuid() == 0:
                pytest.skip("root reads everything")
            path.touch(mode=0)

    found = refusal(tmp_path, panel='documents = ["odd.txt"]')

    assert "panel.documents[0]" in found
    assert "odd.txt" in found


def test_a_pattern_that_matches_folders_only_is_refused(tmp_path: Path) -> None:
    """Documents that were asked for are never left out in silence."""
    (tmp_path / "docs" / "inner").mkdir(parents=True)

    found = refusal(tmp_path, panel='documents = ["docs/*"]')

    assert "panel.documents[0]" in found


class StillWaitingError(Exception):
    """The alarm went off."""


def test_a_prompt_that_is_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    """A prompt file is looked at before it is read, as every input is: a pipe is refused by name, not waited for."""

    def alarm(number: int, frame: object) -> None:
        raise StillWaitingError

    os.mkfifo(tmp_path / "pipe.md")
    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        said = refusal(tmp_path, rest='[panel.prompts]\ndoer_user = { file = "pipe.md" }')
    except StillWaitingError:
        said = "still waiting"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert "pipe.md" in said


def test_eleven_documents_are_one_too_many(tmp_path: Path) -> None:
    """Ten documents are read; with eleven the message says how to raise the limit, and raising it helps."""
    for number in range(11):
        (tmp_path / f"d{number}.txt").write_text(str(number))

    found = refusal(tmp_path, panel='documents = ["d*.txt"]')
    raised = load_panel(tmp_path, panel='documents = ["d*.txt"]\nmax_documents = 11')

    assert "panel.documents" in found and "11 files" in found and "panel.max_documents" in found
    assert len(raised.evaluation.files) == 11


def test_a_file_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A name in another encoding cannot be written into the run's own config: it is told before anything is prepared."""
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        (tmp_path / name).write_text("x")
    except OSError:
        pytest.skip("this file system takes no such name")

    found = refusal(tmp_path, panel='documents = ["*.txt"]')

    assert "panel.documents[0]" in found


def test_folders_that_case_alone_tells_apart_are_refused(tmp_path: Path) -> None:
    """Documents are stored by name, and not every file system has both cases of one."""
    for folder in ("a", "A"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "same.txt").write_text(folder)
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this file system has one case")

    found = refusal(tmp_path, panel='documents = ["a/same.txt", "A/same.txt"]')

    assert "panel.documents[1]" in found
    assert "same name" in found


@pytest.mark.parametrize("role", ["questions", "truths"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_lists_that_are_not_utf_8_are_refused_by_name(tmp_path: Path, role: str, encoding: str) -> None:
    """Questions and truths are text in UTF-8; nothing is guessed."""
    (tmp_path / "list.txt").write_bytes("Où est-ce ?\n".encode(encoding))
    panel = 'questions_file = "list.txt"' if role == "questions" else 'questions = ["a"]\ntruths_file = "list.txt"'

    found = refusal(tmp_path, questions=panel)

    assert "list.txt" in found
    assert "UTF-8" in found


def test_an_unknown_item_id_is_refused_with_the_nearest(tmp_path: Path) -> None:
    """--only asks for items by id; one that does not exist is named, with the nearest that does."""
    config = tmp_path / "panel.toml"
    config.write_text(panel_text())

    with pytest.raises(ConfigError, match=r"--only: run\.only: no such sample '__no_doc__/q7'; known are q0, q"):
        load(config, Workspace(tmp_path), only=["__no_doc__/q1", "__no_doc__/q7"])


@pytest.mark.parametrize(
    ("run", "options", "where"),
    [
        ("", {"repeat": 0}, "--repeat: run.repeat: must be "),
        ("repeat = 0", {}, ":5: run.repeat: must be "),
        ("repeat = 2", {"repeat": 0}, "--repeat: run.repeat: must be "),
        ("", {"only": ["nope"]}, "--only: run.only: no such sample 'nope'"),
        ('only = ["nope"]', {}, ":5: run.only: no such sample 'nope'"),
        ("", {"settings": ["run.only=['nope']"]}, "--set run.only: run.only: no such sample 'nope'"),
        ('only = ["nope"]', {"only": ["other"]}, "--only: run.only: no such sample 'other'"),
    ],
)
def test_a_mistake_is_told_where_it_was_made(tmp_path: Path, run: str, options: dict[str, Any], where: str) -> None:
    """An option that sets a key is named in place of the file, and the file's line where no option was given."""
    config = tmp_path / "panel.toml"
    config.write_text(panel_text(run=run))

    with pytest.raises(ConfigError) as caught:
        load(config, Workspace(tmp_path), **options)

    assert str(caught.value).startswith(where if where.startswith("--") else f"{config}{where}")


def test_only_asks_for_those_items(tmp_path: Path) -> None:
    """With --only the plan holds the named items, and nothing else is asked."""
    config = tmp_path / "panel.toml"
    config.write_text(panel_text())

    loaded = load(config, Workspace(tmp_path), only=["__no_doc__/q1"])

    assert loaded.plan["total_calls"] == 1
    assert loaded.run.only == ["__no_doc__/q1"]


def test_only_some_models_leaves_no_doer_out_in_silence(tmp_path: Path) -> None:
    """--models keeps the rows of the named models; a name that no row has is refused, not skipped."""
    config = tmp_path / "panel.toml"
    config.write_text(panel_text())
    workspace = Workspace(tmp_path)

    kept = load(config, workspace, models=["one"])

    assert kept.plan["total_calls"] == 2
    for names in (["two"], ["one", "onee"]):
        with pytest.raises(ConfigError, match=f"--models.*{names[-1]}"):
            load(config, workspace, models=names)


def test_exact_matching_needs_no_scorer_to_exist(tmp_path: Path) -> None:
    """A scorer that is configured but not used (mode exact) does no harm, whatever model it names."""
    loaded = load_panel(
        tmp_path,
        panel='truths = ["1", "2"]',
        models=priced() + priced().replace('"one"', '"two"'),
        rest='[panel.benchmark]\nmode = "exact"\nscorer = { model = "two" }\n',
    )

    assert loaded.plan["score_calls"] == 0


def test_a_cap_that_fits_is_kept(tmp_path: Path) -> None:
    """With a price, a token limit and room enough, a USD cap is accepted."""
    loaded: Loaded = load_panel(
        tmp_path,
        run="max_cost_usd = 1\nmax_calls = 2",
        models=priced("price = { input = 1, output = 1 }", "max_output_tokens = 9"),
    )

    check_caps(loaded)

    assert loaded.plan["max_cost_usd"] is not None
