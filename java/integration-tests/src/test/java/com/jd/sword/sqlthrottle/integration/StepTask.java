package com.jd.sword.sqlthrottle.integration;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import liquibase.change.custom.CustomChangeWrapper;
import liquibase.change.custom.CustomTaskChange;
import liquibase.database.Database;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.CustomChangeException;
import liquibase.exception.ValidationErrors;
import liquibase.resource.ResourceAccessor;

/** A step for Liquibase, which makes its tasks itself, by the name of their class, and sets their properties. */
public final class StepTask implements CustomTaskChange {
    private static final AtomicInteger KEYS = new AtomicInteger();
    private static final Map<String, MigrationContract.Step> STEPS = new ConcurrentHashMap<>();

    private String key;

    /** A name for a step, by which a task finds it. */
    static String add(MigrationContract.Step step) {
        String key = Integer.toString(KEYS.incrementAndGet());
        STEPS.put(key, step);
        return key;
    }

    static CustomChangeWrapper change(String key) throws CustomChangeException {
        CustomChangeWrapper change = new CustomChangeWrapper();
        change.setClass(StepTask.class.getName());
        change.setParam("key", key);
        return change;
    }

    public String getKey() {
        return key;
    }

    public void setKey(String key) {
        this.key = key;
    }

    @Override
    public void execute(Database database) throws CustomChangeException {
        try {
            STEPS.get(key).run(((JdbcConnection) database.getConnection()).getUnderlyingConnection());
        } catch (SQLException e) {
            throw new CustomChangeException(e);
        }
    }

    @Override
    public String getConfirmationMessage() {
        return "done";
    }

    @Override
    public void setUp() {}

    @Override
    public void setFileOpener(ResourceAccessor files) {}

    @Override
    public ValidationErrors validate(Database database) {
        return new ValidationErrors();
    }
}
