"""Build the wheel, install it in an empty environment, and run it there.

An editable install hides a file that the wheel lacks; this does not.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SCRIPT = """
import permutopic, pathlib, tempfile
assert "site-packages" in permutopic.__file__, permutopic.__file__
assert pathlib.Path(permutopic.__file__).with_name("py.typed").is_file()
model = permutopic.ContentModel(2, n_sweeps=5, random_state=0).fit([["a b", "c d"], ["a", "d"]])
with tempfile.TemporaryDirectory() as folder:
    model.save(folder + "/model")
    again = permutopic.ContentModel.load(folder + "/model")
assert again.outline() == model.outline()
FILES = {
    "a.txt": "One.", "b.md": "# T\\n\\nOne.", "c.html": "<p>One.", "d.7": ".TH D 7\\n.SH X\\nOne.",
    "e.jsonl": '{"text": "One."}', "f.csv": "text\\nOne.",
}
with tempfile.TemporaryDirectory() as folder:
    for name, text in FILES.items():
        pathlib.Path(folder, name).write_text(text)
    read = [[unit.text for unit in d.units] for d in permutopic.read_documents(folder)]
    assert read == [["One."]] * len(FILES), read
    dump = pathlib.Path(folder, "g.xml")
    dump.write_text("<mediawiki><page><title>T</title><ns>0</ns><revision><text>x</text></revision>"
                    "</page></mediawiki>")
    try:
        list(permutopic.read_documents(dump))
        raise SystemExit("a dump was read without its extra")
    except permutopic.InputError as error:
        assert "permutopic[wiki]" in str(error), error
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command and stop with its output if it fails."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Check the wheel from build to first use."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", work, ROOT, cwd=work)
        [wheel] = work.glob("permutopic-*.whl")
        venv.create(work / "empty", with_pip=True)
        python = work / "empty" / "bin" / "python"
        constraints = ROOT / "constraints.txt"
        run(python, "-m", "pip", "install", "-q", "-c", constraints, wheel, cwd=work)
        run(python, "-c", SCRIPT, cwd=work)
        command = work / "empty" / "bin" / "permutopic"
        version = run(command, "--version", cwd=work).strip()
        shown = run(command, "demo", cwd=work)
        if "Held against the headings" not in " ".join(shown.split()):
            sys.exit(f"the demo of the installed wheel does not score itself:\n{shown}")
    print(f"wheel: {wheel.name} installs in an empty environment and runs ({version})")


if __name__ == "__main__":
    main()
