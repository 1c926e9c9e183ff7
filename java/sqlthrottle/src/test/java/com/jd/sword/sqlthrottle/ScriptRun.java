package com.jd.sword.sqlthrottle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Runs a decision script: a throttle, its clock, and one step after another. What the script does in place of a provider's host is done by
 * the engine beneath.
 */
final class ScriptRun implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ManualClock clock = new ManualClock();
    private final Throttle throttle;
    /** With a provider, checks are not to ask it: the script says what it answers. */
    private final int flags;
    private final Map<String, Decision> answers = new HashMap<>();
    private final Map<String, PreparedCheck> prepared = new HashMap<>();

    ScriptRun(JsonNode script) {
        if (script.has("wall")) {
            clock.setWall(Instant.parse(script.get("wall").asText()));
        }
        boolean provides = script.path("provider").asBoolean();
        flags = provides ? NativeEngine.NO_REFILL : 0;
        throttle = Throttle.builder().rules(lines(script.get("rules"))).clock(clock).refresh(false)
                .thresholdProvider(provides ? fingerprint -> Optional.empty() : null).open();
    }

    @Override
    public void close() {
        throttle.close();
        clock.close();
    }

    /** What is otherwise than expected; null for nothing. */
    String step(JsonNode step) {
        switch (step.fieldNames().next()) {
            case "check": {
                String sql = step.get("check").get("sql").asText();
                StatementContext context = context(step.get("check"));
                return ask(step, "check", () -> flags == 0
                        ? throttle.check(sql, context)
                        : throttle.statements(context.dialect())
                                .check(sql, context.encoded(), context.fakes().number(), context.weight(), flags));
            }
            case "prepare":
                ConformanceFiles.only(step, "prepare", "as");
                prepared.put(step.get("as").asText(),
                        throttle.prepare(step.get("prepare").get("sql").asText(), context(step.get("prepare"))));
                return null;
            case "check_prepared": {
                PreparedCheck known = prepared.get(step.get("check_prepared").asText());
                return ask(step, "check_prepared", () -> flags == 0 ? known.check() : known.check(known.weight(), flags));
            }
            case "request": {
                StatementContext context = context(step.get("request"));
                return ask(step, "request", () -> throttle.checkRequest(context));
            }
            case "resume": {
                Decision delayed = answer(step.get("resume"));
                return delayed.ticket() == 0 ? "there is no ticket" : ask(step, "resume", () -> throttle.resume(delayed));
            }
            case "release": {
                ConformanceFiles.only(step, "release", "released");
                Decision held = answer(step.get("release"));
                boolean released = throttle.release(held);
                return !held.hasPermit() ? "there is no permit"
                        : step.has("released") && step.get("released").asBoolean() != released ? "released: " + released : null;
            }
            case "advance":
                ConformanceFiles.only(step, "advance");
                clock.advance(duration(step.get("advance").asText()));
                return null;
            case "wall":
                ConformanceFiles.only(step, "wall");
                clock.setWall(Instant.parse(step.get("wall").asText()));
                return null;
            case "reload":
                ConformanceFiles.only(step, "reload");
                throttle.reload(lines(step.get("reload")));
                return null;
            case "reload_fails":
                return reloadFails(ConformanceFiles.only(step, "reload_fails", "code"));
            case "admin":
                return admin(ConformanceFiles.only(step, "admin", "added", "removed", "listed", "listed_removed", "refused"));
            case "set_threshold":
                return setThreshold(ConformanceFiles.only(step, "set_threshold", "threshold", "ttl"));
            case "thresholds_due":
                return thresholdsDue(ConformanceFiles.only(step, "thresholds_due", "due"));
            case "after_fork":
                ConformanceFiles.only(step, "after_fork");
                throttle.afterRestore();
                return null;
            case "snapshot":
                return snapshot(ConformanceFiles.only(step, "snapshot").get("snapshot"));
            default:
                throw new AssertionError("nobody knows the step " + step);
        }
    }

    private String ask(JsonNode step, String key, Supplier<Decision> check) {
        ConformanceFiles.only(step, key, "times", "as", "expect");
        for (int time = 1; time <= step.path("times").asInt(1); time++) {
            Decision decision = check.get();
            String fault = compare(step.get("expect"), decision);
            if (fault != null) {
                return "answer " + time + ": " + fault + "; it is " + decision;
            }
            if (step.has("as")) {
                answers.put(step.get("as").asText(), decision);
            }
        }
        return null;
    }

    private static String compare(JsonNode expect, Decision got) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("verdict", got.verdict().toString());
        fields.put("reason", got.reason().toString());
        fields.put("rule", got.rule());
        fields.put("count", got.count());
        fields.put("limit", got.limit());
        fields.put("retry_after", got.retryAfter());
        fields.put("delay", got.delay());
        fields.put("observed", got.observed() == null ? null : got.observed().toString());
        fields.put("overflow", got.overflow());
        fields.put("permit", got.hasPermit());
        fields.put("custom", got.custom());
        for (Map.Entry<String, JsonNode> field : expect.properties()) {
            String name = field.getKey();
            if (!fields.containsKey(name)) {
                throw new AssertionError("a decision has no " + name);
            }
            JsonNode value = field.getValue();
            Object expected = value.isNull() ? null
                    : value.isBoolean() ? (Object) value.asBoolean()
                    : value.isNumber() ? (Object) value.asLong()
                    : name.equals("retry_after") || name.equals("delay") ? duration(value.asText()) : value.asText();
            if (!Objects.equals(expected, fields.get(name))) {
                return name + ": expected " + expected + ", got " + fields.get(name);
            }
        }
        return null;
    }

    private String reloadFails(JsonNode step) {
        try {
            throttle.reload(lines(step.get("reload_fails")));
            return "the rules are accepted";
        } catch (SqlThrottleException refused) {
            return refused.codes().contains(step.get("code").asText()) ? null : refused.getMessage();
        }
    }

    private String admin(JsonNode step) {
        JsonNode answer;
        try {
            answer = read(throttle.admin(step.get("admin").asText()));
        } catch (SqlThrottleException refused) {
            return step.path("refused").asBoolean() ? null : refused.getMessage();
        }
        boolean isAsExpected;
        if (answer.has("rules")) {
            List<String> listed = new ArrayList<>();
            answer.get("rules").forEach(rule -> listed.add(rule.get("name").asText()));
            isAsExpected = step.has("listed") && listed.equals(ConformanceFiles.strings(step.get("listed")))
                    && (!step.has("listed_removed") || step.get("listed_removed").equals(answer.get("removed")));
        } else {
            String key = answer.fieldNames().next();
            isAsExpected = step.path(key).equals(answer.get(key));
        }
        return isAsExpected ? null : answer.toString();
    }

    private String setThreshold(JsonNode step) {
        JsonNode given = step.get("threshold");
        Threshold threshold = null;
        if (!given.isNull()) {
            ConformanceFiles.only(given, "max_count", "window", "buckets", "rate", "strategy");
            Threshold.Builder builder = Threshold.builder(given.get("max_count").asInt());
            if (given.has("window")) {
                builder.window(duration(given.get("window").asText()));
            }
            if (given.has("buckets")) {
                builder.buckets(given.get("buckets").asInt());
            }
            if (given.has("rate")) {
                builder.rate(given.get("rate").asText());
            }
            if (given.path("strategy").asText().equals("ignore")) {
                builder.ignore();
            }
            threshold = builder.build();
        }
        long timeToLive = Nanos.of(duration(step.get("ttl").asText()));
        throttle.checker().engine().setThreshold(answer(step.get("set_threshold")).digest(), threshold, timeToLive);
        return null;
    }

    private String thresholdsDue(JsonNode step) {
        ByteBuffer due = ByteBuffer.wrap(throttle.checker().engine().thresholdsDue(step.get("thresholds_due").asInt()), 1, 0);
        due.limit(due.capacity());
        List<String> got = new ArrayList<>();
        while (due.hasRemaining()) {
            byte[] digest = new byte[due.get()];
            due.get(digest);
            got.add(new Digest(digest).toString());
        }
        List<String> expected = new ArrayList<>();
        step.get("due").forEach(name -> expected.add(answer(name).fingerprint()));
        Collections.sort(got);
        Collections.sort(expected);
        return got.equals(expected) ? null : "due: expected " + expected + ", got " + got;
    }

    private String snapshot(JsonNode expected) {
        Map<String, JsonNode> rules = new HashMap<>();
        read(throttle.snapshot()).get("rules").forEach(rule -> rules.put(rule.get("name").asText(), rule));
        for (Map.Entry<String, JsonNode> rule : expected.properties()) {
            JsonNode got = rules.get(rule.getKey());
            if (rule.getValue().isNull() != (got == null)) {
                return rule.getKey() + ": " + got;
            }
            for (Map.Entry<String, JsonNode> counter : rule.getValue().properties()) {
                if (!got.has(counter.getKey()) || got.get(counter.getKey()).asLong() != counter.getValue().asLong()) {
                    return rule.getKey() + '.' + counter.getKey() + ": " + got.get(counter.getKey());
                }
            }
        }
        return null;
    }

    private Decision answer(JsonNode name) {
        Decision answer = answers.get(name.asText());
        if (answer == null) {
            throw new AssertionError("no answer is called " + name);
        }
        return answer;
    }

    private static StatementContext context(JsonNode said) {
        ConformanceFiles.only(said, "sql", "user", "client", "database", "tags", "params", "dialect", "weight", "fakes");
        StatementContext.Builder builder = StatementContext.builder().user(said.path("user").asText(null))
                .client(said.path("client").asText(null)).database(said.path("database").asText(null));
        said.path("tags").properties().forEach(tag -> builder.tag(tag.getKey(), tag.getValue().asText()));
        builder.parameters(ConformanceFiles.strings(said.path("params")));
        if (said.has("dialect")) {
            builder.dialect(Dialect.ofName(said.get("dialect").asText()).orElseThrow());
        }
        if (said.has("fakes")) {
            builder.fakes(Fakes.valueOf(said.get("fakes").asText().toUpperCase(Locale.ROOT)));
        }
        return builder.weight(said.path("weight").asInt(1)).build();
    }

    private static String lines(JsonNode rules) {
        return String.join("\n", ConformanceFiles.strings(rules));
    }

    private static Duration duration(String text) {
        int unit = 0;
        while (Character.isDigit(text.charAt(unit))) {
            unit++;
        }
        long number = Long.parseLong(text.substring(0, unit));
        switch (text.substring(unit)) {
            case "ns":
                return Duration.ofNanos(number);
            case "us":
                return Duration.ofNanos(number * 1_000);
            case "ms":
                return Duration.ofMillis(number);
            case "s":
                return Duration.ofSeconds(number);
            default:
                throw new AssertionError("no duration is written " + text);
        }
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }
}
