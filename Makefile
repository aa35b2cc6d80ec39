# Everything here works on a fresh machine with Python 3.11 or newer and nothing else.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# the tests start many Pythons, and each would compile all that it imports
export PYTHONDONTWRITEBYTECODE :=
COMPILE := --quiet --universal --generate-hashes --no-emit-index-url --no-header

.PHONY: setup demo test calibrate lint bench docs lock release-check

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $(READY)

demo: $(READY)
	$(BIN)/assaymark demo --out demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

calibrate: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python bench/run.py

docs: $(READY)
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

release-check: $(READY)
	$(BIN)/python bench/release_check.py

lock:
	$(BIN)/uv pip compile $(COMPILE) --extra dev --extra docs --extra lab --extra pdf --extra postgres --extra spark -o requirements.lock pyproject.toml
	$(BIN)/uv pip compile $(COMPILE) --extra build --extra learn --extra pdf --extra postgres -c requirements.lock -o requirements-server.lock pyproject.toml
