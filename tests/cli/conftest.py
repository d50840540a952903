"""A model that the tests of several commands share; none of them changes it."""

from __future__ import annotations

import pytest

from permutopic import ContentModel, read_corpus

from by_hand import write_places


@pytest.fixture(scope="session")
def places(tmp_path_factory):
    """A folder of documents on places."""
    return write_places(tmp_path_factory.mktemp("commands") / "places")


@pytest.fixture(scope="session")
def model(places):
    """The folder of a model of them."""
    folder = places.parent / "model"
    ContentModel(4, n_sweeps=40, random_state=0).fit(read_corpus(places)).save(folder)
    return folder
