"""What reading costs: every reader beside a bare read of the same bytes; memory beside tokens.

    python benchmarks/reading.py CORPORA [--only PART ...] [--documents N] [--megabytes N]
                                         [--folder-megabytes N] [--processes N] [--json FILE]

CORPORA is a folder with cities_en.jsonl.gz. Its first documents are written in every format, and
each format is read three ways in turn: the bytes alone, the documents, the whole corpus (units
cut, words numbered). Then JSON lines of growing size, up to `--megabytes`, are read in processes of
their own: memory may grow with the token arrays, and not with the file. Then folders of many
files, and one file of JSON lines, are read in one process and in `--processes`, in turns.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import warnings
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permutopic import InputWarning, ReadOptions, read_corpus, read_documents

from formats import write_all, write_folder
from measuring import in_fresh_process, peak_gigabytes, take_turns

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = ReadOptions(max_mb=64)
PARTS = ("memory", "speeds", "processes")


def files_of(place: Path) -> list[Path]:
    """Give the files of a place, which may be one itself."""
    return sorted(place.iterdir()) if place.is_dir() else [place]


def read_bare(place: Path) -> int:
    """Read the bytes and do nothing with them."""
    return sum(len(file.read_bytes()) for file in files_of(place))


def count_documents(place: Path) -> int:
    """Read the documents one by one and keep none."""
    return sum(1 for _ in read_documents(place, LIMIT))


def read_whole(place: Path, n_jobs: int = 1) -> int:
    """Read a corpus, warnings left aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return read_corpus(place, options=LIMIT, n_jobs=n_jobs).n_tokens


def speeds(records: list[dict[str, Any]], folder: Path, repeats: int) -> list[dict[str, Any]]:
    """Measure every format and print a line for each."""
    print(f"{'format':<16} {'MB':>7}   MB/s: {'bare':>9} {'documents':>10} {'corpus':>8}   × bare")
    rows = []
    for name, place in write_all(records, folder).items():
        jobs: dict[str, Callable[[], object]] = {
            "bare": partial(read_bare, place),
            "documents": partial(count_documents, place),
            "corpus": partial(read_whole, place),
        }
        megabytes = read_bare(place) / 1e6
        times = take_turns(jobs, repeats)
        rate = {way: megabytes / spent for way, spent in times.items()}
        ratio = times["documents"] / times["bare"]
        print(
            f"{name:<16} {megabytes:>7.1f}         {rate['bare']:>9,.0f} "
            f"{rate['documents']:>10.1f} {rate['corpus']:>8.1f}   {ratio:,.0f}",
            flush=True,
        )
        rows.append({"format": name, "megabytes": megabytes, **rate, "documents / bare": ratio})
    return rows


def in_processes(
    records: list[dict[str, Any]], folder: Path, megabytes: float, n_jobs: int, repeats: int
) -> list[dict[str, Any]]:
    """Measure one process beside several, in turns."""
    print(f"{'a folder of':<16} {'MB':>6}   MB/s: one process   {n_jobs} processes   ratio")
    rows = []
    places = {name: folder / f"many {name}" for name in ("html", "markdown", "text")}
    for name, place in places.items():
        write_folder(records, name, place, megabytes)
    places["one jsonl file"] = folder / "many.jsonl"
    write_lines(records, places["one jsonl file"], megabytes)
    for name, place in places.items():
        size = read_bare(place) / 1e6
        times = take_turns(
            {"one": partial(read_whole, place), "several": partial(read_whole, place, n_jobs)},
            repeats,
        )
        rate = {way: size / spent for way, spent in times.items()}
        ratio = times["one"] / times["several"]
        print(
            f"{name:<16} {size:>6.1f} {rate['one']:>19.1f} {rate['several']:>13.1f} {ratio:>11.2f}",
            flush=True,
        )
        rows.append({"format": name, "megabytes": size, **rate, "ratio": ratio})
    return rows


def write_lines(records: list[dict[str, Any]], path: Path, megabytes: float) -> None:
    """Repeat the documents, each time with another title and its first words, up to a size."""
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for number, record in enumerate(cycle(records)):
            line = json.dumps({**record, "title": f"{record['title']} {number}"}) + "\n"
            file.write(line)
            size += len(line)
            if size >= megabytes * 1_000_000:
                return


def measure_memory(path: Path) -> dict[str, float]:
    """Read a corpus and say how much memory its arrays take, and how much was held at most."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        corpus = read_corpus(path, n_jobs=1)
    arrays = ("words", "unit_offsets", "document_offsets", "source_words", "source_spans")
    held = sum(getattr(corpus, name).nbytes for name in arrays) / 1e9
    return {
        "file": path.stat().st_size / 1e9,
        "tokens": corpus.words.nbytes / 1e9,
        "arrays": held,
        "peak": peak_gigabytes(),
    }


def memory(records: list[dict[str, Any]], folder: Path, megabytes: int) -> list[dict[str, float]]:
    """Measure files of a quarter, a half and all of a size."""
    print("GB: file   token array   all arrays   peak   less that of 1 MB   over arrays")
    rows = []
    path = folder / "big.jsonl"
    write_lines(records, path, 1)
    start = in_fresh_process(measure_memory, path)["peak"]
    for size in (megabytes // 4, megabytes // 2, megabytes):
        write_lines(records, path, size)
        found = in_fresh_process(measure_memory, path)
        grown = found["peak"] - start
        print(
            f"{found['file']:>8.3f} {found['tokens']:>13.3f} {found['arrays']:>12.3f} "
            f"{found['peak']:>6.3f} {grown:>19.3f} {grown - found['arrays']:>13.3f}",
            flush=True,
        )
        rows.append({**found, "start": start})
        path.unlink()
    return rows


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--folder-megabytes", type=float, default=50)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with gzip.open(given.corpora / "cities_en.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in islice(file, given.documents)]
    with tempfile.TemporaryDirectory() as folder:
        place, repeats = Path(folder), given.repeats
        parts: dict[str, Callable[[], object]] = {
            # Memory first: a process begins with the peak of the one that starts it.
            "memory": lambda: memory(records, place, given.megabytes),
            "speeds": lambda: speeds(records, place, repeats),
            "processes": lambda: in_processes(
                records, place, given.folder_megabytes, given.processes, repeats
            ),
        }
        result = {name: parts[name]() for name in PARTS if name in given.only}
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
