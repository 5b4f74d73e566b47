# Everything a developer runs. `make help` lists the targets.

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin/python
CODE   := src tests tools $(wildcard bench examples fuzz)
LOCK   := $(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-header --no-annotate --no-emit-index-url

export UV_SYSTEM_CERTS := 1
export UV_NO_PROGRESS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONPATH
unexport VIRTUAL_ENV

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo setup test check format format-check lint types docs pictures docs-check site bench fuzz mutate lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22

demo: $(VENV)/.core ## make an example world, anonymise its survey, attack the result (installs the core only)
	$(RUN) tools/demo.py

setup: $(VENV)/.ready ## make .venv with everything the tests need

test: setup ## run all tests (sets everything up first); ARGS="-k swap" is passed to pytest
	$(RUN) -m pytest -n auto $(ARGS)

check: format-check lint types docs-check test ## everything a change must pass: format, lint, types, docs, tests

format: $(VENV)/.synced ## rewrite the code in the project's format
	$(RUN) -m ruff format $(CODE)
	$(RUN) -m ruff check --fix --select I $(CODE)

format-check: $(VENV)/.synced
	$(RUN) -m ruff format --check $(CODE)

lint: $(VENV)/.synced ## ruff
	$(RUN) -m ruff check $(CODE)

types: $(VENV)/.synced ## mypy, strict
	$(RUN) -m mypy
	$(RUN) -m mypy --strict tools

docs: setup ## regenerate the parameter tables in docs/
	$(RUN) tools/docs.py

pictures: setup ## draw the pictures of the methods in docs/ anew
	$(RUN) tools/pictures.py

docs-check: $(VENV)/.synced
	$(RUN) tools/docs.py --check

site: $(VENV)/.site ## build docs/ and the reference of the Python names as a searchable site: build/site/index.html
	$(RUN) tools/website.py

bench: setup ## time and memory against peers
	$(RUN) bench/run.py $(ARGS)

fuzz: setup ## spoiled recipes and files, signals and kills; ARGS="--minutes 5" bounds it (takes a quarter of an hour)
	$(RUN) fuzz/run.py $(ARGS)

mutate: setup ## whether the tests notice small errors in criteria, risks and attacks (takes a quarter of an hour)
	$(RUN) tools/mutate.py $(ARGS)

lock: $(VENV)/.tools ## resolve the dependencies anew into requirements/*.txt
	$(LOCK) --upgrade --extra crypto --extra database --extra io --extra linkage --extra ml --extra report --extra serve --extra spark --extra sql --group dev --output-file requirements/test.txt pyproject.toml
	$(LOCK) --upgrade --constraints requirements/test.txt --output-file requirements/core.txt pyproject.toml
	$(LOCK) --upgrade --constraints requirements/test.txt --output-file requirements/uv.txt --group build
	$(LOCK) --upgrade --constraints requirements/test.txt --output-file requirements/site.txt --group site

clean: ## remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist spark-warehouse
	find $(CODE) -type d -name __pycache__ -prune -exec rm -rf {} +

# The steps of `setup`. A stamp is older than the files it was made from when they have changed.
$(VENV)/.tools: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	  || { echo "Schleier needs Python 3.11, 3.12 or 3.13: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install -qq --require-hashes --only-binary :all: -r requirements/uv.txt
	@touch $@

$(VENV)/.core: $(VENV)/.tools requirements/core.txt pyproject.toml
	@$(RUN) -c 'import pytest' 2>/dev/null \
	  || $(RUN) -m uv pip sync --quiet --python $(RUN) --require-hashes requirements/uv.txt requirements/core.txt
	$(RUN) -m uv pip install --quiet --python $(RUN) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.synced: $(VENV)/.tools requirements/uv.txt requirements/test.txt pyproject.toml
	$(RUN) -m uv pip sync --quiet --python $(RUN) --require-hashes --no-build-isolation --compile-bytecode \
	  requirements/uv.txt requirements/test.txt
	@rm -f $(VENV)/.site # what it stands for is no longer installed
	$(RUN) -m uv pip install --quiet --python $(RUN) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.site: $(VENV)/.core requirements/site.txt
	$(RUN) -m uv pip install --quiet --python $(RUN) --require-hashes --only-binary :all: -r requirements/site.txt
	@touch $@

$(VENV)/.ready: $(VENV)/.synced tools/system.sh
	sh tools/system.sh
	$(RUN) tools/warm.py
	@touch $@
