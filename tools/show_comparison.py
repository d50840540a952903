"""Print what `permutopic compare -o FILE.jsonl` wrote as a Markdown table.

python tools/show_comparison.py FILE.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from permutopic.cli.comparison_table import HEADERS, format_row


def main() -> None:
    """Print one table."""
    print(f"| | {' | '.join(HEADERS.values())} |")
    print(f"|---|{'---|' * len(HEADERS)}")
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        shown = " | ".join(format_row(json.loads(line), tuple(HEADERS), with_std=True))
        print(f"| {shown} |".replace("±", " ± ").replace("*", r"\*"))


if __name__ == "__main__":
    main()
