"""Record what fits and tasks give, to show that a change of the code changes no result.

    python tools/record_results.py CORPORA FILE [--renamed OLD=NEW ...]
    python tools/record_results.py CORPORA FILE --against OTHER

CORPORA is a folder with elements_paper.jsonl.gz and man2_fr.jsonl.gz. Three corpora (the bundled
one is the third), three seeds, all variants and both samplers; for each fit the trace of the log
joint, topics, orders and ρ, what `infer` makes of new and fitted documents, `partial_fit`, and the
rows of `predict`, `segment`, `align`, `check` and `order`. Arrays and rows are kept as digests, so
two files agree only if every bit does. Run it on two commits, and compare the files.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic import ContentModel, cli, read_documents
from permutopic.datasets import elements_folder
from permutopic.ordering import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permutopic import Document

SEEDS = (0, 1, 2)
VARIANTS = ("full", "constrained", "uniform")
SWEEPS = {"blocked": 40, "paper": 15}
N_TOPICS, HELD_OUT, ADDED = 8, 6, 3


def digest(value: object) -> str:
    """Digest arrays bit by bit, and anything else as JSON."""
    whole = hashlib.sha256()
    for part in value if isinstance(value, list | tuple) else [value]:
        if isinstance(part, np.ndarray):
            whole.update(
                f"{part.dtype}{part.shape}".encode() + np.ascontiguousarray(part).tobytes()
            )
        else:
            whole.update(json.dumps(part, sort_keys=True).encode())
    return whole.hexdigest()[:16]


def corpora(folder: Path) -> Iterator[tuple[str, list[Document]]]:
    """Give the three corpora as documents."""
    yield "bundled", list(read_documents(elements_folder()))
    for name in ("elements_paper", "man2_fr"):
        yield name, list(read_documents(folder / f"{name}.jsonl.gz"))


def write_documents(documents: Sequence[Document], path: Path) -> None:
    """Write documents as JSON lines that the command line can read."""
    with path.open("w", encoding="utf-8") as file:
        for document in documents:
            sections: list[dict[str, Any]] = []
            for unit in document.units:
                if not sections or sections[-1]["heading"] != unit.heading:
                    sections.append({"heading": unit.heading, "paragraphs": []})
                sections[-1]["paragraphs"].append(unit.text)
            file.write(json.dumps({"title": document.title, "sections": sections}) + "\n")


def write_pieces(document: Document, path: Path) -> None:
    """Write the units of a document as loose pieces, in an order that says nothing."""
    texts = [unit.text for unit in document.units]
    with path.open("w", encoding="utf-8") as file:
        for number in np.random.default_rng(5).permutation(len(texts)).tolist():
            file.write(json.dumps({"id": str(number), "text": texts[number]}) + "\n")


def rows_of(renamed: dict[str, str], *arguments: object) -> list[object]:
    """Run a command and give its JSON rows; columns that were renamed go by their new names."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        cli.command_line.main([*map(str, arguments)], standalone_mode=False)
    rows = [json.loads(line) for line in output.getvalue().splitlines()]
    for row in rows:
        for unstable in ("seconds", "memory", "warnings", "corpus"):
            row.pop(unstable, None)
    return [{renamed.get(name, name): value for name, value in row.items()} for row in rows]


def record_fit(model: ContentModel) -> dict[str, object]:
    """Record what a fit has found."""
    state = model.state_
    return {
        "log joint": float(model.log_joint_trace_[-1]),
        "trace": digest(model.log_joint_trace_),
        "topics": digest([*model.topics_]),
        "orders": digest(model.orders_),
        "dispersion": digest(model.dispersion_),
        "state": digest([state.bag, state.inversions, state.dispersion, state.word_counts]),
        "names": list(model.topic_names_),
        "outline": digest([repr(entry.words) for entry in model.outline()]),
        "convergence": digest(model.convergence_.as_dict()),
    }


def record_inference(model: ContentModel, documents: Sequence[Document]) -> dict[str, str]:
    """Record what `infer` makes of documents, in both ways."""
    found = {}
    for way, settings in {"exact": {"n_samples": 40}, "fast": {"fast": True}}.items():
        arrays: list[object] = []
        for each in model.infer(documents, random_state=3, **settings):  # type: ignore[arg-type]
            arrays += [each.topics, each.probabilities, each.boundaries, each.samples]
            arrays += [each.topic_scores, each.background_scores, each.known_words]
            arrays += [repr(each.log_likelihood), each.swaps, each.seen]
        found[way] = digest(arrays)
    return found


def record_tasks(
    model: ContentModel, documents: list[Document], folder: Path, renamed: dict[str, str]
) -> dict[str, str]:
    """Record the rows of all tasks, by the command line."""
    saved, new, loose = folder / "model", folder / "new.jsonl", folder / "pieces.jsonl"
    model.save(saved)
    write_documents(documents, new)
    write_pieces(documents[0], loose)
    commands: dict[str, list[object]] = {
        "predict": ["predict", saved, new, "--probabilities"],
        "predict documents": ["predict", saved, new, "--documents"],
        "segment": ["segment", saved, new, "--max-words", 150, "--text"],
        "segment fitted": ["segment", saved],
        "align": ["align", saved, new],
        "align topic": ["align", saved, new, "--topic", 1],
        "align like": ["align", saved, new, "--like", "1:2"],
        "check": ["check", saved, new],
        "check fitted": ["check", saved],
        **{
            # "order places" in records: the name of the method before it was "positions".
            f"order {name}": ["order", saved, loose, "--method", method]
            for name, method in zip(("pairs", "places", "topics", "map"), METHODS, strict=True)
        },
    }
    return {
        name: digest(rows_of(renamed, *arguments, "--json")) for name, arguments in commands.items()
    }


def record(folder: Path, renamed: dict[str, str]) -> Iterator[tuple[str, dict[str, object]]]:
    """Fit and record, one combination after the other."""
    for name, documents in corpora(folder):
        fitted = documents[: -HELD_OUT - ADDED]
        added, held_out = documents[-HELD_OUT - ADDED : -HELD_OUT], documents[-HELD_OUT:]
        for seed in SEEDS:
            for variant in VARIANTS:
                for sampler, n_sweeps in SWEEPS.items():
                    model = ContentModel(
                        N_TOPICS,
                        variant=variant,
                        sampler=sampler,
                        n_sweeps=n_sweeps,
                        n_chains=1 + (seed == 1),
                        keep="all",
                        n_jobs=1 + (seed == 2),
                        random_state=seed,
                    ).fit(fitted)
                    found: dict[str, object] = record_fit(model)
                    found["infer"] = record_inference(model, [*held_out, *fitted[:2]])
                    # Relative paths: rows tell where a document was read.
                    with tempfile.TemporaryDirectory() as room, contextlib.chdir(room):
                        found |= record_tasks(model, held_out, Path(), renamed)
                    model.partial_fit(added, n_sweeps=3)
                    found["partial_fit"] = record_fit(model)
                    model.merge_topics([0, 1])
                    found["merged"] = record_inference(model, held_out[:2])
                    yield f"{name}, seed {seed}, {variant}, {sampler}", found


def record_reading(folder: Path, renamed: dict[str, str]) -> dict[str, object]:
    """Record what `inspect` and `evaluate` tell of a corpus."""
    path = folder / "elements_paper.jsonl.gz"
    settings = ["--min-words", 8, "--fold-numbers", "--min-df", 2, "--json"]
    return {
        "inspect": digest(rows_of(renamed, "inspect", path, *settings)),
        "evaluate": digest(rows_of(renamed, "evaluate", path, "-k", 8, "--sweeps", 20, *settings)),
    }


def differences(old: dict[str, Any], new: dict[str, Any], where: str = "") -> list[str]:
    """Name everything that is not the same in two records."""
    found = [f"{where}{key} is in one alone" for key in sorted(old.keys() ^ new.keys())]
    for key in sorted(old.keys() & new.keys()):
        if isinstance(old[key], dict):
            found += differences(old[key], new[key], f"{where}{key} / ")
        elif old[key] != new[key]:
            found.append(f"{where}{key}: {old[key]} and {new[key]}")
    return found


def main() -> None:
    """Record, and compare if asked to."""
    parser = argparse.ArgumentParser(description="Record what fits and tasks give.")
    parser.add_argument("corpora", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--against", type=Path, help="a record of another commit")
    parser.add_argument("--renamed", nargs="*", default=[], metavar="OLD=NEW", help="columns")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    renamed = dict(pair.split("=") for pair in asked.renamed)
    found: dict[str, Any] = {"reading": record_reading(asked.corpora, renamed)}
    for name, values in record(asked.corpora, renamed):
        found[name] = values
        print(name, f"{values['log joint']:.4f}", flush=True)
    asked.file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if asked.against:
        unlike = differences(json.loads(asked.against.read_text(encoding="utf-8")), found)
        n_values = sum(len(values) for values in found.values())
        print(f"{n_values} results of {len(found)} runs compared: {len(unlike)} differ")
        print("\n".join(unlike))
        sys.exit(bool(unlike))


if __name__ == "__main__":
    main()
