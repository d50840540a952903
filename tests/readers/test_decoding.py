from __future__ import annotations

import codecs
import encodings.aliases
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers import ReadError, ReadLog, ReadOptions
from permutopic.readers.decoding import decode, known_encoding
from permutopic.readers.source import Source

from sources import fault_of, lines_of, text_of


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
def test_a_byte_order_mark_overrides_the_given_encoding(tmp_path, mark, encoding):
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
        "a.txt: byte 12 (0xe9) in line 3 is not UTF-8: name the encoding "
        "(encoding='latin-1', perhaps) or let such bytes be replaced (errors='replace')",
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


def test_bad_lines_may_be_reported_and_reading_goes_on(tmp_path):
    errors = []
    lines = lines_of(tmp_path / "a", b"one\n\xff\nthree", errors.append)
    assert lines == [(1, "one\n"), (2, "\ufffd\n"), (3, "three")]
    assert [(error.location, error.kind) for error in errors] == [("a:2", "not UTF-8")]


def test_a_line_may_be_as_long_as_a_document(tmp_path):
    longest = b"a" * ((1 << 20) - 1) + b"\n"
    lines = lines_of(tmp_path / "a", longest * 2, max_mb=1)
    assert [(number, len(line)) for number, line in lines] == [(1, 1 << 20), (2, 1 << 20)]
    assert fault_of(lines_of, tmp_path / "a", longest + b"a" + longest, max_mb=1) == (
        "too long",
        "a:2: longer than 1 MiB: split it into documents, or raise the limit (max_mb)",
    )


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
def test_bad_lines_are_reported_in_every_encoding(tmp_path, encoding):
    many, bad = 40_000, {7, 9_000, 39_999}
    lines = [f"line {n}\n".encode(encoding) for n in range(many)]
    for n in bad:
        lines[n] = "x".encode(encoding) + BAD_BYTES[encoding] * 2 + "y\n".encode(encoding)
    content = b"".join(lines)
    errors = []
    got = lines_of(tmp_path / "a", content, errors.append, encoding=encoding)
    assert [number for number, _ in got] == list(range(1, many + 1))
    assert all(line == f"line {n}\n" for n, (_, line) in enumerate(got) if n not in bad)
    assert [error.location for error in errors] == [f"a:{n + 1}" for n in sorted(bad)]
    starts = [sum(map(len, lines[:n])) + len("x".encode(encoding)) for n in sorted(bad)]
    assert [error.detail.split(" (")[0] for error in errors] == [f"byte {at}" for at in starts]
    assert {error.kind for error in errors} == {f"not {encoding}"}
    message = fault_of(lines_of, tmp_path / "a", content, encoding=encoding)[1]
    assert message.startswith(f"a:8: byte {starts[0]} (0x{BAD_BYTES[encoding][0]:02x}")


def test_the_end_of_a_wide_file_may_be_cut(tmp_path):
    errors = []
    content = "one\ntwo".encode("utf-16-le")[:-1]
    lines = lines_of(tmp_path / "a", content, errors.append, encoding="utf-16-le")
    assert lines == [(1, "one\n"), (2, "tw\ufffd")]
    assert [error.detail[:14] for error in errors] == ["byte 12 (0x6f)"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_lines_without_a_mark_are_read_as_most_machines_write_them(tmp_path, encoding):
    content = "one\nä\n".encode(f"{encoding}-le")
    assert lines_of(tmp_path / "a", content, encoding=encoding) == [(1, "one\n"), (2, "ä\n")]


def test_an_escape_sequence_without_an_end_is_bad_wherever_a_chunk_ends(tmp_path):
    begin = b"a" * ((1 << 18) - 12)
    errors = []
    content = begin + b"\x1b&" + b"!" * 16 + b"\nend\n"
    lines = lines_of(tmp_path / "a", content, errors.append, encoding="iso2022_jp")
    assert lines[-1] == (2, "end\n")
    assert [error.location for error in errors] == ["a:1"]
    assert errors[0].detail.startswith(f"byte {len(begin)} (0x1b")


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
    reading = ReadOptions(encoding=encoding)
    try:
        lines = list(Source(None, "a", "a", io.BytesIO(content)).lines(reading, ReadLog()))
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
    assert "encoding='utf-16'" in message


def test_what_is_neither_utf_8_nor_without_nul_is_called_binary(tmp_path):
    kind, message = fault_of(text_of, tmp_path / "a", b"\x7fELF\x02\x00\xd0\xff")
    assert (kind, message.split(":")[1]) == ("binary", " byte 5 is NUL, so this looks binary")


def test_a_declared_encoding_counts_where_nothing_else_is_said():
    content = "é".encode("latin-1")
    assert decode(content, "a", ReadOptions(), "latin-1") == "é"
    assert decode(content, "a", ReadOptions(encoding="cp1251"), "latin-1") == "й"
    assert decode("é".encode(), "a", ReadOptions(), "latin-1") == "Ã©"
    for unknown in ("none such", "rot13", "base64", "utf-7", "unicode_escape", "undefined", "a\0"):
        assert decode("é".encode(), "a", ReadOptions(), unknown) == "é"


@pytest.mark.parametrize(
    "name", ["utf-7", "UNICODE_ESCAPE", "raw-unicode-escape", "idna", "punycode", "undefined",
             "rot13", "hex", "zip", "no such", "", "a\0b", "\ud800", "x" * 10_000, 5, b"utf-8"],
)  # fmt: skip
def test_what_is_no_encoding_of_text_is_refused(name):
    assert known_encoding(name) is None
    with pytest.raises(InputError, match=r"is not one of text: utf-8 and latin-1 are"):
        ReadOptions(encoding=name)


@given(st.binary(max_size=60), st.sampled_from(["utf-8", "utf-16", "gb18030", "cp1252", "hz"]))
def test_decoded_text_can_always_be_written(content, encoding):
    for errors in ("strict", "replace", "ignore"):
        try:
            text = decode(content, "a", ReadOptions(encoding=encoding, errors=errors))
        except ReadError:
            continue
        assert text.encode("utf-8").decode("utf-8") == text
