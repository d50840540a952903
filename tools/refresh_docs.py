"""Write into Markdown what its commands print: `python tools/refresh_docs.py FILE…`.

Only ```console blocks and doctest examples are touched. Look at the difference before committing.
"""

from __future__ import annotations

import doctest
import io
import os
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from console import commands_in, run


def refresh(path: Path, folder: Path) -> None:
    """Run the commands of one file, in order, in one folder, and put their output in place."""
    text = path.read_text(encoding="utf-8")
    for command, output in commands_in(text):
        printed = "\n".join(line.rstrip() for line in run(command, folder).splitlines())
        fresh = f"$ {command}\n" + (printed.strip("\n") + "\n" if printed.strip() else "")
        text = text.replace(f"$ {command}\n{output}", fresh, 1)
    os.chdir(folder)
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(text):
        shown = io.StringIO()
        with redirect_stdout(shown):
            exec(compile(example.source, str(path), "single"), names)  # noqa: S102
        prompt = [">>> ", *["... "] * (example.source.count("\n") - 1)]
        lines = example.source.splitlines()
        source = "".join(f"{mark}{line}\n" for mark, line in zip(prompt, lines, strict=True))
        text = text.replace(source + example.want, source + shown.getvalue(), 1)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Refresh every file named."""
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            refresh(path, Path(folder))


if __name__ == "__main__":
    main()
