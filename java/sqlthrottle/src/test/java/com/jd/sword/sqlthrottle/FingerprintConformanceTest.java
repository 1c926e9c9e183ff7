package com.jd.sword.sqlthrottle;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FingerprintConformanceTest {
    /** By their rules: most cases have the same. */
    private final Map<String, Throttle> throttles = new HashMap<>();

    @AfterEach
    void close() {
        throttles.values().forEach(Throttle::close);
    }

    @Test
    void everyCaseHolds() throws Exception {
        ConformanceFiles.runEvery("fingerprint", "cases", this::run);
    }

    private String run(JsonNode one) {
        ConformanceFiles.only(one, "id", "about", "dialect", "options", "sql", "normalized", "fingerprint", "text", "same", "differ");
        Subject subject = new Subject(one);
        if (one.has("sql")) {
            byte[] sql = bytes(one.get("sql"));
            String fingerprint = subject.fingerprint(sql);
            if (!Arrays.equals(subject.normalized(sql), bytes(one.get("normalized")))) {
                return "normalised: " + new String(subject.normalized(sql), StandardCharsets.UTF_8);
            }
            if (one.has("fingerprint") && !one.get("fingerprint").asText().equals(fingerprint)) {
                return "fingerprint: " + fingerprint;
            }
            return subject.fault;
        }
        boolean isSame = one.has("same");
        List<String> fingerprints = new ArrayList<>();
        for (JsonNode statement : one.get(isSame ? "same" : "differ")) {
            fingerprints.add(subject.fingerprint(bytes(statement)));
        }
        long distinct = fingerprints.stream().distinct().count();
        if (distinct != (isSame ? 1 : fingerprints.size())) {
            return fingerprints.size() + " statements have " + distinct + " fingerprints";
        }
        return subject.fault;
    }

    private static byte[] bytes(JsonNode text) {
        if (text.isTextual()) {
            return text.asText().getBytes(StandardCharsets.UTF_8);
        }
        if (text.has("hex")) {
            ConformanceFiles.only(text, "hex");
            String digits = text.get("hex").asText();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = 0; i < digits.length(); i += 2) {
                bytes.write(Integer.parseInt(digits.substring(i, i + 2), 16));
            }
            return bytes.toByteArray();
        }
        ConformanceFiles.only(text, "prefix", "unit", "times", "suffix");
        String whole = text.get("prefix").asText() + text.get("unit").asText().repeat(text.get("times").asInt())
                + text.get("suffix").asText();
        return whole.getBytes(StandardCharsets.UTF_8);
    }

    /** A throttle that has the options of a case, and what was found wrong of statements of any kind. */
    private final class Subject {
        private final Throttle throttle;
        private final Dialect dialect;
        private final String algorithm;
        private String fault;

        Subject(JsonNode one) {
            JsonNode options = one.has("options")
                    ? ConformanceFiles.only(one.get("options"), "hash", "in_lists", "fold_digits", "max_sql_bytes")
                    : one.path("options");
            String hash = options.path("hash").asText("sha256");
            algorithm = hash.equals("md5") ? "MD5" : hash.replace("sha", "SHA-");
            dialect = Dialect.ofName(one.get("dialect").asText()).orElseThrow();
            // `max_sql_bytes` is for what is printed for people, and Java has no such text.
            throttle = throttles.computeIfAbsent("dialect: " + dialect + "\nfingerprint: {hash: " + hash + ", in_lists: "
                    + options.path("in_lists").asText("collapse") + ", fold_digits: " + options.path("fold_digits").asText("false") + "}",
                    Throttle::of);
        }

        String fingerprint(byte[] sql) {
            byte[] normalized = normalized(sql);
            String fingerprint = Utf8.decode(throttle.checker().engine().fingerprint(sql, 0), 1);
            String text = new String(sql, StandardCharsets.UTF_8);
            if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), sql)) {
                // What is a text of Java goes through its front door, by the dialect of the rules and by its number.
                expect(fingerprint, throttle.fingerprint(text));
                expect(fingerprint, throttle.fingerprint(text, dialect));
                expect(new String(normalized, StandardCharsets.UTF_8), throttle.normalize(text));
                expect(fingerprint, throttle.check(text).fingerprint());
            }
            if (!Arrays.equals(normalized(normalized), normalized)) {
                fault = "normalised again it is another";
            }
            expect(hash(normalized), fingerprint);
            return fingerprint;
        }

        byte[] normalized(byte[] sql) {
            byte[] reply = throttle.checker().engine().normalize(sql, 0);
            return Arrays.copyOfRange(reply, 1, reply.length);
        }

        private void expect(String expected, String got) {
            if (!expected.equals(got)) {
                fault = "expected " + expected + ", got " + got;
            }
        }

        private String hash(byte[] normalized) {
            try {
                return new Digest(MessageDigest.getInstance(algorithm).digest(normalized)).toString();
            } catch (NoSuchAlgorithmException missing) {
                throw new AssertionError(missing);
            }
        }
    }
}
