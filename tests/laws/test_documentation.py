"""Laws of what people read: what a page names is there, what it links to is found, what it shows can be run."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import shutil
import textwrap
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from next_steps import check_none_missing

from tui_eval import __version__
from tui_eval.cli.command_line import main
from tui_eval.providers import WIRES
from tui_eval.results.exporting import EXPORTERS

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")] + DOCS
WRITTEN = [page for page in PAGES if page.name != "config.md"]
"""Pages that are written by hand."""
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
IN_QUOTES = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[(?:[^\]`]|`[^`]*`)*\]\(([^)\s]+)\)")
PLACES = [ROOT, ROOT / "tui_eval", ROOT / "tui_eval" / "tui", ROOT / "tests"]
"""Where a path on a page may begin."""
LEFT_BEHIND = (".cache/", ".venv")
"""What only use makes."""
KEY_NAMES = {
    ",": "comma", ".": "full_stop", "/": "slash", "?": "question_mark", ":": "colon", "Esc": "escape",
    "[": "left_square_bracket", "]": "right_square_bracket", ";": "semicolon", "!": "exclamation_mark",
}  # fmt: skip


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language, as they would be copied."""
    return [textwrap.dedent(text) for _, found, text in FENCED.findall(page.read_text()) if found == language]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return FENCED.sub("", page.read_text())


# ---------------------------------------------------------------------------------------------------------------- what is named


def named_paths(page: Path) -> Iterator[str]:
    """What looks like a path in back quotes: words with a stroke in them, and names of Python files."""
    for quoted in IN_QUOTES.findall(prose(page)):
        for word in quoted.split():
            path = re.fullmatch(r"[\w.*<>-]+(?:/[\w.*<>-]+)*/?", word)
            if path and ("/" in word or word.endswith(".py")) and not word.startswith(LEFT_BEHIND):
                yield word


def is_there(path: str) -> bool:
    """Whether a path leads to a file or folder, or to a name in a module: engine/ask._exchange.

    <kind>, NAME and * stand for any; a bare name of a Python file, for one anywhere in tests, benchmarks and the program.
    """
    anything = re.sub(r"<\w+>|\b[A-Z]{3,}\b(?!\.)", "*", path.rstrip("/"))
    if any(next(place.glob(anything), None) for place in PLACES):
        return True
    if "/" not in path:
        return any(next((ROOT / folder).rglob(path), None) for folder in ("tests", "benchmarks", "tui_eval"))
    module, _, name = path.removesuffix(".py").partition(".")
    if not name:
        return (ROOT / "tui_eval" / f"{module}.py").is_file()
    with suppress(ModuleNotFoundError):
        return hasattr(importlib.import_module("tui_eval." + module.replace("/", ".")), name)
    return False


@pytest.mark.parametrize("page", [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem)
def test_every_path_that_is_named_is_there(page: Path) -> None:
    """What a newcomer is sent to read exists: files, folders, tests, and names in modules."""
    named = [*named_paths(page)]

    assert len(named) > 10 and [path for path in named if not is_there(path)] == []


@pytest.mark.parametrize("path", ["engine/nothing", "core/money.Nothing", "tests/laws/test_nothing.py", "test_nothing.py"])
def test_a_path_that_is_not_there_is_found_out(path: str) -> None:
    """The law above can fail: on modules, on names in them, on tests."""
    assert not is_there(path)


def anchors(page: Path) -> set[str]:
    """What can stand behind # in a link to a page: its headings as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken(page: Path, root: Path = ROOT) -> Iterator[str]:
    """Links of a page that lead nowhere, or out of the repository."""
    for link in LINK.findall(prose(page)):
        if not link.startswith(("https://", "http://")):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.is_relative_to(root) or not target.exists() or (anchor and anchor not in anchors(target)):
                yield link


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    """Links between pages, to pictures, folders and headings; one that is broken is found out."""
    assert {page.name: [*broken(page)] for page in PAGES if [*broken(page)]} == {}

    (tmp_path / "page.md").write_text(
        "[a](nothing.md) [b](#nowhere) ![c](../page.md) [`d`](page.md#here-now)\n\n## Here, now\n"
    )
    assert [*broken(tmp_path / "page.md", tmp_path)] == ["nothing.md", "#nowhere", "../page.md"]


def test_every_page_can_be_found_from_the_readme() -> None:
    """By a link, with words that say what it is for."""
    linked = {link.partition("#")[0] for link in LINK.findall(prose(ROOT / "README.md"))}

    assert {f"docs/{page.name}" for page in DOCS} - linked == set()


def test_each_provider_has_a_row_on_what_a_crash_costs() -> None:
    """Whether a begun call could be fetched, and by which name; what is said of others has a link, or that none was found."""
    page = (ROOT / "docs" / "after-a-crash.md").read_text()
    rows = {row[0].strip(" `"): row for row in (line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| `"))}

    step = (
        "add a row for the provider '{name}' to the table of docs/after-a-crash.md: what its calls in flight cost after a crash"
    )
    check_none_missing(set(WIRES) - set(rows), step)
    assert set(rows) <= set(WIRES) and {len(row) for row in rows.values()} == {4}
    told = {name for name, row in rows.items() if "https://" in "".join(row) or "as far as we found" in "".join(row)}
    here = {name for name, wire in WIRES.items() if wire.simulated or wire.recorded}
    step = "give the row of '{name}' in docs/after-a-crash.md an https:// link to the provider's word, or 'as far as we found'"
    check_none_missing(set(rows) - told - here, step)
    assert told & here == set()


def test_pages_stay_short() -> None:
    """The README is read in five minutes, the architecture fits on three pages."""
    lines = {page.name: len(page.read_text().splitlines()) for page in PAGES}

    assert lines["README.md"] <= 200 and lines["ARCHITECTURE.md"] <= 140 and lines["CONTRIBUTING.md"] <= 100


# ------------------------------------------------------------------------------------------------------------ what is released

RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})")
"""The heading of a release: its version, and its date as ISO has it."""
Release = tuple[tuple[int, ...], date]


def releases(text: str) -> list[Release]:
    """Return the releases of a changelog as they stand, behind Unreleased. ValueError for a heading that is neither."""
    first, *headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    parsed = [(heading, RELEASE.fullmatch(heading)) for heading in headings]
    wrong = [first] * (first != "Unreleased") + [heading for heading, found in parsed if not found]
    if wrong:
        raise ValueError(f"CHANGELOG.md: {wrong[0]!r} is no `## Unreleased` on top, and no `## 1.2.3 - 2026-11-26` below it")
    return [(tuple(map(int, found.groups()[:3])), date.fromisoformat(found[4])) for _, found in parsed if found]


def test_the_newest_release_is_the_version_of_the_program() -> None:
    """What has landed since stands under Unreleased; a release takes it over with a version, which the program then has."""
    version, _ = releases((ROOT / "CHANGELOG.md").read_text())[0]

    step = "set __version__ in tui_eval/__init__.py to the newest release of CHANGELOG.md, or give its entries a release"
    assert ".".join(map(str, version)) == __version__, step


def test_releases_go_from_the_newest_to_the_oldest() -> None:
    """No version stands twice or below an older one, and none is dated before an older one."""
    found = releases((ROOT / "CHANGELOG.md").read_text())

    assert len(found) > 1 and all(newer[0] > older[0] and newer[1] >= older[1] for newer, older in pairwise(found)), found


@pytest.mark.parametrize(
    "text", ["## 0.1.0 - 2026-11-21", "## Unreleased\n\n## 0.1.0", "## Unreleased\n\n## 0.1.0 - 21.11.2026"]
)
def test_a_release_without_version_or_date_is_found_out(text: str) -> None:
    """The laws above can fail: on a missing Unreleased, on a missing date, on one that ISO does not know."""
    with pytest.raises(ValueError, match=r"CHANGELOG\.md"):
        releases(text)


# ----------------------------------------------------------------------------------------------------------- what can be copied


def test_ci_runs_the_command_of_the_readme() -> None:
    """The two commands at the top: one to try it, one to test it, and CI does the second as it stands."""
    tried, tested = blocks(ROOT / "README.md", "sh")[:2]

    assert tried.endswith("&& .venv/bin/tui-eval run quickstart\n")
    assert tested in (ROOT / ".ci" / "run").read_text()


def configs() -> Iterator[tuple[str, str]]:
    """Every whole config on a page; gates, which hold for any kind, are put behind one."""
    for page in WRITTEN:
        for number, text in enumerate(blocks(page, "toml")):
            if "kind" in tomllib.loads(text):
                yield f"{page.stem} {number}", text


GATED = [text for page in WRITTEN for text in blocks(page, "toml") if "gate" in tomllib.loads(text)]
CONFIGS = dict(configs())


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with the files that configs on pages name."""
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "one.txt").write_text("The well is 310 m deep.\n")
    (tmp_path / "datasets").mkdir()
    shutil.copy(ROOT / "examples" / "chat" / "handbook.json", tmp_path / "datasets")
    for folder, name in {"pages": "cargo.png", "notes": "lighthouse.md", "scans": "ropewalk.pdf"}.items():
        (tmp_path / folder).mkdir()
        shutil.copy(ROOT / "examples" / "pipeline" / name, tmp_path / folder)
    shutil.copytree(ROOT / "examples" / "graph" / "briefs", tmp_path / "briefs")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "draft_graph_v20.txt").write_text("Draw a decision graph.\n")
    (tmp_path / "questions.txt").write_text("How deep is the well?\nWho keeps the log?\n")
    (tmp_path / "truths.txt").write_text("310 m\nOda Finch\n")
    shutil.copy(ROOT / "examples" / "qa" / "problems.jsonl", tmp_path / "gsm8k-test.jsonl")
    (tmp_path / "anatomy.csv").write_text("id,question,A,B,answer\nq0007,Which is a bone?,femur,liver,A\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CONFIGS)
def test_every_config_on_a_page_can_be_planned(name: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As it stands, from its first line to its last, with prices and caps: only keys are needed to run it."""
    (workspace / "config.toml").write_text(CONFIGS[name])

    assert main(["run", "config.toml", "--dry-run"]) == 0
    assert "nothing is sent" in capsys.readouterr().out


def test_the_gates_on_a_page_are_taken(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every key of the gates that are shown is known; of the earlier run, which is not here, it is said that it is missing."""
    config = next(text for text in CONFIGS.values() if 'kind = "choice"' in text)
    assert len(GATED) > 1
    for gated in GATED:
        (workspace / "config.toml").write_text(config + gated)
        (workspace / "without.toml").write_text(config + re.sub(r"^against.*\n|^at_most.*\n", "", gated, flags=re.MULTILINE))

        assert main(["run", "config.toml", "--dry-run"]) == 2 and "baselines/june" in capsys.readouterr().err
        assert main(["run", "without.toml", "--dry-run"]) == 0


PARAGRAPH = {
    "context": "Oda Finch keeps the mill of Ardle.",
    "qas": [
        {"id": "1", "question": "Who keeps the mill?", "answers": [{"text": "Oda Finch", "answer_start": 0}]},
        {"id": "2", "question": "Who built it?", "answers": [], "is_impossible": True},
    ],
}
FORMS: dict[str, str] = {
    "gsm8k.jsonl": (ROOT / "examples" / "qa" / "problems.jsonl").read_text(),
    "squad.json": json.dumps({"version": "v2.0", "data": [{"title": "Ardle", "paragraphs": [PARAGRAPH]}]}),
    "TruthfulQA.csv": "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source\n"
    'Adversarial,Myths,Do bulls hate red?,"No, they see no red","No, they see no red; No",Yes; They do,https://example.org\n',
    "mmlu.csv": "Which is a metal?,iron,helium,neon,argon,A\nWhich is a gas?,iron,helium,lead,tin,B\n",
    "invoices.jsonl": '{"text": "Invoice 7, Oda Finch, 70", "expected": {"number": 7, "name": "Oda Finch", "amount": 70}}\n',
    "news.csv": f"article,highlights\n{'The harbour was flooded in spring. ' * 8},{'The harbour was flooded. ' * 5}\n",
}
"""Files in the forms in which people download them, by the names that the page gives them."""
FROM_FILES = [
    line for text in blocks(ROOT / "docs" / "from-a-file.md", "sh") for line in text.splitlines() if " FILE " not in line
]


def test_the_page_from_a_file_has_three_commands_for_each_form() -> None:
    """Three at the most, and every form that is named has some."""
    each = [text.splitlines() for text in blocks(ROOT / "docs" / "from-a-file.md", "sh")][1:]

    assert len(each) == len(FORMS) and max(map(len, each)) <= 3
    assert {shlex.split(lines[1])[2] for lines in each} == {*FORMS}


@pytest.mark.parametrize("line", [line for line in FROM_FILES if re.match("tui-eval (qa|choice) ", line)])
def test_a_command_from_a_file_works(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands, from a file in that form to a plan; what it runs is a config that can be run again."""
    monkeypatch.chdir(tmp_path)
    for name, text in FORMS.items():
        (tmp_path / name).write_text(text)
    words = shlex.split(line.replace("A,B", "sim-scholar,sim-sprinter"))[1:]

    assert main([*words, *([] if "--dry-run" in words else ["--dry-run"])]) == 0


@pytest.mark.soak
def test_the_first_run_of_the_readme_is_what_comes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Line by line, but for the run's own name; what the dry run shows of real models, too. It works in any folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENROUTER_API_KEY",):
        monkeypatch.setenv(name, "sk-nothing-is-sent")
    printed = ""
    commands = [
        line.partition("#")[0] for text in blocks(ROOT / "README.md", "sh") for line in text.splitlines() if " qa " in line
    ]
    for command in (commands[0], f"{commands[1].replace('test.jsonl', 'examples/qa/problems.jsonl')} --name real"):
        assert main(shlex.split(command)[1:]) == 0
        said = capsys.readouterr()
        printed += said.out + said.err
    shown = _shown(ROOT / "README.md", ["chosen by", "stage   model   "])

    assert len(shown) > 12
    assert [line for line in shown if line not in printed.splitlines() and not line.startswith("run folder: ")] == []


# --------------------------------------------------------------------------------------------------------------- what is listed


def test_the_providers_on_the_pages_are_ours() -> None:
    """Each that a page writes behind `wire =` is known, and each that can be asked is in the table of providers."""
    written = {name for page in WRITTEN for name in re.findall(r'wire = "([^"]+)"', page.read_text())}
    listed = {name for line in _table("models-and-keys", "you have") for name in re.findall(r'"([^"]+)"', line)}
    imported = {name for name, wire in WIRES.items() if wire.recorded}  # these ask nobody

    step = 'a page has wire = "{name}", which is no provider: correct it, or add it to WIRES in tui_eval/providers/__init__.py'
    check_none_missing(written - {*WIRES}, step)
    step = 'add wire = "{name}" to the table of providers (| you have |) in docs/models-and-keys.md'
    check_none_missing({*WIRES} - listed - imported, step)
    assert listed & imported == set()


def test_the_formats_on_the_page_are_ours() -> None:
    """Every format of `export` has its line, and there is no other."""
    listed = [_first(line) for line in _table("export", "format")]

    step = "add a line for '{name}' to the table of formats (| format |) in docs/export.md"
    check_none_missing({*EXPORTERS}.difference(listed), step)
    step = (
        "take '{name}' from the table of formats in docs/export.md: EXPORTERS (tui_eval/results/exporting) has no such format"
    )
    check_none_missing({*listed} - {*EXPORTERS}, step)
    assert len(listed) == len(EXPORTERS)


def test_what_is_missing_on_a_page_is_told_with_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new provider and a new exporter fail these laws by sentences that say which table of which page lacks them."""
    monkeypatch.setitem(WIRES, "a-new-wire", WIRES["openrouter"])
    monkeypatch.setitem(EXPORTERS, "a-new-format", EXPORTERS["md"])

    for law, words in {
        test_each_provider_has_a_row_on_what_a_crash_costs: "'a-new-wire' to the table of docs/after-a-crash.md",
        test_the_providers_on_the_pages_are_ours: 'add wire = "a-new-wire" to the table of providers',
        test_the_formats_on_the_page_are_ours: "'a-new-format' to the table of formats",
    }.items():
        with pytest.raises(AssertionError, match=re.escape(words)):
            law()


def test_the_themes_on_the_page_are_ours() -> None:
    """Every shipped theme is named where colours are told."""
    told = IN_QUOTES.findall((ROOT / "docs" / "app.md").read_text())

    assert {path.stem for path in (ROOT / "themes").glob("*.toml")} - {*told} == set()


def test_the_keys_on_the_page_are_bound() -> None:
    """Each key in the tables of the app is one of the key map, under whatever name."""
    bound = {key for keys in _keymap().values() for key in keys.split(",")}
    lines = [*_table("app", "screen"), *_table("app", "keys")]
    cells = [IN_QUOTES.findall(line) for line in lines]
    told = {key for quoted in cells for key in quoted if len(key) == 1 or key[0].isupper()}
    names = {KEY_NAMES.get(key, key if len(key) == 1 else key.lower()) for key in told}

    assert len(names) > 40 and {name for name in names if name not in bound} == set()


def test_the_names_of_keys_on_the_pages_are_ours() -> None:
    """What a page puts into a key map of one's own has a name of the shipped one."""
    tables = [tomllib.loads(text) for page in WRITTEN for text in blocks(page, "toml")]
    named = {name for table in tables for name in table.get("keys", {})}

    assert named and named - {*_keymap()} == set()


def _table(page: str, head: str) -> list[str]:
    """The lines below the head of a table."""
    lines = (ROOT / "docs" / f"{page}.md").read_text().splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith(f"| {head} |")) + 2
    end = next((place for place in range(begin, len(lines)) if not lines[place].startswith("|")), len(lines))
    return lines[begin:end]


def _first(line: str) -> str:
    return IN_QUOTES.findall(line)[0]


def _keymap() -> dict[str, str]:
    return tomllib.loads((ROOT / "keymaps" / "default.toml").read_text())["keys"]  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------------------------------------------- what is shown


def _shown(page: Path, head: Sequence[str]) -> list[str]:
    """The lines of the blocks of output that begin with one of these words."""
    return [line for text in blocks(page, "text") if text.startswith(tuple(head)) for line in text.splitlines()]


@pytest.mark.soak
def test_the_board_on_the_page_is_what_comes_out(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example of multiple choice prints, line by line, what its page shows, and so do its comparison and its gates."""
    assert main(["run", "choice", "--out", "run"]) == 0
    printed = capsys.readouterr().out
    assert main(["compare", "run"]) == 0
    printed += capsys.readouterr().out
    assert main(["rescore", "run", "--set", "gate.correct=>= 80 %", "--set", "gate.bound=low"]) == 1
    printed += capsys.readouterr().out
    shown = _shown(ROOT / "docs" / "multiple-choice.md", ["rank"])
    shown += _shown(ROOT / "docs" / "compare.md", ["A "]) + _shown(ROOT / "docs" / "ci.md", ["gate "])

    assert len(shown) > 25 and [line for line in shown if line not in printed.splitlines()] == []


@pytest.mark.soak
def test_the_quickstart_of_the_readme_is_what_comes_out(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its accuracies to the digit, and calls and costs of every stage; how long a reply took differs each time."""
    assert main(["run", "quickstart"]) == 0
    printed = [re.sub(r" [0-9]\.[0-9]{2} ", " ", line) for line in capsys.readouterr().out.splitlines()]
    shown = [line for line in _shown(ROOT / "README.md", ["config:"]) if "  $" in line or " % " in line]
    tables = [line for line in shown if "answered" not in line]

    assert len(tables) > 12 and [line for line in tables if re.sub(r" [0-9]\.[0-9]{2} ", " ", line) not in printed] == []
