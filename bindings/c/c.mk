# The C library: its header and its installation.

.PHONY: header install-c

PREFIX ?= /usr/local
LIBDIR ?= lib
INCLUDEDIR ?= include

header: setup ## Write include/sqlthrottle.h from the sources of bindings/c
	cargo run --quiet --locked --package xtask -- header

install-c: setup ## Install the C library (PREFIX=/usr/local LIBDIR=lib INCLUDEDIR=include DESTDIR=)
	cargo build --locked --release --package sqlthrottle-c
	cargo run --quiet --locked --package xtask -- install-c --prefix '$(PREFIX)' --libdir '$(LIBDIR)' \
		--includedir '$(INCLUDEDIR)' --built '$(abspath $(or $(CARGO_TARGET_DIR),target))/release' \
		$(if $(DESTDIR),--destdir '$(DESTDIR)')
