"""Laws of the models as a person sees and changes them: nothing sound is lost to a mistake, and no key is kept."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few, none_on_file

from tui_eval.cli.checking import check_command
from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import add_model, models_on_file
from tui_eval.models.check_notes import keep_notes, notes_file, read_notes
from tui_eval.models.discovered import FoundPlace, add_found
from tui_eval.models.editing import (
    changes,
    checked,
    content_of,
    file_problem,
    file_text,
    keep,
    keep_file,
    looks_like_key,
    name_problem,
    wire_choices,
)
from tui_eval.models.listing import Advice, listed_models, sentences
from tui_eval.models.model_selection import models_to_check
from tui_eval.providers import WIRES
from tui_eval.workspace.places import Workspace

ADVICE = Advice("W", "A", "K", "N", "P")
KEY = "sk-abcdefghijklmnop1234"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of whoever runs the tests is seen."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def on_file(folder: Path, text: str) -> Workspace:
    """A workspace with this file of models."""
    (folder / ".conf").mkdir(exist_ok=True)
    (folder / ".conf" / "models.toml").write_text(text)
    return Workspace(folder)


# ----------------------------------------------------------------------------------------------------------------- the list


def test_a_mistake_takes_no_other_model_along(tmp_path: Path) -> None:
    """Sound models are listed beside damaged ones, and each mistake names its line."""
    workspace = on_file(
        tmp_path,
        '[[models]]\nname = "a"\nmodel = "gpt-5"\n\n[[models]]\nname = "b"\ntemprature = 1\nmodel = "x"\n\n'
        '[[models]]\nname = "a"\nmodel = "claude-x"\n\n[[models]]\nmodel = "y"\n\n'
        '[[models]]\nname = "c"\nmodel = "nobody-knows"\n',
    )
    found = listed_models(workspace)
    assert [entry.name for entry in found.entries] == ["a", "b", "a", "model 4", "c"] and not found.problems
    first, unknown, second, nameless, wireless = found.entries
    assert (first.wire, first.key, first.key_is_set, first.state) == ("openai", "OPENAI_API_KEY", False, "available")
    assert ":7: " in unknown.problem and unknown.line == 7 and "temperature" in unknown.problem and unknown.state == "mistake"
    assert "second model" in second.problem and second.line == 11 and "missing" in nameless.problem
    assert wireless.wire_problem and wireless.table is not None


@pytest.mark.parametrize("text", ["models = 3", "[[models]", "[other]\nx = 1", "\xff"])
def test_a_damaged_file_is_told(tmp_path: Path, text: str) -> None:
    """A file that holds no models is a problem that names it, not an error."""
    workspace = on_file(tmp_path, "")
    workspace.models_file.write_bytes(text.encode("latin-1"))
    found = listed_models(workspace)
    assert not found.entries and len(found.problems) == 1 and "models.toml" in found.problems[0]
    assert file_problem(workspace, text) or text == "\xff"


def test_damaged_neighbours_are_told_and_models_stay(tmp_path: Path) -> None:
    """A price list or a .env that cannot be read leaves prices and keys unknown, and is told once."""
    workspace = on_file(tmp_path, '[[models]]\nname = "a"\nmodel = "gpt-5"\n\n[[models]]\nname = "b"\nmodel = "gpt-5"\n')
    (tmp_path / ".conf" / "prices.toml").write_text("nonsense = 1\n")
    (tmp_path / ".env").write_bytes(b"\xff\xfe")
    found = listed_models(workspace)
    assert [(entry.name, entry.price, entry.key_is_set) for entry in found.entries] == [("a", None, None), ("b", None, None)]
    assert len(found.problems) == 2


def test_what_is_said_of_a_model(tmp_path: Path) -> None:
    """Guessed interface, address, key and price are said with advice where something is lacking, and without where not."""
    workspace = on_file(
        tmp_path,
        '[[models]]\nname = "a"\nmodel = "gpt-5"\n\n[[models]]\nname = "b"\nwire = "azure"\nmodel = "x"\n\n'
        '[[models]]\nname = "c"\nwire = "simulator"\nmodel = "sim-scholar"\n',
    )
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    first, second, third = (dict(sentences(entry, ADVICE)) for entry in listed_models(workspace).entries)
    assert "guessed" in first["wire"] and "W" in first["wire"] and first["key"] == "OPENAI_API_KEY is set"
    assert "A" in second["where"] and "K" in second["key"] and "P" in second["price"]
    assert third["key"] == "none needed" and "simulated" in third["price"] and "simulator" in third["where"]
    assert KEY not in repr(listed_models(workspace))


def test_every_wire_that_can_be_asked_is_offered() -> None:
    """The list to choose from names each interface once, and not that of imported answers."""
    names = [name for name, _ in wire_choices()]
    assert set(names) == set(WIRES) - {"recorded"} and "simulator" in names


# ---------------------------------------------------------------------------------------------------------------- the form


@pytest.mark.parametrize(
    ("given_too", "place", "words"),
    [
        ({"name": "taken"}, ("name",), "already"),
        ({"name": "a,b"}, ("name",), "no comma"),
        ({"name": " "}, ("name",), "name"),
        ({"base_url": "example.org"}, ("base_url",), "https://host/v1"),
        ({"base_url": "https://me:secret@host/v1"}, ("base_url",), "looks like a key"),
        ({"base_url": KEY}, ("base_url",), "looks like a key"),
        ({"extra_body": {"api_key": "x"}}, ("extra_body",), "looks like a key"),
        ({"wire": "opeanai"}, ("wire",), "did you mean 'openai'"),
        ({"model": "nobody-knows"}, ("wire",), "cannot be guessed from 'nobody-knows'"),
        ({"price": {"input": 1.0}}, ("price", "output"), "is missing"),
        ({"temperature": 3.0}, ("temperature",), "2"),
        ({"api_key_env": "no name"}, ("api_key_env",), "name of a variable"),
    ],
)
def test_each_mistake_is_told_at_its_field(given_too: dict[str, Any], place: tuple[str, ...], words: str) -> None:
    """What is wrong with a model being filled in stands at the field it is about, without any key."""
    _, problems = checked({"name": "mine", "model": "gpt-5", **given_too}, ["taken"])
    assert words in problems[place] and KEY not in str(problems) and "secret" not in problems[place]
    assert checked({"name": "mine", "model": "gpt-5"}, ["taken"])[1] == {}


def test_what_only_resembles_a_key_may_be_typed() -> None:
    """Names, ids, addresses with variables and names of variables are no keys."""
    for place, value in (
        (("api_key_env",), "OPENAI_API_KEY"),
        (("model",), "sk-abcdefghijklmnop1234"),
        (("base_url",), "https://host/v1?key=${MY_KEY}"),
        (("price", "source"), "a price list"),
    ):
        assert not looks_like_key(place, value)
    assert looks_like_key(("price", "source"), KEY) and looks_like_key(("routing",), {"order": [KEY]})


SETTINGS = st.fixed_dictionaries(
    {"model": st.sampled_from(["gpt-5", "claude-x"])},
    optional={
        "temperature": st.sampled_from([0.0, 0.5]),
        "enabled": st.booleans(),
        "price": st.fixed_dictionaries({"input": st.sampled_from([1.0, 2.0]), "output": st.just(3.0)}),
        "limits": st.dictionaries(st.sampled_from(["max_in_flight", "tokens_per_minute"]), st.integers(1, 9), min_size=1),
        "extra_body": st.dictionaries(st.sampled_from(["a", "b.c"]), st.integers(0, 3), min_size=1),
    },
)


@settings(few, max_examples=12)
@given(before=SETTINGS, after=SETTINGS)
def test_what_is_kept_is_what_was_filled_in(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """A model that is edited holds exactly what the form held, whatever stood there; comments and others stay."""
    workspace = on_file(tmp_path_factory.mktemp("w"), '# mine\n[[models]]\nname = "other"\nmodel = "gpt-5"  # why\n')
    keep(workspace, None, {"name": "m", **before})
    table = models_on_file(workspace)["m"][0]
    assert content_of(table) == {"name": "m", **before}
    keep(workspace, table, {"name": "n", **after})
    assert content_of(models_on_file(workspace)["n"][0]) == {"name": "n", **after}
    assert file_text(workspace).startswith('# mine\n[[models]]\nname = "other"\nmodel = "gpt-5"  # why\n')
    assert changes({"name": "n", **after}, {"name": "n", **after}) == ({}, [])


def test_a_name_is_judged_as_the_file_judges_it(tmp_path: Path) -> None:
    """A name that the form lets pass can be put on file, and one that cannot is not let pass."""
    for name in ("a", "gpt-4o@127.0.0.1:80", "a,b", "", " a", "a\tb", "x" * 200, "ä"):
        try:
            add_model(Workspace(tmp_path), name, {"model": "gpt-5"})
            kept = True
        except ConfigError:
            kept = False
        assert kept is (name_problem(name, []) == ""), name


# ----------------------------------------------------------------------------------------------------------- the file as text


def test_a_mended_file_is_kept(tmp_path: Path) -> None:
    """Text that is sound takes the place of the file; what is not, holds a key or came too late is refused."""
    workspace = on_file(tmp_path, "[[models]]\nnam = 1\n")
    (tmp_path / ".env").write_text("OPENAI_API_KEY=my-own-key-value-1\n")
    before, sound = file_text(workspace), '[[models]]\nname = "a"\nmodel = "gpt-5"\n'
    for wrong in ('[[models]]\nname = "a"\n', sound + f'extra_body = {{ x = "{KEY}" }}\n', sound + "# my-own-key-value-1\n"):
        with pytest.raises(ConfigError):
            keep_file(workspace, wrong, before)
    with pytest.raises(ConfigError, match="meanwhile"):
        keep_file(workspace, sound, "another")
    assert file_text(workspace) == before and KEY not in file_problem(workspace, sound + f'extra_body = {{ x = "{KEY}" }}\n')
    assert file_problem(workspace, sound) == ""
    keep_file(workspace, sound, before)
    assert file_text(workspace) == sound and stat.S_IMODE(workspace.models_file.stat().st_mode) == 0o600


# ------------------------------------------------------------------------------------------------- what was found out, found


def test_findings_are_remembered(tmp_path: Path) -> None:
    """The last finding of each model on file is kept privately; of models that are gone nothing stays; damage is no error."""
    workspace = Workspace(tmp_path)
    assert read_notes(workspace) == {}
    keep_notes(workspace, [{"name": "a", "latency_ms": 1, "days_left": 9}, {"name": "gone"}], "2026-01-01T00:00:00", ["a"])
    keep_notes(workspace, [{"name": "b", "problem": "x"}], "2026-01-02T00:00:00", ["a", "b"])
    notes = read_notes(workspace)
    assert notes["a"] == {"checked_at": "2026-01-01T00:00:00", "name": "a", "latency_ms": 1} and set(notes) == {"a", "b"}
    assert stat.S_IMODE(notes_file(workspace).stat().st_mode) == 0o600
    for damage in (b"[]", b"{", b'{"checks": [1]}', b'{"checks": {"a": 1}}', b"\xff", b"[" * 100_000):
        notes_file(workspace).write_bytes(damage)
        assert read_notes(workspace) == {}


def test_findings_as_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json-lines prints each finding on a line of its own; of a model that was asked it is kept, of another it is not."""
    workspace = on_file(tmp_path, '[[models]]\nname = "a"\nmodel = "m"\nwire = "ollama"\nbase_url = "http://127.0.0.1:9/v1"\n')
    code = check_command(models_to_check(None, ["a", "b"], workspace, []), workspace, [], False, as_lines=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 3 and sorted(line["name"] for line in lines) == ["a", "b"] and not any(line["answers"] for line in lines)
    assert set(read_notes(workspace)) == {"a"}


def test_found_models_get_names_of_their_own(tmp_path: Path) -> None:
    """One id on two servers is two models; what is on file already is not added again; what cannot be is told."""
    workspace = Workspace(none_on_file(tmp_path))
    one, two = FoundPlace("ollama", "http://127.0.0.1:1/v1", "m"), FoundPlace("vllm", "http://127.0.0.1:2/v1", "m")
    odd = FoundPlace("vllm", "http://127.0.0.1:2/v1", "a,b")
    done = add_found(workspace, [one, two, odd])
    assert done.added == {one: "m", two: "m@127.0.0.1:2"} and len(done.refused) == 1
    assert add_found(workspace, [one, two]).known == {one: "m", two: "m@127.0.0.1:2"}
    assert set(models_on_file(workspace)) == {"m", "m@127.0.0.1:2"}


def test_the_context_window_that_a_server_tells_is_kept_with_its_model(tmp_path: Path) -> None:
    """Found again with another, the model has that one; where nothing is told that can be one, all stays as it is."""
    workspace, place = Workspace(tmp_path), FoundPlace("vllm", "http://127.0.0.1:2/v1", "m", 8192)

    def window() -> int | None:
        return models_on_file(workspace)["m"][0].context_window

    assert add_found(workspace, [place]).added == {place: "m"} and window() == 8192
    for told, kept, changed in ((8192, 8192, []), (None, 8192, []), (0, 8192, []), (16_384, 16_384, ["m"])):
        done = add_found(workspace, [place._replace(context_window=told)])
        assert (window(), done.changed, done.refused) == (kept, changed, [])
