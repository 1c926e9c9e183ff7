# One target a task, the same here and in CI. `make help` lists them: a target's comment behind `##` is its help.

.SHELLFLAGS := -ec
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CARGO_DENY := 0.20.2
CARGO_FUZZ := 0.13.2

# Subcommands of cargo are installed here and nowhere else.
TOOLS := $(abspath $(or $(CARGO_TARGET_DIR),target))/tools
export PATH := $(TOOLS)/bin:$(PATH)
# What is compiled with other flags has a directory of its own, so that it does not throw out the rest.
LOOM_TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))/loom

# $(call cargo_install,CRATE,VERSION): a subcommand of cargo, unless that version is there.
cargo_install = cargo install --quiet --locked --root $(TOOLS) --target-dir $(TOOLS)/build --version $(2) $(1)

# $(call apt_get,PACKAGES): installs them, or names them where there is no way to.
define apt_get
	if [ "$$(id -u)" = 0 ]; then as_root=; else as_root='sudo -n'; fi; \
	if command -v apt-get >/dev/null && $$as_root true 2>/dev/null; then \
		$$as_root apt-get update -q && $$as_root apt-get install -y -q --no-install-recommends $(1); \
	else \
		echo "please install: $(1)" >&2; exit 1; \
	fi
endef

.PHONY: help build-setup setup demo test lint unit loom doc deny clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "%-16s %s\n", $$1, $$2 }'

# What a user needs who only builds.
build-setup:
	@command -v cargo >/dev/null || { echo "please install Rust: https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { $(call apt_get,gcc libc6-dev); }

setup: build-setup ## Install what is missing: a C compiler, rustfmt, clippy
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || rustup component add rustfmt clippy

demo: setup ## Show a burst against SQLite, without and with protection, from Rust and then from Python (BURST_SECONDS=10 a run)
	@cargo build --locked --release --package burst
	@cargo run --quiet --locked --release --package burst
	@echo
	@$(MAKE) demo-sqlalchemy

test: lint unit loom mutants c-test java-test python-test ## Run everything that must hold before a commit: lint, all tests, the model checker, mutants, the C library, Java, Python

# Of the two other workspaces only the formatting: to look at more they would have to build peers and a fuzzing runtime,
# which takes longer than all the rest. The modules of the fuzz targets are part of the tests, where they replay the
# corpus, and so are linted here. `bench-test` and `fuzz-lint` look at what is left.
lint: setup ## Check formatting, clippy's and rustdoc's warnings
	cargo fmt --all --check
	cargo fmt --manifest-path bench/Cargo.toml --check
	cargo fmt --manifest-path core/fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked --quiet

unit: setup ## Run all tests: units, properties, conformance, examples, documentation
	cargo test --workspace --locked --no-fail-fast

loom: setup ## Check the atomics of the limiters in every interleaving of a few threads
	RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=$(LOOM_TARGET) \
		cargo test --locked --release --package sqlthrottle-cells --lib model

doc: setup ## Build the documentation of the crates
	cargo doc --workspace --no-deps --locked

deny: setup ## Check licences, bans and sources of all dependencies
	@$(call cargo_install,cargo-deny,$(CARGO_DENY))
	cargo deny --locked check licenses bans sources

clean: ## Remove what was built
	cargo clean
	cargo clean --manifest-path bench/Cargo.toml
	rm -rf core/fuzz/target java/target java/*/target examples/java-mybatis/target

# The parts of other workspaces.
include bench/bench.mk
include bindings/c/c.mk
include bindings/c/examples.mk
include core/cells/cells.mk
include core/fuzz/fuzz.mk
include java/bench/bench.mk
include java/java.mk
include python/python.mk
