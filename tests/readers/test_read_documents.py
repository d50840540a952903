from __future__ import annotations

import gzip
import io
import json
import random
import sys

import pytest

from permutopic.cli import reading_options
from permutopic.errors import InputError, Message, Parameter
from permutopic.readers import ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers.formats import FORMATS, find_format

from invariant import check


def read(paths, log=None, **settings):
    documents = list(read_documents(paths, ReadOptions(**settings), log))
    for document in documents:
        check(document)
    return documents


def titles(paths, log=None, **settings):
    return [document.title for document in read(paths, log, **settings)]


def test_documents_of_up_to_32_mib_are_read_by_default():
    options = ReadOptions()
    assert (options.max_mb, options.max_bytes) == (32, 32 << 20)
    assert (options.depth, options.on_bad, options.errors) == (1, "auto", "strict")


def test_only_wiki_pages_have_categories(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    log = ReadLog()
    with pytest.raises(InputError, match="only wiki pages have categories"):
        read(tmp_path, log, category="Mills")
    assert log.skipped == {"category not asked for": 1}
    assert [location for location, _, _ in log.examples] == [str(tmp_path / "a.txt")]
    assert log.formats == {}


@pytest.fixture
def folder(tmp_path):
    """Two good files, a binary one, an empty one and one of an unknown kind."""
    (tmp_path / "a.txt").write_text("One.\n\nTwo.")
    (tmp_path / "b.txt").write_bytes(b"a\0b")
    (tmp_path / "c.txt").write_text(" \n")
    (tmp_path / "d.md").write_text("# Iron\n\nA metal.")
    (tmp_path / "e.jpg").write_bytes(b"\xff\xd8")
    return tmp_path


def lines(path, *records):
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
    return path


def test_every_format_has_a_reader_and_the_command_line_knows_it():
    assert tuple(FORMATS) == reading_options.FORMATS
    for name in FORMATS:
        assert callable(find_format(name).reader())
    with pytest.raises(InputError, match=r"format is one of text, markdown, .*, not 'odt'"):
        read("anything", format="odt")


def test_what_is_left_out_of_a_folder_is_counted(folder):
    log = ReadLog()
    assert titles(folder, log) == ["a", "Iron"]
    assert log.skipped == {"binary": 1, "no text": 1, "unknown extension '.jpg'": 1}
    assert (log.files, log.bytes) == (4, 10 + 3 + 2 + 16)
    [binary] = [each for each in log.examples if each[1] == "binary"]
    assert binary[0] == str(folder / "b.txt")
    assert binary[2].startswith("character 1 is NUL")


def test_a_bad_file_that_is_named_is_an_error(folder):
    with pytest.raises(ReadError, match=r"b.txt: character 1 is NUL"):
        read([folder / "a.txt", folder / "b.txt"])
    assert titles([folder / "a.txt", folder / "b.txt"], on_bad="skip") == ["a"]


def test_a_bad_file_of_a_folder_may_be_stopped_at(folder):
    with pytest.raises(ReadError, match=r"b.txt: character 1 is NUL"):
        read(folder, on_bad="stop")


def test_documents_before_a_bad_one_have_been_given(folder):
    reading = read_documents(folder, ReadOptions(on_bad="stop"))
    assert next(reading).title == "a"
    with pytest.raises(ReadError):
        next(reading)


def test_half_a_file_of_records_is_not_taken_for_the_whole(tmp_path):
    good = {"title": "x", "text": "One."}
    lines(tmp_path / "a.jsonl", good, "{")
    for path in (tmp_path, tmp_path / "a.jsonl"):
        for on_bad in ("auto", "stop"):
            with pytest.raises(ReadError, match=r"a.jsonl:2: this line cannot be read"):
                read(path, on_bad=on_bad)
        log = ReadLog()
        assert titles(path, log, on_bad="skip") == ["x"]
        assert log.skipped == {"bad JSON": 1}


def test_a_file_of_records_in_a_folder_that_cannot_be_read_at_all_is_left_out(tmp_path):
    lines(tmp_path / "a.jsonl", "{", {"text": "One."})
    lines(tmp_path / "b.jsonl", {"title": "x", "text": "One."})
    log = ReadLog()
    assert titles(tmp_path, log) == ["x"]
    assert log.skipped == {"not lines": 1}
    with pytest.raises(ReadError):
        read(tmp_path / "a.jsonl")


def test_a_cut_archive_is_an_error_even_in_a_folder(tmp_path):
    noise = random.Random(0)
    text = "".join(
        f'{{"title": "{n}", "text": "{noise.randbytes(40).hex()}"}}\n' for n in range(20_000)
    )
    packed = gzip.compress(text.encode(), 1)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(ReadError, match="not whole gzip data"):
        read(tmp_path)
    log = ReadLog()
    assert 5000 < len(read(tmp_path, log, on_bad="skip")) < 20_000
    assert log.skipped == {"damaged": 1}


def test_titles_may_be_filtered(tmp_path):
    lines(tmp_path / "a.jsonl", *({"title": t, "text": "x"} for t in ("Iron", "iron age", "Tin")))
    log = ReadLog()
    assert titles(tmp_path, log, title="(?i)^iron") == ["Iron", "iron age"]
    assert log.skipped == {"title not asked for": 1}
    assert titles(tmp_path, title="n$") == ["Iron", "Tin"]
    assert titles(tmp_path, title="") == ["Iron", "iron age", "Tin"]
    assert titles(tmp_path, title="[[]|Tin") == ["Tin"]  # a set that may mean something one day
    with pytest.raises(InputError, match=r"no document was found; left out: title not asked for"):
        read(tmp_path, title="Gold")


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a{1,99999999999999}", "*", "(?<=a*)b"])
def test_what_is_no_pattern_is_refused(pattern):
    for name in ("title", "category"):
        with pytest.raises(InputError, match=f"the {name} filter .* is not a regular expression"):
            ReadOptions(**{name: pattern})


@pytest.mark.parametrize("pattern", [5, b"a", ["a"]])
def test_a_pattern_is_a_string(pattern):
    with pytest.raises(InputError, match="title is a regular expression, not "):
        ReadOptions(title=pattern)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"errors": "surrogateescape"}, "errors is one of strict, replace, ignore, not 'surr"),
        ({"on_bad": "warn"}, "on_bad is one of auto, skip, stop, not 'warn'"),
        ({"depth": 0}, r"depth \(of headings\) must be a whole number of at least 1, not 0"),
        ({"max_mb": 0.5}, r"max_mb .* must be a whole number of at least 1"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        ReadOptions(**settings)


def test_titles_are_one_line(tmp_path):
    lines(tmp_path / "a.jsonl", {"title": " two\nlines\x1b ", "text": "x"})
    assert titles(tmp_path) == ["two lines\ufffd"]


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(InputError, match="nothing to read: name a file or a folder"):
        read([])
    with pytest.raises(InputError, match=r"no file to read: is the folder, or the pattern, the ri"):
        read(tmp_path)
    with pytest.raises(InputError, match=r"\*.txt: no file to read"):
        read(tmp_path / "*.txt")
    (tmp_path / "a.jpg").touch()
    (tmp_path / "b.txt").touch()
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no document was found; left out: unknown extension '.jpg' (1), no text (1)"
    )


def test_many_paths_without_a_document_are_not_all_named(tmp_path):
    paths = [tmp_path / f"{n}.txt" for n in range(50)]
    for path in paths:
        path.touch()
    with pytest.raises(InputError, match=r"2.txt and 47 more: no document was found"):
        read(paths)


@pytest.mark.parametrize("paths", [5, None, [5], b"", [b""], ""])
def test_what_is_no_path_is_refused(paths):
    with pytest.raises(InputError, match="a path is the name of a file or folder"):
        read(paths)


def test_the_format_goes_by_extension_unless_given(tmp_path):
    (tmp_path / "a.md").write_text("# Iron\n\nA metal.")
    [markdown] = read(tmp_path)
    [plain] = read(tmp_path, format="text")
    assert (markdown.title, len(markdown.units)) == ("Iron", 1)
    assert (plain.title, len(plain.units)) == ("a", 2)


def test_a_folder_may_hold_all_sorts(tmp_path):
    (tmp_path / "1.txt").write_text("One.")
    (tmp_path / "2.md").write_text("Two.")
    (tmp_path / "3.html").write_text("<p>Three.")
    lines(tmp_path / "4.jsonl", {"title": "four", "text": "Four."}, {"text": "Five."})
    (tmp_path / "5.csv").write_text("title,text\nsix,Six.\n")
    (tmp_path / "6.txt.gz").write_bytes(gzip.compress(b"Seven."))
    (tmp_path / "7.1").write_text(".TH X 1\n.SH NAME\nx \\- eight\n")
    documents = read(tmp_path)
    assert [document.units[0].text for document in documents][:7] == [
        "One.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven.",
    ]  # fmt: skip
    assert len(documents) == 8


def test_standard_input_is_a_path(monkeypatch):
    def give(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    give(b"One.\n\nTwo.")
    [document] = read("-")
    assert (document.title, document.location, len(document.units)) == (
        "standard input",
        "standard input",
        2,
    )
    give(b'{"text": "One."}\n{"text": "Two."}\n')
    assert titles("-") == ["standard input:1", "standard input:2"]
    give(gzip.compress(b"# Iron\n\nA metal."))
    assert titles("-", format="markdown") == ["Iron"]
    give(b"")
    with pytest.raises(InputError, match="-: no document was found; left out: no text"):
        read("-")


def test_examples_are_kept_for_every_reason():
    log = ReadLog()
    for n in range(3000):
        log.skip(f"{n}.xyz", "unknown extension '.xyz'")
    log.skip("late.txt", "binary", "byte 3 is zero")
    assert len(log.examples) == 1001
    assert log.examples[-1] == ("late.txt", "binary", "byte 3 is zero")
    for n in range(5):
        log.skip(f"{n}.txt", "empty file")
    assert [where for where, why, _ in log.examples if why == "empty file"] == [
        "0.txt",
        "1.txt",
        "2.txt",
    ]


def test_one_of_several_paths_without_a_file_is_counted(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "none").mkdir()
    log = ReadLog()
    paths = [tmp_path / "a.txt", tmp_path / "none", f"{tmp_path}/*.tyop"]
    assert len(list(read_documents(paths, log=log))) == 1
    assert log.skipped == {"nothing to read there": 2}
    log = ReadLog()
    assert len(list(read_documents(paths[:2], log=log))) == 1
    assert log.skipped == {"nothing to read there": 1}


def test_what_was_wrong_with_all_files_of_a_folder_is_said_of_one(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_bytes(b"caf\xe9")
    with pytest.raises(InputError) as caught:
        list(read_documents(tmp_path))
    assert "left out: not UTF-8 (2); " in str(caught.value)
    assert "a.txt: byte 3 (0xe9) in line 1 is not UTF-8: name the encoding" in str(caught.value)


def test_files_are_counted_by_format(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b.md").write_text("Two.")
    log = ReadLog()
    list(read_documents(tmp_path, log=log))
    assert log.formats == {"text": 1, "markdown": 1}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ReadOptions(fields={"text": "body"}), "fields is Fields"),
        (lambda: ReadOptions(format=["text"]), "format is one of text, markdown"),
        (lambda: ReadOptions(format="pdf"), "format is one of text, markdown"),
        (lambda: list(read_documents("x", "text")), "options is ReadOptions"),
    ],
)
def test_settings_of_another_kind_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


OPTIONS = {"encoding": "--encoding", "errors": "--errors", "fields.text": "--text-field"}


def test_an_error_keeps_the_parameters_it_names(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    with pytest.raises(ReadError) as caught:
        read(tmp_path / "a.txt")
    assert str(caught.value).endswith("replaced (errors='replace')")
    assert caught.value.message.render(OPTIONS).endswith("replaced (--errors replace)")
    assert "(--encoding latin-1, perhaps)" in caught.value.detail.render(OPTIONS)


def test_skipped_files_keep_the_parameters_of_their_errors(tmp_path):
    path = tmp_path / "a.jsonl"
    lines(path, {"body": "One."})
    log = ReadLog()
    with pytest.raises(InputError) as caught:
        read(path, log, on_bad="skip")
    [(_, _, detail)] = log.examples
    assert detail.render(OPTIONS).endswith("(--text-field, fields.sections)")
    assert caught.value.message.render(OPTIONS).endswith("(--text-field, fields.sections)")


def test_an_error_is_one_line_whatever_its_parts(tmp_path):
    detail = Message(" two\n", Parameter("encoding", "utf-8"), " \x1b[2J\n ")
    assert str(ReadError("a\nb", "kind", detail)) == "a\ufffdb: two encoding='utf-8' \ufffd[2J"
