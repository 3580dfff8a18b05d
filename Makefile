# make demo and make test do everything themselves; make help lists the rest.
# Stamps: nothing is rebuilt that did not change.
SHELL := /bin/sh
.DEFAULT_GOAL := help
# Containers often set it. Then each process of Python compiles all of our modules anew, and tests start a thousand of them.
unexport PYTHONDONTWRITEBYTECODE

VENV   := .venv
PYTHON := $(VENV)/bin/python
JAR    := python/src/despina/jars/despina.jar
STAMPS := build/stamps
GRADLE := tools/gradle.sh

JAVA_SOURCES := $(shell find jvm/src/main connectors/*/src/main -type f 2>/dev/null) $(wildcard python/src/despina_worker/*.py) python/src/despina/module_flags.txt

.PHONY: help setup servers programs demo test every executors lint generate cases soak clients rounding bench clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMPS)/system $(STAMPS)/python $(JAR) $(STAMPS)/archive ## all that is missing: JDK and Gradle (as root), .venv, the jar

servers: programs $(JAR) ## brokers and databases for the tests of connectors: by apt as root on Debian, and from Maven Central
	@$(GRADLE) serverPaths

# After what setup installs by apt, and beside pip and the compiler if make has jobs (-j).
programs: $(STAMPS)/system
	@tools/servers.sh

demo: setup ## the manufacturing job on two resources and on Spark; INPUT=path takes a real file
	@$(PYTHON) tools/demo.py $(if $(INPUT),--input "$(INPUT)")

test: setup ## style, types, the JVM's tests, Python's tests, and the cases of tests/
	@$(PYTHON) tools/test.py

every: setup ## the same with all that make test thins out: every case in executors and as streams, both drivers, more random graphs and seeds
	@DESPINA_EVERY_CASE=1 $(PYTHON) tools/test.py

executors: setup ## every contract case in Spark's executors; make test runs one of each operator there
	@$(PYTHON) -m pytest -q tests/executors --every-case

lint: setup ## style and types only
	@$(PYTHON) tools/test.py --only lint

generate: setup ## what is made: schema, reference page and Python's operators from the fields' declarations, where-it-runs from cases
	@$(GRADLE) generate
	@$(PYTHON) tools/generate_operators.py
	@$(PYTHON) tests/support/marks.py

cases: ## what the contract cases try, a line each
	@python3 tests/support/cases.py

soak: setup ## long runs: slow sinks, many start and stop cycles, jobs hit at random, simulated ones; ARGS="--only ends --rounds 30"
	@$(PYTHON) tools/soak.py $(ARGS)

clients: setup ## 10,000 clients at once at each source of sockets, in a process of their own; the limit on open files must be above as many
	@$(GRADLE) unitTest -Ponly='.*SocketSourcesTest' -Pclients=$(or $(CLIENTS),10000)

rounding: setup ## roundings and products of 10,000,000 numbers by 37 expressions, each as Spark gives it, bit for bit; VALUES=N
	@$(GRADLE) roundingTest -Pvalues=$(or $(VALUES),10000000)

bench: setup $(STAMPS)/archive ## every experiment in full (hours), then benchmarks/RESULTS.md; ONLY=relay runs one of them
	@$(PYTHON) -m despina bench run $(or $(ONLY),all) $(ARGS)
	$(if $(ONLY),,@$(PYTHON) -m despina bench micro)
	@$(PYTHON) -m despina bench results

clean: ## what was built
	rm -rf build .gradle out $(JAR) $(dir $(JAR))despina-*.jar .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## what was built and what was set up
	rm -rf $(VENV)

# With jobs (-j) pip begins as soon as there is a Python, beside apt, and the compiler as soon as there is PySpark, whose jars it
# needs, beside the rest of pip.
$(STAMPS)/interpreter: tools/setup.sh
	@tools/setup.sh python
	@mkdir -p $(@D) && touch $@

# A JDK and Gradle of the system.
$(STAMPS)/system: $(STAMPS)/interpreter
	@tools/setup.sh
	@mkdir -p $(@D) && touch $@

$(STAMPS)/pyspark: pyproject.toml $(STAMPS)/interpreter
	@tools/venv.sh $(VENV) pyspark
	@mkdir -p $(@D) && touch $@

$(STAMPS)/python: $(STAMPS)/pyspark
	@tools/venv.sh $(VENV)
	@mkdir -p $(@D) && touch $@

$(JAR): $(STAMPS)/system $(STAMPS)/pyspark build.gradle settings.gradle $(JAVA_SOURCES)
	@$(GRADLE) stageJar
	@touch $@

# JVMs start sooner with it and run without it, so a machine that cannot make it is told, not stopped.
$(STAMPS)/archive: $(STAMPS)/python $(JAR)
	@$(PYTHON) -m despina doctor --archive >/dev/null || echo "setup: no class archive; jobs with expressions start slower" >&2
	@mkdir -p $(@D) && touch $@
