from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers import ReadError, ReadLog, ReadOptions
from permutopic.readers.finding import FileFinder, natural_key
from permutopic.readers.formats import guess_format


def make(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(name))
    return folder


def find(*paths, log=None, **settings):
    finder = FileFinder(ReadOptions(**settings), ReadLog() if log is None else log)
    return [found for path in paths for found in finder.find(path)]


def titles(*paths, **settings):
    return [found.source.title for found in find(*paths, **settings)]


def test_a_file_is_itself(tmp_path):
    path = make(tmp_path, "a.txt") / "a.txt"
    for given_path in (path, str(path), os.fsencode(path)):
        [found] = find(given_path)
        assert (found.source.path, found.source.name) == (path, str(path))
        assert (found.source.title, found.format, found.in_folder) == ("a", "text", False)


def test_a_folder_is_all_files_in_natural_order_and_then_its_folders(tmp_path):
    make(tmp_path, "b10.txt", "B2.md", "a.txt", "c/1.txt", "c/d/e.html", "10/x.txt", "9/x.txt")
    found = find(tmp_path)
    assert [each.source.title for each in found] == [
        "a", "B2", "b10", "9/x", "10/x", "c/1", "c/d/e",
    ]  # fmt: skip
    assert [each.format for each in found][:3] == ["text", "markdown", "text"]
    assert all(each.in_folder for each in found)
    assert found[0].source.name == str(tmp_path / "a.txt")


@given(st.lists(st.text(max_size=6)))
def test_natural_order_is_an_order_of_any_names(names):
    turned = list(reversed(names))
    assert sorted(names, key=natural_key) == sorted(turned, key=natural_key)


def test_digits_count_by_value():
    names = ["a٣", "a10", "a1", "A2", "a02", "²", "a"]
    assert sorted(names, key=natural_key) == ["a", "a1", "A2", "a02", "a٣", "a10", "²"]


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("a.TXT", "text"), ("a.text.gz", "text"), ("a.md", "markdown"), ("a.htm", "html"),
        ("a.txt.GZ", "text"), ("a.markdown", "markdown"), ("a.mdown", "markdown"),
        ("a.mkd", "markdown"), ("a.html", "html"), ("a.csv", "csv"), ("a.parquet", "parquet"),
        ("a.xhtml.xz", "html"), ("dump.xml.bz2", "mediawiki"), ("a.docx", "docx"), ("ls.1", "man"),
        ("open.2.gz", "man"), ("perl.3pm", "man"), ("x.n", "man"), ("a.ndjson", "jsonl"),
        ("a.jsonl.zst", "jsonl"), ("a.tsv", "csv"), ("a.pq", "parquet"), ("a.7z", None),
        ("film.3gp", None), ("a.gz", None), ("README", None), (".txt", None), ("a.tar.gz", None),
        ("a.10", None), ("a.nfo", None), ("a.numbers", None), ("a.", None),
        ("a.txt~", None), ("a.txt\n", None),
    ],
)  # fmt: skip
def test_the_extension_gives_the_format(name, format_name):
    assert guess_format(Path(name)) == format_name


def test_extensions_are_no_part_of_a_title(tmp_path):
    make(tmp_path, "a.txt.gz", "b.c.md", "ls.1", "d.e")
    assert titles(tmp_path) == ["a", "b.c", "ls"]
    assert titles(tmp_path, format="text") == ["a", "b.c", "d.e", "ls"]


def test_files_of_unknown_kinds_are_counted(tmp_path):
    make(tmp_path, "a.txt", "b.jpg", "c.jpg", "README", "x.00001", "y.a b", "z.a\nb")
    log = ReadLog()
    assert [found.source.title for found in find(tmp_path, log=log)] == ["a"]
    assert log.skipped == {
        "unknown extension '.jpg'": 2,
        "no extension": 1,
        "unknown extension": 3,
    }
    assert all("\n" not in location for location, _, _ in log.examples)


def test_hidden_files_and_folders_are_not_looked_at(tmp_path):
    log = ReadLog()
    make(tmp_path, ".a.txt", ".git/b.txt", "c.txt", "d/.e.txt")
    assert [found.source.title for found in find(tmp_path, log=log)] == ["c"]
    assert log.skipped == {"hidden": 3}
    assert titles(tmp_path / ".git") == ["b"]


def test_globs_of_files_to_take_and_to_leave(tmp_path):
    make(tmp_path, "a.txt", "b.md", "c/a.txt", "c/d/a.txt", "c/e.txt")
    assert titles(tmp_path, include="a.txt") == ["a", "c/a", "c/d/a"]
    assert titles(tmp_path, include=["*.md", "c/*"]) == ["b", "c/a", "c/e"]
    assert titles(tmp_path, include=("./*",)) == ["a", "b"]
    assert titles(tmp_path, exclude="c/**") == ["a", "b"]
    assert titles(tmp_path, exclude=("*.md", "c/d/*")) == ["a", "c/a", "c/e"]
    assert titles(tmp_path, exclude="a.*", include="**/*.txt") == ["c/e"]
    assert titles(tmp_path, include="[z-a].txt", exclude="[!]") == []


@pytest.mark.parametrize("globs", [5, [5], [b"*.md"], [""], ""])
def test_what_is_no_glob_is_refused(globs):
    with pytest.raises(InputError, match=r"include is a list of globs such as '\*.md', not "):
        ReadOptions(include=globs)


def test_a_quoted_glob_is_a_path(tmp_path, monkeypatch):
    make(tmp_path, "a.txt", "b.md", "c/a.txt", "c/d/b.md", "c2/e.txt", "[1].txt")
    assert titles(tmp_path / "*.txt") == ["[1]", "a"]
    assert titles(f"{tmp_path}/**/*.md") == ["b", "c/d/b"]
    assert titles(f"{tmp_path}/c/**") == ["a", "d/b"]
    assert titles(f"{tmp_path}/?/*.txt") == ["c/a"]
    assert titles(f"{tmp_path}/**/*", include="a*") == ["a", "c/a"]
    assert titles(tmp_path / "[1].txt") == ["[1]"]  # there is a file of this name
    assert titles(tmp_path / "x*") == []
    monkeypatch.chdir(tmp_path)
    [found] = find("a*")
    assert (found.source.name, found.in_folder) == ("a.txt", True)


def test_any_wildcard_makes_a_path_a_glob(tmp_path):
    make(tmp_path, "a.txt", "b.txt", "cc.txt")
    assert titles(f"{tmp_path}/?.txt") == ["a", "b"]
    assert titles(f"{tmp_path}/[ac].txt") == ["a"]


def test_a_glob_that_fits_a_folder_takes_what_is_in_it_as_in_a_shell(tmp_path):
    make(tmp_path, "man1/a.1", "man1/x/b.1", "man2/c.2", "other/d.1")
    assert titles(f"{tmp_path}/man*") == ["man1/a", "man1/x/b", "man2/c"]


def test_a_glob_enters_no_folder_in_vain(tmp_path, monkeypatch):
    make(tmp_path, "a/b/c.txt", "d/e/f.txt")
    entered = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: entered.append(str(path)) or scandir(path))
    assert titles(f"{tmp_path}/a/*/c.txt") == ["b/c"]
    assert entered == [str(tmp_path / "a"), str(tmp_path / "a" / "b")]


def test_a_file_with_several_names_is_taken_once(tmp_path):
    make(tmp_path, "b.txt", "z/c.txt")
    (tmp_path / "a.txt").symlink_to("b.txt")
    (tmp_path / "hard.txt").hardlink_to(tmp_path / "b.txt")
    log = ReadLog()
    assert [found.source.title for found in find(tmp_path, log=log)] == ["b", "z/c"]
    assert log.skipped == {"another name of a file": 2}
    assert [detail for _, _, detail in log.examples] == [
        f"another name of {tmp_path / 'b.txt'}"
    ] * 2


def test_a_link_stands_for_a_file_that_is_not_met_itself(tmp_path):
    make(tmp_path, "in/a.txt", "out/b.txt", "in/.hidden.txt", "in/plain")
    (tmp_path / "in" / "b.txt").symlink_to(tmp_path / "out" / "b.txt")
    (tmp_path / "in" / "h.txt").symlink_to(".hidden.txt")
    (tmp_path / "in" / "p.txt").symlink_to("plain")
    (tmp_path / "in" / "second.md").symlink_to("a.txt")
    assert titles(tmp_path / "in") == ["a", "b", "h", "p"]
    assert titles(tmp_path / "in", include="*.md") == ["second"]


def test_links_that_lead_nowhere_or_round_and_round_are_counted(tmp_path):
    make(tmp_path, "a.txt", "d/b.txt")
    (tmp_path / "broken.txt").symlink_to("nowhere")
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "lost.xyz").symlink_to("nowhere")
    (tmp_path / "d" / "up").symlink_to("..")
    log = ReadLog()
    assert [found.source.title for found in find(tmp_path, log=log)] == ["a", "d/b"]
    assert log.skipped == {
        "cannot be read": 2,
        "another name of a folder": 2,
        "unknown extension '.xyz'": 1,
    }
    for name in ("broken.txt", "loop.txt"):
        with pytest.raises(ReadError, match=rf"{name}: cannot be read \("):
            find(tmp_path / name)
    with pytest.raises(ReadError, match=r"broken.txt: cannot be read"):
        find(tmp_path, on_bad="stop")


def test_a_link_to_a_folder_may_be_named_and_is_not_followed_out(tmp_path):
    make(tmp_path, "d/a.txt", "e/.hidden/b.txt")
    (tmp_path / "e" / "link").symlink_to("../d")
    (tmp_path / "e" / "seen").symlink_to(".hidden")
    log = ReadLog()
    assert find(tmp_path / "e", log=log) == []
    assert log.skipped == {"link to a folder": 2, "hidden": 1}
    assert titles(tmp_path / "e" / "link") == ["a"]


def test_paths_are_taken_in_their_order_and_a_file_once(tmp_path):
    make(tmp_path, "b/1.txt", "a/1.txt", "c.txt")
    log = ReadLog()
    paths = [tmp_path / "c.txt", tmp_path / "b", tmp_path, tmp_path / "c.txt"]
    assert [found.source.title for found in find(*paths, log=log)] == ["c", "1", "a/1"]
    assert log.skipped == {"another name of a file": 3}


def test_a_pipe_in_a_folder_is_left_alone(tmp_path):
    os.mkfifo(make(tmp_path, "a.txt") / "pipe.txt")
    log = ReadLog()
    assert [found.source.title for found in find(tmp_path, log=log)] == ["a"]
    assert log.skipped == {"not a regular file": 1}
    assert titles(tmp_path / "pipe.txt") == ["pipe"]


def test_names_that_are_not_unicode_are_found_and_can_be_shown(tmp_path):
    name = os.fsdecode(b"caf\xe9 \n.txt")
    make(tmp_path, name)
    for path in (tmp_path, tmp_path / name, f"{tmp_path}/c*"):
        [found] = find(path)
        assert found.source.title == "caf\ufffd \ufffd"
        assert found.source.name == str(tmp_path / "caf\ufffd \ufffd.txt")
        assert found.source.path.read_bytes() == os.fsencode(name)


def test_a_folder_that_cannot_be_listed_is_an_error_and_one_inside_is_counted(
    tmp_path, monkeypatch
):
    make(tmp_path, "a.txt", "closed/b.txt")
    scandir = os.scandir

    def guarded(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    log = ReadLog()
    assert [found.source.title for found in find(tmp_path, log=log)] == ["a"]
    closed = str(tmp_path / "closed")
    assert log.examples == [(closed, "cannot be read", "cannot be read (Permission denied)")]
    with pytest.raises(ReadError, match=r"closed: cannot be read \(Permission denied\)$"):
        find(closed)
    with pytest.raises(ReadError, match="Permission denied"):
        find(tmp_path, on_bad="stop")
    assert find(closed, on_bad="skip") == []


def test_folders_may_be_deeper_than_python_recurses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    depth = 1100
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    Path("a.txt").write_text("deep")
    monkeypatch.chdir(tmp_path)
    try:
        assert titles(".") == ["d/" * depth + "a"]
    finally:
        for _ in range(depth):
            os.chdir("d")
        os.remove("a.txt")
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", r"^nowhere: cannot be read \(No such file or directory\)$"),
        ("nowhere.txt", r"cannot be read \(No such file or directory\)"),
        ("nowhere/*.txt", r"^nowhere: cannot be read \(No such file or directory\)$"),
        ("x" * 300, r"x: cannot be read \(File name too long\)"),
        ("a\0b", r"a\ufffdb: cannot be read \(.*null"),
        ("\ud800", r"\ufffd: cannot be read \(.*encode"),
        ("a\nb.txt", r"a\ufffdb.txt: cannot be read"),
    ],
)
def test_what_is_not_there_is_said(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError, match=message) as caught:
        find(path)
    assert "\n" not in str(caught.value)
    log = ReadLog()
    assert find(path, log=log, on_bad="skip") == []
    assert log.skipped == {"cannot be read": 1}


@pytest.mark.parametrize("path", ["", 5, None, b"", 1.5])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InputError, match="a path is the name of a file or folder, a glob or '-'"):
        find(path)


def test_a_file_of_unknown_kind_needs_a_format(tmp_path):
    make(tmp_path, "a.xyz", "README")
    with pytest.raises(ReadError, match=r"by the extension '.xyz': choose one with format \(text"):
        find(tmp_path / "a.xyz")
    with pytest.raises(ReadError, match="README: no format is known by a name without extension"):
        find(tmp_path / "README")
    [found] = find(tmp_path / "README", format="markdown")
    assert (found.source.title, found.format) == ("README", "markdown")
    log = ReadLog()
    assert find(tmp_path / "README", log=log, on_bad="skip") == []
    assert log.skipped == {"unknown extension": 1}
