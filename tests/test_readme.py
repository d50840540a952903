"""The README stays short, every command is listed, and links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import permutopic
from permutopic.cli import command_line

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_is_read_in_a_minute():
    lines = read("README.md").splitlines()
    assert len(lines) <= 120
    assert [line for line in lines if len(line) > 100] == []


def test_every_command_is_listed():
    text = read("docs/guide/commands.md")
    assert [c for c in command_line.list_commands(None) if f"\npermutopic {c} " not in text] == []


def test_every_link_to_a_file_leads_to_one():
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []


def test_every_page_is_in_the_index():
    folder = ROOT / "docs"
    linked = set(re.findall(r"\]\(([\w/]+\.md)\)", read("docs/README.md")))
    assert linked == {p.relative_to(folder).as_posix() for p in folder.rglob("*.md")} - {
        "README.md"
    }


def test_what_is_cited_is_this_version():
    assert f"\nversion: {permutopic.__version__}\n" in read("CITATION.cff")
