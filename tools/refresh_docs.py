"""Write into Markdown what its commands print: `python tools/refresh_docs.py FILE…`.

Only ```console blocks and doctest examples are touched. Look at the difference before committing.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from console import commands_in, run


def refresh(path: Path, folder: Path) -> None:
    """Run the commands of one file, in order, in one folder, and put their output in place."""
    text, at = path.read_text(encoding="utf-8"), 0
    for command, output in commands_in(text):
        printed = "\n".join(line.rstrip() for line in run(command, folder).splitlines())
        fresh = f"{printed.strip(chr(10))}\n" if printed.strip() else ""
        text, at = _put(text, at, f"$ {command}\n", output, fresh)
    os.chdir(folder)
    names: dict[str, object] = {}
    at = 0
    for example in doctest.DocTestParser().get_examples(text):
        shown = io.StringIO()
        with redirect_stdout(shown):
            exec(compile(example.source, str(path), "single"), names)  # noqa: S102
        first, *rest = example.source.splitlines()
        source = "".join([f">>> {first}\n", *(f"... {line}\n" for line in rest)])
        fresh = re.sub(r"^$", "<BLANKLINE>", shown.getvalue().rstrip("\n"), flags=re.MULTILINE)
        fresh = f"{fresh}\n" if shown.getvalue() else ""
        text, at = _put(text, at, source, example.want, fresh)
    path.write_text(text, encoding="utf-8")


def _put(text: str, at: int, source: str, old: str, new: str) -> tuple[str, int]:
    """Replace what follows the next `source`, and say where that ends."""
    start = text.index(source + old, at) + len(source)
    return text[:start] + new + text[start + len(old) :], start + len(new)


def main() -> None:
    """Refresh every file named."""
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            refresh(path, Path(folder))


if __name__ == "__main__":
    main()
