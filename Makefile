# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DOCS := $(VENV)/docs
GAMES := keyword-dots hyperspace-d6 narrative-powers d6-pips wound-points second-edition-update

# Tests wait for browsers, servers and other processes: a worker more than there are cores.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# The wheel and the documentation leave a core idle for most of their time: two jobs run at once.
MAKEFLAGS += --jobs=2

# `demo` prints, and needs Pango; `test` asks poppler and qpdf, `test-all` a browser, LibreOffice and npm, too.
.PHONY: same site demo test test-all slow-test wheel-test wheel dist plates check bench docs reference setup viewers clean

demo: setup
	@$(BIN)/sheetgen sheet content/characters --to pdf --to html --out output
	@for game in $(GAMES); do $(BIN)/sheetgen sheet --blank $$game --out output || exit 1; done
	@for game in $(GAMES); do $(BIN)/sheetgen tables $$game --to pdf --to html --out output || exit 1; done
	@for game in $(GAMES); do $(BIN)/sheetgen screen $$game --out output || exit 1; done
	@$(BIN)/sheetgen cards hyperspace-d6 --kind npc --to pdf --to html --out output
	@$(BIN)/sheetgen cards hyperspace-d6 --kind vehicle --to pdf --to html --out output
	@$(BIN)/sheetgen cards hyperspace-d6 --kind gear --out output
	@$(BIN)/sheetgen cards keyword-dots --kind power --out output
	@$(BIN)/sheetgen cards narrative-powers --kind power --to pdf --to html --out output
	@$(BIN)/sheetgen cards content/characters/narrative-powers/calla.yaml --kind power --size tarot --out output
	@$(BIN)/sheetgen cards d6-pips --kind npc --out output
	@$(BIN)/sheetgen cards wound-points --kind npc --out output
	@$(BIN)/sheetgen odds hyperspace-d6 --to pdf --to html --out output
	@$(BIN)/sheetgen odds narrative-powers --to pdf --out output
	@$(BIN)/sheetgen odds "5D vs 14 cover 5" --ruleset hyperspace-d6
	@$(BIN)/sheetgen encounter content/encounters/hyperspace-d6/salt-bridge.yaml --to pdf --to html --out output
	@$(BIN)/sheetgen encounter content/encounters/wound-points/dry-dock.yaml --out output
	@$(BIN)/sheetgen handout content/handouts/hyperspace-d6/toll-at-the-bridge.md --to pdf --to html --out output
	@$(BIN)/sheetgen pieces content/encounters/hyperspace-d6/salt-bridge.yaml --kind token --kind standee --kind tent --out output
	@$(BIN)/sheetgen cards hyperspace-d6 --kind npc --to tts --out output
	@$(BIN)/sheetgen cards hyperspace-d6 --kind vehicle --to png --dpi 150 --each --out output
	@$(BIN)/sheetgen build content/books/starter-set --out output/starter-set
	@echo "All of these are in $(CURDIR)/output: open the .pdf in a viewer, the .html in a browser."

# What every change needs, in a few minutes. What fails runs once more, alone.
test: setup viewers check
	$(BIN)/python tests/steady.py -m "not slow" -n $(WORKERS) --dist loadfile

# Besides, all that is marked `slow` or `many`, and the wheel. SHEETGEN_TEST_ALL=1 tries every combination, for hours.
test-all: test
	@$(MAKE) --no-print-directory slow-test wheel-test

slow-test: setup viewers
	$(BIN)/python tests/steady.py -m slow -n $(WORKERS) --dist loadfile

wheel-test: setup
	$(BIN)/python tests/wheel.py

wheel: dist

dist: setup
	PYTHONPATH=. XDG_CACHE_HOME=$(CURDIR)/build/cache $(BIN)/python hatch_build.py build/plates.store all
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "twine>=6"
	$(BIN)/python tests/wheel.py --whole

# Write the plates and fonts anew that a clone carries: after a change of what blank sheets and cards look like.
plates: setup
	PYTHONPATH=. XDG_CACHE_HOME=$(CURDIR)/build/cache $(BIN)/python hatch_build.py content/plates.store few

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup viewers
	$(BIN)/python tests/bench/bench.py
	PYTHONPATH=. $(BIN)/python tests/bench/cards.py
	PYTHONPATH=. $(BIN)/python tests/bench/odds.py
	-PYTHONPATH=. $(BIN)/python tests/bench/lsp.py
	-PYTHONPATH=. $(BIN)/python tests/bench/builder.py
	-@$(BIN)/python -m pip install --quiet --disable-pip-version-check "typst>=0.14"
	PYTHONPATH=. $(BIN)/python tests/bench/shop.py
	-PYTHONPATH=. $(BIN)/python tests/bench/cluster.py scale --count 2000
	-PYTHONPATH=. $(BIN)/python tests/bench/cluster.py kills
	-PYTHONPATH=. $(BIN)/python tests/bench/cluster.py poison --count 200

# Write the page that builds characters to output/site: make site GAMES="hyperspace-d6"
site: setup viewers
	$(BIN)/sheetgen site output/site $(GAMES) --runtime tests/viewers/node_modules/pyodide --force

# Print the same with another revision and with this tree; name every file whose bytes differ.
same: setup
	$(BIN)/python tests/same.py $(REV)

# Build the documentation as a site in output/docs; a warning is an error.
docs: $(DOCS)/ready
	@$(DOCS)/bin/sphinx-build --quiet --fail-on-warning --keep-going -d $(DOCS)/doctrees docs output/docs
	@echo "open $(CURDIR)/output/docs/index.html"

# Write the generated pages of docs/reference anew.
reference: setup
	PYTHONPATH=. $(BIN)/python -m docs.reference.generate_keys
	PYTHONPATH=. $(BIN)/python docs/generate.py

setup: $(VENV)/ready

$(VENV)/ready: requirements.lock pyproject.toml .ci/system
	@.ci/system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q sheetgen
	@touch $@

$(DOCS)/ready: docs/requirements.lock
	@test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	@$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement docs/requirements.lock
	@touch $@

viewers: $(VENV)/viewers

$(VENV)/viewers: $(VENV)/ready tests/viewers/package-lock.json
	@.ci/system tests
	@if command -v npm >/dev/null; then cd tests/viewers && npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error; \
	else echo "npm is missing: PDF.js will not be tried (apt-get install npm)" >&2; fi
	@touch $@

clean:
	rm -rf $(VENV) build dist
