"""Laws of themes and settings: a good file is a theme, a bad one is one sentence, and nothing a person wrote is overwritten."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tui_eval.tui.settings import Settings
from tui_eval.tui.themes import COLOURS, DEFAULT, all_themes, read_theme
from tui_eval.workspace.places import Workspace, shipped

GOOD = 'primary = "#102030"\n'


def _own(root: Path, content: str | bytes, name: str = "mine.toml") -> Path:
    (root / "themes").mkdir(exist_ok=True)
    file = root / "themes" / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_every_shipped_theme_loads(tmp_path: Path) -> None:
    """All shipped files are themes with every colour, and the one taken by default is among them."""
    themes, wrong = all_themes(Workspace(tmp_path))
    assert not wrong
    assert set(themes) == {file.stem for file in shipped("themes").glob("*.toml")} and DEFAULT in themes
    for theme in themes.values():
        assert all(getattr(theme, colour) for colour in COLOURS)


def test_a_workspaces_own_theme(tmp_path: Path) -> None:
    """One's own is there besides; of the same name as a shipped one it wins."""
    _own(tmp_path, GOOD)
    _own(tmp_path, GOOD, f"{DEFAULT}.toml")
    themes, wrong = all_themes(Workspace(tmp_path))
    assert not wrong
    assert themes["mine"].primary == themes[DEFAULT].primary == "#102030"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("primary = ", "not valid TOML"),
        (b"\xff\x00\x1b[2J", "not UTF-8"),
        ("a = " + "[" * 50_000, "nested too deeply"),
        (GOOD + "#" * 10_000_000, "larger than 64 KB"),
        (GOOD + 'colour = "#102030"\n', "no colour is called"),
        (GOOD + '"\\u001b[2J" = "#102030"\n', "no colour is called"),
        (GOOD + 'accent = "no such colour"\n', "accent"),
        (GOOD + 'accent = "\\u001b]0;x\\u0007"\n', "accent"),
        (GOOD + "accent = 3\n", "accent"),
        (GOOD + 'accent = ["#102030"]\n', "accent"),
        (GOOD + 'dark = "yes"\n', "dark"),
        (GOOD + "ansi = 1\n", "ansi"),
        ('accent = "#102030"\n', "primary"),
        ("", "primary"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "bytes",
)
def test_a_bad_theme_is_one_sentence(content: str | bytes, said: str, tmp_path: Path) -> None:
    """A file that is no theme is told once, with its name and what is wrong; all others are there."""
    file = _own(tmp_path, content)
    themes, wrong = all_themes(Workspace(tmp_path))
    assert "mine" not in themes and DEFAULT in themes
    assert len(wrong) == 1 and str(file) in wrong[0] and said in wrong[0]
    assert wrong[0].isprintable() and len(wrong[0]) < len(str(file)) + 250


def test_a_folder_or_a_dangling_link_is_no_theme(tmp_path: Path) -> None:
    """What is no file is told like what cannot be read."""
    (tmp_path / "themes" / "folder.toml").mkdir(parents=True)
    (tmp_path / "themes" / "link.toml").symlink_to("nowhere")
    themes, wrong = all_themes(Workspace(tmp_path))
    assert len(wrong) == 2 and not {"folder", "link"} & set(themes)


def test_a_theme_is_named_as_its_file(tmp_path: Path) -> None:
    """The name is the file's; one that cannot be shown as it is, is none."""
    assert read_theme(_own(tmp_path, GOOD, "my own.toml")).name == "my own"
    for name in (b"\xff.toml", b"\x1b[2J.toml"):
        (tmp_path / "themes" / "x").with_name(name.decode("utf-8", "surrogateescape")).write_text(GOOD)
    themes, wrong = all_themes(Workspace(tmp_path))
    assert len(wrong) == 2 and all(line.isprintable() for line in wrong)
    assert all(name.isprintable() for name in themes)


def test_a_theme_is_remembered(tmp_path: Path) -> None:
    """What was chosen last is known the next time, and other settings stay."""
    settings = Settings(Workspace(tmp_path))
    assert settings.theme is None and not settings.wrong
    assert settings.keep_theme("light") == ""
    file = tmp_path / ".conf" / "app.toml"
    file.write_text(file.read_text() + 'other = "kept"\n')
    again = Settings(Workspace(tmp_path))
    assert again.theme == "light"
    assert again.keep_theme("dark") == ""
    assert tomllib.loads(file.read_text()) == {"theme": "dark", "other": "kept"}


@pytest.mark.parametrize("content", [b"theme = ", b"\xff", b"a = " + b"[" * 50_000], ids=["torn", "bytes", "deep"])
def test_settings_that_cannot_be_read_stay_as_they_are(content: bytes, tmp_path: Path) -> None:
    """A damaged settings file is told once, and choosing a theme does not replace it."""
    file = tmp_path / ".conf" / "app.toml"
    file.parent.mkdir()
    file.write_bytes(content)
    settings = Settings(Workspace(tmp_path))
    assert settings.theme is None and len(settings.wrong) == 1
    assert str(file) in settings.keep_theme("light")
    assert file.read_bytes() == content


def test_settings_of_a_wrong_type(tmp_path: Path) -> None:
    """A theme that is no text is none."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "app.toml").write_text("theme = 3\n")
    assert Settings(Workspace(tmp_path)).theme is None


def test_notes_are_for_their_owner_and_end_somewhere(tmp_path: Path) -> None:
    """Tracebacks are kept in a file for its owner only, up to a megabyte, whatever text they hold."""
    settings = Settings(Workspace(tmp_path))
    file = settings.note("first \ud800\n")
    assert file.read_text() == "first \\ud800\n"
    assert file.stat().st_mode & 0o077 == 0
    settings.note("x" * 1_000_000)
    settings.note("too much")
    assert "too much" not in file.read_text()


def test_notes_follow_no_link(tmp_path: Path) -> None:
    """A link in the place of the file is not written through, and nothing is raised."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "app.log").symlink_to(tmp_path / "elsewhere")
    Settings(Workspace(tmp_path)).note("text")
    assert not (tmp_path / "elsewhere").exists()


def test_a_model_keeps_its_letter(tmp_path: Path) -> None:
    """a to z, then aa, in the order in which models are seen first; the next time they are the same."""
    names = [f"model {number}" for number in range(30)]
    letters = Settings(Workspace(tmp_path)).letters(names)
    assert [letters[name] for name in (names[0], names[25], names[26], names[27])] == ["a", "z", "aa", "ab"]
    again = Settings(Workspace(tmp_path))
    assert again.letters(["another", *names[::-1]])["another"] == "ae"
    assert all(again.letters([name])[name] == letters[name] for name in names)


def test_names_from_anybodys_run_spoil_no_setting(tmp_path: Path) -> None:
    """Names that no file can hold, very long ones and very many have letters, too, and other settings are kept as before."""
    settings = Settings(Workspace(tmp_path))
    odd = ["\ud800", "a\nb", "x" * 10_000, *('"' * 99 + str(number) for number in range(5_000))]
    letters = settings.letters(odd)
    assert len({letters[name] for name in odd}) == len(odd)
    assert settings.keep_theme("light") == ""
    again = Settings(Workspace(tmp_path))
    assert again.theme == "light" and not again.wrong


def test_a_settings_file_that_cannot_be_read_makes_no_letter_another(tmp_path: Path) -> None:
    """A model has one letter for as long as the app runs, whoever asks first."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "app.toml").write_text("theme = ")
    settings = Settings(Workspace(tmp_path))
    first = settings.letters(["one", "two"])["two"]
    assert settings.letters(["two"])["two"] == first != settings.letters(["three"])["three"]
