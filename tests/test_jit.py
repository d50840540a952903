from __future__ import annotations

import pytest

from permutopic import jit, jit_cache


def double(x):
    return 2 * x


def test_code_is_compiled_even_where_it_cannot_be_kept(monkeypatch):
    nowhere = jit_cache.CacheFolder(None, "no folder can be written", writable=False)
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: nowhere)
    assert jit.compiled(double)(4) == 8


def test_an_index_that_cannot_be_read_counts_as_empty(tmp_path):
    (tmp_path / "f.nbi").write_bytes(b"no index")
    assert (
        jit_cache._IndexFile(
            jit_cache.CacheFolder(tmp_path, ""), str(tmp_path), "f", "stamp"
        )._load_index()
        == {}
    )
