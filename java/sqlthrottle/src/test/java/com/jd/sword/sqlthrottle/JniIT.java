package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The native boundary, in JVMs that look at it closely. */
class JniIT {
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    @Test
    void theJvmFindsNothingWrongWithAnyCall() throws Exception {
        List<String> options = Arrays.asList("-Xcheck:jni", "-Xmx128m", NATIVE_ACCESS);
        PackagedJar.Result result = PackagedJar.run(EveryCall.class, options);
        assertThat(result.output).isEqualToIgnoringNewLines(EveryCall.DONE);
        assertThat(result.status).isZero();
    }

    /** Arrays move, and objects die as soon as they may. */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-Xint"})
    void everyCallIsMadeWhateverTheCollector(String option) throws Exception {
        PackagedJar.Result result = PackagedJar.run(EveryCall.class, Arrays.asList(option, "-Xmx48m", NATIVE_ACCESS));
        assertThat(result.output).isEqualToIgnoringNewLines(EveryCall.DONE);
        assertThat(result.status).isZero();
    }

    @Test
    void itsFileIsLoadedFromWhereThePropertySays() throws Exception {
        PackagedJar.Result result = PackagedJar.run(EveryCall.class,
                Arrays.asList("-D" + NativeLibrary.PATH_PROPERTY + "=/nowhere/lib.so", NATIVE_ACCESS));
        assertThat(result.status).isNotZero();
        assertThat(result.output).contains("/nowhere/lib.so", "no such file");
    }
}
