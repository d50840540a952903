"""How often `check` finds planted anomalies, and its false alarms.

    python benchmarks/checking.py CORPORA [--seeds 0 1 2] [--only NAME …]

CORPORA is a folder with cities_en, elements_paper, wikivoyage_en, man2_en (.jsonl.gz); "elements"
are the bundled articles. A model is fitted to three quarters of the documents, and up to 40 of the
others are checked four ways: unchanged; with a paragraph of another kind of document inserted, one
for each other corpus; with a paragraph moved into the middle of another section; with a whole
section moved by at least two sections. Documents drawn from the model's own distribution of orders
give the rate of misplaced topics by chance.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from permutopic import ContentModel, InputWarning, read_documents
from permutopic.anomalies import Checker, DocumentCheck, check_structure, make_checker
from permutopic.datasets import elements_folder
from permutopic.mallows import draw_inversions
from permutopic.permutation import inversions_to_order

TOPICS = {"elements": 8, "elements_paper": 10, "man2_en": 10, "wikivoyage_en": 10, "cities_en": 10}
# Corpora so similar that a paragraph of one is not unusual in the other.
ALIKE = ({"elements", "elements_paper"}, {"wikivoyage_en", "cities_en"})
N_TESTED, N_DRAWN, WORDS = 40, 400, 25
Sections = list[list[str]]


def read(name: str, corpora: Path) -> list[Sections]:
    """Read documents as sections of paragraphs."""
    path = elements_folder() if name == "elements" else corpora / f"{name}.jsonl.gz"
    found = []
    for document in read_documents(path):
        sections: Sections = []
        heading: object = object()
        for unit in document.units:
            if unit.heading != heading:
                sections.append([])
                heading = unit.heading
            sections[-1].append(unit.text)
        found.append(sections)
    return found


def flat(sections: Sections) -> list[str]:
    """List the paragraphs of a document."""
    return [paragraph for section in sections for paragraph in section]


def is_long(paragraph: str) -> bool:
    """Return whether a paragraph is long enough to be reported."""
    return len(paragraph.split()) >= WORDS


class Trial:
    """One model, and the findings in held-out documents."""

    def __init__(self, documents: list[Sections], n_topics: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        order = self.rng.permutation(len(documents))
        n_held = len(documents) // 4
        self.held = [documents[d] for d in order[:n_held]][:N_TESTED]
        fitted = [flat(documents[d]) for d in order[n_held:]]
        self.model = ContentModel(n_topics, random_state=seed).fit(fitted)
        model = self.model
        self.checker: Checker = make_checker(
            model.outline(1), model.bags_, model.dispersion_, model.titles_, model.topics_
        )

    def check(self, documents: list[list[str]]) -> list[tuple[DocumentCheck, Any]]:
        """Infer and check documents given as paragraphs."""
        found = self.model.infer(documents, n_jobs=1)
        return [(self.checker.check(inferred), inferred) for inferred in found]

    def unchanged(self) -> dict[str, float]:
        """Compute the rates of findings in unchanged documents."""
        counts = {"units": 0, "unusual": 0, "other topic": 0}
        checks = self.check([flat(document) for document in self.held])
        for check, inferred in checks:
            words = inferred.known_words + inferred.unknown_words
            counts["units"] += int((words >= self.checker.thresholds.words).sum())
            for passage in check.passages or ():
                kind = "other topic" if passage.kind == "other topic" else "unusual"
                counts[kind] += passage.last_unit - passage.first_unit + 1
        return {
            "unusual, by chance": counts["unusual"] / counts["units"],
            "other topic, by chance": counts["other topic"] / counts["units"],
            "documents with misplaced": float(np.mean([bool(c.misplaced) for c, _ in checks])),
            "documents with missing": float(np.mean([bool(c.missing) for c, _ in checks])),
        }

    def planted(self, others: list[list[str]]) -> float:
        """Insert a paragraph of each other corpus into each document; return the share found."""
        texts, positions = [], []
        for document in self.held:
            for paragraphs in others:
                units = flat(document)
                position = int(self.rng.integers(len(units) + 1))
                units.insert(position, paragraphs[int(self.rng.integers(len(paragraphs)))])
                texts.append(units)
                positions.append(position)
        hits = [
            any(p.kind != "other topic" and includes(p, unit) for p in check.passages or ())
            for (check, _), unit in zip(self.check(texts), positions, strict=True)
        ]
        return float(np.mean(hits))

    def moved_paragraphs(self) -> float:
        """Move a paragraph into the middle of another section; return the share found."""
        texts, positions = [], []
        for document in self.held:
            long = [n for n, section in enumerate(document) if len(section) >= 2]
            pairs = [
                (n, unit, target)
                for n, section in enumerate(document)
                for unit, paragraph in enumerate(section)
                for target in long
                if target != n and is_long(paragraph)
            ]
            if pairs:
                n, unit, target = pairs[int(self.rng.integers(len(pairs)))]
                copy = [list(section) for section in document]
                paragraph = copy[n].pop(unit)
                inside = int(self.rng.integers(1, len(copy[target])))
                copy[target].insert(inside, paragraph)
                texts.append(flat(copy))
                positions.append(sum(map(len, copy[:target])) + inside)
        hits = [
            any(includes(found, unit) for found in (*(check.passages or ()), *check.misplaced))
            for (check, _), unit in zip(self.check(texts), positions, strict=True)
        ]
        return float(np.mean(hits))

    def moved_sections(self) -> float:
        """Move a section by at least two sections; return the share found."""
        texts, spans = [], []
        for document in self.held:
            n = len(document)
            pairs = [(a, b) for a in range(n) for b in range(n) if abs(a - b) >= 2]
            if pairs:
                source, target = pairs[int(self.rng.integers(len(pairs)))]
                copy = list(document)
                section = copy.pop(source)
                copy.insert(target, section)
                first = sum(map(len, copy[:target]))
                texts.append(flat(copy))
                spans.append(range(first, first + len(section)))
        hits = [
            any(includes(found, unit) for found in check.misplaced for unit in span)
            for (check, _), span in zip(self.check(texts), spans, strict=True)
        ]
        return float(np.mean(hits))

    def drawn(self) -> float:
        """Draw orders from the model for bags of fitted documents; return the share reported."""
        usage, expected = self.checker.usage, self.checker.expected
        hits = []
        for inversions in draw_inversions(usage.dispersion, self.rng, N_DRAWN):
            order = usage.used[inversions_to_order(inversions)]
            bag = usage.bags[int(self.rng.integers(len(usage.bags)))]
            found = check_structure("drawn", np.repeat(order, bag[order]), expected)
            hits.append(bool(found.misplaced))
        return float(np.mean(hits))


def includes(found: Any, unit: int) -> bool:
    """Return whether a finding includes a unit, counted from 0."""
    return bool(found.first_unit <= unit + 1 <= found.last_unit)


def main() -> None:
    """Run all corpora with all seeds, and print mean and standard deviation of each rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", default=list(TOPICS), choices=list(TOPICS))
    given = parser.parse_args()
    warnings.simplefilter("ignore", InputWarning)
    documents = {name: read(name, given.corpora) for name in TOPICS}
    for name in given.only:
        others = [
            [paragraph for document in documents[other] for paragraph in flat(document)
             if is_long(paragraph)]
            for other in TOPICS
            if other != name and {name, other} not in ALIKE
        ]  # fmt: skip
        rows = []
        for seed in given.seeds:
            trial = Trial(documents[name], TOPICS[name], seed)
            rows.append(
                {
                    "planted, found": trial.planted(others),
                    **trial.unchanged(),
                    "paragraph moved, found": trial.moved_paragraphs(),
                    "section moved, found": trial.moved_sections(),
                    "drawn, misplaced": trial.drawn(),
                }
            )
        print(name, flush=True)
        for what in rows[0]:
            values = [row[what] for row in rows]
            spread = np.std(values, ddof=min(1, len(values) - 1))
            print(f"  {what:<24} {np.mean(values):6.3f} ± {spread:.3f}")


if __name__ == "__main__":
    main()
