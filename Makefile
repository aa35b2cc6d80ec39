# Everything here works on a fresh machine with Python 3.11 or newer and nothing else.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# the tests start many Pythons, and each would compile all that it imports
export PYTHONDONTWRITEBYTECODE :=
# what commands load is compiled at once, as pip does and uv does not
COMMANDS := click cryptography duckdb jinja2 markdown_it numpy rfc8785 rich scipy starlette uvicorn
COMPILE := --quiet --universal --generate-hashes --no-emit-index-url --no-header

# several processes share the cores; the threads of their libraries would only wait for one another
test browser-test calibrate evidence validity: export OMP_NUM_THREADS := 1
test browser-test calibrate evidence validity: export OPENBLAS_NUM_THREADS := 1

.PHONY: setup demo test browser-test calibrate lint bench docs evidence validity lock release-check

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	cd .venv/lib/python3*/site-packages && ../../../bin/python -m compileall -q -x /tests/ $(COMMANDS)
	$(BIN)/python -m compileall -q src
	touch $(READY)

demo: $(READY)
	$(BIN)/assaymark demo --out demo

test: $(READY)
	$(BIN)/python -m pytest -n 3 --dist loadfile -m "not slow" --ignore=tests/e2e

# the page in a real browser; skipped where there is no Chromium, unless ASSAYMARK_REQUIRE_BROWSER is set
browser-test: $(READY)
	$(BIN)/python -m pytest -n 3 --dist loadfile -m "not slow" tests/e2e

calibrate: $(READY)
	$(BIN)/python bench/calibrate.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	ASSAYMARK_PERFORMANCE=docs/evidence/results/performance-bench.json $(BIN)/python bench/run.py

docs: $(READY)
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# SIZE=small needs no data; SIZE=full DATA=folder takes every collection there. Goes on where it was.
SIZE ?= small
evidence: $(READY)
	$(BIN)/python bench/evidence/run.py --size $(SIZE) $(if $(DATA),--data $(DATA))
	$(BIN)/python docs/generate.py

# how often each promise failed, measured by the tests that hold it; QUICK= takes the long ones too
QUICK ?= -m "not slow"
validity: $(READY)
	ASSAYMARK_VALIDITY=docs/evidence/results/validity-tests.json $(BIN)/python -m pytest -q -p no:xdist $(QUICK) tests/exact tests/calibration
	$(BIN)/python docs/generate.py

release-check: $(READY)
	$(BIN)/python bench/release_check.py

lock:
	$(BIN)/uv pip compile $(COMPILE) --extra dev --extra docs --extra lab --extra pdf --extra postgres --extra spark -o requirements.lock pyproject.toml
	$(BIN)/uv pip compile $(COMPILE) --extra build --extra learn --extra pdf --extra postgres -c requirements.lock -o requirements-server.lock pyproject.toml
