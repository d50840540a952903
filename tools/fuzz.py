"""Feed readers with damaged files until something other than a clear error comes out.

    python tools/fuzz.py FORMAT SEEDS [--seconds N] [--found FOLDER]

SEEDS is a folder with good files of the format; FORMAT docx-body takes the XML inside. Guided by
coverage if atheris is installed (pip install atheris), else by chance. What finds something is
written to the folder `found`; make it a case in the tests of its reader.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import io
import random
import sys
import time
import traceback
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 20_000  # bytes; slowness shows at that length already
SLOW = 5.0  # seconds
# A reader may turn whatever a library stumbles over into a clear error, but not its own mistakes.
OUR_FAULTS = (AssertionError, AttributeError, IndexError, KeyError, RecursionError, TypeError)


def as_docx(content: bytes) -> bytes:
    """Put bytes into a Word file as its body: damage to the archive itself never gets that far."""
    packed = io.BytesIO()
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    names = "http://schemas.openxmlformats.org"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{names}/package/2006/content-types">'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{names}/package/2006/relationships"><Relationship Id="r" '
            f'Type="{names}/officeDocument/2006/relationships/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", content)
    return packed.getvalue()


WRAPPED: dict[str, Callable[[bytes], bytes]] = {"docx-body": as_docx}


def make_check(name: str) -> Callable[[bytes], None]:
    """Make the function that reads bytes and holds the documents to their promise."""
    sys.path.insert(0, str(ROOT / "tests" / "readers"))
    check = importlib.import_module("invariant").check
    errors = importlib.import_module("permutopic.errors")
    formats = importlib.import_module("permutopic.readers.formats")
    readers = importlib.import_module("permutopic.readers")
    source = importlib.import_module("permutopic.readers.source")
    units = importlib.import_module("permutopic.text.units")
    tokens = importlib.import_module("permutopic.text.tokens")
    wrap = WRAPPED.get(name, bytes)
    read = formats.FORMATS[name.removesuffix("-body")].reader()
    split = tokens.Tokens(fold_urls=True, fold_numbers=True).splitter()
    cuts = [units.Units(kind, window=7, min_words=2) for kind in units.KINDS]

    def run(content: bytes) -> None:
        stream = io.BufferedReader(io.BytesIO(wrap(content)))
        given = source.Source(None, "fuzz", "fuzz", stream)
        reading = readers.ReadOptions(max_mb=1, on_bad="skip")
        try:
            for document in read(given, reading, readers.ReadLog()):
                check(document)
                for cut in cuts:
                    for unit in cut.cut(document).units:
                        split(unit.text)
        except errors.InputError as error:
            if isinstance(error.__cause__, OUR_FAULTS):
                raise error.__cause__ from None
            if "\n" in str(error):
                raise AssertionError(f"more than a line: {error}") from error

    return run


def mutate(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """Damage a file: cut, repeat, swap, splice, and bytes put in at random."""
    data = bytearray(content[:LONGEST])
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + int(chance.expovariate(1 / 30)))
        way = chance.randrange(6)
        if way == 0:
            del data[at:to]
        elif way == 1:
            data[at:at] = data[at:to] * chance.choice([1, 2, 50])
        elif way == 2:
            begin = chance.randrange(len(other) + 1)
            data[at:to] = other[begin : begin + chance.randrange(200)]
        elif way == 3:
            data[at:to] = chance.randbytes(min(to - at, 8))
        elif way == 4:
            data[at:at] = bytes([chance.choice(b"<>&{}[]()'\"\\./=|*_`#\n\r\t \0\x80\xff")])
        else:
            del data[chance.randrange(len(data) + 1) :]
        del data[LONGEST:]
    return bytes(data)


def by_chance(
    run: Callable[[bytes], None], seeds: list[bytes], seconds: float, found: Path
) -> None:
    """Go on for so many seconds, and keep what breaks something or takes long."""
    chance = random.Random()  # noqa: S311
    end = time.monotonic() + seconds
    n = bad = 0
    while time.monotonic() < end:
        content = mutate(chance.choice(seeds), chance.choice(seeds), chance)
        began = time.monotonic()
        n += 1
        try:
            run(content)
            if time.monotonic() - began > SLOW:
                raise TimeoutError(f"{time.monotonic() - began:.0f} s")
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            bad += 1
            found.mkdir(parents=True, exist_ok=True)
            path = found / hashlib.sha256(content).hexdigest()[:16]
            path.write_bytes(content)
            print(f"{path}: {type(error).__name__}: {error}")
            traceback.print_exc(limit=-3)
            if bad > 20:
                break
    print(f"{n} inputs, {bad} of them found something")


def by_coverage(name: str, seeds: Path, seconds: float, found: Path) -> None:
    """Let atheris search; it ends the process itself."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["permutopic", "justhtml", "markdown_it"]):
        run = make_check(name)
        run(b"")
        for seed in seeds.iterdir():
            run(seed.read_bytes()[:LONGEST])
    found.mkdir(parents=True, exist_ok=True)
    grown = found / "corpus"
    grown.mkdir(exist_ok=True)
    flags = [f"-max_total_time={seconds:.0f}", f"-max_len={LONGEST}", f"-timeout={SLOW:.0f}"]
    flags += [f"-artifact_prefix={found}/", "-print_final_stats=1", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *flags, str(grown), str(seeds)], run)
    atheris.Fuzz()


def main() -> None:
    """Fuzz one reader."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("format")
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--found", type=Path, default=Path("found"))
    parser.add_argument("--by-chance", action="store_true")
    given = parser.parse_args()
    if find_spec("atheris") and not given.by_chance:
        by_coverage(given.format, given.seeds, given.seconds, given.found)
    else:
        seeds = [path.read_bytes() for path in given.seeds.iterdir() if path.is_file()]
        by_chance(make_check(given.format), seeds, given.seconds, given.found)


if __name__ == "__main__":
    main()
