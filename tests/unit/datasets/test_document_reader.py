"""Files to text: every real, odd and hostile one ends in a text or in a sentence, within its time and memory."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hostile_pdfs import HOSTILE, blanks, operators
from makers import SHARED
from pdf_files import Line, assembled, one_page, pdf_of, stream
from pypdf import PdfReader, PdfWriter
from soaking import quick_first

from tui_eval.core.document_text import pages_of
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text import document_reader, reader_process
from tui_eval.datasets.document_text.document_reader import ReadingLimits, read_document

PDFS = SHARED / "data" / "pdfs"
LIMITS = ReadingLimits(key="generate.documents")
SHORT = ReadingLimits(key="generate.documents", min_letters=1)
PAGES = [
    ["Harbour Handbook", "", f"Rule {n} is about berth {letter}. " + "Ships wait at the buoy until a berth is free. " * 2,
     f"Fees of berth {letter} are paid at the office near the lock, and in crowns.", "The quay is lit.", "Ropes are thrown.",
     f"Speed at berth {letter} is {n} knots.", f"So says the master of berth {letter}.", f"- {n} -"]
    for n, letter in enumerate("ABCD", 1)
]  # fmt: skip


def refused(source: Path | bytes, name: str, limits: ReadingLimits = LIMITS) -> str:
    """The sentence on why a file gives no text; it begins with the key and the name, and ends in a next step."""
    with pytest.raises(ConfigError) as told:
        read_document(source, name, limits)
    said = str(told.value)
    assert said.startswith(f"{limits.key}: ") and name in said and "\n" not in said
    assert ". " in said or ":" in said.removeprefix(f"{limits.key}: {name}: ")
    return said


def encrypted(data: bytes, user: str, algorithm: str = "RC4-128") -> bytes:
    """The same PDF, encrypted."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, "owner", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_pdf_is_read_page_by_page() -> None:
    """Every line of every page, its running head and its number too, of which it is known where they stand."""
    found = read_document(pdf_of(PAGES), "handbook.pdf", LIMITS)

    assert found.pages == 4
    assert [[line.strip() for line in page.split("\n")] for page in pages_of(found.text)] == [
        [line.strip() for line in page if line] for page in PAGES
    ]
    assert [found.text[line.start : line.end] for line in found.running[:3]] == [
        "Harbour Handbook",
        "- 1 -",
        "Harbour Handbook",
    ]
    assert [line.page for line in found.running] == [1, 1, 2, 2, 3, 3, 4, 4] and found.notes == ()


def test_letters_of_any_script_are_read() -> None:
    """German, Russian, Japanese and Greek; ligatures and hyphens at the ends of lines as they stand."""
    lines = ["Größe der Schiffe: 12 € für je-", "des Boot", "Привет, мир", "港湾の手引き。", "Ευχαριστώ", "e\ufb03cient"]
    page = [*lines, Line("Berth"), Line("Fee", indent=90, same_line=True)]

    assert read_document(pdf_of([page]), "a.pdf", SHORT).text.split("\n") == [*lines, "Berth Fee"]


def test_the_same_lines_give_the_same_file() -> None:
    """What is made is made anew byte for byte."""
    assert pdf_of(PAGES) == pdf_of(PAGES)


@pytest.mark.parametrize("algorithm", quick_first(["AES-256", "RC4-40", "RC4-128", "AES-128", "AES-256-R5"], 2))
def test_an_empty_password_is_tried(algorithm: str) -> None:
    """A PDF that only forbids changes is read, whatever its cipher; one that needs a password is refused."""
    plain = pdf_of(PAGES)

    assert read_document(encrypted(plain, "", algorithm), "a.pdf").text == read_document(plain, "a.pdf").text
    assert "encrypted, and needs a password" in refused(encrypted(plain, "secret", algorithm), "a.pdf")


LOADED = """
import json, sys
from tui_eval.datasets.document_text import child
limits = {"characters": 10**6, "pages": 9, "seconds": 60, "memory": 10**9}
sys.argv = ["child", json.dumps({"sort": "pdf", "encrypted": sys.argv[1] == "yes", **limits})]
child.main()
sys.stdout.flush()
print("\\n" + json.dumps([name in sys.modules for name in ("pypdf", "cryptography")]))
"""


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_ciphers_are_loaded_for_encrypted_files_alone(is_encrypted: bool, tmp_path: Path) -> None:
    """They take as long to load as all of pypdf."""
    data = encrypted(pdf_of(PAGES), "", "AES-256") if is_encrypted else pdf_of(PAGES)
    assert (reader_process.ENCRYPTED in data) is is_encrypted
    said = "yes" if is_encrypted else "no"
    (tmp_path / "a.pdf").write_bytes(data)
    with (tmp_path / "a.pdf").open("rb") as file:
        done = subprocess.run([sys.executable, "-c", LOADED, said], stdin=file, capture_output=True, timeout=60, check=True)

    assert b"Harbour Handbook" in done.stdout
    assert json.loads(done.stdout.splitlines()[-1]) == [True, is_encrypted]


def test_a_scan_may_be_shown_to_a_model_as_it_is() -> None:
    """The refusal says by which key or option, where there is one."""
    scan, key = pdf_of([[]] * 3), "attach = true shows it to models as it is. Or put it through text recognition"

    with pytest.raises(ConfigError) as shown:
        read_document(scan, "a.pdf", ReadingLimits("pipeline.inputs", shown_by="attach = true"))
    with pytest.raises(ConfigError) as plain:
        read_document(scan, "a.pdf", ReadingLimits("generate.documents"))

    assert key in str(shown.value)
    assert "nearly empty. Put it through text recognition" in str(plain.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty (0 bytes)"),
        (pdf_of(PAGES)[:700], "damaged or cut off"),
        (b"%PDF-1.7\n" + b"\x93\xff\x00" * 99, "damaged or cut off"),
        (pdf_of([[]] * 3), "contains no extractable text (0 characters on 3 pages; at least 200 are needed)"),
        (pdf_of([["x" * 199]]), "contains no extractable text (199 characters on 1 page;"),
        (pdf_of([]), "a PDF without pages"),
        (HOSTILE["cyclic_pages"](), "a loop in its page tree"),
        (HOSTILE["table_before_itself"](), "without pages"),
        (b"plain text", "named like a PDF, but is text"),
    ],
)
def test_each_fault_has_its_sentence(data: bytes, said: str) -> None:
    """Empty, cut off, of noise, of pictures, nearly empty, without pages, in a circle, no PDF at all."""
    assert said in refused(data, "a.pdf")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (ReadingLimits(max_pages=3), "has 4 pages; at most 3 are read"),
        (ReadingLimits(max_characters=300), "holds more than 300 characters"),
        (ReadingLimits(max_bytes=900), "at most 900 are read"),
    ],
)
def test_over_long_names_the_limit(limits: ReadingLimits, said: str) -> None:
    """Pages, characters and bytes."""
    assert said in refused(pdf_of(PAGES), "a.pdf", limits)


def test_size_is_known_before_a_byte_is_read(tmp_path: Path) -> None:
    """A file of a terabyte that has none of it on the disk is refused by its size; a pipe and a folder are never waited for."""
    with (tmp_path / "huge.pdf").open("wb") as file:
        file.truncate(10**12)
    os.mkfifo(tmp_path / "pipe.pdf")
    (tmp_path / "folder.md").mkdir()

    assert "1,000,000,000,000 bytes; at most 50,000,000 are read" in refused(tmp_path / "huge.pdf", "huge.pdf")
    assert "not a regular file" in refused(tmp_path / "pipe.pdf", "pipe.pdf")
    assert "not a regular file" in refused(tmp_path / "folder.md", "folder.md")
    assert "No such file" in refused(tmp_path / "none.md", "none.md")


def test_a_page_that_cannot_be_read_is_said() -> None:
    """The others are read, and keep their numbers."""
    whole = pdf_of(PAGES, compress=False)
    broken = whole.replace(b"/Contents 11 0 R", b"/Contents [/A]  ")
    found = read_document(broken, "a.pdf")

    assert found.pages == 4 and pages_of(found.text)[1] == ""
    assert any("page 2 could not be read" in note or "no text on 1 page (2)" in note for note in found.notes)


def test_many_lost_pages_are_counted() -> None:
    """Ten are named, the others are a number; pages without text are one note."""
    report = reader_process.ChildReport(("word " * 99, *[""] * 30), tuple((n, "why") for n in range(2, 20)), 31)
    notes = document_reader._pages("a.pdf", report).notes

    assert len(notes) == 12 and notes[9:] == (
        "page 11 could not be read, and is empty here: why",
        "8 other pages could not be read either, and are empty here",
        "no text on 12 pages (20, 21, 22, 23, 24, 25, 26, 27, 28, 29 …): pictures, or empty",
    )


def test_time_that_is_up_ends_it() -> None:
    """Reading is ended from outside, a sentence says how far it got, and no process is left that reads on."""
    before = children()  # a server that other tests share may be one
    said = refused(operators(), "a.pdf", ReadingLimits(seconds=1))

    assert "was not read within 1 s" in said
    assert children() <= before


def test_memory_that_is_up_ends_it() -> None:
    """With a tenth of the memory, seventy megabytes of blanks are no text, but a sentence."""
    assert refused(blanks(), "a.pdf", ReadingLimits(memory=100_000_000))


def children() -> set[str]:
    """The processes whose parent is this one; none that ended and was waited for."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue
        if parent == str(os.getpid()):
            found.add(path.parent.name)
    return found


MINUTE_S, HANGS_S = 60, 300
"""Seconds of the processor that reading may take, whatever else a machine does; and of the clock, after which it hangs."""
USAGE = """
import json, resource, sys
from pathlib import Path
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.document_reader import read_document
try:
    said = f"{len(read_document(Path(sys.argv[1]), 'a.pdf').text)} characters"
except ConfigError as error:
    said = str(error)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
took = [used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]
print(json.dumps([said, *took, "pypdf" in sys.modules, "pydantic" in sys.modules]))
"""


def usage(tmp_path: Path, data: bytes) -> tuple[str, float, int]:
    """What comes of a file in a program of its own: the words, and the seconds and memory of the process that opened it."""
    (tmp_path / "a.pdf").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", USAGE, str(tmp_path / "a.pdf")], capture_output=True, timeout=HANGS_S, check=True
    )
    said, seconds, memory, *loaded = json.loads(done.stdout)
    assert loaded == [False, False], "pypdf and pydantic belong in no process but the child's"
    return said, seconds, memory


@pytest.mark.parametrize(
    "name", quick_first(["huge_count", "form_in_itself", "many_contents", "endless_table", "letters_for_every_code"])
)
def test_a_hostile_file_ends_in_a_sentence(name: str, tmp_path: Path) -> None:
    """A billion pages, gigabytes in kilobytes, forms in themselves: within a minute and a gigabyte, the fast ones."""
    said, seconds, memory = usage(tmp_path, HOSTILE[name]())

    assert said.startswith("documents: a.pdf: ") and seconds < MINUTE_S and memory < 10**9


@pytest.mark.soak
@pytest.mark.parametrize("name", HOSTILE)
def test_every_hostile_file_ends_in_time(name: str, tmp_path: Path) -> None:
    """Each in a text or a sentence, within a minute and a gigabyte."""
    said, seconds, memory = usage(tmp_path, HOSTILE[name]())

    assert said and seconds < MINUTE_S and memory < 10**9


@pytest.mark.soak
def test_operators_by_the_hundred_thousand_are_a_text() -> None:
    """Two hundred thousand operators in eleven kilobytes are read, not given up."""
    assert len(operators()) < 11_000
    assert read_document(operators(), "a.pdf", ReadingLimits(seconds=600)).text.startswith("abab")


@pytest.mark.skipif(not PDFS.is_dir(), reason="the shared PDFs are not on this machine")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("corrupt_page_tree_cycle.pdf", "a loop in its page tree"),
        ("pypdf_multilang.pdf", "contains no extractable text (113 characters on 1 page"),
        ("pypdf_r6-user-password.pdf", "contains no extractable text (34 characters on 1 page"),
        ("scanned_no_text_russian.pdf", "contains no extractable text (0 characters on 2 pages"),
        ("text_file_named.pdf", "named like a PDF, but is text. Give it a name that ends in .txt"),
        ("zero_bytes.pdf", "empty (0 bytes)"),
    ],
)
def test_real_odd_files_have_their_sentence(name: str, said: str) -> None:
    """Each its own, with the next step."""
    assert said in refused(PDFS / name, name)


@pytest.mark.skipif(not PDFS.is_dir(), reason="the shared PDFs are not on this machine")
def test_real_files_are_read() -> None:
    """A paper of 24 pages, whose page numbers are known as such; a page in six scripts."""
    paper = PDFS / "formationeval_paper_arxiv_2601.02158v1.pdf"
    found = read_document(paper, paper.name, SHORT)
    scripts = read_document(PDFS / "pypdf_multilang.pdf", "scripts.pdf", SHORT)

    assert found.pages == 24 == len(pages_of(found.text)) and 50_000 < len(found.text) < 55_000
    assert [found.text[line.start : line.end] for line in found.running] == [str(number) for number in range(1, 25)]
    assert {"Привет, мир", "こんにちは世界", "你好世界", "مرحبا بالعالم"} <= set(scripts.text.split("\n"))


@pytest.mark.parametrize("name", ["a.md", "b.csv", "c.json", "d.xml", "e.py", "F.TXT"])
def test_texts_are_as_they_are(name: str) -> None:
    """Whatever they say, but for line ends and control characters, which are counted; they have no pages."""
    text = '# Größe, "a"\n\n<b>{"x": 1}</b>\t;\n'

    assert read_document(text.encode(), name).text == read_document(text.replace("\n", "\r\n").encode(), name).text == text
    assert read_document(text.encode(), name).pages == 0
    assert read_document(b"a\x1b[1mb\x07", name).notes == ("2 control characters were left out",)


def test_form_feeds_of_a_text_are_its_pages() -> None:
    """As RFCs have them; nothing is taken for a running head there."""
    found = read_document(b"Head\none\n\fHead\ntwo\n\fHead\nthree\n", "rfc.txt")

    assert (found.pages, found.running) == (3, ()) and pages_of(found.text)[1] == "Head\ntwo\n"


def test_a_web_page_is_read_in_the_child() -> None:
    """What it says, in its charset; what hangs its reader is ended like a PDF."""
    page = "<meta charset=latin1><h1>Größe</h1><script>never</script><p>12 m"

    found = read_document(page.encode("latin-1"), "a.html")
    assert found.text == "# Größe\n\n12 m" and found.notes == ("read as Windows-1252, by its charset 'latin1'",)
    assert "has no text" in refused(b"<script>never</script>", "a.html")
    assert "characters" in refused(b"<p>" + b"words " * 99, "a.html", ReadingLimits(max_characters=300))


@pytest.mark.parametrize(
    ("name", "data", "said"), [("a.md", b" \n\t", "no text"), ("a.png", b"\x89PNG\r\n\x1a\n", "an image has no text")]
)
def test_what_has_no_text_is_refused(name: str, data: bytes, said: str) -> None:
    """White space alone, and images."""
    assert said in refused(data, name)


def test_an_over_long_text_names_the_limit() -> None:
    """As a PDF does."""
    assert "holds more than 10 characters" in refused(b"eleven signs", "a.md", ReadingLimits(key="k", max_characters=10))


@pytest.mark.soak
def test_no_more_are_open_than_there_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never are more open, whoever asks; and so many are."""
    open_now: list[object] = []
    most = [0]
    places = reader_process.AT_ONCE
    all_of_them = threading.Barrier(places, timeout=60)
    real = reader_process._printed

    def counted(process: subprocess.Popen[bytes], deadline: float, most_bytes: int) -> tuple[bytes, str]:
        open_now.append(process)
        most[0] = max(most[0], len(open_now))
        all_of_them.wait()
        try:
            return real(process, deadline, most_bytes)
        finally:
            open_now.remove(process)

    monkeypatch.setattr(reader_process, "_printed", counted)
    files = [(pdf_of([[f"Document {n}. " + "Words. " * 50]]), f"{n}.pdf") for n in range(3 * places)]
    with ThreadPoolExecutor(max_workers=len(files)) as pool:
        found = list(pool.map(read_document, *zip(*files, strict=True)))

    assert [text.text.split(".")[0] for text in found] == [f"Document {n}" for n in range(3 * places)]
    assert most[0] == places


def test_it_needs_no_folder_and_is_given_no_keys(tmp_path: Path) -> None:
    """A current folder that is gone, and one with modules of pypdf's name, change nothing; the environment is not handed on."""
    (tmp_path / "pypdf.py").write_text("raise SystemExit('planted')")
    (tmp_path / "a.pdf").write_bytes(pdf_of(PAGES))
    gone = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');" + USAGE
    for program in (USAGE, gone):
        done = subprocess.run(
            [sys.executable, "-P", "-c", program, str(tmp_path / "a.pdf")],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, timeout=120, check=True,
        )  # fmt: skip
        assert json.loads(done.stdout)[0].endswith("characters")
    assert not {name for name in reader_process._KEPT if "KEY" in name or "TOKEN" in name}


CONFINED = """
import os, resource, socket, subprocess, sys
from tui_eval.datasets.document_text.child import confine
confine(5, 10**9)
for deed in (lambda: socket.create_connection(("127.0.0.1", 9)), lambda: subprocess.run(["true"]), os.fork,
             lambda: open("written", "w"), lambda: os.remove("kept"), lambda: os.execv("/bin/true", ["true"])):
    try:
        deed()
    except PermissionError:
        continue
    print("done")
try:
    bytearray(2 * 10**9)
except MemoryError:
    print("bounded")
print(resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_CPU)[0])
"""


def test_the_process_can_do_nothing_but_read(tmp_path: Path) -> None:
    """No connection, no process, no file; limits on memory and time stand before a byte is read."""
    (tmp_path / "kept").touch()
    done = subprocess.run([sys.executable, "-c", CONFINED], cwd=tmp_path, capture_output=True, timeout=60, check=True)

    assert done.stdout.split() == [b"bounded", b"1000000000", b"5"]
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("printed", "fault"),
    [
        (b"", "unfinished"),
        (b'{"pages": 1}\n{"text": "a"}\n', "unfinished"),
        (b'{"pages": 1}\n{"text": 7}\n{"end": true}\n', "unfinished"),
        (b"[" * 100_000, "unfinished"),
        (b'{"fault": "password"}\n{"end": true}\n', "password"),
        (b'{"pages": 1}\n{"text": "a"}\n{"end": true}\n', ""),
    ],
)
def test_what_the_process_prints_is_not_taken_on_trust(printed: bytes, fault: str) -> None:
    """Half of it, what is no line of its own, and nothing at all are no text."""
    assert reader_process._read(printed).fault == fault


def test_a_process_that_does_not_start_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a fault of the file."""
    monkeypatch.setattr(reader_process, "_CHILD", "tui_eval.datasets.document_text.nothing")

    assert "the process that reads documents ended" in refused(pdf_of(PAGES), "a.pdf")


@pytest.mark.soak
def test_a_process_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit of characters, not at that of our memory."""
    monkeypatch.setattr(reader_process, "_BYTES_A_CHARACTER", 0)
    monkeypatch.setattr(reader_process, "_BYTES_A_PAGE", 0)

    assert "holds more than" in refused(pdf_of([["w" * 60] * 55] * 50), "a.pdf")


@pytest.mark.parametrize("html", quick_first([b"<!--" * 500_000, b"</a" * 600_000, b"<a b='" * 300_000]))
def test_a_web_page_that_hangs_its_reader_is_ended(html: bytes) -> None:
    """The standard library takes minutes over some megabytes of tags that are never closed; here, no longer than it may."""
    assert "was not read within 1 s. " in refused(html, "a.html", ReadingLimits(seconds=1))


def test_what_is_made_is_sound() -> None:
    """A strict reader finds nothing to complain of in the PDFs that these tests, and the example, are made of."""
    reader = PdfReader(io.BytesIO(pdf_of(PAGES)), strict=True)

    assert [page.extract_text().split("\n")[0] for page in reader.pages] == ["Harbour Handbook"] * 4


@pytest.mark.soak
def test_odd_streams_are_no_crash() -> None:
    """A font that is none, a filter that is none, and deflated noise leave the page without text."""
    for content in (stream(b"BT /Nothing 9 Tf (a) Tj ET"), stream(b"x", "/Filter /None", compress=False), zlib.compress(b"a")):
        said = refused(one_page(content), "a.pdf")
        assert "contains no extractable text" in said or "damaged or cut off" in said
    assert refused(assembled({1: b"<< /Type /Catalog >>"}), "a.pdf")
