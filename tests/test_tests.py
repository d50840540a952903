"""Every test can fail: it asserts something, itself or by a helper that does."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parent
EXPECTATIONS = {"raises", "warns", "fail", "assert_array_equal", "assert_allclose"}


def functions_of(tree):
    return {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}


def name_of(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def asserts(function, helpers, seen=frozenset()):
    """Tell whether a function asserts, or calls a function of the tests that does."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = name_of(node)
            known = name in helpers and name not in seen
            if name in EXPECTATIONS or (known and asserts(helpers[name], helpers, seen | {name})):
                return True
    return False


def test_every_test_asserts_something():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FOLDER.rglob("*.py")}
    shared = {}
    for path, tree in trees.items():
        if not path.name.startswith("test_"):
            shared |= functions_of(tree)
    silent = [
        f"{path.relative_to(FOLDER)}: {name}"
        for path, tree in trees.items()
        if path.name.startswith("test_")
        for name, function in functions_of(tree).items()
        if name.startswith("test_") and not asserts(function, shared | functions_of(tree))
    ]
    assert silent == []


def test_a_test_without_an_assertion_is_found():
    tree = ast.parse("def test_a():\n    run()\n\ndef test_b():\n    helper()\n")
    helper = functions_of(ast.parse("def helper():\n    assert run()"))
    assert [name for name, f in functions_of(tree).items() if asserts(f, helper)] == ["test_b"]
