"""Odd and hostile PDFs, from the command to its end: each becomes a dataset or one sentence, in time and little memory."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from fault_bench import strict_json
from hostile_pdfs import HOSTILE
from makers import SHARED
from pdf_files import Line, assembled, one_page, pdf_of, stream
from pypdf import PdfReader, PdfWriter

from tui_eval.datasets.document_text.document_reader import DEFAULTS

PDFS = SHARED / "data" / "pdfs"
HANGS_S = 300
"""A command that takes so long hangs; how long reading may take is bounded by itself."""
MEMORY = 1_000_000_000

HARBOUR = [
    [f"Berth {n} lies at the {side} quay and takes ships of up to {n * 30} metres.", f"Its fee is {n * 7} crowns a night.",
     f"Ships at berth {n} must leave before {n + 5} o'clock in the morning.", "Ropes are thrown by the ship's own crew."]
    for n, side in enumerate(("northern", "southern", "eastern", "western"), start=1)
]  # fmt: skip
RUSSIAN = ["Гавань находится на северном берегу и открыта весь год.", "Лоцман нужен всем судам длиннее сорока метров.",
           "Вода на причале проверяется в первый понедельник каждого месяца.", "Плата взимается в конторе у шлюза утром.",
           "Огнетушители висят в красных ящиках рядом со вторым причалом."]  # fmt: skip
JAPANESE = [
    "港は北の岸にあり、一年中開いています。停泊料は到着した日に事務所で支払わなければなりません。",
    "水先人は全長四十メートルを超える船に必要です。飲み水は毎月の第一月曜日に検査されます。",
    "渡し船は七時と十一時に出発し、その五分前に長い汽笛を一回鳴らします。",
    "消火器は二番の桟橋のそばの赤い箱にあります。集合場所は事務所の前の広場に決められています。",
    "外側の港には来客用の船台が九つあり、西から東へ番号が付いています。",
]
ARABIC = ["يقع الميناء على الشاطئ الشمالي وهو مفتوح طوال السنة.", "تدفع الرسوم في المكتب قرب البوابة صباح كل يوم."] * 4


def encrypted(user: str, algorithm: str = "RC4-128") -> bytes:
    """The harbour's pages behind a password."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(HARBOUR))))
    writer.encrypt(user, "owner", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def aes(version: int, revision: int, cipher: str, length: int) -> bytes:
    """A file that says it is encrypted by a cipher, with secrets that fit no password."""
    secrets = " ".join(
        f"/{name} <{'5a' * size}>" for name, size in (("O", 48), ("U", 48), ("OE", 32), ("UE", 32), ("Perms", 16))
    )
    filters = f"/CF << /StdCF << /CFM /{cipher} /AuthEvent /DocOpen >> >> /StmF /StdCF /StrF /StdCF"
    described = f"<< /Filter /Standard /V {version} /R {revision} /Length {length} {filters} {secrets} /P -4 >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>"
    pages = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: pages, 3: page, 4: described.encode()}
    return assembled(objects, "/Encrypt 4 0 R /ID [<5a5a> <5a5a>]")


def cut_at(share: float) -> bytes:
    """The first part of a sound file."""
    whole = pdf_of(HARBOUR * 4)
    return whole[: int(len(whole) * share)]


def picture() -> bytes:
    """A page that is one picture."""
    image = stream(b"\x80" * 64 * 64, "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray "
                                      "/BitsPerComponent 8")  # fmt: skip
    return one_page(stream(b"q 500 0 0 700 0 0 cm /I Do Q"), "/XObject << /I 5 0 R >>", {5: image})


def too_many_pages() -> bytes:
    """More pages than are read."""
    count = DEFAULTS.max_pages + 1
    kids = " ".join(f"{n} 0 R" for n in range(3, 3 + count))
    pages = dict.fromkeys(range(3, 3 + count), b"<< /Type /Page /Parent 2 0 R >>")
    return assembled({1: b"<< /Type /Catalog /Pages 2 0 R >>",
                      2: f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(), **pages})  # fmt: skip


SET = "a dataset"
EITHER = "a dataset, or a sentence"
SLOW = ("ocean_of_operators", "wide_dictionary", "laughs", "object_stream")
"""Files that keep their reader busy to the end of its time or memory: test_document_reader has what comes of each, and the
others have what a command makes of that."""
MADE: dict[str, tuple[Callable[[], bytes], str]] = {
    "plain": (lambda: pdf_of(HARBOUR), SET),
    "needs no password, RC4": (lambda: encrypted(""), SET),
    "needs no password, AES-128": (lambda: encrypted("", "AES-128"), SET),
    "needs no password, AES-256": (lambda: encrypted("", "AES-256"), SET),
    "password, AES-256": (lambda: encrypted("secret", "AES-256"), "encrypted, and needs a password"),
    "password, RC4": (lambda: encrypted("secret"), "encrypted, and needs a password"),
    "AES-128": (lambda: aes(4, 4, "AESV2", 128), "encrypted"),
    "AES-256": (lambda: aes(5, 6, "AESV3", 256), "encrypted"),
    **{f"cut at {share:.0%}": (partial(cut_at, share), EITHER) for share in (0.02, 0.1, 0.3, 0.6, 0.9, 0.99)},
    "a picture": (picture, "contains no extractable text (0 characters on 1 page"),
    "nothing": (lambda: b"", "empty (0 bytes)"),
    "no pages": (lambda: pdf_of([]), "a PDF without pages"),
    "too many pages": (too_many_pages, f"has {DEFAULTS.max_pages + 1:,} pages; at most {DEFAULTS.max_pages:,} are read"),
    "Russian": (lambda: pdf_of([RUSSIAN]), SET),
    "Japanese": (lambda: pdf_of([JAPANESE]), SET),
    "Arabic": (lambda: pdf_of([[Line(one) for one in ARABIC]]), EITHER),
    "cyclic_pages": (HOSTILE["cyclic_pages"], "a loop in its page tree"),
    **{name: (HOSTILE[name], EITHER) for name in HOSTILE if name not in {"cyclic_pages", *SLOW}},
}  # fmt: skip


MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command came to."""

    code: int
    said: str
    memory: int
    """Of the process, or of the one in which it opened the document: the most bytes that one of them held."""


def generated(folder: Path, document: Path) -> Outcome:
    """`datasets generate` on a document, in a process of its own."""
    words = [
        "datasets",
        "generate",
        str(document),
        "--model",
        "sim-scholar",
        "--no-check",
        "--conversations",
        "1",
        "--name",
        "odd",
    ]
    command = [sys.executable, "-P", "-m", "tui_eval", "--workspace", str(folder), *words]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(folder / "memory"), *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, timeout=HANGS_S, check=False,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout.decode(), int((folder / "memory").read_text()))


def assert_set_or_sentence(folder: Path, document: Path, wanted: str) -> None:
    """Exit 0 and a set, or 2 and one sentence about the document before any run is begun; within its memory.

    Where there is text, be it none that anybody could ask about, the run may end without a question: 3, and a sentence.
    """
    ended, kept = generated(folder, document), folder / "datasets" / "odd.json"
    assert "Traceback" not in ended.said and ended.memory < MEMORY, ended
    if ended.code == 0:
        assert wanted in (SET, EITHER) and strict_json(kept.read_bytes())["conversations"], ended.said
        return
    if ended.code == 3:
        assert wanted == EITHER and "no question was kept, so that there is no set" in ended.said and not kept.exists()
        return
    errors = [line for line in ended.said.splitlines() if line.startswith("error: ")]
    assert (ended.code, len(errors)) == (2, 1) and wanted != SET, ended.said
    assert "generate.documents" in errors[0] and (wanted == EITHER or wanted in errors[0]), ended.said
    assert not kept.exists() and not (folder / "runs").exists()


def test_a_document_is_read_for_less_than_a_minute() -> None:
    """By the clock of the process that opens it, which is ended then; test_document_reader shows that it is."""
    assert DEFAULTS.seconds < 60 and DEFAULTS.memory <= MEMORY


@pytest.mark.soak
@pytest.mark.parametrize("name", MADE)
def test_an_odd_pdf_ends_in_a_set_or_a_sentence(name: str, tmp_path: Path) -> None:
    """Encrypted, cut off, of pictures, in circles, of countless pages, in other scripts, or made to exhaust its reader."""
    make, wanted = MADE[name]
    (tmp_path / "odd.pdf").write_bytes(make())

    assert_set_or_sentence(tmp_path, tmp_path / "odd.pdf", wanted)


REAL = {
    "corrupt_page_tree_cycle.pdf": "a loop in its page tree",
    "formationeval_paper_arxiv_2601.02158v1.pdf": SET,
    "pypdf_multilang.pdf": "contains no extractable text (113 characters on 1 page",
    "pypdf_r6-user-password.pdf": "contains no extractable text (34 characters on 1 page",
    "scanned_no_text_russian.pdf": "contains no extractable text (0 characters on 2 pages",
    "text_file_named.pdf": "named like a PDF, but is text",
    "zero_bytes.pdf": "empty (0 bytes)",
}


@pytest.mark.skipif(not PDFS.is_dir(), reason="the shared PDFs are not on this machine")
def test_every_real_pdf_is_in_the_table() -> None:
    """One that is put there later is looked at, too."""
    assert {path.name for path in PDFS.iterdir()} == REAL.keys() | {"SOURCE.txt"}


@pytest.mark.soak
@pytest.mark.skipif(not PDFS.is_dir(), reason="the shared PDFs are not on this machine")
@pytest.mark.parametrize("name", REAL)
def test_a_real_pdf_ends_in_a_set_or_a_sentence(name: str, tmp_path: Path) -> None:
    """Those that people have met."""
    assert_set_or_sentence(tmp_path, PDFS / name, REAL[name])
