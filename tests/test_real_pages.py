"""Every reader's promise on manual pages that an installed system has."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from permutopic import ContentModel, InputWarning, read_corpus, read_documents
from permutopic.readers import ReadLog

from invariant import check


def folder_of(pages, name):
    if not any((pages / name).glob("open.2*")):
        pytest.skip(f"no {name} among the manual pages: is the package installed?")
    return pages / name


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("man2", ["NAME", "DESCRIPTION", "RETURN VALUE", "ERRORS", "SEE ALSO"]),
        ("fr/man2", ["NOM", "DESCRIPTION", "VALEUR RENVOYÉE", "ERREURS", "VOIR AUSSI"]),
    ],
)
def test_system_calls_are_read_with_their_sections_and_without_aliases(pages, name, headings):
    log = ReadLog()
    documents = list(read_documents(folder_of(pages, name), log=log))
    for document in documents:
        check(document)
        assert not document.source.lstrip().startswith(".so ")
    assert len({document.title for document in documents}) == len(documents) > 100
    assert sum(log.skipped.values()) > 50  # aliases, by links or by .so
    opened = next(document for document in documents if document.title == "open(2)")
    assert set(headings) <= {unit.heading for unit in opened.units}
    text = "\n".join(unit.text for document in documents for unit in document.units)
    assert "O_CREAT" in text
    assert ".SH" not in text


def test_the_outline_of_the_system_calls_goes_from_name_to_see_also(pages):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        corpus = read_corpus(folder_of(pages, "man2"))
    model = ContentModel(10, random_state=0, n_sweeps=60).fit(corpus)
    topics = np.concatenate(model.topics_)
    place = {
        heading: np.mean([t for t, h in zip(topics, corpus.headings, strict=True) if h == heading])
        for heading in ("NAME", "DESCRIPTION", "ERRORS", "SEE ALSO")
    }
    assert sorted(place, key=place.get) == ["NAME", "DESCRIPTION", "ERRORS", "SEE ALSO"]
