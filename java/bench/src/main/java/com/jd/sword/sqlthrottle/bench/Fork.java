package com.jd.sword.sqlthrottle.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A JVM that measures one subject and ends. It is short, so that there can be many in turns: what the machine does meanwhile, and what
 * the compiler makes of a subject this time, meets all of them.
 *
 * @param millis of one stretch; there are {@link #STRETCHES} after a warm-up
 */
record Fork(Jdk jdk, Subject subject, int millis) {
    private static final int STRETCHES = 5;
    private static final String GARBAGE = "gc.alloc.rate.norm";
    /** Else Sentinel leaves its files in the home directory. */
    private static final String SENTINEL_FILES =
            "-Dcsp.sentinel.log.dir=" + Path.of(System.getProperty("java.io.tmpdir"), "sqlthrottle-bench");

    void run(Samples samples) {
        ChainedOptionsBuilder chosen = new OptionsBuilder()
                .include(subject.pattern())
                .jvm(jdk.java().toString())
                .jvmArgsAppend(options())
                .forks(1)
                .threads(subject.threads())
                .mode(Mode.Throughput)
                .timeUnit(TimeUnit.NANOSECONDS)
                .warmupIterations(subject.warmUps())
                .warmupTime(TimeValue.milliseconds(2L * millis))
                .measurementIterations(STRETCHES)
                .measurementTime(TimeValue.milliseconds(millis))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        if (subject == Subject.IS_ALLOWED) {
            chosen.addProfiler(GCProfiler.class);
        }
        try {
            BenchmarkResult result = new Runner(chosen.build()).runSingle().getBenchmarkResults().iterator().next();
            result.getIterationResults().forEach(stretch -> add(stretch, samples));
        } catch (RunnerException e) {
            samples.failed(subject, cause(e));
        }
    }

    private String[] options() {
        List<String> options = new ArrayList<>(jdk.options());
        options.add(SENTINEL_FILES);
        options.add("-Dproject.name=bench");
        return options.toArray(String[]::new);
    }

    /** What the fork has said: it is the first of what JMH hangs to its own. */
    private static String cause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null || cause.getSuppressed().length > 0) {
            cause = cause.getCause() != null ? cause.getCause() : cause.getSuppressed()[0];
        }
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    private void add(IterationResult stretch, Samples samples) {
        double calls = stretch.getPrimaryResult().getScore();
        double processor = stretch.getSecondaryResults().get("processor").getScore();
        // Of two threads it matters how they are in each other's way, which the time on a processor does not tell.
        samples.add(subject, subject.threads() == 1 ? processor / calls : subject.threads() / calls);
        Result<?> garbage = stretch.getSecondaryResults().get(GARBAGE);
        if (garbage != null) {
            samples.addGarbage(garbage.getScore());
        }
    }
}
