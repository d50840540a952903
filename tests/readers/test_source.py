from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import random
import struct
import subprocess
import sys
import threading
import zlib
from functools import partial
from pathlib import Path

import pytest
from backports import zstd

from permutopic.errors import InputError
from permutopic.readers import ReadError, ReadLog, ReadOptions
from permutopic.readers import compression as compression_module
from permutopic.readers.compression import detect_compression
from permutopic.readers.formats import sniff_format
from permutopic.readers.source import Source, standard_input

from sources import fault_of, lines_of, text_of

PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
# Without a checksum, damage may give other text.
CHECKED = {
    ".zst": partial(zstd.compress, options={zstd.CompressionParameter.checksum_flag: 1}),
}
SKIPPED = struct.pack("<II", 0x184D2A50, 4) + b"any!"  # a frame of zstd to skip


@pytest.mark.parametrize("extension", PACKERS)
class TestPacking:
    def test_is_found_by_name_and_by_magic(self, tmp_path, extension):
        packed = PACKERS[extension](b"One.")
        log = ReadLog()
        assert text_of(tmp_path / f"a.txt{extension}", packed, log) == "One."
        assert text_of(tmp_path / "a.txt", packed, log) == "One."
        assert (log.files, log.bytes) == (2, 8)

    def test_may_come_in_several_parts(self, tmp_path, extension):
        pack = PACKERS[extension]
        content = pack(b"One, ") + pack(b"") + pack(b"two.")
        assert text_of(tmp_path / f"a.txt{extension}", content) == "One, two."

    def test_of_nothing_is_nothing(self, tmp_path, extension):
        assert text_of(tmp_path / f"a.txt{extension}", PACKERS[extension](b"")) == ""
        assert text_of(tmp_path / f"a.txt{extension}", b"") == ""

    def test_that_is_misnamed_is_said(self, tmp_path, extension):
        kind, message = fault_of(text_of, tmp_path / f"a.txt{extension}", b"plain text")
        assert kind == "damaged"
        assert "as its name says: is it misnamed?" in message

    def test_that_is_cut_is_said_wherever_it_is(self, tmp_path, extension):
        whole = PACKERS[extension](random.Random(0).randbytes(3000).hex().encode())
        for length in (20, len(whole) // 2, len(whole) - 9, len(whole) - 1):
            kind, message = fault_of(text_of, tmp_path / f"a.txt{extension}", whole[:length])
            assert kind == "damaged"
            assert "not whole" in message
            assert message.endswith("is the file cut?")

    def test_that_goes_on_as_something_else_is_said(self, tmp_path, extension):
        content = PACKERS[extension](b"One.") + b"and so on"
        assert fault_of(text_of, tmp_path / f"a.txt{extension}", content)[0] == "damaged"

    def test_with_damage_is_an_error_or_the_same_text(self, tmp_path, extension):
        text = random.Random(0).randbytes(300).hex()
        whole = bytearray(CHECKED.get(extension, PACKERS[extension])(text.encode()))
        found = set()
        for offset in range(12, len(whole), 7):
            damaged = whole.copy()
            damaged[offset] ^= 0x55
            try:
                found.add(text_of(tmp_path / f"a.txt{extension}", damaged))
            except ReadError as error:
                found.add(error.kind)
        assert {"damaged"} <= found <= {"damaged", text}

    def test_of_a_bomb_is_stopped(self, tmp_path, extension, monkeypatch):
        monkeypatch.setattr(compression_module, "BOMB_BYTES", 1 << 20)
        packed = PACKERS[extension](b"a" * (3 << 20))
        log = ReadLog()
        kind, message = fault_of(text_of, tmp_path / f"a.txt{extension}", packed, log)
        assert kind == "bomb"
        assert "unpacks to more than 250 times its size" in message
        assert log.bytes < 2 << 20

    def test_of_text_is_no_bomb(self, tmp_path, extension, monkeypatch):
        monkeypatch.setattr(compression_module, "BOMB_BYTES", 1)
        text = " ".join(map(str, range(100_000)))
        assert text_of(tmp_path / f"a.txt{extension}", PACKERS[extension](text.encode())) == text

    def test_is_undone_in_a_pipe(self, extension):
        stream = io.BytesIO(PACKERS[extension](b"One."))
        stream.tell = stream.seek = None  # nobody knows where a pipe stands
        source = Source(None, "pipe", "pipe", stream)
        assert source.text(ReadOptions(), ReadLog()) == "One."


def test_zeros_after_or_between_packed_parts_do_no_harm(tmp_path):
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        for n_zeros in (8, 20_000):
            content = pack(b"One, ") + bytes(n_zeros) + pack(b"two.") + bytes(n_zeros)
            assert text_of(tmp_path / "a.txt", content) == "One, two."


def test_frames_to_skip_are_skipped(tmp_path):
    content = SKIPPED + zstd.compress(b"One.") + SKIPPED
    assert text_of(tmp_path / "a.txt.zst", content) == "One."


def test_an_xz_file_that_wants_all_memory_is_refused(tmp_path):
    greedy = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 16}]
    packed = bytearray(lzma.compress(b"One.", check=lzma.CHECK_NONE, filters=greedy))
    at = packed.index(b"\x21\x01")  # the filter, then how many bytes describe it
    packed[at + 2] = 40  # a dictionary of 4 GiB
    header = packed[12 : 12 + 4 * (packed[12] + 1) - 4]
    packed[12 + len(header) : 16 + len(header)] = struct.pack("<I", zlib.crc32(header))
    kind, message = fault_of(text_of, tmp_path / "a.txt.xz", packed)
    assert kind == "damaged"
    assert "Memory usage limit" in message


def test_a_missing_extra_for_zstd_is_named(tmp_path, monkeypatch):
    packed = zstd.compress(b"One.")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(InputError, match=r"packed by zstd need the extra 'zstd'"):
        text_of(tmp_path / "a.txt", packed)


def test_text_that_begins_like_something_packed_is_text(tmp_path):
    assert text_of(tmp_path / "a.txt", b"BZhang wrote this.") == "BZhang wrote this."
    assert detect_compression(b"BZh91AY&SY") == "bzip2"


def test_too_long_files_and_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(ReadOptions, "max_bytes", 10)
    path = tmp_path / "a"
    assert text_of(path, b"0123456789") == "0123456789"
    kind, message = fault_of(text_of, path, b"0123456789a")
    assert (kind, message[:20]) == ("too long", "a: longer than 32 Mi")
    assert "max_mb" in message
    assert fault_of(lines_of, path, b"one\n0123456789ab\nthree")[1].startswith("a:2: longer than")
    errors = []
    lines = lines_of(path, b"one\n" + b"0123456789" * 5 + b"\nthree", errors.append)
    assert lines == [(1, "one\n"), (2, "\n"), (3, "three")]
    assert [error.location for error in errors] == ["a:2"]


def test_a_file_with_a_hole_is_read_no_further_than_the_limit(tmp_path):
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    log = ReadLog()
    with pytest.raises(ReadError, match="longer than 1 MiB"):
        Source(path, "a", "a").text(ReadOptions(max_mb=1), log)
    assert log.bytes < 2 << 20


def test_the_limit_is_not_set_aside_in_memory(tmp_path):
    assert text_of(tmp_path / "a", b"short", max_mb=1 << 20) == "short"
    with pytest.raises(InputError, match=r"max_mb .* at most 1048576"):
        ReadOptions(max_mb=1 << 21)


def test_what_cannot_be_opened_is_said(tmp_path, monkeypatch):
    for path, reason in (
        (tmp_path / "none", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (Path("a\0b"), "embedded null byte"),
        (Path("\ud800"), "codec can't encode"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(ReadError, match=f"cannot be read .*{reason}"):
            Source(path, "a", "a").text(ReadOptions(), ReadLog())

    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(ReadError, match=r"^a: cannot be read \(Permission denied\)$"):
        Source(tmp_path / "a", "a", "a").text(ReadOptions(), ReadLog())


def test_an_error_while_reading_is_said(tmp_path):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            if len(buffer) < 5000:
                buffer[:] = b"a" * len(buffer)
                return len(buffer)
            raise OSError(5, "Input/output error")

    source = Source(None, "disk", "disk", Broken())
    with pytest.raises(ReadError, match=r"^disk: cannot be read \(Input/output error\)$"):
        source.text(ReadOptions(), ReadLog())


def test_a_stream_that_does_not_wait_is_refused():
    class Hurried(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            return None

    with pytest.raises(BlockingIOError, match="nothing has come yet"):
        Source(None, "hurried", "hurried", Hurried())


def test_names_fit_into_one_line():
    source = Source(None, "a\nb\x1b[1m\udcff.txt", "t\r\u202e\u2028")
    assert source.name == "a\ufffdb\ufffd[1m\ufffd.txt"
    assert source.title == "t\ufffd\ufffd\ufffd"
    assert Source(None, "نامه\u200cها 漢字\u3000é", "").name == "نامه\u200cها 漢字\u3000é"
    error = ReadError("a\nb", "bad", "two\n lines \x07")
    assert str(error) == "a\ufffdb: two lines \ufffd"


class Dripping(io.RawIOBase):
    """A stream that returns one byte at a time."""

    def __init__(self, content):
        self._rest = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self._rest.readinto(memoryview(buffer)[:1])


def test_a_stream_may_come_in_drops():
    content = gzip.compress(b'{"text": "One."}\n' * 9)
    source = Source(None, "pipe", "pipe", Dripping(content))
    assert list(source.lines(ReadOptions(), ReadLog()))[8] == (9, '{"text": "One."}\n')
    assert sniff_format(Source(None, "p", "p", Dripping(b"<?xml version='1.0'?> <html>"))) == "html"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b' \n{"title"', "jsonl"),
        (b"PAR1\x15\x04", "parquet"),
        (b"PK\x03\x04\x14", "docx"),
        (b'<mediawiki xmlns="', "mediawiki"),
        (b'<?xml version="1.0"?>\n<mediawiki', "mediawiki"),
        (b"<!DOCTYPE html>", "html"),
        (b"<!-- saved\nfrom --> <!-- a --><HTML lang=en>", "html"),
        (b"\xef\xbb\xbf<html>", "html"),
        (codecs.BOM_UTF16_LE + '{"text"'.encode("utf-16-le"), "jsonl"),
        (b'.\\" a page', "man"),
        (b".TH LS 1", "man"),
        (b"<headline>", "text"),
        (b"<!-- " * 800, "text"),
        (b"# A title", "text"),
        (b"The set {1, 2}", "text"),
        (b"He wrote <html> by hand", "text"),
        (b"", "text"),
    ],
)
def test_a_stream_shows_its_format(head, name):
    source = Source(None, "pipe", "pipe", io.BytesIO(head))
    assert sniff_format(source) == name
    assert b"".join(_all(source)) == head


def _all(source):
    with source.open(ReadLog()) as stream:
        yield stream.read()


def test_a_packed_stream_needs_its_format_named():
    source = Source(None, "standard input", "", io.BytesIO(gzip.compress(b"a")))
    with pytest.raises(InputError, match="standard input is packed: name the format of what is in"):
        sniff_format(source)


def test_a_named_pipe_is_read(tmp_path):
    path = tmp_path / "pipe.txt"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"One.",))
    writer.start()
    try:
        assert Source(path, "pipe", "pipe").text(ReadOptions(), ReadLog()) == "One."
    finally:
        writer.join()


@pytest.mark.parametrize("stdin", [None, io.StringIO("text")])
def test_closed_standard_input_is_said(monkeypatch, stdin):
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InputError, match="standard input is closed: give a file, or text through"):
        standard_input()


def test_standard_input_is_read_and_left_open(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(b"One.\n\nTwo."))
    monkeypatch.setattr(sys, "stdin", stdin)
    source = standard_input()
    assert (source.name, source.title, source.head()) == (
        "standard input",
        "standard input",
        b"One.\n\nTwo.",
    )
    assert source.text(ReadOptions(), ReadLog()) == "One.\n\nTwo."
    assert not stdin.buffer.closed
    assert standard_input().text(ReadOptions(), ReadLog()) == ""


def test_standard_input_of_a_process():
    script = (
        "from permutopic.readers import ReadLog, ReadOptions\n"
        "from permutopic.readers.source import standard_input\n"
        "from permutopic.errors import InputError\n"
        "try: print(standard_input().text(ReadOptions(), ReadLog()))\n"
        "except InputError as error: print(error)"
    )
    run = [sys.executable, "-c", script]
    packed = gzip.compress(b"One.")
    assert subprocess.run(run, input=packed, capture_output=True, check=True).stdout == b"One.\n"
    closed = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *run], capture_output=True, check=True)
    assert closed.stdout.startswith(b"standard input is closed")
