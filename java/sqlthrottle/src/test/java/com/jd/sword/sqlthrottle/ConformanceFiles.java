package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The cases that every language shares: {@code tests/conformance} at the root of the repository. */
final class ConformanceFiles {
    private static final Path ROOT = Paths.get("../../tests/conformance").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

    private ConformanceFiles() {}

    /**
     * Runs every case of a kind, and fails with all faults.
     *
     * @param kind the directory
     * @param list what a file calls its cases
     * @param run says what is wrong with a case; null for nothing
     */
    static void runEvery(String kind, String list, Function<JsonNode, String> run) throws IOException {
        JsonNode index = JSON.readTree(ROOT.resolve("index.json").toFile()).get(kind);
        List<String> faults = new ArrayList<>();
        Set<String> named = new TreeSet<>();
        int total = 0;
        for (JsonNode entry : index.get("files")) {
            String name = entry.get("file").asText();
            named.add(name);
            JsonNode cases = only(JSON.readTree(ROOT.resolve(name).toFile()), "topic", list).get(list);
            assertThat(cases.size()).as(name).isEqualTo(entry.get("cases").asInt());
            total += cases.size();
            for (JsonNode one : cases) {
                String fault = run.apply(one);
                if (fault != null) {
                    faults.add(one.get("id").asText() + ": " + one.get("about").asText() + "\n  " + fault);
                }
            }
        }
        assertThat(String.join("\n", faults)).as(faults.size() + " of " + total).isEmpty();
        assertThat(total).isEqualTo(index.get("cases").asInt());
        try (Stream<Path> files = Files.list(ROOT.resolve(kind))) {
            Set<String> there = files.map(file -> kind + '/' + file.getFileName()).collect(Collectors.toSet());
            assertThat(named).as("files that the index names").isEqualTo(there);
        }
    }

    /** An object that has no other fields than these: a misspelt one is not passed over. */
    static JsonNode only(JsonNode object, String... fields) {
        object.fieldNames().forEachRemaining(field -> assertThat(Arrays.asList(fields)).contains(field));
        return object;
    }

    static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(item -> strings.add(item.isNull() ? null : item.asText()));
        return strings;
    }
}
