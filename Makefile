# One door to everything: `make run` on a fresh machine, `make test`, `make check`.
# Needs GNU make, Python 3.11 or newer, and whatever place pip takes packages from.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --require-virtualenv
# A lock is complete, so nothing is left to resolve. Compiling is left out here because pip does it on one core.
LOCKED := install --quiet --no-deps --no-compile --require-hashes -r
COMPILE := $(BIN)/python -m compileall -q -j 0 $(VENV)/lib
ARGS   ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run install-dev install-llm-test test check lock clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name does; do \
		printf '  make %-18s %s\n' "$$name" "$$does"; done

install: $(VENV)/.project ## make .venv from requirements.lock (PYTHON=python3.12 picks an interpreter)

run: install ## install, then start the twin (ARGS="--port 9000" are passed on)
	@exec $(BIN)/sayso serve $(ARGS)

install-dev: $(VENV)/.dev ## install, plus what tests and checks need

install-llm-test: $(VENV)/.llm-test ## install-dev, plus a small language model for an optional test

test: install-dev ## run every test that can run here; says what was skipped and why, a process per core (ARGS="-k …", ARGS=-n0 for one)
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile $(ARGS)

check: install-dev ## lint, format, types, and the direction of imports
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check

lock: install-dev ## compile the locks again (ARGS=--upgrade for newer versions)
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/lock $(ARGS)

clean: ## remove .venv and caches; never .sayso, which holds data
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist

# Stamps: each step runs again only when the file it was made from has changed.

$(VENV)/.made:
	@command -v "$(PYTHON)" >/dev/null || { \
		echo "Sayso needs Python 3.11 or newer, and '$(PYTHON)' was not found. Install it, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Sayso needs Python 3.11 or newer, and '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1). Name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "'$(PYTHON)' has no venv module with pip. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@"$(PYTHON)" -m venv --clear $(VENV)
	@touch $@

$(VENV)/.runtime: requirements.lock | $(VENV)/.made
	@echo "Installing what Sayso needs into $(VENV) ..."
	@$(PIP) $(LOCKED) requirements.lock
	@$(COMPILE) || true
	@touch $@

$(VENV)/.project: pyproject.toml $(VENV)/.runtime
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.project
	@echo "Installing what tests and checks need ..."
	@$(PIP) $(LOCKED) requirements-dev.lock
	@$(COMPILE) || true
	@touch $@

$(VENV)/.llm-test: requirements-llm-test.lock $(VENV)/.dev
	@$(PIP) $(LOCKED) requirements-llm-test.lock
	@touch $@
