"""Files and folders are written whole, or not at all."""

from __future__ import annotations

import stat

import pytest

from permutopic.errors import InputError
from permutopic.files import atomic_file, atomic_folder, check_empty, is_empty_folder


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def write_and_fail(write):
    write()
    raise ZeroDivisionError


def test_a_file_is_replaced_with_its_permissions(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_file(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert (path.read_text(), mode_of(path)) == ("new", 0o640)
    assert names_in(tmp_path) == ["a.csv"]


def test_a_link_to_a_file_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    with atomic_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_file_that_fails_half_way_leaves_the_old_one_and_no_litter(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_file(path) as file:
        write_and_fail(lambda: file.write(b"new"))
    assert (path.read_text(), names_in(tmp_path)) == ("old", ["a.csv"])


def test_a_file_in_no_folder_is_refused_by_name(tmp_path):
    path = tmp_path / "none" / "a.csv"
    with pytest.raises(InputError) as caught, atomic_file(path):
        pass
    assert str(caught.value) == f"{path}: cannot be written (No such file or directory)"


def test_a_folder_is_replaced_as_a_whole_with_the_permissions_of_what_stays(tmp_path):
    path = tmp_path / "deep" / "model"
    for text in ("old", "new"):
        with atomic_folder(path) as fresh:
            (fresh / "kept").write_text(text)
            (fresh / text).touch()
        if text == "old":
            path.chmod(0o750)
            (path / "kept").chmod(0o600)
    assert names_in(path) == ["kept", "new"]
    assert ((path / "kept").read_text(), mode_of(path / "kept")) == ("new", 0o600)
    assert mode_of(path) == 0o750
    assert names_in(path.parent) == ["model"]


def test_a_folder_that_fails_half_way_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), atomic_folder(tmp_path / "model") as fresh:
        write_and_fail((fresh / "a").touch)
    assert names_in(tmp_path) == []


def test_only_a_new_or_an_empty_folder_is_empty(tmp_path):
    check_empty(tmp_path / "none")
    check_empty(tmp_path)
    assert is_empty_folder(tmp_path)
    (tmp_path / "a").touch()
    for taken in (tmp_path, tmp_path / "a"):
        assert not is_empty_folder(taken)
        with pytest.raises(InputError, match="exists and is not empty: give a new folder"):
            check_empty(taken)
