# Python: the wheel with the native module in it, and what is checked of both.

PYTHON ?= python3
PYTHON_BUILT := $(abspath $(or $(CARGO_TARGET_DIR),target))/python
PYTHON_VENV := $(PYTHON_BUILT)/venv
# Installed again only where what is pinned has changed.
PYTHON_READY = $(PYTHON_VENV)/.$(notdir $(1))-$(firstword $(shell cksum $(1)))
# Servers of their own for the tests of integrations.
PYTHON_WITH_DATABASES := python3 -B ../tests/servers/run.py postgresql mariadb --
# What is guarded in two series, and so is tested over both.
PYTHON_IN_SERIES := tests/integrations/test_sqlalchemy_*.py tests/integrations/test_django_*.py

# Of the demonstration; the same environment has it.
EXAMPLE_SQLALCHEMY := examples/python-sqlalchemy

.PHONY: python-venv python-setup python-wheel python-test python-lock bench-python demo-sqlalchemy

# $(call pip_install,REQUIREMENTS): into the environment of the tests, unless it is there.
define pip_install
	@test -f '$(call PYTHON_READY,$(1))' || { \
		'$(PYTHON_VENV)/bin/python' -m pip install --quiet --require-hashes --requirement $(1) && touch '$(call PYTHON_READY,$(1))'; \
	}
endef

# What the package is built and run with.
python-venv: build-setup
	@command -v $(PYTHON) >/dev/null && $(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(call apt_get,python3 python3-venv); }
	@test -x '$(PYTHON_VENV)/bin/python' || $(PYTHON) -m venv '$(PYTHON_VENV)'
	$(call pip_install,$(EXAMPLE_SQLALCHEMY)/requirements.txt)

python-setup: setup python-venv
	@command -v mariadb_config >/dev/null && command -v pkg-config >/dev/null || \
		{ $(call apt_get,postgresql mariadb-server-core mariadb-client-core libmariadb-dev pkg-config gcc); }
	$(call pip_install,python/requirements-test.txt)

# One wheel for all versions of CPython with a GIL from 3.10 up. Cargo knows whether there is anything to compile.
python-wheel: python-venv
	@echo 'python: the wheel, which takes minutes the first time'
	@rm -rf '$(PYTHON_BUILT)/dist'
	@cd python && '$(PYTHON_VENV)/bin/maturin' build --quiet --release --locked --interpreter '$(PYTHON_VENV)/bin/python' --out '$(PYTHON_BUILT)/dist'
	@'$(PYTHON_VENV)/bin/python' -m pip install --quiet --no-deps --force-reinstall '$(PYTHON_BUILT)'/dist/*.whl

# The tests run against the wheel as it is installed, and not against the sources beside them.
python-test: python-setup ## Build the wheel and the sdist of the Python package, install both, and test what is installed
	@$(MAKE) python-wheel
	cd python && $(PYTHON_WITH_DATABASES) '$(PYTHON_VENV)/bin/python' -B -m pytest -p no:cacheprovider
	'$(PYTHON_VENV)/bin/python' -m pip install --quiet --require-hashes --upgrade --target '$(PYTHON_BUILT)/older' \
		--requirement python/requirements-older.txt
	cd python && PYTHONPATH='$(PYTHON_BUILT)/older' $(PYTHON_WITH_DATABASES) '$(PYTHON_VENV)/bin/python' -B -m pytest -p no:cacheprovider $(PYTHON_IN_SERIES)
	'$(PYTHON_VENV)/bin/python' -m mypy.stubtest --mypy-config-file python/pyproject.toml sqlthrottle._native
	cd python && '$(PYTHON_VENV)/bin/mypy' --config-file pyproject.toml --cache-dir '$(PYTHON_BUILT)/mypy' src/sqlthrottle ../$(EXAMPLE_SQLALCHEMY)/*.py
	cd python && '$(PYTHON_VENV)/bin/pyright' --pythonpath '$(PYTHON_VENV)/bin/python'
	cd python && '$(PYTHON_VENV)/bin/maturin' sdist --out '$(PYTHON_BUILT)/dist'
	sh python/tests/install.sh $(PYTHON) '$(PYTHON_BUILT)/dist'

demo-sqlalchemy: python-wheel ## Show the burst through SQLAlchemy, without and with protection: the second act of demo
	@echo
	@'$(PYTHON_VENV)/bin/python' -B $(EXAMPLE_SQLALCHEMY)/burst.py

python-lock: python-setup ## Pin what the tests, the bench and the demonstration of Python need, with their hashes
	'$(PYTHON_VENV)/bin/python' -m pip install --quiet uv
	cd python && for list in requirements-test requirements-bench requirements-older ../$(EXAMPLE_SQLALCHEMY)/requirements; do \
		'$(PYTHON_VENV)/bin/uv' pip compile --quiet --universal --python-version 3.10 \
		--generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command 'make python-lock' \
		--output-file $$list.txt $$list.in; done

bench-python: python-wheel ## Measure a check from Python beside other limiters, and a select through SQLAlchemy with and without a guard
	$(call pip_install,python/requirements-bench.txt)
	cargo build --quiet --release --locked --manifest-path python/bench/baseline/Cargo.toml --target-dir '$(PYTHON_BUILT)/baseline'
	cp '$(PYTHON_BUILT)'/baseline/release/libbaseline.so '$(PYTHON_BUILT)/baseline/baseline.abi3.so'
	PYTHONPATH='$(PYTHON_BUILT)/baseline' '$(PYTHON_VENV)/bin/python' python/bench/check.py
	'$(PYTHON_VENV)/bin/python' python/bench/select_by_key.py
