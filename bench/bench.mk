# The benches' part of the Makefile at the root, which includes it; every path is seen from there.

BENCH_BIN := $(abspath $(or $(CARGO_TARGET_DIR),target))/release/sqlthrottle
# As bindings/c/c.mk builds it.
BENCH_LIBRARY = $(C_BUILT)/libsqlthrottle_c.$(if $(filter Darwin,$(shell uname)),dylib,so)
CASE ?= point-select/no-hash
TIMES ?= 20000

# Succeeds where libclang and its headers are found. Asked by the shell and not by `wildcard`, which would still see the
# directories as they were before the setup.
HAVE_LIBCLANG = ls $${LIBCLANG_PATH:-/nowhere}/libclang.so /usr/lib/llvm*/lib/libclang.so /usr/lib*/libclang.so \
	/opt/homebrew/opt/llvm/lib/libclang.dylib 2>/dev/null | grep -q .

.PHONY: bench bench-setup bench-test bench-callgrind

bench: setup bench-setup c-library ## Print one table, and those of Java and Python: sqlthrottle beside its peers (ARGS="--only join")
	cargo build --release --locked --package sqlthrottle-cli
	$(HAVE_LIBCLANG) || without=--no-default-features; \
	SQLTHROTTLE_BIN=$(BENCH_BIN) SQLTHROTTLE_LIBRARY=$(BENCH_LIBRARY) cargo run --release --locked --manifest-path bench/Cargo.toml $$without -- $(ARGS)
	$(if $(ARGS),,$(MAKE) bench-java bench-python)

bench-setup: ## Install libclang, which one peer of the benches needs to build
	@$(HAVE_LIBCLANG) || ( $(call apt_get,libclang-dev) ) || echo "without libclang the benches run without pg_query"

bench-test: setup ## Check the benches with clippy and run their tests (without pg_query)
	cargo clippy --locked --manifest-path bench/Cargo.toml --no-default-features --all-targets -- -D warnings
	cargo test --locked --manifest-path bench/Cargo.toml --no-default-features

# Valgrind hides the SHA instructions of the processor, so rows with a hash count a slower one; `no-hash` rows are exact.
bench-callgrind: ## Count the instructions of our side of one row (CASE=join/no-hash TIMES=20000)
	cargo build --release --locked --manifest-path bench/Cargo.toml --no-default-features --target-dir bench/target
	valgrind --tool=callgrind --toggle-collect='*measure::repeat_alone*' --callgrind-out-file=bench/target/callgrind.out \
		bench/target/release/sqlthrottle-bench --only $(CASE) --repeat $(TIMES)
	callgrind_annotate bench/target/callgrind.out | head -60
