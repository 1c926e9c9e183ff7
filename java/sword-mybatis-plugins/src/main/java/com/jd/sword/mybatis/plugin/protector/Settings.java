package com.jd.sword.mybatis.plugin.protector;

import java.util.Map;

/** Where a program says its settings, as far as thresholds are concerned. */
interface Settings {
    /**
     * All that can be listed of what is said of thresholds: the name as it is written, what goes first before what it hides.
     *
     * @throws com.jd.sword.sqlthrottle.SqlThrottleException something cannot be read: the message says what would be right
     */
    Map<String, String> list();

    /** What is said under a name, where not all can be listed; null for nothing. */
    String get(String name);

    /** Whether it may say something else the next time. */
    boolean changes();
}
