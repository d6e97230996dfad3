"""Files of judges' certificates: written whole, and read as what anybody may have written."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import one_line
from tui_eval.results.sums.judge_certificates import (
    LEAST_LABELS,
    CertificateCopy,
    CertificateOrigin,
    Identity,
    JudgeCertificate,
    Telling,
)
from tui_eval.results.tables import json_text
from tui_eval.runs.opening import whole
from tui_eval.statistics.judge_certificate import LEAST_TELLING
from tui_eval.workspace.plain_files import json_of, read_file

FORMAT = 1
COPIES = "judge_certificates.json"
"""The file of a run folder with the certificates of its judges, as they were when it was prepared or re-scored."""
MOST_BYTES = 64 * 1024
"""A certificate that is longer is none of ours."""
MOST_COPIES = 100
MOST_FILES = 1_000
"""Certificates of a workspace that are looked at."""
LONGEST = 200
"""Characters of a text of a certificate that are read."""
MOST_LABELS = 10_000_000
_MOST_LIST = 500


@dataclass(frozen=True, slots=True)
class StoredCertificate:
    """A certificate of a workspace; or why its file is none."""

    path: Path
    certificate: JudgeCertificate | None
    problem: str = ""


def certificate_json(certificate: JudgeCertificate) -> dict[str, Json]:
    """A certificate as its file has it."""
    origin, telling = certificate.made, certificate.telling
    return {
        "format": FORMAT,
        **{part: dict(getattr(certificate.identity, part)) for part in ("metric", "judge", "prompt", "dataset")},
        "made": {**asdict(origin), "persons": list(origin.persons), "models": [list(model) for model in origin.models]},
        "figures": asdict(telling),
    }


def file_name(certificate: JudgeCertificate) -> str:
    """METRIC-JUDGE-12 digits of what it is of: the same certificate made again takes the place of the first."""
    words = (_slug(certificate.metric), _slug(certificate.judge), certificate.identity.digest)
    return "-".join(filter(None, words)) + ".json"


def certificate_text(certificate: JudgeCertificate) -> str:
    """The whole file."""
    return json_text(certificate_json(certificate))


def _slug(name: str) -> str:
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name)[:40].strip("-")


def certificates_in(folder: Path, within: Path) -> Iterator[StoredCertificate]:
    """Those of a workspace's folder, the newest first, then what cannot be read; none where there is no folder.

    `within`: the workspace, out of which no link may lead.
    """
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(".json") and entry.name[0] != ".")
    except OSError:
        return
    certificates = [stored_certificate(folder / name, within) for name in names[:MOST_FILES]]
    yield from sorted(certificates, key=lambda stored: stored.certificate.made.at if stored.certificate else "", reverse=True)


def stored_certificate(path: Path, within: Path) -> StoredCertificate:
    """Read a file of the workspace's folder, out of which no link may lead; what is no certificate says why."""
    try:
        return StoredCertificate(path, certificate_of(json_of(read_file(path, MOST_BYTES, within))))
    except OSError as error:
        return StoredCertificate(path, None, f"cannot be read: {one_line(error.strerror or str(error), 80)}")
    except ValueError as error:
        return StoredCertificate(path, None, f"cannot be read: {one_line(str(error), 80)}")


def copies_text(copies: Sequence[CertificateCopy]) -> str:
    """The file of a run folder with such certificates."""
    entries = [
        {**certificate_json(copy.certificate), "state": "void" if copy.why else "valid", "why": copy.why} for copy in copies
    ]
    return json_text({"certificates": entries})


def copies_in(run: Path) -> list[CertificateCopy]:
    """The certificates of a run folder; what is none is left out. FolderError where the file is no file, or too large."""
    data = whole(run / COPIES, MOST_BYTES * MOST_COPIES)
    try:
        content = json_of(data or b"{}")
    except ValueError:
        return []
    entries = content.get("certificates") if isinstance(content, dict) else None
    copies = []
    for entry in entries[:MOST_COPIES] if isinstance(entries, list) else ():
        try:
            certificate = certificate_of(entry)
        except ValueError:
            continue
        why = entry.get("why")
        void = "" if entry.get("state") == "valid" else "it was void when it was copied"
        copies.append(CertificateCopy(certificate, one_line(why, LONGEST) if isinstance(why, str) and why else void))
    return copies


def certificate_of(content: Any) -> JudgeCertificate:
    """Read a certificate from the content of a file. ValueError, in words, for a field of another type or out of range."""
    table = _table(content, "it")
    if table.get("format") != FORMAT:
        raise ValueError("not a certificate of format 1")
    parts = {part: _part(table, part) for part in ("judge", "prompt", "metric", "dataset")}
    for part, key in (("judge", "name"), ("judge", "model"), ("metric", "name")):
        if not parts[part].get(key):
            raise ValueError(f"{part}.{key} is missing")
    return JudgeCertificate(Identity(**parts), _origin_of(table), _telling(_table(table.get("figures"), "figures")))


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a table")
    return value


def _part(table: Mapping[str, Any], part: str) -> dict[str, Json]:
    """Plain values, lists of texts and tables of texts: all that is compared or shown."""
    return {
        _text(name, part): _value(value, f"{part}.{one_line(name, 40)}")
        for name, value in _table(table.get(part), part).items()
    }


def _value(value: Any, name: str) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, name)
    if isinstance(value, int | float):
        return _number(value, name, -1e12, 1e12)
    if isinstance(value, list) and len(value) <= _MOST_LIST:
        return [_text(element, name) for element in value]
    if isinstance(value, dict) and len(value) <= _MOST_LIST:
        return {_text(key, name): _text(element, name) for key, element in value.items()}
    raise ValueError(f"{name} is not a plain value")


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise ValueError(f"{name} is not a text, or is longer than {LONGEST} characters")
    return value


def _number(value: Any, name: str, low: float, high: float) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
        raise ValueError(f"{name} is not a number from {low:g} to {high:g}")
    return float(value)


def _count(value: Any, name: str) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} is not a whole number")
    return int(_number(value, name, 0, MOST_LABELS))


def _origin_of(table: Mapping[str, Any]) -> CertificateOrigin:
    origin = _table(table.get("made"), "made")
    persons, models = origin.get("persons", []), origin.get("models", [])
    if not isinstance(persons, list) or not isinstance(models, list) or max(len(persons), len(models)) > _MOST_LIST:
        raise ValueError("made.persons and made.models are not lists")
    if not all(isinstance(model, list) and len(model) == 2 for model in models):
        raise ValueError("made.models does not hold pairs of names")
    texts = {
        name: _text(origin.get(name, ""), f"made.{name}")
        for name in ("at", "run_id", "run_uid", "kind", "tool_version", "stage")
    }
    if type(origin.get("simulated", False)) is not bool:
        raise ValueError("made.simulated is not true or false")
    return CertificateOrigin(
        **texts,
        persons=tuple(_text(person, "made.persons") for person in persons),
        models=tuple((_text(name, "made.models"), _text(model_id, "made.models")) for name, model_id in models),
        simulated=origin.get("simulated", False),
    )


def _telling(figures: Mapping[str, Any]) -> Telling:
    counts = {
        name: _count(figures.get(name, 0), f"figures.{name}") for name in ("n_yes", "n_no", "n_undecided", "n_cannot_tell")
    }
    numbers = {name: _number(figures.get(name), f"figures.{name}", 1e-9, MOST_LABELS) for name in ("m_yes", "m_no")}
    shares = {
        f"{share}{end}": _number(figures.get(f"{share}{end}"), f"figures.{share}{end}", 0, 1)
        for share in ("sensitivity", "specificity")
        for end in ("", "_low", "_high")
    }
    telling = Telling(**counts, **numbers, **shares)  # type: ignore[arg-type]
    if min(telling.n_yes, telling.n_no) < LEAST_LABELS or telling.sensitivity + telling.specificity <= LEAST_TELLING:
        raise ValueError("figures say too little for a certificate")
    if telling.m_yes > telling.n_yes * (1 + 1e-9) or telling.m_no > telling.n_no * (1 + 1e-9):
        raise ValueError("figures.m_yes or m_no is more than there are labels")
    for share in ("sensitivity", "specificity"):
        if not shares[f"{share}_low"] <= shares[share] <= shares[f"{share}_high"]:
            raise ValueError(f"figures.{share} lies outside its interval")
    return telling
