"""A workspace and its runs in which each file that the program may read is, in turn, something that no file should be."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from frozen import PLACE, RUNS

from tui_eval.workspace.places import shipped

CANARY = "canary-of-another-folder"
"""Stands in the file outside that links lead to: nothing shows it, nothing copies it, nothing changes it."""
FOLDERS = {"choice": "3/choice_done", "chat": "4/chat_done", "pipeline": "4/pipeline_done"}
"""By kind: the frozen run of that kind which is laid out."""
ASKED = ("--models", "sim-sprinter", "--dry-run")
JUDGED = (*ASKED, "--judge", "sim-arbiter")
_EXAM = "id,question,A,B,answer\nq1,Which is a rock?,chalk,water,A\nq2,Which is a gas?,iron,helium,B\n"
_TALK = (
    '{"documents": [{"filename": "m.txt", "sha256": "", "pages": 1, "uploaded_at": "", "text": "Oda keeps the mill."}], '
    '"conversations": [{"id": "c1", "document": "m.txt", "turns": [{"id": "t1", "question": "Who?", "ground_truth": "Oda"}]}]}'
)
_MODELS = '[[models]]\nname = "sim"\nwire = "simulator"\nmodel = "sim-scholar"\n'
_OWN = (
    'kind = "panel"\nname = "own"\n\n[run]\nmax_calls = 20\n\n[panel]\nquestions_file = "questions.txt"\n'
    'truths_file = "truths.txt"\ndocuments = ["docs/page.md"]\n\n[[panel.doers]]\nmodel = "sim"\n\n'
    '[panel.benchmark]\nmode = "exact"\n'
)
TEXTS: Mapping[str, str] = {
    ".env": "SOME_API_KEY='a-key-of-nobody-0123'\n",
    ".conf/models.toml": _MODELS,
    ".conf/prices.toml": '[[prices]]\nwire = "openai"\nmodel = "one"\ninput = 1.0\noutput = 2.0\n',
    ".conf/keymap.toml": '[keys]\n"app.help" = "f1"\n',
    ".conf/app.toml": 'theme = "dark"\n',
    ".conf/learned.toml": "",
    ".conf/datasets.toml": '[sets."exam.json"]\nsource = "exam.csv"\n',
    ".conf/checks.json": '{"checks": {}}\n',
    ".conf/trusted_hosts.toml": 'hosts = ["one.example"]\n',
    "themes/own.toml": 'primary = "#5aa9e6"\n',
    "datasets/exam.csv": _EXAM,
    "datasets/talk.json": _TALK,
    "datasets/open/Questions.md": "1. Who keeps the mill?\n   Truth: Oda\n",
    "docs/page.md": "The mill of Ardle grinds rye on Mondays, and Oda keeps it.\n" * 20,
    "questions.txt": "Who keeps the mill?\n",
    "truths.txt": "Oda\n",
    "own.toml": _OWN,
    "question.md": "Who keeps the mill?\n",
    "answers.jsonl": '{"question_id": "q1", "model": "one", "raw_response": "Answer: A"}\n',
    "registry.json": '{"models": [{"provider": "openai", "model_id": "one", "name": "One"}]}\n',
    "pricing.json": '{"pricing": {"one": {"input_per_1m": 1.0, "output_per_1m": 2.0}}}\n',
    "board/all_results.json": "{}\n",
    ".cache/replies/ab/abcd.json": "{}\n",
    "certificates/correct-judge-0123456789ab.json": "{}\n",
}
"""What lies in the workspace besides its runs, by its place."""
PROMPTS = ("prompts/panel/doer_user.md", "prompts/choice/user.md")
"""Prompts of the workspace's own: copies of the shipped ones."""
IN_RUN = 3
"""Parts of the path of a file that lies in a run folder itself."""
EXTRA = ("STOP", "PAUSE", "console.log", "person_marks.jsonl", "batches.jsonl", "lock", "dataset.json", "run.log",
         "judge_certificates.json")  # fmt: skip
"""Names in a run folder that a finished run need not have."""


@dataclass(frozen=True, slots=True)
class HostileFolder:
    """A workspace in a folder of its own, beside what it has no business with."""

    base: Path

    @property
    def work(self) -> Path:
        """The workspace."""
        return self.base / "work"

    @property
    def secret(self) -> Path:
        """The file outside."""
        return self.base / "outside" / "secret.txt"

    @property
    def environment(self) -> dict[str, str]:
        """Under which it is opened: with a home of its own, and no server where its runs had one."""
        return {"HOME": str(self.base / "home"), "XDG_CONFIG_HOME": "", PLACE: "http://127.0.0.1:9/v1"}

    def runs(self) -> dict[str, str]:
        """The ids of its runs, by kind."""
        return {kind: _source(kind).name for kind in FOLDERS}

    def places(self) -> list[str]:
        """The files in it that may be read, and those that might be there.

        Of a run's sub-folders one of each suffix; of the tables, which nothing reads again but the statistics, one of each run.
        """
        found = {str(path.relative_to(self.work)) for path in self.work.rglob("*") if path.is_file()}
        found |= {f"runs/{run}/{name}" for run in self.runs().values() for name in EXTRA}
        alike: dict[tuple[str, ...], str] = {}
        for place in sorted(found):
            path = self.work / place
            if place.startswith("runs/") and path.with_suffix(".csv").is_file() and path.stem not in ("accuracy", "stats"):
                continue
            parts = place.split("/")
            inner = parts[0] == "runs" and len(parts) > IN_RUN
            alike.setdefault((parts[1], *parts[2 : IN_RUN + 1][:-1], Path(place).suffix) if inner else (place,), place)
        return sorted(alike.values())

    def untouched(self) -> list[tuple[str, bytes]]:
        """What lies outside, byte for byte: the yes that is kept at home left out."""
        found = []
        for folder in ("outside", "home"):
            for path in sorted((self.base / folder).rglob("*")):
                if path.is_file() and "trust" not in path.parts:
                    found.append((str(path), path.read_bytes()))
        return found

    def leaks(self) -> list[str]:
        """Files in the workspace that hold what stands outside; a link that leads there is none."""
        files = (path for path in self.work.rglob("*") if path.is_file() and not path.is_symlink())
        return [str(path) for path in files if path.stat().st_size < 10**7 and CANARY.encode() in path.read_bytes()]


def built(base: Path) -> HostileFolder:
    """The folder as a sound one: a workspace with runs of three kinds and one of each file that it may have."""
    made = HostileFolder(base)
    for folder in (made.secret.parent, base / "home"):
        folder.mkdir(parents=True)
    made.secret.write_text(f"{CANARY}\n")
    for kind in FOLDERS:
        shutil.copytree(_source(kind), made.work / "runs" / _source(kind).name)
    for name in PROMPTS:
        (made.work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(shipped("prompts").parent / name, made.work / name)
    for name, text in TEXTS.items():
        (made.work / name).parent.mkdir(parents=True, exist_ok=True)
        (made.work / name).write_text(text)
    return made


def _source(kind: str) -> Path:
    return next(path for path in (RUNS / FOLDERS[kind]).iterdir() if path.is_dir())


# ------------------------------------------------------------------------------------------------------------------- the sorts


def _link(path: Path, secret: Path) -> None:
    path.symlink_to(secret)


def _pipe(path: Path, secret: Path) -> None:
    os.mkfifo(path)


def _device(path: Path, secret: Path) -> None:
    path.symlink_to("/dev/zero")


def _sparse(path: Path, secret: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 * 10**9)


def _deep(path: Path, secret: Path) -> None:
    if path.suffix == ".toml":
        path.write_text("a" + ".a" * 20_000 + " = 1\n")
    elif path.suffix == ".jsonl":
        path.write_text('{"a": ' * 50_000 + "1" + "}" * 50_000 + "\n")
    else:
        path.write_text('{"a": [' * 50_000 + "1" + "]}" * 50_000)


def _folder(path: Path, secret: Path) -> None:
    path.mkdir()


def _rubbish(path: Path, secret: Path) -> None:
    path.write_bytes(bytes(range(256)) * 400 + b"\n" + b"\xff\xfe\x00[{\n" * 200)


def make_socket(path: Path, secret: Path | None = None) -> None:
    """A socket, from the folder that it lies in: its name may not be long."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


SORTS: Mapping[str, Callable[[Path, Path], None]] = {
    "link out": _link,
    "pipe": _pipe,
    "device": _device,
    "sparse": _sparse,
    "deep": _deep,
    "folder": _folder,
    "rubbish": _rubbish,
    "socket": make_socket,
}
"""What is put in the place of a file, by its name."""


def plant(folder: HostileFolder, place: str, sort: str) -> Path:
    """Put it there; where it is. An empty `sort` leaves what is there."""
    if not sort:
        return folder.work / place
    path = folder.work / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    SORTS[sort](path, folder.secret)
    return path


def planted(sound: HostileFolder, base: Path, place: str, sort: str) -> HostileFolder:
    """A copy of a sound folder with that in a place, in which this process goes on."""
    folder = HostileFolder(base)
    shutil.copytree(sound.base, folder.base)
    os.environ.update(folder.environment)
    os.chdir(folder.work)
    plant(folder, place, sort)
    return folder


# ------------------------------------------------------------------------------------------------------------------- the verbs


def verbs_of(folder: HostileFolder, place: str) -> list[Sequence[str]]:
    """The command lines that may read a place, the current folder being the workspace: of each verb one at least."""
    named = [run for run in folder.runs().values() if place.startswith(f"runs/{run}/")]
    own = [[*words] for verb, words in WORKSPACE_VERBS if verb not in RUN_VERBS]
    if not named:
        return [*own, *(words for run in [folder.runs()["choice"]] for words in _run_verbs(run))]
    return [["status"], ["costs", "runs"], *_run_verbs(named[0])]


def _run_verbs(run: str) -> list[Sequence[str]]:
    return [
        ["status", run],
        ["resume", run],
        ["rescore", run],
        ["judge", "certify", run],
        ["rescore", run, "--dry-run", "--set", "choice.extraction=formationeval-v0.1"],
        ["aa", run, "--dry-run"],
        ["stop", run],
        ["pause", run],
        ["continue", run],
        ["compare", run, "--out", "compared"],
        ["items", run, "--json"],
        ["bench", run],
        ["leaderboard", run, "--out", "made"],
        ["leaderboard", run, "--out", "board"],
        ["export", run, "--format", "jsonl"],
        ["export", run, "--format", "md"],
        ["costs", f"runs/{run}"],
        ["run", f"runs/{run}/config.toml", "--dry-run"],
    ]


RUN_VERBS = frozenset(
    {
        "aa",
        "resume",
        "rescore",
        "stop",
        "pause",
        "continue",
        "compare",
        "items",
        "judge certify",
        "leaderboard",
        "export",
        "bench",
    }
)
WORKSPACE_VERBS: Sequence[tuple[str, Sequence[str]]] = [
    ("run", ["run", "own.toml", "--dry-run"]),
    ("chat", ["chat", "datasets/talk.json", *JUDGED]),
    ("qa", ["qa", "datasets/exam.csv", "--prompt", "{question}", *ASKED]),
    ("choice", ["choice", "datasets/exam.csv", *ASKED]),
    ("pipeline", ["pipeline", "docs", *JUDGED]),
    ("status", ["status"]),
    ("import", ["import", "answers.jsonl", "--dataset", "datasets/exam.csv", "--out", "imported"]),
    ("call", ["call", "nobody", "--prompt", "question.md"]),
    ("costs", ["costs", "runs", "--pricing", "pricing.json"]),
    ("config", ["config", "panel"]),
    ("completion", ["completion", "bash"]),
    ("docs", ["docs", "scoring"]),
    ("judge list", ["judge", "list"]),
    ("models list", ["models", "list"]),
    ("models add", ["models", "add", "new", "--set", "model=gpt-5"]),
    ("models edit", ["models", "edit", "sim", "--set", "model=sim-sprinter"]),
    ("models copy", ["models", "copy", "sim", "sim2"]),
    ("models enable", ["models", "enable", "sim"]),
    ("models disable", ["models", "disable", "sim"]),
    ("models import", ["models", "import", "registry.json"]),
    ("models delete", ["models", "delete", "sim"]),
    ("models template", ["models", "template"]),
    ("models check", ["models", "check", "own.toml", "--models", "nobody"]),
    ("models discover", ["models", "discover", "--ports", "9"]),
    ("models trust", ["models", "trust", "host.example"]),
    ("keys set", ["keys", "set", "OTHER_API_KEY"]),
    ("datasets list", ["datasets", "list"]),
    ("datasets show", ["datasets", "show", "exam"]),
    ("datasets import", ["datasets", "import", "datasets/exam.csv", "--name", "again"]),
    ("datasets generate", ["datasets", "generate", "docs/page.md", "--model", "sim-scholar", "--dry-run"]),
    ("datasets export", ["datasets", "export", "exam", "--out", "out.json"]),
    ("datasets deselect", ["datasets", "deselect", "exam", "q1"]),
    ("datasets select", ["datasets", "select", "exam", "q1"]),
]
"""How each verb is called on what lies in the workspace."""
