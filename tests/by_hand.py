"""What a model makes of a document, written by hand; and what tests of commands share."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import weakref

import numpy as np
from click.testing import CliRunner

from permutopic.corpus import DocumentTokens, EncodedDocument
from permutopic.documents import Document, Piece, Unit
from permutopic.results.inferred import Inferred
from permutopic.text.splitting import count_source_words


def make_encoded(words, offsets):
    """Make an encoded document of words and units alone."""
    n_units = len(offsets) - 1
    return EncodedDocument(
        title="t",
        location="t.txt",
        tokens=DocumentTokens(np.asarray(words, dtype=np.int32), np.asarray(offsets)),
        unknown=np.zeros(n_units, dtype=np.int64),
        source_words=np.diff(offsets),
        source_spans=np.full((n_units, 2), -1),
        headings=(None,) * n_units,
        labels=(None,) * n_units,
    )


def make_inferred(
    texts,
    topics,
    *,
    boundaries=None,
    probabilities=None,
    title="t",
    n_topics=None,
    spans=None,
    units=(),
):
    """Make what a model would give for texts; it is quite certain unless told otherwise."""
    topics = np.array(topics, dtype=np.int64)
    n_topics = n_topics or int(topics.max(initial=0)) + 1
    if probabilities is None:
        probabilities = np.eye(n_topics)[topics]
    if boundaries is None:
        boundaries = (topics[1:] != topics[:-1]).astype(float)
    if spans is None:
        spans = np.full((topics.size, 2), -1)
    probabilities = np.asarray(probabilities, dtype=float)
    words = np.array([count_source_words(text) for text in texts], dtype=np.int64)
    return Inferred(
        title=title,
        location=f"{title}.txt",
        seen=False,
        topics=topics,
        probabilities=probabilities,
        boundaries=np.asarray(boundaries, dtype=float),
        samples=topics[None, :],
        log_likelihood=-5.0,
        swaps=0,
        known_words=words,
        unknown_words=np.zeros_like(words),
        topic_scores=np.log(probabilities + 1e-9),
        background_scores=np.zeros(topics.size),
        source_words=words,
        source_spans=np.asarray(spans, dtype=np.int64),
        texts=tuple(texts),
        units=units,
    )


def read_like(texts, title="t", markup="**{}** &amp; "):
    """Make a document whose units stand in a source with markup, which is left out of the text."""
    source, units = "", []
    for text in texts:
        half = len(text) // 2
        opening, closing = markup.split("{}")
        begin = len(source) + len(opening)
        source += f"{opening}{text[:half]}{closing}{text[half:]}\n\n"
        middle = begin + half + len(closing)
        pieces = (
            Piece(text[:half], begin, begin + half),
            Piece(text[half:], middle, middle + len(text) - half),
        )
        units.append(Unit(text, pieces=pieces))
    return Document(title, tuple(units), f"{title}.md", source)


COAST, HILL, TOWN = "Salt sea waves, sand.", "Hills: snow, rocks & ice.", "Town hall, market."


def write_places(folder, n_documents=8):
    """Write Markdown files on places: each has a coast, hills and a town."""
    folder.mkdir(exist_ok=True)
    for n in range(n_documents):
        sections = [("Coast", COAST), ("Hills", HILL), ("Town", TOWN)]
        text = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections)
        (folder / f"{n}.md").write_text(f"# Place {n}\n\n{text} No {n}.\n", encoding="utf-8")
    return folder


def call(command, *arguments, stdin=None, columns=100):
    """Run a command and give what it prints; what `main` would print in one line is raised."""
    done = CliRunner().invoke(
        command,
        list(map(str, arguments)),
        input=stdin,
        env={"COLUMNS": str(columns)},
        standalone_mode=False,
    )
    if done.exception is not None:
        raise done.exception
    return done.stdout_bytes.decode()


def rows_of(printed):
    """Read JSON lines."""
    return [json.loads(line) for line in printed.splitlines()]


class Alive:
    """Gives documents as a model would, and knows how many of them are held at a time."""

    def __init__(self, n_documents):
        self.n_documents = n_documents
        self.most = 0
        self._held = weakref.WeakSet()

    def infer(self, documents, **settings):
        for _ in documents:
            for n in range(self.n_documents):
                inferred = make_inferred(["salt sea", "snow"], [0, 1], n_topics=4, title=f"t{n}")
                self._held.add(inferred)
                yield inferred
                del inferred
                self.most = max(self.most, len(self._held))


def run_on_terminal(command, columns):
    """Run a command whose standard error is a terminal; return its process, output and error."""
    terminal, theirs = pty.openpty()
    with subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(columns)},
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
        except OSError:
            pass  # the other end of the terminal is closed
        printed = process.stdout.read()
    os.close(terminal)
    return process, printed, shown
