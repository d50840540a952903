from __future__ import annotations

import hashlib
import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent
SOURCES = (path.read_bytes() for path in sorted((ROOT / "src" / "permutopic").rglob("*.py")))
COMPILED = (source for source in SOURCES if b"compiled" in source)
DIGEST = hashlib.sha256(b"".join(COMPILED)).hexdigest()[:16]
# numba notices when a function's own file has changed, but not one that it calls into: so
# compiled code is kept apart for each state of the sources that have any (jit.py among them).
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".pytest_cache" / "kernels" / DIGEST)

from permutopic import ContentModel, cli, read_corpus  # noqa: E402
from permutopic.model.generate import generate  # noqa: E402
from permutopic.model.priors import Priors, SubjectPriors  # noqa: E402

from by_hand import write_places  # noqa: E402

# No test asserts seconds: a busy machine is slow, not wrong.
settings.register_profile("permutopic", deadline=None)
settings.load_profile("permutopic")


def pytest_addoption(parser):
    parser.addoption(
        "--data", default=None, help="folder with corpora/ and reference/ to check against"
    )

    parser.addoption(
        "--pages", default=None, help="folder of installed manual pages (with man2 and fr/man2)"
    )


def pytest_terminal_summary(terminalreporter, config):
    if config.getoption("--data") is None:
        terminalreporter.section("NOT RUN: checks on real corpora (no --data FOLDER was given)")
    if config.getoption("--pages") is None:
        terminalreporter.section("NOT RUN: checks on real manual pages (no --pages FOLDER given)")
    if "not ladder" in config.getoption("-m"):
        terminalreporter.section("NOT RUN: the long statistical tests (make ladder runs them)")


@pytest.fixture(scope="session")
def data(request) -> Path:
    folder = request.config.getoption("--data")
    if folder is None:
        pytest.skip("needs real corpora: pytest --data FOLDER")
    path = Path(folder)
    if not (path / "corpora").is_dir():
        raise pytest.UsageError(f"--data {folder}: no folder corpora/ in it")
    return path


@pytest.fixture(scope="session")
def pages(request) -> Path:
    folder = request.config.getoption("--pages")
    if folder is None:
        pytest.skip("needs manual pages: pytest --pages FOLDER")
    return Path(folder)


@pytest.fixture
def drawn():
    """A small corpus drawn from the model, with the state it was drawn from and the priors."""
    priors = Priors.for_documents(6, topic=1.0, word=0.3)
    corpus, state = generate(
        4,
        priors,
        np.random.default_rng(3),
        n_documents=6,
        units=[5, 1, 7, 4, 6, 3],
        unit_words=6,
        n_words=20,
    )
    return corpus, state, priors


@pytest.fixture
def drawn_with_subjects():
    """The same with subject words."""
    rates = np.array([9, 5, 4, 3, 2, 2, 1, 1, 1]) / 28
    subject = SubjectPriors(rates, document=5.0, section=3.0)
    priors = Priors.for_documents(5, topic=1.0, word=0.3, subject=subject)
    corpus, state = generate(
        3,
        priors,
        np.random.default_rng(8),
        n_documents=5,
        units=[4, 1, 3, 5, 2],
        unit_words=5,
        n_words=9,
    )
    return corpus, state, priors


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line with arguments: exit code, standard output and error."""

    def call(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["permutopic", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli._run()
        return code, *capsys.readouterr()

    return call


@pytest.fixture(scope="session")
def places_folder(tmp_path_factory):
    """A folder of documents on places."""
    return write_places(tmp_path_factory.mktemp("commands") / "places")


@pytest.fixture(scope="session")
def places_model(places_folder):
    """The folder of a model of them, which no test changes."""
    folder = places_folder.parent / "model"
    ContentModel(4, n_sweeps=40, random_state=0).fit(read_corpus(places_folder)).save(folder)
    return folder
