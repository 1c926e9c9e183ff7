# The examples of the C library, which are run against an installed one (PREFIX=/usr/local LIBDIR=lib), and the bench that goes through them.

C_EXAMPLES_HAVE = command -v python3 && command -v go && pkg-config --exists libpq libmariadb && \
	command -v my_print_defaults && command -v mariadb-install-db && ls /usr/sbin/mariadbd && ls /usr/lib/postgresql/*/bin/initdb
# Of MariaDB the programs alone: nothing is to start a server of the machine's own.
C_EXAMPLES_PACKAGES := gcc libc6-dev make pkg-config python3 golang-go libpq-dev libmariadb-dev postgresql \
	mariadb-server-core mariadb-client-core
# Where the bench has the library installed.
C_BENCH_PREFIX := $(abspath $(or $(CARGO_TARGET_DIR),target))/c-bench

.PHONY: c-examples-setup c-examples-test bench-db

c-examples-setup: setup
	@( $(C_EXAMPLES_HAVE) ) >/dev/null 2>&1 || { $(call apt_get,$(C_EXAMPLES_PACKAGES)); }

c-examples-test: c-examples-setup ## Run the examples of the C library: the server before PostgreSQL and MariaDB, Go, Python (PREFIX=/usr/local)
	PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' python3 -B bindings/c/tests/examples.py

# Some six minutes on two cores, the build of the library aside. Python has the defaults, and gets the variables by its environment.
bench-db: c-examples-setup ## Bench clients, server, PostgreSQL, MariaDB (CONNECTIONS="16 200 1000" DATABASES="postgresql mariadb" RUN_SECONDS=2 ROUNDS=3)
	$(MAKE) install-c PREFIX='$(C_BENCH_PREFIX)' LIBDIR=lib INCLUDEDIR=include DESTDIR=
	PREFIX='$(C_BENCH_PREFIX)' LIBDIR=lib python3 -B bindings/c/bench/bench_db.py
