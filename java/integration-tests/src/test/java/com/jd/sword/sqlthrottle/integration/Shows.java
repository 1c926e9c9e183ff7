package com.jd.sword.sqlthrottle.integration;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a test shows, in the words of its cell of a table in the documentation; of a class, what its row is called. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Shows {
    String value();
}
