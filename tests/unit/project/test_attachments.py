"""Uploaded pictures and PDFs: what is taken, what is left out and why; hostile archives as a whole."""

import contextlib
import errno
import stat
import struct
import threading
import zipfile

import pytest

from assaymark.errors import InputError
from assaymark.project import attachment_archives, attachments
from assaymark.project.attachment_archives import unpack
from assaymark.project.attachments import Arrival, Attachments, coverage, refusal
from assaymark.project.backup import backup
from assaymark.project.folder import Project
from assaymark.project.restore import restore

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
PDF = b"%PDF-1.7 x"


def zipped(path, files, *, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return path


def arrivals(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        yield Arrival(name=name.replace("_", "."), size=len(content), path=folder / name)


@pytest.mark.parametrize(
    "name", ["a/b.png", "..\\b.png", ".hidden.png", "c:d.png", "x\x00.png", "x\n.png", ".png", "a .png",
             "a..png", "-rf.png", "x" * 200 + ".png", "ü" * 140 + ".png"],
)  # fmt: skip
def test_names_that_lead_elsewhere_or_nowhere_are_refused(name) -> None:
    assert refusal(name) is not None


def test_what_cannot_be_shown_is_left_out_with_the_reason(tmp_path) -> None:
    store = Attachments(tmp_path / "kept")
    store.room_for(1)
    sent = arrivals(tmp_path / "in", a_png=PNG, b_pdf=PDF, c_svg=b"<svg/>", d_png=b"<svg onload=1>", e_exe=b"MZ")  # fmt: skip
    intake = store.keep(sent, replace=False)
    assert intake.added == ["a.png", "b.pdf"] == store.names()
    reasons = dict(intake.left_out)
    assert "can be shown" in reasons["c.svg"]
    assert reasons["d.png"] == "it is no picture or PDF, whatever its name says"
    assert "can be shown" in reasons["e.exe"]
    assert stat.S_IMODE((tmp_path / "kept" / "a.png").stat().st_mode) == 0o600
    assert store.find("scans\\2024\\a.png").type == "image/png"
    assert store.find("a.png is a picture") is None
    assert store.find("../kept/b.pdf").kind == "pdf"  # of a path only the name counts


def test_a_file_that_reviewers_may_have_seen_is_not_replaced_by_accident(tmp_path) -> None:
    store = Attachments(tmp_path / "kept")
    store.room_for(1)
    store.keep(arrivals(tmp_path / "in", a_png=PNG), replace=False)
    assert store.keep(arrivals(tmp_path / "in", a_png=PNG), replace=False).same == ["a.png"]
    other = PNG + b"another"
    left = store.keep(arrivals(tmp_path / "in", a_png=other), replace=False).left_out
    assert left == [("a.png", "another file of this name is here already, and reviewers may have seen it")]  # fmt: skip
    assert (tmp_path / "kept" / "a.png").read_bytes() == PNG
    assert store.keep(arrivals(tmp_path / "in", a_png=other), replace=True).replaced == ["a.png"]
    assert (tmp_path / "kept" / "a.png").read_bytes() == other


def test_count_and_bytes_have_limits(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(attachments, "MOST_FILES", 1)
    monkeypatch.setattr(attachments, "MOST_BYTES", 100)
    store = Attachments(tmp_path / "kept")
    store.room_for(1)
    intake = store.keep(arrivals(tmp_path / "in", a_png=PNG, b_pdf=PDF), replace=False)
    assert intake.left_out == [("b.pdf", "a project can have 1 file")]
    with pytest.raises(InputError, match=r"may have 100 bytes together; 48 are here"):
        store.room_for(60)


def test_table_and_files_are_compared_by_name() -> None:
    cells = ["scans/1.png", "2.png", "a/3.png", "b/3.png", " 2.png ", "here.pdf"]
    covered = coverage(cells, ["1.png", "3.png", "x.png"], ["here.pdf"])
    assert covered.named == 5
    assert covered.missing == ("2.png", "a/3.png", "b/3.png")  # one file cannot be both
    assert covered.unclear == (("a/3.png", "b/3.png"),)
    assert covered.unnamed == ("x.png",)


def test_letters_are_compared_in_one_spelling(tmp_path) -> None:
    """A Mac writes é as two characters, a table as one."""
    store = Attachments(tmp_path / "kept")
    store.room_for(1)
    path = zipped(tmp_path / "a.zip", [("scans/caf\u0065\u0301.png", PNG)])
    folder = tmp_path / "out"
    folder.mkdir()
    assert store.keep(unpack(path, folder), replace=False).added == ["caf\u00e9.png"]
    assert store.find("caf\u00e9.png") is not None
    assert store.find("caf\u0065\u0301.png") is not None


def test_an_archive_drops_folders_and_what_systems_add(tmp_path) -> None:
    files = [("scans/", b""), ("scans/a.png", PNG), ("__MACOSX/scans/._a.png", b"x"), (".DS_Store", b"x"), ("notes.txt", b"hello")]  # fmt: skip
    folder = tmp_path / "out"
    folder.mkdir()
    unpacked = unpack(zipped(tmp_path / "a.zip", files), folder)
    assert [(one.name, one.path is not None) for one in unpacked] == [("a.png", True), ("notes.txt", False)]  # fmt: skip
    assert len(list(folder.iterdir())) == 1


def link_entry():
    entry = zipfile.ZipInfo("a.png")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ([("ok.png", PNG), ("../a.png", PNG)], r"'\.\./a\.png' leads out"),
        ([("a/../../a.png", PNG)], "leads out"),
        ([("/etc/a.png", PNG)], "leads out"),
        ([("C:\\a.png", PNG)], "leads out"),
        ([(link_entry(), b"/etc/passwd")], "'a.png' is a link"),
        ([("a/1.png", PNG), ("b/1.png", PNG)], "two files of one name"),
    ],
)
def test_a_hostile_archive_is_refused_as_a_whole(tmp_path, files, why) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(InputError, match=why):
        unpack(zipped(tmp_path / "a.zip", files), folder)
    assert list(folder.iterdir()) == []


def test_zip_bombs_are_refused_before_anything_is_unpacked(tmp_path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    bomb = zipped(tmp_path / "a.zip", [(f"{n}.png", PNG + bytes(9_000_000)) for n in range(4)])
    with pytest.raises(InputError, match=r"bytes unpack to 36,000,192\. Nothing of it was taken"):
        unpack(bomb, folder)
    assert list(folder.iterdir()) == []


def test_an_archive_that_lies_about_sizes_is_refused(tmp_path) -> None:
    """Headers say 100 bytes, and a million come out."""
    content = PNG + bytes(1_000_000)
    raw = bytearray(zipped(tmp_path / "a.zip", [("a.png", content)]).read_bytes())
    size = len(content).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(raw.replace(size, (100).to_bytes(4, "little")))
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(InputError, match="The archive is refused"):
        unpack(tmp_path / "a.zip", folder)


def test_passwords_odd_packing_many_files_and_rubbish_are_refused(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    path = zipped(tmp_path / "a.zip", [("a.png", PNG)])
    raw = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + at] |= 1
    (tmp_path / "b.zip").write_bytes(raw)
    with pytest.raises(InputError, match="it has a password"):
        unpack(tmp_path / "b.zip", folder)
    with pytest.raises(InputError, match="packed in an unusual way"):
        unpack(zipped(tmp_path / "c.zip", [("a.png", PNG)], method=zipfile.ZIP_LZMA), folder)
    (tmp_path / "d.zip").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(InputError, match="damaged, or no zip"):
        unpack(tmp_path / "d.zip", folder)
    monkeypatch.setattr(attachment_archives, "MOST_FILES", 1)
    with pytest.raises(InputError, match="it holds 2 files"):
        unpack(zipped(tmp_path / "e.zip", [("a.png", PNG), ("b.png", PNG)]), folder)


def test_uploaded_files_are_part_of_a_backup(project, tmp_path) -> None:
    store = Attachments(project / attachments.FOLDER)
    store.room_for(1)
    store.keep(arrivals(tmp_path / "in", a_png=PNG), replace=False)
    backup(Project(folder=project), tmp_path / "b.tar.gz")
    restore(tmp_path / "b.tar.gz", tmp_path / "again")
    assert (tmp_path / "again" / attachments.FOLDER / "a.png").read_bytes() == PNG


def test_a_file_that_nobody_compared_with_the_table_waits_until_somebody_has(tmp_path) -> None:
    """The picture of one path was shown for another while the page said that neither is."""
    store = Attachments(tmp_path / "kept")
    store.room_for(1)
    store.keep(arrivals(tmp_path / "in", a_png=PNG), replace=False)
    store.keep(arrivals(tmp_path / "in", b_png=PNG, c_png=PNG), replace=False, unclear=None)
    assert [store.find(name, lambda: None) is not None for name in ("a.png", "b.png")] == [True, False]  # fmt: skip
    assert store.find("x/c.png", lambda: {"c.png"}) is None
    assert store.find("b.png", lambda: {"c.png"}) is not None
    store.settle({"c.png"})
    assert [store.find(name, lambda: None) is not None for name in ("b.png", "c.png")] == [True, False]  # fmt: skip


def test_two_uploads_at_once_do_not_overwrite_each_other(tmp_path, monkeypatch) -> None:
    store = Attachments(tmp_path / "kept")
    store.room_for(1)
    met = threading.Barrier(2)
    names = Attachments.names

    def slowly(one):
        found = names(one)
        with contextlib.suppress(threading.BrokenBarrierError):
            met.wait(timeout=0.3)  # without a lock both have looked before either moves its file
        return found

    monkeypatch.setattr(Attachments, "names", slowly)
    taken = {}

    def keep(which):
        sent = list(arrivals(tmp_path / which, a_png=PNG + which.encode()))
        taken[which] = Attachments(tmp_path / "kept").keep(sent, replace=False)

    threads = [threading.Thread(target=keep, args=(which,)) for which in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(intake.added) for intake in taken.values()) == [0, 1]
    assert sorted(len(intake.left_out) for intake in taken.values()) == [0, 1]


def test_open_uploads_count_against_disk_and_limit(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(attachments, "MOST_BYTES", 100)
    store = Attachments(tmp_path / "kept")
    with pytest.raises(InputError, match="90 are here or on their way"):
        store.room_for(60, expected=90)
    with pytest.raises(InputError, match="not enough room on the server's disk"):
        store.room_for(1, owed=10**18)


def refused_room(size):
    raise InputError(f"no room for {size}")


def test_room_is_asked_for_before_anything_is_unpacked(tmp_path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    path = zipped(tmp_path / "a.zip", [("a.png", PNG), ("notes.txt", b"not unpacked")])
    with pytest.raises(InputError, match=f"no room for {len(PNG)}"):
        unpack(path, folder, refused_room)
    assert list(folder.iterdir()) == []


def damaged(raw: bytes, mark: bytes, at: int, value: bytes) -> bytes:
    place = raw.rindex(mark) + at
    return raw[:place] + value + raw[place + len(value) :]


@pytest.mark.parametrize(
    ("mark", "at", "value"),
    [
        (b"PK\x01\x02", 46, b"\xff\xfe"),  # a name that is no UTF-8
        (b"PK\x01\x02", 42, b"\xff\xff\xff\x7f"),  # a file beyond the end
        (b"PK\x01\x02", 6, b"\x63"),  # a version that nobody knows
        (b"PK\x01\x02", 8, b"\x20\x08"),  # a patch
        (b"PK\x05\x06", 12, b"\xf0\xff\x00\x00"),  # a directory longer than the file
        (b"PK\x05\x06", 16, b"\xf0\xff\xff\xff"),
    ],
)
def test_a_damaged_archive_is_refused_in_one_sentence(tmp_path, mark, at, value) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    raw = zipped(tmp_path / "a.zip", [("\u00e9\u00e9.png", PNG)]).read_bytes()
    (tmp_path / "b.zip").write_bytes(damaged(raw, mark, at, value))
    with pytest.raises(InputError, match="it is damaged, or no zip at all"):
        unpack(tmp_path / "b.zip", folder)


@pytest.mark.parametrize("error", [struct.error("x"), OSError(errno.EINVAL, "x"), EOFError(), NotImplementedError()])  # fmt: skip
def test_whatever_a_reader_says_of_damage_becomes_that_sentence(
    tmp_path, monkeypatch, error
) -> None:
    def fail(*_):
        raise error

    path = zipped(tmp_path / "a.zip", [("a.png", PNG)])
    monkeypatch.setattr(attachment_archives, "ZipFile", fail)
    with pytest.raises(InputError, match="it is damaged, or no zip at all"):
        unpack(path, tmp_path)


def test_a_full_disk_is_not_called_a_damaged_archive(tmp_path) -> None:
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        unpack(zipped(tmp_path / "a.zip", [("a.png", PNG)]), tmp_path, full)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("count", "length", "why"),
    [
        (50_000, 100, "it lists 50,000 files"),
        (1, 9_000_000, "its list of files has 9,000,000 bytes"),
    ],
)
def test_a_list_of_files_that_is_too_long_is_never_read(tmp_path, monkeypatch, large, count, length, why) -> None:  # fmt: skip
    def read(*_):
        raise AssertionError("the directory was read")

    monkeypatch.setattr(attachment_archives, "ZipFile", read)
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, count, count, length, 0, 0)
    if large:
        record = b"PK\x06\x06" + struct.pack(
            "<QHHLLQQQQ", 44, 45, 45, 0, 0, count, count, length, 0
        )
        locator = b"PK\x06\x07" + struct.pack("<LQL", 0, 7, 1)
        end = record + locator + b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 1, 1, 1, 0, 0)
    (tmp_path / "a.zip").write_bytes(bytes(7) + end)
    with pytest.raises(InputError, match=why):
        unpack(tmp_path / "a.zip", tmp_path)


def test_a_large_archive_of_few_files_is_read(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        zipfile, "ZIP_FILECOUNT_LIMIT", 0
    )  # the record of large archives is written
    path = zipped(tmp_path / "a.zip", [("a.png", PNG)])
    assert b"PK\x06\x06" in path.read_bytes()
    folder = tmp_path / "out"
    folder.mkdir()
    assert [one.name for one in unpack(path, folder)] == ["a.png"]
