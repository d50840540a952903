from __future__ import annotations

import bz2
import codecs
import contextlib
import encodings.aliases
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
from pathlib import Path

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers import Notes, ReadError, Reading
from permutopic.readers import unpacking as unpacking_module
from permutopic.readers.decoding import decode, known_encoding
from permutopic.readers.formats import sniff_format
from permutopic.readers.source import Source, standard_input
from permutopic.readers.unpacking import packing_of

PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
SKIPPED = struct.pack("<II", 0x184D2A50, 4) + b"any!"  # a frame of zstd to skip


def source_of(path, content):
    path.write_bytes(content)
    return Source(path, path.name, "title")


def text_of(path, content, notes=None, **settings):
    return source_of(path, content).text(Reading(**settings), Notes() if notes is None else notes)


def lines_of(path, content, bad=None, **settings):
    return list(source_of(path, content).lines(Reading(**settings), Notes(), bad))


def fault_of(call, *arguments, **settings):
    with pytest.raises(ReadError) as caught:
        call(*arguments, **settings)
    assert "\n" not in str(caught.value)
    return caught.value.kind, str(caught.value)


@pytest.mark.parametrize("extension", PACKERS)
class TestPacking:
    def test_is_found_by_name_and_by_magic(self, tmp_path, extension):
        packed = PACKERS[extension](b"One.")
        notes = Notes()
        assert text_of(tmp_path / f"a.txt{extension}", packed, notes) == "One."
        assert text_of(tmp_path / "a.txt", packed, notes) == "One."
        assert (notes.files, notes.bytes) == (2, 8)

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

    def test_with_damage_is_an_error_or_text(self, tmp_path, extension):
        whole = bytearray(PACKERS[extension](random.Random(0).randbytes(300).hex().encode()))
        for place in range(12, len(whole), 7):
            damaged = whole.copy()
            damaged[place] ^= 0x55
            with contextlib.suppress(ReadError):
                text_of(tmp_path / f"a.txt{extension}", damaged)

    def test_of_a_bomb_is_stopped(self, tmp_path, extension, monkeypatch):
        monkeypatch.setattr(unpacking_module, "BOMB_BYTES", 1 << 20)
        packed = PACKERS[extension](b"a" * (3 << 20))
        notes = Notes()
        kind, message = fault_of(text_of, tmp_path / f"a.txt{extension}", packed, notes)
        assert kind == "bomb"
        assert "unpacks to more than 250 times its size" in message
        assert notes.bytes < 2 << 20

    def test_of_text_is_no_bomb(self, tmp_path, extension, monkeypatch):
        monkeypatch.setattr(unpacking_module, "BOMB_BYTES", 1)
        text = " ".join(map(str, range(100_000)))
        assert text_of(tmp_path / f"a.txt{extension}", PACKERS[extension](text.encode())) == text

    def test_is_undone_in_a_pipe(self, extension):
        stream = io.BytesIO(PACKERS[extension](b"One."))
        stream.tell = stream.seek = None  # nobody knows where a pipe stands
        source = Source(None, "pipe", "pipe", stream)
        assert source.text(Reading(), Notes()) == "One."


def test_zeros_after_or_between_packed_parts_do_no_harm(tmp_path):
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        content = pack(b"One, ") + bytes(8) + pack(b"two.") + bytes(512)
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
    assert packing_of(b"BZh91AY&SY") == "bzip2"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_mark_tells_the_encoding_whatever_was_said(tmp_path, mark, encoding):
    text = "Größe\r\n漢字 😀\nend"
    content = mark + text.encode(encoding)
    for settings in ({}, {"encoding": "latin-1"}, {"encoding": encoding}):
        assert text_of(tmp_path / "a.txt", content, **settings) == text
        assert lines_of(tmp_path / "a.txt", content, **settings) == [
            (1, "Größe\r\n"),
            (2, "漢字 😀\n"),
            (3, "end"),
        ]


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32-be", "koi8-r", "shift_jis"]
)
def test_an_encoding_may_be_named(tmp_path, encoding):
    text = "Слово\nдва\n" if encoding == "koi8-r" else "caf\n2\n"
    content = text.encode(encoding)
    assert text_of(tmp_path / "a.txt", content, encoding=encoding) == text
    lines = lines_of(tmp_path / "a.txt", content, encoding=encoding)
    assert "".join(line for _, line in lines) == text


def test_a_line_may_end_within_a_chunk_of_a_wide_encoding(tmp_path):
    text = "".join(f"{'ж' * (n % 7)}{n}\n" for n in range(60_000))
    lines = lines_of(tmp_path / "a.txt", text.encode("utf-16"))
    assert "".join(line for _, line in lines) == text
    assert lines[-1][0] == 60_000


def test_bytes_that_are_not_in_the_encoding_are_named(tmp_path):
    path = tmp_path / "a.txt"
    assert fault_of(text_of, path, b"one\r\ntwo\rcaf\xe9 three") == (
        "not UTF-8",
        "a.txt: byte 12 (0xe9) in line 3 is not UTF-8: name the encoding (--encoding latin-1, "
        "perhaps) or let such bytes be replaced (--errors replace)",
    )
    assert (
        "byte 3 (0xff) in line 1 is not ascii"
        in fault_of(text_of, path, b"one\xff", encoding="ascii")[1]
    )
    wide = codecs.BOM_UTF16_LE + "a\nb".encode("utf-16-le") + b"\x00\xdc!!"
    assert "byte 8 (0x00 0xdc) in line 2 is not utf-16-le" in fault_of(text_of, path, wide)[1]
    assert "byte 8 (0x00 0xdc) is not utf-16-le" in fault_of(lines_of, path, wide)[1]
    assert "a.txt:2: byte 4 (0xff) is not UTF-8" in fault_of(lines_of, path, b"one\n\xff")[1]


def test_the_bad_byte_is_found_where_a_chunk_ends(tmp_path):
    begin = "é".encode("shift_jisx0213") * 10 + b"a" * ((1 << 18) - 11)
    at = len(begin)
    content = begin + b"\x81" + b"\x00" * 5
    message = fault_of(lines_of, tmp_path / "a.txt", content, encoding="shift_jisx0213")[1]
    assert f"byte {at} (0x81" in message


def test_such_bytes_may_be_replaced_or_left_out(tmp_path):
    content = b"caf\xe9!\n"
    for read in (text_of, lambda *a, **k: lines_of(*a, **k)[0][1]):
        assert read(tmp_path / "a", content, errors="replace") == "caf\ufffd!\n"
        assert read(tmp_path / "a", content, errors="ignore") == "caf!\n"
        assert read(tmp_path / "a", content, errors="ignore", encoding="ascii") == "caf!\n"
        assert read(tmp_path / "a", content, encoding="latin-1") == "café!\n"


def test_bad_lines_may_be_told_of_and_reading_goes_on(tmp_path):
    told = []
    lines = lines_of(tmp_path / "a", b"one\n\xff\nthree", told.append)
    assert lines == [(1, "one\n"), (2, "\ufffd\n"), (3, "three")]
    assert [(error.place, error.kind) for error in told] == [("a:2", "not UTF-8")]


BAD_BYTES = {
    "utf-16-le": b"\x00\xdc",
    "utf-16-be": b"\xdc\x00",
    "utf-32-le": b"\xff\xff\xff\xff",
    "utf-32-be": b"\xff\xff\xff\xff",
    "cp1252": b"\x81",
    "cp1255": b"\xff",
    "shift_jis": b"\xff",
    "gb18030": b"\xff",
    "euc_jp": b"\xff",
    "hz": b"\xff",
    "iso2022_jp": b"\xff",
}


@pytest.mark.parametrize("encoding", BAD_BYTES)
def test_bad_lines_are_told_of_in_every_encoding(tmp_path, encoding):
    many, bad = 40_000, {7, 9_000, 39_999}
    lines = [f"line {n}\n".encode(encoding) for n in range(many)]
    for n in bad:
        lines[n] = "x".encode(encoding) + BAD_BYTES[encoding] * 2 + "y\n".encode(encoding)
    content = b"".join(lines)
    told = []
    got = lines_of(tmp_path / "a", content, told.append, encoding=encoding)
    assert [number for number, _ in got] == list(range(1, many + 1))
    assert all(line == f"line {n}\n" for n, (_, line) in enumerate(got) if n not in bad)
    assert [error.place for error in told] == [f"a:{n + 1}" for n in sorted(bad)]
    starts = [sum(map(len, lines[:n])) + len("x".encode(encoding)) for n in sorted(bad)]
    assert [error.detail.split(" (")[0] for error in told] == [f"byte {at}" for at in starts]
    assert {error.kind for error in told} == {f"not {encoding}"}
    message = fault_of(lines_of, tmp_path / "a", content, encoding=encoding)[1]
    assert message.startswith(f"a:8: byte {starts[0]} (0x{BAD_BYTES[encoding][0]:02x}")


def test_the_end_of_a_wide_file_may_be_cut(tmp_path):
    told = []
    content = "one\ntwo".encode("utf-16-le")[:-1]
    lines = lines_of(tmp_path / "a", content, told.append, encoding="utf-16-le")
    assert lines == [(1, "one\n"), (2, "tw\ufffd")]
    assert [error.detail[:14] for error in told] == ["byte 12 (0x6f)"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_lines_without_a_mark_are_read_as_most_machines_write_them(tmp_path, encoding):
    content = "one\nä\n".encode(f"{encoding}-le")
    assert lines_of(tmp_path / "a", content, encoding=encoding) == [(1, "one\n"), (2, "ä\n")]


def test_an_escape_sequence_without_an_end_is_bad_wherever_a_chunk_ends(tmp_path):
    begin = b"a" * ((1 << 18) - 12)
    told = []
    content = begin + b"\x1b&" + b"!" * 16 + b"\nend\n"
    lines = lines_of(tmp_path / "a", content, told.append, encoding="iso2022_jp")
    assert lines[-1] == (2, "end\n")
    assert [error.place for error in told] == ["a:1"]
    assert told[0].detail.startswith(f"byte {len(begin)} (0x1b")


def known_encodings():
    names = set(encodings.aliases.aliases.values()) | {"utf-8-sig"}
    return sorted({known_encoding(name) for name in names} - {None})


@given(st.data())
def test_lines_one_by_one_are_the_lines_of_the_whole(data):
    encoding = data.draw(st.sampled_from(known_encodings()))
    text = data.draw(st.text(st.sampled_from("ab\n\r\u010aÿжਊ漢字")))
    content = bytearray(text.encode(encoding, "ignore"))
    for _ in range(data.draw(st.integers(0, 2))):
        content.insert(data.draw(st.integers(0, len(content))), data.draw(st.integers(0, 255)))
    reading = Reading(encoding=encoding)
    try:
        lines = list(Source(None, "a", "a", io.BytesIO(content)).lines(reading, Notes()))
    except ReadError:
        with pytest.raises(ReadError):
            decode(bytes(content), "a", reading)
    else:
        assert [number for number, _ in lines] == list(range(1, len(lines) + 1))
        joined = "".join(line for _, line in lines)
        assert "\0" in joined or joined == decode(bytes(content), "a", reading)


def test_nul_is_not_text(tmp_path):
    kind, message = fault_of(text_of, tmp_path / "a", "a b".encode("utf-16-le"))
    assert kind == "binary"
    assert "character 1 is NUL" in message
    assert "--encoding utf-16" in message


def test_what_is_neither_utf_8_nor_without_nul_is_called_binary(tmp_path):
    kind, message = fault_of(text_of, tmp_path / "a", b"\x7fELF\x02\x00\xd0\xff")
    assert (kind, message.split(":")[1]) == ("binary", " byte 5 is NUL, so this looks binary")


def test_a_declared_encoding_counts_where_nothing_else_is_said():
    content = "é".encode("latin-1")
    assert decode(content, "a", Reading(), "latin-1") == "é"
    assert decode(content, "a", Reading(encoding="cp1251"), "latin-1") == "й"
    assert decode("é".encode(), "a", Reading(), "latin-1") == "Ã©"
    for unknown in ("none such", "rot13", "base64", "utf-7", "unicode_escape", "undefined", "a\0"):
        assert decode("é".encode(), "a", Reading(), unknown) == "é"


@pytest.mark.parametrize(
    "name", ["utf-7", "UNICODE_ESCAPE", "raw-unicode-escape", "idna", "punycode", "undefined",
             "rot13", "hex", "zip", "no such", "", "a\0b", "\ud800", "x" * 10_000, 5, b"utf-8"],
)  # fmt: skip
def test_what_is_no_encoding_of_text_is_refused(name):
    assert known_encoding(name) is None
    with pytest.raises(InputError, match=r"is not one of text: utf-8 and latin-1 are"):
        Reading(encoding=name)


@given(st.binary(max_size=60), st.sampled_from(["utf-8", "utf-16", "gb18030", "cp1252", "hz"]))
def test_decoded_text_can_always_be_written(content, encoding):
    for errors in ("strict", "replace", "ignore"):
        try:
            text = decode(content, "a", Reading(encoding=encoding, errors=errors))
        except ReadError:
            continue
        assert text.encode("utf-8").decode("utf-8") == text


def test_too_long_files_and_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Reading, "max_bytes", 10)
    path = tmp_path / "a"
    assert text_of(path, b"0123456789") == "0123456789"
    kind, message = fault_of(text_of, path, b"0123456789a")
    assert (kind, message[:20]) == ("too long", "a: longer than 32 Mi")
    assert "--max-mb" in message
    assert fault_of(lines_of, path, b"one\n0123456789ab\nthree")[1].startswith("a:2: longer than")
    told = []
    lines = lines_of(path, b"one\n" + b"0123456789" * 5 + b"\nthree", told.append)
    assert lines == [(1, "one\n"), (2, "\n"), (3, "three")]
    assert [error.place for error in told] == ["a:2"]


def test_a_file_with_a_hole_is_read_no_further_than_the_limit(tmp_path):
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    notes = Notes()
    with pytest.raises(ReadError, match="longer than 1 MiB"):
        Source(path, "a", "a").text(Reading(max_mb=1), notes)
    assert notes.bytes < 2 << 20


def test_the_limit_is_not_set_aside_in_memory(tmp_path):
    assert text_of(tmp_path / "a", b"short", max_mb=1 << 20) == "short"
    with pytest.raises(InputError, match=r"max_mb .* at most 1048576"):
        Reading(max_mb=1 << 21)


def test_what_cannot_be_opened_is_said(tmp_path, monkeypatch):
    for path, reason in (
        (tmp_path / "none", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (Path("a\0b"), "embedded null byte"),
        (Path("\ud800"), "codec can't encode"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(ReadError, match=f"cannot be read .*{reason}"):
            Source(path, "a", "a").text(Reading(), Notes())

    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(ReadError, match=r"^a: cannot be read \(Permission denied\)$"):
        Source(tmp_path / "a", "a", "a").text(Reading(), Notes())


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
        source.text(Reading(), Notes())


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
    """A stream that gives one byte at a time."""

    def __init__(self, content):
        self._rest = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self._rest.readinto(memoryview(buffer)[:1])


def test_a_stream_may_come_in_drops():
    content = gzip.compress(b'{"text": "One."}\n' * 9)
    source = Source(None, "pipe", "pipe", Dripping(content))
    assert list(source.lines(Reading(), Notes()))[8] == (9, '{"text": "One."}\n')
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
        (b"", "text"),
    ],
)
def test_a_stream_shows_its_format(head, name):
    source = Source(None, "pipe", "pipe", io.BytesIO(head))
    assert sniff_format(source) == name
    assert b"".join(_all(source)) == head


def _all(source):
    with source.open(Notes()) as stream:
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
        assert Source(path, "pipe", "pipe").text(Reading(), Notes()) == "One."
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
    assert source.text(Reading(), Notes()) == "One.\n\nTwo."
    assert not stdin.buffer.closed
    assert standard_input().text(Reading(), Notes()) == ""


def test_standard_input_of_a_process():
    script = (
        "from permutopic.readers import Notes, Reading\n"
        "from permutopic.readers.source import standard_input\n"
        "from permutopic.errors import InputError\n"
        "try: print(standard_input().text(Reading(), Notes()))\n"
        "except InputError as error: print(error)"
    )
    run = [sys.executable, "-c", script]
    packed = gzip.compress(b"One.")
    assert subprocess.run(run, input=packed, capture_output=True, check=True).stdout == b"One.\n"
    closed = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *run], capture_output=True, check=True)
    assert closed.stdout.startswith(b"standard input is closed")
