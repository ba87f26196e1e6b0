# Each target does everything from a bare clone. `make demo` and `make test` are the two to know.

SHELL := /bin/sh
PYTHON ?= python3
export PYTHON
BIN := .venv/bin
PACKAGES := config demo web learning evaluation interaction routing commands annotation events workforce agents audit jobs common lib builder
CODE := $(PACKAGES) client tests bench scripts manage.py
# Made from the Python code below, so they are not kept in git.
API_TYPES := frontend/src/work/api.generated.ts
API_SOURCES := $(shell find $(PACKAGES) -name '*.py' -not -path '*/migrations/*' 2>/dev/null) scripts/api_types.py
SOURCES := $(shell find frontend/src -type f -not -name '*.generated.ts' 2>/dev/null) lib/voxels/table.json lib/task_nouns.json
# What is installed: for `make demo` and `make serve` only what they need. `dev` contains all of `base`.
VENV := $(if $(filter-out demo serve,$(MAKECMDGOALS)),.venv/.dev,.venv/.base)
# What is installed beside, if CROSSWALK_EXTRAS names it, by comma; `dev` contains all of it.
comma := ,
EXTRAS := $(subst $(comma), ,$(CROSSWALK_EXTRAS))
KNOWN_EXTRAS := nlu parquet vision
$(if $(filter-out $(KNOWN_EXTRAS),$(EXTRAS)),$(error CROSSWALK_EXTRAS names $(filter-out $(KNOWN_EXTRAS),$(EXTRAS)); there is $(KNOWN_EXTRAS)))
STAMPS := $(EXTRAS:%=.venv/.extra-%)
# GNU make 4 prints what each check says in one piece; the make of macOS is older.
GROUPED := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# The tests start many processes, and each would compile the code anew where Python is told to keep none of it.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo serve test test-long check check-types check-front-end check-rest check-packages bench types lock sbom clean

demo: .venv/.base $(STAMPS) frontend/dist/manifest.json
	@$(BIN)/python manage.py prepare
	@CROSSWALK_LOG_LEVEL=$${CROSSWALK_LOG_LEVEL:-warning} $(BIN)/python manage.py demo

serve: .venv/.base $(STAMPS) frontend/dist/manifest.json
	@$(BIN)/python manage.py prepare
	@$(BIN)/python manage.py serve

# All that a change could break without anybody noticing.
test: check
	@scripts/browser
	$(PYTEST) -m "not long"

# Races, killed processes, fuzzing with many examples, a million rows.
test-long: .venv/.dev frontend/dist/manifest.json
	@scripts/browser
	$(PYTEST) -m "long or hypothesis" --hypothesis-profile=long

# The quick part: format, lint, types, imports, migrations, unit tests of the front end, known vulnerabilities; two at a
# time.
check: .venv/.dev frontend/dist/manifest.json $(API_TYPES)
	@$(MAKE) --no-print-directory -j2 $(GROUPED) check-types check-front-end check-rest check-packages

# The longest of them, so it begins first. `python -m` finds our packages; a script in .venv/bin would not.
check-types:
	$(BIN)/python -m mypy $(CODE)

check-front-end:
	scripts/node npm run --silent check
	scripts/node npm run --silent test

check-rest:
	$(BIN)/ruff format --check --quiet $(CODE)
	$(BIN)/ruff check --quiet $(CODE)
	$(BIN)/djlint templates --check --quiet
	$(BIN)/lint-imports --no-logo
	$(BIN)/python manage.py makemigrations --check --dry-run

check-packages:
	$(BIN)/python scripts/vulnerabilities.py

bench: .venv/.dev frontend/dist/manifest.json
	@scripts/browser
	$(BIN)/python -m bench

types: $(API_TYPES)
	@$(BIN)/python scripts/client_types.py

lock: .venv/.dev
	@for name in base nlu parquet vision dev node uv; do \
		$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
			--no-emit-index-url --no-emit-find-links --no-header \
			$$(case $$name in dev|nlu|parquet|vision) echo --constraint requirements/base.txt;; esac) \
			requirements/$$name.in --output-file requirements/$$name.txt; done

# What the lock files pin, as CycloneDX.
sbom: .venv/.dev
	@scripts/sbom sbom

.venv/.base: requirements/base.txt requirements/uv.txt scripts/python
	@scripts/python requirements/base.txt
	@touch $@

.venv/.dev: requirements/dev.txt requirements/uv.txt scripts/python
	@scripts/python requirements/dev.txt
	@touch .venv/.base $(KNOWN_EXTRAS:%=.venv/.extra-%) $@

.venv/.extra-%: requirements/%.txt requirements/uv.txt scripts/python | $(VENV)
	@scripts/python requirements/$*.txt
	@touch $@

frontend/node_modules/.made: frontend/package-lock.json | $(VENV)
	@echo "Installing the front end's packages …"
	@scripts/node npm ci --no-audit --no-fund --silent
	@touch $@

# The bundle needs no API types: types are erased when it is built.
frontend/dist/manifest.json: frontend/node_modules/.made frontend/package.json frontend/vite.config.ts frontend/compress.js frontend/tsconfig.json $(SOURCES)
	@scripts/node npm run --silent build
	@touch $@

# Any module may describe a shape or its choices, so all of them are prerequisites.
$(API_TYPES): $(API_SOURCES) frontend/node_modules/.made | $(VENV)
	@$(BIN)/python scripts/api_types.py $@

clean:
	rm -rf .venv frontend/node_modules frontend/dist sbom $(API_TYPES)
