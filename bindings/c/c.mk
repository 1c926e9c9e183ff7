# The C library: its header, its installation, and what is checked of both.

C := bindings/c
C_TESTS := $(C)/tests
C_BUILT := $(abspath $(or $(CARGO_TARGET_DIR),target))/release
# Where the checks have it installed, as it ships.
C_PREFIX := $(abspath $(or $(CARGO_TARGET_DIR),target))/c

PREFIX ?= /usr/local
LIBDIR ?= lib
INCLUDEDIR ?= include

.PHONY: header c-library install-c uninstall-c c-setup c-test c-coroutine c-guard c-memory c-soak abi-baseline

header: setup ## Write include/sqlthrottle.h from the sources of bindings/c
	cargo run --quiet --locked --package xtask -- header

# Without the form of it that Rust's tests link: beside that one, cargo leaves out link-time optimisation. The compiler is the one
# to say what else a program needs that links the static library.
c-library: build-setup ## Build the C library, and install nothing
	cargo rustc --locked --release --package sqlthrottle-c --lib --crate-type cdylib,staticlib -- \
		--print 'native-static-libs=$(C_BUILT)/libsqlthrottle_c.libs'

# Whether the place may be written is better known before the minutes of building than after.
install-c: ## Install the C library (PREFIX=/usr/local LIBDIR=lib INCLUDEDIR=include DESTDIR=)
	@case '$(PREFIX)' in '~'*) echo "PREFIX is '$(PREFIX)', which no shell has read: write \$$HOME for ~" >&2; exit 1;; esac
	@mkdir -p '$(DESTDIR)$(PREFIX)' && test -w '$(DESTDIR)$(PREFIX)' || \
		{ echo "cannot write to $(DESTDIR)$(PREFIX): choose another PREFIX" >&2; exit 1; }
	$(MAKE) c-library
	cargo run --locked --package xtask --no-default-features -- install-c --prefix '$(PREFIX)' --libdir '$(LIBDIR)' \
		--includedir '$(INCLUDEDIR)' --built '$(C_BUILT)' $(if $(DESTDIR),--destdir '$(DESTDIR)')

# What install-c writes; an older version's file beside it stays, because programs may be running with it.
C_LIBDIR = $(DESTDIR)$(if $(filter /%,$(LIBDIR)),,$(PREFIX)/)$(LIBDIR)
C_INCLUDEDIR = $(DESTDIR)$(if $(filter /%,$(INCLUDEDIR)),,$(PREFIX)/)$(INCLUDEDIR)

uninstall-c: ## Remove what install-c has installed (with the same variables)
	rm -f '$(C_INCLUDEDIR)/sqlthrottle.h' '$(C_LIBDIR)/pkgconfig/sqlthrottle.pc' \
		'$(C_LIBDIR)'/libsqlthrottle.a '$(C_LIBDIR)'/libsqlthrottle.so* '$(C_LIBDIR)'/libsqlthrottle.*dylib
	rm -rf '$(C_LIBDIR)/cmake/sqlthrottle'

c-setup: setup
	@command -v c++ >/dev/null && command -v cmake >/dev/null && command -v pkg-config >/dev/null && \
		command -v abidw >/dev/null && command -v valgrind >/dev/null || \
		{ $(call apt_get,g++ cmake make pkg-config abigail-tools valgrind); }

# The variables of an installation that somebody has in the environment are not those of the checks.
c-test: c-setup ## Check the header, the installed C library, and programs that are built with it
	rm -rf '$(C_PREFIX)'
	$(MAKE) install-c PREFIX='$(C_PREFIX)' LIBDIR=lib INCLUDEDIR=include DESTDIR=
	cargo run --quiet --locked --package xtask -- header --check
	sh $(C_TESTS)/header.sh '$(C_PREFIX)/include/sqlthrottle.h'
	sh $(C_TESTS)/symbols.sh '$(C_PREFIX)'
	sh $(C_TESTS)/shared.sh '$(C_PREFIX)'
	sh $(C_TESTS)/quickstart.sh '$(C_PREFIX)'
	sh $(C_TESTS)/consumer.sh '$(C_PREFIX)'
	sh $(C_TESTS)/two_archives.sh '$(C_PREFIX)'
	sh $(C_TESTS)/install.sh '$(C_BUILT)'
	sh $(C_TESTS)/abi.sh check include/sqlthrottle.h $(ABI_BASELINE)
	sh $(C_TESTS)/abi_faults.sh include/sqlthrottle.h $(ABI_BASELINE)
	$(MAKE) c-memory c-coroutine c-guard
	$(MAKE) c-examples-test PREFIX='$(C_PREFIX)' LIBDIR=lib

# A C program that frees what it was given loses nothing, and reads nothing that is not there.
c-memory:
	cc -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -g $(C_TESTS)/memory.c -o '$(C_PREFIX)/memory' \
		$$(PKG_CONFIG_PATH='$(C_PREFIX)/lib/pkgconfig' pkg-config --cflags --libs sqlthrottle) -Wl,-rpath,'$(C_PREFIX)/lib'
	valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=1 '$(C_PREFIX)/memory'

# A host may run a check on a stack that is not its thread's.
c-coroutine:
	cc -std=c99 -Wall -Wextra -Wpedantic -Werror $(C_TESTS)/coroutine.c -o '$(C_PREFIX)/coroutine' -pthread \
		$$(PKG_CONFIG_PATH='$(C_PREFIX)/lib/pkgconfig' pkg-config --cflags --libs sqlthrottle) -Wl,-rpath,'$(C_PREFIX)/lib'
	'$(C_PREFIX)/coroutine'

# A panic that is caught in one profile could end the host in another.
c-guard: setup
	cargo test --quiet --locked --release --package sqlthrottle-c --lib guard

# As `sanitize` does it; a short one without the sanitizer is among the ordinary tests.
c-soak: setup ## Run 8 threads on the C library under AddressSanitizer (C_SOAK_SECONDS=60)
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer" \
	CARGO_TARGET_DIR=$(SANITIZE_TARGET)/address C_SOAK_SECONDS=$(or $(C_SOAK_SECONDS),60) \
		cargo test --locked --package sqlthrottle-c --test threads --target $(HOST) -- --ignored --nocapture

# What compiled programs rely on. Until the first release with a C library it may be written anew with any change. From then on only
# with what such programs do not notice, and a higher SQLTHROTTLE_ABI_VERSION: a new function, a new enumerator, a new field at the
# end of a struct that begins with its size. Anything else is another interface: it has another SONAME, in bindings/c/build.rs and
# xtask/src/install.rs, and so a baseline of another name.
ABI_BASELINE := $(C)/abi/libsqlthrottle.so.0.abi

abi-baseline: c-setup ## Write the baseline of the binary interface anew; see bindings/c/c.mk for when
	sh $(C_TESTS)/abi.sh write include/sqlthrottle.h $(ABI_BASELINE)
