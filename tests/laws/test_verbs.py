"""Laws of the command line, for every verb that there is: its help, its options, what it says where, one way to say it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from next_steps import check_none_missing
from soaking import SOAK

from tui_eval.cli import command_line, dataset_commands, model_commands
from tui_eval.cli.command_line import GROUPS, VERBS, main, with_run_as_verb
from tui_eval.cli.verb import Parser
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import shipped

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
FORMER = (
    "resume|rescore|status|stop|pause|continue|compare|leaderboard|export|import-answers|list-models|add-model|edit-model|"
    "copy-model|enable-model|disable-model|delete-model|import-models|check|discover|trust-host|store-key"
)
"""Actions that were options before they were verbs. (--attach RUN was one, too; now it has a PDF sent as it is.)"""
EXAM = "id,question,A,B,answer\nq1,Which is a rock?,chalk,water,A\nq2,Which is a gas?,iron,helium,B\n"
ANSWERED = '{"question_id": "q1", "model": "one", "raw_response": "Answer: A"}\n'
TALK = (
    '{"documents": [{"filename": "m.txt", "sha256": "", "pages": 1, "uploaded_at": "", "text": "Oda keeps the mill."}], '
    '"conversations": [{"id": "c1", "document": "m.txt", "turns": [{"id": "t1", "question": "Who?", "ground_truth": "Oda"}]}]}'
)


# ------------------------------------------------------------------------------------------------------------ help, and typos


SHORTER = (
    "give a verb of tui_eval/cli/verbs.py listed=False, and name it in the line of another, as `pause` is in that of `stop`"
)
"""What is to be done where the list of verbs is longer than a screen."""


@pytest.mark.parametrize("words", [[], *([group] for group in GROUPS), *(name.split() for name in VERBS)], ids=" ".join)
def test_help_fits_a_screen(words: Sequence[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """24 lines of 80 columns, on standard output; it needs no workspace, and ends with 0."""
    monkeypatch.setenv("COLUMNS", "80")
    try:
        code = main([*words, "--help"])
    except SystemExit as end:
        code = end.code or 0  # type: ignore[assignment]
    said = capsys.readouterr()
    lines = said.out.rstrip("\n").split("\n")

    assert (code, said.err) == (0, "")
    assert max(map(len, lines)) <= 80, f"shorten in tui_eval/cli/verbs.py: {max(lines, key=len)}"
    step = SHORTER if not words else "shorten its help in tui_eval/cli"
    assert len(lines) <= 24, f"{len(lines)} lines of help are more than a screen: {step}"


def test_the_list_of_verbs_names_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Each on a line, or among those of its group; what begins without a verb is the app."""
    assert main(["--help"]) == 0
    told = capsys.readouterr().out

    assert "tui-eval [RUN]: the app" in told
    assert [name for name in VERBS if not re.search(rf"\b{name.split()[-1]}\b", told)] == []
    assert [verb.name for verb in VERBS.values() if len(verb.about) > 60] == []


@pytest.mark.parametrize("name", VERBS)
def test_a_mistyped_verb_is_told_the_nearest(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever stands behind it; nothing is done."""
    typo = f"{name[:-1]}{name[-1]}x" if len(name) < 5 else name[:-2] + name[-1]

    for more in ([], ["RUN"], ["--set", "a=1"]):
        assert main(["--workspace", str(tmp_path), *typo.split(), *more]) == 2
        said = capsys.readouterr()
        assert f"did you mean {name}?" in said.err and said.out == ""


@pytest.mark.parametrize("name", VERBS)
def test_an_option_of_another_verb_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """None is passed over in silence: it would be taken for obeyed. A mistyped one is told the nearest."""
    parser = Parser(VERBS[name])
    words = [*name.split(), *(f"{i}" for i in range(_positionals(name)))]
    every = {option for verb in VERBS.values() for option in Parser(verb).option_names if option.startswith("--")}
    needed = [
        w for action in parser._actions if action.option_strings and action.required for w in (action.option_strings[0], "x")
    ]

    for option in sorted(every - set(parser.option_names)):
        assert main([*words, *needed, option]) == 2
        assert f"tui-eval {name}: no option {option}" in capsys.readouterr().err
    for option in [known for known in parser.option_names if known.startswith("--")]:
        assert main([*words, *needed, f"{option}x"]) == 2
        assert f"no option {option}x, did you mean {option}?" in capsys.readouterr().err


@pytest.mark.parametrize("name", VERBS)
def test_what_leaves_is_told_by_options_that_the_verb_has(name: str) -> None:
    """Help names none of another verb: `--egress` is one of `run` alone."""
    parser = Parser(VERBS[name])
    lines = [line for line in (parser.epilog or "").splitlines() if line.startswith("data sent:")]

    assert {option for line in lines for option in re.findall(r"--[a-z-]+", line)} <= {*parser.option_names}
    assert bool(lines) == ("--allow-egress" in parser.option_names)


def _positionals(name: str) -> int:
    """How many words a verb needs."""
    return sum(not a.option_strings and a.nargs not in ("?", "*") for a in Parser(VERBS[name])._actions)


NEEDED = {"leaderboard": ["--out", "x"], "export": ["--format", "csv"]}
"""What verbs of runs need besides a run."""


def test_a_mistyped_run_or_example_is_told_the_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By every verb that takes one."""
    copytree(GOLDEN / "choice", tmp_path / "runs" / "lighthouse")

    for name, verb in VERBS.items():
        if verb.usage in ("RUN", "[RUN]", "RUN..."):
            code = main(["--workspace", str(tmp_path), name, "lighthuose", *NEEDED.get(name, [])])
            said = capsys.readouterr().err
            step = f"give NEEDED in tests/laws/test_verbs.py the options that {name!r} needs, or take its RUN by Workspace.run"
            assert code == 2 and "did you mean lighthouse?" in said, f"{step}: {said}"
    assert main(["--workspace", str(tmp_path), "run", "quikstart"]) == 2
    assert "did you mean quickstart?" in capsys.readouterr().err


def test_every_verb_has_its_function() -> None:
    """What the tables of functions name are verbs, and the verbs that go through a table stand in it."""
    through = {verb.execute for verb in VERBS.values() if verb.name in ("models list", "datasets list")}
    named = {*model_commands.DONE, *(f"datasets {name}" for name in dataset_commands.VERBS)}

    verbs = {name for name, verb in VERBS.items() if verb.execute in through}
    step = "add the function of '{name}' to DONE in tui_eval/cli/model_commands.py, or to VERBS in cli/dataset_commands.py"
    check_none_missing(verbs - named, step)
    step = "add a Verb '{name}' to tui_eval/cli/verbs.py (or datasets.py): its function is there, and no verb leads to it"
    check_none_missing(named - verbs, step)


def test_every_short_form_of_a_kind_has_its_verb() -> None:
    """A verb of the kind's name, which takes what the kind says; and what it says, it has a table for."""
    verbs = {name: verb.usage.removesuffix("...") for name, verb in VERBS.items() if verb.execute is VERBS["chat"].execute}
    kinds = {name: kind for name, kind in KINDS.items() if kind.starts.short_form}

    step = "add a Verb '{name}' that takes the kind's short_form to VERBS in tui_eval/cli/verbs.py, as that of `chat`"
    check_none_missing(kinds.keys() - verbs.keys(), step)
    assert verbs == {name: kind.starts.short_form for name, kind in kinds.items()}
    assert all(kind.starts.from_set if kind.starts.short_form == "SET" else kind.starts.from_files for kind in kinds.values())


# ---------------------------------------------------------------------------------------------------------------- one spelling


LISTS = ("A,B", "J,K", "S,T", "IDS", "N,N")
"""How help shows what takes several names, comma-separated."""
JUDGED = ["--models", "sim-sprinter", "--judge", "sim-arbiter", "--dry-run"]
PLAIN = ["--models", "sim-sprinter", "--dry-run"]
BEHIND = {
    "run": ["quickstart", "--dry-run"], "compare": ["one"], "export": ["one", "--format", "csv"], "chat": ["talk", *JUDGED],
    "pipeline": ["pages", *JUDGED], "qa": ["sums.csv", *PLAIN], "choice": ["exam.csv", *PLAIN],
}  # fmt: skip
"""What those verbs need besides."""
LISTING = [
    (name, option.option_strings[0])
    for name, verb in VERBS.items()
    for option in Parser(verb)._actions
    if option.option_strings and option.nargs is None and option.metavar in LISTS and option.dest != "flips"
]


def test_which_options_take_several_names() -> None:
    """(--flips takes one pair, and is refused as such where it names none.)"""
    found = {f"{name} {option}" for name, option in LISTING}
    known = {
        "run --models", "run --only", "compare --models", "export --models", "models check --models", "models discover --ports",
        "models discover --add", "chat --models", "chat --judge", "pipeline --models", "pipeline --judge", "qa --models",
        "qa --scorers", "choice --models",
    }  # fmt: skip
    step = "add '{name}' to `known` here, and what its verb needs besides to BEHIND, both in tests/laws/test_verbs.py"
    check_none_missing(found - known, step)
    assert known <= found


@pytest.mark.parametrize("given", ["", " ", ",", " , ,"])
@pytest.mark.parametrize(("name", "option"), LISTING, ids=" ".join)
def test_an_option_that_names_nothing_never_means_everything(
    name: str, option: str, given: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with an empty variable of a script: it is refused before anything is read, asked or bought."""
    capsys.readouterr()
    assert main([*name.split(), *BEHIND.get(name, []), option, given]) == 2
    said = capsys.readouterr()

    assert said.out == "" and f"{option}: is empty" in said.err


@given(
    st.permutations([["--dry-run"], ["--out", "o"], ["--set=a=1"], ["--models", "a"], ["-q"], ["--workspace=w"]]),
    st.integers(0, 6),
    st.booleans(),
)
def test_run_as_an_option_is_the_verb_wherever_it_stands(options: Sequence[list[str]], place: int, equals: bool) -> None:
    """`--run X` and `--run=X` mean `run X`, whatever stands before and behind."""
    said = [["--run=x.toml"] if equals else ["--run", "x.toml"]]
    words = [word for part in [*options[:place], *said, *options[place:]] for word in part]
    before, verb, after = command_line.split(with_run_as_verb(words))
    plain = Parser(VERBS["run"]).read(["x.toml", *(word for part in options for word in part)])

    assert verb is VERBS["run"] and Parser(verb).read([*before, *after]) == plain


def test_what_every_verb_takes_may_stand_before_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--workspace, -q and --no-plugins mean the same before and behind it."""
    copytree(GOLDEN / "choice", tmp_path / "runs" / "one")
    common = ["--workspace", str(tmp_path), "-q", "--no-plugins"]
    said = []
    for words in ([*common, "status", "--json"], ["status", *common, "--json"], [*common[:2], "status", "--json", *common[2:]]):
        assert main(words) == 0
        said.append(capsys.readouterr())

    assert said[0] == said[1] == said[2] and json.loads(said[0].out)[0]["path"] == str(tmp_path / "runs" / "one")


def test_a_config_comes_in_on_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`run -`: its paths are those of the current folder; a local file goes before an example, and which is taken is said."""
    monkeypatch.chdir(tmp_path)
    config = (shipped("examples") / "choice.toml").read_text()
    questions = re.search(r'"([^"]*\.json)"', config)
    assert questions
    (tmp_path / "here.json").write_bytes((shipped("examples") / questions[1]).read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(config.replace(questions[1], "here.json").encode())))
    assert main(["run", "-", "--dry-run", "--json"]) == 0
    piped = capsys.readouterr()
    assert main(["run", "choice", "--dry-run", "--json"]) == 0
    shipped_one = capsys.readouterr()
    (tmp_path / "choice").write_text("kind = 3")
    assert main(["run", "choice", "--dry-run", "--json"]) == 2

    assert json.loads(piped.out)["plan"]["total_calls"] == json.loads(shipped_one.out)["plan"]["total_calls"] == 240
    assert "shipped example choice" in shipped_one.err and "shipped example" not in piped.err + capsys.readouterr().err


# --------------------------------------------------------------------------------------------------------------- what is said

SHOWN = {
    "run": [["quickstart", "--out", "new", "--no-preflight", "--only", "harbour/q0"], ["quickstart", "--dry-run"]],
    "chat": [["talk", *JUDGED]],
    "pipeline": [["pages", *JUDGED]],
    "qa": [["sums.csv", *PLAIN]],
    "choice": [["exam.csv", *PLAIN]],
    "resume": [["one"]],
    "rescore": [["one"], ["one", "--dry-run", "--set", "choice.extraction=formationeval-v0.1"]],
    "status": [[], ["one"]],
    "aa": [["one"], ["one", "--dry-run"]],
    "compare": [["one"]],
    "leaderboard": [["one", "--out", "board"]],
    "bench": [["one"], ["one", "--after", "20"]],
    "items": [["one"], ["one", "--look"]],
    "import": [["answers.jsonl", "--dataset", "exam.csv", "--out", "imported"]],
    "call": [["sim", "--prompt", "question.md"], ["sim", "sim-sprinter", "--prompt", "question.md"]],
    "costs": [["runs/one"], ["runs", "--out", "costs.json"]],
    "config": [[], ["panel"]],
    "models list": [[]],
    "models check": [["--models", "sim"]],
    "models discover": [[]],
    "judge certify": [["one"]],
    "judge list": [[]],
    "datasets list": [[]],
    "datasets show": [["exam"], ["exam", "--question", "q1"]],
    "datasets import": [["exam.csv", "--name", "again"]],
}
"""Of each verb that shows something, how it may be called in the workspace of these tests."""
CALLS = [[*name.split(), *words] for name, calls in SHOWN.items() for words in calls]
ASKING = (["run", "quickstart"], ["models", "check"])
"""How those begin that wait for simulated replies, some seconds each."""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a run, a dataset, a simulated model, answers made elsewhere."""
    monkeypatch.chdir(tmp_path)
    copytree(GOLDEN / "choice", tmp_path / "runs" / "one")
    (tmp_path / "exam.csv").write_text(EXAM)
    (tmp_path / "sums.csv").write_text("question,answer\nWhat is 3 and 4?,7\nWhat is 2 and 2?,4\n")
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "talk.json").write_text(TALK)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "mill.md").write_text("The mill of Ardle grinds rye on Mondays.")
    (tmp_path / "question.md").write_text("Who keeps the harbour log of Skerrow?")
    (tmp_path / "answers.jsonl").write_text(ANSWERED)
    assert main(["-q", "datasets", "import", "exam.csv"]) == 0
    assert main(["-q", "models", "add", "sim", "--set", "model=sim-scholar", "--set", "wire=simulator"]) == 0
    return tmp_path


def test_every_verb_that_shows_something_does_so_for_programs() -> None:
    """No verb has --json without being called here."""
    assert [*SHOWN] == [name for name in SHOWN if name in VERBS]
    shows = {name for name, verb in VERBS.items() if "--json" in Parser(verb).option_names}
    step = "add '{name}' to SHOWN in tests/laws/test_verbs.py: the words behind it by which it shows something in `workspace`"
    check_none_missing(shows - {*SHOWN}, step)
    assert {*SHOWN} <= shows


@pytest.mark.parametrize(
    "words", [pytest.param(words, marks=SOAK) if words[:2] in ASKING else words for words in CALLS], ids=" ".join
)
def test_json_is_one_value_on_standard_output(
    words: Sequence[str], workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An object, or a list of them where there may be several: the whole of standard output. With -q nothing else is said."""
    capsys.readouterr()
    code = main([*words, "--json", "-q"])
    said = capsys.readouterr()

    assert code in (0, 1 if words[1:2] == ["certify"] else 3) and said.err == ""  # nobody marked anything of this run
    value = json.loads(said.out)
    assert isinstance(value, dict) or all(isinstance(entry, dict) for entry in value)


@pytest.mark.parametrize(
    "words", [["resume", "nope"], ["run", "nope.toml"], ["datasets", "show", "nope"], ["models", "delete", "x"]]
)
def test_quiet_is_silent_about_all_but_mistakes(
    words: Sequence[str], workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong is said all the same, in the same words."""
    capsys.readouterr()
    assert main(["-q", *words]) == main(words) == 2
    first, second = capsys.readouterr().err.splitlines()

    assert first == second and first.startswith("error: ")


# ------------------------------------------------------------------------------------------------------------- what is written


def written() -> Iterator[Path]:
    """What people read and copy from: messages, docs, examples, scripts, tests."""
    for folder in ("tui_eval", "docs", "examples", "scripts", "benchmarks", "prompts", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            text = path.is_file() and path.suffix in (".py", ".md", ".toml", ".tcss", "") and "__pycache__" not in path.parts
            made = path.relative_to(ROOT).parts[:2] in (("tests", "golden"), ("tests", "frozen"))
            if text and not made and path != Path(__file__):
                yield path
    yield from (path for path in sorted(ROOT.glob("*.md")) if path.name != "CHANGELOG.md")
    yield from sorted((ROOT / "tests" / "frozen").glob("*.py"))


def test_nothing_speaks_of_former_options() -> None:
    """Of the actions that were options only --run is left."""
    former = re.compile(rf"(?<![\w-])--({FORMER})(?![\w-])")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in written()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if former.search(line.replace("ruff format --check", ""))
    ]

    assert found == []


def test_every_verb_of_a_group_that_is_spoken_of_is_there() -> None:
    """`tui-eval models ...` in a message or a page names a verb."""
    spoken = re.compile(rf"tui-eval ((?:{'|'.join(GROUPS)}) [a-z]+)")
    found = {name for path in written() for name in spoken.findall(path.read_text(encoding="utf-8"))}

    assert found and found - {*VERBS} == set()


def test_every_command_on_a_page_is_taken() -> None:
    """Verb and options of what can be copied from README and docs, in blocks and in back quotes."""
    pages = [path for path in written() if path.suffix == ".md" and path.parent in (ROOT, ROOT / "docs")]
    copied = re.compile(r"`tui-eval( [^`\n]+)`|^(?:\$ )?tui-eval( (?!sends|is |has )[^\n#|]+)", re.MULTILINE)
    commands = [(page.name, "".join(found).split()) for page in pages for found in copied.findall(page.read_text())]
    refused = []
    for page, words in commands:
        before, verb, after = command_line.split(with_run_as_verb(words)) if "VERB" not in words else ([], None, [])
        known = Parser(verb or command_line.APP).option_names
        options = [word.partition("=")[0] for word in [*before, *after] if word.startswith("-") and word != "-"]
        if not {*options} <= {*known, "--version"} or (verb is None and words[0].islower() and words[0][0] not in "-./"):
            refused.append((page, words))

    assert commands and refused == []


# ------------------------------------------------------------------------------------------------------------------- at once


@pytest.mark.parametrize("words", [["--help"], ["status"], ["run", "--help"]], ids=" ".join)
def test_what_sends_nothing_loads_nothing(words: Sequence[str], tmp_path: Path) -> None:
    """Help, and where 50 runs stand: without settings, kinds, wires, engine, network or screen."""
    for number in range(50):
        copytree(GOLDEN / "stopped", tmp_path / "runs" / f"r{number}")
    heavy = ("pydantic", "httpx", "aiohttp", "textual", "asyncio")
    parts = ("kinds", "providers", "session", "engine", "tui", "models", "datasets")
    looked_for = [*heavy, *(f"tui_eval.{part}" for part in parts)]
    code = (
        "import sys; from tui_eval.cli.command_line import main\n"
        f"try: main({['--workspace', str(tmp_path), *words]!r})\n"
        "except SystemExit: pass\n"
        f"print([name for name in {looked_for!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True)

    assert done.stderr == "[]\n" and len(done.stdout.splitlines()) >= (52 if words == ["status"] else 10)


@pytest.mark.soak
@pytest.mark.parametrize("words", [["--help"], ["status"]], ids=" ".join)
def test_what_sends_nothing_answers_at_once(words: Sequence[str], tmp_path: Path) -> None:
    """Below 1.5 times the CPU that importing pydantic takes (0.15 s where that takes 0.1 s), each at its best of up to thirty,
    taken in turns: how fast a machine is, and what else it does, counts for both."""
    for number in range(50):
        copytree(GOLDEN / "stopped", tmp_path / "runs" / f"r{number}")
    command = [sys.executable, "-m", "tui_eval", "--workspace", str(tmp_path), *words]
    yardstick = [sys.executable, "-c", "import pydantic; pydantic.BaseModel"]

    ours, theirs = [_cpu_s(command)], [_cpu_s(yardstick)]
    while len(ours) < 30 and min(ours) >= 1.5 * min(theirs):
        ours.append(_cpu_s(command))
        theirs.append(_cpu_s(yardstick))

    assert min(ours) < 1.5 * min(theirs)


def _cpu_s(command: Sequence[str]) -> float:
    """Seconds of CPU that a process took."""
    from resource import RUSAGE_CHILDREN, getrusage

    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, timeout=240, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
