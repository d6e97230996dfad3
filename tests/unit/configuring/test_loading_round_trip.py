"""Laws of resolving a config: what stands in a run folder means the same as what a person wrote."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from configs import EVERYTHING
from makers import load_panel, panel_text

from tui_eval.configuring.loading import Loaded, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.key import call_key
from tui_eval.core.samples import Sample
from tui_eval.workspace.places import Workspace, shipped

BIG = {"everything": EVERYTHING, "exact": {"panel": 'truths = ["1", "2"]', "rest": '[panel.benchmark]\nmode = "exact"'}}


def inputs(folder: Path) -> None:
    """The files that the configs name."""
    (folder / "docs").mkdir()
    (folder / "docs" / "a.txt").write_bytes("one\r\ntwo\u2028 {question} é".encode())
    (folder / "docs" / "b[1].txt").write_text("two")
    (folder / "docs" / "blob.bin").write_bytes(bytes(range(256)))
    (folder / "questions.txt").write_bytes("\ufeffWhat is one?\r\n\r\n  What\u2028 is two? \n".encode())
    (folder / "truths.txt").write_text("1\n2")


def calls_of(loaded: Loaded) -> list[Call]:
    """Every call of an evaluation, driven by its examples."""
    asked: list[Call] = []
    evaluation = loaded.evaluation

    def answer(call: Call) -> Reply:
        asked.append(call)
        return Reply(call, "ok", text=call.example_text)

    for item in items_of(loaded):
        evaluation.driven(item, answer)
    return asked


def items_of(loaded: Loaded) -> list[Sample]:
    """Every item of an evaluation."""
    evaluation = loaded.evaluation
    return list(evaluation.samples())


def keys_of(loaded: Loaded) -> list[str]:
    """The key of every call of an evaluation, in order."""
    return [call_key(call, loaded.evaluation.models[call.model]) for call in calls_of(loaded)]


def again(loaded: Loaded, folder: Path, settings: tuple[str, ...] = ()) -> Loaded:
    """What was loaded, prepared as a run and loaded from the run's own config, in another workspace."""
    prepare(loaded, folder, lambda text: text, [])
    return load(folder / "config.toml", Workspace(folder.parent), settings=settings)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("parts", BIG.values(), ids=BIG.keys())
@pytest.mark.parametrize("only", [(), ("__no_doc__/q1", "a/q1")], ids=["all", "only"])
def test_the_resolved_config_repeats_the_run(tmp_path: Path, parts: dict[str, str], only: tuple[str, ...]) -> None:
    """Loaded again from its run folder, a config has equal settings, items, plan and call keys: the same run."""
    inputs(tmp_path)
    (tmp_path / "panel.toml").write_text(panel_text(**parts))
    known = [name for name in only if name.startswith("a/") == ("documents" in parts["panel"])]
    first = load(tmp_path / "panel.toml", Workspace(tmp_path), only=known, repeat=2)

    second = again(first, tmp_path / "runs" / "first")

    assert second.evaluation.config == first.evaluation.config
    assert second.evaluation.models == first.evaluation.models
    assert second.run == first.run
    assert second.plan == first.plan
    assert items_of(second) == items_of(first)
    assert keys_of(second) == keys_of(first)
    assert len(set(keys_of(first))) == first.plan["total_calls"]


@pytest.mark.usefixtures("no_keys")
def test_a_resolved_config_resolves_to_itself(tmp_path: Path) -> None:
    """A run made of a run's config has that config again, byte for byte; questions and truths of a file stay in that file."""
    inputs(tmp_path)
    folders = [tmp_path / "runs" / name for name in ("first", "second", "third")]
    loaded = load_panel(tmp_path, **EVERYTHING)
    for folder in folders:
        loaded = again(loaded, folder)
    first, *others = ((folder / "config.toml").read_bytes() for folder in folders)
    in_full, *in_full_again = ((folder / "resolved_config.json").read_bytes() for folder in folders)

    assert others == [first, first]
    assert in_full_again == [in_full, in_full]
    assert tomllib.loads(first.decode())["panel"]["questions"] == []


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("name", ["inputs/documents/a.txt", "inputs/prompts/doer_user.md", "inputs/lists/questions.txt"])
@pytest.mark.parametrize("change", ["edited", "gone"])
def test_a_changed_input_of_a_run_is_refused_by_name(tmp_path: Path, name: str, change: str) -> None:
    """A run's documents, questions and prompts are part of it: one that was edited or removed is named."""
    inputs(tmp_path)
    run = tmp_path / "runs" / "first"
    loaded = load_panel(tmp_path, **EVERYTHING)
    prepare(loaded, run, lambda text: text, [])
    (run / name).write_bytes((run / name).read_bytes() + b" ") if change == "edited" else (run / name).unlink()

    with pytest.raises(ConfigError, match=name):
        load(run / "config.toml", Workspace(tmp_path))


@pytest.mark.parametrize("path", ["../secret", "/etc/hostname", "inputs/../../x"])
def test_an_input_outside_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    """A config from a stranger cannot have files outside its folder looked at."""
    with pytest.raises(ConfigError, match="inside the folder"):
        load_panel(tmp_path, rest=f'[[inputs]]\npath = "{path}"\nsha256 = "0"\n')


def test_inline_and_file_questions_are_the_same_evaluation(tmp_path: Path) -> None:
    """Questions and truths written in the config, or in files one per line, make equal items and call keys."""
    (tmp_path / "q.txt").write_text("What is one?\n\n What is two? \n")
    (tmp_path / "t.txt").write_text("1\r\n2\r\n")
    benchmark = '[panel.benchmark]\nmode = "exact"'

    inline = load_panel(tmp_path, questions='questions = ["What is one?", "What is two?"]\ntruths = ["1", "2"]', rest=benchmark)
    files = load_panel(tmp_path, questions='questions_file = "q.txt"\ntruths_file = "t.txt"', rest=benchmark)

    assert items_of(inline) == items_of(files)
    assert keys_of(inline) == keys_of(files)


def test_a_dataset_folder_is_the_same_evaluation_as_its_parts(tmp_path: Path) -> None:
    """A folder with Questions.md means what its documents, questions, truths and scopes mean when written out."""
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "a.txt").write_text("one")
    (folder / "b.txt").write_text("two")
    (folder / ".hidden").write_text("no document")
    (folder / "questions.MD").write_text("1. What?\nAnswer: x\nAnswer (b): y\n2. Who?\nAnswer: z\nDocuments: b\n")
    written = (
        'questions = [{ question = "What?", truth = "x", document_truths = { b = "y" } }, '
        '{ question = "Who?", truth = "z", documents = ["b"] }]\ndocuments = ["set/*.txt"]'
    )

    dataset = load_panel(tmp_path, questions='dataset = "set"')
    parts = load_panel(tmp_path, questions=written)

    assert [(item.id, item.truth) for item in items_of(dataset)] == [("a/q0", "x"), ("b/q0", "y"), ("b/q1", "z")]
    assert items_of(dataset) == items_of(parts)
    assert keys_of(dataset) == keys_of(parts)


def test_truths_given_beside_questions_keep_their_scope(tmp_path: Path) -> None:
    """A list of truths adds truths; a question that is asked of one document only is still asked of that one only."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    text = 'questions = [{ question = "Who?", documents = ["b"] }, "What?"]\ntruths = ["x", "y"]\ndocuments = ["*.txt"]'

    loaded = load_panel(tmp_path, questions=text)

    assert [item.id for item in items_of(loaded)] == ["a/q1", "b/q0", "b/q1"]


def test_the_workspaces_own_prompt_wins(tmp_path: Path) -> None:
    """A prompt file in the workspace stands for the shipped one of the same name, and that one alone."""
    (tmp_path / "prompts" / "panel").mkdir(parents=True)
    (tmp_path / "prompts" / "panel" / "doer_system.md").write_text("\n Our own words. \n")

    prompts: Any = load_panel(tmp_path).evaluation.config.prompts

    assert prompts["doer_system"] == "Our own words."
    assert prompts["doer_user"] == (shipped("prompts") / "panel" / "doer_user.md").read_text().strip()


def test_a_prompt_in_the_config_wins_over_both(tmp_path: Path) -> None:
    """Text in the config, or a file it names beside itself, comes first; an empty text means the default."""
    (tmp_path / "prompts" / "panel").mkdir(parents=True)
    (tmp_path / "prompts" / "panel" / "doer_system.md").write_text("Our own words.")
    (tmp_path / "other.md").write_text("A file's words.")
    rest = '[panel.prompts]\ndoer_system = ""\njudge_system = "The config\'s words."\nfinal_system = { file = "other.md" }'

    prompts: Any = load_panel(tmp_path, rest=rest).evaluation.config.prompts

    assert [prompts[f"{stage}_system"] for stage in ("doer", "judge", "final")] == [
        "Our own words.",
        "The config's words.",
        "A file's words.",
    ]


MODELS_ON_FILE = '[[models]]\nname = "mine"\nwire = "simulator"\nmodel = "sim-thrifty"\ntemperature = 0.5\n'


def test_a_model_on_file_is_found_by_name(tmp_path: Path) -> None:
    """A model of .conf/models.toml is used as if it stood in the config, and is written into the run's own config."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "models.toml").write_text(MODELS_ON_FILE)

    loaded = load_panel(tmp_path, doers='[[panel.doers]]\nmodel = "mine"\n')
    (tmp_path / ".conf" / "models.toml").unlink()
    resolved = again(loaded, tmp_path / "runs" / "first")

    assert loaded.evaluation.models["mine"].model == "sim-thrifty"
    assert loaded.evaluation.config.doers[0].temperature == 0.5
    assert resolved.evaluation.models == loaded.evaluation.models


def test_a_model_of_the_config_wins_over_one_on_file(tmp_path: Path) -> None:
    """Of two models with one name, the config's own is meant."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "models.toml").write_text(MODELS_ON_FILE.replace("mine", "one"))

    loaded = load_panel(tmp_path)

    assert loaded.evaluation.models["one"].model == "sim-scholar"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models = 5\n", "models"),
        (MODELS_ON_FILE + "temprature = 1\n", "'temperature'"),
        (MODELS_ON_FILE * 2, "'mine'"),
        ("[[models]\n", "line 1"),
        (MODELS_ON_FILE + '[[model]]\nname = "x"\n', "'models'"),
    ],
    ids=["no list", "unknown key", "same name twice", "no TOML", "mistyped table"],
)
def test_a_mistake_in_the_models_on_file_names_that_file(tmp_path: Path, text: str, said: str) -> None:
    """A run that needs a model on file is told of each mistake there, with that file's name; one that does not goes on."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "models.toml").write_text(text)

    load_panel(tmp_path)
    with pytest.raises(ConfigError) as caught:
        load_panel(tmp_path, settings_given=("panel.doers.0.model=other",))

    assert "models.toml" in str(caught.value)
    assert said in str(caught.value)


def test_settings_change_the_call_only_where_they_mean_to(tmp_path: Path) -> None:
    """Limits on time, money and concurrency are no part of a call's key; another temperature is."""
    base = keys_of(load_panel(tmp_path))

    limits = keys_of(load_panel(tmp_path, settings_given=("run.timeout_s=5", "run.max_calls=77", "run.max_concurrency=1")))
    warmer = keys_of(load_panel(tmp_path, settings_given=("panel.doers.0.temperature=1",)))

    assert limits == base
    assert not set(warmer) & set(base)


def test_repeats_are_calls_of_their_own(tmp_path: Path) -> None:
    """Each repeat asks everything anew, under ids that name it; the first repeat's calls are those of a single run."""
    single = load_panel(tmp_path)
    double = replace(single, evaluation=replace(single.evaluation, repeat=2))

    ids = [item.id for item in items_of(double)]

    assert ids == ["__no_doc__/q0", "__no_doc__/q1", "__no_doc__/q0#2", "__no_doc__/q1#2"]
    assert keys_of(double)[:2] == keys_of(single)
    assert len(set(keys_of(double))) == 4
