from __future__ import annotations

import os

import numba
import pytest

from permutopic import compile_cache, jit
from permutopic.compile_cache import CacheFolder, choose_folder, source_digest


@pytest.fixture
def blocked(tmp_path):
    """A path below a regular file: not even root can write there."""
    (tmp_path / "file").write_text("")
    return tmp_path / "file"


def test_the_folder_that_is_named_comes_first(tmp_path):
    found = choose_folder(str(tmp_path / "given"), str(tmp_path / "user"), "s", package=tmp_path)
    assert found.path.parent == tmp_path / "given"
    assert found.reason == "NUMBA_CACHE_DIR names it"


def test_beside_the_source_then_the_users_then_a_temporary_one(tmp_path, blocked, monkeypatch):
    monkeypatch.setattr(compile_cache.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    user = str(tmp_path / "user")
    assert choose_folder("", user, "s", package=tmp_path).path.is_relative_to(tmp_path)
    assert choose_folder("", user, "s", package=blocked).path.parent == tmp_path / "user"
    last = choose_folder("", str(blocked), "s", package=blocked)
    assert last.temporary
    assert last.path.is_relative_to(tmp_path / "tmp")
    assert "which may be cleared" in last.until
    assert "NUMBA_CACHE_DIR" in last.warning


def test_a_temporary_folder_that_others_can_write_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(compile_cache.tempfile, "gettempdir", lambda: str(tmp_path))
    mine = compile_cache._temporary_folder()
    assert compile_cache._temporary_folder() == mine
    mine.chmod(0o770)
    assert compile_cache._temporary_folder() is None
    mine.chmod(0o700)
    assert compile_cache._temporary_folder() == mine
    monkeypatch.setattr(compile_cache.os, "getuid", lambda: 12345)
    mine.rename(tmp_path / "permutopic-12345")  # made by someone else, in advance
    assert compile_cache._temporary_folder() is None


def test_a_link_for_a_temporary_folder_is_refused(tmp_path, monkeypatch, blocked):
    monkeypatch.setattr(compile_cache.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / f"permutopic-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    found = choose_folder("", str(blocked), "s", package=blocked)
    assert (found.path, found.writable) == (None, False)
    assert "belongs to someone else" in found.warning
    assert "NUMBA_CACHE_DIR" in found.warning


def test_several_processors_share_a_folder_until_code_is_replaced(tmp_path):
    one, two = (CacheFolder(tmp_path, "", state=state) for state in ("one", "two"))
    one.set_done("fit")
    assert (one.has("fit"), two.has("fit")) == (True, False)
    two.set_done("fit")
    assert (one.has("fit"), two.has("fit")) == (True, True)
    two.unset_done()
    assert (one.has("fit"), two.has("fit")) == (False, False)


def test_a_read_only_folder_is_taken_if_it_is_complete(tmp_path, monkeypatch):
    full = choose_folder(str(tmp_path), str(tmp_path), "state")
    full.set_done("everything")
    monkeypatch.setattr(compile_cache, "_can_write", lambda path: path.name == "user")
    again = choose_folder(str(tmp_path), str(tmp_path), "state")
    assert (again.path, again.writable) == (full.path, False)
    assert choose_folder(str(tmp_path), str(tmp_path), "other processor").path != full.path


def test_without_a_folder_code_lasts_for_the_run():
    assert CacheFolder(None, "", writable=False).until == "for this run only"


def test_the_digest_changes_with_any_compiled_file(tmp_path):
    (tmp_path / "model" / "deep").mkdir(parents=True)
    kernel, other = tmp_path / "model" / "deep" / "kernel.py", tmp_path / "model" / "other.py"
    kernel.write_text("from permutopic.jit import compiled\n")
    other.write_text("x = 1\n")
    before = source_digest(tmp_path)
    other.write_text("x = 2\n")
    assert source_digest(tmp_path) == before
    kernel.write_text("from permutopic.jit import compiled  # changed\n")
    assert source_digest(tmp_path) != before


def test_settings_of_numba_stay_as_they_were():
    before = numba.config.SLP_VECTORIZE
    assert jit.compiled(lambda x: x + 1)(1) == 2
    assert numba.njit(lambda x: x + 2)(1) == 3
    assert before == numba.config.SLP_VECTORIZE
