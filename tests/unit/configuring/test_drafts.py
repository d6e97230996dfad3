"""Laws of a config in the making: form, text and file say the same, and nothing is written that was not meant."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from configs import EVERYTHING, EXAMPLES, anything, configs, exact, half_done
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few, load_panel, panel_text
from soaking import quick_first

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.fields import Field, read_text, typed_text
from tui_eval.configuring.drafting.inline_toml import inline, read_inline, whole
from tui_eval.configuring.drafting.schema import schema
from tui_eval.configuring.loading import Loaded, load, used_models
from tui_eval.configuring.preparing import prepare
from tui_eval.core.errors import ConfigError, Place
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.validation import validate

fewer = settings(few, max_examples=15)
kinds = st.sampled_from(sorted(KINDS))


def draft_of(content: dict[str, Any], folder: Path = Path("/nowhere")) -> Draft:
    return Draft(content, folder)


def same_evaluation(one: Loaded, other: Loaded) -> None:
    """Both ask the same, of the same models, about the same bytes, at the same price."""
    a, b = one.evaluation, other.evaluation
    assert (a.kind.name, a.name, a.models, a.repeat) == (b.kind.name, b.name, b.models, b.repeat)
    assert (a.config, one.run, one.tables, one.plan) == (b.config, other.run, other.tables, other.plan)
    assert [(file.path, file.sha256) for file in one.provenance] == [(file.path, file.sha256) for file in other.provenance]


@settings(few, max_examples=60)
@given(content=st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), anything, max_size=4))
def test_toml_says_what_the_values_say(content: dict[str, Any]) -> None:
    """Whatever TOML can hold is written so that it is read as the same, type for type: as a file, and on one line."""

    assert exact(tomllib.loads(whole(content))) == exact(content)
    assert exact(read_inline(inline(content))) == exact(content)
    assert len(inline(content).splitlines()) == 1


@fewer
@given(content=kinds.flatmap(half_done))
def test_the_text_of_a_draft_is_the_draft(content: dict[str, Any]) -> None:
    """Text and form are two views of one config, sound or not: what one shows, the other takes without loss."""
    other = Draft.new("choice", Path("/nowhere"))
    other.hold(other.read(draft_of(content).text()))

    assert exact(other.content) == exact(content)


@fewer
@given(content=kinds.flatmap(half_done))
def test_what_is_saved_opens_as_it_was(tmp_path: Path, content: dict[str, Any]) -> None:
    """A saved config, opened again, is the same in every value."""
    content.pop("inputs", None)
    path = tmp_path / "saved.toml"
    path.unlink(missing_ok=True)
    draft_of(content, tmp_path).save(path)

    found = Draft.opened(path)

    assert exact(found.content) == exact(content)
    assert (found.path, found.folder, found.changed) == (path, tmp_path, False)
    assert path.stat().st_mode & 0o777 == 0o600


def filled(field: Field, value: Any, place: Place = ()) -> list[tuple[Place, Field, Any]]:
    """Every value that a form shows, with its place and its field."""
    if field.sort == "table" and isinstance(value, dict):
        return [found for f in field.fields if f.key in value for found in filled(f, value[f.key], (*place, f.key))]
    if field.sort == "tables" and isinstance(value, list):
        each = Field(field.key, "table", fields=field.fields)
        return [found for i, entry in enumerate(value) for found in filled(each, entry, (*place, i))]
    return [(place, field, value)]


@fewer
@given(data=st.data(), kind=kinds)
def test_a_form_that_is_walked_through_changes_nothing(data: st.DataObject, kind: str) -> None:
    """Every field confirmed as it is shown leaves the config as it was, and not even counts as a change."""
    content = data.draw(configs(kind))
    draft = draft_of(copy.deepcopy(content))

    for place, field, value in filled(schema(kind), content):
        draft.set(place, read_text(field, typed_text(field, value)))

    assert exact(draft.content) == exact(content)
    assert draft.version == 0


@fewer
@given(content=kinds.flatmap(half_done), value=anything, n=st.integers(0, 1000))
def test_a_change_leaves_what_was_there_before(content: dict[str, Any], value: Any, n: int) -> None:
    """Whoever holds a draft's content while it is changed holds what it was; and everything else stays where it is."""
    draft = draft_of(content)
    kind = str(content["kind"])
    fields = schema(kind).field(kind).fields
    held, before = draft.content, exact(draft.content)
    place = (kind, fields[n % len(fields)].key)

    draft.set(place, value)

    assert exact(held) == before
    assert exact(draft.get(place)) == exact(value)
    assert exact({k: v for k, v in draft.content.items() if k != kind}) == exact(
        {k: v for k, v in content.items() if k != kind}
    )


def test_a_config_that_says_everything_goes_through_the_form(tmp_path: Path) -> None:
    """A config with every kind of key, written by hand, is the same after the form and after the text."""
    content = tomllib.loads(panel_text(**EVERYTHING))
    draft = draft_of(copy.deepcopy(content), tmp_path)
    shown = filled(schema("panel"), content)

    for place, field, value in shown:
        draft.set(place, read_text(field, typed_text(field, value)))
    draft.hold(draft.read(draft.text()))

    assert len(shown) > 40 and exact(draft.content) == exact(content) and draft.version == 0


def test_entries_come_and_go(tmp_path: Path) -> None:
    """Tables are made along the way, entries are counted from 0, and an emptied list stays a list."""
    draft = Draft.new("panel", tmp_path)

    assert [draft.add(("panel", "doers"), {"model": name}) for name in "ab"] == [0, 1]
    held = draft.content
    draft.set(("panel", "doers", 1, "calls"), 3)
    assert held["panel"]["doers"] == [{"model": "a"}, {"model": "b"}]
    draft.set(("panel", "benchmark", "scorer", "model"), "s")
    draft.drop(("panel", "doers", 0))
    assert draft.get(("panel", "doers")) == [{"model": "b", "calls": 3}]
    assert draft.has(("panel", "benchmark", "scorer")) and not draft.has(("panel", "judges"))

    draft.drop(("panel", "doers", 0))
    draft.set(("name",), None)
    draft.drop(("run", "seed"))
    assert draft.get(("panel", "doers")) == [] and not draft.has(("name",)) and not draft.has(("run",))


@pytest.mark.parametrize(("before", "after"), [(1, True), (1, 1.0), (0.0, False), ([1], [1.0]), ({"a": 1}, {"a": True})])
def test_a_value_of_another_type_is_a_change(before: Any, after: Any, tmp_path: Path) -> None:
    """true, 1 and 1.0 are three values in TOML, and in a draft."""
    draft = Draft({"x": before}, tmp_path)
    draft.set(("x",), after)

    assert (draft.version, exact(draft.content)) == (1, exact({"x": after}))
    draft.set(("x",), after)
    assert draft.version == 1


def test_a_new_draft_holds_no_default(tmp_path: Path) -> None:
    """A new config says its kind and its name, and leaves the rest to the defaults."""

    assert Draft.new("choice", tmp_path).content == {"kind": "choice", "name": "choice", "choice": {}}


@pytest.mark.parametrize("example", quick_first(EXAMPLES, 4), ids=lambda path: path.stem)
def test_a_saved_draft_runs_like_the_file_it_came_from(example: Path, tmp_path: Path) -> None:
    """An example opened and saved elsewhere asks the same about the same files: its paths hold from there, too."""
    (tmp_path / "configs").mkdir()
    draft = Draft.opened(example)
    draft.save(tmp_path / "configs" / "mine.toml")

    workspace = Workspace(tmp_path)
    same_evaluation(load(tmp_path / "configs" / "mine.toml", workspace), load(example, workspace))
    assert draft.folder == tmp_path / "configs" and not draft.changed


def test_paths_inside_the_new_folder_stay_relative(tmp_path: Path) -> None:
    """A config saved in a folder above still says where its files are, seen from there; patterns and prompt files, too."""
    inner = tmp_path / "odd[1]"
    inner.mkdir()
    (inner / "a.txt").write_text("a")
    (inner / "user.md").write_text("{question} {document}")
    draft = Draft(tomllib.loads(panel_text(panel='documents = ["*.txt", "a.txt"]\nquestions_file = "/q.txt"')), inner)
    draft.set(("panel", "prompts"), {"doer_user": {"file": "user.md"}, "doer_system": "Be brief."})

    draft.save(tmp_path / "up.toml")

    assert draft.get(("panel", "questions_file")) == "/q.txt"
    assert draft.get(("panel", "prompts")) == {"doer_user": {"file": "odd[1]/user.md"}, "doer_system": "Be brief."}
    draft.drop(("panel", "questions_file"))
    draft.save(tmp_path / "up.toml")
    loaded = load(tmp_path / "up.toml", Workspace(tmp_path))
    assert [file.name for file in loaded.evaluation.files] == ["a.txt"]


def test_an_unchanged_draft_is_not_written_again(tmp_path: Path) -> None:
    """A file that was opened and not changed keeps its comments, its time and its inode."""
    path = tmp_path / "mine.toml"
    path.write_text("# mine\n" + panel_text())
    before = path.stat()
    draft = Draft.opened(path)
    draft.hold(draft.read(draft.text()))

    assert draft.save(path) == []

    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    draft.set(("name",), "other")
    assert draft.save(path) == ["comments of mine.toml are not kept"]
    assert draft.save(path) == []


def test_what_another_program_wrote_is_not_overwritten(tmp_path: Path) -> None:
    """A file that was changed since it was opened is left alone, and the person is told."""
    path = tmp_path / "mine.toml"
    path.write_text(panel_text())
    draft = Draft.opened(path)
    draft.set(("name",), "other")
    path.write_text("# edited elsewhere\n" + panel_text())

    with pytest.raises(ConfigError, match="another program"):
        draft.save(path)

    assert path.read_text().startswith("# edited elsewhere")


def test_the_config_of_a_run_becomes_a_config_of_its_own(tmp_path: Path) -> None:
    """A run's config opens without what only the run needs; it asks the same, and is never written back."""
    loaded = load_panel(tmp_path)
    prepare(loaded, tmp_path / "runs" / "one", lambda text: text, [])
    workspace = Workspace(tmp_path)

    draft = Draft.opened(tmp_path / "runs" / "one" / "config.toml", workspace)

    assert draft.path is None and draft.folder == tmp_path / "runs" / "one"
    assert not draft.has(("inputs",)) and not draft.has(("panel", "prompts"))
    draft.save(tmp_path / "again.toml")
    same_evaluation(load(tmp_path / "again.toml", workspace), loaded)


def test_a_prompt_of_a_run_that_is_not_the_usual_one_stays(tmp_path: Path) -> None:
    """What a run asked in its own words, a config made from it asks in the same words."""
    loaded = load_panel(tmp_path, rest='[panel.prompts]\ndoer_user = "{question} {document} Briefly."')
    prepare(loaded, tmp_path / "runs" / "one", lambda text: text, [])

    draft = Draft.opened(tmp_path / "runs" / "one" / "config.toml", Workspace(tmp_path))

    assert draft.get(("panel", "prompts")) == {"doer_user": {"file": "inputs/prompts/doer_user.md"}}


def test_a_mistake_in_the_text_leaves_the_draft_as_it_was(tmp_path: Path) -> None:
    """Text that is no TOML is told by line and column, in words without a file's path, and changes nothing."""
    draft = Draft.new("panel", tmp_path)

    with pytest.raises(ConfigError) as caught:
        draft.read('kind = "panel"\nname = \n')

    place, words = caught.value.problems[0]
    assert place == () and "line 2" in words and str(tmp_path) not in words
    assert draft.content == Draft.new("panel", tmp_path).content and draft.version == 0


def test_a_mistake_names_the_line_of_the_text(tmp_path: Path) -> None:
    """What is wrong with a draft is told by the line at which its text view has it."""
    draft = Draft(tomllib.loads(panel_text(doers='[[panel.doers]]\nmodel = "one"\ncalls = 0')), tmp_path)
    line = next(n for n, text in enumerate(draft.text().split("\n"), start=1) if text == "calls = 0")

    with pytest.raises(ConfigError, match=rf":{line}: panel\.doers\[0\]\.calls") as caught:
        used_models(draft.file())

    assert caught.value.problems == ((("panel", "doers", 0, "calls"), "must be greater than or equal to 1, not 0"),)


@pytest.mark.parametrize("text", ["x = nan", "x = [1, { y = -inf }]"])
def test_no_number_that_is_none_gets_in(text: str, tmp_path: Path) -> None:
    """NaN and the infinities are refused wherever they come from, before anything compares or shows them."""
    (tmp_path / "odd.toml").write_text(text)
    draft = Draft.new("panel", tmp_path)

    for attempt in (lambda: draft.read(text), lambda: Draft.opened(tmp_path / "odd.toml")):
        with pytest.raises(ConfigError, match="must be a number"):
            attempt()
    with pytest.raises(ConfigError, match=r"run\.seed"):
        draft.set(("run", "seed"), float("nan"))


def test_no_key_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A config that holds the value of a key is not written, wherever the key is from; the key is not shown."""
    monkeypatch.setenv("SOME_API_KEY", "abcdefgh12345678")
    (tmp_path / ".env").write_text('OTHER="zyxwvuts98765432"')
    for key in ("abcdefgh12345678", "zyxwvuts98765432"):
        draft = Draft.new("panel", tmp_path)
        draft.set(("models",), [{"name": "one", "extra_body": {"x": key}}])

        with pytest.raises(ConfigError) as caught:
            draft.save(tmp_path / "new.toml", [tmp_path / ".env"])

        assert key not in str(caught.value) and not (tmp_path / "new.toml").exists()


def test_a_draft_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """A folder that is not there, and letters that no file can hold, are told of at once; nothing is left behind."""
    draft = Draft.new("panel", tmp_path)

    with pytest.raises(ConfigError, match="cannot be written"):
        draft.save(tmp_path / "no" / "such" / "folder.toml")
    with pytest.raises(ConfigError, match="characters"):
        draft.set(("panel", "questions"), ["fine", "\ud800"])
    assert list(tmp_path.iterdir()) == []


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """Of a table with several mistakes each is told, at its own key."""
    draft = Draft.new("panel", tmp_path)
    draft.set(("panel", "doers"), [{"calls": 0}, {"model": "x", "cals": 2}])

    with pytest.raises(ConfigError) as caught:
        validate(KINDS["panel"].Config, draft.get(("panel",)), draft.file(), ("panel",))

    places = {place for place, _ in caught.value.problems}
    assert places == {("panel", "doers", 0, "model"), ("panel", "doers", 0, "calls"), ("panel", "doers", 1, "cals")}
