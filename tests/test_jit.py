from __future__ import annotations

from permutopic import jit


def test_code_is_compiled_even_where_it_cannot_be_kept(monkeypatch):
    tried = []

    def njit(**options):
        tried.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(jit.numba, "njit", njit)
    assert jit.compiled(len) is len
    assert [options.get("cache", False) for options in tried] == [True, False]
