package com.jd.sword.sqlthrottle.integration;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.JavaMigration;
import org.flywaydb.core.api.migration.Context;

@Shows("Flyway")
class FlywayTest extends MigrationContract {
    /** All migrations of a shop so far: each of them has to be there whenever the tool runs. */
    private final Map<Shop, List<JavaMigration>> migrations = new ConcurrentHashMap<>();

    @Override
    void migrateSchema(Shop shop) {
        List<JavaMigration> known = migrations.computeIfAbsent(shop, made -> new ArrayList<>());
        if (known.isEmpty()) {
            known.add(new Migration(1, connection -> {
                try (var statement = connection.createStatement()) {
                    statement.execute("create table items (id int primary key)");
                    statement.execute("alter table items add column name varchar(20)");
                }
            }));
            known.add(new Migration(2, connection -> {
                try (var statement = connection.createStatement()) {
                    statement.execute("create table prices (item int)");
                    statement.execute("create index prices_by_item on prices (item)");
                }
            }));
        }
        run(shop);
    }

    @Override
    void migrate(Shop shop, Step step) {
        List<JavaMigration> known = migrations.get(shop);
        known.add(new Migration(known.size() + 1, step));
        try {
            run(shop);
        } catch (RuntimeException e) {
            known.remove(known.size() - 1);
            throw e;
        }
    }

    private void run(Shop shop) {
        over(shop).migrate();
    }

    /** A step that failed is remembered where the database does not take back what it did to the schema. */
    @Override
    void retry(Shop shop, Step step) {
        over(shop).repair();
        migrate(shop, step);
    }

    private Flyway over(Shop shop) {
        return Flyway.configure().dataSource(shop.source).locations(new String[0]).baselineOnMigrate(true).baselineVersion("0")
                .javaMigrations(migrations.get(shop).toArray(new JavaMigration[0])).load();
    }

    @Override
    int done(Shop shop) throws SQLException {
        String quote = shop.database == Database.MARIADB ? "`" : "\"";
        return shop.count(quote + "flyway_schema_history" + quote + " where " + quote + "success" + quote + " and " + quote + "version" + quote
                + " <> '0'");
    }

    private record Migration(int version, Step step) implements JavaMigration {
        @Override
        public MigrationVersion getVersion() {
            return MigrationVersion.fromVersion(Integer.toString(version));
        }

        @Override
        public String getDescription() {
            return "step";
        }

        @Override
        public Integer getChecksum() {
            return null;
        }

        @Override
        public boolean canExecuteInTransaction() {
            return true;
        }

        @Override
        public void migrate(Context context) throws Exception {
            step.run(context.getConnection());
        }
    }
}
