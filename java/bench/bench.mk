# The benches of Java, as a part of the Makefile at the root, which includes it; every path is seen from there.

BENCH_JAVA := java/bench/target/sqlthrottle-bench.jar
# Rounds, and milliseconds of a stretch that is timed: `make bench-java BENCH_ROUNDS=15` for steadier figures.
BENCH_ROUNDS ?= 3
BENCH_MILLIS ?= 250

.PHONY: bench-java

bench-java: java-setup ## Print the table of Java, in some 10 minutes (BENCH_ROUNDS=3 BENCH_MILLIS=250 ARGS="--only Sentinel")
	$(MAVEN) --projects bench --also-make -DskipTests package
	java -jar $(BENCH_JAVA) $$(sh java/jdks.sh | sed 's/^/--jdk /') --rounds $(BENCH_ROUNDS) --millis $(BENCH_MILLIS) $(ARGS)
