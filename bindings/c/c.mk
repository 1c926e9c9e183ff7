# The C library: its header, and its installation.

C_BUILT := $(abspath $(or $(CARGO_TARGET_DIR),target))/release

PREFIX ?= /usr/local
LIBDIR ?= lib
INCLUDEDIR ?= include

.PHONY: header c-library install-c

header: setup ## Write include/sqlthrottle.h from the sources of bindings/c
	cargo run --quiet --locked --package xtask -- header

# Without the form of it that Rust's tests link: beside that one, cargo leaves out link-time optimisation. The compiler is the one
# to say what else a program needs that links the static library.
c-library: setup
	cargo rustc --locked --release --package sqlthrottle-c --lib --crate-type cdylib,staticlib -- \
		--print 'native-static-libs=$(C_BUILT)/libsqlthrottle_c.libs'

install-c: c-library ## Install the C library (PREFIX=/usr/local LIBDIR=lib INCLUDEDIR=include DESTDIR=)
	cargo run --quiet --locked --package xtask -- install-c --prefix '$(PREFIX)' --libdir '$(LIBDIR)' \
		--includedir '$(INCLUDEDIR)' --built '$(C_BUILT)' $(if $(DESTDIR),--destdir '$(DESTDIR)')
