# The part of the Makefile at the root, which includes it, that proves the limiters; every path is seen from there.

# Faults that a test must catch: MUTANT,PACKAGE,TEST. A mutant is a value of `cfg(mutant)`, marked in the source where it is;
# add it to `check-cfg` in Cargo.toml, and here. The test is one of the package's library.
MUTANTS := \
	ring_of_n,sqlthrottle-cells,sliding_window::tests::a_burst_across_a_bucket_edge_is_held_to_the_limit \
	unconditional_undo,sqlthrottle-cells,sliding_window::tests::an_undo_after_its_slot_turned_gives_nothing_back_twice \
	eviction_in_use,sqlthrottle-cells,pins::tests::a_cell_in_use_is_not_let_go \
	random_share,sqlthrottle-cells,share_counter::tests::any_draws_in_a_row_are_floor_or_ceiling

SANITIZE_TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))/sanitize
HOST = $(shell rustc -vV | sed -n 's/^host: //p')

.PHONY: mutants sanitize soak

# The flag goes to the package alone, so that what it depends on is there already; by hand, for any command:
# RUSTFLAGS='--cfg mutant="ring_of_n"' cargo test -p sqlthrottle-cells
mutants: setup ## Break the limiters in known ways, and expect of each that its test fails
	@for mutant in $(MUTANTS); do \
		set -- $$(echo "$$mutant" | tr , ' '); \
		tests=$$(cargo rustc --quiet --locked --package $$2 --lib --profile test \
			--message-format json -- --cfg "mutant=\"$$1\"" -C opt-level=0 -C debuginfo=0 | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'); \
		if [ ! -x "$$tests" ]; then echo "mutant $$1: does not build" >&2; exit 1; fi; \
		if "$$tests" --exact "$$3" 2>&1 | grep -q "^test $$3 \.\.\. FAILED$$"; then \
			echo "mutant $$1: caught by $$3"; \
		else \
			echo "mutant $$1: NOT caught by $$3" >&2; exit 1; \
		fi; \
	done

# On the stable toolchain, which is told to take unstable flags, and so with the standard library as it is built: calls into
# it are not looked at, and ThreadSanitizer misjudges what it synchronises inside (tsan.supp; it does not know fences
# either, and the cells have none). With the target given, build scripts and macros are built without the sanitizer. Both
# exist for 64-bit Linux and macOS. The tests of this crate take about ten times as long; their cases are the same.
sanitize: setup ## Run the tests of the limiters under ThreadSanitizer and AddressSanitizer
	@for sanitizer in thread address; do \
		echo "sanitizer: $$sanitizer"; \
		RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$$sanitizer -Cunsafe-allow-abi-mismatch=sanitizer" \
		CARGO_TARGET_DIR=$(SANITIZE_TARGET)/$$sanitizer TSAN_OPTIONS="suppressions=$(abspath core/cells/tsan.supp)" \
			cargo test --quiet --locked --package sqlthrottle-cells --lib --target $(HOST); \
	done

# A short one, counted in operations, is among the ordinary tests. Threads interleave as they like, so a seed gives the same
# parameters and steps of the clock again, not the same run.
soak: setup ## Run 8 threads on all limiters under changes and clock steps (SOAK_SECONDS=180 SOAK_SEED=7)
	SOAK_SECONDS=$(or $(SOAK_SECONDS),180) cargo test --release --locked --package sqlthrottle-cells --test soak -- \
		--ignored --nocapture
