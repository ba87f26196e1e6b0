# Each target does everything from a bare clone. `make demo` and `make test` are the two to know.

SHELL := /bin/sh
PYTHON ?= python3
export PYTHON
BIN := .venv/bin
CODE := config evaluation interaction routing annotation workforce agents audit jobs common client demo tests scripts manage.py
SOURCES := $(shell find frontend/src -type f 2>/dev/null) annotation/voxels/table.json

.PHONY: demo serve test check bench types lock clean

demo: .venv/.base frontend/dist/manifest.json
	@$(BIN)/python manage.py prepare
	@CROSSWALK_LOG_LEVEL=$${CROSSWALK_LOG_LEVEL:-warning} $(BIN)/python manage.py demo

serve: .venv/.base frontend/dist/manifest.json
	@$(BIN)/python manage.py prepare
	@$(BIN)/python manage.py serve

# The tests start many processes, and each would compile the code anew where Python is told to keep none of it.
test: check
	@scripts/browser
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

# The quick part: format, lint, types, imports, migrations, generated files, unit tests of the front end.
check: .venv/.dev frontend/dist/manifest.json
	$(BIN)/ruff format --check --quiet $(CODE)
	$(BIN)/ruff check --quiet $(CODE)
	$(BIN)/lint-imports
	$(BIN)/mypy $(CODE)
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python scripts/migrations_lock.py --check
	$(BIN)/python scripts/api_types.py --check
	scripts/node npm run --silent check
	scripts/node npm run --silent test

bench: .venv/.dev frontend/dist/manifest.json
	@scripts/browser
	$(BIN)/python -m tests.bench

# What is generated and kept in the repository.
types: .venv/.dev
	$(BIN)/python scripts/api_types.py
	$(BIN)/python scripts/migrations_lock.py

lock: .venv/.dev
	@for name in base dev node; do \
		$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
			--no-emit-index-url --no-emit-find-links --no-header \
			$$([ $$name = dev ] && echo --constraint requirements/base.txt) \
			requirements/$$name.in --output-file requirements/$$name.txt; done

.venv/.base: requirements/base.txt
	@scripts/python requirements/base.txt
	@touch $@

.venv/.dev: requirements/dev.txt .venv/.base
	@scripts/python requirements/dev.txt
	@touch $@

frontend/node_modules/.made: frontend/package-lock.json | .venv/.base
	@echo "Installing the front end's packages …"
	@scripts/node npm ci --no-audit --no-fund --silent
	@touch $@

frontend/dist/manifest.json: frontend/node_modules/.made frontend/package.json frontend/vite.config.ts frontend/tsconfig.json $(SOURCES)
	@scripts/node npm run --silent build
	@touch $@

clean:
	rm -rf .venv frontend/node_modules frontend/dist
