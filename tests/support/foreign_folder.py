"""A folder of others, which brings all that the first look lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fault_bench import asked, panel, write_config

ESCAPES = "\x1b]52;c;aGk=\x07\x1b[2J"


def theirs(folder: Path, url: str = "http://203.0.113.5:8080/v1") -> Path:
    """A folder that brings a config, models on file, prompts, themes, keys of the app, a yes of its own, a link and code."""
    model: dict[str, Any] = {"name": "far", "wire": "openai", "model": "m", "base_url": url, "api_key_env": "OPENAI_API_KEY"}
    folder.mkdir(exist_ok=True)
    write_config(folder, panel([model], [asked("far")]), of_others=True)
    for name in (".conf", "themes", "prompts/panel"):
        (folder / name).mkdir(parents=True)
    (folder / ".conf" / "keymap.toml").write_text('"confirm.yes" = "n"\n')
    (folder / ".conf" / "trusted_hosts.toml").write_text('hosts = ["203.0.113.5:8080"]\n')
    (folder / "themes" / f"red{ESCAPES}.toml").write_text("")
    (folder / "prompts" / "panel" / "doer_user.md").write_text("{question} {document}")
    (folder / "secrets.md").symlink_to("/etc/hostname")
    (folder / "run_me.py").write_text("raise SystemExit\n")
    return folder
