"""The same documents in every format, for measuring readers side by side."""

from __future__ import annotations

import csv
import json
from html import escape
from itertools import cycle
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape as xml_escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Record = dict[str, Any]


def sections(record: Record) -> Iterator[tuple[str, list[str]]]:
    """Give heading and paragraphs of each section, line breaks gone."""
    for section in record["sections"]:
        heading = " ".join(str(section["heading"]).split())
        yield heading, [" ".join(text.split()) for text in section["paragraphs"]]


def as_text(record: Record) -> str:
    """Write paragraphs and blank lines."""
    return "\n\n".join(text for _, texts in sections(record) for text in texts) + "\n"


def as_markdown(record: Record) -> str:
    """Write headings and paragraphs with the signs that Markdown gives a meaning to escaped."""
    lines = [f"# {record['title']}"]
    for heading, texts in sections(record):
        lines += [f"## {heading}", *(_plain_markdown(text) for text in texts)]
    return "\n\n".join(lines) + "\n"


def as_html(record: Record) -> str:
    """Write a page with a menu and a footer around the text."""
    body = [f"<h1>{escape(record['title'])}</h1>"]
    for heading, texts in sections(record):
        body += [f"<h2>{escape(heading)}</h2>", *(f"<p>{escape(text)}</p>" for text in texts)]
    return (
        "<!doctype html><html><head><meta charset=utf-8><title>x</title></head><body>"
        "<nav><a href=/>Home</a></nav><main>\n" + "\n".join(body) + "\n</main>"
        "<footer>Imprint</footer></body></html>\n"
    )


def as_man(record: Record) -> str:
    """Write a manual page."""
    lines = [f'.TH "{record["title"]}" 7']
    for heading, texts in sections(record):
        lines.append(f'.SH "{heading}"')
        for text in texts:
            lines += [".PP", "\\&" + text.replace("\\", "\\e")]
    return "\n".join(lines) + "\n"


def as_flat(record: Record) -> str:
    """Write one flat JSON line."""
    return json.dumps({"title": record["title"], "text": as_text(record)}) + "\n"


def as_page(record: Record) -> str:
    """Write one page of a MediaWiki dump."""
    text = []
    for heading, texts in sections(record):
        text += [f"== {heading} ==", *texts]
    return (
        f"<page><title>{xml_escape(record['title'])}</title><ns>0</ns><id>1</id><revision>"
        "<id>1</id><model>wikitext</model><text>"
        + xml_escape("\n\n".join(text).replace("{{", "{ {"))
        + "</text></revision></page>\n"
    )


def _plain_markdown(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>&#" else sign for sign in text)


# Formats of one document a file: extension and text.
SINGLE: dict[str, tuple[str, Callable[[Record], str]]] = {
    "text": (".txt", as_text),
    "markdown": (".md", as_markdown),
    "html": (".html", as_html),
    "man": (".7", as_man),
}


def write_folder(records: list[Record], name: str, folder: Path, megabytes: float) -> int:
    """Write a file for each record in a format, again and again up to a size; return the size."""
    extension, write = SINGLE[name]
    folder.mkdir()
    size = 0
    for number, record in enumerate(cycle(records)):
        content = write({**record, "title": f"{record['title']} {number}"}).encode()
        (folder / f"{number}{extension}").write_bytes(content)
        size += len(content)
        if size >= megabytes * 1_000_000:
            break
    return size


def write_all(records: list[Record], folder: Path) -> dict[str, Path]:
    """Write the records in every format, each in a folder of its own."""
    places = {name: folder / name for name in (*SINGLE, "docx")}
    for name, (extension, write) in SINGLE.items():
        places[name].mkdir()
        for number, record in enumerate(records):
            (places[name] / f"{number}{extension}").write_text(write(record), encoding="utf-8")
    places["docx"].mkdir()
    for number, record in enumerate(records):
        _write_docx(record, places["docx"] / f"{number}.docx")
    joined = {
        "jsonl, sections": ("sections.jsonl", lambda record: json.dumps(record) + "\n", "", ""),
        "jsonl, flat": ("flat.jsonl", as_flat, "", ""),
        "mediawiki": ("dump.xml", as_page, "<mediawiki>\n", "</mediawiki>\n"),
    }
    for name, (file_name, write, before, after) in joined.items():
        places[name] = folder / file_name
        text = before + "".join(map(write, records)) + after
        places[name].write_text(text, encoding="utf-8")
    places["csv"] = folder / "table.csv"
    with places["csv"].open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["title", "text"])
        writer.writerows([record["title"], as_text(record)] for record in records)
    places["parquet"] = folder / "table.parquet"
    _write_parquet(records, places["parquet"])
    return places


def _write_docx(record: Record, path: Path) -> None:
    from docx import Document  # noqa: PLC0415

    document = Document()
    document.add_heading(record["title"], 0)
    for heading, texts in sections(record):
        document.add_heading(heading, 1)
        for text in texts:
            document.add_paragraph("".join(c for c in text if c.isprintable()))
    document.save(str(path))


def _write_parquet(records: list[Record], path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns = {
        "title": [record["title"] for record in records],
        "text": [as_text(record) for record in records],
    }
    pq.write_table(pa.table(columns), path, row_group_size=32)
