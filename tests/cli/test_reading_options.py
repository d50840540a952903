"""Options about reading: each has its effect, and wrong ones are one line."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from permutopic import ContentModel
from permutopic.cli import command_line
from permutopic.cli.reading_options import _OPTIONS, reading_options, take_corpus_settings
from permutopic.ingest import inspection, pipeline

RUN = [sys.executable, "-c", "from permutopic.cli import main; main()"]
WIKI = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/"><siteinfo><namespaces>
<namespace key="0"/><namespace key="14">Category</namespace></namespaces></siteinfo>
<page><title>Iron</title><ns>0</ns><id>1</id><revision><text>A metal. [[Category:Metals]]</text>
</revision></page>
<page><title>Oak</title><ns>0</ns><id>2</id><revision><text>A tree. [[Category:Trees]]</text>
</revision></page></mediawiki>"""
FILES = {
    "notes.txt": "The 3 mills. The mills stand at http://example.org now.\n\nOld.",
    "page.md": "# Page\n\n## Top\n\n### Low\n\nOne two three four five six.",
    "latin.text": "café au lait, and the mills".encode("latin-1"),
    "flat.jsonl": '{"name": "x", "body": "One."}\n{"name": "y", "body": "Two."}\n',
    "sections.jsonl": '{"title": "x", "parts": [{"head": "H", "kind": "k", "paras": ["One."]}]}',
    "rows.csv": "doc,title,text\n1,A,One.\n1,A,Two.\n2,B,Three.\n",
    "bad.ndjson": '{"text": "One."}\n{\n',
    "long.md": "x " * (1 << 20),
    "wiki.xml": WIKI,
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "stop.txt").write_text("\ufeffthe MILLS\nat")
    (tmp_path / "shouting.py").write_text(
        "def split(text): return text.upper().split()\nclass Inner:\n    cut = str.split\n"
        "number = 5\n"
    )
    (tmp_path / "faulty.py").write_text("import json\njson.no_such_name\n")
    (tmp_path / "broken.py").write_text("1 +")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values(found, *names):
    for name in names:
        found = found[name]
    return found


EFFECTS = [
    ("page.md", ["--format", "text"], ["headings"], {}),
    ("latin.text", ["--encoding", "latin-1"], ["words"], 6),
    ("latin.text", ["--errors", "replace"], ["words"], 6),
    ("latin.text", ["--errors", "ignore"], ["words"], 6),
    (".", ["--include", "*.md", "--include", "n*.txt", "--exclude", "l*"], ["documents"], 2),
    ("flat.jsonl", ["--title-field", "name", "--text-field", "body", "--title", "^x"],
     ["documents"], 1),
    ("wiki.xml", ["--category", "^Met"], ["documents"], 1),
    ("page.md", ["--heading-depth", "2"], ["headings"], {"Low": 1}),
    ("page.md", [], ["headings"], {"Top": 1}),
    ("long.md", ["--max-mb", "3"], ["documents"], 1),
    ("bad.ndjson", ["--on-bad", "skip"], ["documents"], 1),
    ("sections.jsonl", ["--sections-field", "parts", "--heading-field", "head", "--label-field",
                        "kind", "--paragraphs-field", "paras"], ["headings"], {"H": 1}),
    ("rows.csv", ["--document-field", "doc"], ["documents"], 2),
    ("notes.txt", ["--unit", "sentence"], ["units"], 3),
    ("notes.txt", ["--unit", "line"], ["units"], 2),
    ("notes.txt", ["--unit", "section"], ["units"], 1),
    ("page.md", ["--unit", "window", "--window", "4"], ["units"], 2),
    ("page.md", ["--unit", "window", "--window", "4", "--step", "1"], ["units"], 3),
    ("notes.txt", ["--min-words", "2"], ["merged"], 1),
    ("notes.txt", ["--min-words", "2", "--short", "drop"], ["dropped"], 1),
    ("notes.txt", [], ["words"], 11),
    ("notes.txt", ["--tokens", "whitespace"], ["words"], 10),
    ("notes.txt", ["--tokens", "shouting:split"], ["settings", "tokens", "split", "function"],
     "shouting:split"),
    ("notes.txt", ["--tokens", "shouting:Inner.cut"], ["words"], 10),
    ("notes.txt", ["--fold-urls"], ["words"], 10),
    ("notes.txt", ["--fold-numbers", "--unit", "sentence"], ["vocabulary"], 9),
    ("notes.txt", ["--language", "fr"], ["settings", "tokens", "language"], "fr"),
    ("notes.txt", ["--stop-words", "stop.txt"], ["words"], 6),
    ("notes.txt", ["--stop-words", "language", "--language", "en"],
     ["settings", "tokens", "stop"], "language"),
    ("page.md", ["--stem", "--language", "en"], ["settings", "tokens", "stem"], True),
    ("rows.csv", ["--min-df", "1.0", "--document-field", "doc", "--on-bad", "skip"], None, None),
    ("flat.jsonl", ["--text-field", "body", "--max-df", "1"], ["vocabulary"], 2),
    ("flat.jsonl", ["--text-field", "name", "--min-df", "0.5"], ["vocabulary"], 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options", "where", "expected"), EFFECTS, ids=[" ".join(e[1]) or e[0] for e in EFFECTS]
)
def test_each_option_has_its_effect(run, folder, name, options, where, expected):
    code, out, err = run("inspect", name, "--json", *options)
    if where is None:
        assert (code, out) == (2, "")
        assert "--min-df 1.0 and --max-df 1.0 leave no word: there are 2 documents" in err
    else:
        assert (code, err) == (0, "")
        assert values(json.loads(out), *where) == expected


def test_no_option_is_without_a_test():
    @reading_options
    def command(**_):
        pass

    declared = {p.opts[0] for p in command.__click_params__}
    assert len(declared) == len(_OPTIONS)
    assert declared == {o for _, options, *_ in EFFECTS for o in options if o.startswith("--")}
    assert all(isinstance(p, click.Option) and p.help for p in command.__click_params__)


WRONG = [
    ("latin.text", [], "byte 3 (0xe9) in line 1 is not UTF-8: name the encoding"),
    ("page.md", ["--format", "odt"], "'odt' is not one of 'text', 'markdown'"),
    ("page.md", ["--encoding", "utf-7"], "the encoding 'utf-7' is not one of text"),
    ("page.md", ["--errors", "guess"], "'guess' is not one of"),
    ("page.md", ["--title", "("], "the title filter '(' is not a regular expression"),
    ("page.md", ["--category", "[z-a]"], "the category filter '[z-a]' is not a regular"),
    ("page.md", ["--heading-depth", "0"], "depth (of headings) must be a whole number"),
    ("page.md", ["--max-mb", "0"], "--max-mb (the longest document, in MiB) must be"),
    ("page.md", ["--max-mb", "much"], "'much' is not a valid integer"),
    ("long.md", ["--max-mb", "1"], "long.md: longer than 1 MiB"),
    ("bad.ndjson", [], "bad.ndjson:2: this line cannot be read as JSON"),
    ("page.md", ["--title-field", ""], "--title-field must be a name, not ''"),
    ("page.md", ["--unit", "page"], "'page' is not one of"),
    ("page.md", ["--unit", "window", "--window", "0"], "--window (in words) must be a whole"),
    ("page.md", ["--unit", "window", "--step", "101"], "--step must not be longer than the window"),
    ("page.md", ["--window", "50"], "--window and --step are for --unit window"),
    ("page.md", ["--unit", "line", "--step", "5"], "--window and --step are for --unit window"),
    ("page.md", ["--tokens", "os:getcwd"], ":getcwd failed on '"),
    ("page.md", ["--min-words", "99", "--short", "drop"], "has a unit of 99 words: lower"),
    ("page.md", ["--category", "x"], "category not asked for (1); "),
    ("page.md", ["--min-words", "-1"], "--min-words must be a whole number"),
    ("page.md", ["--tokens", "letters"], "tokens are one of words, whitespace, ascii, not 'let"),
    ("page.md", ["--tokens", "nowhere:f"], "--tokens nowhere:f: no such function (ModuleNotFound"),
    ("page.md", ["--tokens", "shouting:no"], "--tokens shouting:no: no such function (Attribute"),
    ("page.md", ["--tokens", "shouting:number"], "--tokens shouting:number: that is no function"),
    ("page.md", ["--tokens", "faulty:f"], "--tokens faulty:f: no such function (AttributeError"),
    ("page.md", ["--tokens", "broken:f"], "--tokens broken:f: no such function (SyntaxError"),
    ("page.md", ["--tokens", ":f"], "--tokens :f: no such function (ValueError"),
    ("page.md", ["--tokens", ".a:f"], "--tokens .a:f: no such function (TypeError"),
    ("page.md", ["--tokens", "builtins:len"], "builtins:len must give a list of strings, not 28"),
    ("page.md", ["--language", "?"], "a language is a code such as en, fr or zh, not '?'"),
    ("page.md", ["--stem"], "stop words and stems by language need a language"),
    ("page.md", ["--stem", "--language", "zh"], "there are no Snowball stems for 'zh'"),
    ("page.md", ["--stop-words", "nowhere"], "nowhere: the stop words cannot be read (No such"),
    ("page.md", ["--stop-words", "latin.text"], "latin.text: byte 3 is not UTF-8"),
    ("page.md", ["--stop-words", "."], ".: the stop words cannot be read (Is a directory)"),
    ("page.md", ["--min-df", "few"], "--min-df is a whole number of documents or a share"),
    ("page.md", ["--max-df", "1.5"], "--max-df must be a share between 0 and 1"),
    ("page.md", ["--min-df", "0"], "--min-df must be a whole number of at least 1, or a share"),
    ("page.md", ["--min-df", ""], "--min-df is a whole number of documents or a share"),
]


@pytest.mark.parametrize(("name", "options", "message"), WRONG)
def test_a_wrong_value_is_one_line_and_exit_code_2(run, folder, name, options, message):
    code, out, err = run("inspect", name, *options)
    assert (code, out) == (2, "")
    assert err.startswith("permutopic: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_the_path_of_modules_is_as_before(run, folder):
    before = list(sys.path)
    for name in ("shouting:split", "nowhere:f"):
        run("inspect", "page.md", "--tokens", name)
        assert sys.path == before


@pytest.fixture
def mixed(tmp_path):
    """A folder of several formats, whose documents have something in common."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    beach, hill = "salt sea waves sand and the shore {}", "hills snow rocks ice and the peak {}"
    for n in range(3):
        (folder / f"{n}.txt").write_text(f"{beach.format(n)}\n\n{hill.format(n)}")
        (folder / f"{n}.html").write_text(
            f"<h1>Place {n}</h1><h2>A</h2><p>{beach.format(n + 10)}<h2>B</h2><p>{hill.format(n)}"
        )
    (folder / "more.md").write_text(f"# More\n\n{beach.format(20)}\n\n{hill.format(20)}")
    records = [
        {"title": f"r{n}", "text": f"{beach.format(n)} r\n\n{hill.format(n)}"} for n in (1, 2)
    ]
    (folder / "records.jsonl").write_text("\n".join(map(json.dumps, records)))
    return folder


def test_a_folder_of_all_sorts_is_fitted(run, mixed, tmp_path):
    options = ["-k", 2, "--sweeps", 20, "--unit", "paragraph", "--min-df", 2]
    code, out, err = run("fit", mixed, *options, "-o", tmp_path / "m")
    assert (code, err) == (0, "")
    assert "9 documents, 18 units" in out
    model = ContentModel.load(tmp_path / "m")
    assert model.titles_ == (
        "Place 0", "0", "Place 1", "1", "Place 2", "2", "More", "r1", "r2",
    )  # fmt: skip
    assert model.tokens_.min_df == 2
    assert "sea" in model.vocabulary_


def test_a_function_for_tokens_is_named_in_the_model(run, mixed, folder):
    code, _, err = run(
        "fit", mixed, "-k", 2, "--sweeps", 2, "--tokens", "shouting:split", "-o", "m"
    )
    assert (code, err) == (0, "")
    description = json.loads((folder / "m" / "model.json").read_text())
    assert description["corpus"]["tokens"]["split"] == {"function": "shouting:split"}
    assert "SEA" in description["vocabulary"]


def test_a_pipeline_ends_in_a_whole_model_or_in_none(mixed, tmp_path):
    text = (mixed / "records.jsonl").read_bytes()
    for content, whole in ((text, True), (text[:-5], False)):
        done = subprocess.run(
            [*RUN, "fit", "-", "--format", "jsonl", "-k", "2", "--sweeps", "2", "-o", "m"],
            input=content,
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert done.returncode == (0 if whole else 2)
        left = sorted(p.name for p in tmp_path.iterdir() if p.name != "mixed")
        assert left == (["m"] if whole else [])
        if whole:
            assert ContentModel.load(tmp_path / "m").titles_ == ("r1", "r2")
            for path in (tmp_path / "m").iterdir():
                path.unlink()
            (tmp_path / "m").rmdir()
        else:
            assert done.stderr.count(b"\n") == 1


def test_names_that_are_not_unicode_are_saved_with_a_model(run, mixed, tmp_path):
    with open(bytes(mixed) + b"/caf\xe9.txt", "wb") as file:
        file.write(b"salt sea waves\n\nhills snow rocks")
    code, _, err = run("fit", mixed, "-k", 2, "--sweeps", 2, "-o", tmp_path / "m")
    assert (code, err) == (0, "")
    assert "caf\ufffd" in ContentModel.load(tmp_path / "m").titles_


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        ("fit", ["-k", "3", "-o", "model"], -1),
        ("fit", ["-k", "3", "-o", "model", "--jobs", "1"], 1),
        ("compare", ["-k", "3", "--jobs", "3"], 3),
        ("run", ["--jobs", "-1", "full"], -1),
        ("choose-k", [], -1),
        ("evaluate", ["-k", "3", "--jobs", "2"], 2),
    ],
)
def test_corpora_are_read_on_all_cores_if_jobs_are_not_given(command, arguments, expected):
    context = command_line.get_command(None, command).make_context(command, [*arguments, "folder"])
    with context:
        settings = take_corpus_settings(dict(context.params))
    assert settings.n_jobs == expected


def test_jobs_of_reading_are_passed_on(run, monkeypatch, places_folder):
    given = []
    real = pipeline.Ingest

    def ingest(paths, options, n_jobs):
        given.append(n_jobs)
        return real(paths, options, n_jobs)

    monkeypatch.setattr(pipeline, "Ingest", ingest)
    monkeypatch.setattr(inspection, "Ingest", ingest)
    assert run("inspect", places_folder, "--jobs", "3")[0] == 0
    assert run("inspect", places_folder)[0] == 0
    assert run("run", "even", places_folder, "-k", "3")[0] == 0
    assert given == [3, -1, -1]
