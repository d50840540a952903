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
    {"categorical", "checks", "extras"},
    {
        *("documents", "permutation", "mallows", "dirichlet", "streams", "slice_sampling"),
        *("storage", "exporting"),
    },
    {"text"},
    {"corpus", "prediction", "convergence"},
    {"inferred"},
    {"model", "readers", "metrics"},
    {"watching", "topics", "ordering", "alignment", "segmentation", "oddities", "baselines"},
    {"reading", "inspection", "estimator"},
    {"datasets"},
    {"experiments"},
    {"cli"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def part_of(module):
    return module.removeprefix("permutopic").removeprefix(".").split(".")[0]


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module == "permutopic":
                yield from (f"permutopic.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


FILES = [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    mine = path.relative_to(ROOT).with_suffix("").parts[0]
    for module in imports_of(path):
        if module == "permutopic" or module.startswith("permutopic."):
            other = part_of(module)
            if other != mine:
                assert LEVEL[other] < LEVEL[mine], f"{mine} must not import {module}"


def test_only_the_kernels_are_compiled():
    using = {p.name for p in FILES if any(m.split(".")[0] == "numba" for m in imports_of(p))}
    assert using == {"compile.py"}
    compiling = {p.name for p in FILES if "permutopic.model.compile" in set(imports_of(p))}
    assert compiling == {
        "elementary.py",
        "kernels.py",
        "span_table.py",
        "block_kernels.py",
        "scaled_kernels.py",
        "visit_kernels.py",
        "label_kernels.py",
        "place_kernels.py",
        "best_kernels.py",
        "infer_kernels.py",
        "loud_kernels.py",
        "page_kernels.py",
        "bisection_kernels.py",
        "c99_kernels.py",
        "content_hmm_kernels.py",
        "htmm_kernels.py",
        "order_search_kernels.py",
        "segment_kernels.py",
        "texttiling_kernels.py",
        "content_model.py",  # for the announcement alone
        "on_documents.py",  # likewise
        "method.py",  # likewise
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


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
