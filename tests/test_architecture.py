"""Who may import whom, and what importing costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import permutopic

ROOT = Path(permutopic.__file__).parent

# Each part may import the parts above it in this list, and none below. Parts in one row are
# apart: `model` knows no reader and no metric.
LAYERS = [
    {"", "errors"},
    {"categorical", "checks", "compile_cache", "extras", "files"},
    {"jit_cache", "jit_instructions", "jit_linking"},
    {
        *("documents", "permutation", "mallows", "dirichlet", "streams", "slice_sampling"),
        *("jit", "storage", "threads"),
    },
    {"text", "compile_ahead"},
    {"corpus"},
    {"results"},
    {"model", "readers", "metrics"},
    {"ingest", "topics", "ordering", "anomalies", "baselines"},
    {"estimator"},
    {"datasets"},
    {"evaluation"},
    {"selection", "experiments"},
    {"warm_up"},
    {"cli"},
]
MODEL_LAYERS = [
    {"priors", "samplers"},
    {"burstiness", "kernels"},
    {"state"},
    {"joint", "generate", "posterior", "subjects"},
    {"mcmc"},
    {"paper", "cost"},
    {"blocked"},
    {"inference"},
    {"fitting", "extension"},
]


def imports_of(path):
    """Every module that a file imports, or imports names from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if (ROOT.parent / node.module.replace(".", "/")).is_dir():
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


FILES = [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def crossings(layers, package, folder):
    """Imports between the parts of a package that do not go from a row to one above it."""
    level = {part: row for row, parts in enumerate(layers) for part in parts}
    for path in sorted(folder.rglob("*.py")):
        if path == folder / "__init__.py":
            continue
        mine = path.relative_to(folder).with_suffix("").parts[0]
        for module in imports_of(path):
            if f"{module}.".startswith(f"{package}."):
                other = module.removeprefix(package).removeprefix(".").split(".")[0]
                if other != mine and level[other] >= level[mine]:
                    yield f"{path.relative_to(folder)} imports {module}"


def test_imports_go_one_way():
    assert list(crossings(LAYERS, "permutopic", ROOT)) == []


def test_imports_within_the_model_go_one_way():
    assert list(crossings(MODEL_LAYERS, "permutopic.model", ROOT / "model")) == []


def test_four_files_know_numba_and_compiled_code_is_in_its_rooms():
    using = {p.name for p in FILES if any(m.split(".")[0] == "numba" for m in imports_of(p))}
    assert using == {"jit.py", "jit_cache.py", "jit_instructions.py", "jit_linking.py"}
    compiling = {
        path.relative_to(ROOT).as_posix()
        for path in FILES
        if "\n@compiled\n" in path.read_text(encoding="utf-8")
    }
    rooms = ("model/kernels/", "model/paper/", "model/blocked/", "model/inference/", "baselines/")
    assert compiling
    assert all(name.startswith(rooms) for name in compiling)


def test_files_stay_small():
    lengths = {p.name: len(p.read_text(encoding="utf-8").splitlines()) for p in FILES}
    assert {name: lines for name, lines in lengths.items() if lines > 500} == {}


def test_no_two_classes_have_the_same_name():
    owners = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}


def loaded_by(code):
    script = f"{code}\nimport sys\nprint(' '.join(sys.modules))"
    command = [sys.executable, "-c", script]
    return set(subprocess.check_output(command, text=True).split())


def test_importing_the_package_imports_nothing_heavy():
    heavy = {"numpy", "scipy", "numba", "sklearn", "rich", "click", "safetensors"}
    assert loaded_by("import permutopic").isdisjoint(heavy)


def test_help_compiles_nothing_and_imports_no_numbers():
    code = (
        "import permutopic.cli as c\n"
        "c.command_line.main(['--help'], standalone_mode=False)\n"
        "c.command_line.main(['fit', '--help'], standalone_mode=False)"
    )
    assert loaded_by(code).isdisjoint({"numpy", "scipy", "numba", "sklearn"})


def test_every_public_name_is_there_and_documented():
    for name in permutopic.__all__:
        assert name.startswith("__") or getattr(permutopic, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = permutopic.nothing
    assert set(permutopic.__all__) <= set(dir(permutopic))
