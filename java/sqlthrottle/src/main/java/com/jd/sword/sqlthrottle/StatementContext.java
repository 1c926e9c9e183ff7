package com.jd.sword.sqlthrottle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Who sends a statement or makes a request, where to, and how the statement is to be read and counted. What is not known is left
 * out: an absent user, client, database or tag is not the same as an empty one.
 *
 * <p>Immutable. What rules read of it is encoded once, when it is built, so one that serves many checks is worth keeping.
 */
public final class StatementContext {
    /** Most tags that a context may have. */
    public static final int MAX_TAGS = 256;

    private static final StatementContext EMPTY = builder().build();

    private final String user;
    private final String client;
    private final String database;
    private final Map<String, String> tags;
    private final List<String> parameters;
    private final Dialect dialect;
    private final int weight;
    private final Fakes fakes;
    /** User, client, database and tags, as the native library reads them; empty where there are none. */
    private final byte[] encoded;
    /** The same with the parameters. */
    private final byte[] encodedWithParameters;
    /** Null where it was not asked for, and where it is this one. */
    private volatile StatementContext ofAny;
    /** The last that this one was laid over, and what came of it. */
    private volatile Overlay overlay;

    private StatementContext(Builder builder) {
        user = builder.user;
        client = builder.client;
        database = builder.database;
        tags = Collections.unmodifiableMap(new LinkedHashMap<>(builder.tags));
        parameters = builder.parameters;
        dialect = builder.dialect;
        weight = builder.weight;
        fakes = builder.fakes;
        encoded = ContextEncoder.context(user, client, database, tags);
        encodedWithParameters = ContextEncoder.withParameters(encoded, parameters);
    }

    /** A context of which more is to be said. */
    public static Builder builder() {
        return new Builder();
    }

    /** A context of nobody in particular. */
    public static StatementContext empty() {
        return EMPTY;
    }

    /**
     * Of a user and a client.
     *
     * @param user as {@link Builder#user}, or null
     * @param client as {@link Builder#client}, or null
     */
    public static StatementContext of(String user, String client) {
        return builder().user(user).client(client).build();
    }

    /** The user; null where none is said. */
    public String user() {
        return user;
    }

    /** The address of the client; null where none is said. */
    public String client() {
        return client;
    }

    /** The database; null where none is said. */
    public String database() {
        return database;
    }

    /** The tags, by name. */
    public Map<String, String> tags() {
        return tags;
    }

    /** The bound parameters in order; null within stands for NULL and for what has no textual form. */
    public List<String> parameters() {
        return parameters;
    }

    /** The dialect of the statement; null for the one that the rule file says. */
    public Dialect dialect() {
        return dialect;
    }

    /** How many executions a check speaks for. */
    public int weight() {
        return weight;
    }

    /** What the caller can stand in for when the statement is ignored. */
    public Fakes fakes() {
        return fakes;
    }

    /**
     * This context, and where it does not say the user, the client, the database, a tag or the dialect, what the other one says.
     * Parameters, weight and fakes are this one's.
     *
     * @param defaults the other one, or null
     */
    public StatementContext withDefaults(StatementContext defaults) {
        if (defaults == null || defaults == this) {
            return this;
        }
        // Both are often the same as before: an endpoint's over a connection's.
        Overlay last = overlay;
        if (last != null && last.defaults == defaults) {
            return last.whole;
        }
        Builder builder = toBuilder();
        builder.user = user != null ? user : defaults.user;
        builder.client = client != null ? client : defaults.client;
        builder.database = database != null ? database : defaults.database;
        builder.dialect = dialect != null ? dialect : defaults.dialect;
        for (Map.Entry<String, String> tag : defaults.tags.entrySet()) {
            if (builder.tags.size() < MAX_TAGS) {
                builder.tags.putIfAbsent(tag.getKey(), tag.getValue());
            }
        }
        StatementContext whole = builder.build();
        overlay = new Overlay(defaults, whole);
        return whole;
    }

    /** Who sends it, where to and in which dialect, which holds for many statements; without what is said of one: weight, fakes, parameters. */
    StatementContext ofAny() {
        if (parameters.isEmpty() && weight == 1 && fakes == Fakes.NONE) {
            return this;
        }
        StatementContext known = ofAny;
        if (known == null) {
            known = toBuilder().parameters().weight(1).fakes(Fakes.NONE).build();
            ofAny = known;
        }
        return known;
    }

    /** A builder that begins with all of this context. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.user = user;
        builder.client = client;
        builder.database = database;
        builder.tags.putAll(tags);
        builder.parameters = parameters;
        builder.dialect = dialect;
        builder.weight = weight;
        builder.fakes = fakes;
        return builder;
    }

    /** What rules read of it, as the native library takes it; null where there is nothing. Not to be changed. */
    byte[] encoded() {
        return orNull(encodedWithParameters);
    }

    /** The same with these parameters in place of its own. */
    byte[] encoded(List<String> others) {
        return others == null ? encoded() : orNull(ContextEncoder.withParameters(encoded, others));
    }

    /** For logs; has values, but no parameters, which are data. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("StatementContext[user=").append(user).append(", client=").append(client)
                .append(", database=").append(database).append(", tags=").append(tags);
        return text.append(", dialect=").append(dialect).append(", weight=").append(weight).append(", fakes=").append(fakes)
                .append(", parameters=").append(parameters.size()).append(']').toString();
    }

    private static byte[] orNull(byte[] bytes) {
        return bytes.length == 0 ? null : bytes;
    }

    private static final class Overlay {
        final StatementContext defaults;
        final StatementContext whole;

        Overlay(StatementContext defaults, StatementContext whole) {
            this.defaults = defaults;
            this.whole = whole;
        }
    }

    /** What a context is made of. */
    public static final class Builder {
        private String user;
        private String client;
        private String database;
        private final Map<String, String> tags = new LinkedHashMap<>();
        private List<String> parameters = Collections.emptyList();
        private Dialect dialect;
        private int weight = 1;
        private Fakes fakes = Fakes.NONE;

        private Builder() {}

        /**
         * The database user, or whoever else is to be told apart; {@code name@host} stands for both where no client is said. Null
         * for nobody known.
         */
        public Builder user(String name) {
            user = name;
            return this;
        }

        /** The address of the client, in its textual form and without a port; null for none known. */
        public Builder client(String address) {
            client = address;
            return this;
        }

        /** The database; null for none known. */
        public Builder database(String name) {
            database = name;
            return this;
        }

        /**
         * A tag, such as an endpoint or a tenant. Of a name that is given twice the later value holds, and null takes it out.
         *
         * @throws IllegalArgumentException there are {@link #MAX_TAGS} others already
         */
        public Builder tag(String name, String value) {
            Objects.requireNonNull(name, "name");
            if (value == null) {
                tags.remove(name);
            } else if (tags.put(name, value) == null && tags.size() > MAX_TAGS) {
                tags.remove(name);
                throw new IllegalArgumentException("a context has at most " + MAX_TAGS + " tags");
            }
            return this;
        }

        /** Several {@linkplain #tag tags}. */
        public Builder tags(Map<String, String> others) {
            others.forEach(this::tag);
            return this;
        }

        /**
         * The bound parameters in order, in place of others: each in the textual form that a constant in its place would have,
         * without quotes. Null stands for NULL, and for what has no such form. Rules that count by a column, or match one, read
         * them.
         */
        public Builder parameters(String... values) {
            return parameters(Arrays.asList(values));
        }

        /** The same from a list, which is copied. */
        public Builder parameters(List<String> values) {
            parameters = Collections.unmodifiableList(new ArrayList<>(values));
            return this;
        }

        /** The dialect of the statement, where it differs from the rule file's; null for that. */
        public Builder dialect(Dialect name) {
            dialect = name;
            return this;
        }

        /**
         * How many executions a check speaks for: a batch of 50 weighs 50.
         *
         * @throws IllegalArgumentException it is less than 1
         */
        public Builder weight(int executions) {
            if (executions < 1) {
                throw new IllegalArgumentException("a statement weighs at least 1, and not " + executions);
            }
            weight = executions;
            return this;
        }

        /** What the caller can stand in for when the statement is ignored; nothing unless said otherwise. */
        public Builder fakes(Fakes results) {
            fakes = Objects.requireNonNull(results, "results");
            return this;
        }

        /** The context. */
        public StatementContext build() {
            return new StatementContext(this);
        }
    }
}
