package com.jd.sword.sqlthrottle.integration;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import liquibase.Liquibase;
import liquibase.UpdateSummaryEnum;
import liquibase.change.core.RawSQLChange;
import liquibase.changelog.ChangeSet;
import liquibase.changelog.DatabaseChangeLog;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;

@Shows("Liquibase")
class LiquibaseTest extends MigrationContract {
    /** All change sets of a shop so far. */
    private final Map<Shop, List<Change>> changes = new ConcurrentHashMap<>();

    @Override
    void migrateSchema(Shop shop) throws Exception {
        List<Change> known = changes.computeIfAbsent(shop, made -> new ArrayList<>());
        if (known.isEmpty()) {
            known.add(() -> sql("create table items (id int primary key); alter table items add column name varchar(20)"));
            known.add(() -> sql("create table prices (item int); create index prices_by_item on prices (item)"));
        }
        run(shop);
    }

    @Override
    void migrate(Shop shop, Step step) throws Exception {
        List<Change> known = changes.get(shop);
        String key = StepTask.add(step);
        known.add(() -> StepTask.change(key));
        try {
            run(shop);
        } catch (Exception e) {
            known.remove(known.size() - 1);
            throw e;
        }
    }

    private void run(Shop shop) throws Exception {
        try (Connection connection = shop.source.getConnection()) {
            liquibase.database.Database database = DatabaseFactory.getInstance()
                    .findCorrectDatabaseImplementation(new JdbcConnection(connection));
            List<Change> known = changes.get(shop);
            // By its name it is remembered that there was nothing to do.
            DatabaseChangeLog log = new DatabaseChangeLog("shop-" + known.size());
            for (int i = 0; i < known.size(); i++) {
                ChangeSet set = new ChangeSet(Integer.toString(i + 1), "shop", false, false, "shop", null, null, log);
                set.addChange(known.get(i).make());
                log.addChangeSet(set);
            }
            try (Liquibase liquibase = new Liquibase(log, new ClassLoaderResourceAccessor(), database)) {
                liquibase.setShowSummary(UpdateSummaryEnum.OFF);
                liquibase.update("");
            }
        }
    }

    @Override
    int done(Shop shop) throws SQLException {
        return shop.count(shop.database == Database.MARIADB ? "DATABASECHANGELOG" : "databasechangelog");
    }

    private static liquibase.change.Change sql(String statements) {
        RawSQLChange change = new RawSQLChange(statements);
        change.setSplitStatements(true);
        return change;
    }

    /** What a change set consists of; the tool wants it new each time. */
    private interface Change {
        liquibase.change.Change make() throws Exception;
    }
}
