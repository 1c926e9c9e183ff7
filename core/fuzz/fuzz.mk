# The fuzzing part of the Makefile at the root, which includes it; every path is seen from there.

FUZZ_TARGETS := lexer analysis rule_file log_readers engine c_api
# Of each target.
FUZZ_SECONDS ?= 300
# Longest input, in bytes. The analysis parses, so it sees fewer a second; the others look at no more than this matters for.
FUZZ_LEN := 4096

.PHONY: fuzz fuzz-setup fuzz-lint fuzz-seeds

# RUSTC_BOOTSTRAP lets the stable compiler take the flags of the sanitizer. What is found new goes to corpus-run, so that
# corpus, which is replayed by the tests, changes only by hand.
fuzz: fuzz-setup ## Fuzz every target for FUZZ_SECONDS each (FUZZ_TARGETS=lexer for one)
	@set -e; for target in $(FUZZ_TARGETS); do \
		mkdir -p core/fuzz/corpus-run/$$target; \
		dictionary=core/fuzz/dictionaries/$$target.dict; \
		[ $$target != analysis ] || dictionary=core/fuzz/dictionaries/lexer.dict; \
		[ -f $$dictionary ] && dictionary=-dict=$$dictionary || dictionary=; \
		RUSTC_BOOTSTRAP=1 cargo fuzz run --fuzz-dir core/fuzz $$target \
			core/fuzz/corpus-run/$$target core/fuzz/corpus/$$target -- $$dictionary \
			-max_total_time=$(FUZZ_SECONDS) -max_len=$(FUZZ_LEN) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1; \
	done

fuzz-setup: setup ## Install cargo-fuzz beside the build, and a C++ compiler, which libFuzzer is built with
	@command -v $${CXX:-c++} >/dev/null || { $(call apt_get,g++); }
	@$(call cargo_install,cargo-fuzz,$(CARGO_FUZZ))

fuzz-lint: fuzz-setup ## Check the fuzz targets with clippy
	cargo clippy --locked --manifest-path core/fuzz/Cargo.toml --all-targets -- -D warnings

fuzz-seeds: fuzz-setup ## Write the seeds that come from the conformance cases
	cargo run --locked --manifest-path core/fuzz/Cargo.toml --bin seeds
