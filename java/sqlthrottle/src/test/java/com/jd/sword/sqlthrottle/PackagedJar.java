package com.jd.sword.sqlthrottle;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The jar as it ships, which the build names, and programs that are run with it. */
final class PackagedJar {
    private PackagedJar() {}

    static Path path() {
        return Paths.get(System.getProperty("packaged.jar")).toAbsolutePath();
    }

    /** Runs the main class of a test in a JVM of its own, with nothing but the jar and the tests' classes. */
    static Result run(Class<?> main, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(Arrays.asList("-cp", path() + File.pathSeparator + testClasses(), main.getName()));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), output);
    }

    static Path testClasses() {
        try {
            return Paths.get(PackagedJar.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException malformed) {
            throw new AssertionError(malformed);
        }
    }

    /** What became of a program. */
    static final class Result {
        final int status;
        final String output;

        Result(int status, String output) {
            this.status = status;
            this.output = output;
        }
    }
}
