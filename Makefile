# make setup | demo | test | ladder | mutants | docs | bench. Python ≥ 3.11 and make are all that is needed.

PYTHON ?= python3
# Real corpora for tests and benchmarks; without them their tests are skipped, and say so.
DATA ?= ../shared
# Manual pages, as systems have them; their tests likewise.
PAGES ?= /usr/share/man
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
BENCH_READY := $(VENV)/bench-ready

.PHONY: setup demo test lint types unit wheel ladder mutants docs bench clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "permutopic needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: setup
	$(BIN)/permutopic demo

test: lint types unit wheel

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# A folder that was asked for must be there; the default may be missing.
ASKED := $(filter-out file default,$(origin DATA))
WITH_DATA := $(if $(DATA),$(if $(ASKED)$(wildcard $(DATA)/corpora),--data=$(DATA)))

WITH_PAGES := $(if $(wildcard $(PAGES)/man2/open.2*),--pages=$(PAGES))

unit: setup
	$(BIN)/pytest -n auto --dist worksteal $(WITH_DATA) $(WITH_PAGES)

wheel: setup
	$(BIN)/python tools/check_wheel.py

# The whole statistical ladder (docs/proof.md), of which `unit` runs a share.
ladder: setup
	$(BIN)/pytest -n auto --dist worksteal -m statistical tests/statistical

# Planted bugs, and the tests that must catch them.
mutants: setup
	$(BIN)/python tools/mutants.py

# What commands print, written into the pages that show it; look at the difference.
SHOWN := README.md docs/guide/commands.md docs/guide/tutorial.md docs/guide/tasks.md docs/studies/rivals.md
docs: setup
	$(BIN)/python tools/refresh_docs.py $(SHOWN)

# What the benchmarks compare with; nothing else needs it.
$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	touch $@

bench: $(BENCH_READY)
	$(BIN)/python benchmarks/sweep.py $(DATA)/corpora
	$(BIN)/python benchmarks/inference.py $(DATA)/corpora
	$(BIN)/python benchmarks/reading.py $(DATA)/corpora
	$(BIN)/python benchmarks/rivals.py $(DATA)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
